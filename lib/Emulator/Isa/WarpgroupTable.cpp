//===- WarpgroupTable.cpp - Instructions of four warps --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products of a warpgroup (PTX ISA, section 9.7.15), without the sparse
// ones. Isa.h explains the notation.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"
#include "Warp/Warpgroup.h"

namespace tc::emulator::isa {

namespace {

constexpr Effect collective = Effect::Collective;
constexpr Accuracy sum = Accuracy::Sum;

// clang-format off
const Row table[] = {
    // A comes from shared memory by a descriptor, or from registers. What
    // follows: scale-d, the signs of a and b, and who is transposed.
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup16.HalfD.f16.f16 fx, a:b64, a:b64, !c, imm, imm, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup16.HalfD.f16.f16 fx, fs, a:b64, !c, imm, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup16.f32.bf16.bf16 fx, a:b64, a:b64, !c, imm, imm, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup16.f32.bf16.bf16 fx, fs, a:b64, !c, imm, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup8.f32.tf32.tf32 fx, a:b64, a:b64, !c, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup8.f32.tf32.tf32 fx, fs, a:b64, !c, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup32.HalfD.Quarter.Quarter2 fx, a:b64, a:b64, !c, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroup32.HalfD.Quarter.Quarter2 fx, fs, a:b64, !c, imm, imm", collective, warpgroup::multiply, sum},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroupByte{.satfinite}.s32.Byte.Byte2 fx, a:b64, a:b64, !c", collective, warpgroup::multiply},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroupByte{.satfinite}.s32.Byte.Byte2 fx, fs, a:b64, !c", collective, warpgroup::multiply},
    // LLVM writes it last, and ptxas takes it there.
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroupByte.s32.Byte.Byte2.satfinite fx, a:b64, a:b64, !c", collective, warpgroup::multiply},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroupByte.s32.Byte.Byte2.satfinite fx, fs, a:b64, !c", collective, warpgroup::multiply},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroupBit.s32.b1.b1.and.popc fx, a:b64, a:b64, !c", collective, warpgroup::multiply},
    {"9.7.15.5.2", "wgmma.mma_async.sync.aligned.ShapeGroupBit.s32.b1.b1.and.popc fx, fs, a:b64, !c", collective, warpgroup::multiply},
    {"9.7.15.7.1", "wgmma.fence.sync.aligned", collective, warpgroup::fence},
    {"9.7.15.7.2", "wgmma.commit_group.sync.aligned", collective, warpgroup::commitGroup},
    {"9.7.15.7.3", "wgmma.wait_group.sync.aligned imm", collective, warpgroup::waitGroup},
};
// clang-format on

} // namespace

llvm::ArrayRef<Row> getWarpgroupRows() { return table; }

} // namespace tc::emulator::isa
