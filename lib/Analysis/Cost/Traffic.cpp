//===- Traffic.cpp - The memory accesses of a plan ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Sampled requests] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Cost/Traffic.h"

#include "Cost/SampledPlace.h"
#include "Saturating.h"
#include "Search/SearchSteps.h"

#include "tc/Algebra/Digits.h"
#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

Traffic::Traffic(const Workload &work, const TilePlan &plan,
                 TrafficCache &cache)
    : threads(plan.getNumThreads()),
      warps(llvm::divideCeil(threads, kWarpSize)), blocks(1), steps(1),
      work(work), plan(plan), cache(cache) {
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    parts.push_back(llvm::divideCeil(work.extents[i], getFactor(i)));
    (work.contracted[i] ? steps : blocks) *= double(parts.back());
  }
  if (plan.mma)
    written =
        getWrittenTerms(plan, llvm::to_vector_of<unsigned, 8>(work.getSums()));
}

/// Adds what global memory does for `bytes` at each address.
static void addGlobal(Requests &sum, ArrayRef<int64_t> addresses,
                      int64_t bytes) {
  sum.sectors += double(countSectors(addresses, bytes));
  sum.lines += double(countLines(addresses, bytes));
}

/// The same for shared memory.
static void addShared(Requests &sum, ArrayRef<int64_t> addresses, int64_t bytes,
                      bool isRead) {
  sum.wavefronts += double(countWavefronts(addresses, bytes, isRead));
  sum.ideal += double(countIdealWavefronts(addresses, bytes, isRead));
}

