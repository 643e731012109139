//===- BufferizableOpInterfaceImpl.cpp - Bufferizing tc.contract ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/BufferizableOpInterfaceImpl.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::tc;

/// Does the contraction give every element of its result a new value? Known
/// only of static shapes with one iterator per dimension.
static bool overwritesAll(ContractOp op) {
  AffineMap map = op.getOutputMap();
  if (!op.getOverwrite() || !map.isProjectedPermutation())
    return false;
  ArrayRef<int64_t> extents = op.getStaticExtents();
  ArrayRef<int64_t> shape =
      cast<ShapedType>(op.getOutput().getType()).getShape();
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
    return !contract.isDpsInit(&operand) || !overwritesAll(contract);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto contract = cast<ContractOp>(op);
    if (!contract.hasTensorSemantics())
      return success();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs;
    for (Value input : contract.getInputs()) {
      FailureOr<Value> buffer = getBuffer(rewriter, input, options, state);
      if (failed(buffer))
        return failure();
      inputs.push_back(*buffer);
    }
    FailureOr<Value> output =
        getBuffer(rewriter, contract.getOutput(), options, state);
    if (failed(output))
      return failure();
    auto maps = llvm::to_vector(
        contract.getIndexingMaps().getAsValueRange<AffineMapAttr>());
    contract.cloneWith(rewriter, contract.getMixedExtents(), inputs, *output,
                       maps);
    replaceOpWithBufferizedValues(rewriter, op, *output);
    return success();
  }
};
} // namespace

void mlir::tc::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TCDialect *) {
    ContractOp::attachInterface<ContractBufferization>(*context);
  });
}
