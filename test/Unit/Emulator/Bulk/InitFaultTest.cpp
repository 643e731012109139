//===- InitFaultTest.cpp - Initialised mbarriers, and no fence ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that end on an mbarrier, and arrivals from another block, that need
// not see its initialisation; each kernel with the fault and without it.
//
//===----------------------------------------------------------------------===//

#include "Bulk/BulkHarness.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

const std::string initialise = "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n",
                  fenceInit = "@%p1 fence.mbarrier_init.release.cluster;\n",
                  meet = "barrier.cluster.arrive.aligned;\n"
                         "barrier.cluster.wait.aligned;\n",
                  meetRelaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                                "barrier.cluster.wait.aligned;\n";
const char *const pair = ".reqnctapercluster 2";

/// What a copy to an mbarrier that was not fenced is told of.
const std::vector<const char *> unfenced = {
    "an mbarrier, goes through the async proxy, which need not see the write "
    "by thread (0,0,0)",
    "(`@%p1 mbarrier.init.shared::cta.b64 [%i4], 1`)",
    "execute fence.mbarrier_init.release.cluster in that thread"};

/// Two blocks initialise an mbarrier each; the first one's thread 0 copies to
/// both.
struct Multicast {
  std::string init = initialise;
  std::string fence = fenceInit;
  std::string meet = ::meet;

  std::string get() const {
    return init + fence +
           "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 512;\n" +
           meet +
           "setp.eq.u32 %p3, %i9, 0;\nand.pred %p3, %p3, %p1;\n"
           "mov.b16 %h1, 3;\n"
           "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes.multicast::cluster [%i2], [%q1], 512, [%i4], %h1;\n" +
           waitFor("w", "%i4", "0") + "ld.shared.b32 %i10, [%i3];\n" + ::meet;
  }
};

template <typename Change>
std::string with(Change change) {
  Multicast parts;
  change(parts);
  return parts.get();
}

const std::string good = Multicast().get();

/// Of mbarriers of other blocks.
TEST(InitFaults, Multicast) {
  const BulkRun run{2, 128, {}, {}};
  auto make = [&](const char *name, const std::string &bad) {
    return BulkFault{name, bad, unfenced, good, run, pair};
  };
  const BulkFault faults[] = {
      make("NoFence", with([](Multicast &p) { p.fence = ""; })),
      make("BeforeTheInitialisation",
           with([](Multicast &p) { std::swap(p.fence, p.init); })),
      make("ByAnotherThread", with([](Multicast &p) {
             p.fence = "@!%p1 fence.mbarrier_init.release.cluster;\n";
           })),
      make("GenericFence",
           with([](Multicast &p) { p.fence = "fence.acq_rel.cluster;\n"; })),
      make("InitialisedAgain", with([](Multicast &p) {
             p.fence += "@%p1 mbarrier.inval.shared::cta.b64 [%i4];\n" + p.init;
           })),
      {"FenceOfGlobalMemory",
       with([](Multicast &p) { p.fence = "fence.proxy.async.global;\n"; }),
       unfenced,
       with([](Multicast &p) { p.fence = "fence.proxy.async.shared::cta;\n"; }),
       run, pair},
      {"RelaxedBarrier", with([](Multicast &p) {
         p.fence = "";
         p.meet = meetRelaxed;
       }),
       unfenced, with([](Multicast &p) { p.meet = meetRelaxed; }), run, pair},
  };
  runFaults(faults);
}

/// Of the thread's own mbarrier, and of one that it finds in another block.
TEST(InitFaults, Copies) {
  auto load = [](const std::string &fence) {
    return initialise + fence +
           "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 512;\n"
           "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [%i2], [%q1], 512, [%i4];\nbar.sync 0;\n" +
           waitFor("w", "%i4", "0") + "ld.shared.b32 %i10, [%i3];\n";
  };
  auto push = [](const std::string &fence) {
    return "st.shared.b32 [%i3], %i1;\nfence.proxy.async.shared::cta;\n" +
           initialise + fence +
           "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 512;\n" +
           meet +
           "xor.b32 %i11, %i9, 1;\nadd.u32 %i12, %i2, 1024;\n"
           "mapa.shared::cluster.u32 %i12, %i12, %i11;\n"
           "mapa.shared::cluster.u32 %i13, %i4, %i11;\n"
           "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
           "complete_tx::bytes [%i12], [%i2], 512, [%i13];\n" +
           waitFor("w", "%i4", "0") + "ld.shared.b32 %i10, [%i3+1024];\n" +
           meet;
  };
  const BulkRun two{2, 128, {}, {}};
  const BulkFault faults[] = {
      {"AtOnce", load(""), unfenced, load(fenceInit)},
      {"AtOnceBehindAGenericFence", load("fence.acq_rel.cluster;\n"), unfenced,
       load("fence.proxy.async;\n")},
      // As Triton and MLIR have it.
      {"AtOnceInsteadOfABarrier", load(""), unfenced, load("bar.sync 0;\n")},
      {"ToAnotherBlock", push(""), unfenced, push(fenceInit), two, pair},
      {"ToAnotherBlockBehindABarrier", push("bar.sync 0;\n"), unfenced,
       push(fenceInit + "bar.sync 0;\n"), two, pair},
  };
  runFaults(faults);
}

/// An arrival on an mbarrier of another block needs an order, and the fence of
/// initialisations gives nothing else one.
TEST(InitFaults, Arrivals) {
  auto arrive = [](const std::string &before) {
    return initialise + before +
           "setp.eq.u32 %p3, %i9, 1;\nand.pred %p3, %p3, %p1;\n"
           "mov.u32 %i11, 0;\nmapa.shared::cluster.u32 %i13, %i4, %i11;\n"
           "@%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
           "[%i13];\nsetp.eq.u32 %p4, %i9, 1;\n@%p4 bra $end;\n" +
           waitFor("w", "%i4", "0") + "$end:\n" + meet;
  };
  auto look = [](const std::string &fence) {
    return "st.shared.b32 [%i3], %i1;\n" + fence + meetRelaxed +
           "xor.b32 %i11, %i9, 1;\nmapa.shared::cluster.u32 %i12, %i3, %i11;\n"
           "ld.shared::cluster.b32 %i10, [%i12];\n" +
           meet;
  };
  const BulkRun two{2, 128, {}, {}};
  const BulkFault faults[] = {
      {"Relaxed",
       arrive(meetRelaxed),
       {"race: atomic access of 8 bytes at shared address",
        "write by thread (0,0,0)", "mbarrier.init"},
       arrive(fenceInit + meetRelaxed),
       two,
       pair},
      {"FenceOfAnotherThread",
       arrive("@!%p1 fence.mbarrier_init.release.cluster;\n" + meetRelaxed),
       {"race: atomic access of 8 bytes at shared address"},
       arrive(meet),
       two,
       pair},
      {"FenceOfInitialisationsAlone",
       look("fence.mbarrier_init.release.cluster;\n"),
       {"race: read of 4 bytes at shared address", "write by thread"},
       look("fence.acq_rel.cluster;\n"),
       two,
       pair},
  };
  runFaults(faults);
}

} // namespace
