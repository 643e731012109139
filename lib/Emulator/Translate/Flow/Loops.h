//===- Loops.h - Loops of a flow graph ------------------------ -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_LOOPS_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_LOOPS_H

#include "Translate/Flow/Flow.h"

namespace tc::emulator {

/// The blocks that come round to the first of them again; all back edges to one
/// block are one loop. Of code that enters a loop at several places it is a
/// loop by one of them.
using Loop = llvm::SmallVector<unsigned>;

/// All loops that can be reached, by falling number of blocks: of those that
/// hold a block the last is the innermost.
std::vector<Loop> findLoops(const Flow &flow);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_LOOPS_H
