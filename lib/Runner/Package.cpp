//===- Package.cpp - A program as a package -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One compilation for each chip and one for the CPU, and the files from them.
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Package.h"

#include "PackageManifest.h"

#include "tc/Frontend/Files.h"
#include "tc/Package/Libraries.h"
#include "tc/Package/Ptxas.h"
#include "tc/Target/Occupancy.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// Gathers the files of one package.
class Packager {
public:
  Packager(Program &program, const PackageOptions &options, std::string &notes)
      : program(program), options(options), notes(notes) {}

  llvm::Expected<PackageFiles> run();

private:
  llvm::Error isolateFunction();
  llvm::Expected<Program> copyProgram();
  llvm::Error compileFor(StringRef chip);
  llvm::Error addCubins(PackagedVariant &variant, VariantReport &report);
  llvm::Expected<HostFunctions> compileCpu();
  void noteLaterDevices();
  llvm::Error addLibraries();
  bool addRuntime();
  void addTexts();

  std::string base() const { return "tc_" + program.name; }

  Program &program;
  const PackageOptions &options;
  std::string &notes;
  PackagedEntry entry;
  std::vector<VariantReport> reports;
  PackageFiles files;
  std::optional<std::string> ptxas;
};
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Erases what the function does not need; it may call nothing.
llvm::Error Packager::isolateFunction() {
  func::FuncOp function = program.function();
  WalkResult result =
      function.walk([](func::CallOp) { return WalkResult::interrupt(); });
  if (result.wasInterrupted())
    return llvm::createStringError("expected a function that calls no other, "
                                   "for a package, got '" +
                                   program.name + "'");
  for (auto other : llvm::to_vector(program.module->getOps<func::FuncOp>()))
    if (other != function)
      other.erase();
  return llvm::Error::success();
}

