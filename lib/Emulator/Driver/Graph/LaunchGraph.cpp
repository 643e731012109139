//===- LaunchGraph.cpp - Launches of executable graphs --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch gives each node to the queue as work of its own that comes after the
// nodes it waits for, and after what the stream had to do.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"
#include "Graph/Conditional.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

/// A node in a launch, and by index what it comes after, and of that the
/// kernels that need not have ended for it to begin, some of them only begun.
struct Task {
  Step step;
  std::vector<size_t> after, launches = {}, begun = {};
  /// Of a conditional node: what its graphs do.
  std::vector<std::vector<Task>> bodies = {};
};

/// Gives the queue work that comes after what has those tickets.
using Give = llvm::function_ref<uint64_t(Work, const Dependencies &)>;

/// Where nodes are launched, and how.
struct Place {
  State &state;
  CUcontext context;
  uint64_t seed; ///< of the order, where any is allowed
  const Backtrace &callers;
  Give give;
};

} // namespace

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

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
    Task task{node.isEnabled ? node.step : EmptyStep(), before};
    for (const Edge &edge : node.after) {
      size_t index = indices.at(edge.from);
      (edge.isProgrammatic() ? task.launches : task.after).push_back(index);
      if (edge.isOfBegin())
        task.begun.push_back(index);
    }
    if (const auto *child = std::get_if<GraphStep>(&node.step)) {
      indices[of] = addTasks(state, child->graph, task.after, tasks);
    } else {
      if (const auto *conditional = std::get_if<ConditionalStep>(&node.step))
        for (CUgraph body : conditional->bodies)
          addTasks(state, body, {}, task.bodies.emplace_back());
      indices[of] = tasks.size();
      tasks.push_back(std::move(task));
    }
    all.push_back(indices[of]);
  }
  tasks.push_back({EmptyStep(), all});
  return tasks.size() - 1;
}

static Work makeConditional(const Task &task, std::vector<uint64_t> after,
                            const Backtrace &callers);

/// Gives the tasks to the queue, in any order that their edges allow. Returns
/// the tickets.
static std::vector<uint64_t> submitTasks(const Place &place,
                                         llvm::ArrayRef<Task> tasks,
                                         llvm::ArrayRef<uint64_t> before) {
  State &state = place.state;
  const Schedule &schedule = state.settings.launch.schedule;
  std::mt19937_64 random(schedule.seed * 0x9e3779b97f4a7c15 + place.seed);
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
    const Task &task = tasks[index];
    std::vector<uint64_t> after = findTickets(task.after),
                          launches = findTickets(task.launches),
                          begun = findTickets(task.begun);
    after.insert(after.end(), before.begin(), before.end());
    if (const auto *wait = std::get_if<WaitStep>(&task.step))
      if (const Event *event = state.events.find(wait->event))
        after.push_back(event->ticket);
    Work work = task.bodies.empty()
                    ? makeWork(task.step, place.context, place.callers)
                    : makeConditional(task, after, place.callers);
    tickets[index] = place.give(std::move(work), {after, launches, begun});
    if (const auto *record = std::get_if<RecordStep>(&task.step))
      if (Event *event = state.events.find(record->event))
        event->ticket = tickets[index];
    for (size_t next : later[index])
      if (--waiting[next] == 0)
        ready.push_back(next);
  }
  return tickets;
}

//===----------------------------------------------------------------------===//
// Conditional nodes
//===----------------------------------------------------------------------===//

namespace {

/// A conditional node in a launch. Its own work lasts from the first look at
/// the condition to the end of what was chosen. Each look is work, too, and
/// gives the queue the nodes of the graph and a look after them.
struct Choice {
  ConditionalStep step;
  std::vector<std::vector<Task>> bodies;
  Backtrace callers;
  bool hasBegun = false, hasEnded = false;
  uint64_t last = 0; ///< ticket of the last look
};

} // namespace

static uint64_t giveLook(std::shared_ptr<Choice> choice, const Turn &turn,
                         llvm::ArrayRef<uint64_t> after, bool isLast);

