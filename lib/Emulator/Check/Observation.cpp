//===- Observation.cpp - Who saw which atomic writes ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of strong writes, and their readers.
//
//===----------------------------------------------------------------------===//

#include "Check/Observation.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

/// So many chains of a granule are told apart, and so many observers in earlier
/// blocks are remembered. What goes beyond counts as ordered: a race may be
/// missed, but none is invented.
static constexpr size_t mostChains = 32, mostKept = size_t(1) << 20;

void Observation::beginBlock() {
  // Later blocks know of nothing that was not released.
  bool isKept = order.hasReleased();
  for (Granule *granule : std::exchange(touched, {})) {
    for (auto &[thread, all] : granule->observers)
      if (isKept && kept < mostKept) {
        granule->earlier.insert(granule->earlier.end(), all.begin(), all.end());
        kept += all.size();
      }
    granule->observers.clear();
  }
  shared.clear();
}

const Observation::Granule *Observation::find(bool isShared,
                                              uint64_t granule) const {
  auto &map = isShared ? shared : globals;
  auto found = map.find(granule);
  return found == map.end() ? nullptr : found->second.get();
}

void Observation::access(bool isShared, uint64_t at, const StrongAccess &access,
                         uint32_t threadsOfBlock) {
  auto &map = isShared ? shared : globals;
  if (!access.writes && !map.count(at))
    return;
  std::unique_ptr<Granule> &entry = map[at];
  if (!entry)
    entry = std::make_unique<Granule>();
  Granule &granule = *entry;
  Moment now{order.getNow(), access.thread};
  bool finds = false;
  if (access.reads && !granule.chains.empty()) {
    // Both have to be strong for each other (section 8.7).
    const Moment &last = granule.chains.back().last;
    bool isSameBlock =
        last.tick >= order.getBlock() &&
        last.thread / threadsOfBlock == access.thread / threadsOfBlock;
    finds = granule.address == access.address &&
            granule.bytes == access.bytes &&
            (isSameBlock || std::min(granule.strength, access.strength) == 2);
  }
  if (finds)
    observe(granule, now, access.writes);
  if (access.writes)
    write(granule, now, access, finds);
}

/// What races with nothing that the thread wrote last is ordered after that, so
/// a write stands for all that the thread observed of the chain before.
void Observation::observe(Granule &granule, const Moment &now, bool writes) {
  const Chain &chain = granule.chains.back();
  if (granule.observers.empty())
    touched.push_back(&granule);
  auto &all = granule.observers[now.thread];
  auto isSame = [&](const Observed &observed) {
    return observed.begin == chain.begin;
  };
  if (writes)
    llvm::erase_if(all, isSame);
  else if (!all.empty() && isSame(all.back()) && chain.last < all.back().end)
    return; // as a loop that waits
  if (all.size() >= 2 * mostChains)
    all.pop_back();
  all.push_back({chain.begin, now});
}

void Observation::write(Granule &granule, const Moment &now,
                        const StrongAccess &access, bool goesOn) {
  auto &chains = granule.chains;
  if (goesOn) {
    chains.back().last = now;
  } else if (!chains.empty() && chains.back().begin.tick == now.tick) {
    chains.back() = {now, now, /*isOverwritten=*/true};
  } else {
    if (chains.size() == mostChains) {
      chains.erase(chains.begin());
      granule.start = chains.front().begin;
      for (auto &[thread, all] : granule.observers)
        llvm::erase_if(all, [&](const Observed &observed) {
          return observed.begin < granule.start;
        });
    }
    chains.push_back({now, now});
  }
  granule.address = access.address;
  granule.bytes = access.bytes;
  granule.strength = access.strength;
}

template <typename Body>
bool Observation::anyObserved(const Granule &granule, uint32_t observer,
                              Body body) const {
  auto ask = [&](const Observed &observed) {
    return body(observed) && isOrdered(observed.end, observer);
  };
  auto own = granule.observers.find(observer);
  if (own != granule.observers.end() && llvm::any_of(own->second, ask))
    return true;
  for (auto &[thread, all] : granule.observers)
    if (llvm::any_of(all, ask))
      return true;
  return llvm::any_of(llvm::reverse(granule.earlier), ask);
}

bool Observation::isBefore(bool isShared, uint64_t at, const Moment &write,
                           uint32_t observer) const {
  const Granule *granule = find(isShared, at);
  if (!granule)
    return false;
  if (write < granule->start || kept >= mostKept)
    return true;
  return anyObserved(*granule, observer, [&](const Observed &observed) {
    return observed.begin <= write && write < observed.end;
  });
}

bool Observation::areAllBefore(bool isShared, uint64_t at, Tick first,
                               uint32_t observer) const {
  const Granule *granule = find(isShared, at);
  // An atomic that goes on with a chain is an observer of it: where it is
  // ordered, so are the writes before it. Only the last write can be open.
  return granule && llvm::all_of(granule->chains, [&](const Chain &chain) {
           if (chain.last.tick < first)
             return true;
           bool isMet = chain.begin.tick >= order.getBlock() &&
                        chain.begin.tick < order.getBase();
           if (chain.isOverwritten && !isMet && chain.begin.tick >= first)
             return false;
           if (chain.last == chain.begin && isOrdered(chain.last, observer))
             return true;
           return anyObserved(*granule, observer,
                              [&](const Observed &observed) {
                                return observed.begin == chain.begin &&
                                       chain.last <= observed.end;
                              });
         });
}

} // namespace tc::emulator
