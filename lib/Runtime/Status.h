//===- Status.h - How calls of the runtime report ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words for tcLastError, and the status for what the driver returned.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_STATUS_H
#define TC_LIB_RUNTIME_STATUS_H

#include "tc-runtime/Driver.h"
#include "tc-runtime/tc_status.h"

namespace tc::runtime {

/// An address as messages have it: "0x7f00".
std::string hexOf(uint64_t value);

/// Keeps `message` for tcLastError and returns `status`.
int fail(tcStatus status, std::string message);

/// What tcLastRemark gives in this thread.
std::string &lastRemark();

/// The status for what a call of the driver returned.
tcStatus classify(CUresult result);

/// TC_OK for success; otherwise keeps the driver's words on `call`.
int check(const Driver &driver, const char *call, CUresult result);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_STATUS_H
