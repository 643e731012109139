//===- ScheduleSection.cpp - The schedule by its terms --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "tc/Pages/Quantity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mlir::tc {

static StringRef getMeaning(StringRef key) {
  return llvm::StringSwitch<StringRef>(key)
      .Case("thread", "threads of a block along each iterator, the last one "
                      "fastest in the number of a thread")
      .Case("register", "results of a thread, that many threads apart")
      .Case("step", "terms of the sum that are staged at a time")
      .Case("vector", "neighbours that a thread takes together")
      .Case("split", "parts of the sum, each with blocks of its own; a second "
                     "kernel adds them up")
      .Case("stage", "of each input: strides of its tile in shared memory, and "
                     "elements copied together; or read in place")
      .Case("unroll", "how often a thread's loop over a step is written out")
      .Case("stages", "buffers in shared memory for each input: copies run "
                      "ahead by one step less")
      .Case("resident", "blocks that a multiprocessor is to hold at a time, "
                        "which bounds registers; 1 does not")
      .Case("kernel", "fma: a thread multiplies and adds; mma: a warp does, by "
                      "tensor instructions; library: cuBLASLt is asked")
      .Case("unit", "the tensor instruction, and the lanes of a warp along its "
                    "rows, columns and terms")
      .Default("");
}

static std::string writeKeys(const ScheduledContraction &contraction) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto &[key, value] : contraction.keys)
    rows.push_back({key, value, getMeaning(key)});
  return formatTable({{"term", HtmlContent::Text},
                      {"value", HtmlContent::Text},
                      {"meaning", HtmlContent::Prose}},
                     rows);
}

/// What the schedule comes to, predicted.
static std::string writeCost(const KernelCost &cost, bool isNominal) {
  std::string limiter = stringify(cost.occupancy.limiter).str();
  llvm::replace(limiter, '_', ' ');
  std::vector<std::pair<std::string, std::string>> facts = {
      {"predicted time",
       formatTime(cost.seconds) + (isNominal ? ", for nominal extents" : "") +
           llvm::formatv("; at least {0} by {1}", formatTime(cost.boundSeconds),
                         cost.limiter)
               .str()},
      {"grid", llvm::formatv("blocks: {0:f0}, threads of each: {1}, steps of "
                             "each: {2:f0}",
                             cost.blocks, cost.threads, cost.steps)},
      {"resources", llvm::formatv("{0} registers a thread, {1} bytes of shared "
                                  "memory a block",
                                  cost.registers, cost.sharedBytes)},
      {"occupancy",
       llvm::formatv("{0:f2}, {1} blocks a multiprocessor, limited by {2}",
                     cost.occupancy.fraction, cost.occupancy.blocksPerSm,
                     limiter)},
      {"waves", llvm::formatv("{0:f2}; tail {1:f3} (time of the fullest "
                              "multiprocessor over the average)",
                              cost.waves, cost.tail)},
      {"useful share", llvm::formatv("{0:f3} of the arithmetic is not on tiles "
                                     "that stick out",
                                     cost.usefulShare)}};
  if (cost.combineSeconds > 0)
    facts.push_back({"second kernel", formatTime(cost.combineSeconds) +
                                          " to add up the parts of the sum"});
  return formatFacts(facts);
}

static std::string writeRanked(ArrayRef<RankedSchedule> ranked) {
  std::vector<std::vector<HtmlCell>> rows;
  for (auto [n, one] : llvm::enumerate(ranked)) {
    StringRef text = one.schedule;
    text.consume_front("#tc.schedule<");
    text.consume_back(">");
    rows.push_back({HtmlCell(std::to_string(n + 1), 0, one.isChosen),
                    formatTime(one.cost.seconds), one.cost.limiter,
                    std::to_string(one.cost.registers),
                    llvm::formatv("{0:f2}", one.cost.occupancy.fraction).str(),
                    HtmlCell(text.str(), 0, one.isChosen)});
  }
  bool isChosen = llvm::any_of(
      ranked, [](const RankedSchedule &one) { return one.isChosen; });
  return "<h3>Schedules that rank high</h3>\n<p class=\"help\">Predicted, "
         "best first: of nearly the same time the one that wastes less. " +
         std::string(isChosen ? "The one that is carried out is marked."
                              : "The one that is carried out is none of "
                                "these.") +
         "</p>\n" +
         formatTable({{"rank"},
                      {"time"},
                      {"longest term", HtmlContent::Text},
                      {"registers"},
                      {"occupancy"},
                      {"schedule", HtmlContent::Prose}},
                     rows);
}

std::string writeSchedule(const ScheduledContraction &contraction) {
  std::string section = "<h3>Schedule</h3>\n" + writeKeys(contraction);
  if (contraction.isNominal())
    section += "<p>Extents are dynamic. This is the schedule for large ones; "
               "phase 3 has the versions for others.</p>\n";
  if (contraction.cost)
    section += "<h3>What follows from it</h3>\n" +
               writeCost(*contraction.cost, contraction.isNominal());
  else
    section += "<p>The cost model does not cover it: " +
               std::string(contraction.isOfSum
                               ? "it is one of several contractions that a "
                                 "kernel adds up."
                               : "it has no points, or parts of a dynamic "
                                 "sum.") +
               "</p>\n";
  if (!contraction.ranked.empty())
    section += writeRanked(contraction.ranked);
  return section;
}

} // namespace mlir::tc
