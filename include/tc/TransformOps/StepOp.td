//===- StepOp.td - What steps of scripts are ------------- -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_STEPOP_TD
#define TC_TRANSFORMOPS_STEPOP_TD

include "tc/IR/TCAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A step on each nest of a handle. A handle of several is taken nest by nest,
/// so one line of a script schedules several at once.
class TC_StepOp<string mnemonic>
    : Op<Transform_Dialect, "tc." # mnemonic, [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<TransformOpInterface>,
        ReportTrackingListenerFailuresOpTrait]>;

/// A step that replaces its target and gives handles to what comes of it.
class TC_RewriteOp<string mnemonic> : TC_StepOp<mnemonic> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::MutableArrayRef<::mlir::OpOperand> operands =
          getOperation()->getOpOperands();
      ::mlir::transform::consumesHandle(operands.take_front(), effects);
      ::mlir::transform::onlyReadsHandle(operands.drop_front(), effects);
      ::mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

/// A step that changes its target, but leaves the op.
class TC_AnnotateOp<string mnemonic> : TC_StepOp<mnemonic> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

#endif // TC_TRANSFORMOPS_STEPOP_TD
