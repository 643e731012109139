//===- Compile.cpp - A program to any of its forms ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Compile.h"

#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Tuning.h"
#include "tc/Files/Files.h"
#include "tc/IR/TC.h"
#include "tc/Package/HostEntry.h"
#include "tc/Package/Ptxas.h"
#include "tc/Package/Toolkit.h"
#include "tc/Reference/Reference.h"
#include "tc/Target/Occupancy.h"
#include "tc/Transforms/Transforms.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// One compilation on its way through the phases.
class Compiler {
public:
  Compiler(Program &program, const CompileOptions &options,
           const Machine &machine)
      : program(program), options(options), machine(machine) {
    result.chip = options.chip;
    nvvmOptions.chip = options.chip;
  }

  llvm::Expected<Compilation> run();

private:
  using AddPasses = llvm::function_ref<void(OpPassManager &)>;

  llvm::Error runPasses(AddPasses add);
  llvm::Error schedule();
  llvm::Error applySchedule();
  void recordSchedules();
  /// Keeps the text of each phase, if it is asked for.
  PhaseObserver observePhases();
  void recordThresholds();
  /// Prints the form when it is the requested one.
  void record(Emit form);
  llvm::Error recordLLVM();
  llvm::Error lower();
  llvm::Error makePtx();
  llvm::Error makeCubin();
  /// Is there nothing left to do once `form` has been recorded?
  bool isDoneAfter(Emit form) const {
    return options.emit == form && !options.wantsReport && !options.wantsModule;
  }

  Program &program;
  const CompileOptions &options;
  const Machine &machine;
  ToNVVMOptions nvvmOptions;
  Compilation result;
};
} // namespace

llvm::Error Compiler::runPasses(AddPasses add) {
  return captureDiagnostics(program, result.notes, [&] {
    PassManager pm(program.module->getContext());
    // After each pass it would be a third of the time; tc-opt does so.
    pm.enableVerifier(false);
    add(pm);
    return success(succeeded(pm.run(*program.module)) &&
                   succeeded(verify(*program.module)));
  });
}

std::optional<std::array<int64_t, 3>>
extentsOf(const std::array<int64_t, 3> &extents) {
  if (llvm::is_contained(extents, 0))
    return std::nullopt;
  return extents;
}

