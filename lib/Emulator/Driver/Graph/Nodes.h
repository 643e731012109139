//===- Nodes.h - From parameters of nodes to steps --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nodes of graphs and of executable graphs share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_GRAPH_NODES_H
#define TC_LIB_EMULATOR_DRIVER_GRAPH_NODES_H

#include "Device.h"

namespace tc::emulator::driver {

// Parameters that are a mere handle or address.
struct ChildGraph {
  CUgraph graph;
};
struct EventToRecord {
  CUevent event;
};
struct EventToWaitFor {
  CUevent event;
};
struct MemoryToFree {
  CUdeviceptr address;
};

// Each checks what a node is to do. Kernels keep the attributes of a kernel in
// `step`. The step of a child graph is to be dropped where it is not used.
CUresult makeStep(Call &call, const CUDA_KERNEL_NODE_PARAMS_v1 &given,
                  Step &step);
CUresult makeStep(Call &call, const CUDA_KERNEL_NODE_PARAMS_v2 &given,
                  Step &step);
CUresult makeStep(Call &call, const CUDA_MEMCPY3D &given, Step &step);
CUresult makeStep(Call &call, const CUDA_MEMSET_NODE_PARAMS_v1 &given,
                  Step &step);
CUresult makeStep(Call &call, const CUDA_HOST_NODE_PARAMS_v1 &given,
                  Step &step);
CUresult makeStep(Call &call, const CUDA_MEM_ALLOC_NODE_PARAMS_v1 &given,
                  Step &step);
CUresult makeStep(Call &call, const ChildGraph &given, Step &step);
CUresult makeStep(Call &call, const EventToRecord &given, Step &step);
CUresult makeStep(Call &call, const EventToWaitFor &given, Step &step);
CUresult makeStep(Call &call, const MemoryToFree &given, Step &step);
CUresult makeStep(Call &call, const CUDA_CONDITIONAL_NODE_PARAMS &given,
                  Step &step);
CUresult makeStep(Call &call, const CUgraphNodeParams &given, Step &step);

/// Whether a node may be given another step of its kind.
CUresult checkChangeable(Call &call, const Node &node);

/// Gives a node another step of its kind.
CUresult changeStep(Call &call, Node &node, Step step);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_GRAPH_NODES_H
