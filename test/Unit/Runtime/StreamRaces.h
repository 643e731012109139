//===- StreamRaces.h - Tests of races between streams -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that read, write and add to words of a buffer, and what was found
// between them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_RUNTIME_STREAMRACES_H
#define TC_TEST_UNIT_RUNTIME_STREAMRACES_H

#include "Graphs.h"

#include "gmock/gmock.h"

namespace tc::runtime::test {

/// Reads n words at r, writes m at w, adds to k at a. Every kernel has a name
/// of its own, so that each pair is told of.
inline std::string makeText(const std::string &name) {
  return ".visible .entry " + name + R"((.param .u64 r, .param .u32 n,
  .param .u64 w, .param .u32 m, .param .u64 a, .param .u32 k)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  ld.param.u32 %r2, [n];
  setp.ge.u32 %p1, %r1, %r2;
  @%p1 bra WRITE;
  ld.param.u64 %rd2, [r];
  add.s64 %rd3, %rd2, %rd1;
  ld.global.u32 %r5, [%rd3];
WRITE:
  ld.param.u32 %r3, [m];
  setp.ge.u32 %p1, %r1, %r3;
  @%p1 bra ADD;
  ld.param.u64 %rd4, [w];
  add.s64 %rd5, %rd4, %rd1;
  st.global.u32 [%rd5], %r1;
ADD:
  ld.param.u32 %r4, [k];
  setp.ge.u32 %p1, %r1, %r4;
  @%p1 bra DONE;
  ld.param.u64 %rd6, [a];
  add.s64 %rd7, %rd6, %rd1;
  red.global.add.u32 [%rd7], 1;
DONE:
  ret;
}
)";
}

constexpr unsigned words = 32;

/// Words from `first` on, `count` of them, in the buffer.
struct Words {
  unsigned first = 0, count = 0;
  bool meets(const Words &other) const {
    return first < other.first + other.count && other.first < first + count &&
           count && other.count;
  }
};

class StreamRaces : public Graphs {
protected:
  void SetUp() override {
    Graphs::SetUp();
    set("checks", "streams");
    buffer = allocate(4 * words);
    load(8);
    captureStderr();
  }
  void TearDown() override {
    testing::internal::GetCapturedStderr();
    set("checks", "bounds");
    schedule("deterministic");
    Graphs::TearDown();
  }
  static void captureStderr() { testing::internal::CaptureStderr(); }
  static void set(const char *option, const char *value) {
    void *library = dlopen(TC_EMULATOR_PATH, RTLD_NOW | RTLD_NOLOAD);
    auto setOption = reinterpret_cast<int (*)(const char *, const char *)>(
        dlsym(library, "tcEmuSetOption"));
    EXPECT_EQ(setOption(option, value), 0);
    dlclose(library);
  }
  /// A module of so many kernels, by names that nobody else has.
  void load(unsigned count) {
    static unsigned modules = 0;
    prefix = "m" + std::to_string(++modules) + "k";
    std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n";
    for (unsigned i = 0; i != count; ++i)
      text += makeText(prefix + std::to_string(i));
    ASSERT_EQ(driver->cuModuleLoadData(&loaded, text.c_str()), CUDA_SUCCESS)
        << report();
  }
  void launch(unsigned kernel, CUstream stream, Words reads, Words writes,
              Words adds = {}) {
    CUdeviceptr places[] = {buffer + 4 * reads.first, buffer + 4 * writes.first,
                            buffer + 4 * adds.first};
    void *values[] = {&places[0],    &reads.count, &places[1],
                      &writes.count, &places[2],   &adds.count};
    EXPECT_EQ(driver->cuLaunchKernel(get(loaded, name(kernel).c_str()), 1, 1, 1,
                                     words, 1, 1, 0, stream, values, nullptr),
              CUDA_SUCCESS)
        << report();
  }
  void writeIn(CUstream stream, unsigned kernel, Words what = {0, 8}) {
    launch(kernel, stream, {}, what);
  }
  void readIn(CUstream stream, unsigned kernel, Words what = {0, 8}) {
    launch(kernel, stream, what, {});
  }
  std::string name(unsigned kernel) const {
    return prefix + std::to_string(kernel);
  }
  CUstream makeStream(unsigned flags) {
    CUstream stream = nullptr;
    EXPECT_EQ(driver->cuStreamCreate(&stream, flags), CUDA_SUCCESS);
    return stream;
  }
  CUevent record(CUstream stream) {
    CUevent event = makeEvent();
    EXPECT_EQ(driver->cuEventRecord(event, stream), CUDA_SUCCESS);
    return event;
  }
  void wait(CUstream stream, CUevent event) {
    EXPECT_EQ(driver->cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
  }
  /// What was found since the last time.
  std::string take() {
    EXPECT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS) << report();
    std::string text = testing::internal::GetCapturedStderr();
    captureStderr();
    return text;
  }

  CUmodule loaded = nullptr;
  CUdeviceptr buffer = 0;
  std::string prefix;
};

} // namespace tc::runtime::test

#endif // TC_TEST_UNIT_RUNTIME_STREAMRACES_H
