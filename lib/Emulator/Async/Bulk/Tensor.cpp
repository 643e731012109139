//===- Tensor.cpp - Bulk copies of tensors --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetches (PTX
// ISA, section 9.7.9.25.5).
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Tensor.h"
#include "Async/Bulk/Bulk.h"
#include "Translate/Lower/Formats.h"
#include "Warp/Swizzle.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>

using llvm::Twine;

namespace tc::emulator::bulk {

namespace {

/// Boxes begin at a multiple of it in shared memory.
constexpr uint32_t boxAlign = 128;

std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

/// A lane at an instruction with a tensor map.
class Issuer {
public:
  Issuer(Step &step, unsigned lane) : step(step), lane(lane) {}
  bool load();
  bool store();
  bool prefetch();

private:
  bool readMap(uint64_t address);
  bool readBox(unsigned first);
  bool checkRows(bool isStore);
  bool misuse(const Twine &what) {
    return fail(step, lane, what, FindingClass::Async);
  }
  uint64_t source(unsigned index) const { return step.sources[index][lane]; }
  uint64_t toHost(uint64_t address) const {
    return reinterpret_cast<uint64_t>(step.warp.block->shared) + address -
           sharedStart;
  }
  void addPieces(Copy &copy, char *shared, const BoxRow &row, bool isLoad);
  std::unique_ptr<Copy> make(char *shared, bool isLoad);

  Step &step;
  unsigned lane;
  const ptx::Instruction &in = step.instruction;
  TensorMap map;
  std::vector<BoxRow> rows;
};

unsigned getRank(const ptx::Instruction &in) {
  return (in.has("Dim") ? in.get("Dim") : in.get("DimIm2col"))[0] - '0';
}

/// The map may be in parameters, constants or global memory.
bool Issuer::readMap(uint64_t address) {
  if (address % TensorMap::align)
    return misuse("the tensor map at " + Twine(hex(address)) +
                  " is misaligned: expected a multiple of " +
                  Twine(unsigned(TensorMap::align)));
  std::optional<uint64_t> readable =
      checkSpan(step, lane, ptx::Space::Generic, address, TensorMap::bytes,
                /*isStore=*/false);
  if (!readable)
    return false;
  std::optional<TensorMap> found;
  if (*readable == TensorMap::bytes)
    found = TensorMap::decode(reinterpret_cast<const void *>(address));
  if (!found)
    return misuse("expected a tensor map, as cuTensorMapEncodeTiled makes "
                  "them, at generic address " +
                  Twine(hex(address)));
  map = *found;
  std::string fault = map.findFault();
  if (!fault.empty())
    return misuse("the tensor map at " + Twine(hex(address)) + ": " + fault);
  bool isIm2col = in.has("DimIm2col");
  if (isIm2col != (map.kind == TensorMap::Kind::Im2col))
    return misuse(isIm2col ? "expected a tensor map for im2col, got a tiled one"
                           : "expected a tiled tensor map, got one for im2col");
  if (map.rank != getRank(in))
    return misuse("expected a tensor of " + Twine(getRank(in)) +
                  " dimensions, got a tensor map of " + Twine(map.rank));
  if (map.interleave)
    return misuse("interleaved layouts of tensors are not covered");
  uint64_t row =
      map.getElementBytes() * (isIm2col ? map.channels : map.countElements(0));
  uint64_t span = unitBytes << map.swizzle;
  if (map.swizzle && row != span)
    return misuse("expected an inner dimension of the box of " + Twine(span) +
                  " bytes, which the swizzle has, got " + Twine(row) +
                  "; where narrower rows lie is not documented, and not "
                  "covered");
  return true;
}

/// Coordinates from source `first` on, and the offsets of im2col behind what
/// follows them.
bool Issuer::readBox(unsigned first) {
  Coordinates at{};
  for (unsigned i = 0; i < map.rank; ++i)
    at[i] = int32_t(source(first + i));
  std::array<uint32_t, TensorMap::maxRank - 2> offsets{};
  bool hasOffsets = in.has("im2col");
  unsigned next = first + map.rank + (in.has("prefetch") ? 0 : 1);
  for (unsigned i = 0; hasOffsets && i + 2 < map.rank; ++i) {
    offsets[i] = uint16_t(source(next + i));
    uint32_t most = map.rank == 3 ? 65535 : map.rank == 4 ? 255 : 31;
    if (offsets[i] > most)
      return misuse("expected offsets of im2col up to " + Twine(most) +
                    ", got " + Twine(offsets[i]));
  }
  for (unsigned i = 1; in.has("DimIm2col") && i + 1 < map.rank; ++i) {
    int64_t most = int64_t(map.extents[i]) - 1 + map.upper[i - 1];
    if (at[i] < map.lower[i - 1] || at[i] > most)
      return misuse("expected coordinate " + Twine(i) +
                    " in the bounding box, from " + Twine(map.lower[i - 1]) +
                    " to " + Twine(most) + ", got " + Twine(at[i]));
  }
  rows = findRows(map, at, offsets);
  return true;
}

/// That all of the tensor that is touched is there. What is not counts as
/// outside.
bool Issuer::checkRows(bool isStore) {
  Launch &launch = step.launch;
  if (!launch.options.checks.has(Checks::Bounds.chosen))
    return true;
  Region known{};
  for (BoxRow &row : rows) {
    if (!row.inside || known.contains(row.global, row.inside))
      continue;
    std::optional<uint64_t> there = checkSpan(step, lane, ptx::Space::Global,
                                              row.global, row.inside, isStore);
    if (!there)
      return false;
    if (*there < row.inside) {
      row.behind += row.inside - *there;
      row.inside = *there;
      continue;
    }
    std::lock_guard<std::mutex> lock(launch.memory.mutex);
    if (const Allocation *found = launch.memory.find(row.global))
      known = found->region;
  }
  return true;
}

void flush(char *at, uint32_t bytes) {
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, at + i, 4);
    if (!(bits & 0x7f800000))
      bits &= 0x80000000;
    std::memcpy(at + i, &bits, 4);
  }
}

