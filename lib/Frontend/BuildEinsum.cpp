//===- BuildEinsum.cpp - An einsum as a contraction -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/BuildEinsum.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mlir::tc {

static_assert(dynamicExtent == ShapedType::kDynamic);

void registerEinsumDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                  TCDialect>();
}

namespace {
/// The function of one problem.
class EinsumBuilder {
public:
  EinsumBuilder(MLIRContext *context, const EinsumProblem &problem)
      : problem(problem), builder(context),
        loc(FileLineColLoc::get(context, "einsum", 1, 1)) {
    for (const EinsumProblem::Operand &input : problem.inputs)
      operands.push_back(&input);
    operands.push_back(&problem.output);
  }

  OwningOpRef<ModuleOp> build(StringRef name);

private:
  MemRefType argumentType(const EinsumProblem::Operand &operand);
  AffineMap indexingMap(const EinsumProblem::Operand &operand);
  Value buildView(Value buffer, const EinsumProblem::Operand &operand);
  OpFoldResult buildExtent(unsigned iterator, ValueRange arguments);
  void buildBody(ValueRange arguments);

  const EinsumProblem &problem;
  OpBuilder builder;
  Location loc;
  SmallVector<const EinsumProblem::Operand *> operands; ///< inputs, then result
};
} // namespace

MemRefType EinsumBuilder::argumentType(const EinsumProblem::Operand &operand) {
  Type element = toMLIR(builder.getContext(), operand.type);
  if (operand.layout)
    return MemRefType::get({operand.layout->elements}, element);
  return MemRefType::get(operand.shape, element);
}

/// The map from the iterators to the dimensions of `operand`.
AffineMap EinsumBuilder::indexingMap(const EinsumProblem::Operand &operand) {
  SmallVector<AffineExpr> dims;
  for (std::optional<unsigned> iterator : operand.iterators)
    dims.push_back(iterator ? builder.getAffineDimExpr(*iterator)
                            : builder.getAffineConstantExpr(0));
  return AffineMap::get(problem.iterators.size(), 0, dims,
                        builder.getContext());
}

Value EinsumBuilder::buildView(Value buffer,
                               const EinsumProblem::Operand &operand) {
  if (!operand.layout)
    return buffer;
  MLIRContext *context = builder.getContext();
  return ViewOp::create(
      builder, loc, buffer, builder.getIndexAttr(operand.layout->offset),
      getAsIndexOpFoldResult(context, operand.shape),
      getAsIndexOpFoldResult(context, operand.layout->strides));
}

/// The extent of an iterator: known, or that of the first dimension it walks.
OpFoldResult EinsumBuilder::buildExtent(unsigned iterator,
                                        ValueRange arguments) {
  int64_t extent = problem.iterators[iterator].extent;
  if (extent != dynamicExtent)
    return builder.getIndexAttr(extent);
  for (auto [operand, argument] : llvm::zip_equal(operands, arguments))
    for (auto [dim, walker] : llvm::enumerate(operand->iterators))
      if (walker == iterator) {
        Value number = arith::ConstantIndexOp::create(builder, loc, dim);
        return memref::DimOp::create(builder, loc, argument, number)
            .getResult();
      }
  return builder.getIndexAttr(0); // every iterator walks an input
}

void EinsumBuilder::buildBody(ValueRange arguments) {
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (auto [i, iterator] : llvm::enumerate(problem.iterators)) {
    names.push_back(iterator.name);
    extents.push_back(buildExtent(i, arguments));
  }
  SmallVector<Value> views;
  SmallVector<AffineMap> maps;
  for (auto [operand, argument] : llvm::zip_equal(operands, arguments)) {
    views.push_back(buildView(argument, *operand));
    maps.push_back(indexingMap(*operand));
  }
  auto contract = ContractOp::create(builder, loc, names, extents,
                                     ValueRange(views).drop_back(),
                                     views.back(), maps, /*overwrite=*/true);
  if (problem.accumulator)
    contract.setAccumulator(toMLIR(builder.getContext(), *problem.accumulator));
  func::ReturnOp::create(builder, loc);
}

OwningOpRef<ModuleOp> EinsumBuilder::build(StringRef name) {
  SmallVector<Type> types;
  for (const EinsumProblem::Operand *operand : operands)
    types.push_back(argumentType(*operand));
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  buildBody(function.getArguments());
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>> buildEinsum(MLIRContext *context,
                                                  const EinsumProblem &problem,
                                                  StringRef name) {
  if (name.empty() || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return llvm::createStringError(
        "expected a kernel name of letters, digits and '_', got '" + name +
        "'");
  DialectRegistry registry;
  registerEinsumDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  return EinsumBuilder(context, problem).build(name);
}

} // namespace mlir::tc
