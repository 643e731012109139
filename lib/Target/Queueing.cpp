//===- Queueing.cpp - Closed queueing networks ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact mean value analysis, one customer more at a time.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Queueing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>

namespace mlir::tc {

/// Steps of the bisection: to a millionth.
static constexpr int kBisections = 20;

/// The throughput where every station is slowed down by what is posted at a
/// throughput of `posting`.
static double analyze(llvm::ArrayRef<StationDemand> stations, double think,
                      int64_t customers, double posting) {
  llvm::SmallVector<double, 8> service, queue(stations.size(), 0);
  for (const StationDemand &station : stations)
    service.push_back(station.waited / (1 - posting * station.posted));
  double throughput = 0;
  for (int64_t present = 1; present <= customers; ++present) {
    double round = think;
    for (auto [time, waiting] : llvm::zip_equal(service, queue))
      round += time * (1 + waiting);
    throughput = double(present) / round;
    for (auto [time, waiting] : llvm::zip_equal(service, queue))
      waiting = throughput * time * (1 + waiting);
  }
  return throughput;
}

double getThroughput(llvm::ArrayRef<StationDemand> stations, double think,
                     int64_t customers) {
  double busiest = 0, posted = 0, all = think;
  for (const StationDemand &station : stations) {
    busiest = std::max(busiest, station.waited + station.posted);
    posted += station.posted;
    all += station.waited + station.posted;
  }
  if (all <= 0)
    return std::numeric_limits<double>::infinity();
  if (posted <= 0)
    return analyze(stations, think, customers, 0);
  // What is posted grows with the throughput, which falls with what is posted.
  // No station is busy all the time at the least of these.
  double least = 0, most = 1 / busiest;
  for (int step = 0; step < kBisections; ++step) {
    double middle = (least + most) / 2;
    if (analyze(stations, think, customers, middle) > middle)
      least = middle;
    else
      most = middle;
  }
  return (least + most) / 2;
}

} // namespace mlir::tc
