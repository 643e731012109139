//===- Graph.h - Graphs of the emulated driver ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs, their nodes, and executable copies of them. What a node does is a
// Step; what it waits for are other nodes of its graph.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_GRAPH_GRAPH_H
#define TC_LIB_EMULATOR_DRIVER_GRAPH_GRAPH_H

#include "Steps.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <memory>
#include <optional>
#include <thread>

namespace tc::emulator::driver {

/// What a node comes after.
struct Edge {
  CUgraphNode from;
  CUgraphEdgeData data = {};

  /// Whether the node, a kernel, may begin before `from`, another, has ended.
  bool isProgrammatic() const { return data.type != 0; }
  /// Whether that can be when all blocks of `from` have begun.
  bool isOfBegin() const { return data.from_port == 2; }
};

struct Node {
  static constexpr auto expected =
      "a node of a graph, got another handle or one destroyed";
  static constexpr CUresult code = CUDA_ERROR_INVALID_VALUE;
  CUgraph graph;
  Step step;
  std::vector<Edge> after;         ///< of each node one
  bool isEnabled = true;           ///< of an executable graph
  std::vector<void *> places = {}; ///< of a kernel's parameters, given out
};

struct State;
class Call;

/// What the program wants destroyed once it is not needed, neither by itself
/// nor by graphs and their launches. That runs at the end of a call.
class UserObject {
public:
  UserObject(State &state, CUhostFn destroy, void *data)
      : state(state), destroy(destroy), data(data) {}
  UserObject(const UserObject &) = delete;
  UserObject &operator=(const UserObject &) = delete;
  ~UserObject();

private:
  State &state;
  CUhostFn destroy;
  void *data;
};

/// References to one that the program has, or a graph.
struct UserReferences {
  static constexpr auto expected =
      "a user object, got another handle or one destroyed";
  static constexpr CUresult code = CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<UserObject> object;
  uint64_t count;
};
using UserObjects = std::map<CUuserObject, UserReferences>;

struct Graph {
  static constexpr auto expected =
      "a graph, got another handle or one destroyed";
  static constexpr CUresult code = CUDA_ERROR_INVALID_VALUE;
  CUcontext context;
  uint64_t number;      ///< counts the graphs that the program made
  Backtrace backtrace;  ///< who made it, where that is noted
  bool isOwned = false; ///< by a node, an executable graph or a capture
  std::vector<CUgraphNode> nodes = {}; ///< as they were added
  /// Of a clone: its nodes by those of the original, with those of graphs
  /// inside.
  std::map<CUgraphNode, CUgraphNode> copies = {};
  UserObjects objects = {};
  std::vector<std::shared_ptr<Condition>> conditions = {}; ///< made for it
};

struct GraphExec {
  static constexpr auto expected =
      "an executable graph, got another handle or one destroyed";
  static constexpr CUresult code = CUDA_ERROR_INVALID_VALUE;
  CUcontext context;
  CUgraph graph; ///< its own clone
  uint64_t flags;
  uint64_t number; ///< of the graph
  Backtrace backtrace;
  uint64_t ticket = 0; ///< of the end of its last launch
};

/// What streams do goes into a graph.
struct Capture {
  CUgraph graph;
  bool ownsGraph;   ///< it ends with a capture that fails
  uintptr_t origin; ///< the stream, as lanes name it
  CUcontext context;
  CUstreamCaptureMode mode;
  std::thread::id thread; ///< that began it
  bool isInvalid = false;
  /// By stream: what comes next waits for these.
  std::map<uintptr_t, std::vector<CUgraphNode>> streams = {};
  /// Those of them that the legacy stream is ordered with.
  bool hasBlocking = false;
  /// By stream: its last node, where that is a kernel.
  std::map<uintptr_t, CUgraphNode> kernels = {};
};

CUgraph makeGraph(State &state, CUcontext context, Backtrace callers);
/// Ends a graph with its nodes.
void destroyGraph(State &state, CUgraph graph);
/// A copy of a graph, with the graphs inside.
CUgraph cloneGraph(State &state, CUgraph graph);
/// Whether there are such nodes in the graph; they may be null if `count` is 0.
CUresult checkNodes(Call &call, CUgraph graph, const CUgraphNode *nodes,
                    size_t count);
CUgraphNode addNode(State &state, CUgraph graph, Step step,
                    llvm::ArrayRef<Edge> after);
/// The edge of a node, of a list that has one for each.
Edge *findEdge(std::vector<Edge> &edges, CUgraphNode from);
/// Ends what only this step has.
void dropStep(State &state, const Step &step);
/// The nodes by index so that each comes after all that it waits for; fewer
/// where there is a cycle.
std::vector<CUgraphNode> sortNodes(State &state, const Graph &graph);
/// Whether an edge is one from the end of a node to the start of another, or a
/// programmatic one between kernels. `from` is a node.
CUresult checkEdge(Call &call, const Edge &edge, const Step &to);
/// Makes edges for what a node of `graph` is to come after, once each.
CUresult makeEdges(Call &call, CUgraph graph, const CUgraphNode *after,
                   const CUgraphEdgeData *data, size_t count,
                   std::vector<Edge> &edges);

/// Reserves memory that nodes allocate and free, and gives its address.
CUresult reserve(Call &call, AllocateStep &step);
/// What a node does that allocates or frees; "" or what stands in the way.
std::string allocateReserved(State &state, const AllocateStep &step,
                             CUcontext context);
std::string freeReserved(State &state, CUdeviceptr address);
/// Whether memory that begins at that address is a graph's.
bool isReserved(const State &state, CUdeviceptr address);
/// Of an address in such memory, allocated or not: the bytes from there to its
/// end.
std::optional<size_t> countReserved(const State &state, CUdeviceptr address);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_GRAPH_GRAPH_H
