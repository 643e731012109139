//===- Sample.cpp - Which blocks stand for a grid -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Blocks.h"

#include <numeric>
#include <random>
#include <set>

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

BlockBox BlockBox::of(Dim3 grid) {
  return {{{grid.x, false}, {grid.y, false}, {grid.z, false}}};
}

uint64_t BlockBox::count() const {
  uint64_t blocks = 1;
  for (const Axis &axis : axes)
    blocks *= axis.extent;
  return blocks;
}

uint32_t BlockBox::classOf(uint64_t block) const {
  uint32_t found = 0;
  for (unsigned number = 0; number < axes.size(); ++number) {
    const Axis &axis = axes[number];
    if (!axis.isEven && axis.extent > 1 &&
        block % axis.extent + 1 == axis.extent)
      found |= 1u << number;
    block /= axis.extent;
  }
  return found;
}

uint64_t BlockBox::countOf(uint32_t blockClass) const {
  uint64_t blocks = 1;
  for (unsigned number = 0; number < axes.size(); ++number) {
    const Axis &axis = axes[number];
    bool isSplit = !axis.isEven && axis.extent > 1;
    if (blockClass >> number & 1)
      blocks *= isSplit;
    else
      blocks *= axis.extent - isSplit;
  }
  return blocks;
}

uint64_t BlockBox::getRepresentative(uint32_t blockClass) const {
  uint64_t block = 0, stride = 1;
  for (unsigned number = 0; number < axes.size(); ++number) {
    uint64_t extent = axes[number].extent;
    bool isLast = extent == 1 || blockClass >> number & 1;
    block += stride * (extent - (isLast ? 1 : 2));
    stride *= extent;
  }
  return block;
}

uint64_t BlockBox::getBase() const { return getRepresentative(0); }

std::optional<uint64_t> BlockBox::findNext(unsigned axis) const {
  if (axes[axis].extent == 1)
    return std::nullopt;
  return getRepresentative(1u << axis);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {

class Sampler {
public:
  Sampler(const BlockBox &box, uint64_t seed) : box(box), random(seed) {}

  /// The base, its neighbours, and one of every class.
  void addRepresentatives() {
    uint32_t uneven = 0;
    for (unsigned axis = 0; axis < box.axes.size(); ++axis) {
      addLast(1u << axis);
      if (!box.axes[axis].isEven && box.axes[axis].extent > 1)
        uneven |= 1u << axis;
    }
    // All subsets of the axes that make classes.
    for (uint32_t last = uneven; last; last = (last - 1) & uneven)
      addLast(last);
    addLast(0);
  }
  void addCorners() {
    uint32_t corners = 1u << box.axes.size();
    for (uint32_t corner = 0; corner < corners; ++corner) {
      llvm::SmallVector<uint64_t, 6> index;
      for (unsigned axis = 0; axis < box.axes.size(); ++axis)
        index.push_back(corner >> axis & 1 ? box.axes[axis].extent - 1 : 0);
      add(index);
    }
  }
  /// One block at the first or last index of one axis.
  void addOnFace() {
    llvm::SmallVector<uint64_t, 6> index = draw();
    unsigned axis = below(index.size());
    index[axis] = below(2) ? box.axes[axis].extent - 1 : 0;
    add(index);
  }
  void addAnywhere() { add(draw()); }
  const std::set<uint64_t> &getBlocks() const { return blocks; }

private:
  /// Uniform, and the same on every platform, up to a bias below 2^-31.
  uint64_t below(uint64_t limit) { return random() % limit; }
  llvm::SmallVector<uint64_t, 6> draw() {
    llvm::SmallVector<uint64_t, 6> index;
    for (const BlockBox::Axis &axis : box.axes)
      index.push_back(below(axis.extent));
    return index;
  }
  void addLast(uint32_t axes) { blocks.insert(box.getRepresentative(axes)); }
  void add(llvm::ArrayRef<uint64_t> index) {
    uint64_t block = 0;
    for (unsigned axis = index.size(); axis-- > 0;)
      block = block * box.axes[axis].extent + index[axis];
    blocks.insert(block);
  }

  const BlockBox &box;
  std::mt19937_64 random;
  std::set<uint64_t> blocks;
};

} // namespace

static std::vector<uint64_t> getAll(uint64_t count) {
  std::vector<uint64_t> blocks(count);
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

/// The blocks chosen so far, and as many from anywhere as are wanting.
static std::vector<uint64_t> fill(Sampler &sampler, uint64_t count) {
  while (sampler.getBlocks().size() < count)
    sampler.addAnywhere();
  return {sampler.getBlocks().begin(), sampler.getBlocks().end()};
}

std::vector<uint64_t> chooseBlocks(const BlockBox &box, uint64_t count,
                                   uint64_t seed) {
  if (count >= box.count())
    return getAll(box.count());
  Sampler sampler(box, seed);
  sampler.addRepresentatives();
  return fill(sampler, count);
}

std::vector<uint64_t> chooseBlocks(Dim3 grid, uint64_t count, uint64_t seed,
                                   bool isCounted) {
  if (count >= grid.count())
    return getAll(grid.count());
  BlockBox box = BlockBox::of(grid);
  Sampler sampler(box, seed);
  if (isCounted)
    sampler.addRepresentatives();
  sampler.addCorners();
  for (uint64_t tries = count / 4; tries; --tries)
    if (sampler.getBlocks().size() < count)
      sampler.addOnFace();
  return fill(sampler, count);
}

} // namespace tc::emulator
