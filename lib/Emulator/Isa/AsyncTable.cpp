//===- AsyncTable.cpp - Barriers, fences and asynchronous copies ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that order threads, in the order of the PTX ISA document's
// section 9.7. Isa.h explains the notation.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"
#include "Translate/Lower.h"

namespace tc::emulator::isa {

namespace {

constexpr Effect effect = Effect::Effect;

// clang-format off
const Row table[] = {
    // Synchronisation.
    {"9.7.13.1", "bar{.cta}.sync a:u32, b:u32?", effect, lower::barrier},
    {"9.7.13.1", "barrier{.cta}.sync{.aligned} a:u32, b:u32?", effect, lower::barrier},
    {"9.7.13.2", "bar.warp.sync a:b32", effect, lower::warpBarrier},
    {"9.7.13.5", "membar.MembarLevel", effect, lower::fence},
    {"9.7.13.5", "fence{.FenceOrder}.Scope", effect, lower::fence},
};
// clang-format on

} // namespace

llvm::ArrayRef<Row> getAsyncRows() { return table; }

} // namespace tc::emulator::isa
