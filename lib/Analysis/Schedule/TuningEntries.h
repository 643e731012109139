//===- TuningEntries.h - What a tuning file has -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning file as structures. It is written by tc-tune (benchmarks/gpu) and
// merged by people, so that members that only say where an entry came from may
// be missing, and others may be there.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SCHEDULE_TUNINGENTRIES_H
#define TC_LIB_ANALYSIS_SCHEDULE_TUNINGENTRIES_H

#include "tc/Schema/Codec.h"

namespace mlir::tc {

enum class FoundBy { Emulated, Counted, Simulated, Measured };

/// What entries of either kind have.
struct TuningEntry {
  std::string machine;
  int64_t version = 0;
  // Where it came from.
  std::optional<FoundBy> found;
  std::optional<double> seconds;
  std::optional<int64_t> tried;
  std::optional<std::string> commit, device;
};

struct ContractionEntry : TuningEntry {
  std::string contraction; ///< getTuningKey
  std::string schedule;    ///< of iterators by number
  // Where it came from.
  std::optional<int64_t> rank;
  std::optional<std::string> einsum, program;
};

struct FunctionEntry : TuningEntry {
  std::string function;
  std::map<std::string, int64_t> thresholds; ///< limits by name
  std::optional<llvm::json::Value> dataSets; ///< what they were set for
};

enum class TuningFormat { Tuning };

struct TuningEntries {
  TuningFormat format = TuningFormat::Tuning;
  std::vector<std::variant<ContractionEntry, FunctionEntry>> entries;
};

namespace schema {
template <>
const Structure<TuningEntries> &describe();
} // namespace schema

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SCHEDULE_TUNINGENTRIES_H