/// Writes what ptxas said of one module into the reports of its kernels.
static void addResources(StringRef module, const Assembly &assembly,
                         const Machine &machine,
                         llvm::MutableArrayRef<KernelReport> kernels) {
  for (KernelReport &kernel : kernels) {
    const KernelResources *found = assembly.find(kernel.launch.kernel);
    if (kernel.launch.module != module || !found)
      continue;
    kernel.registers = found->registers;
    kernel.spillBytes = found->spillBytes;
    kernel.localBytes = found->stackBytes;
    kernel.sharedBytes = found->sharedBytes + kernel.launch.dynamicSharedBytes;
    int64_t threads = llvm::product_of(kernel.launch.block);
    if (threads < 1) // extents that are not constant
      continue;
    Occupancy resident =
        occupancy(machine, threads, *kernel.registers, *kernel.sharedBytes);
    kernel.occupancy = resident.fraction;
    kernel.blocksPerSm = resident.blocksPerSm;
  }
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Puts the given schedule on the only contraction, which is in normal form.
llvm::Error Compiler::applySchedule() {
  auto expected = [&] {
    return llvm::createStringError("schedule: expected '#tc.schedule<...>', "
                                   "got '" +
                                   options.schedule + "'");
  };
  if (!StringRef(options.schedule).ltrim().starts_with("#tc."))
    return expected();
  Attribute attribute;
  std::string notes;
  llvm::Error error = captureDiagnostics(program, notes, [&] {
    attribute = parseAttribute(options.schedule, program.module->getContext());
    return success(attribute != nullptr);
  });
  if (error)
    return errorIn("schedule", std::move(error));
  auto schedule = dyn_cast<ScheduleAttr>(attribute);
  if (!schedule)
    return expected();
  auto contractions = collectOps<ContractOp>(*program.module);
  if (contractions.size() != 1)
    return llvm::createStringError(
        "schedule: expected a program of one contraction, got " +
        Twine(contractions.size()));
  ContractOp op = contractions.front();
  op.setScheduleAttr(schedule);
  // Passes rely on it; they are not verified before the first of them.
  return captureDiagnostics(program, result.notes, [&] { return verify(op); });
}

/// A sample has a block of every subset of the axes.
constexpr size_t maxBoxAxes = 10;

/// Adds what is known of the block tiles of `op`, whose extents are static. The
/// grid is linear over the tiles of the result iterators, the last of them
/// fastest, and then over the parts of a sum.
static void recordTiles(ContractOp op, const StrideTable &access,
                        Compilation &result) {
  ::tc::emulator::BlockBox &box = result.boxes.back();
  ScheduleAttr schedule = op.getScheduleAttr();
  double share = 1;
  TilePlan plan = getPlan(op, schedule);
  for (unsigned i = op.getNumIterators(); i-- != 0;) {
    int64_t extent = op.getStaticExtents()[i];
    if (op.isContracted(i) || extent == 0)
      continue;
    int64_t tile = schedule.getBlock(op.getIterator(i));
    int64_t tiles = llvm::divideCeil(extent, tile);
    share *= double(extent) /
             double(countComputed(plan, i, extent, access.contracted,
                                  access.inputs));
    if (extent > tile)
      box.axes.push_back({uint64_t(tiles), /*isEven=*/extent % tile == 0});
  }
  for (const Factor &split : llvm::reverse(schedule.getSplit()))
    box.axes.push_back({uint64_t(split.value), /*isEven=*/true});
  if (box.axes.size() > maxBoxAxes)
    box.axes.clear();
  result.usefulShare = std::min(share, result.usefulShare.value_or(1));
}

void Compiler::recordSchedules() {
  FailureOr<MachineAttr> machine =
      MachineAttr::getKnown(program.module->getContext(), options.chip,
                            [&] { return program.module->emitError(); });
  for (ContractGroup &group : collectContractions(program.module.get()))
    for (ContractOp op : group) {
      ScheduleAttr schedule = op.getScheduleAttr();
      result.schedules.push_back(schedule ? llvm::to_string(schedule) : "");
      result.boxes.emplace_back();
      auto &predicted = result.predicted.emplace_back();
      auto &tunable = result.tunable.emplace_back();
      FailureOr<StrideTable> access = getStrideTable(op);
      if (succeeded(access) && schedule && op.hasStaticExtents())
        recordTiles(op, *access, result);
      // What a kernel of several terms costs is not predicted.
      if (succeeded(access) && schedule && group.size() == 1) {
        tunable = findTunable(op, *access);
        if (succeeded(machine))
          predicted = predictCost(op, *access, schedule, *machine);
      }
      if (options.wantsPage && succeeded(access) && schedule &&
          succeeded(machine))
        result.contractions.push_back(
            describe(op, *access, *machine, /*isOfSum=*/group.size() > 1));
    }
}

PhaseObserver Compiler::observePhases() {
  if (!options.wantsPage)
    return {};
  return [this](Phase phase, ModuleOp module) {
    PhaseText &shown = result.phases.emplace_back();
    shown.phase = phase;
    llvm::raw_string_ostream stream(shown.text);
    module.print(stream);
  };
}

/// See Compilation::thresholds.
void Compiler::recordThresholds() {
  auto limits = TCDialect::ThresholdAttrHelper(program.module->getContext());
  for (auto variable : program.module->getOps<memref::GlobalOp>()) {
    IntegerAttr limit = limits.getAttr(variable);
    StringRef name = variable.getSymName();
    if (limit && name.consume_front(getLimitSymbol(program.name, "")))
      result.thresholds.push_back({name.str(), limit.getInt()});
  }
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void Compiler::record(Emit form) {
  if (options.emit != form)
    return;
  llvm::raw_string_ostream stream(result.artifact);
  if (form == Emit::nvvm)
    for (auto kernels : program.module->getOps<gpu::GPUModuleOp>())
      stream << kernels << '\n';
  else
    program.module->print(stream);
}

llvm::Error Compiler::recordLLVM() {
  if (options.emit != Emit::llvm)
    return llvm::Error::success();
  return captureDiagnostics(program, result.notes, [&]() -> LogicalResult {
    llvm::raw_string_ostream stream(result.artifact);
    for (auto kernels : program.module->getOps<gpu::GPUModuleOp>()) {
      llvm::LLVMContext context;
      std::unique_ptr<llvm::Module> module =
          translateModuleToLLVMIR(kernels, context, kernels.getName());
      if (!module)
        return failure();
      module->print(stream, /*AAW=*/nullptr);
    }
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral noKernelNote =
    "the program launches no kernel\n";

llvm::Error Compiler::schedule() {
  if (llvm::Error error = runPasses([&](OpPassManager &pm) {
        buildToNormalPipeline(pm, options.order, options.keepOrder,
                              observePhases());
      }))
    return error;
  if (!options.schedule.empty())
    if (llvm::Error error = applySchedule())
      return error;
  return runPasses([&](OpPassManager &pm) {
    buildSchedulePipeline(pm, options.chip, options.tuning);
  });
}

llvm::Error Compiler::lower() {
  if (llvm::Error error = schedule())
    return error;
  recordSchedules();
  if (func::FuncOp function = program.function()) {
    llvm::append_range(result.hostArguments, function.getArgumentTypes());
    result.isWritten = findWrittenArguments(function);
  }
  record(Emit::tc);
  if (isDoneAfter(Emit::tc))
    return llvm::Error::success();
  bool keepsHostCode = options.emit == Emit::gpu ||
                       (options.wantsModule && !options.takesWorkspace);
  KernelOptions kernels{
      options.chip,       keepsHostCode,           options.tuning,
      options.thresholds, options.notesThresholds, options.async,
      options.overlap,    observePhases()};
  if (llvm::Error error = runPasses(
          [&](OpPassManager &pm) { buildToKernelPipeline(pm, kernels); }))
    return error;
  recordThresholds();
  record(Emit::gpu);
  if (options.takesWorkspace)
    if (llvm::Error error = captureDiagnostics(program, result.notes, [&] {
          return placeTemporaries(program.function());
        }))
      return error;
  if (isDoneAfter(Emit::gpu))
    return llvm::Error::success();
  if (llvm::Error error = runPasses([&](OpPassManager &pm) {
        buildToNVVMDialectPipeline(pm, nvvmOptions);
      }))
    return error;
  record(Emit::nvvm);
  return recordLLVM();
}

llvm::Error Compiler::makePtx() {
  if (llvm::Error error = runPasses(
          [&](OpPassManager &pm) { buildToBinaryPipeline(pm, nvvmOptions); }))
    return error;
  for (HostLaunch &launch : findLaunches(*program.module))
    result.kernels.push_back({std::move(launch), {}, {}, {}, {}, {}, {}});
  if (result.kernels.empty()) // nothing to compute
    result.notes += noKernelNote;
  if (llvm::Error error = readGpuBinaries(*program.module).moveInto(result.ptx))
    return error;
  if (options.emit != Emit::ptx && options.emit != Emit::cubin)
    return llvm::Error::success();
  if (result.ptx.size() > 1)
    return llvm::createStringError(
        "expected a program of one kernel module for this output, got " +
        Twine(result.ptx.size()));
  if (options.emit == Emit::ptx && !result.ptx.empty())
    result.artifact = result.ptx.front().ptx;
  return llvm::Error::success();
}

/// Runs ptxas, if it is asked for. Only a cubin cannot do without it.
llvm::Error Compiler::makeCubin() {
  bool isNeeded = options.emit == Emit::cubin;
  if (result.ptx.empty() || (!isNeeded && !options.wantsReport))
    return llvm::Error::success();
  llvm::Expected<std::string> program = findPtxas();
  if (!program) {
    if (isNeeded)
      return program.takeError();
    result.notes += "registers, spills, shared memory and occupancy are not "
                    "known: " +
                    toString(program.takeError()) + "\n";
    return llvm::Error::success();
  }
  Stopwatch watch;
  for (KernelBinary &binary : result.ptx) {
    llvm::Expected<Assembly> assembly =
        assemble(binary.ptx, options.chip, *program);
    if (!assembly)
      return assembly.takeError();
    addResources(binary.module, *assembly, machine, result.kernels);
    binary.cubin = std::move(assembly->cubin);
  }
  if (isNeeded)
    result.artifact = result.ptx.front().cubin;
  result.times.ptxas = watch.lap();
  return llvm::Error::success();
}

llvm::Expected<Compilation> Compiler::run() {
  result.times.parse = program.parseMilliseconds;
  Stopwatch watch;
  // The search has several threads, and each kernel one.
  program.module->getContext()->enableMultithreading();
  if (llvm::Error error = lower())
    return error;
  result.times.lower = watch.lap();
  if (options.emit && *options.emit <= Emit::llvm &&
      isDoneAfter(*options.emit)) {
    if (result.artifact.empty()) // of kernels, and there is none
      result.notes += noKernelNote;
    return std::move(result);
  }
  if (llvm::Error error = makePtx())
    return error;
  result.times.ptx = watch.lap();
  if (llvm::Error error = makeCubin())
    return error;
  if (options.wantsModule)
    result.module = std::move(program.module);
  return std::move(result);
}

llvm::Expected<Compilation> compile(Program &program,
                                    const CompileOptions &options) {
  llvm::Expected<Machine> machine = findMachine(options.chip);
  if (!machine)
    return errorIn("chip", machine.takeError());
  return Compiler(program, options, *machine).run();
}

} // namespace mlir::tc
