//===- ContractBufferization.cpp - Bufferizing tc.contract ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interfaces.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::tc;

/// Does the contraction give every element of its result a new value? Known
/// only of static shapes with one iterator per dimension.
static bool overwritesAll(ContractOp op, unsigned output) {
  AffineMap map = op.getOutputMap(output);
  if (!op.getOverwrite() || !map.isProjectedPermutation())
    return false;
  ArrayRef<int64_t> extents = op.getStaticExtents();
  ArrayRef<int64_t> shape =
      cast<ShapedType>(op.getOutput(output).getType()).getShape();
  for (auto [subscript, size] : llvm::zip_equal(map.getResults(), shape)) {
    int64_t extent = extents[cast<AffineDimExpr>(subscript).getPosition()];
    if (ShapedType::isDynamic(size) || extent != size)
      return false;
  }
  return true;
}

namespace {
struct ContractBufferization
    : DstBufferizableOpInterfaceExternalModel<ContractBufferization,
                                              ContractOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto contract = cast<ContractOp>(op);
    if (!contract.isDpsInit(&operand))
      return true;
    unsigned first = contract.getOutputs().getBeginOperandIndex();
    return !overwritesAll(contract, operand.getOperandNumber() - first);
  }

  /// A side with the subscripts of the result is read where, and before, the
  /// result is written, so the two may be one buffer.
  bool isNotConflicting(Operation *op, OpOperand *read, OpOperand *write,
                        const AnalysisState &) const {
    auto contract = cast<ContractOp>(op);
    if (read->getOwner() != op || write->getOwner() != op)
      return false;
    unsigned sides = contract.getSides().getBeginOperandIndex();
    unsigned outputs = contract.getOutputs().getBeginOperandIndex();
    unsigned from = read->getOperandNumber(), to = write->getOperandNumber();
    if (from < sides || from >= outputs || to < outputs)
      return false;
    return contract.getOutputs().size() == 1 &&
           contract.getSideMap(from - sides) == contract.getOutputMap();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto contract = cast<ContractOp>(op);
    if (!contract.hasTensorSemantics())
      return success();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : contract.getShapedOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    contract.cloneWith(rewriter, contract.getMixedExtents(), buffers,
                       contract.getMaps());
    replaceOpWithBufferizedValues(
        rewriter, op,
        ArrayRef(buffers).take_back(contract.getOutputs().size()));
    return success();
  }
};
} // namespace

void mlir::tc::attachContractBufferization(MLIRContext &context) {
  ContractOp::attachInterface<ContractBufferization>(context);
}
