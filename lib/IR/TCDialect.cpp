//===- TCDialect.cpp - The tc dialect -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::tc;

#include "tc/IR/TCDialect.cpp.inc"
#include "tc/IR/TCEnums.cpp.inc"

namespace {
/// Every tc op may be inlined; a region moves with its op.
struct TCInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void TCDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tc/IR/TCOps.cpp.inc"
      >();
  addInterfaces<TCInlinerInterface>();
}

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  if (!isa<MachineAttr>(attribute.getValue())) // machine_attribute
    return op->emitError("expected attribute '")
           << attribute.getName().getValue() << "' to be a #tc.machine, got "
           << attribute.getValue();
  return success();
}
