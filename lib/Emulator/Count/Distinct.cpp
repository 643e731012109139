//===- Distinct.cpp - What all blocks touch, and what memory moves --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sets of bytes that blocks touched, by allocation; from those of the base
// and its neighbours, what all blocks touch and how often it is moved.
//
//===----------------------------------------------------------------------===//

#include "Count/Counter.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace tc::emulator {

static Distinct &operator+=(Distinct &a, const Distinct &b) {
  a.bytes += b.bytes;
  a.sectors += b.sectors;
  return a;
}

static Distinct operator-(const Distinct &a, const Distinct &b) {
  return {a.bytes - b.bytes, a.sectors - b.sectors};
}

static Touched join(const Touched &a, const Touched &b) {
  Touched both;
  both.add(a);
  both.add(b);
  return both;
}

//===----------------------------------------------------------------------===//
// From blocks that ran to all
//===----------------------------------------------------------------------===//

namespace {

/// What blocks touched in one way: each of the base and its neighbours, and all
/// that ran.
struct Footprints {
  Touched all, base;
  std::vector<Touched> next, both; ///< by axis; of extent 1: empty
};

/// The same within one allocation.
class Region {
public:
  Region(const Footprints &of, uint64_t begin, uint64_t bytes)
      : of(of), begin(begin), bytes(bytes) {}

  Distinct getSeen() const { return count(of.all); }
  Reuse getReuse(const BlockBox &box, uint64_t Distinct::*unit) const {
    std::vector<double> next, both;
    for (unsigned axis = 0; axis < box.axes.size(); ++axis) {
      next.push_back(double(count(of.next[axis]).*unit));
      both.push_back(double(count(of.both[axis]).*unit));
    }
    return makeReuse(box, double(count(of.base).*unit), next, both);
  }
  /// By all blocks, of which `run` ran.
  Distinct getAll(const BlockBox &box, uint64_t run) const {
    Distinct seen = getSeen();
    if (run == box.count())
      return seen;
    Distinct limit{bytes, bytes / 32 + (bytes % 32 != 0)}, all;
    for (auto unit : {&Distinct::bytes, &Distinct::sectors}) {
      Reuse reuse = getReuse(box, unit);
      double found = reuse.amount > 0 ? reuse.touchedByAll()
                                      : double(seen.*unit) / double(run) *
                                            double(box.count());
      found = std::min(std::round(found), double(limit.*unit));
      all.*unit = std::max(uint64_t(found), seen.*unit);
    }
    // Tiles that end within a sector share it with one neighbour and not with
    // the other; what the base shares may be either.
    all.sectors = std::max(all.sectors, llvm::divideCeil(all.bytes, 32));
    return all;
  }

private:
  Distinct count(const Touched &set) const {
    return set.count(begin, begin + bytes);
  }

  const Footprints &of;
  uint64_t begin, bytes;
};

} // namespace

std::vector<Touched> Counter::gatherTouched() const {
  std::vector<Touched> all(plan.sites.size());
  for (size_t site = 0; site < all.size(); ++site) {
    all[site].add(others[site]);
    for (const auto &[block, sites] : watched)
      all[site].add(sites[site]);
  }
  return all;
}

Touched Counter::gather(llvm::ArrayRef<Touched> sites, bool reads,
                        bool writes) const {
  Touched sum;
  for (size_t site = 0; site < sites.size(); ++site)
    // An atomic reads and writes.
    if ((reads && kinds[site] != AccessKind::Write) ||
        (writes && kinds[site] != AccessKind::Read))
      sum.add(sites[site]);
  return sum;
}

void Counter::addDistinct(LaunchCounts &counts, const CountedLaunch &launch,
                          llvm::ArrayRef<Touched> touched) const {
  auto find = [&](bool reads, bool writes) {
    Footprints found{gather(touched, reads, writes),
                     gather(watched.at(box.getBase()), reads, writes),
                     {},
                     {}};
    for (unsigned axis = 0; axis < box.axes.size(); ++axis) {
      std::optional<uint64_t> next = box.findNext(axis);
      found.next.push_back(next ? gather(watched.at(*next), reads, writes)
                                : Touched());
      found.both.push_back(join(found.base, found.next.back()));
    }
    return found;
  };
  Footprints read = find(true, false), written = find(false, true),
             both = find(true, true);
  for (auto [address, bytes] : launch.allocations) {
    Region reads(read, address, bytes), writes(written, address, bytes),
        touches(both, address, bytes);
    AllocationCounts part;
    part.bytes = bytes;
    part.touched = touches.getSeen();
    if (part.touched.bytes == 0)
      continue;
    part.read = reads.getSeen();
    part.written = writes.getSeen();
    part.allRead = reads.getAll(box, counts.blocksRun);
    part.allWritten = writes.getAll(box, counts.blocksRun);
    part.allTouched = touches.getAll(box, counts.blocksRun);
    part.readReuse = reads.getReuse(box, &Distinct::sectors);
    part.writtenReuse = writes.getReuse(box, &Distinct::sectors);
    part.touchedReuse = touches.getReuse(box, &Distinct::sectors);
    counts.add(part);
  }
  // What lies in none of them, and is not taken further.
  AllocationCounts rest;
  rest.read = rest.allRead = read.all.count() - counts.read;
  rest.written = rest.allWritten = written.all.count() - counts.written;
  rest.touched = rest.allTouched = both.all.count() - counts.touched;
  if (rest.touched.bytes)
    counts.add(rest);
}

void LaunchCounts::add(const AllocationCounts &part) {
  read += part.read;
  written += part.written;
  touched += part.touched;
  allRead += part.allRead;
  allWritten += part.allWritten;
  allTouched += part.allTouched;
  allocations.push_back(part);
}

//===----------------------------------------------------------------------===//
// What memory moves
//===----------------------------------------------------------------------===//

/// Sectors that `blocks` consecutive ones touch.
static double getFootprint(llvm::ArrayRef<AllocationCounts> allocations,
                           double blocks) {
  double sum = 0;
  for (const AllocationCounts &part : allocations)
    sum += part.touchedReuse.amount > 0
               ? std::min(part.touchedReuse.touchedBy(blocks),
                          double(part.allTouched.sectors))
               : double(part.allTouched.sectors);
  return sum;
}

DramBytes LaunchCounts::estimateDramBytes(uint64_t l2Bytes,
                                          uint64_t together) const {
  double running = double(std::min(together, grid.count()));
  llvm::SmallVector<bool, 6> kept;
  double stride = 1; // blocks from one to the next along the axis
  for (const BlockBox::Axis &axis : box.axes) {
    double blocks = std::min(running + stride, double(grid.count()));
    kept.push_back(32 * getFootprint(allocations, blocks) <= double(l2Bytes));
    stride *= double(axis.extent);
  }
  auto isKept = [&](unsigned axis) { return kept[axis]; };
  DramBytes moved;
  for (const AllocationCounts &part : allocations) {
    double read = double(part.allRead.sectors);
    double written = double(part.allWritten.sectors);
    moved.read +=
        32 * std::max(part.readReuse.movedTo(running, read, isKept), read);
    moved.written +=
        32 *
        std::max(part.writtenReuse.movedTo(running, written, isKept), written);
  }
  double most = double(getL2Bytes());
  if (moved.sum() > most) {
    double share = most / moved.sum();
    moved.read *= share;
    moved.written *= share;
  }
  return moved;
}

} // namespace tc::emulator
