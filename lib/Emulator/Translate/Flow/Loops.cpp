//===- Loops.cpp - Loops of a flow graph ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Loops.h"

#include <map>

namespace tc::emulator {

/// Adds the blocks from which `from` is reached without passing the header.
static void addBody(const Flow &flow, unsigned from, llvm::BitVector &body) {
  llvm::SmallVector<unsigned> work = {from};
  while (!work.empty()) {
    unsigned block = work.pop_back_val();
    if (body.test(block))
      continue;
    body.set(block);
    llvm::append_range(work, flow.blocks[block].predecessors);
  }
}

std::vector<Loop> findLoops(const Flow &flow) {
  // Positions in reverse postorder: an edge that does not rise goes back.
  std::vector<unsigned> position(flow.blocks.size(), Flow::none);
  for (unsigned at = 0; at < flow.order.size(); ++at)
    position[flow.order[at]] = at;
  std::map<unsigned, llvm::BitVector> bodies; // by header
  for (unsigned block : flow.order)
    for (unsigned header : flow.blocks[block].successors) {
      if (position[header] > position[block])
        continue;
      llvm::BitVector &body = bodies[header];
      body.resize(flow.blocks.size());
      body.set(header);
      addBody(flow, block, body);
    }
  std::vector<Loop> loops;
  for (const auto &[header, body] : bodies) {
    Loop &loop = loops.emplace_back();
    loop.push_back(header);
    for (unsigned block : body.set_bits())
      if (block != header && position[block] != Flow::none)
        loop.push_back(block);
  }
  llvm::stable_sort(
      loops, [](const Loop &a, const Loop &b) { return a.size() > b.size(); });
  return loops;
}

} // namespace tc::emulator
