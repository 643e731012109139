//===- WideAccess.h - Loops along consecutive elements ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread reads 16 bytes of shared memory as fast as 4. Iterations of a loop
// that read consecutive elements are one read of 16 bytes, if so many of them
// are in one body and the first one is at a multiple of 16 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_WIDEACCESS_H
#define TC_ANALYSIS_WIDEACCESS_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// Elements of `type` in 16 bytes; 1 where there are not several.
int64_t countWideElements(Type type);

/// The index of the loop of one thread along which `access` goes through
/// dimension `d` of its buffer, element by element, in groups of `count` that
/// begin at multiples of `count`; null if there is none. Only values of which
/// `isOwn` is true move within the buffer; the others stand for its place.
Value findRun(const NestAccess &access, unsigned d, int64_t count,
              NestValues &values, function_ref<bool(Value)> isOwn);

} // namespace mlir::tc

#endif // TC_ANALYSIS_WIDEACCESS_H