/// What global memory does for `elements`, by a sample that has `sampled`.
static void scaleGlobal(Requests &counted, const Requests &sample,
                        double sampled, double elements) {
  if (sampled == 0)
    return;
  counted.sectors = sample.sectors / sampled * elements;
  counted.lines = sample.lines / sampled * elements;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t Traffic::getCopied(const Access &input,
                           const InputTraffic &found) const {
  int64_t chunk = found.tile.chunk;
  if (chunk == 1 || !mayCopyTogether(plan, input.bytes, chunk))
    return 1;
  const TileDim &last = found.dims.back();
  // A whole iterator in a chunk may stick out.
  return last.inputStride == 1 && work.extents[last.iterator] % chunk == 0 &&
                 input.isAligned(last.iterator, chunk)
             ? chunk
             : 1;
}

int64_t Traffic::getStored(const Access &array) const {
  for (unsigned i : work.getResults())
    if (int64_t vector = plan.vector[i]; vector > 1 && array.nominal[i] == 1)
      return array.isAligned(i, vector) &&
                     vector * array.bytes <= kMaxAccessBytes
                 ? vector
                 : 1;
  return 1;
}

int64_t Traffic::getRead(ArrayRef<TileDim> dims, int64_t chunk) const {
  if (dims.empty() || !work.contracted[dims.back().iterator])
    return chunk;
  if (plan.mma)
    return std::gcd(chunk, written[dims.back().iterator]);
  // These are unrolled only where they are short.
  return chunk > kMostUnrolled ? 1 : chunk;
}

Requests Traffic::sampleRead(const Access &input, ArrayRef<TileDim> dims,
                             const StageTile &tile, int64_t width) const {
  // A shift of all lanes changes no conflict, so registers and steps do not
  // count; and warps repeat.
  Requests read;
  int64_t looked = std::min<int64_t>(warps, kSamples / 2);
  for (int64_t sample = 0; sample < looked; ++sample) {
    int64_t first = sample * warps / looked * kWarpSize;
    SmallVector<int64_t, kWarpSize> addresses =
        getReadAddresses(input, dims, first, /*start=*/0, tile.strides);
    addShared(read, addresses, width * input.bytes, /*isRead=*/true);
  }
  read.wavefronts /= double(looked);
  read.ideal /= double(looked);
  read.requests = 1;
  return read;
}

/// Dimensions of a row that a thread walks along a contracted iterator, by
/// reads of `read` elements; none where a lane has only some of it.
size_t Traffic::countRowDims(ArrayRef<TileDim> dims, int64_t read) const {
  size_t own = read > 1 ? 2 : 1;
  if (plan.mma || dims.size() < own || !work.contracted[dims.back().iterator])
    return 0;
  auto isOfRow = [&](const TileDim &dim) {
    return dim.threads == 1 && dim.iterator == dims.back().iterator;
  };
  return llvm::all_of(dims.take_back(own), isOfRow) ? own : 0;
}

/// Are rows of `tile`, its last `rowDims` dimensions, whole and aligned for
/// accesses of `width` elements, where a read has `read`?
static bool areRowsAligned(const StageTile &tile, size_t rowDims, int64_t read,
                           int64_t width) {
  ArrayRef<int64_t> strides = tile.strides;
  size_t rows = strides.size() - rowDims;
  auto isAligned = [&](int64_t stride) { return stride % width == 0; };
  return (rowDims == 1 || strides[rows] == read) && isAligned(tile.elements) &&
         llvm::all_of(strides.take_front(rows), isAligned);
}

TileReads Traffic::countTile(const Access &input, ArrayRef<TileDim> dims,
                             int64_t read, size_t rowDims) const {
  TileReads found;
  found.tile = getStageTile(dims, input.bytes, threads);
  found.read = sampleRead(input, dims, found.tile, read);
  if (rowDims == 0)
    return found;
  for (int64_t width : {2 * read, 4 * read})
    if (width * input.bytes <= kMaxAccessBytes &&
        areRowsAligned(found.tile, rowDims, read, width))
      found.together.push_back(sampleRead(input, dims, found.tile, width));
  return found;
}

const TileReads &Traffic::getTile(const Access &input,
                                  ArrayRef<TileDim> dims) const {
  int64_t read = getRead(dims, getChunk(dims, input.bytes));
  TileCache::Key key = {input.bytes, threads, read};
  size_t rowDims = countRowDims(dims, read);
  key.push_back(int64_t(rowDims));
  for (const TileDim &dim : dims)
    key.append(
        {dim.size, dim.threads, dim.threadStride, dim.isVector, dim.isPaired});
  return cache.tiles.get(std::move(key),
                         [&] { return countTile(input, dims, read, rowDims); });
}

InputTraffic Traffic::countInput(const Access &input) const {
  InputTraffic found;
  found.dims = getTileDims(plan, work.contracted, input.nominal, input.nominal);
  const TileReads &entry = getTile(input, found.dims);
  found.tile = entry.tile;
  found.copied = getCopied(input, found);
  found.read = getRead(found.dims, found.tile.read);
  found.isInPlace =
      !plan.mma && isReadInPlace(found.dims, input.bytes, threads);
  if (found.isInPlace) {
    found.tile.elements = 0;
    found.read = found.copied;
    found.reads = countInPlace(input, found);
    return found;
  }
  SmallVector<int64_t> chunks = llvm::map_to_vector(
      found.dims, [](const TileDim &dim) { return dim.size; });
  if (!chunks.empty())
    chunks.back() /= found.copied;
  found.team = getCopyTeam(chunks, threads, found.copied * input.bytes);
  found.hasConstantDistances =
      found.team.isRegular() &&
      llvm::all_of(llvm::enumerate(found.dims), [&](auto dim) {
        return found.team.countRounds(dim.index()) == 1 ||
               !ShapedType::isDynamic(input.strides[dim.value().iterator]);
      });
  found.fill = countFill(input, found);
  found.together = entry.together;
  found.reads = entry.read;
  found.reads *= countReadRequests(input, found);
  return found;
}

const InputTraffic &Traffic::getInput(unsigned k) const {
  const Access &input = work.inputs[k];
  Memo<InputTraffic>::Key key = {k, threads};
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    if (work.contracted[i])
      key.append({plan.step[i], plan.thread[i], plan.vector[i],
                  plan.mma ? written[i] : 0});
    else if (input.variesWith(i))
      key.append({plan.reg[i], plan.vector[i]});
  }
  int64_t faster = 1;
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    if (input.variesWith(lane.iterator))
      key.append({lane.iterator, lane.threads, faster});
    faster = multiply(faster, lane.threads);
  }
  return cache.inputs.get(std::move(key), [&] { return countInput(input); });
}