void roundToTF32(char *at, uint32_t bytes) {
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, at + i, 4);
    float value = llvm::bit_cast<float>(bits);
    bits = std::isnan(value) ? bits & 0xffffe000
                             : encode(value, {Format::TF32, Rounding::Away});
    std::memcpy(at + i, &bits, 4);
  }
}

void flushAndRound(char *at, uint32_t bytes) {
  flush(at, bytes);
  roundToTF32(at, bytes);
}

/// What a load does to the numbers of a type.
Transform findTransform(TensorMap::Element element) {
  switch (element) {
  case TensorMap::Element::F32Ftz:
    return flush;
  case TensorMap::Element::TF32:
    return roundToTF32;
  case TensorMap::Element::TF32Ftz:
    return flushAndRound;
  default:
    return nullptr;
  }
}

ptx::Type getType(TensorMap::Element element) {
  switch (element) {
  case TensorMap::Element::U8:
    return ptx::Type::U8;
  case TensorMap::Element::U16:
    return ptx::Type::U16;
  case TensorMap::Element::U32:
    return ptx::Type::U32;
  case TensorMap::Element::S32:
    return ptx::Type::S32;
  case TensorMap::Element::U64:
    return ptx::Type::U64;
  case TensorMap::Element::S64:
    return ptx::Type::S64;
  case TensorMap::Element::F16:
    return ptx::Type::F16;
  case TensorMap::Element::BF16:
    return ptx::Type::BF16;
  case TensorMap::Element::F64:
    return ptx::Type::F64;
  default:
    return ptx::Type::F32;
  }
}

/// Not a number, as each type has it.
void setFill(Copy &copy, const TensorMap &map) {
  if (!map.fillsNan)
    return;
  copy.fillBytes = map.getElementBytes();
  uint64_t bits = map.element == TensorMap::Element::F64 ? 0x7ff8ull << 48
                  : copy.fillBytes == 4                  ? 0x7fffffff
                                                         : 0x7fff;
  std::memcpy(copy.fill.data(), &bits, copy.fillBytes);
}

/// One piece for each stretch that is moved alike; a swizzle cuts it at each 16
/// bytes.
void Issuer::addPieces(Copy &copy, char *shared, const BoxRow &row,
                       bool isLoad) {
  uint32_t span = unitBytes << map.swizzle;
  uint32_t all = row.before + row.inside + row.behind;
  for (uint32_t at = 0; at < all;) {
    bool isInside = at >= row.before && at < row.before + row.inside;
    uint32_t end = at < row.before ? row.before
                   : isInside      ? row.before + row.inside
                                   : all;
    if (map.swizzle)
      end = std::min<uint32_t>(end, (at / unitBytes + 1) * unitBytes);
    uint64_t place = reinterpret_cast<uint64_t>(shared) + row.shared + at;
    char *held = reinterpret_cast<char *>(swizzleAddress(place, span));
    char *global = reinterpret_cast<char *>(row.global + at - row.before);
    if (isLoad)
      copy.pieces.push_back({held, isInside ? global : nullptr, end - at});
    else if (isInside)
      copy.pieces.push_back({global, held, end - at});
    at = end;
  }
  if (row.inside)
    copy.addGlobal(row.global, row.inside);
}

