//===- HostPlan.cpp - How a CPU computes a contraction --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostPlan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::isBare(ContractOp op) {
  return op.getEpilogue().empty() && op.getSides().empty() &&
         op.getOutputs().size() == 1 &&
         op.getElementType() == op.getAccumulatorTypes().front();
}

std::optional<HostParts> mlir::tc::findHostParts(ContractOp op) {
  HostParts parts{op.getAccumulatorTypes().front()};
  if (auto complex = dyn_cast<ComplexType>(parts.type))
    parts = {complex.getElementType(), 2};
  if (parts.type.isF32() || parts.type.isF64())
    return parts;
  // Others, booleans among them, lie closer in vectors than in memory.
  auto integer = dyn_cast<IntegerType>(parts.type);
  if (integer && llvm::is_contained({8, 16, 32, 64}, integer.getWidth()))
    return parts;
  return std::nullopt;
}

Type mlir::tc::findDotType(ContractOp op, const StrideTable &table,
                           int64_t lanes, HostDots dots) {
  Type sum = op.getAccumulatorTypes().front();
  auto areAll = [&](function_ref<bool(Type)> is) {
    return llvm::all_of(table.inputs,
                        [&](const Access &input) { return is(input.type); });
  };
  auto isSmall = [](Type type) {
    return type.isInteger(8) || type.isInteger(16);
  };
  // Instructions have names by these lengths.
  if (!llvm::is_contained({4, 8, 16}, lanes))
    return {};
  if (sum.isF32() && lanes * 32 <= dots.bf16 &&
      areAll([](Type type) { return type.isBF16(); }))
    return BFloat16Type::get(op.getContext());
  if (sum.isInteger(32) && lanes * 32 <= dots.i16 && areAll(isSmall))
    return IntegerType::get(op.getContext(), 16);
  return {};
}

int64_t mlir::tc::getRun(const StrideTable &table, const Access &operand,
                         ArrayRef<unsigned> iterators) {
  int64_t run = 1;
  for (unsigned i : llvm::reverse(iterators)) {
    if (operand.strides[i] != run || ShapedType::isDynamic(table.extents[i]))
      break;
    run *= table.extents[i];
  }
  return run;
}

//===----------------------------------------------------------------------===//
// What fits a contraction
//===----------------------------------------------------------------------===//

using Problem = std::optional<std::string>;

namespace {
/// One list of a schedule.
struct HostClass {
  StringRef name;
  ArrayRef<Factor> iterators;
};
} // namespace

static std::array<HostClass, 4> getClasses(HostScheduleAttr schedule) {
  return {HostClass{"batch", schedule.getBatch()},
          HostClass{"rows", schedule.getRows()},
          HostClass{"columns", schedule.getColumns()},
          HostClass{"sums", schedule.getSums()}};
}

/// Are inner points more than there are?
static bool isPadded(const Factor &factor, int64_t extent) {
  return !ShapedType::isDynamic(extent) && factor.value > extent;
}

/// Is each iterator listed, and are inner points a part of it?
static Problem findListProblem(const StrideTable &table,
                               HostScheduleAttr schedule) {
  llvm::SmallDenseSet<StringRef> listed;
  for (const HostClass &list : getClasses(schedule))
    for (const Factor &factor : list.iterators) {
      StringRef name = factor.iterator.getValue();
      const auto *found = llvm::find(table.names, name);
      if (found == table.names.end())
        return llvm::formatv("expected {0} of the iterators {1}, got '{2}'",
                             list.name, llvm::join(table.names, ", "), name);
      listed.insert(name);
      int64_t extent = table.extents[found - table.names.begin()];
      if (isPadded(factor, extent) && &factor == &schedule.getColumns().back())
        continue;
      if (factor.value != 0 &&
          (ShapedType::isDynamic(extent) || extent % factor.value != 0))
        return llvm::formatv(
            "expected inner points of '{0}' to divide its extent, {1}, got {2}",
            name,
            ShapedType::isDynamic(extent) ? "which is dynamic"
                                          : std::to_string(extent),
            factor.value);
    }
  for (StringRef name : table.names)
    if (!listed.contains(name))
      return llvm::formatv("expected all iterators, got no '{0}'", name);
  return std::nullopt;
}

