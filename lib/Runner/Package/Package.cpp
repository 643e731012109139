//===- Package.cpp - A program as a package -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of a package from its compiled programs.
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Package.h"

#include "Package/PackageEntry.h"

#include "tc/Files/Files.h"
#include "tc/Package/Libraries.h"
#include "tc/Package/Ptxas.h"
#include "tc/Package/Toolkit.h"

#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// Gathers the files of one package.
class Packager {
public:
  Packager(MutableArrayRef<Program> programs, const PackageOptions &options,
           std::string &notes)
      : programs(programs), options(options), notes(notes) {}

  llvm::Expected<PackageFiles> run();

private:
  llvm::Error chooseName();
  bool hasPtxas();
  llvm::Error compileEntries();
  void noteLaterDevices();
  llvm::Error addLibraries();
  bool addRuntime();
  void addTexts();

  MutableArrayRef<Program> programs;
  const PackageOptions &options;
  std::string &notes;
  std::string base; ///< of names of files: "tc_NAME"
  HostTarget host;  ///< as it was found out
  SmallVector<HostLevel> levels;
  std::vector<PackagedEntry> entries;
  std::vector<EntryReport> reports;
  PackageFiles files;
};
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

llvm::Error Packager::chooseName() {
  if (options.name.empty() && programs.size() != 1)
    return llvm::createStringError(
        "expected a name for a package of several functions (--package-name), "
        "or the name of one function (--name)");
  std::string name =
      options.name.empty() ? programs.front().name : options.name;
  base = "tc_" + name;
  return checkPackageName(name);
}

/// Is there an assembler for the kernels, if there are kernels?
bool Packager::hasPtxas() {
  if (options.chips.empty())
    return false;
  llvm::Expected<std::string> found = findPtxas();
  if (!found)
    notes += "the package is without cubins, so drivers compile its PTX: " +
             toString(found.takeError()) + "\n";
  return bool(found);
}

llvm::Error Packager::compileEntries() {
  bool makesCubins = hasPtxas();
  auto machine = createHostMachine(host);
  if (!machine)
    return machine.takeError();
  levels = findLevels(options.host, **machine);
  for (Program &program : programs) {
    EntryCompiler compiler(program, options, makesCubins, levels, notes);
    if (llvm::Error error = compiler.run())
      return error;
    compiler.entry.description =
        formatDescription(compiler.entry, compiler.report);
    entries.push_back(std::move(compiler.entry));
    reports.push_back(std::move(compiler.report));
  }
  return llvm::Error::success();
}

/// A device that is newer than all chips needs PTX that is for any.
void Packager::noteLaterDevices() {
  bool coversLater =
      llvm::any_of(entries.front().variants,
                   [](const auto &variant) { return !variant.isExact; });
  if (!options.chips.empty() && !coversLater)
    notes += "the package is for " + llvm::join(options.chips, ", ") +
             " alone; with sm_80 among them it would "
             "run on later devices, too\n";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The runtime libraries; false where they are not beside this program.
bool Packager::addRuntime() {
  std::pair<StringRef, StringRef> known[] = {
      {"libtc-runtime.so", "libtc-runtime.so"},
      {"libTCRuntime.a", "libtc-runtime.a"}};
  for (auto [from, to] : known) {
    auto bytes = readFile((findLibraryFolder() + "/" + from).str());
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
  llvm::Expected<std::string> object = compileHostObject(entries, host);
  if (!object)
    return object.takeError();
  if (llvm::Error error = makeArchive(base + ".o", *object)
                              .moveInto(files["lib/lib" + base + ".a"]))
    return error;
  files["lib/" + base + ".o"] = *object;
  llvm::Triple target(host.triple);
  llvm::Triple own(llvm::sys::getDefaultTargetTriple());
  if (target.getArch() != own.getArch()) {
    notes += "the package is without shared libraries and libtc-runtime, which "
             "have to be built on " +
             target.getArchName().str() + "\n";
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
  std::string name = "lib" + base + ".so";
  return linkShared(*linker, *object, name,
                    findLibraryFolder() + "/libtc-runtime.so")
      .moveInto(files["lib/" + name]);
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

/// What pkg-config reads, wherever the package is moved to.
static std::string formatPkgConfig(StringRef name) {
  return llvm::formatv(R"(prefix=${{pcfiledir}/../..

Name: {0}
Description: tensor contractions compiled by tc
Version: {1}
Cflags: -I${{prefix}/include
Libs: -L${{prefix}/lib -l{0} -ltc-runtime
)",
                       name, TC_VERSION);
}

void Packager::addTexts() {
  SmallVector<const Signature *> signatures;
  for (const PackagedEntry &entry : entries)
    signatures.push_back(&entry.signature);
  files["include/" + base + ".h"] =
      formatHeader(StringRef(base).drop_front(3), signatures);
  files["include/tc-runtime/tc_status.h"] = statusHeader.str();
  files["include/tc-runtime/tc_runtime.h"] = runtimeHeader.str();
  files["lib/cmake/" + base + "/" + base + "-config.cmake"] =
      formatConfig(base);
  files["lib/pkgconfig/" + base + ".pc"] = formatPkgConfig(base);
  for (const PackagedEntry &entry : entries)
    for (const PackagedVariant &variant : entry.variants)
      for (const KernelBinary &image : variant.images) {
        files[getImagePath(variant, image) + ".ptx"] = image.ptx;
        if (!image.cubin.empty())
          files[getImagePath(variant, image) + ".cubin"] = image.cubin;
      }
}

llvm::Expected<PackageFiles> Packager::run() {
  if (llvm::Error error = chooseName())
    return std::move(error);
  if (llvm::Error error = resolveHost(options.host).moveInto(host))
    return error;
  if (llvm::Error error = compileEntries())
    return std::move(error);
  noteLaterDevices();
  if (llvm::Error error = addLibraries())
    return std::move(error);
  addTexts();
  files[manifestName.str()] =
      formatManifest(base, entries, reports, host, levels, files);
  return std::move(files);
}

llvm::Expected<PackageFiles> makePackage(MutableArrayRef<Program> programs,
                                         const PackageOptions &options,
                                         std::string &notes) {
  return Packager(programs, options, notes).run();
}

} // namespace mlir::tc
