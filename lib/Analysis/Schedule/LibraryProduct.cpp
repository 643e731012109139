//===- LibraryProduct.cpp - Contractions that a library computes ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iterator of each class at most is rows, columns, terms or batch of the
// product; where none is of the batch by its class, one of rows or columns may
// be. Libraries store matrices by columns, so a result whose rows are dense is
// the transpose of what they compute: the inputs change places.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/LibraryProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

using Number = std::complex<double>;

namespace {
/// `sum * ofSum + side * ofSide + constant`.
struct ScaledForm {
  Number ofSum, ofSide, constant;

  bool isConstant() const { return ofSum == 0.0 && ofSide == 0.0; }
  ScaledForm operator+(const ScaledForm &other) const {
    return {ofSum + other.ofSum, ofSide + other.ofSide,
            constant + other.constant};
  }
  ScaledForm operator*(Number factor) const {
    return {ofSum * factor, ofSide * factor, constant * factor};
  }
};
} // namespace

using MaybeForm = std::optional<ScaledForm>;

static std::optional<Number> getConstantNumber(Value value) {
  FloatAttr real;
  if (matchPattern(value, m_Constant(&real)))
    return Number(real.getValueAsDouble());
  auto constant = value.getDefiningOp<complex::ConstantOp>();
  if (!constant)
    return std::nullopt;
  auto part = [&](unsigned i) {
    return cast<FloatAttr>(constant.getValue()[i]).getValueAsDouble();
  };
  return Number(part(0), part(1));
}

static MaybeForm multiply(MaybeForm a, MaybeForm b) {
  if (!a || !b || (!a->isConstant() && !b->isConstant()))
    return std::nullopt;
  return a->isConstant() ? *b * a->constant : *a * b->constant;
}

static MaybeForm add(MaybeForm a, MaybeForm b, Number ofSecond) {
  if (!a || !b)
    return std::nullopt;
  return *a + *b * ofSecond;
}

/// What `value` of an epilogue is, of its arguments.
static MaybeForm getScaledForm(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isSum = argument.getArgNumber() == 0;
    return ScaledForm{isSum ? 1.0 : 0.0, isSum ? 0.0 : 1.0, 0};
  }
  if (std::optional<Number> constant = getConstantNumber(value))
    return ScaledForm{0, 0, *constant};
  auto operand = [&](unsigned i) {
    return getScaledForm(value.getDefiningOp()->getOperand(i));
  };
  return TypeSwitch<Operation *, MaybeForm>(value.getDefiningOp())
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return operand(0); })
      .Case<arith::MulFOp, complex::MulOp>(
          [&](auto) { return multiply(operand(0), operand(1)); })
      .Case<arith::AddFOp, complex::AddOp>(
          [&](auto) { return add(operand(0), operand(1), 1); })
      .Case<arith::SubFOp, complex::SubOp>(
          [&](auto) { return add(operand(0), operand(1), -1); })
      .Case<arith::NegFOp, complex::NegOp>(
          [&](auto) { return add(ScaledForm(), operand(0), -1); })
      .Default(std::nullopt);
}

