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

#include "Saturating.h"
#include "Search/SearchSteps.h"

#include "tc/Analysis/Requests.h"
#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Requests that are looked at, of each kind.
static constexpr unsigned kSamples = 8;

/// The `sample`-th of some numbers below `count` that spread evenly, others for
/// each `coordinate`: multiples of odd fractions.
static int64_t pick(unsigned sample, unsigned coordinate, int64_t count) {
  static constexpr uint32_t fractions[] = {0x9e3779b9, 0xc13fa9a9, 0x91e10da5,
                                           0xd1b54a33, 0xabc98389, 0x8cb92ba7,
                                           0xe19b01ab, 0xaef17503};
  uint32_t fraction = fractions[coordinate % std::size(fractions)] * sample;
  return int64_t((uint64_t(fraction) * uint64_t(count)) >> 32);
}

Traffic::Traffic(const Workload &work, const TilePlan &plan,
                 TrafficCache &cache)
    : threads(plan.getNumThreads()),
      warps(llvm::divideCeil(threads, kWarpSize)), blocks(1), steps(1),
      work(work), plan(plan), cache(cache) {
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    parts.push_back(llvm::divideCeil(work.extents[i], getFactor(i)));
    (work.contracted[i] ? steps : blocks) *= double(parts.back());
  }
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

/// Elements that one read of a tile takes.
static int64_t getRead(const Workload &work, const TilePlan &plan,
                       ArrayRef<TileDim> dims, int64_t chunk) {
  // Contracted iterators are unrolled only where they are short, but with
  // tensor instructions.
  return !plan.mma && chunk > kMostUnrolled &&
                 work.contracted[dims.back().iterator]
             ? 1
             : chunk;
}

const TileCache::Entry &Traffic::getTile(const Access &input,
                                         ArrayRef<TileDim> dims) const {
  int64_t read = getRead(work, plan, dims, getChunk(dims, input.bytes));
  TileCache::Key key = {input.bytes, threads, read};
  for (const TileDim &dim : dims)
    key.append(
        {dim.size, dim.threads, dim.threadStride, dim.isVector, dim.isPaired});
  auto [it, isNew] = cache.tiles.tiles.try_emplace(std::move(key));
  TileCache::Entry &entry = it->second;
  if (!isNew)
    return entry;
  entry.tile = getStageTile(dims, input.bytes, threads);
  // A shift of all lanes changes no conflict, so registers and steps do not
  // count; and warps repeat.
  int64_t looked = std::min<int64_t>(warps, kSamples / 2);
  int64_t bytes = read * input.bytes;
  for (int64_t sample = 0; sample < looked; ++sample) {
    int64_t first = sample * warps / looked * kWarpSize;
    SmallVector<int64_t, kWarpSize> addresses =
        getReadAddresses(input, dims, first, /*start=*/0, entry.tile.strides);
    addShared(entry.read, addresses, bytes, /*isRead=*/true);
  }
  entry.read.wavefronts /= double(looked);
  entry.read.ideal /= double(looked);
  entry.read.requests = 1;
  return entry;
}

InputTraffic Traffic::countInput(const Access &input) const {
  InputTraffic found;
  found.dims = getTileDims(plan, work.contracted, input.nominal, input.nominal);
  const TileCache::Entry &entry = getTile(input, found.dims);
  found.tile = entry.tile;
  found.copied = getCopied(input, found);
  found.read = getRead(work, plan, found.dims, found.tile.read);
  found.isInPlace =
      !plan.mma && isReadInPlace(found.dims, input.bytes, threads);
  if (found.isInPlace) {
    found.tile.elements = 0;
    found.read = found.copied;
    found.reads = countInPlace(input, found);
    return found;
  }
  found.fill = countFill(input, found);
  found.reads = entry.read;
  found.reads *= countReadRequests(input, found);
  return found;
}

const InputTraffic &Traffic::getInput(unsigned k) const {
  const Access &input = work.inputs[k];
  TrafficCache::Key key = {k, threads};
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    if (work.contracted[i])
      key.append({plan.step[i], plan.thread[i], plan.vector[i]});
    else if (input.variesWith(i))
      key.append({plan.reg[i], plan.vector[i]});
  }
  int64_t faster = 1;
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    if (input.variesWith(lane.iterator))
      key.append({lane.iterator, lane.threads, faster});
    faster = multiply(faster, lane.threads);
  }
  auto [it, isNew] = cache.inputs.try_emplace(std::move(key));
  if (isNew)
    it->second = countInput(input);
  return it->second;
}