/// A compilation uses up its program.
llvm::Expected<Program> Packager::copyProgram() {
  Program copy;
  copy.module = program.module->clone();
  copy.name = program.name;
  copy.sources = program.sources;
  copy.problem = program.problem;
  copy.types = program.types;
  return copy;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// 10 * major + minor of ".version 8.0".
static unsigned ptxVersionOf(StringRef ptx) {
  StringRef version = ptx.split(".version").second.ltrim().split('\n').first;
  auto [major, minor] = version.trim().split('.');
  unsigned high = 0, low = 0;
  if (major.getAsInteger(10, high) || minor.getAsInteger(10, low))
    return 0;
  return 10 * high + low;
}

/// Writes machine code, and what ptxas says of it, where there is a ptxas.
llvm::Error Packager::addCubins(PackagedVariant &variant,
                                VariantReport &report) {
  if (!ptxas)
    return llvm::Error::success();
  llvm::Expected<Machine> machine = findMachine(variant.chip);
  if (!machine)
    return machine.takeError();
  for (PackagedImage &image : variant.images) {
    llvm::Expected<Assembly> assembly =
        assemble(image.ptx, variant.chip, *ptxas);
    if (!assembly)
      return assembly.takeError();
    addResources(image.module, *assembly, *machine, report.kernels);
    image.cubin = std::move(assembly->cubin);
  }
  return llvm::Error::success();
}

llvm::Error Packager::compileFor(StringRef chip) {
  llvm::Expected<Program> copy = copyProgram();
  if (!copy)
    return copy.takeError();
  CompileOptions compileOptions = options.compile;
  compileOptions.chip = chip.str();
  compileOptions.emit = std::nullopt;
  compileOptions.wantsModule = compileOptions.takesWorkspace = true;
  llvm::Expected<Compilation> compilation = compile(*copy, compileOptions);
  if (!compilation)
    return compilation.takeError();
  notes += compilation->notes;
  if (entry.variants.empty()) {
    auto signature = makeSignature(program, compilation->hostArguments,
                                   compilation->isWritten);
    if (!signature)
      return signature.takeError();
    entry.signature = std::move(*signature);
  }
  PackagedVariant variant;
  variant.chip = chip.str();
  StringRef number = chip.drop_front(3); // "sm_"
  variant.isExact = !llvm::isDigit(number.back());
  number.consumeInteger(10, variant.capability);
  FailureOr<SmallVector<LaunchedKernel>> kernels = failure();
  copy->module = std::move(compilation->module);
  if (llvm::Error error = captureDiagnostics(*copy, notes, [&] {
        kernels = lowerLaunches(*copy->module);
        return success(succeeded(kernels));
      }))
    return error;
  variant.kernels = std::move(*kernels);
  variant.host = {std::move(copy->module), program.name};
  for (KernelBinary &binary : compilation->ptx) {
    variant.ptxVersion =
        std::max(variant.ptxVersion, ptxVersionOf(binary.object));
    variant.images.push_back({binary.module, std::move(binary.object), ""});
  }
  VariantReport report{compilation->schedules, compilation->kernels};
  if (llvm::Error error = addCubins(variant, report))
    return error;
  entry.variants.push_back(std::move(variant));
  reports.push_back(std::move(report));
  return llvm::Error::success();
}

llvm::Expected<HostFunctions> Packager::compileCpu() {
  llvm::Expected<Program> copy = copyProgram();
  if (!copy)
    return copy.takeError();
  llvm::Error error = captureDiagnostics(*copy, notes, [&]() -> LogicalResult {
    MLIRContext *context = copy->module->getContext();
    PassManager toLoops(context), toLLVM(context);
    buildToLoopsPipeline(toLoops, options.compile.order);
    buildLoopsToLLVMPipeline(toLLVM);
    if (failed(toLoops.run(*copy->module)) ||
        failed(placeTemporaries(copy->function())))
      return failure();
    return toLLVM.run(*copy->module);
  });
  if (error)
    return std::move(error);
  return HostFunctions{std::move(copy->module), program.name};
}

/// A device that is newer than all chips needs PTX that is for any.
void Packager::noteLaterDevices() {
  bool coversLater = llvm::any_of(
      entry.variants, [](const auto &variant) { return !variant.isExact; });
  if (!coversLater)
    notes += "the package is for " + llvm::join(options.chips, ", ") +
             " alone; with sm_80 among them it would "
             "run on later devices, too\n";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The folder of libraries that belongs to this program: where it was built, or
/// where it is installed.
static std::string findLibraries() {
  static int anchor;
  SmallString<128> own(llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(own);
  SmallString<128> built(own), installed(own);
  llvm::sys::path::append(built, "..", "lib");
  llvm::sys::path::append(installed, "..", TC_LIBRARY_FOLDER);
  return llvm::sys::fs::exists(installed + "/libtc-runtime.so")
             ? installed.str().str()
             : built.str().str();
}

/// The runtime libraries; false where they are not beside this program.
bool Packager::addRuntime() {
  std::pair<StringRef, StringRef> known[] = {
      {"libtc-runtime.so", "libtc-runtime.so"},
      {"libTCRuntime.a", "libtc-runtime.a"}};
  for (auto [from, to] : known) {
    SmallString<128> path(findLibraries());
    llvm::sys::path::append(path, from);
    auto bytes = readFile(path);
    if (!bytes) {
      notes += "the package is without libtc-runtime: " +
               toString(bytes.takeError()) + "\n";
      return false;
    }
    files[("lib/" + to).str()] = (*bytes)->getBuffer().str();
  }
  return true;
}

llvm::Error Packager::addLibraries() {
  llvm::Expected<std::string> object = compileHostObject(entry, options.host);
  if (!object)
    return object.takeError();
  llvm::Expected<std::string> archive = makeArchive(base() + ".o", *object);
  if (!archive)
    return archive.takeError();
  files["lib/lib" + base() + ".a"] = std::move(*archive);
  files["lib/" + base() + ".o"] = *object;
  llvm::Triple host(getTriple(options.host));
  llvm::Triple own(llvm::sys::getDefaultTargetTriple());
  if (host.getArch() != own.getArch()) {
    notes += "the package is without shared libraries and libtc-runtime, which "
             "have to be built on " +
             host.getArchName().str() + "\n";
    return llvm::Error::success();
  }
  if (!addRuntime())
    return llvm::Error::success();
  llvm::Expected<std::string> linker = findLinker();
  if (!linker) {
    notes += "the package is without a shared library: " +
             toString(linker.takeError()) + "\n";
    return llvm::Error::success();
  }
  std::string name = "lib" + base() + ".so";
  llvm::Expected<std::string> shared =
      linkShared(*linker, *object, name, findLibraries() + "/libtc-runtime.so");
  if (!shared)
    return shared.takeError();
  files["lib/" + name] = std::move(*shared);
  return llvm::Error::success();
}

static constexpr llvm::StringLiteral statusHeader =
#include "tc_status.h.inc"
    ;
static constexpr llvm::StringLiteral runtimeHeader =
#include "tc_runtime.h.inc"
    ;

/// What find_package reads.
static std::string formatConfig(StringRef name) {
  return llvm::formatv(R"(# find_package({0}): the target {0}::{0}.
get_filename_component(_folder "${{CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET {0}::{0})
  find_package(Threads REQUIRED)
  add_library({0}::{0} STATIC IMPORTED)
  set_target_properties({0}::{0} PROPERTIES
    IMPORTED_LOCATION "${{_folder}/lib/lib{0}.a"
    INTERFACE_INCLUDE_DIRECTORIES "${{_folder}/include"
    INTERFACE_LINK_LIBRARIES "${{_folder}/lib/libtc-runtime.so")
endif()
)",
                       name);
}

void Packager::addTexts() {
  files["include/" + base() + ".h"] =
      formatHeader(program.name, {&entry.signature});
  files["include/tc-runtime/tc_status.h"] = statusHeader.str();
  files["include/tc-runtime/tc_runtime.h"] = runtimeHeader.str();
  files["lib/cmake/" + base() + "/" + base() + "-config.cmake"] =
      formatConfig(base());
  for (const PackagedVariant &variant : entry.variants)
    for (const PackagedImage &image : variant.images) {
      files[getImagePath(variant, image) + ".ptx"] = image.ptx;
      if (!image.cubin.empty())
        files[getImagePath(variant, image) + ".cubin"] = image.cubin;
    }
}

llvm::Expected<PackageFiles> Packager::run() {
  if (llvm::Error error = isolateFunction())
    return std::move(error);
  llvm::Expected<std::string> found = findPtxas();
  if (found)
    ptxas = *found;
  else
    notes += "the package is without cubins, so drivers compile its PTX: " +
             toString(found.takeError()) + "\n";
  for (const std::string &chip : options.chips)
    if (llvm::Error error = compileFor(chip))
      return std::move(error);
  noteLaterDevices();
  llvm::Expected<HostFunctions> cpu = compileCpu();
  if (cpu)
    entry.cpu = std::move(*cpu);
  else
    notes += "the package is without a version for the CPU: " +
             toString(cpu.takeError()) + "\n";
  if (llvm::Error error = addLibraries())
    return std::move(error);
  addTexts();
  std::string source;
  llvm::raw_string_ostream(source) << *program.module;
  ManifestInput input{program,
                      source,
                      entry,
                      reports,
                      getTriple(options.host),
                      options.host.cpu.empty() ? "generic" : options.host.cpu};
  files[manifestName.str()] = formatManifest(input, files);
  return std::move(files);
}

llvm::Expected<PackageFiles> makePackage(Program &program,
                                         const PackageOptions &options,
                                         std::string &notes) {
  return Packager(program, options, notes).run();
}

} // namespace mlir::tc
