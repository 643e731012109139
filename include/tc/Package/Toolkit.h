//===- Toolkit.h - Where NVIDIA's tools lie ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the assembler and the library of functions in CUDA toolkits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_TOOLKIT_H
#define TC_PACKAGE_TOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::tc {

/// The path of ptxas: $TC_PTXAS where it is set (and nothing else), else the
/// first of the PATH, $CUDA_HOME/bin, and bin in /usr/local/cuda and in
/// /usr/local/cuda-*, the highest version first.
llvm::Expected<std::string> findPtxas();

/// The path of libdevice, NVIDIA's functions as LLVM bitcode: $TC_LIBDEVICE
/// where it is set (and nothing else), else the first of the toolkits that
/// CUDA_ROOT, CUDA_HOME and CUDA_PATH name, of the toolkit of `findPtxas`, and
/// of /usr/local/cuda*. The error lists the files that were looked for.
llvm::Expected<std::string> findLibdevice();

} // namespace mlir::tc

#endif // TC_PACKAGE_TOOLKIT_H