const Requests &Traffic::getWriteBack(const Access &array) const {
  Memo<Requests>::Key key(array.nominal.begin(), array.nominal.end());
  key.append({array.getNominalOffset(), array.bytes});
  for (unsigned i : work.getResults())
    key.append({plan.reg[i], plan.vector[i]});
  for (const LaneFactor &lane : plan.lanes)
    key.append({lane.iterator, lane.threads});
  return cache.results.get(std::move(key),
                           [&] { return countWriteBack(array); });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void Traffic::addThreads(unsigned i, int64_t first,
                         MutableArrayRef<int64_t> places) const {
  int64_t faster = 1, stride = plan.vector[i];
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    if (lane.iterator == i) {
      addDigits(first, faster, lane.threads, stride, places);
      stride *= lane.threads;
    }
    faster *= lane.threads;
  }
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Requests of the warps of `team` for all of its copies.
static double countFillRequests(const CopyTeam &team) {
  if (!team.isRegular()) {
    int64_t whole = team.countRounds() - 1;
    int64_t tail =
        llvm::product_of(team.sizes, int64_t(1)) - whole * team.threads;
    return double(whole * llvm::divideCeil(team.threads, kWarpSize) +
                  llvm::divideCeil(tail, kWarpSize));
  }
  // In the last round along the outermost dimension the last warps rest.
  int64_t inner = team.threads / team.along[0], outer = team.countRounds(0);
  int64_t tail = team.sizes[0] - (outer - 1) * team.along[0];
  return double(team.countRounds() / outer *
                ((outer - 1) * llvm::divideCeil(team.threads, kWarpSize) +
                 llvm::divideCeil(tail * inner, kWarpSize)));
}

Requests Traffic::countFill(const Access &input,
                            const InputTraffic &found) const {
  ArrayRef<TileDim> dims = found.dims;
  const CopyTeam &team = found.team;
  int64_t bytes = found.copied * input.bytes, rounds = team.countRounds(),
          copying = llvm::divideCeil(team.threads, kWarpSize);
  unsigned count = work.getNumIterators();
  /// From a chunk to the next along a dimension: elements of the input and of
  /// the tile, and points of the iterator.
  struct Stride {
    int64_t input, tile, points;
    unsigned iterator;
  };
  SmallVector<Stride> strides;
  for (auto [dim, stride] : llvm::zip_equal(dims, found.tile.strides)) {
    int64_t elements = &dim == &dims.back() ? found.copied : 1;
    strides.push_back(
        {elements * dim.inputStride, elements * stride,
         elements * (dim.inputStride / input.nominal[dim.iterator]),
         dim.iterator});
  }
  /// What a lane copies, in elements; nothing where it rests, and nothing from
  /// global memory where its chunk sticks out.
  struct Lane {
    int64_t from, to;
    bool rests, sticksOut;
  };
  Requests sum, counted;
  double active = 0, looked = 0;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t first = pick(sample, 0, copying) * kWarpSize;
    int64_t round = pick(sample, 1, rounds);
    // Where the tile begins, and what of it is inside.
    SampledPlace place(input, sample);
    PerIterator inside(count);
    for (unsigned i = 0; i < count; ++i)
      inside[i] = work.extents[i] - place.add(i, 2 + i, parts[i], getFactor(i));
    int64_t origin = place.getElement();
    // Without dimensions there is one chunk.
    int64_t last = strides.empty() ? 1 : team.threads;
    SmallVector<Lane, kWarpSize> lanes(
        std::clamp<int64_t>(last - first, 0, kWarpSize),
        {origin, 0, false, false});
    for (auto [d, stride] : llvm::enumerate(strides)) {
      int64_t size = team.sizes[d];
      int64_t end = llvm::divideCeil(inside[stride.iterator], stride.points);
      for (auto [lane, place] : llvm::zip_equal(
               lanes, team.getPlaces(d, first, lanes.size(), round))) {
        lane.from += place * stride.input;
        lane.to += place * stride.tile;
        lane.rests |= place >= size;
        lane.sticksOut |= place >= end;
      }
    }
    SmallVector<int64_t, kWarpSize> global, shared;
    for (const Lane &lane : lanes) {
      if (lane.rests)
        continue;
      if (!lane.sticksOut)
        global.push_back(lane.from * input.bytes);
      shared.push_back(lane.to * input.bytes);
    }
    if (shared.empty())
      continue;
    addGlobal(sum, global, bytes);
    addShared(sum, shared, bytes, /*isRead=*/false);
    active += double(global.size() * found.copied);
    looked += 1;
  }
  // The elements that are inside, on average.
  double elements = 1;
  for (unsigned i = 0; i < count; ++i)
    if (input.variesWith(i))
      elements *= double(work.extents[i]) / double(parts[i]);
  counted.requests = countFillRequests(team);
  scaleGlobal(counted, sum, active, elements);
  if (looked) {
    counted.wavefronts = sum.wavefronts / looked * counted.requests;
    counted.ideal = sum.ideal / looked * counted.requests;
  }
  return counted;
}

double Traffic::countReadRequests(const Access &input,
                                  const InputTraffic &found) const {
  double reads = double(warps) / double(found.read);
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i])
      reads *= double(plan.step[i]) / double(plan.thread[i]);
    else if (input.variesWith(i))
      reads *= double(plan.reg[i] * plan.vector[i]);
  // Of a fragment a lane reads a fourth of the terms, and one column of two.
  if (plan.mma) {
    reads /= double(kMmaColumnLanes);
    if (input.variesWith(plan.mma->pair))
      reads /= double(kMmaColumnsPerLane);
  }
  return reads;
}

