//===- Products.cpp - Products by a library, in packages ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants go into the package's entry, where they are found by number.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "tc/Package/HostEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace mlir::tc {

bool isProductCall(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  return call && call.getCallee() == kProductName;
}

static SmallVector<func::CallOp> findCalls(func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) {
    if (isProductCall(call))
      calls.push_back(call);
  });
  return calls;
}

void assumeNoLibrary(func::FuncOp function) {
  for (func::CallOp call : findCalls(function)) {
    OpBuilder builder(call);
    Value no = arith::ConstantIndexOp::create(builder, call.getLoc(), 0);
    call.getResult(0).replaceAllUsesWith(no);
    call.erase();
  }
}

/// The number in the name of a product's constant, if it is one.
static std::optional<int64_t> findNumber(StringRef symbol) {
  int64_t number = 0;
  if (!symbol.consume_front(kProductPrefix) ||
      symbol.getAsInteger(/*Radix=*/10, number))
    return std::nullopt;
  return number;
}

LogicalResult lowerProductCalls(func::FuncOp function, Value call) {
  auto module = function->getParentOfType<ModuleOp>();
  StringRef name = "tcPackageProduct";
  for (func::CallOp op : findCalls(function)) {
    OpBuilder builder(op);
    SmallVector<Type> words(op.getNumOperands() + 1, builder.getIndexType());
    FailureOr<func::FuncOp> runtime = func::lookupOrCreateFnDecl(
        builder, module, name, words, /*symbolTables=*/nullptr,
        builder.getIndexType());
    if (failed(runtime))
      return failure();
    Operation *address = op.getOperand(0).getDefiningOp();
    auto constant = address->getOperand(0).getDefiningOp<memref::GetGlobalOp>();
    SmallVector<Value> arguments{
        call, arith::ConstantIndexOp::create(builder, op.getLoc(),
                                             *findNumber(constant.getName()))};
    llvm::append_range(arguments, op.getOperands().drop_front());
    auto made = func::CallOp::create(builder, op.getLoc(), *runtime, arguments);
    op.replaceAllUsesWith(made);
    op.erase();
  }
  return success();
}

SmallVector<SmallVector<int64_t>> takeProducts(ModuleOp module) {
  SmallVector<SmallVector<int64_t>> products;
  for (auto global :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>())) {
    std::optional<int64_t> number = findNumber(global.getSymName());
    auto words =
        dyn_cast_if_present<DenseIntElementsAttr>(global.getValueOrNull());
    if (!number || !words)
      continue;
    if (static_cast<size_t>(*number) >= products.size())
      products.resize(*number + 1);
    products[*number] = llvm::to_vector(words.getValues<int64_t>());
    global.erase();
  }
  return products;
}

} // namespace mlir::tc
