//===- Queueing.cpp - Closed queueing networks ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mean value analysis, one customer more at a time.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Queueing.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace mlir::tc {

/// The mean of what is left of a time of mean `time` when another of mean
/// `hiding` is over, both exponential.
static double getRest(double time, double hiding) {
  return time > 0 ? time * time / (time + hiding) : 0;
}

llvm::SmallVector<double> getThroughputs(const ClosedNetwork &network,
                                         int64_t customers) {
  llvm::ArrayRef<StationDemand> stations = network.stations;
  double limit = std::numeric_limits<double>::infinity();
  for (const StationDemand &station : stations)
    if (double busy = station.waited + station.posted; busy > 0)
      limit = std::min(limit, 1 / busy);
  llvm::SmallVector<double, 8> queues(stations.size(), 0),
      times(stations.size());
  llvm::SmallVector<double> throughputs;
  double throughput = 0;
  for (int64_t present = 1; present <= customers; ++present) {
    double waited = network.think, aheadOf = network.latency;
    for (auto [s, station] : llvm::enumerate(stations)) {
      // Of the others, those that keep to the same part.
      double nearby = present > 1
                          ? std::max(double(present) - station.servers, 0.0) /
                                double(present - 1)
                          : 0;
      times[s] = station.waited > 0
                     ? station.waited / (1 - throughput * station.posted) *
                           (station.servers + nearby * queues[s])
                     : 0;
      waited += times[s] * (1 - station.ahead);
      aheadOf += times[s] * station.ahead;
    }
    double round = waited + getRest(aheadOf, network.hiding);
    throughput = std::min(double(present) / round, limit);
    for (auto [time, queue] : llvm::zip_equal(times, queues))
      queue = throughput * time;
    throughputs.push_back(throughput);
  }
  return throughputs;
}

} // namespace mlir::tc

// Note [Closed networks]
// ~~~~~~~~~~~~~~~~~~~~~~
// A customer that comes to a station meets what is there on average with one
// customer less (the arrival theorem). Exact mean value analysis goes on from
// there; three things are added to it, each by the same thought:
//
// - Customers that leave work behind slow the station down for those that wait:
//   by what the others, one fewer, leave there.
// - A station of several servers, of which each customer keeps to one, has the
//   others spread evenly: of present - 1 others (present - servers) / servers
//   are at the same server, and their queue there is as long as its share of
//   the whole. With no more customers than servers nobody waits.
// - What is asked ahead is on its way while the customer is elsewhere. How long
//   either takes varies; as if both were exponential, a time R of which C is
//   hidden leaves R^2 / (R + C): all of it where nothing hides it, half where
//   both take as long, ever less where it is short.
//
// Without the first and the third, and with single servers, all is exact. With
// them no station does more than it can: throughput is held to that of the
// busiest.
