//===- Rates.h - A chip's rates for the counted time ---------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RATES_H
#define TC_LIB_RUNNER_RATES_H

#include "tc/Emulator/Counts.h"
#include "tc/Target/Machine.h"

namespace mlir::tc {

/// The rates of a machine, as the emulator's counted time takes them.
::tc::emulator::MachineRates ratesOf(const Machine &machine);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RATES_H
