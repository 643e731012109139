//===- Graph.cpp - Graphs of the emulated driver --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs are made, copied, asked about and destroyed; edges come and go.
//
//===----------------------------------------------------------------------===//

#include "Graph/Graph.h"

#include "Device.h"
#include "Graph/Conditional.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

CUgraph driver::makeGraph(State &state, CUcontext context, Backtrace callers) {
  return state.graphs.add({context, ++state.graphCount, std::move(callers)});
}

void driver::dropStep(State &state, const Step &step) {
  for (CUgraph graph : getGraphs(step))
    destroyGraph(state, graph);
}

void driver::destroyGraph(State &state, CUgraph graph) {
  Graph *found = state.graphs.find(graph);
  if (!found)
    return;
  for (CUgraphNode node : found->nodes) {
    dropStep(state, state.nodes.find(node)->step);
    state.nodes.erase(node);
  }
  state.graphs.erase(graph);
}

/// The copies of nodes go into `copies`.
static CUgraph cloneInto(State &state, CUgraph handle,
                         std::map<CUgraphNode, CUgraphNode> &copies) {
  const Graph *graph = state.graphs.find(handle);
  CUgraph clone = makeGraph(state, graph->context, graph->backtrace);
  state.graphs.find(clone)->objects = graph->objects;
  for (CUgraphNode node : graph->nodes) {
    Step step = state.nodes.find(node)->step;
    for (CUgraph &inner : getGraphs(step)) {
      inner = cloneInto(state, inner, copies);
      state.graphs.find(inner)->isOwned = true;
    }
    copies[node] = addNode(state, clone, std::move(step), {});
  }
  for (CUgraphNode node : graph->nodes)
    for (const Edge &edge : state.nodes.find(node)->after)
      state.nodes.find(copies[node])
          ->after.push_back({copies[edge.from], edge.data});
  return clone;
}

CUgraph driver::cloneGraph(State &state, CUgraph graph) {
  std::map<CUgraphNode, CUgraphNode> copies;
  CUgraph clone = cloneInto(state, graph, copies);
  state.graphs.find(clone)->copies = std::move(copies);
  return clone;
}

CUgraphNode driver::addNode(State &state, CUgraph graph, Step step,
                            llvm::ArrayRef<Edge> after) {
  CUgraphNode handle = state.nodes.add({graph, std::move(step), after});
  state.graphs.find(graph)->nodes.push_back(handle);
  return handle;
}

CUresult driver::checkNodes(Call &call, CUgraph graph, const CUgraphNode *nodes,
                            size_t count) {
  if (count && !nodes)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected nodes, got null");
  for (size_t i = 0; i != count; ++i) {
    const Node *node = call.find(&State::nodes, nodes[i]);
    if (!node)
      return call.status();
    if (node->graph != graph)
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "expected nodes of the same graph, got one of another");
  }
  return CUDA_SUCCESS;
}

Edge *driver::findEdge(std::vector<Edge> &edges, CUgraphNode from) {
  auto found =
      llvm::find_if(edges, [&](const Edge &edge) { return edge.from == from; });
  return found == edges.end() ? nullptr : &*found;
}

CUresult driver::checkEdge(Call &call, const Edge &edge, const Step &to) {
  const CUgraphEdgeData &data = edge.data;
  unsigned last = data.type == 1 ? 2 : 0; // port
  if (data.type > 1 || data.to_port || data.from_port > last ||
      (data.type == 1 && !data.from_port))
    return call.fail(
        CUDA_ERROR_INVALID_VALUE,
        "expected an edge from the end of a node (type 0, ports 0) or a "
        "programmatic one (type 1, from port 1 or 2 to port 0), got type " +
            llvm::Twine(unsigned(data.type)) + " from port " +
            llvm::Twine(unsigned(data.from_port)) + " to port " +
            llvm::Twine(unsigned(data.to_port)));
  if (data.type == 1 && (!std::holds_alternative<KernelStep>(to) ||
                         !std::holds_alternative<KernelStep>(
                             call.state.nodes.find(edge.from)->step)))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a programmatic edge between two kernels, got "
                     "one of another node");
  return CUDA_SUCCESS;
}

CUresult driver::makeEdges(Call &call, CUgraph graph, const CUgraphNode *after,
                           const CUgraphEdgeData *data, size_t count,
                           std::vector<Edge> &edges) {
  if (CUresult bad = checkNodes(call, graph, after, count))
    return bad;
  for (size_t i = 0; i != count; ++i)
    if (!findEdge(edges, after[i]))
      edges.push_back({after[i], data ? data[i] : CUgraphEdgeData()});
  return CUDA_SUCCESS;
}

