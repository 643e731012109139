//===- StridedCopy.h - Copies between strided buffers ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_STRIDEDCOPY_H
#define TC_LIB_RUNTIME_STRIDEDCOPY_H

#include "tc-runtime/Driver.h"

#include <cstdint>

namespace tc::runtime {

/// A box of elements, copied from one buffer to another, of the host or of the
/// device.
struct StridedCopy {
  void *to; ///< its first element
  const void *from;
  int64_t elementBytes;
  int64_t rank;
  /// `rank` extents, as many strides of `to` and of `from`, in elements.
  const int64_t *shape;
};

/// Puts it on `stream`, in as few calls of the driver as it takes: one where
/// elements lie dense at both ends, or in rows of one pitch.
CUresult copyStrided(const Driver &driver, const StridedCopy &copy,
                     CUstream stream);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_STRIDEDCOPY_H
