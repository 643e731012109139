//===- BufferizableOpInterfaceImpl.h - Bufferizing tc.contract --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_BUFFERIZABLEOPINTERFACEIMPL_H
#define TC_IR_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace tc {

/// Lets one-shot bufferization turn `tc.contract` on tensors into `tc.contract`
/// on memrefs: inputs are read, the result is written in place of `outs`, which
/// is read unless the contraction overwrites all of it.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace tc
} // namespace mlir

#endif // TC_IR_BUFFERIZABLEOPINTERFACEIMPL_H
