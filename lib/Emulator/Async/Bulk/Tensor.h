//===- Tensor.h - Boxes of tensors that are copied --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes of global memory lie where in shared memory (PTX ISA, section
// 5.5): a box of a tensor, or the pixels of a convolution's input (im2col).
// Elements outside of the tensor are filled on the way in and dropped on the
// way out.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_BULK_TENSOR_H
#define TC_LIB_EMULATOR_ASYNC_BULK_TENSOR_H

#include "tc/Emulator/TensorMap.h"

#include <vector>

namespace tc::emulator::bulk {

/// Elements in a row, of global and of shared memory; `inside` is empty where
/// all are outside of the tensor.
struct BoxRow {
  uint64_t global = 0; ///< of the first one inside
  uint64_t shared = 0; ///< offset in the box, before any swizzle
  uint32_t before = 0, inside = 0, behind = 0; ///< bytes
};

using Coordinates = std::array<int32_t, TensorMap::maxRank>;

/// The rows of a box, or of the pixels, which begin at `at`; `offsets` are
/// those of im2col, by W, H, D.
std::vector<BoxRow>
findRows(const TensorMap &map, const Coordinates &at,
         const std::array<uint32_t, TensorMap::maxRank - 2> &offsets = {});

} // namespace tc::emulator::bulk

#endif // TC_LIB_EMULATOR_ASYNC_BULK_TENSOR_H
