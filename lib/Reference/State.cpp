//===- State.cpp - Values of a reference evaluation ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace llvm;

namespace mlir::tc::reference {

bool State::areKnown(ValueRange values) const {
  return llvm::all_of(values, [&](Value value) {
    return !isa<ShapedType>(value.getType()) || find(value);
  });
}

View State::viewOf(Value value) {
  if (const View *known = find(value))
    return *known;
  return cantFail(View::allocate({}, scalarOf(value)));
}

int64_t State::integerOf(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attribute).getInt();
  return scalarOf(cast<Value>(value)).integer;
}

SmallVector<int64_t> State::integersOf(ArrayRef<OpFoldResult> values) {
  return map_to_vector(values, [&](OpFoldResult v) { return integerOf(v); });
}

Error State::record(const View &view, int64_t place,
                    Independence::Access access) {
  if (access != Independence::write && !view.at(place).isWritten())
    return createStringError("reads an element that nobody has written");
  if (!independence)
    return Error::success();
  std::string conflict = independence->record(*view.storage, place, access);
  return conflict.empty() ? Error::success() : createStringError(conflict);
}

void State::noteUndecided(Operation *op) {
  if (undecided++ == 0)
    firstUndecided = op;
}

} // namespace mlir::tc::reference
