//===- CublasLt.h - cuBLASLt, opened at run time -------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of cuBLASLt's C interface that matrix products need, as a table of
// functions, like that of the driver. Numbers are those of cublasLt.h, which
// are the same in versions 12 and 13.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_LIBRARY_CUBLASLT_H
#define TC_LIB_RUNTIME_LIBRARY_CUBLASLT_H

#include "tc-runtime/Driver.h"

#include <cstdint>
#include <string>

namespace tc::runtime::lt {

using Status = int; ///< cublasStatus_t; 0: success
using Handle = struct HandleObject *;
using Operation = struct OperationObject *;   ///< cublasLtMatmulDesc_t
using Layout = struct LayoutObject *;         ///< cublasLtMatrixLayout_t
using Preference = struct PreferenceObject *; ///< cublasLtMatmulPreference_t

/// cublasLtMatmulAlgo_t.
struct Algorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct Proposal {
  Algorithm algorithm;
  size_t workspaceBytes;
  Status status;
  float waves;
  int reserved[4];
};

/// cudaDataType_t.
enum DataType : int {
  R32F = 0,
  R64F = 1,
  R16F = 2,
  C32F = 4,
  C64F = 5,
  R16BF = 14
};

/// cublasComputeType_t.
enum ComputeType : int {
  Compute32F = 68,
  Compute64F = 70,
  Compute32FFast16BF = 75,
  Compute32FFastTF32 = 77
};

/// cublasLtMatmulDescAttributes_t: an int32_t each.
enum OperationAttribute : int { TransposeA = 3, TransposeB = 4 };
constexpr int32_t kTransposed = 1; ///< CUBLAS_OP_T

/// cublasLtMatrixLayoutAttribute_t: an int32_t, and an int64_t in elements.
enum LayoutAttribute : int { BatchCount = 5, BatchStride = 6 };

/// cublasLtMatmulPreferenceAttributes_t: a uint64_t; a uint32_t each of A to D.
enum PreferenceAttribute : int { MaxWorkspaceBytes = 1, AlignmentOfA = 5 };

/// X(name, symbol, parameters) for each function that returns a Status.
#define TC_CUBLASLT_CALLS(X)                                                   \
  X(create, cublasLtCreate, (Handle *))                                        \
  X(createOperation, cublasLtMatmulDescCreate, (Operation *, int, int))        \
  X(setOperation, cublasLtMatmulDescSetAttribute,                              \
    (Operation, int, const void *, size_t))                                    \
  X(createLayout, cublasLtMatrixLayoutCreate,                                  \
    (Layout *, int, uint64_t, uint64_t, int64_t))                              \
  X(setLayout, cublasLtMatrixLayoutSetAttribute,                               \
    (Layout, int, const void *, size_t))                                       \
  X(createPreference, cublasLtMatmulPreferenceCreate, (Preference *))          \
  X(setPreference, cublasLtMatmulPreferenceSetAttribute,                       \
    (Preference, int, const void *, size_t))                                   \
  X(destroyPreference, cublasLtMatmulPreferenceDestroy, (Preference))          \
  X(propose, cublasLtMatmulAlgoGetHeuristic,                                   \
    (Handle, Operation, Layout, Layout, Layout, Layout, Preference, int,       \
     Proposal *, int *))                                                       \
  X(multiply, cublasLtMatmul,                                                  \
    (Handle, Operation, const void *, const void *, Layout, const void *,      \
     Layout, const void *, const void *, Layout, void *, Layout,               \
     const Algorithm *, void *, size_t, CUstream))

/// One library.
struct Library {
  std::string path;
#define TC_DECLARE(name, symbol, parameters) Status(*name) parameters = nullptr;
  TC_CUBLASLT_CALLS(TC_DECLARE)
#undef TC_DECLARE
};

/// The library that TC_CUBLASLT_LIBRARY names, else the one that is installed;
/// null with `why` where there is none, or one of another version. The emulator
/// runs no kernels of a library that it was not told of. Looked for once.
const Library *open(const Driver &driver, std::string &why);

} // namespace tc::runtime::lt

#endif // TC_LIB_RUNTIME_LIBRARY_CUBLASLT_H
