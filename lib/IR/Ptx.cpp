//===- Ptx.cpp - tc.ptx ---------------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Is there a register of PTX for values of `type`?
static bool fitsRegister(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.hasStaticShape() && vector.getElementType().isIntOrFloat() &&
           vector.getNumElements() * vector.getElementTypeBitWidth() == 32;
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace() == 0;
  return type.isIntOrFloat() &&
         llvm::is_contained({16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

LogicalResult PtxOp::verify() {
  for (Type type :
       llvm::concat<const Type>(getResultTypes(), getInputs().getTypes()))
    if (!fitsRegister(type)) // ptx_types
      return emitOpError("expected numbers of 16, 32 or 64 bits, vectors of 32 "
                         "bits, or generic pointers, got ")
             << type;
  if (auto par = (*this)->getParentOfType<ParOp>();
      !getOrders().empty() && (!par || !par.getFull())) // ptx_orders
    return emitOpError("expected a tc.par full round it, whose lanes wait for "
                       "each other");
  size_t operands =
      getNumResults() + getNumOperands() - size_t(getOrders().size());
  StringRef text = getCode();
  while (text.contains('$')) {
    text = text.split('$').second;
    if (text.consume_front("$"))
      continue;
    StringRef digits = text.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number) || number >= operands) // ptx_operands
      return emitOpError("expected $0 to $")
             << int64_t(operands) - 1 << " in the text, got '$"
             << text.take_front(std::max<size_t>(digits.size(), 1)) << "'";
  }
  return success();
}
