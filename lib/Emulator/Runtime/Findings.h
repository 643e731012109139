//===- Findings.h - What a launch found -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each site once: a kind of finding at an instruction, and at that of the other
// party where there is one. What happens there again is counted.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_FINDINGS_H
#define TC_LIB_EMULATOR_RUNTIME_FINDINGS_H

#include "tc/Emulator/Report.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace tc::emulator {

struct FindingSite {
  FindingClass what;
  uint32_t site, other;

  bool operator<(const FindingSite &o) const {
    return std::tie(what, site, other) < std::tie(o.what, o.site, o.other);
  }
};

class FindingLog {
public:
  /// There is no other party.
  static constexpr uint32_t nobody = ~0u;

  bool knows(const FindingSite &site) const {
    return entries.count(site) || leftOut.count(site) || suppressed.count(site);
  }
  /// Counts occurrences at a site that is known. False: it is not.
  bool repeats(const FindingSite &site, uint64_t count = 1);
  /// The first occurrence, in a block by its linear index. Beyond `limit`
  /// sites, all that is kept is how many there are.
  void add(const FindingSite &site, Finding finding, uint64_t block,
           uint32_t limit);
  /// The findings at this site are known.
  void suppress(const FindingSite &site) { suppressed.insert(site); }
  /// Takes what another host thread found.
  void merge(FindingLog other, uint32_t limit);
  /// All that was found, errors first.
  void finish(LaunchReport &report);

private:
  struct Entry {
    Finding finding;
    uint64_t block;
    uint64_t order; ///< as it was found
  };
  std::map<FindingSite, Entry> entries;
  std::map<FindingSite, uint64_t> leftOut;
  std::set<FindingSite> suppressed;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_FINDINGS_H
