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
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mlir::tc {

static_assert(dynamicExtent == ShapedType::kDynamic);

void registerEinsumDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                  TCDialect>();
}

using Operand = EinsumProblem::Operand;

static MemRefType getArgumentType(MLIRContext *context,
                                  const Operand &operand) {
  Type element = toMLIR(context, operand.type);
  if (operand.layout)
    return MemRefType::get({operand.layout->elements}, element);
  return MemRefType::get(operand.shape, element);
}

/// The map from `iterators` to the dimensions of `operand`.
static AffineMap getIndexingMap(MLIRContext *context, size_t iterators,
                                const Operand &operand) {
  SmallVector<AffineExpr> dims;
  for (std::optional<unsigned> iterator : operand.iterators)
    dims.push_back(iterator ? getAffineDimExpr(*iterator, context)
                            : getAffineConstantExpr(0, context));
  return AffineMap::get(iterators, 0, dims, context);
}

static Value buildView(ImplicitLocOpBuilder &builder, Value buffer,
                       const Operand &operand) {
  if (!operand.layout)
    return buffer;
  MLIRContext *context = builder.getContext();
  return ViewOp::create(
      builder, buffer, builder.getIndexAttr(operand.layout->offset),
      getAsIndexOpFoldResult(context, operand.shape),
      getAsIndexOpFoldResult(context, operand.layout->strides));
}

/// A dynamic extent: that of the first dimension which the iterator walks.
static OpFoldResult buildExtent(ImplicitLocOpBuilder &builder,
                                ArrayRef<const Operand *> operands,
                                unsigned iterator, ValueRange arguments) {
  for (auto [operand, argument] : llvm::zip_equal(operands, arguments))
    for (auto [dim, walker] : llvm::enumerate(operand->iterators))
      if (walker == iterator) {
        Value number = arith::ConstantIndexOp::create(builder, dim);
        return memref::DimOp::create(builder, argument, number).getResult();
      }
  return builder.getIndexAttr(0); // every iterator walks an input
}

/// The nominal sizes of the dynamic dimensions of `operand`; null where none is
/// given.
static DenseI64ArrayAttr getNominalSizes(OpBuilder &builder,
                                         const EinsumProblem &problem,
                                         const Operand &operand) {
  SmallVector<int64_t> sizes;
  for (std::optional<unsigned> iterator : operand.iterators)
    sizes.push_back(iterator ? problem.iterators[*iterator].nominal : 0);
  bool isSaid = llvm::any_of(sizes, [](int64_t size) { return size != 0; });
  return isSaid ? builder.getDenseI64ArrayAttr(sizes) : DenseI64ArrayAttr();
}

static void buildBody(ImplicitLocOpBuilder &builder,
                      const EinsumProblem &problem,
                      ArrayRef<const Operand *> operands,
                      ValueRange arguments) {
  MLIRContext *context = builder.getContext();
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (auto [i, iterator] : llvm::enumerate(problem.iterators)) {
    names.push_back(iterator.name);
    extents.push_back(iterator.extent == dynamicExtent
                          ? buildExtent(builder, operands, i, arguments)
                          : builder.getIndexAttr(iterator.extent));
  }
  SmallVector<Value> views;
  SmallVector<AffineMap> maps;
  for (auto [operand, argument] : llvm::zip_equal(operands, arguments)) {
    views.push_back(buildView(builder, argument, *operand));
    maps.push_back(getIndexingMap(context, names.size(), *operand));
  }
  auto contract =
      ContractOp::create(builder, names, extents, ValueRange(views).drop_back(),
                         views.back(), maps, /*overwrite=*/true);
  if (problem.accumulator)
    contract.setAccumulator(toMLIR(context, *problem.accumulator));
  // A single input is added up as it is.
  if (!problem.precision.empty() && problem.inputs.size() > 1)
    contract.setPrecision(*symbolizePrecision(problem.precision));
  func::ReturnOp::create(builder);
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
  auto operands = llvm::to_vector(llvm::make_pointer_range(problem.inputs));
  operands.push_back(&problem.output);
  auto types = llvm::map_to_vector(operands, [&](const Operand *operand) {
    return Type(getArgumentType(context, *operand));
  });
  ImplicitLocOpBuilder builder(FileLineColLoc::get(context, "einsum", 1, 1),
                               context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder);
  builder.setInsertionPointToEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, name, builder.getFunctionType(types, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  for (auto [i, operand] : llvm::enumerate(operands))
    if (DenseI64ArrayAttr sizes = getNominalSizes(builder, problem, *operand))
      function.setArgAttr(i, TCDialect::getNominalName(), sizes);
  buildBody(builder, problem, operands, function.getArguments());
  return module;
}

} // namespace mlir::tc