SmallVector<int64_t, 32>
Traffic::getReadAddresses(const Access &input, ArrayRef<TileDim> dims,
                          int64_t first, int64_t start,
                          ArrayRef<int64_t> strides) const {
  SmallVector<int64_t, kWarpSize> addresses(
      std::min(kWarpSize, threads - first), start);
  for (auto [dim, stride] : llvm::zip_equal(dims, strides))
    dim.addPlaces(first, stride, addresses);
  for (int64_t &address : addresses)
    address *= input.bytes;
  return addresses;
}

Requests Traffic::countInPlace(const Access &input,
                               const InputTraffic &found) const {
  PerIterator strides;
  for (const TileDim &dim : found.dims)
    strides.push_back(dim.inputStride);
  Requests sum, counted;
  unsigned count = work.getNumIterators();
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t first = pick(sample, 0, warps) * kWarpSize;
    // Some register or iteration of some block or step.
    SampledPlace place(input, sample);
    for (unsigned i = 0; i < count; ++i) {
      int64_t together = plan.thread[i] * plan.vector[i];
      place.add(i, 1 + i, parts[i], getFactor(i));
      place.add(i, 1 + count + i, getFactor(i) / together, together);
    }
    SmallVector<int64_t, kWarpSize> addresses =
        getReadAddresses(input, found.dims, first, place.getElement(), strides);
    addGlobal(sum, addresses, found.read * input.bytes);
  }
  // What sticks out is not read.
  double inside = 1;
  for (unsigned i = 0; i < count; ++i)
    if (input.variesWith(i))
      inside *= double(work.extents[i]) / double(parts[i] * getFactor(i));
  counted.requests = countReadRequests(input, found);
  double scale = counted.requests * inside / kSamples;
  counted.sectors = sum.sectors * scale;
  counted.lines = sum.lines * scale;
  return counted;
}

Requests Traffic::countWriteBack(const Access &array) const {
  int64_t width = getStored(array);
  unsigned count = work.getNumIterators();
  struct Lane {
    int64_t address; ///< of its result, in elements
    bool isInside;   ///< is there one?
  };
  Requests sum, counted;
  double active = 0;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t first = pick(sample, 0, warps) * kWarpSize;
    SampledPlace place(array, sample);
    PerIterator start(count, 0);
    for (unsigned i : work.getResults())
      start[i] = place.add(i, 1 + i, parts[i], plan.getBlock(i)) +
                 place.add(i, 2 + count + i, plan.reg[i],
                           plan.thread[i] * plan.vector[i]);
    SmallVector<Lane, kWarpSize> lanes(std::min(kWarpSize, threads - first),
                                       {place.getElement(), true});
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<int64_t, kWarpSize> offsets(lanes.size(), 0);
      addThreads(i, first, offsets);
      // Of threads that share a result the first stores it.
      int64_t end = work.contracted[i] ? 1 : work.extents[i];
      for (auto [lane, offset] : llvm::zip_equal(lanes, offsets)) {
        lane.address += offset * array.nominal[i];
        lane.isInside &= start[i] + offset < end;
      }
    }
    SmallVector<int64_t, kWarpSize> addresses;
    for (const Lane &lane : lanes)
      if (lane.isInside)
        addresses.push_back(lane.address * array.bytes);
    addGlobal(sum, addresses, width * array.bytes);
    active += double(addresses.size());
  }
  // One request for each of a thread's results, or `width` of them.
  counted.requests = double(warps) * blocks / double(width);
  double lanes = 1 / double(width);
  for (unsigned i : work.getResults()) {
    if (array.variesWith(i)) {
      counted.requests *= double(plan.reg[i] * plan.vector[i]);
      lanes *= double(work.extents[i]);
    } else {
      lanes *= double(parts[i] * plan.thread[i]);
    }
  }
  scaleGlobal(counted, sum, active, lanes);
  return counted;
}

// Note [Sampled requests]
// ~~~~~~~~~~~~~~~~~~~~~~~
// The requests of a warp for one array differ by where its tile begins (the
// block, the step) and by where in the tile it is. A few of them, spread evenly
// over all of these, are counted exactly: lanes to addresses, addresses to
// sectors and banks. How many requests there are, and how many elements are
// asked for in all, is known without samples; so the samples only decide the
// sectors of an element and the wavefronts of a request, which mostly are the
// same for all requests. Where they are not, it is for the place in a line
// where a tile begins, so that is not left to chance (SampledPlace.h).
