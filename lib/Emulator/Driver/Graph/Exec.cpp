//===- Exec.cpp - Executable graphs ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable graph is a clone of a graph that its nodes' parameters can
// still be changed in. A launch gives each node to the queue as work of its own
// that comes after the nodes it waits for, and after what the stream had to do.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"
#include "Graph/Nodes.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::driver;

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

namespace {

/// A node in a launch, and by index what it comes after, and of that the
/// kernels that need not have ended for it to begin, some of them only begun.
struct Task {
  Step step;
  std::vector<size_t> after, launches = {}, begun = {};
};

} // namespace

/// Adds the nodes of a graph, with those of graphs inside, so that each comes
/// after what it waits for. `before`: what all of them wait for. Returns one
/// that comes after all of them.
static size_t addTasks(State &state, CUgraph handle, std::vector<size_t> before,
                       std::vector<Task> &tasks) {
  const Graph &graph = *state.graphs.find(handle);
  std::map<CUgraphNode, size_t> indices;
  std::vector<size_t> all = before;
  for (CUgraphNode of : sortNodes(state, graph)) {
    const Node &node = *state.nodes.find(of);
    std::vector<size_t> after = before, launches, begun;
    for (const Edge &edge : node.after) {
      size_t index = indices.at(edge.from);
      (edge.isProgrammatic() ? launches : after).push_back(index);
      if (edge.isOfBegin())
        begun.push_back(index);
    }
    if (const auto *child = std::get_if<GraphStep>(&node.step)) {
      indices[of] = addTasks(state, child->graph, after, tasks);
    } else {
      indices[of] = tasks.size();
      tasks.push_back(
          {node.isEnabled ? node.step : EmptyStep(), after, launches, begun});
    }
    all.push_back(indices[of]);
  }
  tasks.push_back({EmptyStep(), all});
  return tasks.size() - 1;
}

/// Gives the tasks to the queue, in any order that their edges allow, by the
/// seed of the schedule. Returns the tickets.
static std::vector<uint64_t> submitTasks(Call &call, std::vector<Task> tasks,
                                         llvm::ArrayRef<uint64_t> before) {
  State &state = call.state;
  const Schedule &schedule = state.settings.launch.schedule;
  std::mt19937_64 random(schedule.seed * 0x9e3779b97f4a7c15 +
                         ++state.graphLaunches);
  std::vector<std::vector<size_t>> later(tasks.size());
  std::vector<size_t> waiting(tasks.size()), ready;
  for (size_t i = 0; i != tasks.size(); ++i) {
    waiting[i] = tasks[i].after.size() + tasks[i].launches.size();
    for (llvm::ArrayRef<size_t> some : {tasks[i].after, tasks[i].launches})
      for (size_t other : some)
        later[other].push_back(i);
    if (waiting[i] == 0)
      ready.push_back(i);
  }
  Backtrace callers = state.noteCaller();
  std::vector<uint64_t> tickets(tasks.size());
  while (!ready.empty()) {
    size_t at =
        schedule.kind == Schedule::Deterministic ? 0 : random() % ready.size();
    size_t index = ready[at];
    ready.erase(ready.begin() + at);
    auto findTickets = [&](llvm::ArrayRef<size_t> indices) {
      std::vector<uint64_t> found;
      for (size_t other : indices)
        found.push_back(tickets[other]);
      return found;
    };
    std::vector<uint64_t> after = findTickets(tasks[index].after),
                          launches = findTickets(tasks[index].launches),
                          begun = findTickets(tasks[index].begun);
    after.insert(after.end(), before.begin(), before.end());
    const Step &step = tasks[index].step;
    if (const auto *wait = std::get_if<WaitStep>(&step))
      if (const Event *event = state.events.find(wait->event))
        after.push_back(event->ticket);
    tickets[index] = call.submitApart(makeWork(step, call.handle, callers),
                                      {after, launches, begun});
    if (const auto *record = std::get_if<RecordStep>(&step))
      if (Event *event = state.events.find(record->event))
        event->ticket = tickets[index];
    for (size_t next : later[index])
      if (--waiting[next] == 0)
        ready.push_back(next);
  }
  return tickets;
}