std::vector<CUgraphNode> driver::sortNodes(State &state, const Graph &graph) {
  std::map<CUgraphNode, size_t> waiting;
  std::map<CUgraphNode, std::vector<CUgraphNode>> next;
  std::vector<CUgraphNode> sorted;
  for (CUgraphNode handle : graph.nodes) {
    const Node &node = *state.nodes.find(handle);
    waiting[handle] = node.after.size();
    for (const Edge &edge : node.after)
      next[edge.from].push_back(handle);
    if (node.after.empty())
      sorted.push_back(handle);
  }
  for (size_t i = 0; i != sorted.size(); ++i)
    for (CUgraphNode later : next[sorted[i]])
      if (--waiting[later] == 0)
        sorted.push_back(later);
  return sorted;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// Writes as many as there is room for (`count`), nulls behind them, and how
/// many there were; without a place, how many there are.
static CUresult answerNodes(Call &call, llvm::ArrayRef<CUgraphNode> all,
                            CUgraphNode *nodes, size_t *count) {
  if (CUresult bad = checkPlace(call, count))
    return bad;
  size_t room = nodes ? *count : 0;
  for (size_t i = 0; i != room; ++i)
    nodes[i] = i < all.size() ? all[i] : nullptr;
  *count = nodes ? std::min(room, all.size()) : all.size();
  return CUDA_SUCCESS;
}

/// The same of the edges at one end of a node, or of a graph: nodes, and what
/// sort of edges they are. Without a place for that, there must be one sort.
static CUresult answerEdges(Call &call, llvm::ArrayRef<Edge> edges,
                            CUgraphNode *nodes, CUgraphEdgeData *data,
                            size_t *count) {
  if (nodes && !data && llvm::any_of(edges, [](const Edge &edge) {
        return edge.isProgrammatic();
      }))
    return call.fail(CUDA_ERROR_LOSSY_QUERY,
                     "expected a place for the data of edges, as some are "
                     "programmatic, got null");
  std::vector<CUgraphNode> ends;
  for (const Edge &edge : edges)
    ends.push_back(edge.from);
  if (CUresult bad = answerNodes(call, ends, nodes, count))
    return bad;
  for (size_t i = 0; data && nodes && i != *count; ++i)
    data[i] = edges[i].data;
  return CUDA_SUCCESS;
}

static CUresult answerGraph(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *data, size_t *count) {
  Call call("cuGraphGetEdges", Needs::Driver);
  const Graph *found = call.find(&State::graphs, graph);
  if (!found)
    return call.status();
  std::vector<Edge> edges;
  std::vector<CUgraphNode> ends;
  for (CUgraphNode node : found->nodes)
    for (const Edge &edge : call.state.nodes.find(node)->after) {
      edges.push_back(edge);
      ends.push_back(node);
    }
  if (CUresult bad = checkPlace(call, count))
    return bad;
  if ((from == nullptr) != (to == nullptr))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected places for both ends of edges, or for none");
  size_t room = *count;
  if (CUresult bad = answerEdges(call, edges, from, data, count))
    return bad;
  return from ? answerNodes(call, ends, to, &room) : CUDA_SUCCESS;
}

static CUresult answerBefore(CUgraphNode handle, CUgraphNode *nodes,
                             CUgraphEdgeData *data, size_t *count) {
  Call call("cuGraphNodeGetDependencies", Needs::Driver);
  const Node *node = call.find(&State::nodes, handle);
  if (!node)
    return call.status();
  return answerEdges(call, node->after, nodes, data, count);
}

static CUresult answerAfter(CUgraphNode handle, CUgraphNode *nodes,
                            CUgraphEdgeData *data, size_t *count) {
  Call call("cuGraphNodeGetDependentNodes", Needs::Driver);
  const Node *node = call.find(&State::nodes, handle);
  if (!node)
    return call.status();
  std::vector<Edge> later;
  for (CUgraphNode other : call.state.graphs.find(node->graph)->nodes)
    if (const Edge *edge =
            findEdge(call.state.nodes.find(other)->after, handle))
      later.push_back({other, edge->data});
  return answerEdges(call, later, nodes, data, count);
}

static CUresult changeEdges(const char *name, CUgraph graph,
                            const CUgraphNode *from, const CUgraphNode *to,
                            const CUgraphEdgeData *data, size_t count,
                            bool isAdded) {
  Call call(name, Needs::Driver);
  if (!call.find(&State::graphs, graph))
    return call.status();
  for (const CUgraphNode *nodes : {from, to})
    if (CUresult bad = checkNodes(call, graph, nodes, count))
      return bad;
  for (size_t i = 0; i != count; ++i) {
    Node &node = *call.state.nodes.find(to[i]);
    Edge edge{from[i], data ? data[i] : CUgraphEdgeData()};
    if (CUresult bad = checkEdge(call, edge, node.step))
      return bad;
    Edge *known = findEdge(node.after, from[i]);
    if (isAdded && (from[i] == to[i] || known))
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "expected an edge between two nodes that is not there "
                       "yet");
    if (!isAdded && (!known || known->data.from_port != edge.data.from_port))
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "expected an edge that is there");
    if (isAdded)
      node.after.push_back(edge);
    else
      node.after.erase(node.after.begin() + (known - node.after.data()));
  }
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  Call call("cuGraphCreate", Needs::Driver);
  if (CUresult bad = checkPlace(call, graph))
    return bad;
  if (flags)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected flags 0, got " + llvm::Twine(flags));
  const std::vector<CUcontext> &stack = getContextStack();
  *graph = makeGraph(call.state, stack.empty() ? nullptr : stack.back(),
                     call.state.noteCaller());
  return CUDA_SUCCESS;
}