static SmallVector<unsigned> getNumbers(const StrideTable &table,
                                        ArrayRef<Factor> list) {
  SmallVector<unsigned> numbers;
  for (const Factor &factor : list)
    if (factor.value == 0)
      numbers.push_back(llvm::find(table.names, factor.iterator.getValue()) -
                        table.names.begin());
  return numbers;
}

/// Does what varies with the iterators of each list make it that class?
static Problem findClassProblem(const StrideTable &table,
                                HostScheduleAttr schedule) {
  auto expect = [&](ArrayRef<Factor> list, StringRef what,
                    function_ref<bool(unsigned)> holds) -> Problem {
    for (unsigned i : getNumbers(table, list))
      if (!holds(i))
        return llvm::formatv("expected {0}, got '{1}'", what, table.names[i]);
    return std::nullopt;
  };
  unsigned first = getNumbers(table, schedule.getRows()).front();
  uint64_t rowInput = table.getInputsVarying(first);
  auto variesWith = [&](uint64_t inputs) {
    return [&table, inputs](unsigned i) {
      return !table.contracted[i] && table.getInputsVarying(i) == inputs;
    };
  };
  if (rowInput % 3 == 0)
    return llvm::formatv("expected rows that one input varies with, got '{0}'",
                         table.names[first]);
  if (Problem problem =
          expect(schedule.getRows(), "rows of one input and the result",
                 variesWith(rowInput)))
    return problem;
  if (Problem problem =
          expect(schedule.getColumns(),
                 "columns of the input without rows and of the result",
                 variesWith(3 - rowInput)))
    return problem;
  if (Problem problem =
          expect(schedule.getSums(), "sums over contracted iterators",
                 [&](unsigned i) { return table.contracted[i]; }))
    return problem;
  return expect(schedule.getBatch(),
                "a batch that both inputs vary with, or none", [&](unsigned i) {
                  return !table.contracted[i] &&
                         table.getInputsVarying(i) % 3 == 0;
                });
}

/// May register tiles read the inputs from where the schedule says?
static Problem findSourceProblem(ContractOp op, const StrideTable &table,
                                 HostScheduleAttr schedule, HostParts parts) {
  unsigned rowInput =
      table.getInputsVarying(getNumbers(table, schedule.getRows())[0]) - 1;
  auto find = [&](HostSource source, unsigned input,
                  StringRef what) -> Problem {
    Type type = table.inputs[input].type;
    if (source == HostSource::Panels ||
        (parts.count == 1 && type == parts.type))
      return std::nullopt;
    std::string got;
    llvm::raw_string_ostream(got) << type;
    return llvm::formatv("expected {0} from panels, since elements of {1} are "
                         "no numbers of the accumulator",
                         what, got);
  };
  if (Problem problem = find(schedule.getRowsFrom(), rowInput, "rows"))
    return problem;
  if (Problem problem =
          find(schedule.getColumnsFrom(), 1 - rowInput, "columns"))
    return problem;
  if (schedule.getColumnsFrom() == HostSource::Panels)
    return std::nullopt;
  const Factor &last = schedule.getColumns().back();
  unsigned i =
      llvm::find(table.names, last.iterator.getValue()) - table.names.begin();
  int64_t run = table.inputs[1 - rowInput].strides[i] != 1 ? 1
                : last.value != 0                          ? last.value
                                                           : table.extents[i];
  if (ShapedType::isDynamic(run) || run % schedule.getVector() != 0)
    return llvm::formatv(
        "expected columns from panels, since whole vectors of {0} are no "
        "neighbours along '{1}'",
        schedule.getVector(), last.iterator.getValue());
  return std::nullopt;
}

