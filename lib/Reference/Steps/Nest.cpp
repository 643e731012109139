//===- Nest.cpp - One structured op as a loop nest ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Nest.h"

#include "Values/Rounding.h"

#include "tc/Algebra/Lmad.h"
#include "tc/IR/TC.h"
#include "tc/Target/Mma.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Error Nest::addOperand(View view, AffineMap map, Role role) {
  bool isEmpty = false; // it is accessed at no point
  for (auto [extent, inner] : llvm::zip_equal(extents, isInner))
    isEmpty |= extent == 0 && (role == input || !inner);
  if (map.getNumResults() != view.sizes.size())
    return createStringError(
        formatv("expected {0} subscripts for an operand of rank {1}",
                map.getNumResults(), view.sizes.size()));
  if (!ContractOp::isLinear(map))
    return createStringError("expected a linear indexing map");
  SmallVector<int64_t> sizes(extents); // of an output's inner iterators, any
  llvm::replace(sizes, 0, 1);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<Footprint> reach = findRange(expr, sizes);
    if (!reach)
      return createStringError(
          formatv("indexes dimension {0} beyond 64 bits", dim));
    if (!isEmpty && (reach->min < 0 || reach->max >= view.sizes[dim]))
      return createStringError(formatv(
          "reads index {0} of dimension {1}, which has extent {2}",
          reach->min < 0 ? reach->min : reach->max, dim, view.sizes[dim]));
  }
  std::optional<Lmad> access =
      compose(Lmad(view.offset, view.sizes, view.strides), map, extents);
  if (!access)
    return createStringError("indexes a buffer beyond 64 bits");
  operands.push_back({std::move(view), role, /*isRead=*/true, access->offset,
                      access->strides, program.addRegister()});
  return Error::success();
}

