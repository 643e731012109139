//===- Conditional.h - Nodes that choose between graphs ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition is a number in memory of the device, and its handle the address:
// what kernels do to it is an access like others, and checked like others.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_GRAPH_CONDITIONAL_H
#define TC_LIB_EMULATOR_DRIVER_GRAPH_CONDITIONAL_H

#include "Device.h"

namespace tc::emulator::driver {

struct Condition {
  State &state;
  CUgraph graph; ///< it was made for
  uint32_t *value;
  uint32_t initial;
  bool isAssigned; ///< `initial`, at the start of each launch

  Condition(State &state, CUgraph graph, uint32_t *value, uint32_t initial,
            bool isAssigned);
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;
  ~Condition();

  CUgraphConditionalHandle getHandle() const {
    return reinterpret_cast<uintptr_t>(value);
  }
};
using Conditions = std::vector<std::shared_ptr<Condition>>;

/// Those that the nodes of a graph look at, also of graphs inside.
Conditions getConditions(State &state, CUgraph graph);
/// Whether a graph may be copied; one with conditional nodes may not.
CUresult checkNoConditions(Call &call, CUgraph graph);
/// Whether what conditional nodes choose from, in a graph that is to be
/// instantiated, does what it may, and each condition has its node.
CUresult checkConditions(Call &call, CUgraph graph);

/// Gives the conditions of a graph the values that its launch begins with.
Work makeAssignment(Conditions conditions);
/// By the condition, which of the graphs is to run; none: their number or more.
size_t choose(const Turn &turn, const ConditionalStep &step);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_GRAPH_CONDITIONAL_H
