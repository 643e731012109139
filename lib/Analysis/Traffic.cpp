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

#include "Traffic.h"

#include "Saturating.h"

#include "tc/Analysis/Requests.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

static constexpr int64_t kWarp = 32;
/// Requests that are looked at, of each kind.
static constexpr unsigned kSamples = 8;
/// Bytes that one instruction moves at most.
static constexpr int64_t kMostBytes = 16;

/// The `sample`-th of some numbers below `count` that spread evenly, others for
/// each `coordinate`: multiples of odd fractions.
static int64_t pick(unsigned sample, unsigned coordinate, int64_t count) {
  static constexpr uint32_t fractions[] = {0x9e3779b9, 0xc13fa9a9, 0x91e10da5,
                                           0xd1b54a33, 0xabc98389, 0x8cb92ba7,
                                           0xe19b01ab, 0xaef17503};
  uint32_t fraction = fractions[coordinate % std::size(fractions)] * sample;
  return int64_t((uint64_t(fraction) * uint64_t(count)) >> 32);
}

Traffic::Traffic(const Workload &work, const TilePlan &plan)
    : threads(plan.getNumThreads()), warps(llvm::divideCeil(threads, kWarp)),
      blocks(1), steps(1), work(work), plan(plan) {
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i) {
    parts.push_back(llvm::divideCeil(work.extents[i], getFactor(i)));
    (work.contracted[i] ? steps : blocks) *= double(parts.back());
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t Traffic::getAligned(const WorkArray &array, unsigned i) const {
  int64_t vector = plan.vector[i];
  if (vector == 1 || array.strides[i] != 1)
    return 1;
  vector = std::min(vector, std::max<int64_t>(kMostBytes / array.bytes, 1));
  for (auto [other, stride] : llvm::enumerate(array.strides))
    if (other != i && stride % vector != 0)
      return 1;
  return array.offset % vector == 0 ? vector : 1;
}

TileLayout Traffic::getLayout(unsigned k) const {
  const WorkArray &input = work.inputs[k];
  TileLayout tile;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (input.variesWith(i) && getFactor(i) > 1)
      tile.order.push_back(i);
  if (tile.order.empty())
    return tile;
  llvm::stable_sort(tile.order, [&](unsigned a, unsigned b) {
    return std::abs(input.strides[a]) > std::abs(input.strides[b]);
  });
  tile.copied = getAligned(input, tile.order.back());
  tile.read = std::min(plan.vector[tile.order.back()],
                       std::max<int64_t>(kMostBytes / input.bytes, 1));
  size_t rank = tile.order.size(), split = rank;
  if (!plan.lanes.empty())
    split = llvm::find(tile.order, plan.lanes.back()) - tile.order.begin() + 1;
  tile.sizes.resize(rank);
  tile.strides.resize(rank);
  int64_t stride = 1, unit = std::max(tile.copied, tile.read);
  for (size_t d = rank; d-- > 0;) {
    // What lanes step over is odd in units, so that banks differ.
    if (d + 1 == split && split < rank && stride / unit % 2 == 0)
      stride += unit;
    tile.strides[d] = stride;
    tile.sizes[d] = getFactor(tile.order[d]);
    stride = multiply(stride, tile.sizes[d]);
  }
  tile.elements = stride;
  return tile;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

PerIterator Traffic::getThread(int64_t number) const {
  PerIterator thread(work.getNumIterators(), 0);
  for (unsigned i : llvm::reverse(plan.lanes)) {
    thread[i] = number % plan.thread[i];
    number /= plan.thread[i];
  }
  return thread;
}

void Traffic::advance(PerIterator &thread) const {
  for (unsigned i : llvm::reverse(plan.lanes)) {
    if (++thread[i] < plan.thread[i])
      return;
    thread[i] = 0;
  }
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Addresses of the lanes of one request.
using Lanes = SmallVector<int64_t, kWarp>;

Requests Traffic::countFill(const WorkArray &input,
                            const TileLayout &tile) const {
  size_t rank = tile.order.size();
  PerIterator sizes = tile.sizes;
  if (rank)
    sizes.back() /= tile.copied;
  int64_t chunks = 1;
  for (int64_t size : sizes)
    chunks = multiply(chunks, size);
  int64_t rounds = llvm::divideCeil(chunks, threads);
  int64_t bytes = tile.copied * input.bytes;
  double sectors = 0, wavefronts = 0, active = 0, looked = 0;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t warp = pick(sample, 0, warps);
    int64_t first = pick(sample, 1, rounds) * threads + warp * kWarp;
    int64_t lanes = std::min({kWarp, threads - warp * kWarp, chunks - first});
    if (lanes <= 0)
      continue;
    // Where the tile begins, and what of it is inside.
    PerIterator index(rank), inside(rank);
    int64_t origin = input.offset;
    for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
      origin += pick(sample, 2 + i, parts[i]) * getFactor(i) * input.strides[i];
    int64_t rest = first;
    for (size_t d = rank; d-- > 0;) {
      unsigned i = tile.order[d];
      int64_t scale = d + 1 == rank ? tile.copied : 1;
      index[d] = rest % sizes[d];
      rest /= sizes[d];
      inside[d] = llvm::divideCeil(
          work.extents[i] - pick(sample, 2 + i, parts[i]) * getFactor(i),
          scale);
    }
    Lanes global, shared;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t from = origin, to = 0;
      bool isInside = true;
      for (size_t d = 0; d < rank; ++d) {
        int64_t at = index[d] * (d + 1 == rank ? tile.copied : 1);
        from += at * input.strides[tile.order[d]];
        to += at * tile.strides[d];
        isInside &= index[d] < inside[d];
      }
      if (isInside)
        global.push_back(from * input.bytes);
      shared.push_back(to * input.bytes);
      for (size_t d = rank; d-- > 0;) {
        if (++index[d] < sizes[d])
          break;
        index[d] = 0;
      }
    }
    sectors += double(countSectors(global, bytes));
    wavefronts += double(countWavefronts(shared, bytes, /*isRead=*/false));
    active += double(global.size() * tile.copied);
    looked += 1;
  }
  // Each element once for every block that has it in its tile.
  double elements = work.countElements(input), repeats = 1;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    repeats *= input.variesWith(i) ? 1 : double(parts[i]);
  Requests counted;
  int64_t tail = chunks - (rounds - 1) * threads;
  counted.requests =
      double((rounds - 1) * warps + llvm::divideCeil(tail, kWarp)) * blocks *
      steps;
  counted.sectors = active ? sectors / active * elements * repeats : 0;
  counted.wavefronts = looked ? wavefronts / looked * counted.requests : 0;
  return counted;
}

Requests Traffic::countReads(const WorkArray &input,
                             const TileLayout &tile) const {
  // A shift of all lanes changes no conflict, so registers and steps do not
  // count; and warps repeat.
  double wavefronts = 0;
  int64_t looked = std::min<int64_t>(warps, kSamples / 2);
  for (int64_t sample = 0; sample < looked; ++sample) {
    int64_t first = sample * warps / looked * kWarp;
    PerIterator thread = getThread(first);
    Lanes addresses;
    for (int64_t lane = first; lane < std::min(first + kWarp, threads);
         ++lane) {
      int64_t address = 0;
      for (auto [d, i] : llvm::enumerate(tile.order))
        address += thread[i] * plan.vector[i] * tile.strides[d];
      addresses.push_back(address * input.bytes);
      advance(thread);
    }
    wavefronts +=
        double(countWavefronts(addresses, tile.read * input.bytes, true));
  }
  double reads = double(warps) * blocks * steps / double(tile.read);
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i])
      reads *= double(plan.step[i]);
    else if (input.variesWith(i))
      reads *= double(plan.reg[i] * plan.vector[i]);
  Requests counted;
  counted.requests = reads;
  counted.wavefronts = wavefronts / double(looked) * reads;
  return counted;
}

