//===- Replace.cpp - Tensor maps that kernels change ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensormap.replace and tensormap.cp_fenceproxy (PTX ISA, sections 9.7.9.27.1.1
// and 9.7.13.16.1). A map of zeros alone, which compilers begin with, is one of
// a single element. What a map must be is checked when a copy uses it.
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Bulk.h"
#include "Runtime/Steps.h"
#include "tc/Emulator/TensorMap.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace tc::emulator::bulk {

/// The 128 bytes of a lane at an address in `space`, as an access. Null: it was
/// wrong, or a fault.
static char *findMap(Step &step, unsigned lane, ptx::Space space,
                     uint64_t address, AccessKind kind) {
  if (address % TensorMap::align) {
    fail(step, lane,
         "expected the address of a tensor map to be a multiple of " +
             llvm::Twine(unsigned(TensorMap::align)),
         FindingClass::Misaligned);
    return nullptr;
  }
  char *map = nullptr;
  for (unsigned at = 0; at < TensorMap::bytes; at += unitBytes) {
    Lanes addresses{};
    addresses[lane] = address + at;
    LanePointers found;
    if (!resolve(step, 1u << lane, space, addresses, unitBytes, kind, found) ||
        step.skipped >> lane & 1)
      return nullptr;
    map = map ? map : found[lane];
  }
  return map;
}

/// By the numbers of PTX, which are not those of the driver.
static TensorMap::Element getElement(unsigned number) {
  using Element = TensorMap::Element;
  constexpr Element elements[] = {
      Element::U8,     Element::U16, Element::U32,  Element::S32,
      Element::U64,    Element::S64, Element::F16,  Element::F32,
      Element::F32Ftz, Element::F64, Element::BF16, Element::TF32,
      Element::TF32Ftz};
  return elements[number];
}

static void replace(TensorMap &map, const ptx::Instruction &in,
                    uint64_t ordinal, uint64_t value) {
  if (in.has("global_address"))
    map.address = value;
  else if (in.has("rank"))
    map.rank = unsigned(value) + 1;
  else if (in.has("global_stride"))
    map.strides[ordinal] = value;
  else if (in.get("MapExtent") == "box_dim")
    map.box[ordinal] = uint32_t(value);
  else if (in.get("MapExtent") == "global_dim")
    map.extents[ordinal] = uint32_t(value);
  else if (in.get("MapExtent") == "element_stride")
    map.steps[ordinal] = uint32_t(value);
  else if (in.get("MapMode") == "elemtype")
    map.element = getElement(unsigned(value));
  else if (in.get("MapMode") == "interleave_layout")
    map.interleave = unsigned(value);
  else if (in.get("MapMode") == "swizzle_mode")
    map.swizzle = unsigned(value);
  else
    map.fillsNan = value;
}

bool replaceField(Step &step) {
  const ptx::Instruction &in = step.instruction;
  ptx::Space space = in.get("MapSpace") == "global" ? ptx::Space::Global
                     : in.has("MapSpace")           ? ptx::Space::Shared
                                                    : ptx::Space::Generic;
  return forLanes(step.active, [&](unsigned lane) {
    char *bytes =
        findMap(step, lane, space, step.sources[0][lane], AccessKind::Write);
    if (!bytes)
      return !step.launch.fault;
    std::optional<TensorMap> map = TensorMap::decode(bytes);
    auto isZero = [](char byte) { return byte == 0; };
    if (!map && std::all_of(bytes, bytes + TensorMap::bytes, isZero))
      map = TensorMap();
    if (!map)
      return fail(step, lane, "expected a tensor map, or zeros, at the address",
                  FindingClass::Async);
    replace(*map, in, step.sources[1][lane], step.sources.back()[lane]);
    map->encode(bytes);
    return true;
  });
}

/// Copies a map from shared to global memory for the warp, and releases it.
bool publishMap(Step &step) {
  unsigned lane = llvm::countr_zero(step.active);
  char *from = findMap(step, lane, ptx::Space::Shared, step.sources[1][lane],
                       AccessKind::Read);
  char *to = from ? findMap(step, lane, ptx::Space::Global,
                            step.sources[0][lane], AccessKind::Write)
                  : nullptr;
  if (!to)
    return !step.launch.fault;
  std::memcpy(to, from, TensorMap::bytes);
  return runtime::fence(step);
}

} // namespace tc::emulator::bulk
