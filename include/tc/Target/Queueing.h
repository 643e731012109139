//===- Queueing.h - Closed queueing networks --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Customers that go round for ever: each thinks, waits for a latency, and for
// its turn at every station, and is served. With one customer a round takes the
// sum of all; with very many the busiest station decides.
//
// Sources: Reiser and Lavenberg, "Mean-value analysis of closed multichain
// queuing networks", JACM 27(2), 1980, exact for one class of customers that
// wait for all they ask; Lazowska et al., "Quantitative System Performance",
// 1984, chapters 6 and 7.4 (work that nobody waits for slows its station down).
// See Note [Closed networks] in lib/Target/Queueing.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_QUEUEING_H
#define TC_TARGET_QUEUEING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tc {

/// What one round of one customer asks of a station, in any unit of time.
struct StationDemand {
  double waited = 0; ///< the customer needs it before its round ends
  double posted = 0; ///< the customer leaves it behind and goes on
  /// Equal parts that the station consists of, at least 1: each customer keeps
  /// to one of them, the same number to each, and is served at its rate.
  double servers = 1;
  /// The share of `waited` that is asked ahead: see ClosedNetwork::hiding.
  double ahead = 0;
};

struct ClosedNetwork {
  llvm::ArrayRef<StationDemand> stations;
  /// Time of a round that a customer spends at no station (think time).
  double think = 0;
  /// Like a station without a queue, asked ahead.
  double latency = 0;
  /// Of what is asked ahead about so much passes while the customer is
  /// elsewhere.
  double hiding = 0;
};

/// Rounds per unit of time with one customer, with two, and so on up to
/// `customers` (at least 1). Infinite where nothing takes time.
llvm::SmallVector<double> getThroughputs(const ClosedNetwork &network,
                                         int64_t customers);

} // namespace mlir::tc

#endif // TC_TARGET_QUEUEING_H
