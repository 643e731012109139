//===- State.h - What the emulated driver keeps -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one device of the emulated driver and everything made on it. Work is done
// when its call returns, unless it waits (Queue.h). A fault of a kernel stays
// with its context, as on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_STATE_H
#define TC_LIB_EMULATOR_DRIVER_STATE_H

#include "Backtrace.h"
#include "Graph/Graph.h"
#include "Handles.h"
#include "Queue.h"
#include "StreamRaces.h"

#include "tc-runtime/driver_api.h"
#include "tc/Emulator/Session.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tc::emulator::driver {

// Every kind of object says what a call expected that got another handle.

struct Context {
  bool primary = false;
  unsigned flags = 0;
  CUresult fault = CUDA_SUCCESS; ///< of a kernel; ends all use of the context
  std::string report;            ///< on that fault
  /// By CUlimit, in bytes, as a GPU has them at first. Nothing hangs on them.
  size_t limits[7] = {1024, 1048576, 8388608, 0, 0, 0, 0};
};

struct Stream {
  CUcontext context;
  unsigned flags = 0;
  int priority = 0;
};

struct Event {
  static constexpr auto expected =
      "an event, got another handle or a destroyed event";
  static constexpr CUresult code = CUDA_ERROR_INVALID_HANDLE;
  CUcontext context;
  unsigned flags = 0;
  uint64_t ticket = 0; ///< of the last record; 0: there was none
  std::chrono::steady_clock::time_point time = {};
  /// Where the last record was captured, the capture and what it stands for.
  uint64_t capture = 0;
  std::vector<CUgraphNode> captured = {};
};

struct LoadedModule {
  static constexpr auto expected =
      "a module, got another handle or one unloaded";
  static constexpr CUresult code = CUDA_ERROR_INVALID_HANDLE;
  CUcontext context;
  std::unique_ptr<Module> module;
  llvm::StringMap<CUfunction> kernels;
};

struct Kernel {
  static constexpr auto expected =
      "a kernel, got another handle or one of a module unloaded";
  static constexpr CUresult code = CUDA_ERROR_INVALID_HANDLE;
  CUcontext context;
  CUmodule module;
  std::string name;
  KernelInfo info;
  unsigned maxDynamicShared; ///< bytes a launch may ask for
  /// Clusters may have more than 8 blocks.
  bool mayBeNonPortable = false;
};

/// Text that is being linked. The image is handed out, so it keeps its place.
struct Link {
  static constexpr auto expected =
      "a link, got another handle or one destroyed";
  static constexpr CUresult code = CUDA_ERROR_INVALID_HANDLE;
  CUcontext context;
  std::unique_ptr<std::string> image;
};

/// A memory pool: the driver's own, or one made by hand. All memory comes from
/// one place, so a pool only counts.
struct Pool {
  static constexpr auto expected =
      "a memory pool, got another handle or one destroyed";
  static constexpr CUresult code = CUDA_ERROR_INVALID_VALUE;
  uint64_t attributes[9] = {}; ///< by CUmemPool_attribute
};

/// Whose memory a range of addresses is.
enum class Owner { Device, Managed, PinnedHost, RegisteredHost, Variable };

struct Range {
  size_t bytes;
  Owner owner;
  CUcontext context;
  CUmodule module = nullptr;   ///< of a Variable
  CUmemoryPool pool = nullptr; ///< where it came from one
  uint64_t number = 0;         ///< counts allocations
  Backtrace backtrace = {};    ///< who allocated it, where that is noted
  bool isReserved = false;     ///< by a node of a graph
};

struct State {
  State();

  std::mutex mutex;
  std::atomic<unsigned> callers{0}; ///< who wait for it
  Queue queue;
  bool initialised = false;
  Settings settings;
  StreamRaces races{settings};
  std::string misconfigured;     ///< what is wrong with the environment
  bool isBlocking = false;       ///< launches return the kernel's own fault
  bool isToldOfFeatures = false; ///< that PTX lacks those of sm_90a
  Journal journal;
  size_t published = 0; ///< findings in the report file
  std::chrono::steady_clock::time_point publishedAt = {};
  uint64_t allocations = 0; ///< made so far
  Memory memory;
  std::map<uintptr_t, Range> ranges; ///< by first address
  Handles<CUcontext, Context> contexts;
  Handles<CUstream, Stream> streams;
  Handles<CUevent, Event> events;
  std::map<std::pair<CUstream, CUlaunchAttributeID>, CUlaunchAttributeValue>
      streamAttributes;
  Handles<CUmodule, LoadedModule> modules;
  Handles<CUfunction, Kernel> kernels;
  Handles<CUlinkState, Link> links;
  Handles<CUgraph, Graph> graphs;
  Handles<CUgraphNode, Node> nodes;
  Handles<CUgraphExec, GraphExec> execs;
  Handles<CUuserObject, UserReferences> userObjects;
  std::vector<std::pair<CUhostFn, void *>> destructors; ///< that are to run
  std::map<uint64_t, Capture> captures;                 ///< by number
  uint64_t captureCount = 0, graphCount = 0, graphLaunches = 0; ///< so far
  std::map<CUdeviceptr, Reservation *> reservations;
  uint64_t reservedUsed = 0, reservedHigh = 0; ///< bytes allocated by nodes
  std::map<CUgraphConditionalHandle, Condition *> conditions;
  Handles<CUmemoryPool, Pool> pools;
  CUmemoryPool defaultPool = nullptr, currentPool = nullptr;
  CUcontext primary = nullptr;
  unsigned primaryReferences = 0;
  unsigned primaryFlags = 0;

