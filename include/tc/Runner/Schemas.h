//===- Schemas.h - JSON Schemas of all documents ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the tools read and write as JSON (docs/Schemas.md).
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_SCHEMAS_H
#define TC_RUNNER_SCHEMAS_H

#include <string>

namespace mlir::tc {

enum class Document {
  compilation, ///< tc-compile --report=json
  run,         ///< tc-run --report=json
  count,       ///< tc-run --count --report=json
  batch,       ///< a line of tc-run --batch
  answer,      ///< the answer to one
  operands,    ///< --operands
  tuning,      ///< --tuning
  manifest,    ///< manifest.json of a package
  launch,      ///< tc-emu kernel --launch=FILE.json
  emulator,    ///< tc-emu --report
};

std::string formatSchema(Document document);

} // namespace mlir::tc

#endif // TC_RUNNER_SCHEMAS_H
