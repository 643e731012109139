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
#include "tc/Target/Occupancy.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTNVVMTOBINARY
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// What a kernel must have beside the registers of its live values for ptxas
/// not to be asked whether it spills, and one with tensor instructions in f64.
static constexpr int64_t kSpareRegisters = 8, kSpareOfDoubles = 28;

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
    std::vector<KernelPart> parts = splitKernels(kernels);
    auto maySpill = [&](KernelPart &part) {
      return llvm::any_of(
          part.getKernels().getOps<LLVM::LLVMFuncOp>(), [&](auto kernel) {
            return maySpillWhereHeld(
                kernel, part.liveRegisters.lookup(kernel.getName()),
                target.getChip());
          });
    };
    do {
      if (failed(writePtx(parts, target, maySpill)))
        return failure();
    } while (releaseSpilling(parts));
    std::string object = joinPtx(parts);
    if (cubin) {
      llvm::Expected<Assembly> assembly = runPtxas(target, object);
      if (!assembly)
        return mlir::emitError(kernels.getLoc(),
                               llvm::toString(assembly.takeError()));
      object = std::move(assembly->cubin);
    }
    gpu::TargetOptions options(/*toolkitPath=*/{}, /*librariesToLink=*/{},
                               /*cmdOptions=*/{}, /*elfSection=*/{},
                               cubin ? gpu::CompilationTarget::Binary
                                     : gpu::CompilationTarget::Assembly);
    return cast<gpu::TargetAttrInterface>(target).createObject(
        kernels, SmallVector<char, 0>(object.begin(), object.end()), options);
  }

  //===--------------------------------------------------------------------===//
  // See Note [Registers that are held].
  //===--------------------------------------------------------------------===//

  /// The blocks on a multiprocessor that the schedule of `kernel` asks for, if
  /// it asks for several.
  static std::optional<int64_t> findResident(LLVM::LLVMFuncOp kernel) {
    TCDialect::ResidentAttrHelper helper(kernel.getContext());
    if (auto blocks = dyn_cast_if_present<IntegerAttr>(helper.getAttr(kernel)))
      return blocks.getInt();
    return std::nullopt;
  }

  static int64_t getSpareRegisters(LLVM::LLVMFuncOp kernel) {
    bool multipliesDoubles = kernel
                                 .walk([](LLVM::CallIntrinsicOp call) {
                                   StringRef name = call.getIntrin();
                                   return name.starts_with("llvm.nvvm.mma.") &&
                                                  name.ends_with(".f64")
                                              ? WalkResult::interrupt()
                                              : WalkResult::advance();
                                 })
                                 .wasInterrupted();
    return multipliesDoubles ? kSpareOfDoubles : kSpareRegisters;
  }

  /// `live` is the number of registers that its values take, at least.
  static bool maySpillWhereHeld(LLVM::LLVMFuncOp kernel, int64_t live,
                                StringRef chip) {
    std::optional<int64_t> resident = findResident(kernel);
    auto block = kernel->getAttrOfType<DenseI32ArrayAttr>(
        NVVM::NVVMDialect::getMaxntidAttrName());
    std::optional<Machine> machine =
        llvm::expectedToOptional(findMachine(chip));
    if (!resident || !block || !machine)
      return resident.has_value();
    auto threads = llvm::product_of(block.asArrayRef(), int64_t(1));
    return occupancy(*machine, threads, live + getSpareRegisters(kernel),
                     /*sharedBytesPerBlock=*/0)
               .blocksPerSm < *resident;
  }

  /// Kernels that spill so need not leave room, and are to be written anew.
  /// False: there is none.
  static bool releaseSpilling(MutableArrayRef<KernelPart> parts) {
    bool isReleased = false;
    for (KernelPart &part : parts)
      for (auto kernel : part.getKernels().getOps<LLVM::LLVMFuncOp>()) {
        std::optional<int64_t> resident = findResident(kernel);
        if (!resident || !part.assembly)
          continue;
        const KernelResources *found = part.assembly->find(kernel.getName());
        if (!found || found->spillBytes == 0)
          continue;
        isReleased = true;
        part.ptx.clear();
        release(kernel, *resident, found->spillBytes);
      }
    return isReleased;
  }

  static void release(LLVM::LLVMFuncOp kernel, int64_t resident,
                      int64_t spillBytes) {
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Spills")
                                        .category("convert-nvvm-to-binary")
                                        .function(kernel.getName()))
        << remark::reason("{0} blocks on a multiprocessor would spill {1} "
                          "bytes of each thread",
                          resident, spillBytes);
    Builder builder(kernel);
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
    TCDialect::ResidentAttrHelper(builder.getContext()).removeAttr(kernel);
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
//
// Asking takes as long as all of LLVM does, and ptxas reorders what it is
// given: how many registers the live values leave says little. Of 624 kernels
// of the benchmarks that hold registers (f32 and f64 for sm_80 and sm_90a, c64
// and bf16 for sm_90a) seven spill, six with 36 to 41 registers left, and only
// one of the 159 that have fewer than 28: of f64 by tensor instructions, whose
// fragments take neighbouring registers. So only kernels are asked about whose
// live values take nearly all that there is, and more of those.

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
