//===- RunProgram.cpp - Programs that make files --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// A file that is gone when this is.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    sys::fs::remove(path);
    sys::DontRemoveFileOnSignal(path);
  }

  /// Makes it, with a name that ends so, and with these contents.
  Error create(StringRef suffix, StringRef contents);
  Expected<std::string> read() const;

  SmallString<128> path;
};
} // namespace

Error TemporaryFile::create(StringRef suffix, StringRef contents) {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  int descriptor;
  if (std::error_code code =
          sys::fs::createTemporaryFile("tc", suffix, descriptor, path))
    return createStringError(code,
                             "cannot make a temporary file in '" + folder +
                                 "' (TMPDIR names another): " + code.message());
  sys::RemoveFileOnSignal(path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error();
  return code ? createStringError(
                    code,
                    "cannot write the temporary file '" + path +
                        "' (TMPDIR names another folder): " + code.message())
              : Error::success();
}

Expected<std::string> TemporaryFile::read() const {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read what a program wrote: " +
                                 buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Checks that the file's tables, and what they point to, lie within it.
static Error checkExtents(const object::ELF64LEFile &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  if (sections->empty())
    return createStringError("it has no sections");
  for (const auto &section : *sections) {
    if (section.sh_type == ELF::SHT_NOBITS || section.sh_type == ELF::SHT_NULL)
      continue;
    auto contents = file.getSectionContents(section);
    if (!contents)
      return contents.takeError();
  }
  auto segments = file.program_headers();
  return segments ? Error::success() : segments.takeError();
}

/// Refuses bytes that are not an ELF file of 64 bits, little-endian, with all
/// of its headers and sections: what programs write may be cut off, by a full
/// disk first of all, and they do not all say so.
static Error checkElf(StringRef bytes) {
  if (bytes.empty())
    return createStringError("it is empty");
  if (!bytes.starts_with(StringRef(ELF::ElfMagic, 4)))
    return createStringError("it does not start as an ELF file does");
  Expected<object::ELF64LEFile> file = object::ELF64LEFile::create(bytes);
  Error error = file ? checkExtents(*file) : file.takeError();
  if (!error)
    return Error::success();
  return createStringError(
      "its " + Twine(bytes.size()) +
      " bytes are not all of it: " + toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// `status` and `message` are those of ExecuteAndWait: -2 for a crash or the
/// end of its time, -1 where it did not start.
static std::string describeEnd(int status, StringRef message, StringRef printed,
                               unsigned seconds) {
  if (status == -2 && message.contains("timed out"))
    return ("it was still running after " + Twine(seconds) +
            " seconds, and was stopped")
        .str();
  std::string text = printed.str();
  if (!message.empty())
    text = text.empty() ? message.str() : (message + ": " + text).str();
  if (text.empty())
    text =
        ("it ended with exit status " + Twine(status) + " and printed nothing")
            .str();
  return text;
}

Expected<std::string> runProgram(StringRef program,
                                 ArrayRef<StringRef> arguments,
                                 StringRef failure, unsigned seconds) {
  TemporaryFile log;
  if (Error error = log.create("log", ""))
    return error;
  SmallVector<StringRef> line{program};
  line.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), log.path, log.path};
  std::string message;
  int status = sys::ExecuteAndWait(program, line, std::nullopt, redirects,
                                   seconds, /*MemoryLimit=*/0, &message);
  Expected<std::string> printed = log.read();
  if (!printed)
    return printed.takeError();
  if (status != 0)
    return createStringError(
        "'" + program + "' " + failure + ": " +
        describeEnd(status, message, StringRef(*printed).trim(), seconds));
  return std::move(*printed);
}

Expected<MadeFile>
makeFile(StringRef program, StringRef inputSuffix, StringRef input,
         StringRef outputSuffix,
         function_ref<SmallVector<StringRef>(StringRef, StringRef)> arguments,
         StringRef failure) {
  TemporaryFile from, to;
  if (Error error = from.create(inputSuffix, input))
    return error;
  if (Error error = to.create(outputSuffix, ""))
    return error;
  MadeFile made;
  if (Error error = runProgram(program, arguments(from.path, to.path), failure)
                        .moveInto(made.printed))
    return error;
  if (Error error = to.read().moveInto(made.bytes))
    return error;
  if (Error error = checkElf(made.bytes))
    return createStringError("'" + program + "' " + failure +
                             ": it ended without an error, and its output is " +
                             "no " + outputSuffix + ": " +
                             toString(std::move(error)));
  return made;
}

} // namespace mlir::tc
