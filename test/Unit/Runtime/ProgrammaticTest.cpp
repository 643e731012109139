//===- ProgrammaticTest.cpp - Kernels that begin before others end --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programmatic dependent launch: what a kernel does before it has waited for
// the one before it is not ordered after that.
//
//===----------------------------------------------------------------------===//

#include "StreamRaces.h"

#include <functional>
#include <sstream>

using namespace tc::runtime;
using namespace tc::runtime::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The body of a kernel of several steps, in their order. A thread reads or
/// writes its own word.
std::string makeBody(const std::string &steps) {
  std::string text;
  std::istringstream names(steps);
  for (std::string step; names >> step;)
    text += step == "read"      ? "  ld.global.u32 %r2, [%rd2];\n"
            : step == "write"   ? "  st.global.u32 [%rd2], %r1;\n"
            : step == "wait"    ? "  griddepcontrol.wait;\n"
            : step == "wait0"   ? "  @%p0 griddepcontrol.wait;\n"
            : step == "barrier" ? "  bar.sync 0;\n"
                                : "  griddepcontrol.launch_dependents;\n";
  return text;
}

using Chain = std::vector<std::string>;

class Programmatic : public StreamRaces {
protected:
  static constexpr unsigned threads = 64, blocks = 3;

  void SetUp() override {
    StreamRaces::SetUp();
    place = allocate(4 * threads * blocks);
  }
  /// A kernel with a name of its own, so that each pair is told of.
  CUfunction make(const std::string &steps) {
    static unsigned kernels = 0;
    std::string kernel = "p" + std::to_string(++kernels);
    std::string text = ".version 7.8\n.target sm_90\n.address_size 64\n"
                       ".visible .entry " +
                       kernel + R"((.param .u64 p)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p0, %r1, 0;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 64, %r1;
  ld.param.u64 %rd1, [p];
  mad.wide.u32 %rd2, %r4, 4, %rd1;
)" + makeBody(steps) + "  ret;\n}\n";
    CUmodule module = nullptr;
    EXPECT_EQ(driver->cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS)
        << report();
    return get(module, kernel.c_str());
  }
  void launch(CUfunction function, int isProgrammatic) {
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = isProgrammatic;
    CUlaunchConfig config = {blocks, 1, 1,     threads,    1,
                             1,      0, first, &attribute, 1};
    void *values[] = {&place};
    EXPECT_EQ(driver->cuLaunchKernelEx(&config, function, values, nullptr),
              CUDA_SUCCESS)
        << report();
  }
  /// Kernels one after the other; each but the first may begin early.
  void chain(const Chain &kernels) {
    for (size_t i = 0; i != kernels.size(); ++i)
      launch(make(kernels[i]), i != 0);
  }
  /// The same as nodes of a graph, with edges from that port.
  void runGraph(const Chain &kernels, unsigned char port) {
    CUgraph made = nullptr;
    ASSERT_EQ(driver->cuGraphCreate(&made, 0), CUDA_SUCCESS);
    CUgraphNode last = nullptr;
    for (const std::string &steps : kernels) {
      void *values[] = {&place};
      CUgraphNodeParams parameters = {};
      parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
      parameters.kernel.func = make(steps);
      parameters.kernel.gridDimX = blocks;
      parameters.kernel.blockDimX = threads;
      parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
      parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
      parameters.kernel.kernelParams = values;
      CUgraphEdgeData edge = {port, 0, 1, {}};
      CUgraphNode node = nullptr;
      EXPECT_EQ(driver->cuGraphAddNode_v2(&node, made, last ? &last : nullptr,
                                          last ? &edge : nullptr,
                                          last != nullptr, &parameters),
                CUDA_SUCCESS)
          << report();
      last = node;
    }
    runOnce(made);
    EXPECT_EQ(driver->cuGraphDestroy(made), CUDA_SUCCESS);
  }
  void beginCapture() {
    ASSERT_EQ(
        driver->cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_SUCCESS);
  }
  CUgraph endCapture() {
    CUgraph made = nullptr;
    EXPECT_EQ(driver->cuStreamEndCapture(first, &made), CUDA_SUCCESS)
        << report();
    return made;
  }

  CUdeviceptr place = 0;
};

