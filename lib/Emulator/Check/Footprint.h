//===- Footprint.h - What accesses at one base touch ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes mostly access memory in the same pattern again, elsewhere. What such a
// pattern touches, granule by granule, is found once; then a check is one pass
// over cells, whatever the order of the lanes. Loads of several sites from one
// base, with nothing in between that others might notice, make one pattern.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_FOOTPRINT_H
#define TC_LIB_EMULATOR_CHECK_FOOTPRINT_H

#include "Check/Lanes.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tc::emulator {

struct Footprint {
  Lanes addresses = {};                ///< when it was found
  const uint64_t *constants = nullptr; ///< where those are, if they stay
  size_t members = 0;                  ///< so many; 0: nothing is known
  int64_t least = 0;  ///< bytes from the first lane's address to the lowest
  uint64_t bytes = 0; ///< from there to the end of the highest
  llvm::SmallVector<Stretch, 4> stretches;
  std::vector<uint32_t> owners; ///< as LaneCells has them
  bool isShared = false;        ///< a granule is touched by several lanes
  uint32_t misses = 0;          ///< so often was the pattern another one
  uint64_t last = 0;            ///< where its lowest byte was at last
};

/// What 32 lanes touch that access `bytes` each at `addresses`, and at what the
/// members add to them. `granule`: log2 of its bytes, at most `bytes`.
void findFootprint(Footprint &footprint, const uint64_t *addresses,
                   uint32_t bytes, llvm::ArrayRef<GroupMember> members,
                   unsigned granule);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_FOOTPRINT_H
