//===- Sample.cpp - Which blocks stand for a grid -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Corners first: among them is a block of every class, that is for every set of
// axes one at the last index of just these.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Counts.h"

#include <random>
#include <set>

namespace tc::emulator {

namespace {

class Sampler {
public:
  Sampler(Dim3 grid, uint64_t seed)
      : extents{grid.x, grid.y, grid.z}, random(seed) {}

  void addCorners() {
    for (unsigned corner = 0; corner < 8; ++corner) {
      uint64_t index[3];
      for (unsigned axis = 0; axis < 3; ++axis)
        index[axis] = corner >> axis & 1 ? extents[axis] - 1 : 0;
      add(index);
    }
  }
  /// One block at the first or last index of one axis.
  void addOnFace() {
    uint64_t index[3];
    draw(index);
    unsigned axis = below(3);
    index[axis] = below(2) ? extents[axis] - 1 : 0;
    add(index);
  }
  void addAnywhere() {
    uint64_t index[3];
    draw(index);
    add(index);
  }
  const std::set<uint64_t> &getBlocks() const { return blocks; }

private:
  /// Uniform, and the same on every platform, up to a bias below 2^-31.
  uint64_t below(uint64_t limit) { return random() % limit; }
  void draw(uint64_t (&index)[3]) {
    for (unsigned axis = 0; axis < 3; ++axis)
      index[axis] = below(extents[axis]);
  }
  void add(const uint64_t (&index)[3]) {
    blocks.insert(index[0] + extents[0] * (index[1] + extents[1] * index[2]));
  }

  uint64_t extents[3];
  std::mt19937_64 random;
  std::set<uint64_t> blocks;
};

} // namespace

std::vector<uint64_t> chooseBlocks(Dim3 grid, uint64_t count, uint64_t seed) {
  std::vector<uint64_t> chosen;
  uint64_t total = grid.count();
  if (count >= total) {
    for (uint64_t block = 0; block < total; ++block)
      chosen.push_back(block);
    return chosen;
  }
  Sampler sampler(grid, seed);
  sampler.addCorners();
  for (uint64_t tries = count / 4; tries; --tries)
    if (sampler.getBlocks().size() < count)
      sampler.addOnFace();
  while (sampler.getBlocks().size() < count)
    sampler.addAnywhere();
  chosen.assign(sampler.getBlocks().begin(), sampler.getBlocks().end());
  return chosen;
}

} // namespace tc::emulator