Requests Traffic::countWriteBack(const WorkArray &array) const {
  int64_t width = 1;
  unsigned count = work.getNumIterators();
  for (unsigned i = 0; i < count; ++i)
    if (!work.contracted[i])
      width = std::max(width, getAligned(array, i));
  double sectors = 0, active = 0;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    int64_t first = pick(sample, 0, warps) * kWarp;
    PerIterator thread = getThread(first), start(count, 0);
    for (unsigned i = 0; i < count; ++i)
      if (!work.contracted[i])
        start[i] = pick(sample, 1 + i, parts[i]) * plan.getBlock(i) +
                   pick(sample, 2 + count + i, plan.reg[i]) * plan.thread[i] *
                       plan.vector[i];
    Lanes addresses;
    for (int64_t lane = first; lane < std::min(first + kWarp, threads);
         ++lane) {
      int64_t address = array.offset;
      bool isInside = true;
      for (unsigned i = 0; i < count; ++i) {
        int64_t at = start[i] + thread[i] * plan.vector[i];
        address += at * array.strides[i];
        isInside &= work.contracted[i] || at < work.extents[i];
      }
      if (isInside)
        addresses.push_back(address * array.bytes);
      advance(thread);
    }
    sectors += double(countSectors(addresses, width * array.bytes));
    active += double(addresses.size());
  }
  // One request for each of a thread's results, or `width` of them.
  double requests = double(warps) * blocks / double(width);
  double lanes = 1 / double(width);
  for (unsigned i = 0; i < count; ++i) {
    if (work.contracted[i])
      continue;
    if (array.variesWith(i)) {
      requests *= double(plan.reg[i] * plan.vector[i]);
      lanes *= double(work.extents[i]);
    } else {
      lanes *= double(parts[i] * plan.thread[i]);
    }
  }
  Requests counted;
  counted.requests = requests;
  counted.sectors = active ? sectors / active * lanes : 0;
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
