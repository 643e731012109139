//===- Nest.cpp - One structured op as a loop nest ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// constant + sum of coefficients[i] * iterator i.
struct LinearForm {
  int64_t constant = 0;
  SmallVector<int64_t> coefficients;

  /// Adds `factor` times `expr`; false when it is not linear.
  bool add(AffineExpr expr, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      coefficients[dim.getPosition()] += factor;
      return true;
    }
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      constant += factor * number.getValue();
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return false;
    if (expr.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), factor) && add(binary.getRHS(), factor);
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul && scale &&
           add(binary.getLHS(), factor * scale.getValue());
  }
};
} // namespace

Error Nest::addOperand(View view, AffineMap map, unsigned input,
                       bool isOutput) {
  Operand operand;
  operand.base = view.offset;
  operand.strides.assign(extents.size(), 0);
  operand.input = input;
  operand.isOutput = isOutput;
  bool isEmpty = llvm::is_contained(extents, 0);
  if (map.getNumResults() != view.sizes.size())
    return createStringError(
        formatv("expected {0} subscripts for an operand of rank {1}",
                map.getNumResults(), view.sizes.size()));
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    LinearForm form{0, SmallVector<int64_t>(extents.size(), 0)};
    if (!form.add(expr, 1))
      return createStringError("expected a linear indexing map");
    int64_t low = form.constant, high = form.constant;
    for (auto [i, coefficient] : llvm::enumerate(form.coefficients)) {
      int64_t reach = coefficient * (extents[i] - 1);
      low += std::min<int64_t>(reach, 0);
      high += std::max<int64_t>(reach, 0);
      operand.strides[i] += coefficient * view.strides[dim];
    }
    operand.base += form.constant * view.strides[dim];
    if (!isEmpty && (low < 0 || high >= view.sizes[dim]))
      return createStringError(
          formatv("reads index {0} of dimension {1}, which has extent {2}",
                  low < 0 ? low : high, dim, view.sizes[dim]));
  }
  operand.view = std::move(view);
  operands.push_back(std::move(operand));
  return Error::success();
}

bool Nest::isContracted(unsigned i) const {
  return llvm::all_of(operands, [&](const Operand &operand) {
    return !operand.isOutput || operand.strides[i] == 0;
  });
}

int64_t Nest::countRoundings() const {
  int64_t terms = 1;
  for (size_t i = 0; i != extents.size(); ++i)
    if (isContracted(i))
      terms *= extents[i];
  int64_t roundings = 0;
  for (const Operand &operand : operands)
    if (operand.isOutput)
      roundings =
          std::max(roundings, terms * body.countRoundings(operand.input, true) +
                                  body.countRoundings(operand.input, false));
  return roundings;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// A box of iterators walked in row-major order, with the position of each
/// operand kept up to date by additions.
class Walk {
public:
  Walk(ArrayRef<unsigned> iterators, const Nest &nest)
      : iterators(iterators), nest(nest), index(iterators.size(), 0) {
    for (unsigned i : iterators)
      left *= nest.extents[i];
    for (const Nest::Operand &operand : nest.operands)
      positions.push_back(operand.base);
  }

  bool isDone() const { return left == 0; }
  int64_t count() const { return left; }
  int64_t position(unsigned operand) const { return positions[operand]; }
  int64_t at(unsigned dim) const { return index[dim]; }

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

/// Points of the inner box, at most this many: each operand has a table of
/// them.
constexpr int64_t maxInnerPoints = int64_t(1) << 22;

/// The iterators: the outer ones, and a suffix of the contracted ones.
struct Split {
  SmallVector<unsigned> outer, inner;
};

/// Adds the products of the inner box to one element of the result.
/// `tables[o]` has the offsets of operand o.
class ProductSum {
public:
  ProductSum(const Nest &nest, const Split &split) : nest(nest) {
    tables.resize(nest.operands.size());
    for (Walk walk(split.inner, nest); !walk.isDone(); walk.advance())
      for (size_t o = 0; o + 1 != nest.operands.size(); ++o)
        tables[o].push_back(walk.position(o) - nest.operands[o].base);
    points = tables.front().size();
  }

  void operator()(const Walk &walk) const {
    unsigned last = nest.operands.size() - 1;
    Scalar &sum = (*nest.operands[last].view.storage)[walk.position(last)];
    sum = last == 2 ? addPairs(walk, sum) : addProducts(walk, sum);
  }

private:
  const Scalar *elements(const Walk &walk, unsigned operand) const {
    return nest.operands[operand].view.storage->data() + walk.position(operand);
  }

  Scalar addPairs(const Walk &walk, Scalar sum) const {
    const Scalar *a = elements(walk, 0), *b = elements(walk, 1);
    const int64_t *aTable = tables[0].data(), *bTable = tables[1].data();
    for (size_t k = 0; k != points; ++k) {
      const Scalar &x = a[aTable[k]], &y = b[bTable[k]];
      sum.value += x.value * y.value;
      sum.magnitude += x.magnitude * y.magnitude;
    }
    return sum;
  }

  Scalar addProducts(const Walk &walk, Scalar sum) const {
    for (size_t k = 0; k != points; ++k) {
      Scalar product{1, 1};
      for (size_t o = 0; o + 1 != tables.size(); ++o) {
        const Scalar &x = elements(walk, o)[tables[o][k]];
        product.value *= x.value;
        product.magnitude *= x.magnitude;
      }
      sum.value += product.value;
      sum.magnitude += product.magnitude;
    }
    return sum;
  }

  const Nest &nest;
  std::vector<std::vector<int64_t>> tables;
  size_t points;
};
} // namespace

void Nest::run() {
  if (llvm::is_contained(extents, 0))
    return;
  Split split;
  int64_t points = 1;
  for (unsigned i = extents.size(); i-- != 0;) {
    if (isMultiplyAdd && isContracted(i) &&
        points * extents[i] <= maxInnerPoints) {
      points *= extents[i];
      split.inner.insert(split.inner.begin(), i);
    } else {
      split.outer.insert(split.outer.begin(), i);
    }
  }
  Walk walk(split.outer, *this);
  if (isMultiplyAdd) {
    for (ProductSum sum(*this, split); !walk.isDone(); walk.advance())
      sum(walk);
    return;
  }
  std::vector<Scalar> registers = body.initial();
  for (; !walk.isDone(); walk.advance()) {
    for (auto [iterator, reg] : body.indices())
      registers[reg] = {double(walk.at(iterator)), double(walk.at(iterator))};
    for (auto [o, operand] : llvm::enumerate(operands))
      registers[operand.input] = (*operand.view.storage)[walk.position(o)];
    body.run(registers.data());
    for (auto [o, operand] : llvm::enumerate(operands))
      if (operand.isOutput)
        (*operand.view.storage)[walk.position(o)] = registers[operand.result];
  }
}

} // namespace mlir::tc::reference
