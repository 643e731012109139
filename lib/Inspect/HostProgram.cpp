//===- HostProgram.cpp - Run a program on the emulator --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the program, looks at its file, and starts it. What the processes that
// open the driver find comes back by a file that each adds a line to.
//
//===----------------------------------------------------------------------===//

#include "tc/Inspect/HostProgram.h"

#include "tc/Files/Files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

using namespace llvm;

namespace mlir::tc {

namespace {

Error refuse(StartFault fault, const Twine &text) {
  return make_error<StartError>(fault, text.str());
}

/// What the kernel would run for that name.
Expected<std::string> findProgram(StringRef name) {
  if (name.empty())
    return refuse(StartFault::Other, "expected a program to run");
  std::string path = name.str();
  if (!name.contains('/')) {
    ErrorOr<std::string> found = sys::findProgramByName(name);
    std::string hint =
        sys::fs::exists(name) ? ("; did you mean './" + name + "'?").str() : "";
    if (!found)
      return refuse(StartFault::NotFound,
                    "'" + name + "': no such program on PATH" + hint);
    path = *found;
  }
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return refuse(StartFault::NotFound, "'" + path + "': " + code.message());
  if (sys::fs::is_directory(status))
    return refuse(StartFault::NotExecutable,
                  "'" + path + "': expected a program, got a folder");
  if (!sys::fs::can_execute(path))
    return refuse(StartFault::NotExecutable,
                  "'" + path +
                      "': expected a program, got a file that may not "
                      "be executed");
  if (status.permissions() &
      (sys::fs::set_uid_on_exe | sys::fs::set_gid_on_exe))
    return refuse(StartFault::Other,
                  "'" + path +
                      "' changes its user or group when it starts; "
                      "the dynamic linker then takes no other driver");
  return path;
}

/// Whether a dynamic linker loads the program, which alone can be given another
/// driver.
template <typename ELFT>
Expected<bool> hasLinker(const object::ELFFile<ELFT> &file) {
  auto headers = file.program_headers();
  if (!headers)
    return headers.takeError();
  for (const auto &header : *headers)
    if (header.p_type == ELF::PT_INTERP)
      return true;
  return false;
}

/// A file that is no ELF is a script where it begins with #!, and what that
/// names has the driver then.
Error checkFile(StringRef path) {
  auto file = readFile(path);
  if (!file) {
    // It may be executed and not read: it is run as it is.
    consumeError(file.takeError());
    return Error::success();
  }
  StringRef image = (*file)->getBuffer();
  if (image.starts_with("#!"))
    return Error::success();
  if (!image.starts_with("\x7f"
                         "ELF"))
    return refuse(StartFault::NotExecutable,
                  "'" + path +
                      "': expected an ELF program, or a script that "
                      "begins with #!");
  auto object =
      object::ObjectFile::createELFObjectFile((*file)->getMemBufferRef());
  if (!object)
    return refuse(StartFault::NotExecutable,
                  "'" + path + "': " + toString(object.takeError()));
  const auto *elf = dyn_cast<object::ELF64LEObjectFile>(object->get());
  if (!elf)
    return refuse(StartFault::NotExecutable,
                  "'" + path + "': expected a program of 64 bits");
  Expected<bool> linked = hasLinker(elf->getELFFile());
  if (!linked)
    return refuse(StartFault::NotExecutable,
                  "'" + path + "': " + toString(linked.takeError()));
  if (!*linked)
    return refuse(StartFault::Other,
                  "'" + path +
                      "' is linked statically: no dynamic linker "
                      "loads it, so its driver cannot be replaced");
  return Error::success();
}

/// Beside this program, where it was built or where it is installed.
Expected<std::string> findDrivers() {
  static int anchor;
  SmallString<128> own(sys::fs::getMainExecutable(nullptr, &anchor));
  sys::path::remove_filename(own);
  for (StringRef place : {"../lib/tc-emu", "../" TC_LIBRARY_FOLDER "/tc-emu"}) {
    SmallString<128> folder(own);
    sys::path::append(folder, place);
    sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    if (sys::fs::exists(folder + "/libcuda.so.1"))
      return folder.str().str();
  }
  return refuse(StartFault::Other,
                "expected lib/tc-emu/libcuda.so.1 beside '" + own +
                    "'; is the emulator installed as a whole?");
}

/// The environment of this process with some variables set anew, the last time
/// that they are in `set`.
std::vector<std::string>
makeEnvironment(ArrayRef<std::pair<std::string, std::string>> set) {
  std::vector<std::string> all;
  auto isSetIn = [](auto some, StringRef name) {
    return any_of(some, [&](const auto &one) { return one.first == name; });
  };
  for (char **entry = environ; *entry; ++entry)
    if (!isSetIn(set, StringRef(*entry).split('=').first))
      all.push_back(*entry);
  for (auto [i, entry] : enumerate(set))
    if (!isSetIn(set.drop_front(i + 1), entry.first))
      all.push_back(entry.first + "=" + entry.second);
  return all;
}

/// As execve takes them.
std::vector<char *> toPointers(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Leaves ^C to the program, as a shell does, until it ends.
class WithoutInterrupts {
public:
  WithoutInterrupts() {
    for (auto [i, number] : enumerate(numbers))
      before[i] = std::signal(number, SIG_IGN);
  }
  ~WithoutInterrupts() {
    for (auto [i, number] : enumerate(numbers))
      std::signal(number, before[i]);
  }

private:
  static constexpr int numbers[] = {SIGINT, SIGQUIT};
  void (*before[2])(int);
};

/// Starts it with the signals as this process had them, and waits.
Expected<int> spawn(const std::string &path, std::vector<std::string> arguments,
                    std::vector<std::string> environment) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  scope_exit destroy([&] { posix_spawnattr_destroy(&attributes); });
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int number : {SIGINT, SIGQUIT, SIGPIPE})
    sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  WithoutInterrupts quiet;
  pid_t child = 0;
  int failed =
      posix_spawn(&child, path.c_str(), nullptr, &attributes,
                  toPointers(arguments).data(), toPointers(environment).data());
  if (failed)
    return refuse(StartFault::NotExecutable,
                  "cannot start '" + path + "': " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return refuse(StartFault::Other,
                    "cannot wait for '" + path + "': " + std::strerror(errno));
  return status;
}

/// Adds up the lines "PID LAUNCHES ERRORS".
void readSummary(StringRef path, HostProgramResult &result) {
  auto file = readFile(path);
  if (!file)
    return consumeError(file.takeError());
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [process, rest] = line.split(' ');
    auto [launches, errors] = rest.split(' ');
    uint64_t launched = 0, wrong = 0;
    if (launches.getAsInteger(10, launched) || errors.getAsInteger(10, wrong))
      continue;
    ++result.processes;
    result.launches += launched;
    result.errors += wrong;
  }
}

} // namespace

