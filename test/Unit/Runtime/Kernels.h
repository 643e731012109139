//===- Kernels.h - PTX that the runtime tests launch ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small kernels written by hand: right ones, faulty ones, and text that is no
// PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_RUNTIME_KERNELS_H
#define TC_TEST_UNIT_RUNTIME_KERNELS_H

namespace tc::runtime::test {

inline const char kernels[] = R"(
.version 7.8
.target sm_90
.address_size 64

.global .align 4 .u32 counter = 5;
.extern .shared .align 4 .b8 pool[];

// p[i] = 2 * p[i] for i < n.
.visible .entry twice(.param .u64 twice_p, .param .u32 twice_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [twice_p];
  ld.param.u32 %r1, [twice_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd4], %f2;
DONE:
  ret;
}

// Reverses the ntid.x integers at p through dynamic shared memory.
.visible .entry reverse(.param .u64 reverse_p)
{
  .reg .b32 %r<12>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [reverse_p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  mov.u32 %r4, pool;
  shl.b32 %r5, %r1, 2;
  add.s32 %r6, %r4, %r5;
  st.shared.u32 [%r6], %r3;
  bar.sync 0;
  sub.s32 %r7, %r2, %r1;
  add.s32 %r8, %r7, -1;
  shl.b32 %r9, %r8, 2;
  add.s32 %r10, %r4, %r9;
  ld.shared.u32 %r11, [%r10];
  st.global.u32 [%rd4], %r11;
  ret;
}

// Adds 1 to the module's counter.
.visible .entry count()
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  add.s32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
}

// May not be launched with more than 64 threads.
.visible .entry limited()
.maxntid 64, 1, 1
{
  ret;
}

// Writes 1 MiB behind p.
.visible .entry outside(.param .u64 outside_p)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [outside_p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, 1;
  st.global.u32 [%rd2+1048576], %r1;
  ret;
}

// Writes four bytes at p + 2.
.visible .entry misaligned(.param .u64 misaligned_p)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [misaligned_p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, 1;
  st.global.u32 [%rd2+2], %r1;
  ret;
}

.visible .entry fail()
{
  trap;
  ret;
}
)";

/// Text that is refused at its first line.
inline const char notPtx[] = "nonsense\n";

/// The first bytes of a cubin and of a fatbin.
inline const char cubin[] = "\x7f"
                            "ELF\x02\x01\x01";
/// The fatbin is whole: a header, and no images.
inline const char fatbin[] = "\x50\xed\x55\xba\x01\0\x10\0\0\0\0\0\0\0\0";

} // namespace tc::runtime::test

#endif // TC_TEST_UNIT_RUNTIME_KERNELS_H
