//===- Tuning.h - Schedules that were tried before --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning file names what was found best, by counting or by measuring, on a
// chip or a CPU (docs/Reports.md): the schedule for a contraction, and the
// limits at which a function takes another version of a nest. Contractions are
// the same when their normal forms are, whatever their iterators are called.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TUNING_H
#define TC_ANALYSIS_TUNING_H

#include "tc/Analysis/Access.h"
#include "tc/Schema/Describe.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::tc {

struct ContractionEntry;
struct FunctionEntry;

/// What a schedule is the best of: entries of other versions are passed over.
/// To be raised when schedules come to mean other kernels.
inline constexpr int64_t kTuningVersion = 1;

/// The same of schedules for CPUs.
inline constexpr int64_t kHostTuningVersion = 1;

/// The same of the numbers that limits of tc.threshold are compared with.
inline constexpr int64_t kThresholdsVersion = 1;

/// The normal contraction as text, without names: its extents (`+` behind a
/// contracted one), and of each operand the element type, the strides in
/// elements and the offset; `24,31,12+ f32<0,144,12> f32<12,0,1> ->
/// f32<31,1,0> overwrite`. Nothing for what is no sum of products, or is known
/// at run time only.
std::optional<std::string> getTuningKey(ContractOp op,
                                        const StrideTable &access);

/// `schedule` with its iterators called by their number in `op`: i0, i1, ...
ScheduleAttr numberIterators(ContractOp op, ScheduleAttr schedule);
HostScheduleAttr numberIterators(ContractOp op, HostScheduleAttr schedule);

/// How a file identifies a contraction.
struct TunableContraction {
  std::string contraction; ///< getTuningKey
  int64_t version = kTuningVersion;
  std::vector<std::string> iterators; ///< in the order of their numbers
  std::string schedule;               ///< what it has, by these numbers
};
/// Nothing for what cannot be tuned. `op` has a schedule.
std::optional<TunableContraction> findTunable(ContractOp op,
                                              const StrideTable &access);

/// The entries of a file.
class TuningFile {
public:
  /// Fails with the path and what was expected there.
  static llvm::Expected<TuningFile> read(StringRef path);

  /// The schedule for `op` on `chip`, with the iterators of `op`; null where
  /// there is none. Fails with a sentence when the entry holds no schedule of
  /// this contraction.
  llvm::Expected<ScheduleAttr> find(ContractOp op, const StrideTable &access,
                                    StringRef chip) const;

  /// The same for a CPU, by its name.
  llvm::Expected<HostScheduleAttr>
  findHost(ContractOp op, const StrideTable &access, StringRef cpu) const;

  /// The limits of tc.threshold of `function` on `chip`, by name; empty where
  /// there is no entry.
  const std::map<std::string, int64_t> &findThresholds(StringRef function,
                                                       StringRef chip) const;

private:
  using Limits = std::map<std::string, int64_t>;

  void add(const ContractionEntry &entry);
  void add(const FunctionEntry &entry);
  template <typename Schedule>
  llvm::Expected<Schedule> findAs(ContractOp op, const StrideTable &access,
                                  StringRef machine) const;

  llvm::StringMap<std::string> schedules; ///< by machine, a space, and key
  llvm::StringMap<Limits> thresholds;     ///< by chip, a space, and function
};

/// The JSON Schema of a file.
std::string formatTuningSchema();

namespace schema {
template <>
const Structure<TunableContraction> &describe();
} // namespace schema

} // namespace mlir::tc

#endif // TC_ANALYSIS_TUNING_H
