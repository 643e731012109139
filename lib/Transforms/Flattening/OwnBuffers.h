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

namespace mlir::tc {

/// Gives each iteration of `nest`, a tc.par, tc.reduce or tc.scan, a buffer in
/// place of its elements of one that stands beside the nest and that nothing
/// else uses.
void moveOwnBuffersInto(Operation *nest);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_FLATTENING_OWNBUFFERS_H
