//===- Backtrace.h - Who of the host calls the driver -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the host program on the stack, as addresses, which are cheap to
// take, and as text, which is made where something was found.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_BACKTRACE_H
#define TC_LIB_EMULATOR_DRIVER_BACKTRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tc::emulator::driver {

/// Return addresses outside of this library, the innermost first.
using Backtrace = std::vector<uintptr_t>;
Backtrace takeBacktrace();

/// "main at program.cu:12:3" for each call, by the debug information of the
/// program; "main in /path/program+0x1234" without, or the place alone.
std::vector<std::string> describe(const Backtrace &backtrace);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_BACKTRACE_H