/// A graph that is owned ends with its owner.
CUresult cuGraphDestroy(CUgraph graph) {
  Call call("cuGraphDestroy", Needs::Driver);
  const Graph *found = call.find(&State::graphs, graph);
  if (!found)
    return call.status();
  if (found->isOwned)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a graph of its own, got one that a node or a "
                     "capture has");
  destroyGraph(call.state, graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  Call call("cuGraphClone", Needs::Driver);
  if (CUresult bad = checkPlace(call, clone))
    return bad;
  if (!call.find(&State::graphs, graph))
    return call.status();
  if (CUresult bad = checkNoConditions(call, graph))
    return bad;
  *clone = cloneGraph(call.state, graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode original,
                                CUgraph clone) {
  Call call("cuGraphNodeFindInClone", Needs::Driver);
  if (CUresult bad = checkPlace(call, found))
    return bad;
  const Graph *graph = call.find(&State::graphs, clone);
  if (!graph)
    return call.status();
  auto copy = graph->copies.find(original);
  if (copy == graph->copies.end() || !call.state.nodes.find(copy->second))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a node of the graph that was cloned");
  *found = copy->second;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  Call call("cuGraphNodeGetType", Needs::Driver);
  if (CUresult bad = checkPlace(call, type))
    return bad;
  const Node *node = call.find(&State::nodes, handle);
  if (node)
    *type = getType(node->step);
  return call.status();
}

/// With its edges. What came before it and after it is not ordered any more.
CUresult cuGraphDestroyNode(CUgraphNode handle) {
  Call call("cuGraphDestroyNode", Needs::Driver);
  const Node *node = call.find(&State::nodes, handle);
  if (!node)
    return call.status();
  Graph &graph = *call.state.graphs.find(node->graph);
  dropStep(call.state, node->step);
  graph.nodes.erase(llvm::find(graph.nodes, handle));
  for (CUgraphNode other : graph.nodes)
    llvm::erase_if(call.state.nodes.find(other)->after,
                   [&](const Edge &edge) { return edge.from == handle; });
  call.state.nodes.erase(handle);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  Call call("cuGraphGetNodes", Needs::Driver);
  const Graph *found = call.find(&State::graphs, graph);
  return found ? answerNodes(call, found->nodes, nodes, count) : call.status();
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  Call call("cuGraphGetRootNodes", Needs::Driver);
  const Graph *found = call.find(&State::graphs, graph);
  if (!found)
    return call.status();
  std::vector<CUgraphNode> roots;
  for (CUgraphNode node : found->nodes)
    if (call.state.nodes.find(node)->after.empty())
      roots.push_back(node);
  return answerNodes(call, roots, nodes, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                         size_t *count) {
  return answerGraph(graph, from, to, /*data=*/nullptr, count);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *data, size_t *count) {
  return answerGraph(graph, from, to, data, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                    size_t *count) {
  return answerBefore(node, nodes, /*data=*/nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
                                       CUgraphEdgeData *data, size_t *count) {
  return answerBefore(node, nodes, data, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                                      size_t *count) {
  return answerAfter(node, nodes, /*data=*/nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                         CUgraphEdgeData *data, size_t *count) {
  return answerAfter(node, nodes, data, count);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                const CUgraphNode *to, size_t count) {
  return changeEdges("cuGraphAddDependencies", graph, from, to,
                     /*data=*/nullptr, count, /*isAdded=*/true);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                   const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count) {
  return changeEdges("cuGraphAddDependencies", graph, from, to, data, count,
                     /*isAdded=*/true);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                   const CUgraphNode *to, size_t count) {
  return changeEdges("cuGraphRemoveDependencies", graph, from, to,
                     /*data=*/nullptr, count, /*isAdded=*/false);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                      const CUgraphNode *to,
                                      const CUgraphEdgeData *data,
                                      size_t count) {
  return changeEdges("cuGraphRemoveDependencies", graph, from, to, data, count,
                     /*isAdded=*/false);
}
}
} // namespace tc::runtime
