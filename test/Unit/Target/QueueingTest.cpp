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

/// With this many customers, which think for a while and ask nothing ahead.
static double getThroughput(llvm::ArrayRef<StationDemand> stations,
                            double think, int64_t customers) {
  return getThroughputs({stations, think}, customers).back();
}

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

// One customer meets nothing that another left; two meet what one leaves.
TEST(Queueing, WhatIsPostedSlowsItsStationDown) {
  const double think = 4, waited = 3, posted = 2;
  StationDemand station[] = {{waited, posted}};
  double one = 1 / (think + waited);
  EXPECT_DOUBLE_EQ(getThroughput(station, think, 1), one);
  double slower = waited / (1 - one * posted), queue = one * waited;
  EXPECT_DOUBLE_EQ(getThroughput(station, think, 2),
                   2 / (think + slower * (1 + queue)));
  // A station does both in the end.
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

// Until there are as many customers as servers nobody waits; many keep all
// busy.
TEST(Queueing, CustomersKeepToTheirServers) {
  const double think = 5, service = 3;
  StationDemand station[] = {{service, 0, /*servers=*/4}};
  for (int customers = 1; customers <= 4; ++customers)
    EXPECT_DOUBLE_EQ(getThroughput(station, think, customers),
                     customers / (think + 4 * service));
  EXPECT_LT(getThroughput(station, think, 8), 8 / (think + 4 * service));
  EXPECT_NEAR(getThroughput(station, think, 1000), 1 / service, 1e-3);
}

// Two servers with twice as many customers are two networks beside each other,
// but that the mean has odd numbers of customers between the even ones.
TEST(Queueing, ServersAreNetworksBesideEachOther) {
  const double service = 3;
  StationDemand one[] = {{service, 0}};
  StationDemand two[] = {{service / 2, 0, /*servers=*/2}};
  for (int customers = 1; customers <= 8; ++customers)
    EXPECT_NEAR(getThroughput(two, 7, 2 * customers) /
                    (2 * getThroughput(one, 7, customers)),
                1, 0.04)
        << customers;
}

TEST(Queueing, WhatIsAskedAheadHides) {
  StationDemand stations[] = {{6, 0}, {2, 0, /*servers=*/1, /*ahead=*/1}};
  auto getRound = [&](double latency, double hiding) {
    return 1 / getThroughputs({stations, /*think=*/1, latency, hiding}, 1)[0];
  };
  EXPECT_DOUBLE_EQ(getRound(4, 0), 1 + 6 + 2 + 4);
  // As long as what hides it: half of it is left.
  EXPECT_DOUBLE_EQ(getRound(4, 6), 1 + 6 + 3);
  EXPECT_DOUBLE_EQ(getRound(4, 12), 1 + 6 + 2);
  // Half of what is asked of the station is waited for.
  stations[1].ahead = 0.5;
  EXPECT_DOUBLE_EQ(getRound(3, 4), 1 + 6 + 1 + 2);
  // A station does no more than it can, however much is hidden.
  stations[1].waited = 20;
  EXPECT_DOUBLE_EQ(getRound(0, 1e6), 20);
}

TEST(Queueing, EachNumberOfCustomers) {
  StationDemand stations[] = {{3, 1}, {2, 2}};
  auto throughputs = getThroughputs({stations, 10}, 5);
  ASSERT_EQ(throughputs.size(), 5u);
  for (int customers = 1; customers <= 5; ++customers)
    EXPECT_DOUBLE_EQ(throughputs[customers - 1],
                     getThroughput(stations, 10, customers));
}

TEST(Queueing, NothingToDo) {
  StationDemand stations[] = {{0, 0}};
  EXPECT_EQ(getThroughput(stations, 0, 3),
            std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(getThroughput({}, 4, 2), 0.5);
}
