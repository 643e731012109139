//===- SchemaFlag.h - The flag that prints a schema -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --print-schema of the tools that compile. To be included by one file of a
// tool.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_SCHEMAFLAG_H
#define TC_TOOLS_SCHEMAFLAG_H

#include "ProgramFlags.h"

#include "tc/Runner/Schemas.h"

namespace flags {

using mlir::tc::Document;

inline Choice<Document> schema(
    "print-schema",
    cl::desc("Print the JSON Schema of a document, and do nothing else"),
    cl::values(
        clEnumValN(Document::compilation, "compilation",
                   "the report of tc-compile"),
        clEnumValN(Document::run, "run", "the report of tc-run"),
        clEnumValN(Document::count, "count", "the report of tc-run --count"),
        clEnumValN(Document::batch, "batch", "a line of --batch"),
        clEnumValN(Document::answer, "answer", "the answer to such a line"),
        clEnumValN(Document::operands, "operands", "what --operands takes"),
        clEnumValN(Document::tuning, "tuning", "a tuning file"),
        clEnumValN(Document::manifest, "manifest", "that of a package"),
        clEnumValN(Document::launch, "launch", "what --launch=FILE.json takes"),
        clEnumValN(Document::emulator, "emulator", "the emulator's report")),
    cl::cat(category));

/// Does what --print-schema asks for. Returns whether it asks for anything.
inline bool printSchema() {
  if (schema.getNumOccurrences() == 0)
    return false;
  llvm::outs() << mlir::tc::formatSchema(schema);
  return true;
}

} // namespace flags

#endif // TC_TOOLS_SCHEMAFLAG_H
