//===- TensorMap.cpp - Tensors as bulk copies see them --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requirements of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA
// driver API), and the 128 bytes that stand for a map.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/TensorMap.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

using llvm::Twine;

namespace tc::emulator {

unsigned TensorMap::getElementBytes() const {
  switch (element) {
  case Element::U8:
    return 1;
  case Element::U16:
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::U64:
  case Element::S64:
  case Element::F64:
    return 8;
  default:
    return 4;
  }
}

bool TensorMap::isFloat() const {
  switch (element) {
  case Element::F16:
  case Element::BF16:
  case Element::F32:
  case Element::F64:
  case Element::F32Ftz:
  case Element::TF32:
  case Element::TF32Ftz:
    return true;
  default:
    return false;
  }
}

uint32_t TensorMap::countElements(unsigned dimension) const {
  // Neighbours of the innermost one stay so.
  uint32_t step = dimension || interleave ? steps[dimension] : 1;
  return llvm::divideCeil(box[dimension], step);
}

uint64_t TensorMap::getBoxBytes() const {
  uint64_t count = getElementBytes();
  if (kind == Kind::Im2col)
    return count * channels * pixels;
  for (unsigned i = 0; i < rank; ++i)
    count *= countElements(i);
  return count;
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

namespace {

std::string expect(const Twine &what, const Twine &got) {
  return ("expected " + what + ", got " + got).str();
}

/// The bounding box of im2col: {least, most} of its corners by rank.
std::pair<int32_t, int32_t> getCornerRange(unsigned rank) {
  return rank == 3   ? std::pair(-32768, 32767)
         : rank == 4 ? std::pair(-128, 127)
                     : std::pair(-16, 15);
}

std::string checkTensor(const TensorMap &map) {
  bool isIm2col = map.kind == TensorMap::Kind::Im2col;
  unsigned least = isIm2col || map.interleave ? 3 : 1;
  if (map.rank < least || map.rank > TensorMap::maxRank)
    return expect("a rank from " + Twine(least) + " to 5", Twine(map.rank));
  if (unsigned(map.element) >= TensorMap::elementTypes)
    return expect("an element type of sm_90, from 0 to 12",
                  Twine(unsigned(map.element)));
  uint64_t multiple = map.interleave == 2 ? 32 : 16;
  if (map.address % multiple)
    return expect("a global address that is a multiple of " + Twine(multiple),
                  "0x" + Twine::utohexstr(map.address));
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.extents[i] < 1 || map.extents[i] > uint64_t(1) << 32)
      return expect("globalDim[" + Twine(i) + "] from 1 to 2^32",
                    Twine(map.extents[i]));
    bool isIgnored = i == 0 && !map.interleave;
    if (!isIgnored && (map.steps[i] < 1 || map.steps[i] > 8))
      return expect("elementStrides[" + Twine(i) + "] from 1 to 8",
                    Twine(map.steps[i]));
    if (i + 1 == map.rank)
      break;
    if (map.strides[i] % multiple || map.strides[i] >= uint64_t(1) << 40)
      return expect("globalStrides[" + Twine(i) +
                        "] below 2^40 and a multiple "
                        "of " +
                        Twine(multiple),
                    Twine(map.strides[i]));
  }
  return "";
}

std::string checkModes(const TensorMap &map) {
  if (map.interleave > 2)
    return expect("an interleave from 0 to 2", Twine(map.interleave));
  if (map.swizzle > 3)
    return expect("a swizzle of sm_90, from 0 to 3", Twine(map.swizzle));
  if (map.interleave == 2 && map.swizzle != 1)
    return expect("a swizzle of 32 bytes (1) for an interleave of 32 bytes",
                  Twine(map.swizzle));
  if (map.promotion > 3)
    return expect("an L2 promotion from 0 to 3", Twine(map.promotion));
  if (map.fillsNan && !map.isFloat())
    return "expected a floating-point type for a fill with NaN";
  return "";
}

/// What lies together in shared memory.
std::string checkInner(const TensorMap &map, const Twine &name,
                       uint64_t elements) {
  uint64_t bytes = elements * map.getElementBytes(), span = 16u << map.swizzle;
  if (!map.interleave && bytes % 16)
    return expect(name + " elements to be a multiple of 16 bytes",
                  Twine(bytes));
  if (!map.interleave && map.swizzle && bytes > span)
    return expect(name + " elements to be at most the " + Twine(span) +
                      " bytes of the swizzle",
                  Twine(bytes));
  return "";
}

std::string checkBox(const TensorMap &map) {
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.box[i] < 1 || map.box[i] > 256)
      return expect("boxDim[" + Twine(i) + "] from 1 to 256",
                    Twine(map.box[i]));
  return checkInner(map, "boxDim[0]", map.box[0]);
}

