//===- Interfaces.h - Interfaces that models outside implement --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces of upstream whose models are apart from the op. The dialect
// attaches them itself: whoever loads it, a plugin or a pass alone, has them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IR_INTERFACES_H
#define TC_LIB_IR_INTERFACES_H

#include "tc/IR/TC.h"

namespace mlir {
class MLIRContext;

namespace tc {

/// Lets one-shot bufferization turn `tc.contract` on tensors into `tc.contract`
/// on memrefs: inputs are read, the result is written in place of `outs`, which
/// is read unless the contraction overwrites all of it.
void attachContractBufferization(MLIRContext &context);

/// Lets upstream tiling (`scf::tileUsingSCF`,
/// `transform.structured.tile_using_for`
/// ...) tile `tc.contract` in any iterator, and fuse it into a tiled consumer.
/// A tile is a `tc.contract` on slices of the operands; of a window the slice
/// that the tile reaches. Refused: tiles of a contracted iterator when the
/// contraction overwrites its result (fill the result first), and tiles of
/// dynamic size where a subscript runs backwards. Likewise `tc.par`, whose
/// iterations are counted from 0: one with a level or a mapping is refused, and
/// one with steps.
void attachTiling(MLIRContext &context);

} // namespace tc
} // namespace mlir

#endif // TC_LIB_IR_INTERFACES_H
