//===- Update.cpp - An executable graph takes another graph's parameters --===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes correspond by the order in which they were added. Both graphs must have
// the same kinds of nodes and the same edges.
//
//===----------------------------------------------------------------------===//

#include "Graph/Nodes.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

/// Compares a graph with that of an executable one, and takes over its steps.
class Update {
public:
  Update(State &state, CUgraphExecUpdateResultInfo &info)
      : state(state), info(info) {}

  bool compare(CUgraph ours, CUgraph theirs);
  void take(CUgraph ours, CUgraph theirs);
  /// The nodes of the new graph are known by what they became.
  std::map<CUgraphNode, CUgraphNode> copies;

private:
  bool compareNodes(CUgraphNode ours, CUgraphNode theirs);
  bool compareSteps(const Step &ours, const Step &theirs, CUgraphNode node);
  bool fail(CUgraphExecUpdateResult what, CUgraphNode node,
            CUgraphNode from = nullptr) {
    info = {what, node, from};
    return false;
  }

  State &state;
  CUgraphExecUpdateResultInfo &info;
};

} // namespace

bool Update::compare(CUgraph ours, CUgraph theirs) {
  const std::vector<CUgraphNode> &to = state.graphs.find(ours)->nodes;
  const std::vector<CUgraphNode> &from = state.graphs.find(theirs)->nodes;
  if (to.size() != from.size())
    return fail(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
                from.size() > to.size() ? from[to.size()] : nullptr);
  for (size_t i = 0; i != to.size(); ++i)
    copies[from[i]] = to[i];
  for (size_t i = 0; i != to.size(); ++i)
    if (!compareNodes(to[i], from[i]))
      return false;
  return true;
}

bool Update::compareNodes(CUgraphNode ours, CUgraphNode theirs) {
  Node &to = *state.nodes.find(ours);
  const Node &from = *state.nodes.find(theirs);
  if (to.step.index() != from.step.index())
    return fail(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, theirs);
  for (const Edge &edge : from.after) {
    const Edge *own = findEdge(to.after, copies[edge.from]);
    if (!own || own->data.from_port != edge.data.from_port)
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, theirs,
                  edge.from);
  }
  if (to.after.size() != from.after.size())
    return fail(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, theirs);
  return compareSteps(to.step, from.step, theirs);
}

bool Update::compareSteps(const Step &ours, const Step &theirs,
                          CUgraphNode node) {
  llvm::ArrayRef<CUgraph> graphs = getGraphs(ours), others = getGraphs(theirs);
  if (graphs.size() != others.size())
    return fail(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, node);
  for (auto [graph, other] : llvm::zip_equal(graphs, others))
    if (!compare(graph, other))
      return false;
  if (const auto *conditional = std::get_if<ConditionalStep>(&ours))
    if (conditional->kind != std::get<ConditionalStep>(theirs).kind)
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, node);
  if (const auto *copy = std::get_if<CopyStep>(&ours)) {
    const CUDA_MEMCPY3D &other = std::get<CopyStep>(theirs).copy;
    if (copy->copy.srcMemoryType != other.srcMemoryType ||
        copy->copy.dstMemoryType != other.dstMemoryType)
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, node);
  }
  if (const auto *memory = std::get_if<AllocateStep>(&ours))
    if (memory->asked.dptr != std::get<AllocateStep>(theirs).asked.dptr)
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, node);
  if (const auto *memory = std::get_if<FreeStep>(&ours))
    if (memory->address != std::get<FreeStep>(theirs).address)
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, node);
  return true;
}

void Update::take(CUgraph ours, CUgraph theirs) {
  for (auto [to, from] : llvm::zip_equal(state.graphs.find(ours)->nodes,
                                         state.graphs.find(theirs)->nodes)) {
    Step &step = state.nodes.find(to)->step;
    const Step &other = state.nodes.find(from)->step;
    for (auto [ours, theirs] :
         llvm::zip_equal(getGraphs(step), getGraphs(other)))
      take(ours, theirs);
    if (auto *conditional = std::get_if<ConditionalStep>(&step))
      conditional->condition = std::get<ConditionalStep>(other).condition;
    else if (!std::holds_alternative<GraphStep>(step))
      step = other;
  }
}

static CUresult update(CUgraphExec handle, CUgraph graph,
                       CUgraphExecUpdateResultInfo &info) {
  info = {};
  Call call("cuGraphExecUpdate", Needs::Driver);
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec || !call.find(&State::graphs, graph))
    return call.status();
  Update update(call.state, info);
  if (!update.compare(exec->graph, graph))
    return call.fail(
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
        "expected a graph with the nodes and edges of the one that "
        "was instantiated, got one that differs (result " +
            llvm::Twine(info.result) + ")");
  update.take(exec->graph, graph);
  // Calls that change parameters may name nodes of either graph.
  call.state.graphs.find(exec->graph)->copies.merge(update.copies);
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  CUgraphExecUpdateResultInfo ignored;
  return update(exec, graph, info ? *info : ignored);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *node,
                           CUgraphExecUpdateResult *result) {
  CUgraphExecUpdateResultInfo info;
  CUresult status = update(exec, graph, info);
  if (node)
    *node = info.errorNode;
  if (result)
    *result = info.result;
  return status;
}
}
} // namespace tc::runtime