std::optional<Scaling> mlir::tc::findScaling(ContractOp op) {
  if (op.getEpilogue().empty())
    return Scaling();
  Block &block = op.getEpilogue().front();
  Operation *yield = block.getTerminator();
  if (op.getSides().size() > 1 || yield->getNumOperands() != 1)
    return std::nullopt;
  MaybeForm form = getScaledForm(yield->getOperand(0));
  if (!form || form->constant != 0.0)
    return std::nullopt;
  return Scaling{form->ofSum, form->ofSide};
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

namespace {
/// The iterators of a product; none has the extent 1.
struct Roles {
  std::optional<unsigned> row, column, term, batch;
};

/// Tries to see one contraction as a product.
class ProductFinder {
public:
  ProductFinder(ContractOp op, const StrideTable &access)
      : op(op), access(access) {}

  std::optional<LibraryProduct> find();
  std::string problem;

private:
  bool refuse(const Twine &why) {
    problem = ("expected a batched matrix product, got " + why).str();
    return false;
  }
  bool checkOp();
  bool checkTypes();
  bool findScales();
  bool sortIterators();
  SmallVector<Roles> listRoles() const;
  std::optional<LibraryProduct> lay(const Roles &roles, bool swapped);
  std::optional<int64_t> findLeading(const Access &matrix,
                                     std::optional<unsigned> dense,
                                     std::optional<unsigned> other) const;
  int64_t extent(std::optional<unsigned> i) const {
    return i ? access.extents[*i] : 1;
  }

  ContractOp op;
  const StrideTable &access;
  SmallVector<unsigned> rows, columns, terms, batches;
  Number alpha, beta;
  Value c;
  const Access *ofC = nullptr;
};
} // namespace

bool ProductFinder::checkOp() {
  if (!op.isMultiplyAdd() || op.getInputs().size() != 2 ||
      op.getOutputs().size() != 1)
    return refuse(
        "a contraction that is not the sum of products of two inputs");
  auto isStatic = [](const Access &column) {
    return !ShapedType::isDynamicShape(column.strides);
  };
  if (!access.hasKnownPoints() || !llvm::all_of(access.columns(), isStatic))
    return refuse("dynamic extents or strides, or an extent of 0");
  for (AffineMap map : op.getMaps())
    if (!map.isProjectedPermutation())
      return refuse("subscripts that are not iterators");
  return checkTypes();
}

bool ProductFinder::checkTypes() {
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value); };
  Type factor = elementOf(op.getInputs()[0]),
       result = elementOf(op.getOutput());
  Type number = factor;
  if (auto complex = dyn_cast<ComplexType>(number))
    number = complex.getElementType();
  bool isHalf = isa<Float16Type, BFloat16Type>(factor);
  bool isKnown = isHalf || isa<Float32Type, Float64Type>(number);
  if (!isKnown || elementOf(op.getInputs()[1]) != factor ||
      (result != factor && !(isHalf && result.isF32()))) {
    std::string types;
    llvm::raw_string_ostream(types)
        << factor << " times " << elementOf(op.getInputs()[1]) << " into "
        << result;
    return refuse(types);
  }
  Type sum = op.getAccumulatorTypes().front();
  if (isHalf ? !sum.isF32() : sum != factor)
    return refuse("sums of another type than a library has");
  return true;
}

bool ProductFinder::findScales() {
  std::optional<Scaling> scaling = findScaling(op);
  if (!scaling || (!op.getOverwrite() && !op.getSides().empty()))
    return refuse("an epilogue that does more than alpha * sum + beta * C");
  alpha = scaling->ofSum;
  beta = op.getOverwrite() ? scaling->ofSide : alpha;
  c = op.getOutput();
  ofC = &access.output();
  if (op.getSides().empty() || beta == 0.0)
    return true;
  c = op.getSides().front();
  ofC = &access.sides.front();
  if (getElementTypeOrSelf(c) != getElementTypeOrSelf(op.getOutput()))
    return refuse("a C of another type than the result");
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (access.extents[i] != 1 && !op.isContracted(i) && !ofC->variesWith(i))
      return refuse("a C that does not vary with '" + op.getIterator(i) + "'");
  return true;
}

bool ProductFinder::sortIterators() {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    if (access.extents[i] == 1)
      continue;
    bool inA = op.variesWith(op.getInputMap(0), i);
    bool inB = op.variesWith(op.getInputMap(1), i);
    StringRef name = op.getIterator(i);
    if (op.isContracted(i) && !(inA && inB))
      return refuse("'" + name + "', which is contracted in one input");
    if (!inA && !inB)
      return refuse("'" + name + "', which no input varies with");
    (op.isContracted(i) ? terms
     : inA && inB       ? batches
     : inA              ? rows
                        : columns)
        .push_back(i);
  }
  auto report = [&](StringRef kind, ArrayRef<unsigned> all) {
    return refuse("'" + op.getIterator(all[0]) + "' and '" +
                  op.getIterator(all[1]) + "', which are both " + kind);
  };
  if (terms.size() > 1)
    return report("contracted", terms);
  if (batches.size() > 1)
    return report("of the batch", batches);
  size_t most = batches.empty() ? 2 : 1;
  if (rows.size() > most || (rows.size() > 1 && columns.size() > 1))
    return report("rows", rows);
  if (columns.size() > most)
    return report("columns", columns);
  return true;
}

