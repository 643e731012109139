//===- Tuning.cpp - Schedules that were tried before ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Tuning.h"

#include "tc/Analysis/LibraryProduct.h"

#include "tc/Files/Files.h"
#include "tc/Files/Json.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tc;

static constexpr StringLiteral kFormat = "tc-tuning";

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static bool isStatic(const Access &access) {
  return !ShapedType::isDynamic(access.offset) &&
         !ShapedType::isDynamicShape(access.strides);
}

static void writeOperand(raw_ostream &os, Value operand, const Access &access) {
  os << cast<ShapedType>(operand.getType()).getElementType() << '<';
  llvm::interleave(access.strides, os, ",");
  os << '>';
  if (access.offset != 0)
    os << '@' << access.offset;
}

std::optional<std::string> mlir::tc::getTuningKey(ContractOp op,
                                                  const StrideTable &access) {
  std::optional<Scaling> scaling = findScaling(op);
  if (!op.isMultiplyAdd() || !scaling || op.getOutputs().size() != 1 ||
      !op.hasStaticExtents() || !llvm::all_of(access.columns(), isStatic))
    return std::nullopt;
  std::string key;
  llvm::raw_string_ostream os(key);
  for (auto [i, extent] : llvm::enumerate(access.extents))
    os << (i == 0 ? "" : ",") << extent << (access.contracted[i] ? "+" : "");
  for (auto [operand, input] : llvm::zip_equal(op.getInputs(), access.inputs)) {
    os << ' ';
    writeOperand(os, operand, input);
  }
  os << " -> ";
  writeOperand(os, op.getOutput(), access.output());
  if (op.getOverwrite())
    os << " overwrite";
  // By how much makes no difference to what is best.
  if (!op.getEpilogue().empty())
    os << " scaled";
  if (!op.getSides().empty()) {
    os << " plus ";
    writeOperand(os, op.getSides().front(), access.sides.front());
  }
  // Both decide which instructions there are.
  if (std::optional<Type> sum = op.getAccumulator())
    os << " accumulate " << *sum;
  if (std::optional<Precision> precision = op.getPrecision())
    os << " precision " << stringifyPrecision(*precision);
  return key;
}

namespace {
/// Gives iterators other names; fails where one has none.
struct IteratorNames {
  function_ref<StringAttr(StringAttr)> name;
  bool isWhole = true;

  SmallVector<Factor> operator()(ArrayRef<Factor> factors) {
    return llvm::map_to_vector(factors, [&](Factor factor) {
      StringAttr found = name(factor.iterator);
      isWhole &= found != nullptr;
      return Factor{found ? found : factor.iterator, factor.value};
    });
  }
};
} // namespace

/// The schedule with other names; null when a name has none.
static ScheduleAttr rename(ScheduleAttr schedule,
                           function_ref<StringAttr(StringAttr)> name) {
  IteratorNames renamed{name};
  auto staging =
      llvm::map_to_vector(schedule.getStaging(), [&](StagingAttr input) {
        return StagingAttr::get(schedule.getContext(),
                                renamed(input.getStrides()), input.getChunk());
      });
  ScheduleAttr all = schedule.mapLists(renamed).withStaging(staging);
  return renamed.isWhole ? all : ScheduleAttr();
}

static HostScheduleAttr rename(HostScheduleAttr schedule,
                               function_ref<StringAttr(StringAttr)> name) {
  IteratorNames renamed{name};
  auto all = HostScheduleAttr::get(
      schedule.getContext(), renamed(schedule.getBatch()),
      renamed(schedule.getRows()), renamed(schedule.getColumns()),
      renamed(schedule.getSums()), schedule.getVector(), schedule.getDot(),
      schedule.getTile(), schedule.getBlock(), schedule.getTask(),
      schedule.getRowsFrom(), schedule.getColumnsFrom(), schedule.getTasks());
  return renamed.isWhole ? all : HostScheduleAttr();
}

/// With i0, i1, ... for the iterators of `op`.
template <typename Schedule>
static Schedule numberAll(ContractOp op, Schedule schedule) {
  return rename(schedule, [&](StringAttr name) {
    std::optional<unsigned> number = op.findIterator(name.getValue());
    return number ? StringAttr::get(op.getContext(), "i" + Twine(*number))
                  : StringAttr();
  });
}

ScheduleAttr mlir::tc::numberIterators(ContractOp op, ScheduleAttr schedule) {
  return numberAll(op, schedule);
}

HostScheduleAttr mlir::tc::numberIterators(ContractOp op,
                                           HostScheduleAttr schedule) {
  return numberAll(op, schedule);
}

