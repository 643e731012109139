//===- Registers.cpp - Values of a body in machine registers --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/Registers.h"

#include "llvm/ADT/BitVector.h"

#include <map>
#include <queue>

namespace tc::emulator {

namespace {
class Assigner {
public:
  Assigner(Body &body, llvm::ArrayRef<uint8_t> widths)
      : body(body), widths(widths), isFixed(widths.size()),
        names(widths.size(), kNone), lastReader(widths.size()) {}
  void fix(llvm::ArrayRef<uint32_t> registers) {
    for (uint32_t reg : registers)
      isFixed.set(reg);
  }
  void run();

private:
  static constexpr uint32_t kNone = ~0u;

  void findLastReaders();
  uint32_t take(uint32_t value);
  void release(llvm::ArrayRef<uint32_t> values, unsigned op);

  Body &body;
  llvm::ArrayRef<uint8_t> widths; ///< by value
  llvm::BitVector isFixed;
  std::vector<uint32_t> names;      ///< by value
  std::vector<unsigned> lastReader; ///< by value, an op
  /// By width, the registers that are free.
  std::map<uint8_t, std::priority_queue<uint32_t, std::vector<uint32_t>,
                                        std::greater<uint32_t>>>
      free;
  uint32_t end = 0; ///< the highest register, plus 1
};
} // namespace

void Assigner::findLastReaders() {
  for (unsigned index = 0; index < body.ops.size(); ++index)
    for (uint32_t value : body.ops[index].reads)
      lastReader[value] = index;
}

uint32_t Assigner::take(uint32_t value) {
  if (isFixed[value])
    return value;
  if (names[value] != kNone)
    return names[value];
  auto &known = free[widths[value]];
  uint32_t reg = end;
  if (known.empty()) {
    ++end;
  } else {
    reg = known.top();
    known.pop();
  }
  return names[value] = reg;
}

/// The registers of those that nothing reads after `op`.
void Assigner::release(llvm::ArrayRef<uint32_t> values, unsigned op) {
  for (uint32_t value : values)
    if (!isFixed[value] && lastReader[value] == op && names[value] != kNone) {
      free[widths[value]].push(names[value]);
      names[value] = kNone;
    }
}

void Assigner::run() {
  findLastReaders();
  end = widths.size();
  for (unsigned index = 0; index < body.ops.size(); ++index) {
    BodyOp &op = body.ops[index];
    llvm::SmallVector<uint32_t, 4> reads = op.reads;
    for (uint32_t &reg : op.reads)
      reg = take(reg);
    // Its results may be where its operands were.
    release(reads, index);
    // What nobody reads keeps its own: the next one need not wait for it.
    for (uint32_t &reg : op.writes)
      reg = take(reg);
  }
  body.registers = end;
}

void assignRegisters(Body &body, llvm::ArrayRef<uint8_t> widths,
                     llvm::ArrayRef<uint32_t> liveIn,
                     llvm::ArrayRef<uint32_t> liveOut) {
  Assigner assigner(body, widths);
  assigner.fix(liveIn);
  assigner.fix(liveOut);
  assigner.run();
}

} // namespace tc::emulator
