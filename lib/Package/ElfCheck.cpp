//===- ElfCheck.cpp - Is an ELF file whole? -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfCheck.h"

#include "llvm/Object/ELF.h"

using namespace llvm;

namespace mlir::tc {

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

Error checkElf(StringRef bytes) {
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

} // namespace mlir::tc
