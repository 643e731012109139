//===- QueueingTest.cpp - Closed queueing networks ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against closed forms that are found otherwise.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Queueing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mlir::tc;

TEST(Queueing, OneCustomerTakesTheSum) {
  StationDemand stations[] = {{3, 0}, {5, 0}, {0, 0}};
  EXPECT_DOUBLE_EQ(getThroughput(stations, 2, 1), 0.1);
}

TEST(Queueing, ManyCustomersWaitForTheBusiestStation) {
  StationDemand stations[] = {{3, 0}, {5, 0}};
  EXPECT_NEAR(getThroughput(stations, 2, 200), 0.2, 1e-9);
}

// K equal stations: N / (N + K - 1) of what one of them can do.
TEST(Queueing, BalancedStations) {
  StationDemand stations[] = {{2, 0}, {2, 0}, {2, 0}, {2, 0}};
  for (int customers = 1; customers <= 32; ++customers)
    EXPECT_NEAR(getThroughput(stations, 0, customers),
                0.5 * customers / (customers + 3.0), 1e-12);
}

// Machines that one repairman mends (M/M/1 with a finite source): idle with the
// probability 1 / sum of N! / (N - n)! (D / Z)^n.
TEST(Queueing, MachineRepair) {
  const double think = 7, service = 2;
  StationDemand station[] = {{service, 0}};
  for (int customers = 1; customers <= 12; ++customers) {
    double sum = 0, term = 1;
    for (int n = 0; n <= customers; ++n) {
      sum += term;
      term *= (customers - n) * service / think;
    }
    EXPECT_NEAR(getThroughput(station, think, customers),
                (1 - 1 / sum) / service, 1e-12)
        << customers;
  }
}

// With one customer X = 1 / (Z + D / (1 - X P)): a quadratic equation.
TEST(Queueing, WhatIsPostedSlowsItsStationDown) {
  const double think = 4, waited = 3, posted = 2;
  StationDemand station[] = {{waited, posted}};
  double b = think + waited + posted;
  double expected =
      (b - std::sqrt(b * b - 4 * think * posted)) / (2 * think * posted);
  EXPECT_NEAR(getThroughput(station, think, 1), expected, 1e-6 * expected);
  // Less than without, and a station does both in the end.
  EXPECT_LT(expected, 1 / (think + waited));
  EXPECT_NEAR(getThroughput(station, think, 500), 1 / (waited + posted), 1e-3);
}

TEST(Queueing, ThroughputGrowsWithCustomersAndFallsWithDemands) {
  double before = 0;
  for (int customers = 1; customers <= 64; customers *= 2) {
    StationDemand stations[] = {{3, 1}, {2, 2}, {0, 3}};
    double now = getThroughput(stations, 10, customers);
    EXPECT_GT(now, before);
    before = now;
    stations[1].waited = 4;
    EXPECT_LT(getThroughput(stations, 10, customers), now);
  }
  EXPECT_LE(before, 1.0 / 4);
}

// Two customers that think for 1 and wait for a server of 1, and post 3 to
// another: they come round at the rate of that one, a third, although the first
// would allow 4 / 5.
TEST(Queueing, AStationThatDoesOnlyWhatIsPosted) {
  StationDemand stations[] = {{1, 0}, {0, 3}};
  EXPECT_NEAR(getThroughput(stations, 1, 2), 1.0 / 3, 1e-6);
}

TEST(Queueing, NothingToDo) {
  StationDemand stations[] = {{0, 0}};
  EXPECT_EQ(getThroughput(stations, 0, 3),
            std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(getThroughput({}, 4, 2), 0.5);
}
