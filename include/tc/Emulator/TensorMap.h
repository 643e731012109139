//===- TensorMap.h - Tensors as bulk copies see them ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map (CUDA driver API, tensor map object management; PTX ISA, section
// 5.5) says where a tensor lies in global memory and which box of it a copy
// moves. Programs hold it as 128 bytes, whose contents are ours. Dimensions go
// from the innermost one outwards.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TENSORMAP_H
#define TC_EMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tc::emulator {

struct TensorMap {
  static constexpr unsigned bytes = 128, align = 64, maxRank = 5;

  /// Numbered as CUtensorMapDataType.
  enum class Element : uint8_t {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    BF16,
    F32Ftz,
    TF32,
    TF32Ftz
  };
  static constexpr unsigned elementTypes = 13;

  enum class Kind : uint8_t { Tiled, Im2col } kind = Kind::Tiled;
  Element element = Element::U8;
  unsigned rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, maxRank> extents{1, 1, 1, 1, 1};
  /// Bytes from one index of dimension i + 1 to the next.
  std::array<uint64_t, maxRank - 1> strides{};
  std::array<uint32_t, maxRank> steps{1, 1, 1, 1, 1}; ///< between elements
  unsigned interleave = 0; ///< 0: none, 1: 16 bytes, 2: 32 bytes
  unsigned swizzle = 0;    ///< 0: none, else 1, 2, 3: 32, 64, 128 bytes
  unsigned promotion = 0;  ///< of L2; without effect
  bool fillsNan = false;   ///< what is outside; else zeros
  /// Of a tiled map: elements along each dimension before steps are taken.
  std::array<uint32_t, maxRank> box{1, 1, 1, 1, 1};
  /// Of im2col: the corners of the bounding box, by W, H, D.
  std::array<int32_t, maxRank - 2> lower{}, upper{};
  uint32_t channels = 1, pixels = 1;

  unsigned getElementBytes() const;
  bool isFloat() const;
  /// What a call that makes it is to refuse: what was expected, and what it
  /// has. Empty: nothing.
  std::string findFault() const;

  /// Elements along a dimension that a tiled copy moves.
  uint32_t countElements(unsigned dimension) const;
  /// Bytes that a copy moves into shared memory.
  uint64_t getBoxBytes() const;

  void encode(void *to) const;
  /// Nothing where the bytes are no tensor map.
  static std::optional<TensorMap> decode(const void *from);
};

} // namespace tc::emulator

#endif // TC_EMULATOR_TENSORMAP_H
