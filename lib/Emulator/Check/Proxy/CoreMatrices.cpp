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
  if (written && written != role.span)
    return Layout{Layout::Swizzle, role.core, role.span, 0, written};
  if (!last.matrix || last.written != role.written)
    return std::nullopt;
  if (last.isOf(role) && last.matrix != role.matrix)
    return std::nullopt;
  return Layout{last.isOf(role) ? Layout::Repeated : Layout::Overlap, role.core,
                role.span, last.core, last.span};
}

/// The first piece of a core matrix with a contradiction.
std::optional<CheckFinding>
Checker::readCore(const WarpState &warp, const Descriptor &from, Role role) {
  Cell seen = -1;
  bool isOfBox = false;
  for (unsigned row = 0; row < CoreMatrices::rows; ++row) {
    uint32_t address = from.getPieceOfCore(role.core, row);
    uint64_t at = address + uint64_t(warp.rank) * clusterWindow;
    Role &last = cores.getRole(warp.rank, address - sharedStart);
    role.written = findLast(shared, at);
    // A copy in flight is told of elsewhere.
    if (isInFlight(role.written))
      return std::nullopt;
    // Mostly it is one that was read before, and so are its other rows.
    if (!row && last.matrix && last.matrix != role.matrix &&
        last.written == role.written && last.isOf(role))
      return std::nullopt;
    // Most rows were written together.
    if (role.written != seen) {
      seen = role.written;
      isOfBox = seen >= sharedWindow.block && cores.isOfBox(seen);
    }
    std::optional<CheckFinding::Layout> layout = findContradiction(
        last, role,
        isOfBox ? cores.getSpan(warp.rank, address - sharedStart) : 0);
    if (!layout) {
      last = role;
      continue;
    }
    bool isWrite = layout->what == CheckFinding::Layout::Swizzle;
    CheckFinding::Other party{isWrite,
                              true,
                              order.getBlockAt(order.getNow()),
                              true,
                              isWrite ? getSite(seen) : last.site,
                              isWrite ? getThread(seen) : last.thread};
    CheckFinding one{FindingClass::Layout, role.site, role.thread,
                     ptx::Space::Shared,   at,        warpgroup::pieceBytes,
                     AccessKind::Read,     party};
    one.layout = layout;
    return one;
  }
  return std::nullopt;
}

bool Checker::readMatrix(const WarpState &warp, uint32_t site,
                         const Descriptor &from, const SharedMatrix &matrix) {
  if (!setup.checks.has(Checks::Async) || order.getNow() >= lastTick - 1)
    return true;
  Role role;
  role.matrix = cores.add();
  role.site = site;
  role.thread = warp.getFirstThread();
  role.order = from.getOrder();
  role.span = from.getSpan();
  unsigned groups = from.countGroups(matrix), halves = from.countHalves(matrix);
  for (unsigned group = 0; group < groups; ++group)
    for (unsigned half = 0; half < halves; ++half) {
      role.core = from.getCore(matrix, group, half);
      if (std::optional<CheckFinding> found = readCore(warp, from, role))
        return tell(*found);
    }
  return true;
}

} // namespace tc::emulator