std::unique_ptr<Copy> Issuer::make(char *shared, bool isLoad) {
  auto copy = std::make_unique<Copy>();
  copy->lane = lane;
  setFill(*copy, map);
  if (isLoad)
    copy->transform = findTransform(map.element);
  for (const BoxRow &row : rows)
    addPieces(*copy, shared, row, isLoad);
  SharedRange &range = isLoad ? copy->to : copy->from;
  range = {shared, uint32_t(map.getBoxBytes())};
  copy->span = uint8_t(unitBytes << map.swizzle);
  return copy;
}

bool Issuer::load() {
  unsigned rank = getRank(in);
  bool isToCluster = in.has("shared::cluster");
  LanePointers objects;
  if (!readMap(source(1)) || !readBox(2) || !checkRows(/*isStore=*/false) ||
      !resolve(step, 1u << lane,
               isToCluster ? ptx::Space::Cluster : ptx::Space::Shared,
               step.sources[2 + rank], 8, AccessKind::Atomic, objects))
    return false;
  uint64_t to =
      isToCluster ? toGeneric(*step.warp.block, source(0)) : toHost(source(0));
  std::optional<uint64_t> blocks;
  if (in.has("multicast::cluster"))
    blocks = uint16_t(source(3 + rank + (in.has("im2col") ? rank - 2 : 0)));
  uint64_t bytes = map.getBoxBytes();
  bool isFine = checkMultiple(step, lane, "destination", source(0), boxAlign);
  if (step.launch.fault)
    return false;
  std::optional<uint64_t> there =
      isFine ? checkSpan(step, lane,
                         isToCluster ? ptx::Space::Cluster : ptx::Space::Shared,
                         isToCluster ? to : source(0), bytes, /*isStore=*/true)
             : 0;
  if (!there)
    return false;
  Targets targets;
  if (!findTargets(step, lane, to, reinterpret_cast<uint64_t>(objects[lane]),
                   blocks, targets))
    return false;
  for (const Target &target : targets) {
    // One that does not fit moves nothing.
    std::unique_ptr<Copy> copy =
        *there == bytes ? make(target.to, true) : std::make_unique<Copy>();
    copy->lane = lane;
    copy->object = target.object;
    copy->bytes = bytes;
    if (!issue(step, std::move(copy)))
      return false;
  }
  return true;
}

bool Issuer::store() {
  unsigned rank = getRank(in);
  if (!readMap(source(0)) || !readBox(1) || !checkRows(/*isStore=*/true))
    return false;
  Combine combine = nullptr;
  if (in.has("reduce")) {
    combine = findCombine(in.get("BulkRed"), getType(map.element));
    bool isTF32 = map.element == TensorMap::Element::TF32 ||
                  map.element == TensorMap::Element::TF32Ftz;
    if (!combine || isTF32)
      return misuse("'." + in.get("BulkRed") +
                    "' does not reduce the elements of the tensor map");
  }
  uint64_t from = source(1 + rank), bytes = map.getBoxBytes();
  if (!checkMultiple(step, lane, "source", from, boxAlign))
    return !step.launch.fault;
  std::optional<uint64_t> there =
      checkSpan(step, lane, ptx::Space::Shared, from, bytes, /*isStore=*/false);
  if (!there || *there < bytes)
    return there.has_value();
  std::unique_ptr<Copy> copy =
      make(reinterpret_cast<char *>(toHost(from)), false);
  copy->combine = combine;
  return issue(step, std::move(copy));
}

bool Issuer::prefetch() {
  return readMap(source(0)) && readBox(1) && checkRows(/*isStore=*/false);
}

template <bool (Issuer::*run)()>
bool forEach(Step &step) {
  return forLanes(step.active,
                  [&](unsigned lane) { return (Issuer(step, lane).*run)(); });
}

} // namespace

bool loadTensor(Step &step) { return forEach<&Issuer::load>(step); }
bool storeTensor(Step &step) { return forEach<&Issuer::store>(step); }
bool prefetchTensor(Step &step) { return forEach<&Issuer::prefetch>(step); }

} // namespace tc::emulator::bulk
