//===- Package.h - Calls of packaged kernels ------------------ -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How one call goes: what was given is checked (PackageCheck.cpp), kernels are
// found for the device (PackageLoad.cpp), and the package's host code launches
// them (PackageRun.cpp), where it can on several streams (PackageStreams.cpp).
// PackageFfi.cpp makes such a call of one that comes through TVM-FFI.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_PACKAGE_PACKAGE_H
#define TC_LIB_RUNTIME_PACKAGE_PACKAGE_H

#include "Package/PackageStreams.h"
#include "Status.h"
#include "tc-runtime/tc_package.h"

#include <atomic>
#include <memory>
#include <vector>

namespace tc::runtime {

/// Fails with a message that begins with the name of the entry.
inline int failIn(const tcPackagedEntry &entry, tcStatus status,
                  const std::string &message) {
  return fail(status, std::string(entry.name) + ": " + message);
}

//===----------------------------------------------------------------------===//
// What was given
//===----------------------------------------------------------------------===//

/// The bytes that a buffer spans; none where it has no elements.
struct ByteRange {
  uintptr_t begin = 0, end = 0;
  bool isEmpty() const { return begin == end; }
};

/// Words for the host code, and where the buffers lie. Small calls need no
/// memory but their own.
class Request {
public:
  Request(const tcPackagedEntry &entry, const int64_t *values);

  /// Checks parameters and makes the words of all arguments, with workspace of
  /// no bytes. Pointers may be null.
  int readShapes();
  /// Checks pointers: null, alignment, overlap. After readShapes.
  int checkBuffers();
  /// Puts workspace in, of which `needed` bytes are used.
  int setWorkspace(int64_t needed, void *workspace, size_t bytes);

  const int64_t *words() const { return storage; }
  const ByteRange &range(unsigned argument) const { return ranges[argument]; }
  const tcPackagedEntry &entry;

private:
  int wrongExtent(const tcPackagedArgument &argument) const;
  bool evaluate(tcQuantity quantity, int64_t rowMajor, int64_t &value) const;
  int readBuffer(unsigned number, int64_t *&word);
  std::string describe(unsigned number) const;

  static constexpr size_t smallWords = 128, smallArguments = 8;
  const int64_t *values;
  int64_t inlineWords[smallWords];
  ByteRange inlineRanges[smallArguments];
  std::vector<int64_t> manyWords;
  std::vector<ByteRange> manyRanges;
  int64_t *storage = inlineWords;
  ByteRange *ranges = inlineRanges;
  int64_t *workspaceWords = nullptr;
};

/// TC_OK, or that the package is for another runtime.
int checkAbi(const tcPackagedEntry *entry);

/// tcPackageRun on device `ordinal`, with workspace that is allocated and freed
/// in the order of the stream.
int runWithOwnWorkspace(const tcPackagedEntry &entry, const int64_t *values,
                        CUstream stream, int ordinal);

//===----------------------------------------------------------------------===//
// Kernels in a context
//===----------------------------------------------------------------------===//

/// A kernel, and the dynamic shared memory that it is allowed so far.
struct LoadedKernel {
  CUfunction function = nullptr;
  std::atomic<int64_t> allowedShared{0};
};

/// The kernels of one entry in one context. Never goes away.
struct LoadedVariant {
  CUcontext context = nullptr;
  unsigned long long contextId = 0;
  CUdevice device = 0;
  bool readsHostMemory = false; ///< any of it, as on systems with one memory
  const tcPackagedVariant *variant = nullptr;
  std::unique_ptr<LoadedKernel[]> kernels;
  mutable StreamPool streams; ///< lends to any number of calls
  LoadedVariant *next = nullptr;
};

/// The driver of packaged kernels: that of the device opened last by
/// tcDeviceOpen, else the one that TC_DRIVER names. Null with an error kept.
const Driver *findDriver();

/// Finds or loads the kernels of `entry` in the current context, `context`.
/// Any number of threads may ask; one loads. Null with `status` set on failure.
const LoadedVariant *findLoaded(const Driver &driver,
                                const tcPackagedEntry &entry, CUcontext context,
                                int &status);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_PACKAGE_PACKAGE_H
