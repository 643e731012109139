//===- CallGraph.h - Which functions are copied into callers ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that a kernel may call, directly or through registers. Those
// that may come to call themselves, and those whose copies would be too long,
// lie in a kernel's flat body once and have frames on a stack.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_CALLGRAPH_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_CALLGRAPH_H

#include "Ptx/Ptx.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tc::emulator {

/// The functions with a body that an instruction may call.
llvm::ArrayRef<const ptx::Function *> getCallees(const ptx::Instruction &in);

class CallGraph {
public:
  explicit CallGraph(const ptx::Function &kernel) { visit(kernel); }

  /// `function` has a stack frame; other functions are copied.
  bool hasFrame(const ptx::Function &function) const {
    return framed.contains(&function);
  }
  bool hasFrames() const { return !framed.empty(); }
  /// At which all frames begin, in bytes.
  uint64_t getFrameAlign() const;
  /// A call of `callee` may come back into `caller` before it returns.
  bool mayComeBack(const ptx::Function &caller,
                   const ptx::Function &callee) const {
    return component.lookup(&caller) == component.lookup(&callee);
  }

private:
  unsigned visit(const ptx::Function &function);
  uint64_t countInstructions(const ptx::Function &function);

  std::vector<const ptx::Function *> stack;
  llvm::DenseMap<const ptx::Function *, unsigned> number; ///< from 1, by visit
  llvm::DenseMap<const ptx::Function *, unsigned> component;
  llvm::DenseMap<const ptx::Function *, uint64_t> instructions;
  llvm::DenseSet<const ptx::Function *> framed;
};

/// What a function keeps on the stack: the number of the place that it returns
/// to at offset 0, its variables, and its registers while it calls.
struct Frame {
  Frame(const ptx::Function &function, const CallGraph &graph);

  uint64_t bytes = 8;
  llvm::DenseMap<const ptx::Variable *, uint64_t> offsets;
  llvm::DenseMap<unsigned, uint64_t> saves; ///< offset by register
  /// By index of a call that may come back: the registers needed behind it.
  llvm::DenseMap<unsigned, llvm::BitVector> live;

private:
  uint64_t place(uint64_t size, uint64_t alignment);
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_CALLGRAPH_H
