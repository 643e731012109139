//===- Translate.h - From a kernel to LLVM IR -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a kernel and the device functions it reaches.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_TRANSLATE_H
#define TC_LIB_EMULATOR_TRANSLATE_TRANSLATE_H

#include "Translate/Emitter.h"

namespace tc::emulator {

/// Name of the translated kernel in its module.
constexpr const char *kernelSymbol = "tc_emulated_kernel";

/// A module with one external function, `i1 (ThreadState *, BlockState *)`.
/// Adds the sites to the plan.
std::unique_ptr<llvm::Module> translate(llvm::LLVMContext &context,
                                        KernelPlan &plan,
                                        VariableAddress variableAddress);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_TRANSLATE_H
