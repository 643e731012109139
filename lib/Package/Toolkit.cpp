//===- Toolkit.cpp - Where NVIDIA's tools lie -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Toolkit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

#include <optional>

using namespace llvm;

namespace mlir::tc {

/// Every /usr/local/cuda and /usr/local/cuda-VERSION, newest first.
static SmallVector<std::string> installedToolkits() {
  SmallVector<std::pair<VersionTuple, std::string>> found;
  std::error_code code;
  for (sys::fs::directory_iterator it("/usr/local", code), end;
       !code && it != end; it.increment(code)) {
    StringRef name = sys::path::filename(it->path());
    VersionTuple version;
    if (name.consume_front("cuda-") && !version.tryParse(name))
      found.push_back({version, it->path()});
  }
  llvm::sort(found,
             [](const auto &a, const auto &b) { return b.first < a.first; });
  SmallVector<std::string> folders{"/usr/local/cuda"};
  for (auto &entry : found)
    folders.push_back(std::move(entry.second));
  return folders;
}

Expected<std::string> findPtxas() {
  if (std::optional<std::string> given = sys::Process::GetEnv("TC_PTXAS")) {
    if (sys::fs::can_execute(*given))
      return *given;
    return createStringError("expected TC_PTXAS to name the program ptxas, "
                             "got '" +
                             *given + "'");
  }
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas"))
    return *program;
  SmallVector<std::string> folders = installedToolkits();
  if (std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME"))
    folders.insert(folders.begin(), *home);
  for (std::string &folder : folders)
    folder += "/bin";
  SmallVector<StringRef> places(folders.begin(), folders.end());
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas", places))
    return *program;
  return createStringError(
      "expected NVIDIA's assembler ptxas on the PATH, in $CUDA_HOME/bin, in "
      "/usr/local/cuda*/bin, or named by TC_PTXAS, and found none");
}

/// The toolkit whose `bin` holds the assembler. Where that is a link into a
/// toolkit elsewhere, both count.
static SmallVector<std::string> toolkitsOfPtxas() {
  std::optional<std::string> ptxas = expectedToOptional(findPtxas());
  if (!ptxas)
    return {};
  SmallVector<std::string> toolkits;
  auto add = [&](StringRef program) {
    toolkits.push_back(
        sys::path::parent_path(sys::path::parent_path(program)).str());
  };
  add(*ptxas);
  SmallString<128> real;
  if (!sys::fs::real_path(*ptxas, real) && real != *ptxas)
    add(real);
  return toolkits;
}

Expected<std::string> findLibdevice() {
  if (std::optional<std::string> given = sys::Process::GetEnv("TC_LIBDEVICE")) {
    if (sys::fs::is_regular_file(*given))
      return *given;
    return createStringError("expected TC_LIBDEVICE to name libdevice.10.bc, "
                             "got '" +
                             *given + "'");
  }
  SmallVector<std::string> toolkits;
  // The names and the order are those of LLVM.
  for (const char *name : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> given = sys::Process::GetEnv(name))
      toolkits.push_back(std::move(*given));
  llvm::append_range(toolkits, toolkitsOfPtxas());
  llvm::append_range(toolkits, installedToolkits());
  SmallVector<std::string> tried;
  for (StringRef toolkit : toolkits) {
    SmallString<128> path(toolkit);
    sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
    if (sys::fs::is_regular_file(path))
      return path.str().str();
    if (!llvm::is_contained(tried, path.str()))
      tried.push_back(path.str().str());
  }
  return createStringError("expected libdevice at " +
                           llvm::join(tried, " or ") +
                           ", or named by TC_LIBDEVICE, and found none");
}

} // namespace mlir::tc
