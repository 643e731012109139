//===- KernelLaunch.h - A kernel's launch in words --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch with its arguments, described as text:
//
//   axpy<<<4x1x1, 256, 0>>>(i32:1000, f32:1.5,
//                           f32[1000]=random:7, f32[1000]=ones -> y.npy)
//
// or as a JSON file that holds the same parts:
//
//   {"kernel": "axpy", "grid": [4, 1, 1], "block": 256, "shared": 0,
//    "arguments": ["i32:1000", "f32:1.5", "f32[1000]=random:7",
//                  "f32[1000]=ones -> y.npy"]}
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_INSPECT_KERNELLAUNCH_H
#define TC_LIB_INSPECT_KERNELLAUNCH_H

#include "tc/Arrays/NumpyFile.h"
#include "tc/Emulator/Session.h"

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace mlir::tc {

/// One argument: a scalar, or a buffer, which may be filled and written to a
/// file after the kernel.
struct KernelArgument {
  /// No complex number, no truth value. A buffer has no bytes yet.
  NumpyArray data;
  bool isBuffer = false;
  std::string fill;   ///< zeros, ones, arange, full:V, random:SEED, a file of
                      ///< NumPy's, or empty: nobody writes it
  std::string output; ///< a .npy file, or empty
  std::string where;  ///< "--launch, column 21", for messages
};

struct KernelLaunch {
  std::string kernel;
  ::tc::emulator::Dim3 grid, block;
  ::tc::emulator::Cluster cluster; ///< what the launch asks for, in JSON only
  uint32_t shared = 0;             ///< dynamic, bytes
  std::vector<KernelArgument> arguments;
};

/// Reads a launch from text, or from the file whose path the text is where it
/// ends in ".json". Errors name the file or "--launch", and the column.
llvm::Expected<KernelLaunch> readKernelLaunch(llvm::StringRef text);

/// The bytes of a scalar, or of one element.
llvm::Expected<std::vector<char>> encodeValue(ElementType type,
                                              llvm::StringRef value);

/// Gives a buffer that is filled its bytes.
llvm::Error fillBuffer(KernelArgument &argument);

} // namespace mlir::tc

#endif // TC_LIB_INSPECT_KERNELLAUNCH_H