std::string explainRuntime(StringRef program) {
  Expected<std::string> path = findProgram(program);
  if (!path) {
    consumeError(path.takeError());
    return "";
  }
  auto file = readFile(*path);
  if (!file) {
    consumeError(file.takeError());
    return "";
  }
  // Its texts are in a program that is linked with it, even a stripped one.
  StringRef image = (*file)->getBuffer();
  if (image.contains("cudaErrorStreamCaptureImplicit") &&
      !image.contains("libcudart.so"))
    return "it is linked with the static CUDA runtime, which asks NVIDIA's "
           "driver for private tables; link it with -cudart=shared "
           "(docs/Sanitize.md, \"A whole program\")";
  return "";
}

Expected<HostProgramResult> runHostProgram(const HostProgramOptions &options) {
  Expected<std::string> path = findProgram(options.program);
  if (!path)
    return path.takeError();
  if (Error error = checkFile(*path))
    return std::move(error);
  std::string drivers = options.drivers;
  if (drivers.empty())
    if (Error error = findDrivers().moveInto(drivers))
      return std::move(error);
  SmallString<128> summary;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tc-emu", "summary", summary))
    return refuse(StartFault::Other,
                  "cannot make a temporary file: " + code.message());
  FileRemover remove(summary);
  auto environment = options.environment;
  const char *before = getenv("LD_LIBRARY_PATH");
  environment.push_back({"LD_LIBRARY_PATH",
                         before && *before ? drivers + ":" + before : drivers});
  environment.push_back({"TC_EMU_SUMMARY", summary.str().str()});
  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.begin(), options.program);
  Expected<int> status =
      spawn(*path, std::move(arguments), makeEnvironment(environment));
  if (!status)
    return status.takeError();
  HostProgramResult result;
  result.status =
      WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
  if (WIFSIGNALED(*status))
    result.signal = strsignal(WTERMSIG(*status));
  readSummary(summary, result);
  return result;
}

} // namespace mlir::tc
