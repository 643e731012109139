//===- Conditional.cpp - Nodes that choose between graphs -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions and the nodes that look at them, before a graph is launched.
//
//===----------------------------------------------------------------------===//

#include "Graph/Conditional.h"

#include "Graph/Nodes.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

Condition::Condition(State &state, CUgraph graph, uint32_t *value,
                     uint32_t initial, bool isAssigned)
    : state(state), graph(graph), value(value), initial(initial),
      isAssigned(isAssigned) {
  *value = 0;
  state.conditions[getHandle()] = this;
}

Condition::~Condition() {
  state.conditions.erase(getHandle());
  llvm::consumeError(state.memory.release(value)); // it was allocated
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

CUresult driver::makeStep(Call &call, const CUDA_CONDITIONAL_NODE_PARAMS &given,
                          Step &step) {
  State &state = call.state;
  auto found = state.conditions.find(given.handle);
  Graph *graph = found == state.conditions.end()
                     ? nullptr
                     : state.graphs.find(found->second->graph);
  if (!graph)
    return call.fail(
        CUDA_ERROR_INVALID_VALUE,
        "expected a handle of cuGraphConditionalHandleCreate for a "
        "graph that is there, got 0x" +
            llvm::Twine::utohexstr(given.handle));
  unsigned most = given.type == CU_GRAPH_COND_TYPE_IF      ? 2
                  : given.type == CU_GRAPH_COND_TYPE_WHILE ? 1
                                                           : ~0u;
  if (given.type < CU_GRAPH_COND_TYPE_IF ||
      given.type > CU_GRAPH_COND_TYPE_SWITCH || given.size == 0 ||
      given.size > most)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected 'if' (0) with one or two graphs, 'while' (1) "
                     "with one, or 'switch' (2) with one or more, got type " +
                         llvm::Twine(given.type) + " with " +
                         llvm::Twine(given.size));
  auto condition = llvm::find_if(graph->conditions, [&](const auto &one) {
    return one.get() == found->second;
  });
  ConditionalStep made{given.type, *condition, {}};
  for (unsigned i = 0; i != given.size; ++i) {
    made.bodies.push_back(makeGraph(state, graph->context, state.noteCaller()));
    state.graphs.find(made.bodies.back())->isOwned = true;
  }
  step = std::move(made);
  return CUDA_SUCCESS;
}

/// Calls `visit` for each step of a graph, and of graphs inside.
static void forSteps(State &state, CUgraph handle,
                     llvm::function_ref<void(const Step &)> visit) {
  for (CUgraphNode node : state.graphs.find(handle)->nodes) {
    const Step &step = state.nodes.find(node)->step;
    visit(step);
    for (CUgraph inner : getGraphs(step))
      forSteps(state, inner, visit);
  }
}

Conditions driver::getConditions(State &state, CUgraph graph) {
  Conditions conditions;
  forSteps(state, graph, [&](const Step &step) {
    if (const auto *conditional = std::get_if<ConditionalStep>(&step))
      conditions.push_back(conditional->condition);
  });
  return conditions;
}

CUresult driver::checkNoConditions(Call &call, CUgraph graph) {
  if (getConditions(call.state, graph).empty())
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                   "expected a graph without conditional nodes, as others can "
                   "neither be cloned nor be nodes of graphs");
}

static bool mayBeConditional(const Step &step) {
  switch (getType(step)) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
  case CU_GRAPH_NODE_TYPE_MEMCPY:
  case CU_GRAPH_NODE_TYPE_MEMSET:
  case CU_GRAPH_NODE_TYPE_GRAPH:
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return true;
  default:
    return false;
  }
}

/// Whether each condition that was made for a graph, or a graph inside, is that
/// of a node.
static bool areAllUsed(State &state, CUgraph graph, const Conditions &used) {
  auto isUsed = [&](const auto &one) { return llvm::is_contained(used, one); };
  bool areUsed = llvm::all_of(state.graphs.find(graph)->conditions, isUsed);
  forSteps(state, graph, [&](const Step &step) {
    for (CUgraph inner : getGraphs(step))
      areUsed &= llvm::all_of(state.graphs.find(inner)->conditions, isUsed);
  });
  return areUsed;
}

CUresult driver::checkConditions(Call &call, CUgraph graph) {
  State &state = call.state;
  Conditions used = getConditions(state, graph);
  if (!areAllUsed(state, graph, used))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a conditional node for each handle of the "
                     "graph, got a handle without one");
  for (const auto &condition : used)
    if (llvm::count(used, condition) != 1)
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "expected a handle for each conditional node, got two "
                       "nodes with the same");
  const Step *bad = nullptr;
  forSteps(state, graph, [&](const Step &step) {
    if (!std::holds_alternative<ConditionalStep>(step))
      return;
    for (CUgraph body : getGraphs(step))
      forSteps(state, body, [&](const Step &inner) {
        bad = mayBeConditional(inner) ? bad : &inner;
      });
  });
  if (!bad)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_INVALID_VALUE,
                   "expected kernels, copies, fills, empty nodes, graphs and "
                   "conditional nodes in what a conditional node chooses from, "
                   "got a node of type " +
                       llvm::Twine(getType(*bad)));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Work driver::makeAssignment(Conditions conditions) {
  return [conditions = std::move(conditions)](const Turn &turn) {
    for (const auto &condition : conditions) {
      if (turn.fault || !condition->isAssigned)
        continue;
      *condition->value = condition->initial;
      turn.state.races.tell(turn, "default of a condition",
                            condition->getHandle(), sizeof(uint32_t),
                            /*isWrite=*/true);
    }
    return true;
  };
}

size_t driver::choose(const Turn &turn, const ConditionalStep &step) {
  turn.state.races.tell(turn, "conditional", step.condition->getHandle(),
                        sizeof(uint32_t), /*isWrite=*/false);
  uint32_t value = *step.condition->value;
  return step.kind == CU_GRAPH_COND_TYPE_SWITCH ? value : value == 0;
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle,
                                        CUgraph graph, CUcontext context,
                                        unsigned value, unsigned flags) {
  Call call("cuGraphConditionalHandleCreate", Needs::Driver);
  if (CUresult bad = checkPlace(call, handle))
    return bad;
  Graph *owner = call.find(&State::graphs, graph);
  if (!owner)
    return call.status();
  if (context && !call.state.contexts.find(context))
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "expected a context, got another handle or one destroyed");
  if (flags > CU_GRAPH_COND_ASSIGN_DEFAULT)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected flags 0 or 1, got " + llvm::Twine(flags));
  llvm::Expected<void *> memory = call.state.memory.allocate(sizeof(uint32_t));
  if (!memory)
    return call.fail(CUDA_ERROR_OUT_OF_MEMORY,
                     llvm::toString(memory.takeError()));
  owner->conditions.push_back(std::make_shared<Condition>(
      call.state, graph, static_cast<uint32_t *>(*memory), value, flags != 0));
  *handle = owner->conditions.back()->getHandle();
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
