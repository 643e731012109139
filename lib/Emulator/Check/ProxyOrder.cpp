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
//===----------------------------------------------------------------------===//

#include "Check/Order.h"

namespace tc::emulator {

void Order::fenceProxy(uint32_t index) {
  Thread &thread = touch(index);
  acquirePending(thread, /*isWide=*/true);
  hasProxyFences = true;
  thread.proxied = now + 1;
  thread.proxiedBase = base;
  thread.proxiedOthers = thread.own;
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

void Order::addProxied(uint32_t index, ProxySum &sum) const {
  const Thread &thread = threads[index];
  if (thread.own && thread.own->proxied)
    sum.add(*thread.own->proxied);
  if (!thread.proxied)
    return;
  if (thread.proxiedOthers)
    sum.add(*thread.proxiedOthers);
  Knowledge &all = sum.make();
  all.proxied = nullptr;
  all.base = std::max(all.base, thread.proxiedBase);
  all.raise(index, thread.proxied);
}

bool Order::isProxied(Tick tick, uint32_t thread, uint32_t observer) const {
  if (blockProxied && blockProxied->covers(thread, tick))
    return true;
  const Thread &self = threads[observer];
  if (self.proxied &&
      (tick < self.proxiedBase || (thread == observer && tick < self.proxied) ||
       (self.proxiedOthers && self.proxiedOthers->covers(thread, tick))))
    return true;
  return self.own && self.own->proxied &&
         self.own->proxied->covers(thread, tick);
}

} // namespace tc::emulator
