//===- Dot.cpp - Graphs as text for Graphviz ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each node, with what it does, and one for each edge.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

/// What a node does, in words.
struct Describe {
  State &state;

  std::string operator()(const KernelStep &step) {
    const Kernel *kernel = state.kernels.find(step.function);
    const CUlaunchConfig &shape = step.shape;
    return llvm::formatv("{0}\\n<<<{1}x{2}x{3}, {4}x{5}x{6}, {7}>>>",
                         kernel ? kernel->name : "kernel", shape.gridDimX,
                         shape.gridDimY, shape.gridDimZ, shape.blockDimX,
                         shape.blockDimY, shape.blockDimZ,
                         shape.sharedMemBytes);
  }
  std::string operator()(const CopyStep &step) {
    return llvm::formatv("copy\\n{0} x {1} x {2} bytes", step.copy.WidthInBytes,
                         step.copy.Height, step.copy.Depth);
  }
  std::string operator()(const FillStep &step) {
    return llvm::formatv("fill\\n{0} x {1} of {2} bytes", step.fill.width,
                         step.fill.height, step.fill.elementSize);
  }
  std::string operator()(const AllocateStep &step) {
    return llvm::formatv("allocate\\n{0} bytes", step.asked.bytesize);
  }
  std::string operator()(const HostStep &) { return "host"; }
  std::string operator()(const GraphStep &) { return "graph"; }
  std::string operator()(const ConditionalStep &step) {
    const char *const kinds[] = {"if", "while", "switch"};
    return kinds[step.kind];
  }
  std::string operator()(const EmptyStep &) { return "empty"; }
  std::string operator()(const WaitStep &) { return "wait for event"; }
  std::string operator()(const RecordStep &) { return "record event"; }
  std::string operator()(const FreeStep &) { return "free"; }
};

} // namespace

/// Nodes of graphs inside are in a box of their own.
static void print(State &state, CUgraph handle, llvm::raw_ostream &os,
                  const std::string &indent) {
  const Graph &graph = *state.graphs.find(handle);
  for (CUgraphNode of : graph.nodes) {
    const Node &node = *state.nodes.find(of);
    auto number = reinterpret_cast<uintptr_t>(of);
    os << indent
       << llvm::formatv("n{0:x-} [label=\"{1}\"];\n", number,
                        std::visit(Describe{state}, node.step));
    for (const Edge &edge : node.after)
      os << indent
         << llvm::formatv("n{0:x-} -> n{1:x-}{2};\n",
                          reinterpret_cast<uintptr_t>(edge.from), number,
                          edge.isProgrammatic() ? " [style=dashed]" : "");
    for (auto [index, inner] : llvm::enumerate(getGraphs(node.step))) {
      os << indent
         << llvm::formatv("subgraph cluster_{0:x-}_{1} {{\n", number, index);
      print(state, inner, os, indent + "  ");
      os << indent << "}\n";
    }
  }
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned) {
  Call call("cuGraphDebugDotPrint", Needs::Driver);
  if (CUresult bad = checkPlace(call, path))
    return bad;
  if (!call.find(&State::graphs, graph))
    return call.status();
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << "digraph graph_" << call.state.graphs.find(graph)->number << " {\n";
    print(call.state, graph, os, "  ");
    os << "}\n";
    return llvm::Error::success();
  });
  if (!error)
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_OPERATING_SYSTEM,
                   "cannot write '" + llvm::Twine(path) +
                       "': " + llvm::toString(std::move(error)));
}
}
} // namespace tc::runtime