/// Fails where a node could not even begin.
static CUresult checkTasks(Call &call, const GraphExec &exec,
                           llvm::ArrayRef<Task> tasks) {
  State &state = call.state;
  for (const Task &task : tasks) {
    const auto *kernel = std::get_if<KernelStep>(&task.step);
    if (kernel && !call.find(&State::kernels, kernel->function))
      return call.status();
    const auto *allocate = std::get_if<AllocateStep>(&task.step);
    if (allocate && state.ranges.count(allocate->asked.dptr) &&
        !(exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       "expected what the graph allocates to be free (or "
                       "AUTO_FREE_ON_LAUNCH), got memory of an earlier launch "
                       "at 0x" +
                           llvm::Twine::utohexstr(allocate->asked.dptr));
  }
  return CUDA_SUCCESS;
}

/// Frees what an earlier launch has allocated and nobody freed.
static void freeFirst(Call &call, llvm::ArrayRef<Task> tasks,
                      std::vector<uint64_t> &before) {
  for (const Task &task : tasks) {
    const auto *allocate = std::get_if<AllocateStep>(&task.step);
    if (allocate && call.state.ranges.count(allocate->asked.dptr))
      before.push_back(call.submitApart(
          makeWork(FreeStep{allocate->asked.dptr}, call.handle, {}),
          {std::vector<uint64_t>(before)}));
  }
}

/// What the nodes may use, also those of graphs inside.
static UserObjects getObjects(State &state, CUgraph handle) {
  const Graph &graph = *state.graphs.find(handle);
  UserObjects objects = graph.objects;
  for (CUgraphNode node : graph.nodes)
    if (const auto *child =
            std::get_if<GraphStep>(&state.nodes.find(node)->step))
      objects.merge(getObjects(state, child->graph));
  return objects;
}

static CUresult launchGraph(CUgraphExec handle, CUstream stream) {
  Call call("cuGraphLaunch", stream);
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec)
    return call.status();
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  State &state = call.state;
  if (capture) {
    CUgraph child = cloneGraph(state, exec->graph);
    state.graphs.find(child)->isOwned = true;
    return captureStep(call, *capture, GraphStep{child});
  }
  state.races.begin();
  std::vector<Task> tasks;
  addTasks(state, exec->graph, {}, tasks);
  if (CUresult bad = checkTasks(call, *exec, tasks))
    return bad;
  // Launches of one executable graph follow each other.
  std::vector<uint64_t> before = state.queue.getBefore(call.getLane());
  before.push_back(exec->ticket);
  UserObjects objects = getObjects(state, exec->graph);
  freeFirst(call, tasks, before);
  std::vector<uint64_t> tickets = submitTasks(call, std::move(tasks), before);
  uint64_t end = call.submit(
      [objects = std::move(objects)](const Turn &) { return true; }, {tickets});
  if (GraphExec *launched = state.execs.find(handle))
    launched->ticket = end;
  return state.isBlocking ? call.wait(end, call.handle) : CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

static CUresult checkStructure(Call &call, CUgraph handle) {
  const Graph &graph = *call.state.graphs.find(handle);
  if (sortNodes(call.state, graph).size() != graph.nodes.size())
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a graph without cycles");
  for (CUgraphNode node : graph.nodes)
    if (const auto *child =
            std::get_if<GraphStep>(&call.state.nodes.find(node)->step))
      if (CUresult bad = checkStructure(call, child->graph))
        return bad;
  return CUDA_SUCCESS;
}

static CUresult instantiate(const char *name, CUgraphExec *exec, CUgraph graph,
                            uint64_t flags) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, exec))
    return bad;
  const Graph *from = call.find(&State::graphs, graph);
  if (!from)
    return call.status();
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected a graph that the host launches");
  if (CUresult bad = checkStructure(call, graph))
    return bad;
  GraphExec made{from->context, cloneGraph(call.state, graph), flags,
                 from->number, call.state.noteCaller()};
  call.state.graphs.find(made.graph)->isOwned = true;
  *exec = call.state.execs.add(std::move(made));
  return CUDA_SUCCESS;
}

