//===- Report.h - What was found and counted in a launch --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings of the checks and numbers of the counters, as every interface of
// the emulator hands them out.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_REPORT_H
#define TC_EMULATOR_REPORT_H

#include "tc/Schema/Codec.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::emulator {

/// Extents of a grid or a block, as in a CUDA launch.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// The classes of findings: enumerator, name in reports, and the driver's
/// status for it (CUDA_ERROR_...).
#define TC_FINDING_CLASSES(X)                                                  \
  X(OutOfBounds, "out-of-bounds", ILLEGAL_ADDRESS)                             \
  X(UseAfterFree, "use-after-free", ILLEGAL_ADDRESS)                           \
  X(Misaligned, "misaligned", MISALIGNED_ADDRESS)                              \
  X(Uninitialised, "uninitialised", LAUNCH_FAILED)                             \
  X(Race, "race", LAUNCH_FAILED)                                               \
  X(StreamRace, "stream-race", UNKNOWN)                                        \
  X(SameValue, "same-value", UNKNOWN)                                          \
  X(Barrier, "barrier", LAUNCH_FAILED)                                         \
  X(Deadlock, "deadlock", LAUNCH_TIMEOUT)                                      \
  X(Async, "async", LAUNCH_FAILED)                                             \
  X(Layout, "layout", UNKNOWN)                                                 \
  X(Collective, "collective", LAUNCH_FAILED)                                   \
  X(Assert, "assert", ASSERT)                                                  \
  X(Trap, "trap", LAUNCH_FAILED)                                               \
  X(OutOfMemory, "out-of-memory", OUT_OF_MEMORY)                               \
  X(Leak, "leak", UNKNOWN)

enum class FindingClass {
#define TC_ENUMERATOR(name, text, status) name,
  TC_FINDING_CLASSES(TC_ENUMERATOR)
#undef TC_ENUMERATOR
};

/// The name of a class in reports.
const char *getName(FindingClass what);

/// How bad a finding is. Errors alone make a launch fail.
enum class Severity { Error, Warning, Information };
Severity getSeverity(FindingClass what);
const char *getName(Severity severity);

/// One party to a finding: an instruction, and who ran it.
struct Party {
  uint32_t line = 0;       ///< of the PTX text; 0: not known
  std::string instruction; ///< as written
  std::string source;      ///< "file:line" by .loc, or empty
  std::optional<Dim3> block, thread;
};

/// One finding, at its first occurrence.
struct Finding {

  FindingClass what = FindingClass::Trap;
  std::string kernel;
  std::string text; ///< in full, for people
  Party at;
  std::optional<Party> other; ///< of a race, an overwritten copy, …
  std::optional<uint64_t> address;
  uint64_t count = 1; ///< how often it was seen at these sites
  /// Of what belongs to no launch: the host's calls that led to it, the
  /// innermost first.
  std::vector<std::string> backtrace;
  bool isError() const { return getSeverity(what) == Severity::Error; }
};

/// How closely the instructions of a kernel were executed. Opcodes are with
/// their modifiers.
struct Fidelity {
  uint64_t instructions = 0, exact = 0; ///< lines of the PTX
  bool isHardware = false;   ///< sums of products are those of tensor units
  bool isOfExecuted = false; ///< else of all instructions of the kernel
  /// By the host's functions; sums of products in narrow floating point; that
  /// keep subnormal numbers; registers whose values are the emulator's own.
  std::vector<std::string> approximate, sums, flushed, machine;
};
/// "57 of 60 executed instructions exactly as the PTX document says; ...".
std::string describeFidelity(const Fidelity &fidelity);

struct LaunchCounts;
class LaunchTrace;

/// What is known of one launch after it.
struct LaunchReport {
  std::vector<Finding> findings; ///< each site once
  /// Sites beyond LaunchOptions::findingLimit, which are not among these.
  uint64_t sitesLeftOut = 0;
  std::shared_ptr<const Fidelity> fidelity; ///< null: not known
  uint64_t suppressed = 0; ///< sites with findings that are known
  std::shared_ptr<const LaunchCounts> counts; ///< null unless asked for
  std::string countersText;                   ///< the same for people
  std::shared_ptr<const LaunchTrace> trace;   ///< null unless asked for
  uint64_t blocksRun = 0;
};

/// " (5 times)" where it is more than once.
std::string describeCount(const Finding &finding);
/// A line on the sites that were left out, if any were.
std::string describeRest(const LaunchReport &report);

} // namespace tc::emulator

namespace mlir::tc::schema {
template <>
const Structure<::tc::emulator::Fidelity> &describe();
template <>
const Structure<::tc::emulator::Finding> &describe();
template <>
llvm::ArrayRef<llvm::StringLiteral> getNames<::tc::emulator::FindingClass>();
template <>
llvm::ArrayRef<llvm::StringLiteral> getNames<::tc::emulator::Severity>();

/// Along x, y and z.
template <>
struct Codec<::tc::emulator::Dim3> {
  static void write(llvm::json::OStream &json, ::tc::emulator::Dim3 dim);
  static void describe(llvm::json::OStream &json, Definitions &all);
};
} // namespace mlir::tc::schema

#endif // TC_EMULATOR_REPORT_H