std::string checkPixels(const TensorMap &map) {
  auto [least, most] = getCornerRange(map.rank);
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    for (int32_t corner : {map.lower[i], map.upper[i]})
      if (corner < least || corner > most)
        return expect("corners of the pixel box from " + Twine(least) + " to " +
                          Twine(most),
                      Twine(corner));
    if (int64_t(map.extents[i + 1]) + map.upper[i] <= map.lower[i])
      return "expected a pixel box that is not empty";
  }
  if (map.channels < 1 || map.channels > 256)
    return expect("channelsPerPixel from 1 to 256", Twine(map.channels));
  if (map.pixels < 1 || map.pixels > 1024)
    return expect("pixelsPerColumn from 1 to 1024", Twine(map.pixels));
  return checkInner(map, "channelsPerPixel", map.channels);
}

} // namespace

std::string TensorMap::findFault() const {
  std::string fault = checkModes(*this);
  if (fault.empty())
    fault = checkTensor(*this);
  if (!fault.empty())
    return fault;
  return kind == Kind::Tiled ? checkBox(*this) : checkPixels(*this);
}

//===----------------------------------------------------------------------===//
// The bytes
//===----------------------------------------------------------------------===//

namespace {

struct Packed {
  uint32_t magic;
  uint8_t kind, element, rank, interleave;
  /// CUTLASS clears a bit here for small tensors, where the map of a driver up
  /// to 13.1 has a fault.
  uint64_t unused2;
  uint64_t address;
  uint32_t lastIndices[5]; ///< extents minus one
  uint8_t swizzle, promotion, fillsNan, unused0;
  uint64_t strides[4];
  uint16_t box[5]; ///< minus one
  uint8_t steps[5], unused1;
  int16_t lower[3], upper[3];
  uint16_t channels, pixels;
  uint64_t unused3;
  uint64_t hash; ///< of all before
};
static_assert(sizeof(Packed) == TensorMap::bytes);

constexpr uint32_t magic = 0x70614d54;

uint64_t hash(const Packed &packed) {
  return llvm::xxh3_64bits(
      {reinterpret_cast<const uint8_t *>(&packed), offsetof(Packed, hash)});
}

} // namespace

void TensorMap::encode(void *to) const {
  Packed packed{};
  packed.magic = magic;
  packed.kind = uint8_t(kind);
  packed.element = uint8_t(element);
  packed.rank = rank;
  packed.interleave = interleave;
  packed.address = address;
  packed.swizzle = swizzle;
  packed.promotion = promotion;
  packed.fillsNan = fillsNan;
  packed.channels = channels;
  packed.pixels = pixels;
  for (unsigned i = 0; i < maxRank; ++i) {
    packed.lastIndices[i] = uint32_t(extents[i] - 1);
    packed.box[i] = box[i] - 1;
    packed.steps[i] = steps[i];
  }
  for (unsigned i = 0; i + 1 < maxRank; ++i)
    packed.strides[i] = strides[i];
  for (unsigned i = 0; i + 2 < maxRank; ++i) {
    packed.lower[i] = lower[i];
    packed.upper[i] = upper[i];
  }
  packed.hash = hash(packed);
  std::memcpy(to, &packed, sizeof(packed));
}

std::optional<TensorMap> TensorMap::decode(const void *from) {
  Packed packed;
  std::memcpy(&packed, from, sizeof(packed));
  if (packed.magic != magic || packed.hash != hash(packed))
    return std::nullopt;
  TensorMap map;
  map.kind = Kind(packed.kind);
  map.element = Element(packed.element);
  map.rank = packed.rank;
  map.interleave = packed.interleave;
  map.address = packed.address;
  map.swizzle = packed.swizzle;
  map.promotion = packed.promotion;
  map.fillsNan = packed.fillsNan;
  map.channels = packed.channels;
  map.pixels = packed.pixels;
  for (unsigned i = 0; i < maxRank; ++i) {
    map.extents[i] = uint64_t(packed.lastIndices[i]) + 1;
    map.box[i] = packed.box[i] + 1;
    map.steps[i] = packed.steps[i];
  }
  for (unsigned i = 0; i + 1 < maxRank; ++i)
    map.strides[i] = packed.strides[i];
  for (unsigned i = 0; i + 2 < maxRank; ++i) {
    map.lower[i] = packed.lower[i];
    map.upper[i] = packed.upper[i];
  }
  return map;
}

} // namespace tc::emulator