  /// The range around `address`, or the end.
  std::map<uintptr_t, Range>::iterator findRange(uintptr_t address);
  /// Unloads a module with its kernels and variables.
  void unload(CUmodule module);
  /// Reports what was allocated in a context and not freed, or in any, and
  /// graphs that were not destroyed.
  void reportLeaks(CUcontext context);
  void reportGraphs(CUcontext context);
  /// Ends everything made in a context.
  void clear(CUcontext context);

  /// Keeps a finding that belongs to no launch, and prints it if asked for.
  void add(Finding finding);
  /// Who calls, where settings ask for it.
  Backtrace noteCaller() const {
    return settings.backtraces ? takeBacktrace() : Backtrace();
  }
  /// Prints what was found in a launch.
  void print(const LaunchRecord &launch) const;
  /// Writes the report file where there is one and it is out of date.
  void publish(bool always);
  /// Says how much was suppressed.
  void printSuppressed() const;
  void writeSuppressions();
  /// Adds the line of this process to the summary, at its end.
  void writeSummary() const;
  /// Writes the page of lines where there is one.
  void writeHtml() const;
  /// Prints the lines where they were asked for.
  void printLines() const;
  std::set<std::string> suppressions; ///< lines for all that was found
};

/// Prints to standard error.
void printLine(const llvm::Twine &text);

/// Settings by which kernels print to standard output.
Settings getDefaultSettings();

/// The contexts of this thread, the current one last.
std::vector<CUcontext> &getContextStack();

/// What a call cannot do without.
enum class Needs {
  Nothing, ///< not even cuInit
  Driver,  ///< cuInit
  Context, ///< a current context that lives
  Health,  ///< one in which no kernel has failed
  Quiet    ///< and no capture that forbids calls that may wait
};

/// A call of the driver API in progress: holds the lock, and knows whether what
/// the call needs is there.
class Call {
public:
  Call(const char *name, Needs needs);
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  ~Call();
  /// A call that gives a stream something to do, or asks about it.
  Call(const char *name, CUstream stream) : Call(name, Needs::Driver) {
    if (result == CUDA_SUCCESS)
      result = enter(stream);
  }

  /// Whether the call may go on; otherwise `status` is what it returns.
  explicit operator bool() const { return result == CUDA_SUCCESS; }
  CUresult status() const { return result; }

  State &state;
  CUcontext handle = nullptr; ///< of the current context
  Context *context = nullptr; ///< the current context, where one is needed

  /// Keeps "call: message" for tcEmulatorLastReport and returns `code`.
  CUresult fail(CUresult code, const llvm::Twine &message) const;
  /// What is wrong with the context of an object, as a fault is: CUDA_SUCCESS,
  /// or the fault of a kernel.
  CUresult checkHealth(CUcontext of) const;
  /// The object behind a handle; or null, and the call has failed.
  template <typename Handle, typename Object>
  Object *find(Handles<Handle, Object> State::*objects, Handle handle) {
    Object *object = *this ? (state.*objects).find(handle) : nullptr;
    if (*this && !object)
      result = fail(Object::code, llvm::Twine("expected ") + Object::expected);
    return object;
  }

  /// The context that work on `stream` is done in: the stream's own, or the
  /// current one for a default stream.
  CUresult enter(CUstream stream);
  const Lane &getLane() const { return lane; }
  /// Gives the stream that was entered something to do. Returns its ticket.
  uint64_t submit(Work work, const Dependencies &dependencies = {}) {
    return state.queue.submit(state, lock, lane, std::move(work), dependencies);
  }
  /// The same for work that only comes after what has those tickets.
  uint64_t submitApart(Work work, const Dependencies &dependencies) {
    return state.queue.submit(
        state, lock, {lane.stream, Lane::Apart, handle, state.graphLaunches},
        std::move(work), dependencies);
  }
  /// Whether the stream that was entered has nothing to do; goes on with it.
  bool isIdle();
  /// Whether the work is done; goes on with it.
  bool isDone(uint64_t ticket);
  /// Waits for the work of that ticket, or for all in a context; others may
  /// call the driver meanwhile. Returns a fault of the context.
  CUresult wait(uint64_t ticket, CUcontext of);
  CUresult waitForAll(CUcontext of);
  /// Waits for what the stream that was entered has to do.
  CUresult waitForStream();
  /// Waits as `wait` does, for what the host need not know to be done.
  CUresult waitUnnoticed(uint64_t ticket, CUcontext of);

private:
  CUresult findCurrent(bool healthy);

  const char *name;
  CUresult result;
  std::unique_lock<std::mutex> lock;
  Lane lane; ///< of the stream that was entered
};

} // namespace tc::emulator::driver

/// The emulator's text on the last call that failed in this thread; "" before
/// any failure. Lives until the next failure in the thread.
extern "C" const char *tcEmulatorLastReport(void);

// The exported calls, declared so that no definition can differ from the list.
namespace tc::runtime {
extern "C" {
#define TC_DECLARE(name, symbol, since, need, parameters)                      \
  CUresult symbol parameters;
TC_DRIVER_CALLS(TC_DECLARE)
#undef TC_DECLARE
}
} // namespace tc::runtime

#endif // TC_LIB_EMULATOR_DRIVER_STATE_H
