//===- Trace.cpp - What warps did, step by step ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/Trace.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

/// Steps of all warps together, at most: 512 MiB.
static constexpr uint64_t kMostSteps = uint64_t(1) << 27;

Tracer::Tracer(Program program, const Flow &flow, BlockBox box)
    : flow(flow), box(std::move(box)) {
  trace->program = std::move(program);
}

void Tracer::beginBlock(uint64_t block, uint32_t rank, unsigned warps) {
  endBlock(rank);
  // The one that stands for its class, or the first.
  uint32_t lastAxes = box.classOf(block);
  bool isChosen = block == box.getRepresentative(lastAxes);
  auto found = llvm::find_if(trace->blocks, [&](const TracedBlock &traced) {
    return traced.lastAxes == lastAxes;
  });
  if (found != trace->blocks.end() && !isChosen)
    return;
  if (found == trace->blocks.end())
    found = trace->blocks.insert(found, TracedBlock());
  found->lastAxes = lastAxes;
  found->warps.assign(warps, {});
  RunningBlock &begun = running[rank];
  begun.index = found - trace->blocks.begin();
  begun.warps.assign(warps, {});
}

/// To a request of the same instruction, if there is one.
void Tracer::add(llvm::SmallVectorImpl<Request> &requests,
                 const Request &request) {
  auto at = llvm::lower_bound(
      requests, request.site,
      [](const Request &r, uint32_t site) { return r.site < site; });
  if (at == requests.end() || at->site != request.site) {
    requests.insert(at, request);
    return;
  }
  // A copy is both a load from global memory and a store to shared memory.
  if (request.space == ptx::Space::Global)
    at->space = request.space;
  at->requests = std::max(at->requests, request.requests);
  at->sectors += request.sectors;
  at->l2Sectors += request.l2Sectors;
  at->lines += request.lines;
  at->l2Lines += request.l2Lines;
  at->wavefronts += request.wavefronts;
}

/// The step of the warp that `site` is in. Null where it is not traced.
TraceStep *Tracer::findStep(const WarpState &warp, uint32_t site) {
  auto block = running.find(warp.rank);
  if (block == running.end())
    return nullptr;
  Running &at = block->second.warps[warp.index];
  // Instructions that lanes meet at are told of before their block is.
  bool isHere = at.isInStep && at.step.block == flow.blockAt(site);
  return isHere ? &at.step : &at.early;
}

void Tracer::access(const WarpState &warp, uint32_t site, ptx::Space space,
                    const AccessCounts &counts) {
  TraceStep *step = findStep(warp, site);
  if (!step)
    return;
  bool isShared = space == ptx::Space::Shared;
  Request request;
  request.site = site;
  request.space = space;
  request.requests =
      uint32_t(isShared ? counts.machineRequests : counts.requests);
  request.sectors = uint32_t(counts.sectors);
  request.l2Sectors = uint32_t(counts.l2Sectors);
  request.lines = uint32_t(counts.lines);
  request.l2Lines = uint32_t(counts.l2Lines);
  request.wavefronts = uint32_t(counts.machineWavefronts);
  if (!request.requests)
    return; // part of another one
  add(step->requests, request);
}

void Tracer::use(const WarpState &warp, uint32_t site, MbarrierUse use) {
  TraceStep *step = findStep(warp, site);
  if (!step)
    return;
  use.object = objects.try_emplace(use.object, objects.size()).first->second;
  trace->mbarriers = objects.size();
  step->uses.push_back({site, use});
}

void Tracer::failWait(const WarpState &warp, uint32_t site) {
  if (TraceStep *step = findStep(warp, site))
    step->isPoll = true;
}

/// The step's number; those alike have one.
uint32_t Tracer::getNumber(TraceStep &step) {
  llvm::SmallVector<uint32_t, 64> key{step.block,
                                      uint32_t(step.requests.size())};
  for (const Request &r : step.requests)
    key.append({r.site, uint32_t(r.space), r.requests, r.sectors, r.lines,
                r.l2Sectors, r.l2Lines, r.wavefronts});
  for (const auto &[site, use] : step.uses)
    key.append({site, uint32_t(use.kind), use.object, uint32_t(use.pending),
                uint32_t(use.expected), uint32_t(use.bytes), use.phase,
                use.modulo});
  llvm::StringRef bytes(reinterpret_cast<const char *>(key.data()),
                        key.size() * sizeof(uint32_t));
  auto [it, isNew] = numbers.try_emplace(bytes, trace->steps.size());
  if (isNew)
    trace->steps.push_back(step);
  return it->second;
}

void Tracer::endStep(RunningBlock &block, uint32_t warp) {
  Running &at = block.warps[warp];
  if (!at.isInStep)
    return;
  at.isInStep = false;
  std::vector<uint32_t> &steps = trace->blocks[block.index].warps[warp];
  // The wait itself is one request.
  bool isIdle = at.step.uses.empty() &&
                at.step.requests.size() <= (at.step.isPoll ? 1 : 0);
  if (!isIdle)
    at.poll.reset();
  else if (at.step.isPoll)
    at.poll = {at.step.block, steps.size()};
  if (++recorded > kMostSteps) {
    trace->isWhole = false;
    return;
  }
  steps.push_back(getNumber(at.step));
}

void Tracer::enter(const WarpState &warp, uint32_t block) {
  auto found = running.find(warp.rank);
  if (found == running.end())
    return;
  endStep(found->second, warp.index);
  Running &at = found->second.warps[warp.index];
  if (at.poll && at.poll->first == block) {
    trace->blocks[found->second.index].warps[warp.index].resize(
        at.poll->second);
    at.poll.reset();
  }
  at.isInStep = true;
  at.step.clear();
  std::swap(at.step, at.early);
  at.step.block = block;
}

void Tracer::endBlock(uint32_t rank) {
  auto found = running.find(rank);
  if (found == running.end())
    return;
  for (uint32_t warp = 0; warp < found->second.warps.size(); ++warp)
    endStep(found->second, warp);
  running.erase(found);
}

std::shared_ptr<const LaunchTrace> Tracer::finish() {
  while (!running.empty())
    endBlock(running.begin()->first);
  return std::move(trace);
}

} // namespace tc::emulator
