//===- UserObjects.cpp - What graphs keep for the program -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user object is destroyed with its last reference. The program has some, and
// graphs, whose clones and executable graphs have the same, and whose launches
// keep it until they are done.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Graph/Graph.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

driver::UserObject::~UserObject() {
  state.destructors.push_back({destroy, data});
}

static CUresult checkCount(Call &call, unsigned count) {
  if (count == 0 || count > INT32_MAX)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected 1 to 2147483647 references, got " +
                         llvm::Twine(count));
  return CUDA_SUCCESS;
}

/// Checks that there are `count` references to give up.
static CUresult checkRelease(Call &call, const UserReferences &from,
                             unsigned count) {
  if (CUresult bad = checkCount(call, count))
    return bad;
  if (from.count < count)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected at most the " + llvm::Twine(from.count) +
                         " references that are left, got " +
                         llvm::Twine(count));
  return CUDA_SUCCESS;
}

/// Of the program's own references.
static void release(State &state, CUuserObject handle, unsigned count) {
  UserReferences &own = *state.userObjects.find(handle);
  own.count -= count;
  if (!own.count)
    state.userObjects.erase(handle);
}

namespace tc::runtime {
extern "C" {
CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy,
                            unsigned count, unsigned flags) {
  Call call("cuUserObjectCreate", Needs::Driver);
  if (CUresult bad = checkPlace(call, object))
    return bad;
  if (CUresult bad = checkCount(call, count))
    return bad;
  if (!destroy || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a destructor and the flag NO_DESTRUCTOR_SYNC "
                     "(1), got flags " +
                         llvm::Twine(flags));
  *object = call.state.userObjects.add(
      {std::make_shared<UserObject>(call.state, destroy, data), count});
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  Call call("cuUserObjectRetain", Needs::Driver);
  UserReferences *own = call.find(&State::userObjects, object);
  if (!own)
    return call.status();
  if (CUresult bad = checkCount(call, count))
    return bad;
  own->count += count;
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  Call call("cuUserObjectRelease", Needs::Driver);
  const UserReferences *own = call.find(&State::userObjects, object);
  if (!own)
    return call.status();
  if (CUresult bad = checkRelease(call, *own, count))
    return bad;
  release(call.state, object, count);
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject object,
                                 unsigned count, unsigned flags) {
  Call call("cuGraphRetainUserObject", Needs::Driver);
  Graph *graph = call.find(&State::graphs, handle);
  const UserReferences *own =
      graph ? call.find(&State::userObjects, object) : nullptr;
  if (!own)
    return call.status();
  bool isMove = flags == CU_GRAPH_USER_OBJECT_MOVE;
  if (flags && !isMove)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected the flag MOVE (1) or none, got " +
                         llvm::Twine(flags));
  if (CUresult bad =
          isMove ? checkRelease(call, *own, count) : checkCount(call, count))
    return bad;
  graph->objects.insert({object, {own->object, 0}}).first->second.count +=
      count;
  if (isMove)
    release(call.state, object, count);
  return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject object,
                                  unsigned count) {
  Call call("cuGraphReleaseUserObject", Needs::Driver);
  Graph *graph = call.find(&State::graphs, handle);
  if (!graph)
    return call.status();
  auto found = graph->objects.find(object);
  if (found == graph->objects.end())
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a user object that the graph retains");
  if (CUresult bad = checkRelease(call, found->second, count))
    return bad;
  found->second.count -= count;
  if (!found->second.count)
    graph->objects.erase(found);
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
