//===- IsaTable.cpp - Instructions of single threads ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, data movement, control flow and atomics: one row per instruction
// form, in the order of the PTX ISA document's section 9.7. Isa.h explains the
// notation.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"
#include "Runtime/Memory/Atomic.h"
#include "Runtime/Steps.h"
#include "Translate/Lower/Lower.h"

namespace tc::emulator::isa {

namespace {

constexpr Effect pure = Effect::Pure;
constexpr Effect effect = Effect::Effect;
constexpr Accuracy approximate = Accuracy::Approximate;
constexpr Accuracy flushes = Accuracy::Flushes;

// clang-format off
const Row table[] = {
    // Integer arithmetic.
    {"9.7.1.1", "add.Int d, a, b", pure, lower::add},
    {"9.7.1.1", "add.Pair16 d, a, b", pure, lower::pairInteger},
    {"9.7.1.1", "add.sat.s32 d, a, b", pure, lower::addSaturated},
    {"9.7.1.2", "sub.Int d, a, b", pure, lower::sub},
    {"9.7.1.2", "sub.sat.s32 d, a, b", pure, lower::subSaturated},
    {"9.7.1.3", "mul.HiLo.Int d, a, b", pure, lower::mul},
    {"9.7.1.3", "mul.wide.IntW d:wide, a, b", pure, lower::mul},
    {"9.7.1.4", "mad.HiLo.Int d, a, b, c", pure, lower::mad},
    {"9.7.1.4", "mad.hi.sat.s32 d, a, b, c", pure, lower::mad},
    {"9.7.1.4", "mad.wide.IntW d:wide, a, b, c:wide", pure, lower::mad},
    {"9.7.1.5", "mul24.HiLo.Int32 d, a, b", pure, lower::mul24},
    {"9.7.1.6", "mad24.HiLo.Int32 d, a, b, c", pure, lower::mad24},
    {"9.7.1.6", "mad24.hi.sat.s32 d, a, b, c", pure, lower::mad24},
    {"9.7.1.7", "sad.Int d, a, b, c", pure, lower::sad},
    {"9.7.1.8", "div.Int d, a, b", pure, lower::divInteger},
    {"9.7.1.9", "rem.Int d, a, b", pure, lower::rem},
    {"9.7.1.10", "abs.Signed d, a", pure, lower::absInteger},
    {"9.7.1.11", "neg.Signed d, a", pure, lower::negInteger},
    {"9.7.1.12", "min.Int d, a, b", pure, lower::extremeInteger},
    {"9.7.1.12", "min.relu.s32 d, a, b", pure, lower::extremeInteger},
    {"9.7.1.12", "min.Pair16 d, a, b", pure, lower::pairInteger},
    {"9.7.1.12", "min.relu.s16x2 d, a, b", pure, lower::pairInteger},
    {"9.7.1.13", "max.Int d, a, b", pure, lower::extremeInteger},
    {"9.7.1.13", "max.relu.s32 d, a, b", pure, lower::extremeInteger},
    {"9.7.1.13", "max.Pair16 d, a, b", pure, lower::pairInteger},
    {"9.7.1.13", "max.relu.s16x2 d, a, b", pure, lower::pairInteger},
    {"9.7.1.14", "popc.Bits32Up d:u32, a", pure, lower::popc},
    {"9.7.1.15", "clz.Bits32Up d:u32, a", pure, lower::clz},
    {"9.7.1.16", "bfind{.shiftamt}.Int32Up d:u32, a", pure, lower::bfind},
    {"9.7.1.17", "fns.b32 d, a, b, c:s32", pure, lower::fns},
    {"9.7.1.18", "brev.Bits32Up d, a", pure, lower::brev},
    {"9.7.1.19", "bfe.Int32Up d, a, b:u32, c:u32", pure, lower::bfe},
    {"9.7.1.20", "bfi.Bits32Up d, a, b, c:u32, e:u32", pure, lower::bfi},
    {"9.7.1.21", "szext.Clamp.Int32 d, a, b:u32", pure, lower::szext},
    {"9.7.1.22", "bmsk.Clamp.b32 d, a, b", pure, lower::bmsk},
    {"9.7.1.23", "dp4a.Int32.DotType d, a, b, c", pure, lower::dot},
    {"9.7.1.24", "dp2a.HiLo.Int32.DotType d, a, b, c", pure, lower::dot},

    // Extended-precision integer arithmetic.
    {"9.7.2.1", "add.cc.Int32Up d, a, b", effect, lower::addCarry},
    {"9.7.2.2", "addc{.cc}.Int32Up d, a, b", effect, lower::addCarry},
    {"9.7.2.3", "sub.cc.Int32Up d, a, b", effect, lower::subBorrow},
    {"9.7.2.4", "subc{.cc}.Int32Up d, a, b", effect, lower::subBorrow},
    {"9.7.2.5", "mad.HiLo.cc.Int32Up d, a, b, c", effect, lower::madCarry},
    {"9.7.2.6", "madc.HiLo{.cc}.Int32Up d, a, b, c", effect, lower::madCarry},

    // Floating point, and half-precision floating point (section 9.7.4).
    {"9.7.3.1", "testp.TestOp.Float d:pred, a", pure, lower::testp},
    {"9.7.3.2", "copysign.Float d, a, b", pure, lower::copysign},
    {"9.7.3.3", "add{.Rnd}{.ftz}{.sat}.f32 d, a, b", pure, lower::arithmetic},
    {"9.7.3.3", "add{.Rnd}{.ftz}.f32x2 d, a, b", pure, lower::arithmetic},
    {"9.7.3.3", "add{.Rnd}.f64 d, a, b", pure, lower::arithmetic},
    {"9.7.3.4", "sub{.Rnd}{.ftz}{.sat}.f32 d, a, b", pure, lower::arithmetic},
    {"9.7.3.4", "sub{.Rnd}{.ftz}.f32x2 d, a, b", pure, lower::arithmetic},
    {"9.7.3.4", "sub{.Rnd}.f64 d, a, b", pure, lower::arithmetic},
    {"9.7.3.5", "mul{.Rnd}{.ftz}{.sat}.f32 d, a, b", pure, lower::arithmetic},
    {"9.7.3.5", "mul{.Rnd}{.ftz}.f32x2 d, a, b", pure, lower::arithmetic},
    {"9.7.3.5", "mul{.Rnd}.f64 d, a, b", pure, lower::arithmetic},
    {"9.7.3.6", "fma.Rnd{.ftz}{.sat}.f32 d, a, b, c", pure, lower::arithmetic},
    {"9.7.3.6", "fma.Rnd{.ftz}.f32x2 d, a, b, c", pure, lower::arithmetic},
    {"9.7.3.6", "fma.Rnd.f64 d, a, b, c", pure, lower::arithmetic},
    {"9.7.3.7", "mad.Rnd{.ftz}{.sat}.f32 d, a, b, c", pure, lower::arithmetic},
    {"9.7.3.7", "mad.Rnd.f64 d, a, b, c", pure, lower::arithmetic},
    {"9.7.3.8", "div.approx{.ftz}.f32 d, a, b", pure, lower::arithmetic, approximate},
    {"9.7.3.8", "div.full{.ftz}.f32 d, a, b", pure, lower::arithmetic, approximate},
    {"9.7.3.8", "div.Rnd{.ftz}.f32 d, a, b", pure, lower::arithmetic},
    {"9.7.3.8", "div.Rnd.f64 d, a, b", pure, lower::arithmetic},
    {"9.7.3.9", "abs{.ftz}.f32 d, a", pure, lower::elementary},
    {"9.7.3.9", "abs.f64 d, a", pure, lower::elementary},
    {"9.7.3.10", "neg{.ftz}.f32 d, a", pure, lower::elementary},
    {"9.7.3.10", "neg.f64 d, a", pure, lower::elementary},
    {"9.7.3.11", "min{.ftz}{.NaN}.f32 d, a, b", pure, lower::extreme},
    {"9.7.3.11", "min{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", pure, lower::extreme},
    {"9.7.3.11", "min.f64 d, a, b", pure, lower::extreme},
    {"9.7.3.12", "max{.ftz}{.NaN}.f32 d, a, b", pure, lower::extreme},
    {"9.7.3.12", "max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", pure, lower::extreme},
    {"9.7.3.12", "max.f64 d, a, b", pure, lower::extreme},
    {"9.7.3.13", "rcp.approx{.ftz}.f32 d, a", pure, lower::rcp, approximate},
    {"9.7.3.13", "rcp.Rnd{.ftz}.f32 d, a", pure, lower::rcp},
    {"9.7.3.13", "rcp.Rnd.f64 d, a", pure, lower::rcp},
    {"9.7.3.14", "rcp.approx.ftz.f64 d, a", pure, lower::rcp, approximate},
    {"9.7.3.15", "sqrt.approx{.ftz}.f32 d, a", pure, lower::arithmetic, approximate},
    {"9.7.3.15", "sqrt.Rnd{.ftz}.f32 d, a", pure, lower::arithmetic},
    {"9.7.3.15", "sqrt.Rnd.f64 d, a", pure, lower::arithmetic},
    {"9.7.3.16", "rsqrt.approx{.ftz}.f32 d, a", pure, lower::elementary, approximate},
    {"9.7.3.16", "rsqrt.approx.f64 d, a", pure, lower::elementary, approximate},
    {"9.7.3.17", "rsqrt.approx.ftz.f64 d, a", pure, lower::elementary, approximate},
    {"9.7.3.18", "sin.approx{.ftz}.f32 d, a", pure, lower::elementary, approximate},
    {"9.7.3.19", "cos.approx{.ftz}.f32 d, a", pure, lower::elementary, approximate},
    {"9.7.3.20", "lg2.approx{.ftz}.f32 d, a", pure, lower::elementary, approximate},
    {"9.7.3.21", "ex2.approx{.ftz}.f32 d, a", pure, lower::elementary, approximate},
    {"9.7.3.22", "tanh.approx.f32 d, a", pure, lower::elementary, approximate},
    {"9.7.4.1", "add{.rn}{.ftz}{.sat}.HalfOrTwo d, a, b", pure, lower::arithmetic},
    {"9.7.4.1", "add{.rn}.BrainOrTwo d, a, b", pure, lower::arithmetic},
    {"9.7.4.2", "sub{.rn}{.ftz}{.sat}.HalfOrTwo d, a, b", pure, lower::arithmetic},
    {"9.7.4.2", "sub{.rn}.BrainOrTwo d, a, b", pure, lower::arithmetic},
    {"9.7.4.3", "mul{.rn}{.ftz}{.sat}.HalfOrTwo d, a, b", pure, lower::arithmetic},
    {"9.7.4.3", "mul{.rn}.BrainOrTwo d, a, b", pure, lower::arithmetic},
    {"9.7.4.4", "fma.rn{.ftz}{.sat}.HalfOrTwo d, a, b, c", pure, lower::arithmetic},
    {"9.7.4.4", "fma.rn{.ftz}.relu.HalfOrTwo d, a, b, c", pure, lower::arithmetic},
    {"9.7.4.4", "fma.rn{.relu}.BrainOrTwo d, a, b, c", pure, lower::arithmetic},
    {"9.7.4.5", "neg{.ftz}.HalfOrTwo d, a", pure, lower::elementary},
    {"9.7.4.5", "neg.BrainOrTwo d, a", pure, lower::elementary},
    {"9.7.4.6", "abs{.ftz}.HalfOrTwo d, a", pure, lower::elementary},
    {"9.7.4.6", "abs.BrainOrTwo d, a", pure, lower::elementary},
    {"9.7.4.7", "min{.ftz}{.NaN}.HalfOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.7", "min{.ftz}{.NaN}.xorsign.abs.HalfOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.7", "min{.NaN}.BrainOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.7", "min{.NaN}.xorsign.abs.BrainOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.8", "max{.ftz}{.NaN}.HalfOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.8", "max{.ftz}{.NaN}.xorsign.abs.HalfOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.8", "max{.NaN}.BrainOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.8", "max{.NaN}.xorsign.abs.BrainOrTwo d, a, b", pure, lower::extreme},
    {"9.7.4.9", "tanh.approx.HalfOrTwo d, a", pure, lower::elementary, approximate},
    {"9.7.4.9", "tanh.approx.BrainOrTwo d, a", pure, lower::elementary, approximate},
    {"9.7.4.10", "ex2.approx.HalfOrTwo d, a", pure, lower::elementary, approximate},
    {"9.7.4.10", "ex2.approx.ftz.BrainOrTwo d, a", pure, lower::elementary, approximate},

    // Mixed-precision floating point.
    {"9.7.5.1", "add{.Rnd}{.sat}.f32.Half d:f32, a, b:f32", pure, lower::mixedFloat},
    {"9.7.5.2", "sub{.Rnd}{.sat}.f32.Half d:f32, a, b:f32", pure, lower::mixedFloat},
    {"9.7.5.3", "fma.Rnd{.sat}.f32.Half d:f32, a, b, c:f32", pure, lower::mixedFloat},

    // Comparison and selection, of halves too (section 9.7.7).
    {"9.7.6.1", "set.Cmp{.ftz}.SetType.Compare d:SetType, a, b", pure, lower::set},
    {"9.7.6.1", "set.Cmp.BoolOp{.ftz}.SetType.Compare d:SetType, a, b, !c", pure, lower::set},
    {"9.7.6.2", "setp.Cmp{.ftz}.Compare p, a, b", pure, lower::setp},
    {"9.7.6.2", "setp.Cmp.BoolOp{.ftz}.Compare p, a, b, !c", pure, lower::setp},
    {"9.7.6.3", "selp.Select d, a, b, c:pred", pure, lower::selp},
    {"9.7.6.4", "slct.Select.s32 d:Select, a:Select, b:Select, c:s32", pure, lower::slct},
    {"9.7.6.4", "slct{.ftz}.Select.f32 d:Select, a:Select, b:Select, c:f32", pure, lower::slct},

    // Logic and shift.
    {"9.7.8.1", "and.Logic d, a, b", pure, lower::bitAnd},
    {"9.7.8.2", "or.Logic d, a, b", pure, lower::bitOr},
    {"9.7.8.3", "xor.Logic d, a, b", pure, lower::bitXor},
    {"9.7.8.4", "not.Logic d, a", pure, lower::bitNot},
    {"9.7.8.5", "cnot.Bits d, a", pure, lower::cnot},
    {"9.7.8.6", "lop3.b32 d, a, b, c, imm", pure, lower::lop3},
    {"9.7.8.6", "lop3.LogicOp.b32 d|p, a, b, c, imm, !c", pure, lower::lop3},
    {"9.7.8.7", "shf.Direction.Clamp.b32 d, a, b, c:u32", pure, lower::shf},
    {"9.7.8.8", "shl.Bits d, a, b:u32", pure, lower::shl},
    {"9.7.8.9", "shr.Shift d, a, b:u32", pure, lower::shr},

    // Data movement and conversion.
    {"9.7.9.3", "mov.Move md, ms", pure, lower::mov},
    {"9.7.9.7", "prmt.b32{.PermuteMode} d, a, b, c", pure, lower::prmt},
    {"9.7.9.8", "ld{.weak}{.Space}{.LdCop}{.Evict1}{.Evict2}{.L2::cache_hint}{.Prefetch}{.Vec}.Memory vd, [a], e:b64?", effect, lower::load},
    {"9.7.9.8", "ld.volatile{.Space}{.Prefetch}{.Vec}.Memory vd, [a]", effect, lower::load},
    {"9.7.9.8", "ld.LdOrder.Scope{.Space}{.Evict1}{.Evict2}{.L2::cache_hint}{.Prefetch}{.Vec}.Memory vd, [a], e:b64?", effect, lower::load},
    {"9.7.9.8", "ld.mmio.LdOrder.sys{.global}.Memory vd, [a]", effect, lower::load},
    {"9.7.9.9", "ld{.weak}.global{.NcCop}.nc{.Evict1}{.Evict2}{.L2::cache_hint}{.Prefetch}{.Vec}.Memory vd, [a], e:b64?", effect, lower::load},
    {"9.7.9.10", "ldu{.global}{.Vec}.Memory vd, [a]", effect, lower::load},
    {"9.7.9.11", "st{.weak}{.StSpace}{.StCop}{.Evict1}{.Evict2}{.L2::cache_hint}{.Vec}.Memory [a], vs, e:b64?", effect, lower::store},
    {"9.7.9.11", "st.volatile{.StSpace}{.Vec}.Memory [a], vs", effect, lower::store},
    {"9.7.9.11", "st.StOrder.Scope{.StSpace}{.Evict1}{.Evict2}{.L2::cache_hint}{.Vec}.Memory [a], vs, e:b64?", effect, lower::store},
    {"9.7.9.11", "st.mmio.StOrder.sys{.global}.Memory [a], vs", effect, lower::store},
    {"9.7.9.15", "prefetch{.PrefetchSpace}.Level [a]", effect, lower::nothing},
    {"9.7.9.15", "prefetch.global.EvictPriority [a]", effect, lower::nothing},
    {"9.7.9.15", "prefetchu.L1 [a]", effect, lower::nothing},
    {"9.7.9.16", "applypriority{.global}.L2::evict_normal [a], imm", effect, lower::nothing},
    {"9.7.9.17", "discard{.global}.L2 [a], imm", effect, lower::nothing},
    {"9.7.9.18", "createpolicy.fractional.EvictFirst{.EvictSecond}.b64 d, a:f32?", pure, lower::createPolicy},
    {"9.7.9.18", "createpolicy.range{.global}.EvictFirst{.EvictSecond}.b64 d, [a], a:u32, b:u32", pure, lower::createPolicy},
    {"9.7.9.18", "createpolicy.cvt.L2.b64 d, imm", pure, lower::createPolicy},
    {"9.7.9.19", "isspacep.IsSpace d:pred, a:u64", pure, lower::isspacep},
    {"9.7.9.20", "cvta.CvtaSpace.u64 d, ms", pure, lower::cvta},
    {"9.7.9.20", "cvta.to.CvtaSpace.u64 d, ms", pure, lower::cvta},
    {"9.7.9.23", "mapa.shared::cluster.AddressType d, ms, b:u32", pure, lower::mapa},
    {"9.7.9.23", "mapa.u64 d, a, b:u32", pure, lower::mapa},
    {"9.7.9.24", "getctarank.shared::cluster.AddressType d:u32, ms", pure, lower::getctarank},
    {"9.7.9.24", "getctarank.u64 d:u32, a", pure, lower::getctarank},
    {"9.7.9.21", "cvt{.Rounding}{.ftz}{.sat}.Dst.Src d:Dst, a:Src", pure, lower::cvt},
    {"9.7.9.21", "cvt.Rnd2{.relu}{.satfinite}.Half.f32 d:Half, a:f32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.Rnd2{.relu}{.satfinite}.Packed.f32 d:b32, a:f32, b:f32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.rna{.satfinite}.tf32.f32 d:b32, a:f32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.Rnd2{.relu}{.satfinite}.tf32.f32 d:b32, a:f32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.Rnd2.satfinite.relu.tf32.f32 d:b32, a:f32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.rn.satfinite{.relu}.Quarters.f32 d:b16, a:f32, b:f32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.rn.satfinite{.relu}.Quarters.f16x2 d:b16, a:b32", pure, lower::cvtNarrow},
    {"9.7.9.21", "cvt.rn{.relu}.f16x2.Quarters d:b32, a:b16", pure, lower::cvtWiden},
    {"9.7.9.22", "cvt.pack.sat.Int16.s32 d, a, b", pure, lower::cvtPack},
    {"9.7.9.22", "cvt.pack.sat.SmallInt.s32.b32 d, a, b, c", pure, lower::cvtPack},

    // Control flow.
    {"9.7.12.3", "bra{.uni} label", effect, lower::bra},
    {"9.7.12.4", "brx.idx{.uni} a:u32, table", effect, lower::brx},
    {"9.7.12.5", "call{.uni} call", effect, runtime::call},
    {"9.7.12.5", "call{.uni} a:u64, prototype", effect, lower::callBranch},
    {"9.7.12.6", "ret{.uni}", effect, lower::ret},
    {"9.7.12.7", "exit", effect, lower::exit},

    // Atomic memory accesses.
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.AtomMinMax{.L2::cache_hint}.AtomIntType d, [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.add{.L2::cache_hint}.AtomAddType d, [a], b, e:b64?", effect, lower::atom, flushes},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.AtomBit{.L2::cache_hint}.Bits32Up d, [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.AtomWrap{.L2::cache_hint}.u32 d, [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.exch{.L2::cache_hint}.AtomMoved d, [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.cas{.L2::cache_hint}.AtomCompared d, [a], b, c, e:b64?", effect, lower::atom},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.AtomSpace}.add.noftz{.L2::cache_hint}.AtomHalf d, [a], b, e:b64?", effect, runtime::atomic},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.global}.add{.L2::cache_hint}.Vec.f32 vd, [a], vs, e:b64?", effect, runtime::atomic, flushes},
    {"9.7.13.6", "atom{.AtomOrder}{.Scope}{.global}.AtomInt.noftz{.L2::cache_hint}.Vec.AtomHalf vd, [a], vs, e:b64?", effect, runtime::atomic},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.AtomSpace}.AtomMinMax{.L2::cache_hint}.AtomIntType [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.AtomSpace}.add{.L2::cache_hint}.AtomAddType [a], b, e:b64?", effect, lower::atom, flushes},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.AtomSpace}.AtomBit{.L2::cache_hint}.Bits32Up [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.AtomSpace}.AtomWrap{.L2::cache_hint}.u32 [a], b, e:b64?", effect, lower::atom},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.AtomSpace}.add.noftz{.L2::cache_hint}.AtomHalf [a], b, e:b64?", effect, runtime::atomic},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.global}.add{.L2::cache_hint}.Vec.f32 [a], vs, e:b64?", effect, runtime::atomic, flushes},
    {"9.7.13.8", "red{.RedOrder}{.Scope}{.global}.AtomInt.noftz{.L2::cache_hint}.Vec.AtomHalf [a], vs, e:b64?", effect, runtime::atomic},

    // Video instructions that CUDA's byte-wise functions come down to.
    {"9.7.18.1.1", "vabsdiff2.u32.u32.u32{.add} d, a, b, c", pure, lower::absDifferences},
    {"9.7.18.2.3", "vabsdiff4.u32.u32.u32{.add} d, a, b, c", pure, lower::absDifferences},
};
// clang-format on

} // namespace

llvm::ArrayRef<Row> getScalarRows() { return table; }

llvm::ArrayRef<Row> getTable() {
  static const std::vector<Row> all = [] {
    std::vector<Row> rows;
    for (llvm::ArrayRef<Row> part :
         {getScalarRows(), getWarpRows(), getWarpgroupRows(), getAsyncRows(),
          getBulkRows()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

} // namespace tc::emulator::isa
