//===- BulkTable.cpp - Bulk asynchronous copies ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies and reductions of many bytes by one thread (PTX ISA, sections
// 9.7.9.25.4 to 9.7.9.25.6). Isa.h explains the notation.
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Bulk.h"
#include "Isa/Isa.h"
#include "Runtime/Steps.h"
#include "Translate/Lower/Lower.h"

namespace tc::emulator::isa {

namespace {

constexpr Effect effect = Effect::Effect;

// clang-format off
const Row table[] = {
    // From global memory: destination, source, size, mbarrier, and the blocks
    // of the cluster that get it.
    {"9.7.9.25.4.1", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.L2::cache_hint} [a], [a], b:u32, [a], e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.1", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint} [a], [a], b:u32, [a], c:b16, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.1", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint} [a], [a], b:u32, [a], e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.1", "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [a], b:u32, [a]", effect, bulk::copy},
    {"9.7.9.25.4.1", "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint} [a], [a], b:u32, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.AtomBit.b32 [a], [a], b:u32, [a]", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.BulkAdd [a], [a], b:u32, [a]", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.AtomWrap.u32 [a], [a], b:u32, [a]", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.AtomMinMax.Int32 [a], [a], b:u32, [a]", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.AtomBit.Bits32Up [a], [a], b:u32, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.add.BulkAddGlobal [a], [a], b:u32, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.add.noftz.Half [a], [a], b:u32, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.AtomWrap.u32 [a], [a], b:u32, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.AtomMinMax.BulkMinMax [a], [a], b:u32, e:b64?", effect, bulk::copy},
    {"9.7.9.25.4.3", "cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [a], b:u32, e:b64?", effect, bulk::prefetch},

    // Boxes of tensors.
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.Dim.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.L2::cache_hint} [a], [t], [a], e:b64?", effect, bulk::loadTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.Dim.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint} [a], [t], [a], c:b16, e:b64?", effect, bulk::loadTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.Dim.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.L2::cache_hint} [a], [t], [a], e:b64?", effect, bulk::loadTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.DimIm2col.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{.L2::cache_hint} [a], [t], [a], io, e:b64?", effect, bulk::loadTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.DimIm2col.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint} [a], [t], [a], io, c:b16, e:b64?", effect, bulk::loadTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.DimIm2col.shared::cta.global.im2col.mbarrier::complete_tx::bytes{.L2::cache_hint} [a], [t], [a], io, e:b64?", effect, bulk::loadTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.Dim.global.shared::cta{.tile}.bulk_group{.L2::cache_hint} [t], [a], e:b64?", effect, bulk::storeTensor},
    {"9.7.9.25.5.2", "cp.async.bulk.tensor.DimIm2col.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint} [t], [a], e:b64?", effect, bulk::storeTensor},
    {"9.7.9.25.5.3", "cp.reduce.async.bulk.tensor.Dim.global.shared::cta.BulkRed{.tile}.bulk_group{.L2::cache_hint} [t], [a], e:b64?", effect, bulk::storeTensor},
    {"9.7.9.25.5.3", "cp.reduce.async.bulk.tensor.DimIm2col.global.shared::cta.BulkRed.im2col_no_offs.bulk_group{.L2::cache_hint} [t], [a], e:b64?", effect, bulk::storeTensor},
    {"9.7.9.25.5.4", "cp.async.bulk.prefetch.tensor.Dim.L2.global{.tile}{.L2::cache_hint} [t], e:b64?", effect, bulk::prefetchTensor},
    {"9.7.9.25.5.4", "cp.async.bulk.prefetch.tensor.DimIm2col.L2.global.im2col{.L2::cache_hint} [t], io, e:b64?", effect, bulk::prefetchTensor},
    {"9.7.9.15", "prefetch{.TensorMapSpace}.tensormap [a]", effect, lower::nothing},

    // Tensor maps that kernels change. `.global` or a generic address, or
    // shared memory.
    {"9.7.9.27.1.1", "tensormap.replace.tile.global_address{.MapSpace}.b1024.b64 [a], b", effect, bulk::replaceField},
    {"9.7.9.27.1.1", "tensormap.replace.tile.rank{.MapSpace}.b1024.b32 [a], b", effect, bulk::replaceField},
    {"9.7.9.27.1.1", "tensormap.replace.tile.MapExtent{.MapSpace}.b1024.b32 [a], imm, b", effect, bulk::replaceField},
    {"9.7.9.27.1.1", "tensormap.replace.tile.global_stride{.MapSpace}.b1024.b64 [a], imm, b", effect, bulk::replaceField},
    {"9.7.9.27.1.1", "tensormap.replace.tile.MapMode{.MapSpace}.b1024.b32 [a], imm", effect, bulk::replaceField},
    {"9.7.13.16.1", "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.Scope.sync.aligned [a], [a], imm", Effect::Collective, bulk::publishMap},
    {"9.7.13.5", "fence.proxy.tensormap::generic.release.Scope", effect, runtime::fence},
    {"9.7.13.5", "fence.proxy.tensormap::generic.acquire.Scope [a], imm", effect, runtime::fence},

    // Single values to another block.
    {"9.7.9.12", "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.Vec}.RedAsyncType [a], vs, [a]", effect, bulk::storeValues},
    {"9.7.13.9", "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.AtomWrap.u32 [a], b, [a]", effect, bulk::reduceValue},
    {"9.7.13.9", "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.AtomMinMax.Int32 [a], b, [a]", effect, bulk::reduceValue},
    {"9.7.13.9", "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.add.AtomIntType [a], b, [a]", effect, bulk::reduceValue},
    {"9.7.13.9", "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.AtomBit.b32 [a], b, [a]", effect, bulk::reduceValue},

    {"9.7.9.25.6.1", "cp.async.bulk.commit_group", effect, bulk::commitGroup},
    {"9.7.9.25.6.2", "cp.async.bulk.wait_group{.read} imm", effect, bulk::waitGroup},
};
// clang-format on

} // namespace

llvm::ArrayRef<Row> getBulkRows() { return table; }

} // namespace tc::emulator::isa
