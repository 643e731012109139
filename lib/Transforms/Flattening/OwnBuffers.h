//===- OwnBuffers.h - Buffers of an iteration -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_FLATTENING_OWNBUFFERS_H
#define TC_LIB_TRANSFORMS_FLATTENING_OWNBUFFERS_H

#include "tc/IR/TC.h"

#include "llvm/ADT/SmallBitVector.h"

namespace mlir::tc {

/// A buffer beside a nest of which each iteration has elements of its own, and
/// that nothing else uses.
struct OwnBuffer {
  Operation *made; ///< a tc.new or a memref.alloc
  /// The dimensions along which iterations are numbered.
  llvm::SmallBitVector numbering;

  MemRefType getType() const;
  /// How many elements an iteration has along the dimensions of static size.
  int64_t countStatic() const;
  /// The sizes of the others.
  SmallVector<Value> getDynamicSizes() const;
};

/// The own buffers of `nest`, a tc.par, tc.reduce or tc.scan.
SmallVector<OwnBuffer> findOwnBuffers(Operation *nest);

/// Lets each iteration of `nest` make a buffer for its elements of `buffer`.
/// The dimensions of dynamic size become one of `capacity` elements.
void moveInto(Operation *nest, const OwnBuffer &buffer, int64_t capacity = 1);

/// Does so with the buffers of `nest` that registers hold.
void moveOwnBuffersInto(Operation *nest);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_FLATTENING_OWNBUFFERS_H
