//===- TensorMapTest.cpp - Tensor maps of the emulated driver -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel copies with maps that the driver made, as a parameter and in global
// memory; what is no tensor is refused.
//
//===----------------------------------------------------------------------===//

#include "EmulatedDriver.h"

#include <cstring>
#include <vector>

using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {

struct alignas(64) Map {
  char bytes[128];
};

/// Copies a box of 16 by 8 words at (x, 4) to `out`.
constexpr const char *text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry byParameter(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %q<8>;
  .shared .align 128 .b8 tile[512]; .shared .align 8 .b64 bar;
  mov.b64 %q1, map; cvta.param.u64 %q1, %q1; ld.param.u64 %q2, [out]; ld.param.u32 %r1, [x];
  bra $go;
$go:
  mov.u32 %r2, tile; mov.u32 %r3, bar; mov.u32 %r4, %tid.x; setp.eq.u32 %p1, %r4, 0;
  @%p1 mbarrier.init.shared.b64 [%r3], 1;
  fence.proxy.async; bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %q3, [%r3], 512;
  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%q1, {%r1, 4}], [%r3];
$wait:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
  @!%p2 bra $wait;
  shl.b32 %r5, %r4, 2; add.u32 %r2, %r2, %r5; cvt.u64.u32 %q4, %r5; add.u64 %q4, %q4, %q2;
  ld.shared.u32 %r6, [%r2]; st.global.u32 [%q4], %r6;
  ret;
}
.visible .entry byPointer(.param .u64 map, .param .u64 out, .param .u32 x) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %q<8>;
  .shared .align 128 .b8 tile[512]; .shared .align 8 .b64 bar;
  ld.param.u64 %q1, [map]; ld.param.u64 %q2, [out]; ld.param.u32 %r1, [x];
  mov.u32 %r2, tile; mov.u32 %r3, bar; mov.u32 %r4, %tid.x; setp.eq.u32 %p1, %r4, 0;
  @%p1 prefetch.tensormap [%q1];
  @%p1 mbarrier.init.shared.b64 [%r3], 1;
  fence.proxy.async; bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %q3, [%r3], 512;
  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%q1, {%r1, 4}], [%r3];
$wait:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
  @!%p2 bra $wait;
  shl.b32 %r5, %r4, 2; add.u32 %r2, %r2, %r5; cvt.u64.u32 %q4, %r5; add.u64 %q4, %q4, %q2;
  ld.shared.u32 %r6, [%r2]; st.global.u32 [%q4], %r6;
  ret;
}
)";

class TensorMaps : public EmulatedDriver {
protected:
  void SetUp() override {
    EmulatedDriver::SetUp();
    ASSERT_EQ(driver->cuModuleLoadData(&module, text), CUDA_SUCCESS)
        << report();
    tensor = allocate(32 * 16 * 4);
    out = allocate(512);
    std::vector<unsigned> values(32 * 16);
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = i;
    ASSERT_EQ(driver->cuMemcpyHtoD_v2(tensor, values.data(), 4 * values.size()),
              CUDA_SUCCESS);
  }
  CUresult encode(Map &map, CUdeviceptr address, unsigned type = 2) {
    return driver->cuTensorMapEncodeTiled(
        &map, type, 2, reinterpret_cast<void *>(address), extents, strides, box,
        steps, 0, 0, 0, 0);
  }
  /// Elements (x to x + 15, 4 to 11).
  void expectBox(unsigned x) {
    std::vector<unsigned> values(128);
    ASSERT_EQ(driver->cuMemcpyDtoH_v2(values.data(), out, 512), CUDA_SUCCESS)
        << report();
    for (unsigned i = 0; i < 128; ++i) {
      unsigned column = x + i % 16, row = 4 + i / 16;
      EXPECT_EQ(values[i], column < 32 ? 32 * row + column : 0);
    }
  }

  const uint64_t extents[2] = {32, 16}, strides[1] = {128};
  const unsigned box[2] = {16, 8}, steps[2] = {1, 1};
  CUmodule module = nullptr;
  CUdeviceptr tensor = 0, out = 0;
};

TEST_F(TensorMaps, AreParametersOfKernels) {
  Map map;
  ASSERT_EQ(encode(map, tensor), CUDA_SUCCESS) << report();
  unsigned x = 20;
  void *parameters[] = {&map, &out, &x};
  ASSERT_EQ(launch(get(module, "byParameter"), 128, parameters), CUDA_SUCCESS)
      << report();
  expectBox(20);
}

TEST_F(TensorMaps, LieInGlobalMemory) {
  Map map;
  ASSERT_EQ(encode(map, tensor + 64), CUDA_SUCCESS) << report();
  ASSERT_EQ(
      driver->cuTensorMapReplaceAddress(&map, reinterpret_cast<void *>(tensor)),
      CUDA_SUCCESS);
  CUdeviceptr place = allocate(128);
  ASSERT_EQ(driver->cuMemcpyHtoD_v2(place, &map, 128), CUDA_SUCCESS);
  unsigned x = 3;
  void *parameters[] = {&place, &out, &x};
  ASSERT_EQ(launch(get(module, "byPointer"), 128, parameters), CUDA_SUCCESS)
      << report();
  expectBox(3);
}

TEST_F(TensorMaps, RefuseWhatIsNone) {
  Map map;
  EXPECT_EQ(encode(map, tensor + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("cuTensorMapEncodeTiled"), std::string::npos);
  EXPECT_NE(report().find("expected a global address that is a multiple of 16"),
            std::string::npos)
      << report();
  EXPECT_EQ(encode(map, tensor, 13), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(map, tensor, 258), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuTensorMapEncodeTiled(
                &map, 2, 2, reinterpret_cast<void *>(tensor), extents, strides,
                nullptr, steps, 0, 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuTensorMapEncodeTiled(
                map.bytes + 16, 2, 2, reinterpret_cast<void *>(tensor), extents,
                strides, box, steps, 0, 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuTensorMapEncodeTiled(
                &map, 2, 0, reinterpret_cast<void *>(tensor), extents, strides,
                box, steps, 0, 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  std::memset(&map, 0, sizeof(map));
  EXPECT_EQ(
      driver->cuTensorMapReplaceAddress(&map, reinterpret_cast<void *>(tensor)),
      CUDA_ERROR_INVALID_VALUE);
  const uint64_t all[4] = {16, 9, 9, 2}, apart[3] = {64, 576, 5184};
  const unsigned ones[4] = {1, 1, 1, 1};
  const int lower[2] = {-1, -1}, upper[2] = {-1, -1}, far[2] = {200, 0};
  EXPECT_EQ(driver->cuTensorMapEncodeIm2col(
                &map, 7, 4, reinterpret_cast<void *>(tensor), all, apart, lower,
                upper, 16, 64, ones, 0, 0, 0, 0),
            CUDA_SUCCESS)
      << report();
  EXPECT_EQ(driver->cuTensorMapEncodeIm2col(
                &map, 7, 4, reinterpret_cast<void *>(tensor), all, apart, far,
                upper, 16, 64, ones, 0, 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuTensorMapEncodeIm2col(
                &map, 7, 1, reinterpret_cast<void *>(tensor), all, apart, lower,
                upper, 16, 64, ones, 0, 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
}

} // namespace
