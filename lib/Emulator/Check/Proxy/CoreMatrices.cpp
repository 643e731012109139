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

/// What one piece was written and read as before contradicts its new role.
std::optional<CheckFinding::Layout>
Checker::findContradiction(const Role &last, const Role &role,
                           uint8_t written) const {
  using Layout = CheckFinding::Layout;
  Layout layout{Layout::Swizzle, role.core, role.span, 0, written};
  if (written && written != role.span)
    return layout;
  if (!last.matrix || last.written != role.written)
    return std::nullopt;
  layout.otherCore = last.core;
  layout.otherSpan = last.span;
  layout.what = Layout::Overlap;
  if (!last.isOf(role))
    return layout;
  layout.what = Layout::Repeated;
  if (last.matrix == role.matrix)
    return layout;
  return std::nullopt;
}

/// The first piece of a core matrix with a contradiction.
std::optional<CheckFinding>
Checker::readCore(const WarpState &warp, const Descriptor &from, Role role) {
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
    uint8_t written =
        role.written < sharedWindow.block
            ? 0
            : cores.getSpan(warp.rank, address - sharedStart, role.written);
    std::optional<CheckFinding::Layout> layout =
        findContradiction(last, role, written);
    if (!layout) {
      last = role;
      continue;
    }
    bool isWrite = layout->what == CheckFinding::Layout::Swizzle;
    CheckFinding::Other party{isWrite,
                              true,
                              order.getBlockAt(order.getNow()),
                              true,
                              isWrite ? getSite(role.written) : last.site,
                              isWrite ? getThread(role.written) : last.thread};
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
