//===- Report.cpp - A simulated time, for people and programs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Trace.h"

#include "tc/Schema/Structure.h"
#include "tc/Target/LaunchTime.h"

#include "llvm/Support/FormatVariadic.h"

namespace tc::emulator {

llvm::StringRef getName(Loss loss) {
  return mlir::tc::schema::getNames<Loss>()[size_t(loss)];
}

void TracedTime::print(llvm::raw_ostream &os) const {
  os << llvm::formatv("simulated time (B) on {0}: {1:F2} us; {2}\n", machine,
                      seconds * 1e6,
                      outside.empty() ? mlir::tc::describeError(error)
                                      : "outside the model: " + outside);
  os << "  cycles of warps:";
  for (unsigned i = 0; i < kLosses; ++i)
    if (losses[i] >= 0.005)
      os << llvm::formatv(" {0} {1:F0} %", getName(Loss(i)), losses[i] * 100);
  os << '\n';
  for (const Line &line : lines)
    os << llvm::formatv("  line {0,5}: {1,4:F1} %, most of it {2}\n", line.line,
                        line.share * 100, getName(line.loss));
}

} // namespace tc::emulator

namespace mlir::tc::schema {
using namespace ::tc::emulator;

template <>
llvm::ArrayRef<llvm::StringLiteral> getNames<Loss>() {
  static constexpr llvm::StringLiteral names[] = {
      "issue", "result", "shared", "global", "barrier",
      "pipe",  "queue",  "others", "branch"};
  static_assert(std::size(names) == kLosses);
  return names;
}

template <>
const Structure<TracedTime::Line> &describe<TracedTime::Line>() {
  using Line = TracedTime::Line;
  static const auto structure =
      Structure<Line>("waiting-line", "An instruction that warps wait at.")
          .member("line", &Line::line, "of the PTX, from 1")
          .member("share", &Line::share, "of the cycles of resident warps")
          .member("loss", &Line::loss, "the largest part of it");
  return structure;
}

static std::map<std::string, double> listLosses(const TracedTime &time) {
  std::map<std::string, double> losses;
  for (unsigned i = 0; i < kLosses; ++i)
    losses[getName(Loss(i)).str()] = time.losses[i];
  return losses;
}

template <>
const Structure<TracedTime> &describe<TracedTime>() {
  using T = TracedTime;
  static const auto structure =
      Structure<T>("traced-time", "A simulated time, level B.")
          .member("machine", &T::machine, "the chip")
          .member(
              "level", [](const T &) { return llvm::StringRef("B"); }, "B")
          .member("seconds", &T::seconds, "simulated, of the launch", "seconds")
          .member("launch_seconds", &T::launchSeconds,
                  "the part that it takes to start a kernel", "seconds")
          .member("cycles", &T::cycles, "of the fullest multiprocessor",
                  "cycles")
          .member("blocks_per_multiprocessor", &T::blocksPerSm,
                  "resident at a time")
          .member("blocks", &T::blocks, "that the fullest multiprocessor runs")
          .member("simulated_blocks", &T::simulatedBlocks,
                  "those of them that were simulated; the others follow")
          .member("simulated_instructions", &T::instructions, "of warps")
          .member("cycles_of_warps", listLosses,
                  "shares of the cycles of resident warps, by cause")
          .member("lines", &T::lines,
                  "at most ten instructions with the largest shares")
          .optional("error", &T::error,
                    "the mean error against published times on that machine, "
                    "as a share, if there are any")
          .optional("outside", &T::outside,
                    "why the result is not to be trusted, if there is a "
                    "reason");
  return structure;
}

} // namespace mlir::tc::schema
