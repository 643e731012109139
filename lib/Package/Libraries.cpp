//===- Libraries.cpp - An object as libraries -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static libraries come from LLVM's archive writer, in its deterministic form;
// shared ones from a linker, which is a program.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Libraries.h"

#include "RunProgram.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <optional>

using namespace llvm;

namespace mlir::tc {

Expected<std::string> makeArchive(StringRef member, StringRef object) {
  SmallVector<NewArchiveMember> members;
  members.emplace_back(MemoryBufferRef(object, member));
  auto buffer = writeArchiveToBuffer(members, SymtabWritingMode::NormalSymtab,
                                     object::Archive::K_GNU,
                                     /*Deterministic=*/true, /*Thin=*/false);
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

Expected<std::string> findLinker() {
  if (std::optional<std::string> given = sys::Process::GetEnv("TC_LINKER")) {
    if (sys::fs::can_execute(*given))
      return *given;
    return createStringError("expected TC_LINKER to name a linker, got '" +
                             *given + "'");
  }
  // A wheel has one beside this program.
  std::string self = sys::fs::getMainExecutable(nullptr, nullptr);
  if (ErrorOr<std::string> program =
          sys::findProgramByName("ld.lld", sys::path::parent_path(self)))
    return *program;
  for (StringRef name : {"ld.lld-22", "ld.lld", "ld"})
    if (ErrorOr<std::string> program = sys::findProgramByName(name))
      return *program;
  return createStringError("expected a linker (ld.lld or ld) on the PATH, or "
                           "named by TC_LINKER, and found none");
}

Expected<std::string> linkShared(StringRef linker, StringRef object,
                                 StringRef name, StringRef runtime) {
  auto arguments = [&](StringRef input, StringRef output) {
    return SmallVector<StringRef>{
        "-shared", "-soname", name,  "--build-id=none",
        "-rpath",  "$ORIGIN", "-z",  "now",
        "-o",      output,    input, runtime};
  };
  Expected<MadeFile> made = makeFile(linker, "o", object, "library", arguments,
                                     ("did not link " + name).str());
  if (!made)
    return made.takeError();
  return std::move(made->bytes);
}

} // namespace mlir::tc
