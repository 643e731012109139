//===- Launch.cpp - State of a running kernel -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports of faults: who, where, and what.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Launch.h"
#include "Runtime/Step.h"

#include "llvm/ADT/Twine.h"

using llvm::Twine;

namespace tc::emulator {

static std::string describe(Dim3 index) {
  return ("(" + Twine(index.x) + "," + Twine(index.y) + "," + Twine(index.z) +
          ")")
      .str();
}

uint64_t getLinearIndex(const BlockState &block) {
  const uint32_t (&index)[3] = block.blockIndex, (&grid)[3] = block.gridDim;
  return (uint64_t(index[2]) * grid[1] + index[1]) * grid[0] + index[0];
}

std::string describeBlock(const BlockState &block) {
  const uint32_t (&index)[3] = block.blockIndex;
  return describe({index[0], index[1], index[2]});
}

std::optional<uint32_t> findWindow(const BlockState &block, uint64_t pointer) {
  uint64_t offset = pointer - reinterpret_cast<uint64_t>(block.clusterShared);
  if (!block.clusterShared || offset >= block.clusterBytes ||
      offset % clusterWindow >= block.totalShared)
    return std::nullopt;
  return offset / clusterWindow;
}

Dim3 getThread(const BlockState &block, uint32_t linear) {
  const uint32_t *dim = block.blockDim;
  return {linear % dim[0], linear / dim[0] % dim[1], linear / dim[0] / dim[1]};
}

/// The instruction as written, but of long lists the first and the last.
static std::string shorten(llvm::StringRef text) {
  constexpr size_t most = 120;
  size_t begin = text.find('{'), end = text.find('}');
  llvm::StringRef list = text.slice(begin, end);
  if (text.size() <= most || end == llvm::StringRef::npos || begin > end ||
      list.count(',') < 3)
    return text.str();
  return (text.take_front(begin) + list.split(',').first + ", ..., " +
          list.rsplit(',').second.trim() + text.drop_front(end))
      .str();
}

std::string describeSite(const Launch &launch, uint32_t site) {
  const ptx::Instruction &in = *launch.plan.sites[site].instruction;
  std::string source = launch.ptx.describeLocation(in);
  return ("PTX line " + Twine(in.line) + " (`" + shorten(in.getText()) + "`)" +
          (source.empty() ? "" : " at " + source))
      .str();
}

Party describeParty(const Launch &launch, uint32_t site) {
  const ptx::Instruction &in = *launch.plan.sites[site].instruction;
  Party party;
  party.line = in.line;
  party.instruction = in.getText();
  party.source = launch.ptx.describeLocation(in);
  return party;
}

static Finding makeFinding(const WarpState &warp, unsigned lane, uint32_t site,
                           const Twine &what, FindingClass kind,
                           std::optional<uint64_t> address,
                           std::optional<Party> other) {
  Launch &launch = getLaunch(warp);
  const BlockState &block = *warp.block;
  const uint32_t (&index)[3] = block.blockIndex;
  Finding finding;
  finding.what = kind;
  finding.kernel = launch.plan.kernel->name.str();
  finding.at = describeParty(launch, site);
  finding.at.block = Dim3{index[0], index[1], index[2]};
  finding.at.thread = getThread(block, warp.index * warpSize + lane);
  finding.address = address;
  finding.other = std::move(other);
  finding.text = "kernel '" + finding.kernel + "', block " +
                 describe(*finding.at.block) + ", thread " +
                 describe(*finding.at.thread) + ", " +
                 describeSite(launch, site) + ": " + what.str();
  return finding;
}

bool reportSite(const WarpState &warp, unsigned lane, uint32_t site,
                FindingClass what, llvm::function_ref<std::string()> describeIt,
                std::optional<uint64_t> address, std::optional<Party> other,
                uint32_t otherSite, uint64_t count) {
  Launch &launch = getLaunch(warp);
  FindingSite where{what, site, otherSite};
  if (launch.fault)
    return false;
  if (launch.findings.repeats(where, count))
    return true;
  Finding finding = makeFinding(warp, lane, site, describeIt(), what, address,
                                std::move(other));
  finding.count = count;
  uint64_t block = getLinearIndex(*warp.block);
  Suppressions *known = launch.options.suppressions.get();
  if (known && known->suppress(finding)) {
    launch.findings.suppress(where);
    return true;
  }
  if (launch.options.stopsAtFirst() && finding.isError()) {
    launch.fault = std::move(finding);
    launch.faultBlock = block;
    return false;
  }
  launch.findings.add(where, std::move(finding), block,
                      launch.options.findingLimit);
  return true;
}

bool reportFault(const WarpState &warp, unsigned lane, uint32_t site,
                 const Twine &what, FindingClass kind,
                 std::optional<uint64_t> address, std::optional<Party> other) {
  Launch &launch = getLaunch(warp);
  if (launch.fault)
    return false;
  launch.fault =
      makeFinding(warp, lane, site, what, kind, address, std::move(other));
  launch.faultBlock = getLinearIndex(*warp.block);
  return false;
}

bool fail(Step &step, unsigned lane, const Twine &what, FindingClass kind) {
  return reportFault(step.warp, lane, step.site, what, kind);
}

} // namespace tc::emulator
