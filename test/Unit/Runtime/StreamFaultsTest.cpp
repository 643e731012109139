//===- StreamFaultsTest.cpp - Orders of streams that are missing ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of two streams with a fault, and the same without it, whatever the
// order in which the streams run.
//
//===----------------------------------------------------------------------===//

#include "StreamRaces.h"

#include <functional>

using namespace tc::runtime;
using namespace tc::runtime::test;
using testing::HasSubstr;

namespace {

TEST_F(StreamRaces, SeededFaults) {
  struct Fault {
    const char *name;
    std::function<void(bool isMended)> run;
  };
  const Fault faults[] = {
      {"NoEvent",
       [&](bool isMended) {
         writeIn(first, 0);
         if (isMended)
           wait(second, record(first));
         readIn(second, 1);
       }},
      {"EventTooEarly",
       [&](bool isMended) {
         CUevent early = record(first);
         writeIn(first, 0);
         wait(second, isMended ? record(first) : early);
         readIn(second, 1);
       }},
      {"TheOtherStreamWaits",
       [&](bool isMended) {
         writeIn(first, 0);
         wait(isMended ? second : first, record(first));
         readIn(second, 1);
       }},
      {"TheHostWaitsForTheOtherStream",
       [&](bool isMended) {
         writeIn(first, 0);
         EXPECT_EQ(driver->cuStreamSynchronize(isMended ? first : second),
                   CUDA_SUCCESS);
         readIn(second, 1);
       }},
      {"OverwrittenBeforeItIsRead",
       [&](bool isMended) {
         readIn(first, 0);
         if (isMended)
           wait(second, record(first));
         writeIn(second, 1);
       }},
      {"FilledAtTheSameTime",
       [&](bool isMended) {
         writeIn(first, 0);
         EXPECT_EQ(
             driver->cuMemsetD32Async(buffer, 1, 8, isMended ? first : second),
             CUDA_SUCCESS);
       }},
      {"StreamThatTheDefaultOneDoesNotWaitFor",
       [&](bool isMended) {
         writeIn(isMended ? makeStream(0) : first, 0);
         readIn(nullptr, 1);
       }},
  };
  for (const Fault &fault : faults)
    for (unsigned seed = 0; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string(fault.name) + ", seed " + std::to_string(seed));
      std::string order = "adversarial:" + std::to_string(seed);
      schedule(seed ? order.c_str() : "deterministic");
      load(2); // by names that were not told of yet
      fault.run(/*isMended=*/true);
      EXPECT_EQ(take(), "");
      load(2);
      fault.run(/*isMended=*/false);
      EXPECT_THAT(take(), HasSubstr("stream race: "));
    }
}

} // namespace
