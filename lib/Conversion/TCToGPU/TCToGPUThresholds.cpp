//===- TCToGPUThresholds.cpp - Limits as variables of the host ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each limit that a function compares with is a variable of the module, -1 for
// the default, which may be one for each chip.
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "tc/Package/HostEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tc;

/// The variable of the limit; a new one is the last op of the module. Reports
/// another default than that of a comparison before.
static FailureOr<memref::GlobalOp> getVariable(func::FuncOp function,
                                               ThresholdOp op) {
  auto helper = TCDialect::ThresholdAttrHelper(op.getContext());
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = getLimitSymbol(function.getName(), op.getLimit());
  if (Operation *known = SymbolTable::lookupSymbolIn(module, name)) {
    if (helper.getAttr(known) != op.getDefaultLimitAttr())
      return op.emitOpError("expected the default of the other comparisons "
                            "with '")
             << op.getLimit() << "', got " << int64_t(op.getDefaultLimit());
    return cast<memref::GlobalOp>(known);
  }
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto type = MemRefType::get({}, builder.getI64Type());
  auto isDefault = DenseElementsAttr::get(
      RankedTensorType::get({}, builder.getI64Type()), int64_t(-1));
  auto variable = memref::GlobalOp::create(
      builder, op.getLoc(), name, /*sym_visibility=*/StringAttr(), type,
      isDefault, /*constant=*/false, /*alignment=*/IntegerAttr());
  helper.setAttr(variable, op.getDefaultLimitAttr());
  return variable;
}

/// Calls who wants to know what is compared with which variable.
static void emitNote(OpBuilder &builder, memref::GlobalOp variable,
                     Value number) {
  auto module = variable->getParentOfType<ModuleOp>();
  Location loc = variable.getLoc();
  Type word = builder.getI64Type();
  auto note = module.lookupSymbol<func::FuncOp>(kNoteThresholdName);
  if (!note) {
    auto atStart = OpBuilder::atBlockBegin(module.getBody());
    note = func::FuncOp::create(atStart, loc, kNoteThresholdName,
                                builder.getFunctionType({word, word}, {}));
    note.setPrivate();
  }
  auto helper = TCDialect::ThresholdAttrHelper(builder.getContext());
  int64_t place = 0;
  for (auto other : module.getOps<memref::GlobalOp>()) {
    if (other == variable)
      break;
    place += helper.isAttrPresent(other);
  }
  Value which =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(place));
  number = arith::IndexCastOp::create(builder, loc, word, number);
  func::CallOp::create(builder, loc, note, ValueRange{which, number});
}

static LogicalResult lowerOne(func::FuncOp function, ThresholdOp op,
                              bool notes) {
  if (op->getParentOfType<ParOp>())
    return op.emitOpError("expected a comparison by the host, outside of any "
                          "tc.par");
  FailureOr<memref::GlobalOp> variable = getVariable(function, op);
  if (failed(variable))
    return failure();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  if (notes)
    emitNote(builder, *variable, op.getNumber());
  Value buffer = memref::GetGlobalOp::create(builder, loc, variable->getType(),
                                             variable->getSymName());
  Value set = memref::LoadOp::create(builder, loc, buffer);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  Value limit =
      arith::ConstantOp::create(builder, loc, op.getDefaultLimitAttr());
  Value isDefault =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, set, zero);
  limit = arith::SelectOp::create(builder, loc, isDefault, limit, set);
  limit =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), limit);
  Value reached = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        op.getNumber(), limit);
  op.replaceAllUsesWith(reached);
  op.erase();
  return success();
}

LogicalResult mlir::tc::lowerThresholds(func::FuncOp function, bool notes) {
  SmallVector<ThresholdOp> ops; // in the order of the program
  function.walk<WalkOrder::PreOrder>(
      [&](ThresholdOp op) { ops.push_back(op); });
  for (ThresholdOp op : ops)
    if (failed(lowerOne(function, op, notes)))
      return failure();
  return success();
}
