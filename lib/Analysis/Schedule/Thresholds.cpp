//===- Thresholds.cpp - Limits with names of one function -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Thresholds.h"

#include "tc/Analysis/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

LogicalResult Thresholds::read(func::FuncOp function, StringRef path,
                               StringRef chip,
                               ArrayRef<std::string> assignments) {
  if (!path.empty()) {
    llvm::Expected<TuningFile> file = TuningFile::read(path);
    if (!file)
      return function.emitError(toString(file.takeError()));
    for (const auto &[name, value] :
         file->findThresholds(function.getName(), chip))
      settings[name] = {value, ("tuning file '" + path + "'").str()};
  }
  for (StringRef assignment : assignments) {
    auto [name, text] = assignment.split('=');
    int64_t value;
    if (!isLimitName(name) || text.getAsInteger(10, value) || value < 0)
      return function.emitError("expected thresholds as NAME=VALUE, the value "
                                "an integer of at least 0, got '")
             << assignment << "'";
    settings[name] = {value, "thresholds"};
  }
  return success();
}

int64_t Thresholds::get(StringRef name, int64_t defaultLimit) {
  note(name);
  auto set = settings.find(name);
  return set == settings.end() ? defaultLimit : set->second.value;
}

bool Thresholds::isKnown(StringRef name) const {
  return llvm::is_contained(known, name) ||
         llvm::any_of(prefixes, [&](StringRef prefix) {
           return name.consume_front(prefix) && name.consume_front(".") &&
                  llvm::isDigit(name.front());
         });
}

LogicalResult Thresholds::verifyKnown(func::FuncOp function) const {
  SmallVector<StringRef> names(settings.keys());
  llvm::sort(names);
  for (StringRef name : names) {
    if (isKnown(name))
      continue;
    InFlightDiagnostic error = function.emitError()
                               << settings.find(name)->second.source
                               << ": expected a threshold of function '"
                               << function.getName() << "'";
    if (known.empty())
      error << ", which has none";
    else
      error << ", which has '" << llvm::join(known, "', '") << "'";
    return error << ", got '" << name << "'";
  }
  return success();
}
