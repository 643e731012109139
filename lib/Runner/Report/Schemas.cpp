//===- Schemas.cpp - JSON Schemas of all documents ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Schemas.h"

#include "tc/Analysis/Tuning.h"
#include "tc/Emulator/Session.h"
#include "tc/Frontend/EinsumProblem.h"
#include "tc/Inspect/KernelRun.h"
#include "tc/Package/Manifest.h"
#include "tc/Runner/Batch.h"
#include "tc/Runner/Report.h"

namespace mlir::tc {

std::string formatSchema(Document document) {
  switch (document) {
  case Document::compilation:
    return formatCompileSchema();
  case Document::run:
    return formatRunSchema();
  case Document::count:
    return formatCountSchema();
  case Document::batch:
    return formatBatchSchema();
  case Document::answer:
    return formatAnswerSchema();
  case Document::operands:
    return formatOperandsSchema();
  case Document::tuning:
    return formatTuningSchema();
  case Document::manifest:
    return manifest::formatSchema();
  case Document::launch:
    return formatLaunchSchema();
  case Document::emulator:
    return ::tc::emulator::formatReportSchema();
  }
  llvm_unreachable("a document of the list");
}

} // namespace mlir::tc