Expected<Nest::Elements> Nest::recordAccesses(const Operand &operand,
                                              State &state) const {
  View touched{operand.view.storage, operand.base, {}, {}};
  for (auto [i, extent] : llvm::enumerate(extents))
    if (operand.strides[i] != 0 || extent == 0)
      if (operand.role == input || !isInner[i]) {
        touched.sizes.push_back(extent);
        touched.strides.push_back(operand.strides[i]);
      }
  if (Error error = touched.check())
    return std::move(error);
  Elements elements;
  Error error = Error::success();
  touched.forEach([&](int64_t place) {
    elements.areExact &= touched.at(place).error() == 0;
    elements.quantum =
        std::min<int>(elements.quantum, touched.at(place).quantum);
    elements.largest =
        std::max(elements.largest, std::fabs(touched.at(place).value));
    if (!error && operand.isRead)
      error = state.record(touched, place, Independence::read);
    if (!error && operand.role == output)
      error = state.record(touched, place, Independence::write);
  });
  if (error)
    return std::move(error);
  return elements;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// A box of iterators walked in row-major order, with the position of each
/// operand, relative to the start of the box, kept up to date by additions.
class Walk {
public:
  Walk(ArrayRef<unsigned> iterators, const Nest &nest)
      : iterators(iterators), nest(nest), index(iterators.size(), 0),
        positions(nest.operands.size(), 0) {
    for (unsigned i : iterators)
      left *= nest.extents[i];
  }

  bool isDone() const { return left == 0; }
  int64_t position(unsigned operand) const { return positions[operand]; }

  /// Writes the numbers of its iterators to `point`.
  void getPoint(MutableArrayRef<int64_t> point) const {
    for (auto [i, number] : llvm::zip_equal(iterators, index))
      point[i] = number;
  }

  void advance() {
    --left;
    for (size_t dim = iterators.size(); dim-- != 0;) {
      unsigned i = iterators[dim];
      bool wraps = ++index[dim] == nest.extents[i];
      int64_t steps = wraps ? 1 - nest.extents[i] : 1;
      for (auto [position, operand] : llvm::zip(positions, nest.operands))
        position += steps * operand.strides[i];
      if (!wraps)
        return;
      index[dim] = 0;
    }
  }

private:
  ArrayRef<unsigned> iterators;
  const Nest &nest;
  SmallVector<int64_t> index;
  SmallVector<int64_t> positions;
  int64_t left = 1;
};

/// Points that a table of offsets may have.
constexpr int64_t maxTablePoints = int64_t(1) << 22;

/// The iterators of a nest: the outer ones, the inner ones, and a suffix of
/// these whose points a table of offsets may hold.
struct Split {
  SmallVector<unsigned> outer, inner, table;

  explicit Split(const Nest &nest) {
    int64_t points = 1;
    for (unsigned i = nest.extents.size(); i-- != 0;) {
      SmallVector<unsigned> *part = nest.isInner[i] ? &inner : &outer;
      if (nest.multiplyAdd && part == &inner && inner.empty() &&
          points * nest.extents[i] <= maxTablePoints) {
        points *= nest.extents[i];
        part = &table;
      }
      part->insert(part->begin(), i);
    }
  }
};

/// Sums of products of reals over the points of a table: the offsets of input o
/// there are tables[o].
class ProductSum {
public:
  ProductSum(const Nest &nest, const Split &split, bool isExact)
      : nest(nest), isExact(isExact) {
    for (const Nest::Operand &operand : nest.operands)
      if (operand.role == Nest::input)
        tables.emplace_back();
    for (Walk walk(split.table, nest); !walk.isDone(); walk.advance())
      for (size_t o = 0; o != tables.size(); ++o)
        tables[o].push_back(walk.position(o));
    points = tables.front().size();
    if (tables.size() == 2)
      pack();
  }

  /// Adds to `sum` the products at the table's points, from `positions` on.
  void add(Scalar &sum, function_ref<int64_t(unsigned)> position) const {
    if (!isExact)
      addUncertain(position, sum);
    else if (!packed[0].empty())
      addPairs(&packed[0][position(0)], &packed[1][position(1)], sum);
    else if (tables.size() == 2)
      addPairs(elements(position, 0), elements(position, 1), sum);
    else
      addProducts(position, sum);
  }

  double count() const { return points; }

private:
  const Scalar *elements(function_ref<int64_t(unsigned)> position,
                         unsigned o) const {
    return nest.operands[o].view.storage->elements.data() + position(o);
  }

  /// Copies what is needed of both factors, where their elements are few for
  /// what is done with them.
  void pack() {
    double work = 1, elements = 0;
    for (int64_t extent : nest.extents)
      work *= extent;
    for (unsigned o = 0; o != 2; ++o)
      elements += nest.operands[o].view.storage->elements.size();
    if (work < 4 * elements)
      return;
    for (unsigned o = 0; o != 2; ++o)
      for (const Scalar &x : nest.operands[o].view.storage->elements)
        packed[o].push_back(x.value);
  }

  static double valueOf(const Scalar &x) { return x.value; }
  static double valueOf(double x) { return x; }

  template <typename Number>
  void addPairs(const Number *a, const Number *b, Scalar &sum) const {
    const int64_t *aTable = tables[0].data(), *bTable = tables[1].data();
    double value = sum.value, magnitude = sum.magnitude;
    for (size_t k = 0; k != points; ++k) {
      double product = valueOf(a[aTable[k]]) * valueOf(b[bTable[k]]);
      value += product;
      magnitude += std::fabs(product);
    }
    sum.value = value;
    sum.magnitude = magnitude;
  }

  void addProducts(function_ref<int64_t(unsigned)> position,
                   Scalar &sum) const {
    for (size_t k = 0; k != points; ++k) {
      double product = 1;
      for (size_t o = 0; o != tables.size(); ++o)
        product *= elements(position, o)[tables[o][k]].value;
      sum.value += product;
      sum.magnitude += std::fabs(product);
    }
  }

  /// The same with what the errors of the factors make of each product.
  void addUncertain(function_ref<int64_t(unsigned)> position,
                    Scalar &sum) const {
    ScalarOp exact; // the roundings of all terms are counted at once
    for (size_t k = 0; k != points; ++k) {
      Scalar product = elements(position, 0)[tables[0][k]];
      for (size_t o = 1; o != tables.size(); ++o)
        product = multiply(product, elements(position, o)[tables[o][k]], exact);
      double inherited = product.error();
      sum.value += product.value;
      sum.magnitude += std::fabs(product.value) + inherited;
      sum.inherited += inherited;
    }
  }

  const Nest &nest;
  bool isExact; ///< are all factors?
  std::vector<std::vector<int64_t>> tables;
  size_t points = 0;
  std::vector<double> packed[2];
};

/// One run of a nest.
class NestRun {
public:
  NestRun(const Nest &nest, Nest::Elements terms)
      : nest(nest), terms(terms), split(nest),
        roundingOfTerms(nest.program.roundingOfTerms(nest.accumulators)),
        registers(nest.program.initial()), point(nest.extents.size(), 0) {}

  void run() {
    std::optional<ProductSum> products;
    if (nest.multiplyAdd)
      products.emplace(nest, split, terms.areExact);
    for (Walk outer(split.outer, nest); !outer.isDone(); outer.advance()) {
      for (auto [o, operand] : llvm::enumerate(nest.operands))
        if (operand.role != Nest::input)
          registers[operand.element] = element(o, outer.position(o));
      nest.program.run(ScalarProgram::begin, registers.data());
      for (Walk inner(split.inner, nest); !inner.isDone(); inner.advance())
        if (products)
          addProducts(*products, outer, inner);
        else
          runBody(outer, inner);
      if (products && nest.shortSum)
        cutSum(registers[nest.accumulators.front()]);
      if (products)
        settleRange(registers[nest.accumulators.front()], *nest.multiplyAdd);
      nest.program.run(ScalarProgram::end, registers.data());
      for (auto [o, operand] : llvm::enumerate(nest.operands))
        if (operand.role == Nest::output)
          element(o, outer.position(o)) = registers[operand.result];
    }
  }

private:
  Scalar &element(unsigned o, int64_t position) {
    const Nest::Operand &operand = nest.operands[o];
    return operand.view.at(operand.base + position);
  }

  void addProducts(const ProductSum &products, const Walk &outer,
                   const Walk &inner) {
    Scalar &sum = registers[nest.accumulators.front()];
    products.add(sum, [&](unsigned o) {
      return nest.operands[o].base + outer.position(o) + inner.position(o);
    });
    sum.roundoff = std::max(sum.roundoff, float(roundingOfTerms)) +
                   float(products.count() * nest.multiplyAdd->rounding());
    sum.quantum = int16_t(std::min<int>(sum.quantum, terms.quantum));
    int digits = nest.multiplyAdd->digits;
    sum.digits =
        int16_t(sum.digits ? std::min<int>(sum.digits, digits) : digits);
  }

  /// Adds what a unit may cut off of the sum. See Note [Short sums].
  void cutSum(Scalar &sum) const {
    int bits = int(nest.shortSum->bits);
    double most = std::max(sum.magnitude, terms.largest);
    if (most <= std::ldexp(1.0, bits + sum.quantum))
      return;
    double count = 1;
    for (auto [extent, inner] : llvm::zip_equal(nest.extents, nest.isInner))
      count *= inner ? double(extent) : 1;
    constexpr int64_t atOnce = kTermsOfF8AtOnce;
    constexpr int64_t cuts = kMostTermsOfF8 / atOnce * (atOnce + 2);
    double cut = 2 * count * terms.largest +
                 std::min(double(cuts), 3 * count) * sum.magnitude;
    sum.inherited += std::ldexp(cut, -bits);
  }

  void runBody(const Walk &outer, const Walk &inner) {
    if (!nest.program.indices().empty()) {
      outer.getPoint(point);
      inner.getPoint(point);
      for (auto [iterator, reg] : nest.program.indices())
        registers[reg] = Scalar::ofInteger(point[iterator]);
    }
    for (auto [o, operand] : llvm::enumerate(nest.operands))
      if (operand.role == Nest::input)
        registers[operand.element] =
            element(o, outer.position(o) + inner.position(o));
    nest.program.run(ScalarProgram::body, registers.data());
  }

  const Nest &nest;
  Nest::Elements terms; ///< of a multiply-add: the products
  Split split;
  double roundingOfTerms;
  std::vector<Scalar> registers;
  SmallVector<int64_t> point;
};
} // namespace

