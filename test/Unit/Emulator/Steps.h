//===- Steps.h - One executed instruction, without a kernel -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one instruction that the runtime executes, straight from its text, on
// operands that the test fills, for a chip. It must not touch memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_STEPS_H
#define TC_TEST_UNIT_EMULATOR_STEPS_H

#include "Harness.h"
#include "Isa/Isa.h"
#include "Isa/Verify.h"
#include "Ptx/Parser.h"
#include "Runtime/Launch.h"
#include "Runtime/Step.h"

#include <random>

namespace tc::emulator::test {

/// A module whose kernel has `body`, with registers to use: %r<99> and %f<99>
/// of 32 bits, %d<99> of 64, %p<9>.
inline std::string wrapBody(const std::string &body,
                            const std::string &version = "8.8",
                            const std::string &chip = "sm_90") {
  return ".version " + version + "\n.target " + chip +
         "\n.address_size 64\n.visible .entry k() {\n"
         ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .f32 %f<99>; .reg .f64 "
         "%d<99>; .reg .b64 %q<9>;\n" +
         body + "\n}\n";
}

class OneStep {
public:
  explicit OneStep(const std::string &text, const std::string &chip = "sm_90") {
    auto parsed = ptx::parse(wrapBody(text, "8.8", chip));
    if (!parsed) {
      ADD_FAILURE() << llvm::toString(parsed.takeError());
      return;
    }
    module = std::move(*parsed);
    if (llvm::Error error = ptx::verify(*module)) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return;
    }
    instruction = &module->functions[0].body[0];
    using Kind = isa::OperandSpec::Kind;
    for (unsigned i = 0; i < instruction->operands.size(); ++i) {
      const ptx::Operand &operand = instruction->operands[i];
      Kind kind = instruction->form->operands[i].kind;
      bool isResult = kind == Kind::Dest || kind == Kind::DestPair ||
                      kind == Kind::FragmentDest;
      bool isList = operand.kind == ptx::Operand::Kind::Vector ||
                    operand.kind == ptx::Operand::Kind::Pair;
      auto &list = isResult ? results : sources;
      list.resize(list.size() + (isList ? operand.elements.size() : 1));
    }
  }

  bool run(uint32_t active = ~0u) {
    Launch launch{*module, plan, memory, {}, 0, options};
    Step step{launch, warp, *instruction, 0, active, sources, results};
    return instruction->form->row->run(step);
  }

  std::unique_ptr<ptx::Module> module;
  const ptx::Instruction *instruction = nullptr;
  std::vector<Lanes> sources, results;
  LaunchOptions options;

private:
  KernelPlan plan;
  Memory::Impl memory;
  WarpState warp{};
};

/// "{%r1, %r2}" for the next registers of a kind.
inline std::string registerList(char prefix, unsigned count,
                                unsigned first = 1) {
  std::string list = "{";
  for (unsigned i = 0; i < count; ++i)
    list +=
        std::string(i ? ", " : "") + "%" + prefix + std::to_string(first + i);
  return list + "}";
}

/// Tests that run kernels in each way, with all checks if not told otherwise.
class KernelTest : public testing::TestWithParam<LaunchOptions::Execution> {
protected:
  /// Has a device run its kernels in the way at hand.
  static void prepare(Device &device, Checks checks = Checks::All) {
    LaunchOptions options;
    options.checks = checks;
    options.execution = GetParam();
    if (device.module)
      device.module->setOptions(options);
  }
};

/// The three ways.
inline auto allExecutions() {
  using Execution = LaunchOptions::Execution;
  return testing::Values(Execution::Warps, Execution::Masked,
                         Execution::Threads);
}

/// All lanes have the same.
inline Lanes uniform(uint64_t value) {
  Lanes lanes;
  lanes.fill(value);
  return lanes;
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_STEPS_H
