//===- AsyncTable.cpp - Barriers, fences and asynchronous copies ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that order threads or let them wait, in the order of the PTX ISA
// document's section 9.7. Isa.h explains the notation.
//
//===----------------------------------------------------------------------===//

#include "Async/Async.h"
#include "Isa/Isa.h"
#include "Runtime/Steps.h"
#include "Translate/Lower/Lower.h"

namespace tc::emulator::isa {

namespace {

constexpr Effect effect = Effect::Effect;

// clang-format off
const Row table[] = {
    // Asynchronous copies.
    {"9.7.9.25.3.1", "cp.async.ca.SharedSpace.global{.Prefetch} [a], [a], imm, b:u32?", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.ca.SharedSpace.global{.Prefetch} [a], [a], imm, !c", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.ca.SharedSpace.global.L2::cache_hint{.Prefetch} [a], [a], imm, e:b64", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.ca.SharedSpace.global.L2::cache_hint{.Prefetch} [a], [a], imm, b:u32, e:b64", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.ca.SharedSpace.global.L2::cache_hint{.Prefetch} [a], [a], imm, !c, e:b64", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.cg.SharedSpace.global{.Prefetch} [a], [a], imm, b:u32?", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.cg.SharedSpace.global{.Prefetch} [a], [a], imm, !c", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.cg.SharedSpace.global.L2::cache_hint{.Prefetch} [a], [a], imm, e:b64", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.cg.SharedSpace.global.L2::cache_hint{.Prefetch} [a], [a], imm, b:u32, e:b64", effect, async::copy},
    {"9.7.9.25.3.1", "cp.async.cg.SharedSpace.global.L2::cache_hint{.Prefetch} [a], [a], imm, !c, e:b64", effect, async::copy},
    {"9.7.9.25.3.2", "cp.async.commit_group", effect, async::commitGroup},
    {"9.7.9.25.3.3", "cp.async.wait_group imm", effect, async::waitGroup},
    {"9.7.9.25.3.3", "cp.async.wait_all", effect, async::waitAll},

    // Barriers and fences.
    {"9.7.13.1", "bar{.cta}.sync a:u32, b:u32?", effect, runtime::barrier},
    {"9.7.13.1", "bar{.cta}.arrive a:u32, b:u32", effect, runtime::barrier},
    {"9.7.13.1", "bar{.cta}.red.popc.u32 d, a, !c", effect, runtime::barrier},
    {"9.7.13.1", "bar{.cta}.red.popc.u32 d, a, b, !c", effect, runtime::barrier},
    {"9.7.13.1", "bar{.cta}.red.BarrierOp.pred d, a:u32, !c", effect, runtime::barrier},
    {"9.7.13.1", "bar{.cta}.red.BarrierOp.pred d, a:u32, b:u32, !c", effect, runtime::barrier},
    {"9.7.13.1", "barrier{.cta}.sync{.aligned} a:u32, b:u32?", effect, runtime::barrier},
    {"9.7.13.1", "barrier{.cta}.arrive{.aligned} a:u32, b:u32", effect, runtime::barrier},
    {"9.7.13.1", "barrier{.cta}.red.popc{.aligned}.u32 d, a, !c", effect, runtime::barrier},
    {"9.7.13.1", "barrier{.cta}.red.popc{.aligned}.u32 d, a, b, !c", effect, runtime::barrier},
    {"9.7.13.1", "barrier{.cta}.red.BarrierOp{.aligned}.pred d, a:u32, !c", effect, runtime::barrier},
    {"9.7.13.1", "barrier{.cta}.red.BarrierOp{.aligned}.pred d, a:u32, b:u32, !c", effect, runtime::barrier},
    {"9.7.13.2", "bar.warp.sync a:b32", Effect::Collective, runtime::syncWarp},
    {"9.7.13.3", "barrier.cluster.arrive{.ClusterOrder}{.aligned}", effect, runtime::clusterBarrier},
    {"9.7.13.3", "barrier.cluster.wait{.acquire}{.aligned}", effect, runtime::clusterBarrier},
    // Only wgmma goes through another proxy than the generic one.
    {"9.7.13.5", "membar.MembarLevel", effect, runtime::fence},
    {"9.7.13.5", "membar.proxy.alias", effect, runtime::fence},
    {"9.7.13.5", "fence{.FenceOrder}.Scope", effect, runtime::fence},
    {"9.7.13.5", "fence.proxy.alias", effect, runtime::fence},
    {"9.7.13.5", "fence.proxy.async{.AsyncSpace}", effect, runtime::proxyFence},
    {"9.7.13.5", "fence.mbarrier_init.release.cluster", effect, runtime::initFence},
    // One kernel runs after the other: the checks alone look at what may overlap.
    {"9.7.13.13", "griddepcontrol.launch_dependents", effect, runtime::controlGrids},
    {"9.7.13.13", "griddepcontrol.wait", effect, runtime::controlGrids},

    // Barriers in shared memory.
    {"9.7.13.15.9", "mbarrier.init{.SharedSpace}.b64 [a], b:u32", effect, async::mbarrierInit},
    {"9.7.13.15.10", "mbarrier.inval{.SharedSpace}.b64 [a]", effect, async::mbarrierInvalidate},
    {"9.7.13.15.11", "mbarrier.expect_tx{.SharedSpace}.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.11", "mbarrier.expect_tx.relaxed.NearScope{.SharedSpace}.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.11", "mbarrier.expect_tx.shared::cluster.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.11", "mbarrier.expect_tx.relaxed.NearScope.shared::cluster.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.12", "mbarrier.complete_tx{.SharedSpace}.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.12", "mbarrier.complete_tx.relaxed.NearScope{.SharedSpace}.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.12", "mbarrier.complete_tx.shared::cluster.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.12", "mbarrier.complete_tx.relaxed.NearScope.shared::cluster.b64 [a], b:u32", effect, async::mbarrierTransactions},
    {"9.7.13.15.13", "mbarrier.Arrive{.SharedSpace}.b64 d, [a], b:u32?", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.StOrder.NearScope{.SharedSpace}.b64 d, [a], b:u32?", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.expect_tx{.SharedSpace}.b64 d, [a], b:u32", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.expect_tx.StOrder.NearScope{.SharedSpace}.b64 d, [a], b:u32", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.shared::cluster.b64 d, [a], b:u32?", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.StOrder.NearScope.shared::cluster.b64 d, [a], b:u32?", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.expect_tx.shared::cluster.b64 d, [a], b:u32", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.expect_tx.StOrder.NearScope.shared::cluster.b64 d, [a], b:u32", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.noComplete{.SharedSpace}.b64 d, [a], b:u32", effect, async::mbarrierArrive},
    {"9.7.13.15.13", "mbarrier.Arrive.noComplete.release.cta{.SharedSpace}.b64 d, [a], b:u32", effect, async::mbarrierArrive},
    {"9.7.13.15.15", "cp.async.mbarrier.arrive{.noinc}{.SharedSpace}.b64 [a]", effect, async::copyArrive},
    {"9.7.13.15.16", "mbarrier.test_wait{.SharedSpace}.b64 d:pred, [a], b:b64", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.test_wait.LdOrder.NearScope{.SharedSpace}.b64 d:pred, [a], b:b64", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.test_wait.parity{.SharedSpace}.b64 d:pred, [a], b:u32", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.test_wait.parity.LdOrder.NearScope{.SharedSpace}.b64 d:pred, [a], b:u32", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.try_wait{.SharedSpace}.b64 d:pred, [a], b:b64, c:u32?", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.try_wait.LdOrder.NearScope{.SharedSpace}.b64 d:pred, [a], b:b64, c:u32?", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.try_wait.parity{.SharedSpace}.b64 d:pred, [a], b:u32, c:u32?", effect, async::mbarrierWait},
    {"9.7.13.15.16", "mbarrier.try_wait.parity.LdOrder.NearScope{.SharedSpace}.b64 d:pred, [a], b:u32, c:u32?", effect, async::mbarrierWait},
    {"9.7.13.15.17", "mbarrier.pending_count.b64 d:u32, a", effect, async::mbarrierPendingCount},

    // Miscellaneous.
    {"9.7.19.1", "brkpt", effect, runtime::trap},
    {"9.7.19.2", "nanosleep.u32 a", effect, async::nanosleep},
    {"9.7.19.3", "pmevent imm", effect, lower::nothing},
    {"9.7.19.3", "pmevent.mask imm", effect, lower::nothing},
    {"9.7.19.4", "trap", effect, runtime::trap},
    {"9.7.19.5", "setmaxnreg.IncDec.sync.aligned.u32 imm", Effect::Collective, async::setRegisters},
};
// clang-format on

} // namespace

llvm::ArrayRef<Row> getAsyncRows() { return table; }

} // namespace tc::emulator::isa
