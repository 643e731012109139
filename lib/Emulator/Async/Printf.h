//===- Printf.h - Text that kernels print -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device's printf (CUDA C++ Programming Guide, "Formatted Output"): the
// format is a string of device memory, the arguments lie in a buffer that the
// compiler fills, each aligned to its size, 4 or 8 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_PRINTF_H
#define TC_LIB_EMULATOR_ASYNC_PRINTF_H

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>

namespace tc::emulator {

/// How formatPrintf reads device memory. Nothing: reading failed.
struct PrintfReader {
  /// `bytes` (4 or 8) at an offset of the argument buffer.
  std::function<std::optional<uint64_t>(uint64_t offset, unsigned bytes)>
      argument;
  /// The string that begins at an address.
  std::function<std::optional<std::string>(uint64_t address)> string;
};

/// The arguments that one printf may have; what asks for more is printed as it
/// stands.
constexpr unsigned maxPrintfArguments = 32;

/// What printf prints, and in `count` how many arguments it took. A conversion
/// that CUDA does not know is printed as it stands. Nothing: reading failed.
std::optional<std::string> formatPrintf(llvm::StringRef format,
                                        const PrintfReader &reader,
                                        unsigned &count);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_ASYNC_PRINTF_H
