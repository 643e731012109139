//===- Footprint.cpp - What accesses at one base touch --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts the granules of all lanes and members; see Footprint.h.
//
//===----------------------------------------------------------------------===//

#include "Check/Footprint.h"

#include "llvm/ADT/STLExtras.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

void findFootprint(Footprint &footprint, const uint64_t *addresses,
                   uint32_t bytes, llvm::ArrayRef<GroupMember> members,
                   unsigned granule) {
  std::copy_n(addresses, warpSize, footprint.addresses.begin());
  footprint.members = members.size();
  footprint.stretches.clear();
  footprint.owners.clear();
  footprint.isShared = false;
  // Granules, and what their cells hold beyond that of lane 0 and member 0.
  std::vector<std::pair<int64_t, uint32_t>> touched;
  auto siteOf = [](const GroupMember &member) {
    return uint32_t(std::min<uint64_t>(member.site, lastSite));
  };
  for (const GroupMember &member : members)
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      int64_t at = int64_t(addresses[lane] - addresses[0]) + member.offset;
      uint32_t owner = lane << threadShift |
                       (siteOf(member) - siteOf(members[0])) << siteShift;
      for (uint32_t i = 0; i < bytes >> granule; ++i)
        touched.push_back({(at >> granule) + i, owner});
    }
  llvm::sort(touched);
  int64_t first = touched.front().first, last = first - 2;
  for (auto [at, owner] : touched) {
    if (at == last) {
      bool isOther = (footprint.owners.back() ^ owner) >> threadShift;
      footprint.owners.back() |= isOther ? many : 0;
      footprint.isShared |= isOther;
      continue;
    }
    if (at != last + 1)
      footprint.stretches.push_back({uint64_t(at - first), 0});
    ++footprint.stretches.back().count;
    footprint.owners.push_back(owner);
    last = at;
  }
  footprint.least = first * (int64_t(1) << granule);
  footprint.bytes = uint64_t(last + 1 - first) << granule;
}

} // namespace tc::emulator