/// Do the panels and tables of a task fit the stack, where they lie, and panels
/// that all tasks share memory?
static Problem findMemoryProblem(ContractOp op, HostScheduleAttr schedule,
                                 HostParts parts) {
  // Pairs are of numbers half as wide.
  uint64_t bytes = parts.count * parts.type.getIntOrFloatBitWidth() / 8 /
                   uint64_t(schedule.getDot());
  uint64_t sums = schedule.getBlockSums();
  uint64_t ofLine = llvm::SaturatingMultiply(sums, bytes);
  uint64_t rows = 0, columns = 0;
  if (schedule.getRowsFrom() == HostSource::Panels)
    rows = llvm::SaturatingMultiply<uint64_t>(schedule.getBlockRows(), ofLine);
  if (schedule.getColumnsFrom() == HostSource::Panels)
    columns =
        llvm::SaturatingMultiply<uint64_t>(schedule.getBlockColumns(), ofLine);
  // Places of sums in both inputs, and of rows and columns in each other
  // operand: no more than so many, of 8 bytes.
  uint64_t others = op.getOutputs().size() + op.getSides().size();
  uint64_t lines = llvm::SaturatingMultiplyAdd<uint64_t>(
      2, schedule.getBlockColumns(), schedule.getTileRows());
  uint64_t places = llvm::SaturatingMultiplyAdd<uint64_t>(
      others, lines, llvm::SaturatingMultiply<uint64_t>(2, sums));
  uint64_t stack = llvm::SaturatingMultiplyAdd<uint64_t>(places, 8, columns);
  if (schedule.getTasks() == HostTasks::Batch)
    stack = llvm::SaturatingAdd(stack, rows);
  else if (rows > uint64_t(kHostPanelBytes))
    return llvm::formatv("expected a block of rows whose panels take at most "
                         "{0} bytes, got {1}",
                         kHostPanelBytes, rows);
  if (stack > uint64_t(kHostStackBytes))
    return llvm::formatv("expected a block whose panels and tables take at "
                         "most {0} bytes of a task's stack, got {1}",
                         kHostStackBytes, stack);
  return std::nullopt;
}

/// May the innermost columns be counted as more than there are?
static Problem findPaddingProblem(ContractOp op, const StrideTable &table,
                                  HostScheduleAttr schedule, HostParts parts) {
  const Factor &last = schedule.getColumns().back();
  unsigned i =
      llvm::find(table.names, last.iterator.getValue()) - table.names.begin();
  int64_t extent = table.extents[i], vector = schedule.getVector();
  if (!isPadded(last, extent))
    return std::nullopt;
  if (last.value != int64_t(llvm::alignTo(extent, vector)))
    return llvm::formatv("expected the {0} points of '{1}' in whole vectors of "
                         "{2}, got {3} of them",
                         extent, table.names[i], vector, last.value);
  if (schedule.getColumnsFrom() != HostSource::Panels || parts.count != 1 ||
      schedule.getDot() != 1 || !isBare(op) || table.output().strides[i] != 1)
    return llvm::formatv(
        "expected at most the {0} points of '{1}', got {2} of them: only "
        "columns in panels of real numbers, with dot = 1, whose results are "
        "neighbours along it and have no epilogue, can be padded",
        extent, table.names[i], last.value);
  return std::nullopt;
}