static void look(const std::shared_ptr<Choice> &choice, const Turn &turn,
                 bool isLast) {
  choice->last = turn.ticket;
  size_t chosen = choice->bodies.size();
  if (!turn.fault && !isLast)
    chosen = choose(turn, choice->step);
  choice->hasEnded = chosen >= choice->bodies.size();
  if (choice->hasEnded)
    return;
  auto give = [&](Work work, const Dependencies &dependencies) {
    return turn.state.queue.submit(turn.state, turn.lock, turn.lane,
                                   std::move(work), dependencies);
  };
  std::vector<uint64_t> tickets = submitTasks(
      {turn.state, turn.lane.context, turn.ticket, choice->callers, give},
      choice->bodies[chosen], turn.ticket);
  giveLook(choice, turn, tickets,
           choice->step.kind != CU_GRAPH_COND_TYPE_WHILE);
}

static uint64_t giveLook(std::shared_ptr<Choice> choice, const Turn &turn,
                         llvm::ArrayRef<uint64_t> after, bool isLast) {
  return turn.state.queue.submit(
      turn.state, turn.lock, turn.lane,
      [choice = std::move(choice), isLast](const Turn &later) {
        look(choice, later, isLast);
        return true;
      },
      {after});
}

/// `after`: what the node comes after.
static Work makeConditional(const Task &task, std::vector<uint64_t> after,
                            const Backtrace &callers) {
  auto choice = std::make_shared<Choice>(
      Choice{std::get<ConditionalStep>(task.step), task.bodies, callers});
  return [choice, after = std::move(after)](const Turn &turn) {
    if (!std::exchange(choice->hasBegun, true))
      giveLook(choice, turn, after, /*isLast=*/false);
    if (choice->hasEnded)
      turn.state.races.join(choice->last, turn.ticket);
    return choice->hasEnded;
  };
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

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
    for (llvm::ArrayRef<Task> body : task.bodies)
      if (CUresult bad = checkTasks(call, exec, body))
        return bad;
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
    for (CUgraph inner : getGraphs(state.nodes.find(node)->step))
      objects.merge(getObjects(state, inner));
  return objects;
}

/// A launch in a stream that is captured becomes a node.
static CUresult captureLaunch(Call &call, Capture &capture, CUgraph graph) {
  if (CUresult bad = checkNoConditions(call, graph))
    return bad;
  CUgraph child = cloneGraph(call.state, graph);
  call.state.graphs.find(child)->isOwned = true;
  return captureStep(call, capture, GraphStep{child});
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  Call call("cuGraphLaunch", stream);
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec)
    return call.status();
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  State &state = call.state;
  if (capture)
    return captureLaunch(call, *capture, exec->graph);
  state.races.begin();
  std::vector<Task> tasks;
  addTasks(state, exec->graph, {}, tasks);
  if (CUresult bad = checkTasks(call, *exec, tasks))
    return bad;
  UserObjects objects = getObjects(state, exec->graph);
  // Launches of one executable graph follow each other. All nodes come after
  // work of the stream, and so after all that was done in it.
  std::vector<uint64_t> before = {call.submit(
      makeAssignment(getConditions(state, exec->graph)), {exec->ticket})};
  ++state.graphLaunches;
  freeFirst(call, tasks, before);
  Backtrace callers = state.noteCaller();
  auto give = [&](Work work, const Dependencies &dependencies) {
    return call.submitApart(std::move(work), dependencies);
  };
  std::vector<uint64_t> tickets = submitTasks(
      {state, call.handle, state.graphLaunches, callers, give}, tasks, before);
  uint64_t end = call.submit(
      [objects = std::move(objects)](const Turn &) { return true; }, {tickets});
  if (GraphExec *launched = state.execs.find(handle))
    launched->ticket = end;
  return state.isBlocking ? call.wait(end, call.handle) : CUDA_SUCCESS;
}
}
} // namespace tc::runtime
