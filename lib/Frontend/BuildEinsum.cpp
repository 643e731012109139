//===- BuildEinsum.cpp - An einsum as a linalg module ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/BuildEinsum.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mlir::tc {

llvm::Expected<ElementType> parseElementType(StringRef name) {
  if (name == "f32")
    return ElementType::f32;
  if (name == "f64")
    return ElementType::f64;
  return llvm::createStringError("expected element type f32 or f64, got '" +
                                 name + "'");
}

StringRef nameOf(ElementType type) {
  return type == ElementType::f32 ? "f32" : "f64";
}

unsigned bytesOf(ElementType type) { return type == ElementType::f32 ? 4 : 8; }

void registerEinsumDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, TCDialect>();
}

/// The map from the iterators to the dimensions of `operand`.
static AffineMap indexingMap(MLIRContext *context, StringRef iterators,
                             const Einsum::Operand &operand) {
  SmallVector<AffineExpr> dims;
  for (char label : operand.labels)
    dims.push_back(getAffineDimExpr(iterators.find(label), context));
  return AffineMap::get(iterators.size(), 0, dims, context);
}

/// One contraction over the labels, in the place of the last argument.
static void buildBody(OpBuilder &builder, Location loc, func::FuncOp function,
                      const Einsum &einsum, const Sizes &sizes) {
  std::string iterators = einsum.iterators();
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (size_t i = 0; i < iterators.size(); ++i) {
    names.push_back(StringRef(iterators).substr(i, 1));
    extents.push_back(builder.getIndexAttr(*sizes.find(iterators[i])));
  }
  SmallVector<AffineMap> maps;
  for (const Einsum::Operand &input : einsum.inputs)
    maps.push_back(indexingMap(builder.getContext(), iterators, input));
  maps.push_back(indexingMap(builder.getContext(), iterators, einsum.output));

  auto arguments = function.getArguments();
  ContractOp::create(builder, loc, names, extents, arguments.drop_back(),
                     arguments.back(), maps, /*overwrite=*/true);
  func::ReturnOp::create(builder, loc);
}

llvm::Expected<OwningOpRef<ModuleOp>>
buildEinsum(MLIRContext *context, const Einsum &einsum, const Sizes &sizes,
            ElementType type, StringRef name) {
  if (name.empty() || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return llvm::createStringError(
        "expected a kernel name of letters, digits and '_', got '" + name +
        "'");
  DialectRegistry registry;
  registerEinsumDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();

  OpBuilder builder(context);
  Location loc = FileLineColLoc::get(context, "einsum", 1, 1);
  Type element = type == ElementType::f32 ? Type(builder.getF32Type())
                                          : Type(builder.getF64Type());
  SmallVector<Type> types;
  for (const Einsum::Operand &input : einsum.inputs)
    types.push_back(MemRefType::get(shapeOf(input, sizes), element));
  types.push_back(MemRefType::get(shapeOf(einsum.output, sizes), element));

  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  buildBody(builder, loc, function, einsum, sizes);
  return module;
}

} // namespace mlir::tc
