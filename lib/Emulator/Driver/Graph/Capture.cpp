//===- Capture.cpp - Captures of streams ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream that is captured has the nodes that come next wait for, instead of
// work. Events carry these to other streams, which join the capture.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"

#include "Graph/Nodes.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// How this thread treats captures in calls that may wait.
static thread_local CUstreamCaptureMode threadMode =
    CU_STREAM_CAPTURE_MODE_GLOBAL;

/// The capture that a stream is in, or null.
static Capture *find(State &state, uintptr_t stream) {
  for (auto &[number, capture] : state.captures)
    if (capture.streams.count(stream))
      return &capture;
  return nullptr;
}

static uint64_t getNumber(const State &state, const Capture &capture) {
  for (const auto &[number, one] : state.captures)
    if (&one == &capture)
      return number;
  return 0;
}

/// Adds those nodes that are not there yet.
static void join(std::vector<CUgraphNode> &nodes,
                 llvm::ArrayRef<CUgraphNode> others) {
  for (CUgraphNode other : others)
    if (!llvm::is_contained(nodes, other))
      nodes.push_back(other);
}

CUresult driver::findCapture(Call &call, Capture *&capture) {
  capture = nullptr;
  if (!call)
    return call.status();
  const Lane &lane = call.getLane();
  capture = find(call.state, lane.stream);
  if (capture && capture->isInvalid)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                     "expected a capture without errors, got one that an "
                     "earlier error has ended");
  if (lane.kind != Lane::Legacy)
    return CUDA_SUCCESS;
  bool isImplicit = false;
  for (auto &[number, one] : call.state.captures)
    if (one.context == lane.context && one.hasBlocking)
      isImplicit = one.isInvalid = true;
  if (!isImplicit)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                   "expected no work in the legacy stream while a stream is "
                   "captured that it waits for");
}

CUresult driver::captureStep(Call &call, Capture &capture, Step step) {
  const uintptr_t stream = call.getLane().stream;
  std::vector<CUgraphNode> &after = capture.streams[stream];
  std::vector<Edge> edges;
  for (CUgraphNode node : after)
    edges.push_back({node});
  after = {addNode(call.state, capture.graph, std::move(step), edges)};
  capture.kernels.erase(stream);
  return CUDA_SUCCESS;
}

CUresult driver::captureKernel(Call &call, Capture &capture, KernelStep step,
                               bool mayBeginEarly) {
  const uintptr_t stream = call.getLane().stream;
  std::vector<CUgraphNode> &after = capture.streams[stream];
  auto before = capture.kernels.find(stream);
  bool isProgrammatic = mayBeginEarly && before != capture.kernels.end() &&
                        after.size() == 1 && after[0] == before->second;
  captureStep(call, capture, std::move(step));
  CUgraphNode node = after[0];
  if (isProgrammatic)
    call.state.nodes.find(node)->after[0].data = {1, 0, 1, {}};
  capture.kernels[stream] = node;
  return CUDA_SUCCESS;
}

CUresult driver::captureAllocation(Call &call, Capture &capture, size_t bytes,
                                   CUdeviceptr *address) {
  if (CUresult bad = checkPlace(call, address))
    return bad;
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 asked = {};
  asked.bytesize = bytes;
  Step step = EmptyStep();
  if (CUresult bad = makeStep(call, asked, step))
    return bad;
  *address = std::get<AllocateStep>(step).asked.dptr;
  return captureStep(call, capture, std::move(step));
}

CUresult driver::captureFree(Call &call, Capture &capture,
                             CUdeviceptr address) {
  Step step = EmptyStep();
  if (CUresult bad = makeStep(call, MemoryToFree{address}, step))
    return bad;
  return captureStep(call, capture, std::move(step));
}

CUresult driver::captureRecord(Call &call, CUevent handle, Event &event,
                               unsigned flags, bool &isCaptured) {
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  isCaptured = capture != nullptr;
  if (capture && (flags & CU_EVENT_RECORD_EXTERNAL))
    return captureStep(call, *capture, RecordStep{handle});
  event.capture = capture ? getNumber(call.state, *capture) : 0;
  event.captured.clear();
  if (capture)
    event.captured = capture->streams[call.getLane().stream];
  return CUDA_SUCCESS;
}

/// The stream that was entered, which is not captured, waits for an event that
/// was.
static CUresult fork(Call &call, const Event &event) {
  auto found = call.state.captures.find(event.capture);
  if (found == call.state.captures.end())
    return call.fail(CUDA_ERROR_CAPTURED_EVENT,
                     "expected an event that the device records, got one last "
                     "recorded in a capture that has ended");
  Capture &capture = found->second;
  if (capture.isInvalid)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                     "expected an event of a capture without errors");
  const Lane &lane = call.getLane();
  if (lane.kind == Lane::Legacy) {
    capture.isInvalid = true;
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                     "expected a stream that can be captured, got the legacy "
                     "stream");
  }
  capture.streams[lane.stream] = event.captured;
  capture.hasBlocking |= lane.kind == Lane::Blocking;
  return CUDA_SUCCESS;
}

