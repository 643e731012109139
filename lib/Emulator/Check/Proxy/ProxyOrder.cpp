//===- ProxyOrder.cpp - What the async proxy sees -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [Proxies]. `wgmma` reads shared memory through the async proxy, other
// instructions access it through the generic one. A write is seen only if it is
// ordered before the read and a `fence.proxy.async` lies on the way: one that
// the write is ordered before, by whichever thread, and that is ordered before
// the read (PTX ISA, sections 8.6 and 8.9.3). So such a fence marks all that
// its thread did and knows of others' doing; and what is marked is handed on,
// as that knowledge is, by barriers, releases and mbarriers.
//
// A `fence.mbarrier_init` marks in the same way the mbarriers that its thread
// initialised, for both proxies. It releases nothing else, but a barrier of the
// cluster hands that on even if it is arrived at with `.relaxed`.
//
//===----------------------------------------------------------------------===//

#include "Check/Order.h"

namespace tc::emulator {

void Order::fenceProxy(uint32_t index, bool isShared, bool isGlobal) {
  Thread &thread = touch(index);
  acquirePending(thread, /*isWide=*/true);
  hasProxyFences = true;
  for (ProxySpace space : {proxyShared, proxyGlobal})
    if (space == proxyShared ? isShared : isGlobal)
      thread.proxyFences[space] = {now + 1, base, thread.own};
}

void Order::fenceInits(uint32_t index) {
  hasProxyFences = true;
  touch(index).proxyFences[proxyInits] = {now + 1, 0, nullptr};
}

void Order::completeAgent(uint64_t object, uint32_t agent) {
  Location &location = *find(/*isShared=*/true, object, /*create=*/true);
  for (std::shared_ptr<Knowledge> *sum : {&location.sum, &location.completed}) {
    // Others may hold it.
    *sum = *sum ? std::make_shared<Knowledge>(**sum)
                : std::make_shared<Knowledge>();
    (*sum)->raise(agent, now + 1);
  }
  location.hasPhases = true;
  advance();
}

void ProxySum::add(const Knowledge &more) {
  // Threads that met know the same.
  if (&more == last)
    return;
  last = &more;
  make().merge(more);
}

Knowledge &ProxySum::make() {
  if (!own)
    own =
        sum ? std::make_shared<Knowledge>(*sum) : std::make_shared<Knowledge>();
  sum = own;
  return *own;
}

void Order::addProxied(uint32_t index, ProxySpace space, ProxySum &sum) const {
  const Thread &thread = threads[index];
  const Thread::ProxyFence &fence = thread.proxyFences[space];
  if (thread.own && thread.own->proxied[space])
    sum.add(*thread.own->proxied[space]);
  if (!fence.own)
    return;
  if (fence.others)
    sum.add(*fence.others);
  Knowledge &all = sum.make();
  all.proxied = {};
  all.base = std::max(all.base, fence.base);
  all.raise(index, fence.own);
}

void Order::addProxied(
    llvm::ArrayRef<uint32_t> members,
    std::array<std::shared_ptr<const Knowledge>, proxySpaces> &sums) const {
  for (ProxySpace space : {proxyShared, proxyGlobal, proxyInits}) {
    ProxySum sum(sums[space]);
    for (uint32_t index : members)
      addProxied(index, space, sum);
  }
}

bool Order::isProxied(Tick tick, uint32_t thread, uint32_t observer,
                      ProxySpace space) const {
  if (blockProxied[space] && blockProxied[space]->covers(thread, tick))
    return true;
  const Thread &self = threads[observer];
  const Thread::ProxyFence &fence = self.proxyFences[space];
  if (fence.own &&
      (tick < fence.base || (thread == observer && tick < fence.own) ||
       (fence.others && fence.others->covers(thread, tick))))
    return true;
  return self.own && self.own->proxied[space] &&
         self.own->proxied[space]->covers(thread, tick);
}

} // namespace tc::emulator
