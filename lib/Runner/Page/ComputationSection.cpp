//===- ComputationSection.cpp - What a contraction computes ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "tc/Pages/Quantity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace mlir::tc {

double countOperations(const ScheduledContraction &contraction) {
  return 2 * contraction.work.countPoints() * contraction.work.pointOps;
}

double countLeastBytes(const ScheduledContraction &contraction) {
  const Workload &work = contraction.work;
  double bytes = 0;
  for (ArrayRef<Access> arrays :
       {ArrayRef<Access>(work.inputs), ArrayRef<Access>(work.readBack),
        ArrayRef<Access>(work.stored)})
    for (const Access &array : arrays)
      bytes += work.countElements(array) * double(array.bytes);
  return bytes;
}

/// Which inputs vary with an iterator, in the words of contractions.
static std::string describeClass(const StrideTable &access, unsigned i) {
  SmallVector<std::string> inputs;
  for (auto [k, input] : llvm::enumerate(access.inputs))
    if (input.variesWith(i))
      inputs.push_back(std::to_string(k));
  bool isOfAll = inputs.size() == access.inputs.size();
  std::string which = inputs.size() == 1 ? "of input " : "of inputs ";
  which += llvm::join(inputs, ", ");
  if (access.contracted[i])
    return isOfAll ? "contracted" : "contracted, " + which;
  if (inputs.empty())
    return "of the result alone";
  if (isOfAll && inputs.size() > 1)
    return "batch";
  return "free, " + which;
}

static std::string formatExtent(const StrideTable &access, unsigned i) {
  if (!ShapedType::isDynamic(access.extents[i]))
    return std::to_string(access.extents[i]);
  return llvm::formatv("?, nominally {0}", access.nominalExtents[i]);
}

static std::string formatStride(int64_t stride) {
  return ShapedType::isDynamic(stride) ? "?" : std::to_string(stride);
}

namespace {
struct Operand {
  std::string name;
  const Access *access;
};
} // namespace

static SmallVector<Operand> listOperands(const StrideTable &access) {
  SmallVector<Operand> operands;
  auto add = [&](StringRef name, ArrayRef<Access> arrays) {
    for (auto [k, array] : llvm::enumerate(arrays))
      operands.push_back({name.str() + " " + std::to_string(k), &array});
  };
  add("input", access.inputs);
  add("side", access.sides);
  add("result", access.outputs);
  return operands;
}

std::string writeComputation(const ScheduledContraction &contraction) {
  const StrideTable &access = contraction.access;
  SmallVector<Operand> operands = listOperands(access);
  std::vector<HtmlColumn> columns = {{"iterator", HtmlContent::Text},
                                     {"class", HtmlContent::Text},
                                     {"extent"}};
  for (const Operand &operand : operands)
    columns.push_back(
        {operand.name + (operand.access->type
                             ? ", " + llvm::to_string(operand.access->type)
                             : "")});
  std::vector<std::vector<HtmlCell>> rows;
  for (unsigned i = 0; i != access.getNumIterators(); ++i) {
    std::vector<HtmlCell> &row = rows.emplace_back();
    row.push_back(access.names[i]);
    row.push_back(describeClass(access, i));
    row.push_back(formatExtent(access, i));
    for (const Operand &operand : operands) {
      bool varies = operand.access->variesWith(i);
      row.push_back(HtmlCell(
          varies ? formatStride(operand.access->strides[i]) : "", 0, varies));
    }
  }
  double operations = countOperations(contraction);
  double bytes = countLeastBytes(contraction);
  std::string nominal = contraction.isNominal() ? " for nominal extents" : "";
  return "<h3>What is computed</h3>\n"
         "<p class=\"help\">The contraction in normal form: iterators of "
         "extent 1 are dropped, and others merged where all operands allow it. "
         "A number is the stride of an operand along an iterator, in elements; "
         "an operand does not vary along an iterator without one.</p>\n" +
         formatTable(columns, rows) + "<p>" +
         escapeHtml(
             llvm::formatv(
                 "{0} points, {1}; each element moved once is {2}, so {3:f1} "
                 "operations for each byte{4}.",
                 formatQuantity(contraction.work.countPoints(), ""),
                 formatQuantity(operations, "op"), formatQuantity(bytes, "B"),
                 operations / std::max(bytes, 1.0), nominal)
                 .str()) +
         "</p>\n";
}

} // namespace mlir::tc