CUresult driver::captureWait(Call &call, CUevent handle, const Event &event,
                             unsigned flags, bool &isCaptured) {
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  isCaptured = capture || event.capture;
  if (!isCaptured)
    return CUDA_SUCCESS;
  if (!capture)
    return fork(call, event);
  if (flags & CU_EVENT_WAIT_EXTERNAL)
    return captureStep(call, *capture, WaitStep{handle});
  if (event.capture == getNumber(call.state, *capture)) {
    join(capture->streams[call.getLane().stream], event.captured);
    return CUDA_SUCCESS;
  }
  if (!event.capture && !event.ticket)
    return CUDA_SUCCESS; // never recorded
  capture->isInvalid = true;
  auto other = call.state.captures.find(event.capture);
  if (other == call.state.captures.end())
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                     "expected an event recorded in the same capture, got one "
                     "recorded outside");
  other->second.isInvalid = true;
  return call.fail(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                   "expected an event recorded in the same capture, got one of "
                   "another capture");
}

//===----------------------------------------------------------------------===//
// Calls that may wait
//===----------------------------------------------------------------------===//

/// Whether a capture forbids this thread calls that may wait.
static bool isForbiddenBy(const Capture &capture) {
  if (capture.isInvalid || threadMode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return false;
  if (capture.thread == std::this_thread::get_id())
    return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return threadMode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult driver::checkMayWait(Call &call) {
  bool isForbidden = false;
  for (auto &[number, capture] : call.state.captures)
    if (isForbiddenBy(capture))
      isForbidden = capture.isInvalid = true;
  if (!isForbidden)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                   "expected no call that may wait for the device while a "
                   "stream is captured (its mode, and that of this thread, say "
                   "which are forbidden)");
}

CUresult driver::checkNotCaptured(Call &call) {
  if (Capture *capture = find(call.state, call.getLane().stream)) {
    capture->isInvalid = true;
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "expected a stream that is not captured");
  }
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  return checkMayWait(call);
}

CUresult driver::checkNotCaptured(Call &call, const Event &event) {
  if (!event.capture)
    return checkMayWait(call);
  auto found = call.state.captures.find(event.capture);
  if (found != call.state.captures.end())
    found->second.isInvalid = true;
  return call.fail(CUDA_ERROR_CAPTURED_EVENT,
                   "expected an event that the device records, got one last "
                   "recorded in a captured stream");
}

void driver::endCaptureOf(Call &call, CUstream stream) {
  if (Capture *capture = find(call.state, reinterpret_cast<uintptr_t>(stream)))
    capture->isInvalid = true;
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

static CUresult begin(Call &call, CUgraph graph,
                      llvm::ArrayRef<CUgraphNode> after,
                      CUstreamCaptureMode mode) {
  State &state = call.state;
  const Lane &lane = call.getLane();
  bool ownsGraph = !graph;
  if (ownsGraph) {
    graph = makeGraph(state, call.handle, state.noteCaller());
    state.graphs.find(graph)->isOwned = true;
  }
  Capture capture{graph,        ownsGraph, lane.stream,
                  lane.context, mode,      std::this_thread::get_id()};
  capture.streams[lane.stream] = after;
  capture.hasBlocking = lane.kind == Lane::Blocking;
  state.captures.emplace(++state.captureCount, std::move(capture));
  return CUDA_SUCCESS;
}

/// Whether the next node of a stream can come after these.
static CUresult checkAfter(Call &call, CUgraph graph, const CUgraphNode *after,
                           const CUgraphEdgeData *data, size_t count) {
  std::vector<Edge> edges;
  if (CUresult bad = makeEdges(call, graph, after, data, count, edges))
    return bad;
  if (llvm::none_of(edges,
                    [](const Edge &edge) { return edge.isProgrammatic(); }))
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                   "expected a capture to go on after the end of nodes, got a "
                   "programmatic edge (launches with programmatic stream "
                   "serialization make such)");
}

/// Whether the stream that was entered can be captured.
static CUresult checkBegin(Call &call, CUstreamCaptureMode mode) {
  if (!call)
    return call.status();
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a mode from 0 to 2, got " + llvm::Twine(mode));
  if (call.getLane().kind == Lane::Legacy)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "expected a stream that can be captured, got the legacy "
                     "stream");
  if (find(call.state, call.getLane().stream))
    return call.fail(CUDA_ERROR_ILLEGAL_STATE,
                     "expected a stream that is not captured yet");
  return CUDA_SUCCESS;
}

/// Whether all that was captured comes before what its first stream would do
/// next.
static bool isJoined(State &state, const Capture &capture) {
  std::vector<CUgraphNode> reached = capture.streams.at(capture.origin);
  for (size_t i = 0; i != reached.size(); ++i)
    if (const Node *node = state.nodes.find(reached[i]))
      for (const Edge &edge : node->after)
        join(reached, edge.from);
  return llvm::all_of(capture.streams, [&](const auto &entry) {
    return llvm::all_of(entry.second, [&](CUgraphNode node) {
      return llvm::is_contained(reached, node);
    });
  });
}

