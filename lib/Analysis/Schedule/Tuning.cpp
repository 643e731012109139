//===- Tuning.cpp - Schedules that were tried before ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/TuningEntries.h"

#include "tc/Analysis/LibraryProduct.h"
#include "tc/Analysis/Tuning.h"
#include "tc/Files/Files.h"
#include "tc/Schema/Document.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::tc;

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

std::optional<TunableContraction>
mlir::tc::findTunable(ContractOp op, const StrideTable &access) {
  std::optional<std::string> key = getTuningKey(op, access);
  if (!key)
    return std::nullopt;
  TunableContraction tunable;
  tunable.contraction = *key;
  for (unsigned i = 0; i != op.getNumIterators(); ++i)
    tunable.iterators.push_back(op.getIterator(i).str());
  tunable.schedule = llvm::to_string(numberIterators(op, op.getScheduleAttr()));
  return tunable;
}

/// The reverse of numberIterators. Null when a name is no number of an
/// iterator.
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

void TuningFile::add(const ContractionEntry &entry) {
  int64_t current = StringRef(entry.schedule).starts_with("#tc.host_schedule")
                        ? kHostTuningVersion
                        : kTuningVersion;
  if (entry.version == current)
    schedules[entry.machine + " " + entry.contraction] = entry.schedule;
}

void TuningFile::add(const FunctionEntry &entry) {
  if (entry.version != kThresholdsVersion)
    return;
  Limits &known = thresholds[entry.machine + " " + entry.function];
  for (const auto &[name, limit] : entry.thresholds)
    known[name] = limit;
}

llvm::Expected<TuningFile> TuningFile::read(StringRef path) {
  std::string document = ("tuning file '" + path + "'").str();
  auto buffer = readFile(path);
  if (!buffer)
    return llvm::createStringError(
        document +
        ": expected a file that can be read: " + toString(buffer.takeError()));
  auto file = schema::parse<TuningEntries>((*buffer)->getBuffer(), document);
  if (!file)
    return file.takeError();
  TuningFile result;
  for (const auto &entry : file->entries)
    std::visit([&](const auto &one) { result.add(one); }, entry);
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