TEST_F(Programmatic, ReadsAndWritesAreNamed) {
  chain({"write", "read wait"});
  EXPECT_THAT(
      take(),
      AllOf(HasSubstr("block (0,0,0), thread (0,0,0), PTX line 13 "
                      "(`ld.global.u32 %r2, [%rd2]`), without "
                      "griddepcontrol.wait before it: stream race: read at"),
            HasSubstr("execute griddepcontrol.wait before the first access of "
                      "memory that the kernel before it writes, or launch the "
                      "second without programmatic stream serialization")));
  chain({"read", "write wait"});
  EXPECT_THAT(take(), HasSubstr("execute griddepcontrol.wait before the first "
                                "write of memory that the kernel before it "
                                "reads"));
}

TEST_F(Programmatic, AWaitThatIsLeftOutBreaksTheChain) {
  chain({"write", "", "wait read"});
  EXPECT_THAT(take(),
              HasSubstr("a kernel between the two ended without "
                        "griddepcontrol.wait, so that its end does not say "
                        "that of the first: execute it there"));
  // A launch without the attribute waits for all of the stream.
  launch(make("write"), 0);
  launch(make(""), 1);
  launch(make("read"), 0);
  // As does the host.
  launch(make("write"), 0);
  launch(make(""), 1);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS);
  launch(make("read"), 1);
  EXPECT_EQ(take(), "");
}

TEST_F(Programmatic, OnlyTheLaunchRightBeforeMayOverlap) {
  CUfunction writer = make("write"), reader = make("read");
  launch(writer, 0);
  launch(reader, 0); // the attribute is 0
  launch(writer, 0);
  EXPECT_EQ(driver->cuMemsetD32Async(buffer, 1, 8, first), CUDA_SUCCESS);
  launch(reader, 1);
  launch(writer, 0);
  wait(first, record(second));
  launch(reader, 1);
  EXPECT_EQ(take(), "");
  // Records order nothing.
  launch(writer, 0);
  record(first);
  launch(reader, 1);
  EXPECT_THAT(take(), HasSubstr("stream race: read"));
}

TEST_F(Programmatic, TheFirstLaunchOfAStreamWaitsForNone) {
  launch(make("write"), 1);
  EXPECT_EQ(take(), "");
}

TEST_F(Programmatic, WaitsOrderThreadsThatMeetThem) {
  chain({"write", "wait0 barrier read"});
  EXPECT_EQ(take(), "");
  chain({"write", "wait0 read"});
  // Threads of the other warp have not waited.
  EXPECT_THAT(take(), AllOf(HasSubstr("thread (1,0,0)"),
                            Not(HasSubstr("thread (0,0,0), PTX line 14"))));
}

TEST_F(Programmatic, CapturesMakeProgrammaticEdges) {
  beginCapture();
  chain({"write", "wait read"});
  launch(make(""), 0);
  CUgraph made = endCapture();
  CUgraphNode from[2], to[2];
  size_t count = 2;
  EXPECT_EQ(driver->cuGraphGetEdges(made, from, to, &count),
            CUDA_ERROR_LOSSY_QUERY);
  CUgraphEdgeData data[2] = {};
  count = 2;
  ASSERT_EQ(driver->cuGraphGetEdges_v2(made, from, to, data, &count),
            CUDA_SUCCESS);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(data[0].type, 1);
  EXPECT_EQ(data[0].from_port, 1);
  EXPECT_EQ(data[1].type, 0);
  EXPECT_EQ(data[1].from_port, 0);
  runOnce(made);
  EXPECT_EQ(take(), "");
  EXPECT_EQ(driver->cuGraphDestroy(made), CUDA_SUCCESS);
}

