//===- RunProgram.cpp - Programs that make files --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"

#include "TemporaryFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Program.h"

#include <optional>

using namespace llvm;

namespace mlir::tc {

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
  Expected<TemporaryFile> log = TemporaryFile::create("log", "");
  if (!log)
    return log.takeError();
  SmallVector<StringRef> line{program};
  line.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), log->path(),
                                          log->path()};
  std::string message;
  int status = sys::ExecuteAndWait(program, line, std::nullopt, redirects,
                                   seconds, /*MemoryLimit=*/0, &message);
  Expected<std::string> printed = log->read();
  if (!printed)
    return printed.takeError();
  if (status != 0)
    return createStringError(
        "'" + program + "' " + failure + ": " +
        describeEnd(status, message, StringRef(*printed).trim(), seconds));
  return std::move(*printed);
}

} // namespace mlir::tc