Error Nest::run(State &state) {
  Elements products{true, 0, 1};
  for (const Operand &operand : operands) {
    Expected<Elements> elements = recordAccesses(operand, state);
    if (!elements)
      return elements.takeError();
    if (operand.role != input)
      continue;
    products.areExact &= elements->areExact;
    products.quantum = quantumOfProduct(products.quantum, elements->quantum);
    products.largest *=
        shortSum ? std::exp2(std::floor(std::log2(
                       std::max(elements->largest,
                                shortSum->smallest[&operand - &operands[0]]))))
                 : elements->largest;
  }
  NestRun(*this, products).run();
  return Error::success();
}

// Note [Short sums]
// ~~~~~~~~~~~~~~~~~
// A unit adds a few products and the sum so far at once: it aligns them to the
// largest exponent, that of a product being the sum of those of its factors,
// and cuts off what is below the bits that it keeps; and from their sum what is
// below as many bits of that. So each of them loses less than the last bit,
// which is at most 2^-bits of the largest product (the power of two below it),
// or of the absolute values so far, together. In n terms that are added at
// once, zeros apart, these are n + 1 cuts of the first kind and n + 2 of the
// second. The absolute values begin anew with each sum of kMostTermsOfF8 terms,
// which are added to each other in f32, so that all of these together count as
// often as one of them is cut. Nothing is lost where all terms are multiples of
// the last bit.

} // namespace mlir::tc::reference