TEST_F(Programmatic, AKernelMayFollowTheBeginOfAnother) {
  Chain kernels = {"write", "wait trigger", "read wait"};
  runGraph(kernels, 1);
  EXPECT_EQ(take(), "");
  runGraph(kernels, 2);
  EXPECT_THAT(take(), HasSubstr("stream race: read"));
}

TEST_F(Programmatic, EdgesAreChecked) {
  CUgraphNode a = add(1), b = add(2), empty = nullptr;
  ASSERT_EQ(driver->cuGraphAddEmptyNode(&empty, graph, nullptr, 0),
            CUDA_SUCCESS);
  auto addEdge = [&](CUgraphNode from, CUgraphNode to, CUgraphEdgeData data) {
    return driver->cuGraphAddDependencies_v2(graph, &from, &to, &data, 1);
  };
  EXPECT_EQ(addEdge(a, b, {3, 0, 1, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(report(), HasSubstr("got type 1 from port 3 to port 0"));
  EXPECT_EQ(addEdge(a, b, {1, 0, 0, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addEdge(a, b, {0, 0, 1, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addEdge(a, b, {1, 1, 1, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addEdge(a, empty, {1, 0, 1, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addEdge(empty, a, {1, 0, 1, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addEdge(a, b, {2, 0, 1, {}}), CUDA_SUCCESS);
  // It is of that port.
  EXPECT_EQ(driver->cuGraphRemoveDependencies(graph, &a, &b, 1),
            CUDA_ERROR_INVALID_VALUE);
  CUgraphEdgeData data = {2, 0, 1, {}};
  EXPECT_EQ(driver->cuGraphRemoveDependencies_v2(graph, &a, &b, &data, 1),
            CUDA_SUCCESS);
}

TEST_F(Programmatic, SeededFaults) {
  struct Fault {
    const char *name;
    Chain faulty, mended;
  };
  const Fault faults[] = {
      {"ReadBeforeTheWait", {"write", "read wait"}, {"write", "wait read"}},
      {"NoWait", {"write", "read"}, {"write", "wait read"}},
      {"OverwrittenWhileItIsRead",
       {"read", "write wait"},
       {"read", "wait write"}},
      {"OneThreadWaits",
       {"write", "wait0 read barrier"},
       {"write", "wait0 barrier read"}},
      {"TheKernelBetweenDoesNotWait",
       {"write", "", "wait read"},
       {"write", "wait", "wait read"}},
      {"TriggersBeforeItWaits",
       {"write", "trigger wait", "read wait"},
       {"write", "wait trigger", "read wait"}},
      {"AnotherThreadTriggers",
       {"write", "wait0 trigger", "read wait"},
       {"write", "wait0 barrier trigger", "read wait"}},
  };
  const std::pair<const char *, std::function<void(const Chain &)>> ways[] = {
      {"launched", [&](const Chain &kernels) { chain(kernels); }},
      {"captured",
       [&](const Chain &kernels) {
         beginCapture();
         chain(kernels);
         CUgraph made = endCapture();
         runOnce(made);
         EXPECT_EQ(driver->cuGraphDestroy(made), CUDA_SUCCESS);
       }},
      {"programmatic port",
       [&](const Chain &kernels) { runGraph(kernels, 1); }},
  };
  for (const Fault &fault : faults)
    for (const auto &[way, run] : ways)
      for (unsigned seed = 0; seed <= 5; ++seed) {
        SCOPED_TRACE(std::string(fault.name) + ", " + way + ", seed " +
                     std::to_string(seed));
        std::string order = "adversarial:" + std::to_string(seed);
        schedule(seed ? order.c_str() : "deterministic");
        run(fault.mended);
        EXPECT_EQ(take(), "");
        run(fault.faulty);
        EXPECT_THAT(take(), HasSubstr("stream race: "));
      }
}

} // namespace
