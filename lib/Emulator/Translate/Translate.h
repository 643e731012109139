//===- Translate.h - PTX to LLVM IR -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates one kernel into an LLVM module with one function, `kernelSymbol`.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_TRANSLATE_H
#define TC_LIB_EMULATOR_TRANSLATE_TRANSLATE_H

#include "Translate/Flow/Shapes.h"
#include "Translate/Flow/Undefined.h"

#include "llvm/IR/Module.h"

namespace tc::emulator {

inline constexpr const char *kernelSymbol = "tc_emulated_kernel";

/// Host address of a module-level .global or .const variable.
using VariableAddress =
    llvm::function_ref<uint64_t(const ptx::Variable &variable)>;

/// What the function stands for. Note [Modes] in Control.cpp explains them.
enum class Mode : uint8_t {
  Thread, ///< one lane (ThreadFunction)
  Warp,   ///< a warp whose lanes run together (WarpFunction)
  Masked, ///< a warp whose lanes have positions of their own (MaskedFunction)
};

/// What is told to the runtime while a kernel runs.
struct Hooks {
  bool bounds = true;     ///< check every access for bounds and alignment
  bool accesses = false;  ///< call tc_emulator_access
  bool groups = false;    ///< or tc_emulator_group, where it will do
  bool blocks = false;    ///< count executions of basic blocks
  bool entries = false;   ///< call tc_emulator_enter
  bool undefined = false; ///< follow what nobody wrote
  bool goesOn = true;     ///< some lanes may make an access and others not
};

struct Translation {
  const KernelPlan &plan;
  const Flow &flow;
  const Shapes *shapes; ///< for Mode::Warp
  Mode mode;
  Hooks hooks;
  VariableAddress variableAddress;
  /// Host address of each register's lanes in the frame of masked code, from
  /// the frame's start.
  llvm::ArrayRef<uint32_t> frameOffsets;
  const UndefinedPlan *undefined = nullptr; ///< null without that hook
};

std::unique_ptr<llvm::Module> translate(llvm::LLVMContext &context,
                                        const Translation &translation);

/// Where registers lie in the frame; the last element is its size.
std::vector<uint32_t> layOutFrame(const FlatBody &flat);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_TRANSLATE_H
