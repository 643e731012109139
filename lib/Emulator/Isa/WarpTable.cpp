//===- WarpTable.cpp - Instructions of a whole warp -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions in which the lanes of a warp exchange values, in the order of
// the PTX ISA document's section 9.7. Isa.h explains the notation.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"
#include "Warp/Warp.h"

namespace tc::emulator::isa {

namespace {

constexpr Effect collective = Effect::Collective;
constexpr Accuracy sum = Accuracy::Sum;

// clang-format off
const Row table[] = {
    // Data movement.
    {"9.7.9.5", "shfl.ShuffleMode.b32 d|p, a, b:u32, c:u32", collective, warp::shuffle},
    {"9.7.9.6", "shfl.sync.ShuffleMode.b32 d|p, a, b:u32, c:u32, e:u32", collective, warp::shuffle},

    // Votes, matches and reductions.
    {"9.7.13.8", "vote.VoteMode.pred d, !c", collective, warp::vote},
    {"9.7.13.8", "vote.ballot.b32 d, !c", collective, warp::vote},
    {"9.7.13.9", "vote.sync.VoteMode.pred d, !c, e:u32", collective, warp::vote},
    {"9.7.13.9", "vote.sync.ballot.b32 d, !c, e:u32", collective, warp::vote},
    {"9.7.13.10", "match.any.sync.Bits32Up d:b32, a, e:u32", collective, warp::match},
    {"9.7.13.10", "match.all.sync.Bits32Up d|p:b32, a, e:u32", collective, warp::match},
    {"9.7.13.11", "activemask.b32 d", collective, warp::activeMask},
    {"9.7.13.12", "redux.sync.ReduxInt.Int32 d, a, e:u32", collective, warp::reduce},
    {"9.7.13.12", "redux.sync.ReduxBit.b32 d, a, e:u32", collective, warp::reduce},
    {"9.7.13.14", "elect.sync d|p:b32, e:u32", collective, warp::elect},

    // Matrices: the warp-level API. Before PTX 6.3 `.aligned` was left out.
    {"9.7.14.4.3", "wmma.load.WmmaFactor.sync.LayoutA.ShapeWmma{.MatrixSpace}.f16 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.c.sync.LayoutA.ShapeWmma{.MatrixSpace}.HalfC fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.4", "wmma.store.d.sync.LayoutA.ShapeWmma{.MatrixSpace}.HalfD [a], fs, b:u32?", collective, warp::storeFragment},
    {"9.7.14.4.5", "wmma.mma.sync.LayoutA.LayoutB.ShapeWmma.HalfD.HalfC fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.4.3", "wmma.load.WmmaFactor.sync.aligned.LayoutA.ShapeWmma{.MatrixSpace}.WmmaElement fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.WmmaFactor.sync.aligned.LayoutA.m16n16k8{.MatrixSpace}.tf32 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.WmmaFactor.sync.aligned.LayoutA.m8n8k4{.MatrixSpace}.f64 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.a.sync.aligned.row.m8n8k32{.MatrixSpace}.Nibble fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.b.sync.aligned.col.m8n8k32{.MatrixSpace}.Nibble fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.a.sync.aligned.row.m8n8k128{.MatrixSpace}.b1 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.b.sync.aligned.col.m8n8k128{.MatrixSpace}.b1 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.c.sync.aligned.LayoutA.ShapeWmma{.MatrixSpace}.WmmaResult fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.c.sync.aligned.LayoutA.m16n16k8{.MatrixSpace}.f32 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.c.sync.aligned.LayoutA.m8n8k4{.MatrixSpace}.f64 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.3", "wmma.load.c.sync.aligned.LayoutA.ShapeSmall{.MatrixSpace}.s32 fd, [a], b:u32?", collective, warp::loadFragment},
    {"9.7.14.4.4", "wmma.store.d.sync.aligned.LayoutA.ShapeWmma{.MatrixSpace}.WmmaResult [a], fs, b:u32?", collective, warp::storeFragment},
    {"9.7.14.4.4", "wmma.store.d.sync.aligned.LayoutA.m16n16k8{.MatrixSpace}.f32 [a], fs, b:u32?", collective, warp::storeFragment},
    {"9.7.14.4.4", "wmma.store.d.sync.aligned.LayoutA.m8n8k4{.MatrixSpace}.f64 [a], fs, b:u32?", collective, warp::storeFragment},
    {"9.7.14.4.4", "wmma.store.d.sync.aligned.LayoutA.ShapeSmall{.MatrixSpace}.s32 [a], fs, b:u32?", collective, warp::storeFragment},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.ShapeWmma.HalfD.HalfC fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.ShapeWmma.f32.bf16.bf16.f32 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.m16n16k8.f32.tf32.tf32.f32 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.m8n8k4{.rn}.f64.f64.f64.f64 fd, fs, fs, fs", collective, warp::multiply},
    // nvcc writes the rounding last, and ptxas takes it there.
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.m8n8k4.f64.f64.f64.f64.rn fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.ShapeWmma.s32.s8.s8.s32{.satfinite} fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.LayoutA.LayoutB.ShapeWmma.s32.u8.u8.s32{.satfinite} fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite} fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.4.5", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite} fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.4.5", "wmma.mma.PopcOp.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 fd, fs, fs, fs", collective, warp::multiply},

    // Matrices: multiply-accumulate, and moves.
    {"9.7.14.5.14", "mma.sync.aligned.m8n8k4.LayoutA.LayoutB.f16.f16.f16.f16 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.m8n8k4.LayoutA.LayoutB.f32.f16.f16.HalfC fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeHalf.row.col.f16.f16.f16.f16 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeHalf.row.col.f32.f16.f16.f32 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeHalf.row.col.f32.bf16.bf16.f32 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeTF32.row.col.f32.tf32.tf32.f32 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeQuarter.row.col.f32.Quarter.Quarter2.f32 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeQuarter.row.col.f16.Quarter.Quarter2.f16 fd, fs, fs, fs", collective, warp::multiply, sum},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeF64.row.col{.rn}.f64.f64.f64.f64 fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeByte.row.col{.satfinite}.s32.Byte.Byte2.s32 fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeNibble.row.col{.satfinite}.s32.Nibble.Nibble2.s32 fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.5.14", "mma.sync.aligned.ShapeBit.row.col.s32.b1.b1.s32.PopcOp.popc fd, fs, fs, fs", collective, warp::multiply},
    {"9.7.14.5.15", "ldmatrix.sync.aligned.m8n8.MatrixCount{.trans}{.SharedSpace}.b16 fd, [a]", collective, warp::loadMatrix},
    {"9.7.14.5.15", "ldmatrix.sync.aligned.MatrixCount{.trans}.m8n8{.SharedSpace}.b16 fd, [a]", collective, warp::loadMatrix},
    {"9.7.14.5.16", "stmatrix.sync.aligned.m8n8.MatrixCount{.trans}{.SharedSpace}.b16 [a], fs", collective, warp::storeMatrix},
    {"9.7.14.5.16", "stmatrix.sync.aligned.MatrixCount{.trans}.m8n8{.SharedSpace}.b16 [a], fs", collective, warp::storeMatrix},
    {"9.7.14.5.17", "movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32", collective, warp::moveMatrix},
};
// clang-format on

} // namespace

llvm::ArrayRef<Row> getWarpRows() { return table; }

} // namespace tc::emulator::isa