/// Why a capture fails at its end, if it does.
static CUresult checkEnd(const Call &call, const Capture &capture) {
  if (capture.isInvalid)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                     "expected a capture without errors, got one that an "
                     "earlier error has ended");
  if (!isJoined(call.state, capture))
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                     "expected all captured streams to be joined to the first "
                     "one by events that it waits for");
  return CUDA_SUCCESS;
}

namespace {

/// Where an answer goes; each may be null.
struct CapturePlaces {
  CUstreamCaptureStatus *status;
  uint64_t *id = nullptr;
  CUgraph *graph = nullptr;
  const CUgraphNode **after = nullptr;
  size_t *count = nullptr;
};

} // namespace

static CUresult answerCapture(CUstream stream, CapturePlaces places) {
  Call call("cuStreamGetCaptureInfo", stream);
  if (CUresult bad = checkPlace(call, places.status))
    return bad;
  Capture *capture = find(call.state, call.getLane().stream);
  // No question about the legacy stream while it may not have work.
  if (Capture *other = nullptr;
      CUresult bad = capture ? CUDA_SUCCESS : findCapture(call, other))
    return bad;
  *places.status = !capture             ? CU_STREAM_CAPTURE_STATUS_NONE
                   : capture->isInvalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                        : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (*places.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  const auto &after = capture->streams[call.getLane().stream];
  if (places.id)
    *places.id = getNumber(call.state, *capture);
  if (places.graph)
    *places.graph = capture->graph;
  if (places.after)
    *places.after = after.data();
  if (places.count)
    *places.count = after.size();
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  Call call("cuStreamBeginCapture", stream);
  if (CUresult bad = checkBegin(call, mode))
    return bad;
  return begin(call, nullptr, {}, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *after,
                                     const CUgraphEdgeData *data, size_t count,
                                     CUstreamCaptureMode mode) {
  Call call("cuStreamBeginCaptureToGraph", stream);
  if (CUresult bad = checkBegin(call, mode))
    return bad;
  if (!call.find(&State::graphs, graph))
    return call.status();
  if (CUresult bad = checkAfter(call, graph, after, data, count))
    return bad;
  return begin(call, graph, {after, count}, mode);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  Call call("cuStreamEndCapture", stream);
  if (!call)
    return call.status();
  if (graph)
    *graph = nullptr;
  Capture *capture = find(call.state, call.getLane().stream);
  if (!capture)
    return call.fail(CUDA_ERROR_ILLEGAL_STATE,
                     "expected a stream that is captured");
  // The program has a graph that was given.
  if (capture->ownsGraph)
    if (CUresult bad = checkPlace(call, graph))
      return bad;
  if (capture->origin != call.getLane().stream) {
    capture->isInvalid = true;
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                     "expected the stream in which the capture began, got one "
                     "that joined it");
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                     "expected the thread in which the capture began");
  CUresult result = checkEnd(call, *capture);
  if (result == CUDA_SUCCESS) {
    if (graph)
      *graph = capture->graph;
    if (capture->ownsGraph)
      call.state.graphs.find(capture->graph)->isOwned = false;
  } else if (capture->ownsGraph) {
    destroyGraph(call.state, capture->graph);
  }
  call.state.captures.erase(getNumber(call.state, *capture));
  return result;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return answerCapture(stream, {status});
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                uint64_t *id) {
  return answerCapture(stream, {status, id});
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status, uint64_t *id,
                                   CUgraph *graph, const CUgraphNode **after,
                                   size_t *count) {
  return answerCapture(stream, {status, id, graph, after, count});
}

/// All edges go from the end of a node to the start of another, which needs no
/// data.
CUresult cuStreamGetCaptureInfo_v3(CUstream stream,
                                   CUstreamCaptureStatus *status, uint64_t *id,
                                   CUgraph *graph, const CUgraphNode **after,
                                   const CUgraphEdgeData **data,
                                   size_t *count) {
  if (data)
    *data = nullptr;
  return answerCapture(stream, {status, id, graph, after, count});
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream,
                                              CUgraphNode *after,
                                              const CUgraphEdgeData *data,
                                              size_t count, unsigned flags) {
  Call call("cuStreamUpdateCaptureDependencies", stream);
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  if (!capture)
    return call.fail(CUDA_ERROR_ILLEGAL_STATE,
                     "expected a stream that is captured");
  if (CUresult bad = checkAfter(call, capture->graph, after, data, count))
    return bad;
  std::vector<CUgraphNode> &now = capture->streams[call.getLane().stream];
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    now.clear();
  join(now, {after, count});
  return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after,
                                           size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, after, /*data=*/nullptr,
                                              count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  Call call("cuThreadExchangeStreamCaptureMode", Needs::Driver);
  if (CUresult bad = checkPlace(call, mode))
    return bad;
  if (*mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a mode from 0 to 2, got " + llvm::Twine(*mode));
  std::swap(*mode, threadMode);
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
