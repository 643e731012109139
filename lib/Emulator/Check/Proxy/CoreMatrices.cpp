//===- CoreMatrices.cpp - That descriptors fit what was written -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [Core matrices] in the header.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

using Role = CoreMatrices::Role;
using warpgroup::Descriptor;
using warpgroup::SharedMatrix;

void Checker::noteBox(uint32_t site, uint64_t address, uint64_t bytes,
                      uint8_t span) {
  uint64_t offset = address - sharedStart;
  cores.write(offset / clusterWindow, offset % clusterWindow, bytes, site,
              span);
}

/// The last write to one of the granules of a piece.
static Cell findLast(const Shadow &shadow, uint64_t address) {
  const Cell *cell = shadow.write(address);
  const Cell *end = shadow.write(address + warpgroup::pieceBytes - 1) + 1;
  return *std::max_element(cell, end);
}

/// How the role of a piece contradicts what wrote and read it before, if it
/// does.
static std::optional<CheckFinding::Layout>
findContradiction(const Role &last, const Role &role, uint8_t written) {
  using Layout = CheckFinding::Layout;
  uint32_t start = CoreMatrices::getStart(role.core);
  uint32_t rowBytes = CoreMatrices::getRowBytes(role.core);
  if (written && written != rowBytes)
    return Layout{Layout::Swizzle, start, rowBytes, 0, written};
  if (!last.matrix || last.written != role.written)
    return std::nullopt;
  bool isSame = last.core == role.core;
  if (isSame && last.matrix != role.matrix)
    return std::nullopt;
  return Layout{isSame ? Layout::Repeated : Layout::Overlap, start, rowBytes,
                CoreMatrices::getStart(last.core),
                CoreMatrices::getRowBytes(last.core)};
}

CheckFinding Checker::makeFinding(uint64_t address, const Role &role,
                                  const Role &last,
                                  const CheckFinding::Layout &layout) const {
  auto [site, thread] = cores.getReader(role.matrix);
  CheckFinding one{FindingClass::Layout, site,    thread,
                   ptx::Space::Shared,   address, warpgroup::pieceBytes,
                   AccessKind::Read,     {}};
  bool isWrite = layout.what == CheckFinding::Layout::Swizzle;
  CoreMatrices::Reader other =
      isWrite
          ? CoreMatrices::Reader{getSite(role.written), getThread(role.written)}
          : cores.getReader(last.matrix);
  one.other =
      CheckFinding::Other{isWrite, true,       order.getBlockAt(order.getNow()),
                          true,    other.site, other.thread};
  one.layout = layout;
  return one;
}

/// The first piece of a core matrix with a contradiction.
std::optional<CheckFinding> Checker::readCore(uint32_t rank,
                                              const Descriptor &from,
                                              uint32_t start, uint32_t matrix) {
  Role role{0, matrix, CoreMatrices::makeCore(start, from)};
  Cell seen = -1;
  bool isOfBox = false;
  for (unsigned row = 0; row < CoreMatrices::rows; ++row) {
    uint32_t address = from.getPieceOfCore(start, row);
    uint64_t at = address + uint64_t(rank) * clusterWindow;
    Role &last = cores.getRole(rank, address - sharedStart);
    role.written = findLast(shared, at);
    // A copy in flight is told of elsewhere.
    if (isInFlight(role.written))
      return std::nullopt;
    // Mostly it is one that was read before, and so are its other rows.
    if (!row && last.matrix && last.matrix != matrix &&
        last.written == role.written && last.core == role.core)
      return std::nullopt;
    // Most rows were written together.
    if (role.written != seen) {
      seen = role.written;
      isOfBox = seen >= sharedWindow.block && cores.isOfBox(seen);
    }
    uint8_t written = isOfBox ? cores.getSpan(rank, address - sharedStart) : 0;
    if (std::optional<CheckFinding::Layout> layout =
            findContradiction(last, role, written))
      return makeFinding(at, role, last, *layout);
    last = role;
  }
  return std::nullopt;
}

bool Checker::readMatrix(const WarpState &warp, uint32_t site,
                         const Descriptor &from, const SharedMatrix &matrix) {
  if (!setup.checks.has(Checks::Async) || order.getNow() >= lastTick - 1)
    return true;
  uint32_t number = cores.add({site, warp.getFirstThread()});
  unsigned groups = from.countGroups(matrix), halves = from.countHalves(matrix);
  for (unsigned group = 0; group < groups; ++group)
    for (unsigned half = 0; half < halves; ++half)
      if (std::optional<CheckFinding> found = readCore(
              warp.rank, from, from.getCore(matrix, group, half), number))
        return tell(*found);
  return true;
}

} // namespace tc::emulator
