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

#include <cmath>
#include <limits>

namespace mlir::tc {

/// Where the search for a throughput ends, relative to it, and after how many
/// steps at the latest.
static constexpr double kClose = 1e-7;
static constexpr int kMostSteps = 40;

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
  // What is posted grows with the throughput, which falls with what is posted:
  // one throughput causes itself. By the Illinois form of regula falsi.
  auto getExcess = [&](double posting) {
    return analyze(stations, think, customers, posting) - posting;
  };
  double least = 0, above = getExcess(0);
  double most = std::min(above, (1 - kClose) / busiest);
  double below = getExcess(most);
  if (below >= 0)
    return most; // a station does nothing but what is posted
  int side = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    double middle = (least * below - most * above) / (below - above);
    double excess = getExcess(middle);
    if (std::fabs(excess) <= kClose * middle || most - least <= kClose * most)
      return middle;
    bool isAbove = excess > 0;
    (isAbove ? least : most) = middle;
    (isAbove ? above : below) = excess;
    // An end that stays twice is weighed less, or it would stay for ever.
    if (isAbove && side > 0)
      below /= 2;
    if (!isAbove && side < 0)
      above /= 2;
    side = isAbove ? 1 : -1;
  }
  return (least + most) / 2;
}

} // namespace mlir::tc
