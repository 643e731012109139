//===- WritePtx.cpp - Kernels in the NVVM dialect to PTX ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that share no symbol go through LLVM apart, on a thread each. LLVM
// has nothing to gain from seeing them together. Those that call what a library
// defines stay together.
//
//===----------------------------------------------------------------------===//

#include "Kernel/WritePtx.h"

#include "Kernel/LiveValues.h"
#include "Kernel/OptimizeKernels.h"

#include "tc/Package/Toolkit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// One module through LLVM
//===----------------------------------------------------------------------===//

/// The optimisation level that is not a pipeline of LLVM (OptimizeKernels.h).
static constexpr int kLevelForKernels = 2;

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

/// Has PTX a state space for variables of `space`? LLVM ends the process for
/// others.
static bool canDefineVariable(unsigned space) {
  using namespace llvm::NVPTXAS;
  return llvm::is_contained({ADDRESS_SPACE_GENERIC, ADDRESS_SPACE_GLOBAL,
                             ADDRESS_SPACE_SHARED, ADDRESS_SPACE_CONST,
                             ADDRESS_SPACE_LOCAL},
                            space);
}

/// LLVM ends the process where PTX has no place for an initial value.
static bool canInitialize(const llvm::GlobalVariable &variable) {
  using namespace llvm::NVPTXAS;
  unsigned space = variable.getAddressSpace();
  if ((space != ADDRESS_SPACE_SHARED && space != ADDRESS_SPACE_LOCAL) ||
      !variable.hasInitializer())
    return true;
  const llvm::Constant *value = variable.getInitializer();
  return value->isNullValue() || isa<llvm::UndefValue>(value);
}

static bool isOfLibdevice(StringRef name) { return name.starts_with("__nv_"); }

bool mlir::tc::isOfEveryKernel(StringRef name) {
  return isDriverFunction(name) || isOfLibdevice(name);
}

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
  KernelWriter(gpu::GPUModuleOp kernels, NVVM::NVVMTargetAttr target,
               llvm::StringMap<int64_t> &liveRegisters)
      : ModuleToObject(*kernels, target.getTriple(), target.getChip(),
                       target.getFeatures(), target.getO()),
        target(target), liveRegisters(liveRegisters) {}

protected:
  void setDataLayoutAndTriple(llvm::Module &module) override;
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override;
  LogicalResult optimizeModule(llvm::Module &module, int level) override;
  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override;

private:
  LogicalResult checkSymbols(const llvm::Module &module);
  FailureOr<SmallVector<char, 0>> writeText(llvm::Module &module,
                                            llvm::TargetMachine &machine);
  LogicalResult reportUndefined(StringRef symbol);
  LogicalResult reportUnplaced(const llvm::GlobalVariable &variable);
  LogicalResult reportInitialized(const llvm::GlobalVariable &variable);

  NVVM::NVVMTargetAttr target;
  llvm::StringMap<int64_t> &liveRegisters;
};
} // namespace

/// Calls `make` while one of LLVM's flags is set, or as it was if not `isSet`.
/// LLVM takes some choices from flags of the process alone, which others in it
/// may not want; nor may the kernels of other threads.
static void withFlag(StringRef name, bool isSet,
                     llvm::function_ref<void()> make) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  auto *flag = static_cast<llvm::cl::opt<bool> *>(
      llvm::cl::getRegisteredOptions().lookup(name));
  bool was = flag && *flag;
  if (flag)
    flag->setValue(was || isSet);
  make();
  if (flag)
    flag->setValue(was);
}

/// Has the machine made, which is kept, with addresses of 32 bits in shared and
/// local memory.
void KernelWriter::setDataLayoutAndTriple(llvm::Module &module) {
  withFlag("nvptx-short-ptr", /*isSet=*/true,
           [&] { ModuleToObject::setDataLayoutAndTriple(module); });
}

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
    if (auto path = llvm::expectedToOptional(findLibdevice()))
      libraries.push_back(StringAttr::get(target.getContext(), *path));
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

LogicalResult
KernelWriter::reportUnplaced(const llvm::GlobalVariable &variable) {
  return getOperation().emitError()
         << "expected a variable of a kernel in address space 0, 1, 3, 4 or 5, "
            "got '"
         << variable.getName() << "' in " << variable.getAddressSpace();
}

LogicalResult
KernelWriter::reportInitialized(const llvm::GlobalVariable &variable) {
  return getOperation().emitError()
         << "expected a variable in address space 3 or 5 without an initial "
            "value, got '"
         << variable.getName() << "' with one in "
         << variable.getAddressSpace();
}

LogicalResult KernelWriter::checkSymbols(const llvm::Module &module) {
  bool isSound = true;
  for (const llvm::GlobalValue &symbol : module.global_values())
    if (isUndefined(symbol))
      isSound &= succeeded(reportUndefined(symbol.getName()));
  for (const llvm::GlobalVariable &variable : module.globals())
    if (!canDefineVariable(variable.getAddressSpace()))
      isSound &= succeeded(reportUnplaced(variable));
    else if (!canInitialize(variable))
      isSound &= succeeded(reportInitialized(variable));
  return success(isSound);
}

LogicalResult KernelWriter::optimizeModule(llvm::Module &module, int level) {
  if (level != kLevelForKernels)
    return ModuleToObject::optimizeModule(module, level);
  FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
  if (failed(machine))
    return failure();
  optimizeKernels(module, **machine);
  return success();
}

