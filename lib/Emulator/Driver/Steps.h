//===- Steps.h - What streams and graphs are given to do --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One piece of work as data, checked when it was given: a stream does it, and a
// graph keeps it as a node and does it whenever the graph is launched.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_STEPS_H
#define TC_LIB_EMULATOR_DRIVER_STEPS_H

#include "Backtrace.h"
#include "Queue.h"

#include "tc-runtime/driver_api.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <variant>
#include <vector>

namespace tc::emulator::driver {

// Each kind has the number of its nodes.

struct KernelStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  CUfunction function = nullptr;
  CUlaunchConfig shape = {}; ///< without stream and attributes
  std::vector<CUlaunchAttribute> attributes = {};
  std::vector<char> parameters = {}; ///< packed

  /// As a launch takes it; lives as long as the step.
  CUlaunchConfig getConfig() {
    CUlaunchConfig config = shape;
    config.attrs = attributes.data();
    config.numAttrs = unsigned(attributes.size());
    return config;
  }
};

struct CopyStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_MEMCPY;
  CUDA_MEMCPY3D copy;
};

struct FillStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_MEMSET;
  CUDA_MEMSET_NODE_PARAMS_v1 fill;
};

struct HostStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_HOST;
  CUDA_HOST_NODE_PARAMS_v1 call;
};

/// All nodes of a graph that the node owns.
struct GraphStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_GRAPH;
  CUgraph graph;
};

struct EmptyStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
};

struct WaitStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  CUevent event;
};

struct RecordStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  CUevent event;
};

/// Memory with an address that stays, while a node or an executable graph may
/// allocate it.
struct Reservation;

struct AllocateStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 asked;
  std::shared_ptr<Reservation> memory;
};

struct FreeStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  CUdeviceptr address;
};

/// A number on the device that kernels set and that chooses between graphs.
struct Condition;

/// One of the graphs that the node owns, or none of them.
struct ConditionalStep {
  static constexpr CUgraphNodeType type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  CUgraphConditionalNodeType kind;
  std::shared_ptr<Condition> condition;
  std::vector<CUgraph> bodies;
};

using Step =
    std::variant<KernelStep, CopyStep, FillStep, HostStep, GraphStep, EmptyStep,
                 WaitStep, RecordStep, AllocateStep, FreeStep, ConditionalStep>;

inline CUgraphNodeType getType(const Step &step) {
  return std::visit([](const auto &one) { return one.type; }, step);
}

/// The graphs that a node owns.
inline llvm::MutableArrayRef<CUgraph> getGraphs(Step &step) {
  if (auto *child = std::get_if<GraphStep>(&step))
    return child->graph;
  if (auto *conditional = std::get_if<ConditionalStep>(&step))
    return conditional->bodies;
  return {};
}
inline llvm::ArrayRef<CUgraph> getGraphs(const Step &step) {
  return getGraphs(const_cast<Step &>(step));
}

class Call;

/// Checks a launch as a device would and packs its parameters.
CUresult makeKernelStep(Call &call, const CUlaunchConfig &launch,
                        CUfunction function, void **values, void **extra,
                        KernelStep &step);
/// A launch that has begun, for a stream. The error is one of the launch.
/// `isProgrammatic`: it need not wait for others to begin.
llvm::Expected<Work> beginKernel(State &state, KernelStep step,
                                 bool isProgrammatic, Backtrace callers);

/// Whether a copy has room at both ends; its size is not 0. Finds out what
/// unified addresses are.
CUresult checkCopy(Call &call, CUDA_MEMCPY3D &copy);
/// Whether a fill has room; sizes are not 0.
CUresult checkFill(Call &call, const CUDA_MEMSET_NODE_PARAMS_v1 &fill);
/// Calls `body` for each row: where it goes, where it comes from, its bytes.
void forRows(const CUDA_MEMCPY3D &copy,
             llvm::function_ref<void(uintptr_t, uintptr_t, size_t)> body);
/// Do it, or say what stands in the way by now: "" if nothing does.
std::string runCopy(State &state, const CUDA_MEMCPY3D &copy);
std::string runFill(State &state, const CUDA_MEMSET_NODE_PARAMS_v1 &fill);

/// A step as work. A fault of it stays with `context`, as that of a kernel
/// does. Graphs are launched node by node instead.
Work makeWork(const Step &step, CUcontext context, Backtrace callers);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_STEPS_H