/// The node of an executable graph that stands for one of its graph; null after
/// an error.
static Node *findNode(Call &call, CUgraphExec handle, CUgraphNode original) {
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec)
    return nullptr;
  const auto &copies = call.state.graphs.find(exec->graph)->copies;
  auto copy = copies.find(original);
  if (copy != copies.end())
    return call.state.nodes.find(copy->second);
  call.find(&State::nodes, CUgraphNode(nullptr)); // fails
  return nullptr;
}

template <typename Parameters>
static CUresult set(const char *name, CUgraphExec exec, CUgraphNode original,
                    const Parameters *parameters) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, parameters))
    return bad;
  Node *node = findNode(call, exec, original);
  if (!node)
    return call.status();
  if (std::get_if<AllocateStep>(&node->step) ||
      std::get_if<FreeStep>(&node->step))
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected a node whose parameters can change, got one "
                     "that allocates or frees");
  Step step = EmptyStep();
  if (std::get_if<KernelStep>(&node->step))
    step = node->step;
  if (CUresult bad = makeStep(call, *parameters, step))
    return bad;
  return changeStep(call, *node, std::move(step));
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  return instantiate("cuGraphInstantiateWithFlags", exec, graph, flags);
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  if (!parameters) {
    Call call("cuGraphInstantiateWithParams", Needs::Driver);
    return checkPlace(call, parameters);
  }
  CUresult result = instantiate("cuGraphInstantiateWithParams", exec, graph,
                                parameters->flags);
  parameters->hErrNode_out = nullptr;
  parameters->result_out =
      result ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, uint64_t *flags) {
  Call call("cuGraphExecGetFlags", Needs::Driver);
  if (CUresult bad = checkPlace(call, flags))
    return bad;
  if (const GraphExec *exec = call.find(&State::execs, handle))
    *flags = exec->flags;
  return call.status();
}

/// All of it is where it is launched.
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  Call call("cuGraphUpload", stream);
  call.find(&State::execs, exec);
  return call.status();
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return launchGraph(exec, stream);
}

/// What was launched goes on.
CUresult cuGraphExecDestroy(CUgraphExec handle) {
  Call call("cuGraphExecDestroy", Needs::Driver);
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec)
    return call.status();
  destroyGraph(call.state, exec->graph);
  call.state.execs.erase(handle);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Other parameters
//===----------------------------------------------------------------------===//

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphExecKernelNodeSetParams", exec, node, parameters);
}
CUresult cuGraphExecKernelNodeSetParams_v2(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS_v2 *parameters) {
  return set("cuGraphExecKernelNodeSetParams", exec, node, parameters);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *parameters,
                                        CUcontext) {
  return set("cuGraphExecMemcpyNodeSetParams", exec, node, parameters);
}
CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS_v1 *parameters,
                               CUcontext) {
  return set("cuGraphExecMemsetNodeSetParams", exec, node, parameters);
}
CUresult
cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphExecHostNodeSetParams", exec, node, parameters);
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph child) {
  ChildGraph given{child};
  return set("cuGraphExecChildGraphNodeSetParams", exec, node, &given);
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                            CUevent event) {
  EventToRecord given{event};
  return set("cuGraphExecEventRecordNodeSetEvent", exec, node, &given);
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                          CUevent event) {
  EventToWaitFor given{event};
  return set("cuGraphExecEventWaitNodeSetEvent", exec, node, &given);
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                  CUgraphNodeParams *parameters) {
  return set("cuGraphExecNodeSetParams", exec, node, parameters);
}

/// Kernels, copies and fills can be left out.
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode original,
                               unsigned isEnabled) {
  Call call("cuGraphNodeSetEnabled", Needs::Driver);
  Node *node = findNode(call, exec, original);
  if (!node)
    return call.status();
  if (getType(node->step) > CU_GRAPH_NODE_TYPE_MEMSET)
    return call.fail(
        CUDA_ERROR_INVALID_VALUE,
        "expected a kernel, a copy or a fill, got a node of type " +
            llvm::Twine(getType(node->step)));
  node->isEnabled = isEnabled != 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode original,
                               unsigned *isEnabled) {
  Call call("cuGraphNodeGetEnabled", Needs::Driver);
  if (CUresult bad = checkPlace(call, isEnabled))
    return bad;
  if (const Node *node = findNode(call, exec, original))
    *isEnabled = node->isEnabled;
  return call.status();
}
}
} // namespace tc::runtime