/// What LLVM's code generator makes of kernels, with strength reduction where
/// it has something to gain.
FailureOr<SmallVector<char, 0>>
KernelWriter::writeText(llvm::Module &module, llvm::TargetMachine &machine) {
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  bool isUnsupported = false;
  withFlag("disable-lsr", /*isSet=*/!hasShortLoop(module), [&] {
    isUnsupported = machine.addPassesToEmitFile(
        passes, stream, /*dwo=*/nullptr, llvm::CodeGenFileType::AssemblyFile);
  });
  if (isUnsupported)
    return getOperation().emitError("expected a target that can emit PTX");
  passes.run(module);
  if (module.getContext().getDiagHandlerPtr()->HasErrors)
    return failure();
  return text;
}

FailureOr<SmallVector<char, 0>>
KernelWriter::moduleToObject(llvm::Module &module) {
  if (failed(checkSymbols(module)))
    return failure();
  FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
  if (failed(machine))
    return failure();
  for (llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      liveRegisters[function.getName()] = countLiveRegisters(function);
  return writeText(module, **machine);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isKernel(Operation &op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function &&
         function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

/// `root` and what it refers to, directly or not.
static SmallVector<Operation *> collectReferenced(SymbolTable &symbols,
                                                  Operation *root) {
  llvm::SetVector<Operation *> found;
  found.insert(root);
  for (size_t next = 0; next < found.size(); ++next)
    if (auto uses = SymbolTable::getSymbolUses(found[next]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *definition =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          found.insert(definition);
  return found.takeVector();
}

/// The ops of each kernel, where each op is of one kernel alone; else nothing.
/// Nothing, too, where something is only declared: a library that defines it,
/// as libdevice, would bring its tables into each part.
static SmallVector<SmallVector<Operation *>>
findParts(gpu::GPUModuleOp kernels) {
  SmallVector<Operation *> roots;
  for (Operation &op : *kernels.getBody()) {
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
        function && function.isExternal())
      return {};
    if (isKernel(op))
      roots.push_back(&op);
  }
  SymbolTable symbols(kernels);
  SmallVector<SmallVector<Operation *>> parts(roots.size());
  parallelFor(kernels.getContext(), 0, roots.size(), [&](size_t i) {
    parts[i] = collectReferenced(symbols, roots[i]);
  });
  DenseSet<Operation *> seen;
  for (SmallVector<Operation *> &part : parts) {
    for (Operation *op : part)
      if (!seen.insert(op).second)
        return {};
    // In the order of the module, which threads may not ask for.
    llvm::sort(
        part, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }
  bool isWhole = llvm::all_of(
      *kernels.getBody(), [&](Operation &op) { return seen.contains(&op); });
  return isWhole ? parts : SmallVector<SmallVector<Operation *>>();
}

/// A program of nothing but `ops` of `kernels`; LLVM's translation asks for one
/// around a module.
static OwningOpRef<ModuleOp> makePart(gpu::GPUModuleOp kernels,
                                      ArrayRef<Operation *> ops) {
  OwningOpRef<ModuleOp> program(ModuleOp::create(kernels.getLoc()));
  auto builder = OpBuilder::atBlockEnd(program->getBody());
  auto part = cast<gpu::GPUModuleOp>(builder.cloneWithoutRegions(*kernels));
  builder.setInsertionPointToEnd(&part.getBodyRegion().emplaceBlock());
  for (Operation *op : ops)
    builder.clone(*op);
  return program;
}

std::vector<KernelPart> mlir::tc::splitKernels(gpu::GPUModuleOp kernels) {
  SmallVector<SmallVector<Operation *>> found = findParts(kernels);
  if (found.empty())
    found.push_back(llvm::map_to_vector(*kernels.getBody(),
                                        [](Operation &op) { return &op; }));
  std::vector<KernelPart> parts(found.size());
  parallelFor(kernels.getContext(), 0, found.size(), [&](size_t i) {
    parts[i].program = makePart(kernels, found[i]);
  });
  return parts;
}

/// The directives at the head of each part, which are the same, come once.
std::string mlir::tc::joinPtx(ArrayRef<KernelPart> parts) {
  constexpr llvm::StringLiteral last = ".address_size";
  std::string text = parts.front().ptx;
  for (const KernelPart &part : parts.drop_front())
    text += StringRef(part.ptx)
                .substr(part.ptx.find(last))
                .split('\n')
                .second.str();
  return text;
}

llvm::Expected<Assembly> mlir::tc::runPtxas(NVVM::NVVMTargetAttr target,
                                            StringRef ptx) {
  llvm::Expected<std::string> program = findPtxas();
  if (!program)
    return program.takeError();
  return assemble(ptx, target.getChip(), *program);
}

/// Reports an op that no conversion knew: LLVM's translation would name a cast
/// beside it.
static LogicalResult checkConverted(gpu::GPUModuleOp kernels) {
  WalkResult result = kernels.walk([](Operation *op) {
    Dialect *dialect = op->getDialect();
    bool isKnown =
        dialect &&
        dialect->getRegisteredInterface<LLVMTranslationDialectInterface>();
    return isKnown ? WalkResult::advance()
                   : WalkResult(op->emitOpError(
                         "expected an op that is converted to LLVM, got one "
                         "without a conversion for its form"));
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::tc::writePtx(MutableArrayRef<KernelPart> parts,
                                 NVVM::NVVMTargetAttr target,
                                 function_ref<bool(KernelPart &)> asksPtxas) {
  MLIRContext *context = target.getContext();
  return failableParallelForEach(context, parts, [&](KernelPart &part) {
    if (!part.ptx.empty())
      return success();
    if (failed(checkConverted(part.getKernels())))
      return failure();
    auto bytes =
        KernelWriter(part.getKernels(), target, part.liveRegisters).run();
    if (!bytes)
      return failure();
    part.ptx.assign(bytes->begin(), bytes->end());
    if (!asksPtxas(part))
      return success();
    // Who wants PTX may have no ptxas, or one for other chips.
    part.assembly = llvm::expectedToOptional(runPtxas(target, part.ptx));
    return success();
  });
}
