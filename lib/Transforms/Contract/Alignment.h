//===- Alignment.h - What is known of addresses -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_ALIGNMENT_H
#define TC_LIB_TRANSFORMS_CONTRACT_ALIGNMENT_H

#include "tc/IR/TC.h"
#include "tc/Target/Limits.h"

namespace mlir::tc {

/// The buffer below all tc.view of `memref`.
Value findViewedBuffer(Value memref);

/// The strides of a view, or of the type of another memref.
SmallVector<OpFoldResult> getMixedStrides(Value memref);

/// Is `memref` known to begin at a multiple of `elements` of its elements? Its
/// offset, the offsets of the tc.view below it, and the address of the buffer
/// below these have to be multiples; the #tc.variant on `user`, or on the
/// closest tc.par around it that has one, gives the alignment of the buffer.
bool beginsAligned(Value memref, int64_t elements, Operation *user);

/// The size of a complex number where those of `memref` lie at multiples of it
/// for `user`, which LLVM does not take for granted; nothing of other elements.
llvm::MaybeAlign findComplexAlignment(Value memref, Operation *user);

/// Is the address of `buffer` always a multiple of kMaxAccessBytes?
bool isKnownAligned(Value buffer);

/// Are the addresses of `buffers` multiples of kMaxAccessBytes? A test of the
/// host; null where it is known (`memref.assume_alignment`, an allocation).
Value buildAligned(OpBuilder &builder, Location loc, ArrayRef<Value> buffers);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_ALIGNMENT_H