const Requests &Traffic::getWriteBack(const Access &array) const {
  TrafficCache::Key key(array.nominal.begin(), array.nominal.end());
  key.append({array.getNominalOffset(), array.bytes});
  for (unsigned i : work.getResults())
    key.append({plan.reg[i], plan.vector[i]});
  for (const LaneFactor &lane : plan.lanes)
    key.append({lane.iterator, lane.threads});
  auto [it, isNew] = cache.results.try_emplace(std::move(key));
  if (isNew)
    it->second = countWriteBack(array);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

PerIterator Traffic::getThread(int64_t number) const {
  PerIterator thread(work.getNumIterators(), 0), factor(thread.size(), 1);
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    unsigned i = lane.iterator;
    thread[i] += number % lane.threads * factor[i];
    factor[i] *= lane.threads;
    number /= lane.threads;
  }
  return thread;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

Requests Traffic::countFill(const Access &input,
                            const InputTraffic &found) const {
  ArrayRef<TileDim> dims = found.dims;
  int64_t chunks = countElements(dims) / found.copied;
  int64_t rounds = llvm::divideCeil(chunks, threads);
  int64_t bytes = found.copied * input.bytes;
  unsigned count = work.getNumIterators();
  SmallVector<int64_t> scales; // of the iterator, from an index to the next
  for (const TileDim &dim : dims)
    scales.push_back(dim.inputStride / input.nominal[dim.iterator]);
  Requests sum, counted;
  double active = 0, looked = 0;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t warp = pick(sample, 0, warps);
    int64_t first = pick(sample, 1, rounds) * threads + warp * kWarpSize;
    int64_t lanes =
        std::min({kWarpSize, threads - warp * kWarpSize, chunks - first});
    if (lanes <= 0)
      continue;
    // Where the tile begins, and what of it is inside.
    int64_t origin = input.getNominalOffset();
    PerIterator inside(count);
    for (unsigned i = 0; i < count; ++i) {
      int64_t at = pick(sample, 2 + i, parts[i]) * getFactor(i);
      origin += at * input.nominal[i];
      inside[i] = work.extents[i] - at;
    }
    PerIterator index(dims.size());
    int64_t rest = first * found.copied;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d].size)
      index[d] = rest % dims[d].size;
    SmallVector<int64_t, kWarpSize> global, shared;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t from = origin, to = 0;
      bool isInside = true;
      for (auto [d, dim] : llvm::enumerate(dims)) {
        from += index[d] * dim.inputStride;
        to += index[d] * found.tile.strides[d];
        isInside &= index[d] * scales[d] < inside[dim.iterator];
      }
      if (isInside)
        global.push_back(from * input.bytes);
      shared.push_back(to * input.bytes);
      advance(index, dims, found.copied);
    }
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
  int64_t tail = chunks - (rounds - 1) * threads;
  counted.requests =
      double((rounds - 1) * warps + llvm::divideCeil(tail, kWarpSize));
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
  SmallVector<int64_t, kWarpSize> addresses;
  for (int64_t lane = first; lane < std::min(first + kWarpSize, threads);
       ++lane) {
    int64_t address = start;
    for (auto [dim, stride] : llvm::zip_equal(dims, strides))
      address += dim.getPlace(lane) * stride;
    addresses.push_back(address * input.bytes);
  }
  return addresses;
}

/// Rows repeat here, too, so the first registers tell of all.
Requests Traffic::countInPlace(const Access &input,
                               const InputTraffic &found) const {
  PerIterator strides;
  for (const TileDim &dim : found.dims)
    strides.push_back(dim.inputStride);
  Requests sum, counted;
  int64_t looked = std::min<int64_t>(warps, kSamples / 2);
  for (int64_t sample = 0; sample < looked; ++sample) {
    int64_t first = sample * warps / looked * kWarpSize;
    SmallVector<int64_t, kWarpSize> addresses = getReadAddresses(
        input, found.dims, first, input.getNominalOffset(), strides);
    addGlobal(sum, addresses, found.read * input.bytes);
  }
  // What sticks out is not read.
  double inside = 1;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (input.variesWith(i))
      inside *= double(work.extents[i]) / double(parts[i] * getFactor(i));
  counted.requests = countReadRequests(input, found);
  double scale = counted.requests * inside / double(looked);
  counted.sectors = sum.sectors * scale;
  counted.lines = sum.lines * scale;
  return counted;
}

Requests Traffic::countWriteBack(const Access &array) const {
  int64_t width = getStored(array);
  unsigned count = work.getNumIterators();
  Requests sum, counted;
  double active = 0;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t first = pick(sample, 0, warps) * kWarpSize;
    PerIterator start(count, 0);
    for (unsigned i : work.getResults())
      start[i] = pick(sample, 1 + i, parts[i]) * plan.getBlock(i) +
                 pick(sample, 2 + count + i, plan.reg[i]) * plan.thread[i] *
                     plan.vector[i];
    SmallVector<int64_t, kWarpSize> addresses;
    for (int64_t lane = first; lane < std::min(first + kWarpSize, threads);
         ++lane) {
      int64_t address = array.getNominalOffset();
      bool isInside = true;
      PerIterator thread = getThread(lane);
      for (unsigned i = 0; i < count; ++i) {
        int64_t at = start[i] + thread[i] * plan.vector[i];
        address += at * array.nominal[i];
        // Of threads that share a result the first stores it.
        isInside &= work.contracted[i] ? at == 0 : at < work.extents[i];
      }
      if (isInside)
        addresses.push_back(address * array.bytes);
    }
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
// same for all requests.
