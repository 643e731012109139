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

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"
#include "tc/Package/Ptxas.h"
#include "tc/Package/Toolkit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTNVVMTOBINARY
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// What every CUDA driver defines, by the CUDA C++ programming guide.
static bool isDriverFunction(StringRef name) {
  return llvm::is_contained({"vprintf", "malloc", "free", "__assertfail"},
                            name);
}

/// Is `symbol` declared and used, and does nobody define it? Shared memory that
/// the launch sizes is declared so, too, and needs no definition.
static bool isUndefined(const llvm::GlobalValue &symbol) {
  if (!symbol.isDeclaration() || symbol.use_empty())
    return false;
  if (const auto *function = dyn_cast<llvm::Function>(&symbol))
    return !function->isIntrinsic() && !isDriverFunction(symbol.getName());
  return symbol.getAddressSpace() != llvm::NVPTXAS::ADDRESS_SPACE_SHARED;
}

static bool isOfLibdevice(StringRef name) { return name.starts_with("__nv_"); }

namespace {
/// LLVM's errors, at the place of the kernels. Without a handler each would end
/// the process.
struct ErrorReporter : llvm::DiagnosticHandler {
  explicit ErrorReporter(Operation &op) : op(op) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return false;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    op.emitError() << "LLVM: " << text;
    return true;
  }

  Operation &op;
};

/// A module of kernels on its way through LLVM.
class KernelWriter : public LLVM::ModuleToObject {
public:
  KernelWriter(gpu::GPUModuleOp kernels, NVVM::NVVMTargetAttr target)
      : ModuleToObject(*kernels, target.getTriple(), target.getChip(),
                       target.getFeatures(), target.getO()),
        target(target) {}

protected:
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override;
  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override;

private:
  LogicalResult checkSymbols(const llvm::Module &module);
  LogicalResult reportUndefined(StringRef symbol);

  NVVM::NVVMTargetAttr target;
};
} // namespace

/// What the target names, and libdevice where something of it is called. The
/// first that sees the module.
std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
KernelWriter::loadBitcodeFiles(llvm::Module &module) {
  module.getContext().setDiagnosticHandler(
      std::make_unique<ErrorReporter>(getOperation()));
  SmallVector<Attribute> libraries;
  if (ArrayAttr given = target.getLink())
    llvm::append_range(libraries, given);
  bool needsLibdevice = llvm::any_of(module, [](const llvm::Function &f) {
    return isUndefined(f) && isOfLibdevice(f.getName());
  });
  if (needsLibdevice) {
    // Where it is missing, `checkSymbols` says what for.
    llvm::Expected<std::string> path = findLibdevice();
    if (path)
      libraries.push_back(StringAttr::get(target.getContext(), *path));
    else
      llvm::consumeError(path.takeError());
  }
  SmallVector<std::unique_ptr<llvm::Module>> loaded;
  if (failed(loadBitcodeFilesFromList(module.getContext(), libraries, loaded)))
    return std::nullopt;
  return loaded;
}

/// Reports at the call, which has the place of what it was made of.
LogicalResult KernelWriter::reportUndefined(StringRef symbol) {
  Operation *user = &getOperation();
  getOperation().walk([&](LLVM::CallOp call) {
    if (call.getCallee() != symbol)
      return WalkResult::advance();
    user = call;
    return WalkResult::interrupt();
  });
  InFlightDiagnostic error =
      mlir::emitError(user->getLoc())
      << "expected every symbol of a kernel to be defined, and nobody defines '"
      << symbol << "'";
  if (!isOfLibdevice(symbol))
    return error;
  llvm::Expected<std::string> library = findLibdevice();
  if (library)
    return error << ", which " << *library << " does not have";
  return error << ", a function of the CUDA toolkit: "
               << llvm::toString(library.takeError());
}

LogicalResult KernelWriter::checkSymbols(const llvm::Module &module) {
  bool isSound = true;
  for (const llvm::GlobalValue &symbol : module.global_values())
    if (isUndefined(symbol))
      isSound &= succeeded(reportUndefined(symbol.getName()));
  return success(isSound);
}

FailureOr<SmallVector<char, 0>>
KernelWriter::moduleToObject(llvm::Module &module) {
  if (failed(checkSymbols(module)))
    return failure();
  FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
  if (failed(machine))
    return failure();
  FailureOr<SmallString<0>> text = translateModuleToISA(
      module, **machine, [&] { return getOperation().emitError(); });
  if (failed(text) || module.getContext().getDiagHandlerPtr()->HasErrors)
    return failure();
  return SmallVector<char, 0>(text->begin(), text->end());
}

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
    std::optional<SmallVector<char, 0>> bytes =
        KernelWriter(kernels, target).run();
    if (!bytes)
      return failure();
    SmallVector<Held> held = findHeld(kernels);
    std::string cubinBytes;
    if (cubin || !held.empty()) {
      llvm::Expected<Assembly> assembly = runPtxas(target, *bytes);
      if (assembly && releaseSpilling(held, *assembly)) {
        bytes = KernelWriter(kernels, target).run();
        if (!bytes)
          return failure();
        if (cubin)
          assembly = runPtxas(target, *bytes);
      }
      if (assembly)
        cubinBytes = std::move(assembly->cubin);
      else if (cubin)
        return mlir::emitError(kernels.getLoc(),
                               llvm::toString(assembly.takeError()));
      else // Who wants PTX may have no ptxas, or one for other chips.
        llvm::consumeError(assembly.takeError());
    }
    auto form = gpu::CompilationTarget::Assembly;
    if (cubin) {
      form = gpu::CompilationTarget::Binary;
      bytes->assign(cubinBytes.begin(), cubinBytes.end());
    }
    gpu::TargetOptions options(/*toolkitPath=*/{}, /*librariesToLink=*/{},
                               /*cmdOptions=*/{}, /*elfSection=*/{}, form);
    return cast<gpu::TargetAttrInterface>(target).createObject(kernels, *bytes,
                                                               options);
  }

  /// What the assembler makes of PTX.
  static llvm::Expected<Assembly> runPtxas(NVVM::NVVMTargetAttr target,
                                           ArrayRef<char> ptx) {
    llvm::Expected<std::string> program = findPtxas();
    if (!program)
      return program.takeError();
    return assemble(StringRef(ptx.data(), ptx.size()), target.getChip(),
                    *program);
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
