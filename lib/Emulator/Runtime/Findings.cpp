//===- Findings.cpp - What a launch found ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Findings.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

bool FindingLog::repeats(const FindingSite &site, uint64_t count) {
  auto known = entries.find(site);
  if (known != entries.end()) {
    known->second.finding.count += count;
    return true;
  }
  if (suppressed.count(site))
    return true;
  auto left = leftOut.find(site);
  if (left == leftOut.end())
    return false;
  left->second += count;
  return true;
}

void FindingLog::add(const FindingSite &site, Finding finding, uint64_t block,
                     uint32_t limit) {
  if (entries.size() < limit)
    entries[site] = {std::move(finding), block, entries.size()};
  else
    leftOut[site] = 1;
}

void FindingLog::merge(FindingLog other, uint32_t limit) {
  for (auto &[site, entry] : other.entries) {
    auto known = entries.find(site);
    if (known == entries.end()) {
      add(site, std::move(entry.finding), entry.block, limit);
      continue;
    }
    uint64_t count = known->second.finding.count + entry.finding.count;
    if (entry.block < known->second.block) {
      known->second.finding = std::move(entry.finding);
      known->second.block = entry.block;
    }
    known->second.finding.count = count;
  }
  suppressed.insert(other.suppressed.begin(), other.suppressed.end());
  for (auto [site, count] : other.leftOut)
    if (!repeats(site))
      leftOut[site] = count;
}

void FindingLog::finish(LaunchReport &report) {
  std::vector<Entry *> sorted;
  for (auto &[site, entry] : entries)
    sorted.push_back(&entry);
  llvm::sort(sorted, [](const Entry *a, const Entry *b) {
    return std::tuple(getSeverity(a->finding.what), a->block, a->order) <
           std::tuple(getSeverity(b->finding.what), b->block, b->order);
  });
  for (Entry *entry : sorted)
    report.findings.push_back(std::move(entry->finding));
  report.sitesLeftOut = leftOut.size();
  report.suppressed = suppressed.size();
  suppressed.clear();
  entries.clear();
  leftOut.clear();
}

} // namespace tc::emulator
