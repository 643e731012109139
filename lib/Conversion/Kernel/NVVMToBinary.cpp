//===- NVVMToBinary.cpp - The pass convert-nvvm-to-binary -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Not upstream's pass] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Kernel/WritePtx.h"

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"
#include "tc/Package/Ptxas.h"
#include "tc/Package/Toolkit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTNVVMTOBINARY
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct ConvertNVVMToBinaryPass
    : tc::impl::ConvertNVVMToBinaryBase<ConvertNVVMToBinaryPass> {
  using ConvertNVVMToBinaryBase::ConvertNVVMToBinaryBase;

  void runOnOperation() override {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    auto modules = getOperation().getOps<gpu::GPUModuleOp>();
    for (gpu::GPUModuleOp kernels : llvm::make_early_inc_range(modules))
      if (failed(convert(kernels)))
        return signalPassFailure();
  }

  LogicalResult convert(gpu::GPUModuleOp kernels) {
    ArrayAttr targets = kernels.getTargetsAttr();
    if (!targets || targets.empty())
      return kernels.emitOpError("expected a target, got none");
    SmallVector<Attribute> objects;
    for (Attribute attribute : targets) {
      auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
      if (!target)
        return kernels.emitOpError("expected targets '#nvvm.target', got ")
               << attribute;
      FailureOr<Attribute> object = write(kernels, target);
      if (failed(object))
        return failure();
      objects.push_back(*object);
    }
    OpBuilder builder(kernels);
    gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                          kernels.getOffloadingHandlerAttr(),
                          builder.getArrayAttr(objects));
    kernels.erase();
    return success();
  }

  FailureOr<Attribute> write(gpu::GPUModuleOp kernels,
                             NVVM::NVVMTargetAttr target) {
    FailureOr<std::string> ptx = writePtx(kernels, target);
    if (failed(ptx))
      return failure();
    SmallVector<Held> held = findHeld(kernels);
    std::string cubinBytes;
    if (cubin || !held.empty()) {
      llvm::Expected<Assembly> assembly = runPtxas(target, *ptx);
      if (assembly && releaseSpilling(held, *assembly)) {
        ptx = writePtx(kernels, target);
        if (failed(ptx))
          return failure();
        if (cubin)
          assembly = runPtxas(target, *ptx);
      }
      if (assembly)
        cubinBytes = std::move(assembly->cubin);
      else if (cubin)
        return mlir::emitError(kernels.getLoc(),
                               llvm::toString(assembly.takeError()));
      else // Who wants PTX may have no ptxas, or one for other chips.
        llvm::consumeError(assembly.takeError());
    }
    auto form = cubin ? gpu::CompilationTarget::Binary
                      : gpu::CompilationTarget::Assembly;
    StringRef object = cubin ? cubinBytes : *ptx;
    gpu::TargetOptions options(/*toolkitPath=*/{}, /*librariesToLink=*/{},
                               /*cmdOptions=*/{}, /*elfSection=*/{}, form);
    return cast<gpu::TargetAttrInterface>(target).createObject(
        kernels, SmallVector<char, 0>(object.begin(), object.end()), options);
  }

  /// What the assembler makes of PTX.
  static llvm::Expected<Assembly> runPtxas(NVVM::NVVMTargetAttr target,
                                           StringRef ptx) {
    llvm::Expected<std::string> program = findPtxas();
    if (!program)
      return program.takeError();
    return assemble(ptx, target.getChip(), *program);
  }

  //===--------------------------------------------------------------------===//
  // See Note [Registers that are held].
  //===--------------------------------------------------------------------===//

  struct Held {
    LLVM::LLVMFuncOp kernel;
    int64_t resident; ///< blocks on a multiprocessor
  };

  /// The kernels whose schedules ask for several blocks.
  static SmallVector<Held> findHeld(gpu::GPUModuleOp kernels) {
    TCDialect::ResidentAttrHelper helper(kernels.getContext());
    SmallVector<Held> held;
    for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
      if (auto resident =
              dyn_cast_if_present<IntegerAttr>(helper.getAttr(kernel)))
        held.push_back({kernel, resident.getInt()});
    return held;
  }

  /// Kernels that spill so need not leave room. False: there is none.
  static bool releaseSpilling(ArrayRef<Held> held, const Assembly &assembly) {
    bool isReleased = false;
    for (auto [kernel, resident] : held) {
      const KernelResources *found = assembly.find(kernel.getName());
      if (!found || found->spillBytes == 0)
        continue;
      isReleased = true;
      remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Spills")
                                          .category("convert-nvvm-to-binary")
                                          .function(kernel.getName()))
          << remark::reason("{0} blocks on a multiprocessor would spill {1} "
                            "bytes of each thread",
                            resident, found->spillBytes);
      Builder builder(kernel);
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(1));
      TCDialect::ResidentAttrHelper(builder.getContext()).removeAttr(kernel);
    }
    return isReleased;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Note [Registers that are held]
//===----------------------------------------------------------------------===//
//
// A schedule may ask for several blocks on a multiprocessor
// (`nvvm.minctasm`), by an estimate of registers that is off by some. ptxas
// would rather spill than miss it, and what it needs only it knows. So where
// there is one it is asked, and a kernel that spills may take what it likes.

//===----------------------------------------------------------------------===//
// Note [Not upstream's pass]
//===----------------------------------------------------------------------===//
//
// Upstream's gpu-module-to-binary links libdevice where CUDA_HOME says it is,
// needed or not. Where it is not there, the pass prints an error and goes on,
// and PTX that calls what nobody defines is success. Here libdevice is linked
// where it is needed, from wherever there is one, and every symbol that is left
// undefined is an error. The assembler is that of the tools, with its limit of
// time and the check of what it wrote. Fat binaries are upstream's still.
