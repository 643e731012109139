//===- TensorMap.cpp - Tensor maps of the emulated driver -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a map must be is said once, in tc/Emulator/TensorMap.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/TensorMap.h"
#include "Device.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// What both kinds of maps have.
struct Tensor {
  void *map;
  unsigned type, rank;
  void *address;
  const uint64_t *extents, *strides;
  const unsigned *steps;
  unsigned interleave, swizzle, promotion, fill;
};

static CUresult checkMap(Call &call, const void *map) {
  if (CUresult bad = checkPlace(call, map))
    return bad;
  if (reinterpret_cast<uintptr_t>(map) % TensorMap::align)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected the address of the tensor map to be a multiple "
                     "of " +
                         llvm::Twine(unsigned(TensorMap::align)));
  return CUDA_SUCCESS;
}

/// `complete` fills in the rest of the map, whose rank is in bounds.
template <typename Complete>
static CUresult encode(Call &call, const Tensor &tensor, Complete complete) {
  if (CUresult bad = checkMap(call, tensor.map))
    return bad;
  if (tensor.rank < 1 || tensor.rank > TensorMap::maxRank)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected a rank from 1 to 5, "
                                               "got " +
                                                   llvm::Twine(tensor.rank));
  for (const void *place : {static_cast<const void *>(tensor.extents),
                            static_cast<const void *>(tensor.steps)})
    if (CUresult bad = checkPlace(call, place))
      return bad;
  if (tensor.rank > 1)
    if (CUresult bad = checkPlace(call, tensor.strides))
      return bad;
  TensorMap map;
  // Too large a number must not look like another one.
  map.element = TensorMap::Element(std::min(tensor.type, 255u));
  map.rank = tensor.rank;
  map.address = reinterpret_cast<uint64_t>(tensor.address);
  std::copy_n(tensor.extents, map.rank, map.extents.begin());
  std::copy_n(tensor.strides, map.rank - 1, map.strides.begin());
  std::copy_n(tensor.steps, map.rank, map.steps.begin());
  map.interleave = tensor.interleave;
  map.swizzle = tensor.swizzle;
  map.promotion = tensor.promotion;
  map.fillsNan = tensor.fill == 1;
  if (tensor.fill > 1)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a fill of 0 or 1, got " +
                         llvm::Twine(tensor.fill));
  if (CUresult bad = complete(map))
    return bad;
  std::string fault = map.findFault();
  if (!fault.empty())
    return call.fail(CUDA_ERROR_INVALID_VALUE, fault);
  map.encode(tensor.map);
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuTensorMapEncodeTiled(void *map, unsigned type, unsigned rank,
                                void *address, const uint64_t *extents,
                                const uint64_t *strides, const unsigned *box,
                                const unsigned *steps, unsigned interleave,
                                unsigned swizzle, unsigned promotion,
                                unsigned fill) {
  Call call("cuTensorMapEncodeTiled", Needs::Driver);
  if (!call)
    return call.status();
  Tensor tensor{map,   type,       rank,    address,   extents, strides,
                steps, interleave, swizzle, promotion, fill};
  return encode(call, tensor, [&](TensorMap &made) {
    if (CUresult bad = checkPlace(call, box))
      return bad;
    std::copy_n(box, rank, made.box.begin());
    return CUDA_SUCCESS;
  });
}

CUresult cuTensorMapEncodeIm2col(void *map, unsigned type, unsigned rank,
                                 void *address, const uint64_t *extents,
                                 const uint64_t *strides, const int *lower,
                                 const int *upper, unsigned channels,
                                 unsigned pixels, const unsigned *steps,
                                 unsigned interleave, unsigned swizzle,
                                 unsigned promotion, unsigned fill) {
  Call call("cuTensorMapEncodeIm2col", Needs::Driver);
  if (!call)
    return call.status();
  Tensor tensor{map,   type,       rank,    address,   extents, strides,
                steps, interleave, swizzle, promotion, fill};
  return encode(call, tensor, [&](TensorMap &made) {
    made.kind = TensorMap::Kind::Im2col;
    made.channels = channels;
    made.pixels = pixels;
    // A rank that is too small is found with the rest.
    unsigned corners = std::max(rank, 2u) - 2;
    for (const int *place : {lower, upper})
      if (CUresult bad = checkPlace(call, place))
        return bad;
    std::copy_n(lower, corners, made.lower.begin());
    std::copy_n(upper, corners, made.upper.begin());
    return CUDA_SUCCESS;
  });
}

CUresult cuTensorMapReplaceAddress(void *map, void *address) {
  Call call("cuTensorMapReplaceAddress", Needs::Driver);
  if (!call)
    return call.status();
  if (CUresult bad = checkMap(call, map))
    return bad;
  std::optional<TensorMap> held = TensorMap::decode(map);
  if (!held)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a tensor map, as cuTensorMapEncodeTiled makes "
                     "them");
  held->address = reinterpret_cast<uint64_t>(address);
  std::string fault = held->findFault();
  if (!fault.empty())
    return call.fail(CUDA_ERROR_INVALID_VALUE, fault);
  held->encode(map);
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