/// How far columns lie apart where neighbours along `dense` are neighbours in
/// memory, and a column is a place of `other`.
std::optional<int64_t>
ProductFinder::findLeading(const Access &matrix, std::optional<unsigned> dense,
                           std::optional<unsigned> other) const {
  if (dense && matrix.strides[*dense] != 1)
    return std::nullopt;
  int64_t leading = other ? matrix.strides[*other] : extent(dense);
  if (leading < extent(dense))
    return std::nullopt;
  return leading;
}

std::optional<LibraryProduct> ProductFinder::lay(const Roles &roles,
                                                 bool swapped) {
  unsigned first = swapped ? 1 : 0;
  std::optional<unsigned> m = swapped ? roles.column : roles.row;
  std::optional<unsigned> n = swapped ? roles.row : roles.column;
  auto strideOf = [&](const Access &matrix) {
    return roles.batch ? matrix.strides[*roles.batch] : 0;
  };
  const Access &a = access.inputs[first], &b = access.inputs[1 - first];
  const Access &d = access.output();
  LibraryProduct product{
      op.getInputs()[first],
      op.getInputs()[1 - first],
      c,
      op.getOutput(),
      {extent(m), extent(n), extent(roles.term), extent(roles.batch)},
      {},
      {strideOf(a), strideOf(b), strideOf(*ofC), strideOf(d)},
      {false, false},
      alpha,
      beta};
  std::optional<int64_t> ofA = findLeading(a, m, roles.term);
  std::optional<int64_t> ofB = findLeading(b, roles.term, n);
  std::optional<int64_t> lastC = findLeading(*ofC, m, n);
  std::optional<int64_t> ofD = findLeading(d, m, n);
  if (!ofA) {
    ofA = findLeading(a, roles.term, m);
    product.transposed[0] = true;
  }
  if (!ofB) {
    ofB = findLeading(b, n, roles.term);
    product.transposed[1] = true;
  }
  if (!ofA || !ofB || !lastC || !ofD)
    return std::nullopt;
  product.leading = {*ofA, *ofB, *lastC, *ofD};
  auto fits = [](int64_t number) {
    return number >= 0 && number <= std::numeric_limits<int32_t>::max();
  };
  bool isUpwards =
      llvm::all_of(product.strides, [](int64_t stride) { return stride >= 0; });
  if (!isUpwards || !llvm::all_of(product.extents, fits) ||
      !llvm::all_of(product.leading, fits))
    return std::nullopt;
  return product;
}

/// Where no iterator is of the batch, a row or a column may be.
SmallVector<Roles> ProductFinder::listRoles() const {
  auto only = [](ArrayRef<unsigned> all,
                 unsigned without) -> std::optional<unsigned> {
    const auto *found =
        llvm::find_if(all, [&](unsigned i) { return i != without; });
    return found == all.end() ? std::nullopt : std::optional(*found);
  };
  auto take = [&](std::optional<unsigned> batch) {
    unsigned without = batch.value_or(access.getNumIterators());
    return Roles{only(rows, without), only(columns, without),
                 only(terms, without), batch};
  };
  SmallVector<Roles> all;
  if (rows.size() <= 1 && columns.size() <= 1)
    all.push_back(take(only(batches, access.getNumIterators())));
  if (!batches.empty())
    return all;
  for (auto [many, few] :
       {std::pair(&rows, &columns), std::pair(&columns, &rows)})
    if (few->size() <= 1)
      for (unsigned i : *many)
        all.push_back(take(i));
  return all;
}

std::optional<LibraryProduct> ProductFinder::find() {
  if (!checkOp() || !findScales() || !sortIterators())
    return std::nullopt;
  for (const Roles &choice : listRoles())
    for (bool swapped : {true, false})
      if (std::optional<LibraryProduct> product = lay(choice, swapped))
        return product;
  refuse("operands that are not all dense along rows or columns, upwards");
  return std::nullopt;
}

std::optional<LibraryProduct>
mlir::tc::findLibraryProduct(ContractOp op, const StrideTable &access,
                             std::string &problem) {
  ProductFinder finder(op, access);
  std::optional<LibraryProduct> product = finder.find();
  problem = finder.problem;
  return product;
}