/// The reverse. Null when a name is no number of an iterator.
template <typename Schedule>
static Schedule nameIterators(ContractOp op, Schedule schedule) {
  return rename(schedule, [&](StringAttr name) {
    StringRef text = name.getValue();
    unsigned number = 0;
    if (!text.consume_front("i") || text.getAsInteger(10, number) ||
        number >= op.getNumIterators())
      return StringAttr();
    return StringAttr::get(op.getContext(), op.getIterator(number));
  });
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static llvm::Error expected(const Twine &what) {
  return llvm::createStringError("expected " + what);
}

/// Adds the limits of one function.
llvm::Error TuningFile::addThresholds(const llvm::json::Object &entry,
                                      StringRef chip) {
  std::optional<StringRef> function = entry.getString("function");
  const llvm::json::Object *limits = entry.getObject("thresholds");
  std::optional<int64_t> version = entry.getInteger("version");
  if (!function || !limits || !version)
    return expected("function, version and thresholds in an entry without "
                    "contraction");
  if (*version != kThresholdsVersion)
    return llvm::Error::success();
  Limits &known = thresholds[(chip + " " + *function).str()];
  for (const auto &[name, value] : *limits) {
    std::optional<int64_t> limit = value.getAsInteger();
    if (!isLimitName(name) || !limit || *limit < 0)
      return expected("thresholds of function '" + *function +
                      "' to be integers of at least 0 by names, got '" +
                      StringRef(name) + "': " + llvm::formatv("{0}", value));
    known[name.str()] = *limit;
  }
  return llvm::Error::success();
}

llvm::Error TuningFile::add(const llvm::json::Value &value) {
  const llvm::json::Object *entry = value.getAsObject();
  std::optional<StringRef> machine, contraction, schedule;
  std::optional<int64_t> version;
  if (entry) {
    machine = entry->getString("machine");
    contraction = entry->getString("contraction");
    schedule = entry->getString("schedule");
    version = entry->getInteger("version");
  }
  if (entry && machine && entry->get("function"))
    return addThresholds(*entry, *machine);
  if (!machine || !contraction || !schedule || !version)
    return expected("machine, contraction, version and schedule in each entry, "
                    "or machine, function, version and thresholds");
  int64_t current = schedule->starts_with("#tc.host_schedule")
                        ? kHostTuningVersion
                        : kTuningVersion;
  if (*version == current)
    schedules[(*machine + " " + *contraction).str()] = schedule->str();
  return llvm::Error::success();
}

static llvm::Expected<llvm::json::Value> readEntries(StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return expected("a file that can be read: " + toString(buffer.takeError()));
  llvm::Expected<llvm::json::Value> json = parseJson((*buffer)->getBuffer());
  if (!json)
    return expected("JSON: " + toString(json.takeError()));
  llvm::json::Object *file = json->getAsObject();
  if (!file || file->getString("format").value_or("") != kFormat)
    return expected("an object with format '" + kFormat + "'");
  llvm::json::Value *entries = file->get("entries");
  if (!entries || !entries->getAsArray())
    return expected("an array of entries");
  return std::move(*entries);
}

llvm::Expected<TuningFile> TuningFile::read(StringRef path) {
  TuningFile result;
  auto inFile = [&](llvm::Error error) {
    return llvm::createStringError("tuning file '" + path +
                                   "': " + toString(std::move(error)));
  };
  llvm::Expected<llvm::json::Value> entries = readEntries(path);
  if (!entries)
    return inFile(entries.takeError());
  for (const llvm::json::Value &entry : *entries->getAsArray())
    if (llvm::Error error = result.add(entry))
      return inFile(std::move(error));
  return std::move(result);
}

const std::map<std::string, int64_t> &
TuningFile::findThresholds(StringRef function, StringRef chip) const {
  static const Limits none;
  auto found = thresholds.find((chip + " " + function).str());
  return found == thresholds.end() ? none : found->second;
}

template <typename Schedule>
llvm::Expected<Schedule> TuningFile::findAs(ContractOp op,
                                            const StrideTable &access,
                                            StringRef machine) const {
  std::optional<std::string> key = getTuningKey(op, access);
  if (!key)
    return Schedule();
  auto found = schedules.find((machine + " " + *key).str());
  if (found == schedules.end())
    return Schedule();
  // What the parser has to say is in the sentence, not at a place of its own.
  ScopedDiagnosticHandler quiet(op.getContext(),
                                [](Diagnostic &) { return success(); });
  auto schedule = dyn_cast_if_present<Schedule>(
      parseAttribute(found->second, op.getContext()));
  if (schedule)
    schedule = nameIterators(op, schedule);
  if (!schedule)
    return llvm::createStringError(
        "expected a '#tc." + Schedule::getMnemonic() +
        "<...>' of the iterators i0 to i" + Twine(op.getNumIterators() - 1) +
        ", got '" + found->second + "'");
  return schedule;
}

llvm::Expected<ScheduleAttr> TuningFile::find(ContractOp op,
                                              const StrideTable &access,
                                              StringRef chip) const {
  return findAs<ScheduleAttr>(op, access, chip);
}

llvm::Expected<HostScheduleAttr> TuningFile::findHost(ContractOp op,
                                                      const StrideTable &access,
                                                      StringRef cpu) const {
  return findAs<HostScheduleAttr>(op, access, cpu);
}
