//===- Roofs.cpp - The roofline of a kernel by its terms ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A term of the cost model and one of the counted time have the same names and
// amounts, so either kind of time gives a row. Operations are those of the unit
// that is busy longest, in whole warps: two for each lane of a multiply-add, as
// its peak counts them.
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "tc/Analysis/Requests.h"
#include "tc/Pages/Quantity.h"

#include <cmath>

using namespace mlir;

namespace mlir::tc {

namespace {
/// What both kinds of terms have.
struct Term {
  StringRef name;
  double amount, perSecond, seconds;
};
} // namespace

template <typename Terms>
static SmallVector<Term> listTerms(Terms &terms) {
  SmallVector<Term> list;
  for (auto &term : terms)
    list.push_back({term.name, term.amount, term.perSecond, term.seconds});
  return list;
}

/// The slopes, by the names of their terms, and bytes of one of its amount.
static constexpr std::pair<llvm::StringLiteral, int64_t> levels[] = {
    {"dram", 1}, {"l2", 1}, {"shared", kBanks * kBankBytes}};

/// The unit of arithmetic that is busy longest; that of integers, which most
/// kernels have for indices, only where there is no other.
static const Term *findArithmetic(ArrayRef<Term> terms) {
  const Term *found = nullptr, *integers = nullptr;
  for (const Term &term : terms) {
    if (term.amount == 0 || term.perSecond == 0)
      continue;
    if (term.name == "integer")
      integers = &term;
    bool isUnit = term.name == "tensor" || term.name.contains("mma.") ||
                  term.name == "f32" || term.name == "f64" ||
                  term.name == "f16";
    if (isUnit && (!found || term.seconds > found->seconds))
      found = &term;
  }
  return found ? found : integers;
}

static void addRow(Roofline &roofline, RoofMark mark, StringRef kind,
                   ArrayRef<Term> terms, double seconds) {
  const Term *unit = findArithmetic(terms);
  if (!unit || !std::isfinite(seconds) || seconds <= 0)
    return;
  RoofRow row;
  row.mark = mark;
  row.operations = 2 * unit->amount;
  row.perSecond = row.operations / seconds;
  row.label = kind.str() + ", " + formatTime(seconds) + ", " +
              formatQuantity(row.perSecond, "op/s");
  for (const auto &level : levels) {
    const Term *term = llvm::find_if(
        terms, [&](const Term &term) { return term.name == level.first; });
    row.bytes.push_back(
        term == terms.end() ? 0 : term->amount * double(level.second));
  }
  roofline.rows.push_back(std::move(row));
}

/// The ceiling of the unit that `terms` keep busy, each once; and what lanes
/// would reach beside a tensor unit.
static void addCeilings(Roofline &roofline, ArrayRef<Term> terms,
                        const Machine &machine) {
  const Term *unit = findArithmetic(terms);
  if (!unit)
    return;
  auto add = [&](StringRef name, double perSecond) {
    for (const RoofCeiling &known : roofline.ceilings)
      if (std::abs(known.perSecond - perSecond) < 1e-3 * perSecond)
        return;
    roofline.ceilings.push_back({name.str(), perSecond});
  };
  add(unit->name, 2 * unit->perSecond);
  if (unit->name.ends_with("f64") && unit->name != "f64")
    add("f64", machine.f64Flops());
  else if (unit->name == "tensor" || unit->name.contains("mma."))
    add("f32", machine.f32Flops());
}

/// The point at which the problem would lie if it moved each element once, and
/// nothing but the unit or the memory took time.
static void addFloor(Roofline &roofline,
                     const ScheduledContraction &contraction,
                     const Machine &machine) {
  double bytes = countLeastBytes(contraction);
  double operations = countOperations(contraction);
  double most = 0;
  for (const RoofCeiling &ceiling : roofline.ceilings)
    most = std::max(most, ceiling.perSecond);
  if (bytes <= 0 || operations <= 0 || most <= 0)
    return;
  double rate = std::min(most, operations / bytes * machine.dramBytesPerSecond);
  RoofRow row;
  row.mark = RoofMark::Floor;
  row.operations = operations;
  row.perSecond = rate;
  row.label = "floor, " + formatTime(operations / rate) + ", " +
              formatQuantity(rate, "op/s");
  row.bytes = {bytes};
  roofline.rows.push_back(std::move(row));
}

Roofline makeRoofline(const PageKernel &kernel, const Machine &machine) {
  Roofline roofline;
  roofline.slopes = {{"dram", machine.dramBytesPerSecond},
                     {"l2", machine.l2BytesPerSecond},
                     {"shared", machine.sharedBytesPerSecond()}};
  if (kernel.counted) {
    SmallVector<Term> terms = listTerms(kernel.counted->time.terms);
    addCeilings(roofline, terms, machine);
    addRow(roofline, RoofMark::Counted, "counted", terms,
           kernel.counted->time.seconds);
    if (kernel.counted->simulated)
      addRow(roofline, RoofMark::Simulated, "simulated", terms,
             kernel.counted->simulated->seconds);
  }
  if (const KernelCost *cost = kernel.getCost()) {
    SmallVector<Term> terms = listTerms(cost->terms);
    addCeilings(roofline, terms, machine);
    addRow(roofline, RoofMark::Predicted, "predicted", terms,
           cost->launch.seconds);
  }
  if (kernel.contraction && !roofline.rows.empty())
    addFloor(roofline, *kernel.contraction, machine);
  return roofline;
}

} // namespace mlir::tc
