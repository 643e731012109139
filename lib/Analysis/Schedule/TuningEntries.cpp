//===- TuningEntries.cpp - What a tuning file has -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/TuningEntries.h"

#include "tc/Analysis/Tuning.h"
#include "tc/IR/TC.h"
#include "tc/Schema/Document.h"

namespace mlir::tc::schema {

using llvm::StringLiteral;

template <>
ArrayRef<StringLiteral> getNames<FoundBy>() {
  static constexpr StringLiteral names[] = {"emulated", "counted", "simulated",
                                            "measured"};
  return names;
}

template <>
ArrayRef<StringLiteral> getNames<TuningFormat>() {
  static constexpr StringLiteral names[] = {"tc-tuning"};
  return names;
}

namespace {
/// By names that limits may have.
struct Limits : MapCodec<std::map<std::string, int64_t>, NonNegative> {
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          std::map<std::string, int64_t> &limits) {
    if (llvm::Error error = MapCodec::read(from, place, limits))
      return error;
    for (const auto &[name, limit] : limits)
      if (!isLimitName(name))
        return place.error("expected names of limits, got '" + name + "'");
    return llvm::Error::success();
  }
};
} // namespace

template <>
const Structure<TunableContraction> &describe<TunableContraction>() {
  using T = TunableContraction;
  static const auto structure =
      Structure<T>("tunable", "How a tuning file identifies a contraction.")
          .member("contraction", &T::contraction,
                  "its normal form without names")
          .member("version", &T::version, "of the meaning of schedules")
          .member("iterators", &T::iterators,
                  "names, in the order of their numbers")
          .member("schedule", &T::schedule,
                  "the #tc.schedule that was carried out, with iterators by "
                  "number");
  return structure;
}

template <>
const Structure<TuningEntry> &describe<TuningEntry>() {
  using Entry = TuningEntry;
  static const auto structure =
      Structure<Entry>("tuning-entry", "What was found best on a chip or CPU.")
          .member("machine", &Entry::machine,
                  "the chip, or the CPU as LLVM calls it, or its level")
          .member("version", &Entry::version,
                  "of the meaning of schedules, or of the numbers that limits "
                  "are compared with; other versions are passed over")
          .optional("found", &Entry::found, "by what")
          .optional("seconds", &Entry::seconds,
                    "of the winner; of a function, of all data sets", "seconds")
          .optional("tried", &Entry::tried,
                    "how many schedules were tried, or runs made")
          .optional("commit", &Entry::commit, "of the compiler")
          .optional("device", &Entry::device, "that times were measured on");
  return structure;
}

template <>
const Structure<ContractionEntry> &describe<ContractionEntry>() {
  using Entry = ContractionEntry;
  static const auto structure =
      Structure<Entry>("contraction-entry", "The schedule of a contraction.")
          .includeBase<TuningEntry>()
          .member("contraction", &Entry::contraction,
                  "its normal form without names")
          .member("schedule", &Entry::schedule,
                  "a #tc.schedule, or a #tc.host_schedule for a CPU, with "
                  "iterators by number")
          .optional("rank", &Entry::rank, "of the winner in the search")
          .optional("einsum", &Entry::einsum, "that it is of")
          .optional("program", &Entry::program, "that it is of")
          .open();
  return structure;
}

template <>
const Structure<FunctionEntry> &describe<FunctionEntry>() {
  using Entry = FunctionEntry;
  static const auto structure =
      Structure<Entry>("function-entry", "The limits of a function.")
          .includeBase<TuningEntry>()
          .member("function", &Entry::function, "its name")
          .member<Limits>("thresholds", &Entry::thresholds, "limits by name")
          .optional("data_sets", &Entry::dataSets,
                    "what they were set for: for each argument its extents, or "
                    "the number of an index")
          .open();
  return structure;
}

/// The entry of a function has one.
template <>
struct Codec<std::variant<ContractionEntry, FunctionEntry>> {
  using Either = std::variant<ContractionEntry, FunctionEntry>;
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          Either &entry) {
    const llvm::json::Object *object = from.getAsObject();
    if (object && object->get("function"))
      return Codec<FunctionEntry>::read(from, place,
                                        entry.emplace<FunctionEntry>());
    return Codec<ContractionEntry>::read(from, place,
                                         entry.emplace<ContractionEntry>());
  }
  static void write(llvm::json::OStream &json, const Either &entry) {
    std::visit(
        [&](const auto &one) {
          Codec<std::decay_t<decltype(one)>>::write(json, one);
        },
        entry);
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { Codec<ContractionEntry>::describe(json, all); });
      json.object([&] { Codec<FunctionEntry>::describe(json, all); });
    });
  }
};

template <>
const Structure<TuningEntries> &describe<TuningEntries>() {
  static const auto structure =
      Structure<TuningEntries>("tuning-file", "What was found best on chips.",
                               Order::AsDescribed)
          .member("format", &TuningEntries::format, "tc-tuning")
          .member("entries", &TuningEntries::entries,
                  "of contractions and of functions");
  return structure;
}

} // namespace mlir::tc::schema

std::string mlir::tc::formatTuningSchema() {
  return schema::formatSchema<TuningEntries>("tuning file");
}
