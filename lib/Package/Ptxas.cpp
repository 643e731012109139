//===- Ptxas.cpp - PTX text to a cubin ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Ptxas.h"

#include "TemporaryFile.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

#include <optional>

using namespace llvm;

namespace mlir::tc {

const KernelResources *Assembly::find(StringRef kernel) const {
  for (const KernelResources &resources : kernels)
    if (resources.kernel == kernel)
      return &resources;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Finding the program
//===----------------------------------------------------------------------===//

/// bin of every /usr/local/cuda and /usr/local/cuda-VERSION, newest first.
static SmallVector<std::string> installedFolders() {
  SmallVector<std::pair<VersionTuple, std::string>> found;
  std::error_code code;
  for (sys::fs::directory_iterator it("/usr/local", code), end;
       !code && it != end; it.increment(code)) {
    StringRef name = sys::path::filename(it->path());
    VersionTuple version;
    if (name.consume_front("cuda-") && !version.tryParse(name))
      found.push_back({version, it->path() + "/bin"});
  }
  llvm::sort(found,
             [](const auto &a, const auto &b) { return b.first < a.first; });
  SmallVector<std::string> folders{"/usr/local/cuda/bin"};
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
  SmallVector<std::string> folders = installedFolders();
  if (std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME"))
    folders.insert(folders.begin(), *home + "/bin");
  SmallVector<StringRef> places(folders.begin(), folders.end());
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas", places))
    return *program;
  return createStringError(
      "expected NVIDIA's assembler ptxas on the PATH, in $CUDA_HOME/bin, in "
      "/usr/local/cuda*/bin, or named by TC_PTXAS, and found none");
}

//===----------------------------------------------------------------------===//
// Reading the report
//===----------------------------------------------------------------------===//

/// The number that precedes `unit` in `line`, as in "8192 bytes smem"; else 0.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef digits = line.take_front(end).rtrim();
  size_t begin = digits.find_last_not_of("0123456789");
  digits = digits.drop_front(begin == StringRef::npos ? 0 : begin + 1);
  int64_t number = 0;
  digits.getAsInteger(10, number);
  return number;
}

/// The text between the first pair of quotes of `line`.
static StringRef quoted(StringRef line) {
  return line.split('\'').second.split('\'').first;
}

SmallVector<KernelResources> parsePtxasReport(StringRef text) {
  SmallVector<KernelResources> kernels;
  bool isKernel = false; // device functions have properties too
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.contains("Compiling entry function")) {
      kernels.emplace_back();
      kernels.back().kernel = quoted(line).str();
    } else if (kernels.empty()) {
      continue;
    } else if (line.contains("Function properties for")) {
      isKernel = line.rtrim().ends_with(" " + kernels.back().kernel);
    } else if (line.contains("bytes spill stores") && isKernel) {
      kernels.back().stackBytes = numberBefore(line, "bytes stack frame");
      kernels.back().spillBytes = numberBefore(line, "bytes spill stores") +
                                  numberBefore(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      kernels.back().registers = numberBefore(line, "registers");
      kernels.back().sharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

Expected<Assembly> assemble(StringRef ptx, StringRef chip, StringRef program) {
  Expected<TemporaryFile> input = TemporaryFile::create("ptx", ptx);
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::create("cubin", "");
  if (!output)
    return output.takeError();
  Expected<TemporaryFile> log = TemporaryFile::create("log", "");
  if (!log)
    return log.takeError();

  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {program,       arch, "-v",
                           input->path(), "-o", output->path()};
  std::optional<StringRef> redirects[] = {StringRef(), log->path(),
                                          log->path()};
  std::string message;
  int status =
      sys::ExecuteAndWait(program, arguments, std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  Expected<std::string> report = log->read();
  if (!report)
    return report.takeError();
  if (status != 0)
    return createStringError(
        "'" + program + "' did not assemble for " + chip + ": " +
        (message.empty() ? StringRef(*report).trim() : StringRef(message)));
  Expected<std::string> cubin = output->read();
  if (!cubin)
    return cubin.takeError();
  Assembly assembly;
  assembly.cubin = std::move(*cubin);
  assembly.kernels = parsePtxasReport(*report);
  return assembly;
}

} // namespace mlir::tc
