//===- UndefinedMatrix.cpp - Undefined results of the runtime -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lanes of a result are undefined, of instructions that the runtime
// executes: those of the lane that a shuffle reads from; of the row and the
// column of a product; all of them for any other.
//
//===----------------------------------------------------------------------===//

#include "Check/Undefined.h"
#include "Warp/Matrix.h"

namespace tc::emulator {

uint32_t &UndefinedTracker::undefinedOf(const WarpState &warp,
                                        const ptx::Operand &operand) {
  static thread_local uint32_t none;
  none = 0;
  bool isRegister = operand.kind == ptx::Operand::Kind::Register;
  return isRegister ? warp.undefined[operand.reg] : none;
}

/// d = a * b + c: rows of a and columns of b that are not defined.
void UndefinedTracker::stepMatrix(Step &step) {
  const MatrixForm &form = *step.instruction.matrix;
  StepOperands operands(*launch.plan.flat, step.instruction);
  using warp::Fragment;
  unsigned source = 0;
  std::map<std::pair<unsigned, unsigned>, bool> rows, columns, sums;
  auto visit = [&](const Fragment &f, auto getRegister, auto body) {
    for (unsigned r = 0; r < f.registers; ++r)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        for (unsigned i = 0; i < f.perRegister; ++i)
          body(getRegister(r), lane, f.place(lane, r * f.perRegister + i));
  };
  auto ofSource = [&](unsigned r) -> uint32_t & {
    return undefinedOf(step.warp, *operands.sources[source + r].first);
  };
  visit(form.a, ofSource, [&](uint32_t lanes, unsigned lane, warp::Place at) {
    if (lanes >> lane & 1)
      rows[{at.copy, at.row}] = true;
  });
  source += form.operands[1].count;
  visit(form.b, ofSource, [&](uint32_t lanes, unsigned lane, warp::Place at) {
    if (lanes >> lane & 1)
      columns[{at.copy, at.column}] = true;
  });
  source += form.operands[2].count;
  visit(form.c, ofSource, [&](uint32_t lanes, unsigned lane, warp::Place at) {
    if (lanes >> lane & 1)
      sums[{at.copy, at.row * 1024 + at.column}] = true;
  });
  std::vector<uint32_t> found(operands.results.size());
  visit(
      form.d, [](unsigned r) { return r; },
      [&](unsigned r, unsigned lane, warp::Place at) {
        bool isUndefined = rows.count({at.copy, at.row}) ||
                           columns.count({at.copy, at.column}) ||
                           sums.count({at.copy, at.row * 1024 + at.column});
        if (isUndefined && r < found.size())
          found[r] |= 1u << lane;
      });
  for (auto [i, operand] : llvm::enumerate(operands.results))
    undefinedOf(step.warp, *operand) = found[i];
}

/// ldmatrix: the lanes that hold the bytes of each row.
void UndefinedTracker::loadRows(Step &step) {
  StepOperands operands(*launch.plan.flat, step.instruction);
  bool isTransposed = step.instruction.has("trans");
  std::array<uint32_t, warpSize> bytes = takeCopied();
  for (auto [matrix, operand] : llvm::enumerate(operands.results)) {
    uint32_t lanes = 0;
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned i = 0; i < 16; ++i)
        if (bytes[8 * matrix + row] >> i & 1)
          lanes |= 1u << (isTransposed ? i / 2 * 4 + row / 2 : 4 * row + i / 4);
    undefinedOf(step.warp, *operand) = lanes;
  }
}

void UndefinedTracker::step(Step &step, llvm::function_ref<bool(Step &)> run) {
  const ptx::Instruction &in = step.instruction;
  StepOperands operands(*launch.plan.flat, in);
  if (in.root == "ldmatrix")
    return loadRows(step);
  if (in.root == "wmma" && in.has("load")) {
    results.resize(operands.results.size());
    for (auto [i, operand] : llvm::enumerate(operands.results))
      undefinedOf(step.warp, *operand) = results[i];
    results.clear();
    return;
  }
  if (in.matrix && !operands.results.empty() && in.matrix->operands.size() == 4)
    return stepMatrix(step);
  if (operands.results.empty() && operands.resultParts.empty())
    return;
  uint32_t lanes = 0, active = step.done;
  for (auto &[operand, offset] : operands.sources)
    lanes |= undefinedOf(step.warp, *operand);
  for (unsigned reg : operands.sourceParts)
    lanes |= step.warp.undefined[reg];
  uint32_t found = lanes & active ? active : 0;
  if (in.root == "shfl" && found) {
    // Where it takes what is undefined: the same, of zeros and ones.
    std::vector<Lanes> sources = step.sources.vec();
    std::vector<Lanes> taken = step.results.vec();
    for (unsigned lane = 0; lane < warpSize; ++lane)
      sources[0][lane] =
          undefinedOf(step.warp, *operands.sources[0].first) >> lane & 1;
    Step again{step.launch, step.warp, in,   step.site,
               step.active, sources,   taken};
    if (run(again)) {
      found = 0;
      for (unsigned lane = 0; lane < warpSize; ++lane)
        found |= uint32_t(taken[0][lane] & 1) << lane;
    }
  }
  auto write = [&](uint32_t &undefined, uint32_t lanes) {
    undefined = (undefined & ~active) | (lanes & active);
  };
  for (auto [i, operand] : llvm::enumerate(operands.results))
    if (operand->kind == ptx::Operand::Kind::Register)
      write(step.warp.undefined[operand->reg],
            in.root == "shfl" && i ? 0 : found);
  for (unsigned reg : operands.resultParts)
    write(step.warp.undefined[reg], found);
}

bool UndefinedTracker::storeOperand(const Step &step, unsigned index,
                                    uint32_t bytes) {
  StepOperands operands(*launch.plan.flat, step.instruction);
  const ptx::Operand &operand = *operands.sources[index].first;
  uint32_t lanes = undefinedOf(step.warp, operand) & step.active;
  return !lanes || store(step.warp, step.site, lanes, operand.reg, 0, bytes);
}

} // namespace tc::emulator