Problem mlir::tc::findHostScheduleProblem(ContractOp op,
                                          const StrideTable &table,
                                          HostScheduleAttr schedule,
                                          HostDots dots) {
  if (!op.isMultiplyAdd() || op.getInputs().size() != 2)
    return "expected a sum of products of two inputs";
  std::optional<HostParts> parts = findHostParts(op);
  if (!parts)
    return "expected accumulators of f32, f64, i8, i16, i32 or i64, or complex "
           "ones";
  if (Problem problem = findListProblem(table, schedule))
    return problem;
  if (Problem problem = findClassProblem(table, schedule))
    return problem;
  if (Problem problem = findPaddingProblem(op, table, schedule, *parts))
    return problem;
  if (Problem problem = findSourceProblem(op, table, schedule, *parts))
    return problem;
  if (Problem problem = findMemoryProblem(op, schedule, *parts))
    return problem;
  if (schedule.getDot() != 1 &&
      !findDotType(op, table, schedule.getVector(), dots)) {
    std::string got;
    llvm::raw_string_ostream(got)
        << table.inputs[0].type << " and " << table.inputs[1].type;
    return llvm::formatv("expected dot = 1, since the CPU has no instruction "
                         "that adds up {0} products of {1} in vectors of {2}",
                         schedule.getDot(), got, schedule.getVector());
  }
  if (isBare(op))
    return std::nullopt;
  int64_t sums = 1;
  for (unsigned i : getNumbers(table, schedule.getSums()))
    sums = ShapedType::isDynamic(table.extents[i]) ||
                   llvm::MulOverflow(sums, table.extents[i], sums)
               ? std::numeric_limits<int64_t>::max()
               : sums;
  if (sums > schedule.getBlockSums())
    return llvm::formatv("expected a block of all sums, since a result is more "
                         "than its accumulator, got {0} of them",
                         schedule.getBlockSums());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reading it
//===----------------------------------------------------------------------===//

/// The rows of `table` for a list, in its order.
static SmallVector<unsigned> takeRows(HostBuilder &builder, StrideTable &table,
                                      ArrayRef<Factor> list) {
  llvm::SmallDenseMap<StringAttr, unsigned> inner;
  llvm::SmallDenseSet<StringAttr> padded;
  SmallVector<unsigned> rows;
  auto find = [&](const Factor &factor) -> unsigned {
    return llvm::find(table.names, factor.iterator.getValue()) -
           table.names.begin();
  };
  for (const Factor &factor : list)
    if (isPadded(factor, table.extents[find(factor)])) {
      padded.insert(factor.iterator);
      inner[factor.iterator] = find(factor);
    } else if (factor.value != 0) {
      inner[factor.iterator] =
          splitRow(builder, builder.getLoc(), table, find(factor), factor.value,
                   factor.iterator.str() + ".inner");
    }
  for (const Factor &factor : list)
    if (factor.value != 0)
      rows.push_back(inner[factor.iterator]);
    else if (!padded.contains(factor.iterator)) // which is inside as a whole
      rows.push_back(find(factor));
  return rows;
}

/// Where the innermost columns are neighbours in the result, and the ones round
/// them in the input, panels are packed tile by tile of both.
static void findNeighbours(const StrideTable &table, HostPlan &plan) {
  if (plan.columns.size() < 2 || plan.readsColumns || plan.parts != 1 ||
      plan.dot != 1)
    return;
  unsigned outer = plan.columns.end()[-2], inner = plan.columns.back();
  int64_t read = table.extents[outer],
          written = plan.padded != 0 ? plan.padded : table.extents[inner];
  if (table.inputs[plan.columnInput].strides[outer] != 1 ||
      table.output().strides[inner] != 1 || ShapedType::isDynamic(read) ||
      ShapedType::isDynamic(written) ||
      plan.columnBlock % (read * written) != 0)
    return;
  plan.inputNeighbours = read;
  plan.resultNeighbours = written;
}

HostPlan mlir::tc::readHostSchedule(HostBuilder &builder, ContractOp op,
                                    StrideTable &table,
                                    HostScheduleAttr schedule) {
  HostPlan plan;
  const Factor &last = schedule.getColumns().back();
  unsigned innermost =
      llvm::find(table.names, last.iterator.getValue()) - table.names.begin();
  if (isPadded(last, table.extents[innermost]))
    plan.padded = last.value;
  plan.batch = takeRows(builder, table, schedule.getBatch());
  plan.rows = takeRows(builder, table, schedule.getRows());
  plan.columns = takeRows(builder, table, schedule.getColumns());
  plan.sums = takeRows(builder, table, schedule.getSums());
  plan.rowInput = table.getInputsVarying(plan.rows.front()) - 1;
  plan.columnInput = 1 - plan.rowInput;
  HostParts parts = *findHostParts(op);
  plan.part = parts.type;
  plan.parts = parts.count;
  plan.lanes = schedule.getVector();
  plan.dot = schedule.getDot();
  plan.number = plan.part;
  if (plan.dot != 1)
    plan.number = plan.part.isF32() ? Type(builder.getBF16Type())
                                    : Type(builder.getIntegerType(16));
  plan.vectors = schedule.getTileColumns() / plan.lanes;
  plan.rowTile = schedule.getTileRows();
  plan.depth = schedule.getBlockSums();
  plan.rowBlock = schedule.getBlockRows();
  plan.columnBlock = schedule.getBlockColumns();
  plan.rowGroup = schedule.getTask();
  plan.readsRows = schedule.getRowsFrom() == HostSource::Memory;
  plan.readsColumns = schedule.getColumnsFrom() == HostSource::Memory;
  plan.sharesBatch = schedule.getTasks() == HostTasks::Batch;
  findNeighbours(table, plan);
  return plan;
}
