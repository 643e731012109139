//===- TCToGPUProduct.cpp - Products by a library, as calls ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a product is a constant of the module, the words of a
// tcProduct; the call is given addresses.
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "tc-runtime/tc_product.h"
#include "tc/Package/HostEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Lowers the products of one function.
class ProductLowering {
public:
  explicit ProductLowering(func::FuncOp function)
      : module(function->getParentOfType<ModuleOp>()),
        builder(function.getContext()) {}

  LogicalResult lower(LibraryProductOp op);

private:
  memref::GlobalOp addConstant(LibraryProductOp op);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value addressOf(Value buffer);

  ModuleOp module;
  OpBuilder builder;
  Location loc = module.getLoc();
};
} // namespace

static int64_t toNumber(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? TC_C64 : TC_C128;
  if (type.isF16())
    return TC_F16;
  if (type.isBF16())
    return TC_BF16;
  return type.isF32() ? TC_F32 : TC_F64;
}

/// What a library may round factors to; others have no such products, and
/// compute in f32.
static int64_t toRounding(std::optional<Precision> precision) {
  if (precision == Precision::TF32)
    return TC_TO_TF32;
  return precision == Precision::BF16 ? TC_TO_BF16 : TC_UNROUNDED;
}

/// In the order of the fields of tcProduct.
static SmallVector<int64_t> getWords(LibraryProductOp op) {
  auto elementOf = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  };
  SmallVector<int64_t> words{toNumber(elementOf(op.getA())),
                             toNumber(elementOf(op.getD())),
                             toRounding(op.getPrecision())};
  llvm::append_range(words, op.getTransposed());
  for (ArrayRef<int64_t> list :
       {op.getExtents(), op.getLeading(), op.getStrides()})
    llvm::append_range(words, list);
  for (ArrayRef<double> list : {op.getAlpha(), op.getBeta()})
    for (double part : list)
      words.push_back(llvm::bit_cast<int64_t>(part));
  assert(words.size() * sizeof(int64_t) == sizeof(tcProduct) &&
         "expected a word for each field");
  return words;
}

memref::GlobalOp ProductLowering::addConstant(LibraryProductOp op) {
  SmallVector<int64_t> words = getWords(op);
  unsigned number = 0;
  while (module.lookupSymbol((kProductPrefix + Twine(number)).str()))
    ++number;
  auto atEnd = OpBuilder::atBlockEnd(module.getBody());
  auto type = MemRefType::get(int64_t(words.size()), builder.getI64Type());
  return memref::GlobalOp::create(
      atEnd, loc, (kProductPrefix + Twine(number)).str(),
      builder.getStringAttr("private"), type, builder.getI64TensorAttr(words),
      /*constant=*/true,
      /*alignment=*/IntegerAttr());
}

/// Where the first element of `buffer` lies. Views of tc are not lowered yet.
Value ProductLowering::addressOf(Value buffer) {
  auto element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t bytes = DataLayout().getTypeSize(element);
  auto view = buffer.getDefiningOp<ViewOp>();
  if (!view)
    return getAddress(builder, loc, buffer, bytes);
  Value start = addressOf(view.getSource());
  Value offset =
      getValueOrCreateConstantIndexOp(builder, loc, view.getMixedOffset());
  offset = arith::MulIOp::create(builder, loc, offset, constant(bytes));
  return arith::AddIOp::create(builder, loc, start, offset);
}

LogicalResult ProductLowering::lower(LibraryProductOp op) {
  if (op->getParentOfType<ParOp>())
    return op.emitOpError("expected a product by the host, outside of any "
                          "tc.par");
  loc = op.getLoc();
  memref::GlobalOp words = addConstant(op);
  builder.setInsertionPoint(op);
  Value product = memref::GetGlobalOp::create(builder, loc, words.getType(),
                                              words.getSymName());
  SmallVector<Value> arguments{
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, product)};
  for (Value buffer :
       {op.getA(), op.getB(), op.getC(), op.getD(), op.getWorkspace()})
    arguments.push_back(addressOf(buffer));
  arguments.push_back(
      memref::DimOp::create(builder, loc, op.getWorkspace(), int64_t(0)));
  SmallVector<Type> types(arguments.size(), builder.getIndexType());
  FailureOr<func::FuncOp> runtime = func::lookupOrCreateFnDecl(
      builder, module, kProductName, types, /*symbolTables=*/nullptr,
      builder.getIndexType());
  if (failed(runtime))
    return failure();
  Value done =
      func::CallOp::create(builder, loc, *runtime, arguments).getResult(0);
  Value isDone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       done, constant(0));
  op.replaceAllUsesWith(isDone);
  op.erase();
  return success();
}

LogicalResult mlir::tc::lowerLibraryProducts(func::FuncOp function) {
  SmallVector<LibraryProductOp> ops; // in the order of the program
  function.walk<WalkOrder::PreOrder>(
      [&](LibraryProductOp op) { ops.push_back(op); });
  ProductLowering lowering(function);
  for (LibraryProductOp op : ops)
    if (failed(lowering.lower(op)))
      return failure();
  return success();
}
