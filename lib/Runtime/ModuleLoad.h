//===- ModuleLoad.h - Load an image and keep the compiler's log -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of PTX or a cubin with the driver's error log.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_MODULELOAD_H
#define TC_LIB_RUNTIME_MODULELOAD_H

#include "tc-runtime/Driver.h"

namespace tc::runtime {

/// Loads `image`: a cubin, or PTX text ended by a zero. A negative
/// `optimizationLevel` leaves the driver's default. On failure `log` holds what
/// the driver's compiler said, which may be nothing. The context must be
/// current.
CUresult loadModule(const Driver &driver, const void *image,
                    int optimizationLevel, CUmodule &module, std::string &log);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_MODULELOAD_H
