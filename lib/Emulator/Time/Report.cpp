//===- Report.cpp - A simulated time, for people and programs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Trace.h"

#include "tc/Target/LaunchTime.h"

#include "llvm/Support/FormatVariadic.h"

namespace json = llvm::json;

namespace tc::emulator {

llvm::StringRef getName(Loss loss) {
  constexpr const char *names[kLosses] = {"issue",  "result",  "shared",
                                          "global", "barrier", "pipe",
                                          "queue",  "others",  "branch"};
  return names[unsigned(loss)];
}

json::Object TracedTime::toJson() const {
  json::Object shares;
  for (unsigned i = 0; i < kLosses; ++i)
    shares[getName(Loss(i))] = losses[i];
  json::Array places;
  for (const Line &line : lines)
    places.push_back(json::Object{{"line", line.line},
                                  {"share", line.share},
                                  {"loss", getName(line.loss)}});
  json::Object object{{"machine", machine},
                      {"level", "B"},
                      {"seconds", seconds},
                      {"launch_seconds", launchSeconds},
                      {"cycles", cycles},
                      {"blocks_per_multiprocessor", blocksPerSm},
                      {"blocks", blocks},
                      {"simulated_blocks", simulatedBlocks},
                      {"simulated_instructions", instructions},
                      {"cycles_of_warps", std::move(shares)},
                      {"lines", std::move(places)}};
  if (error > 0)
    object["error"] = error;
  if (!outside.empty())
    object["outside"] = outside;
  return object;
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
