//===- Queueing.h - Closed queueing networks --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Customers that go round for ever: each thinks for a while, then waits its
// turn at every station and is served. With one customer a round takes the sum
// of all; with very many the busiest station decides.
//
// Sources: Reiser and Lavenberg, "Mean-value analysis of closed multichain
// queuing networks", JACM 27(2), 1980, exact for one class of customers;
// Lazowska et al., "Quantitative System Performance", 1984, chapters 6 and 7.4
// (work that nobody waits for slows its station down).
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_QUEUEING_H
#define TC_TARGET_QUEUEING_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mlir::tc {

/// What one round of one customer asks of a station, in any unit of time.
struct StationDemand {
  double waited = 0; ///< the customer stays until it is done
  double posted = 0; ///< the customer leaves it behind and goes on
};

/// Rounds per unit of time of `customers` (at least 1) customers that think for
/// `think` each round. Infinite where nothing takes time.
double getThroughput(llvm::ArrayRef<StationDemand> stations, double think,
                     int64_t customers);

} // namespace mlir::tc

#endif // TC_TARGET_QUEUEING_H
