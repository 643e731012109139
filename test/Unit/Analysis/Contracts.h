//===- Contracts.h - Contractions to test analyses on -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions from text, and random ones from a seed: all index classes,
// layouts permuted, extents from 1 to 2^20, primes among them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_ANALYSIS_CONTRACTS_H
#define TC_TEST_UNIT_ANALYSIS_CONTRACTS_H

#include "tc/Analysis/Access.h"
#include "tc/IR/TC.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>

namespace mlir::tc {

/// A module of one contraction and its context, which reports nothing.
class Program {
public:
  /// `text` is the tc.contract without result; `buffers` are the types of the
  /// operands %0, %1, ... in it.
  Program(ArrayRef<std::string> buffers, const std::string &text) {
    context.loadDialect<TCDialect>();
    context.allowUnregisteredDialects();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { messages += diagnostic.str(); });
    std::string source;
    for (auto [i, type] : llvm::enumerate(buffers))
      source += "%" + std::to_string(i) + " = \"test.buffer\"() : () -> " +
                type + "\n";
    module = parseSourceString<ModuleOp>(source + text, &context);
    if (module)
      module->walk([&](ContractOp contract) { op = contract; });
    EXPECT_TRUE(op) << source << text << "\n" << messages;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ContractOp op;
  std::string messages;
};

/// A contraction to be written: which operands vary with which iterator, and in
/// which order the dimensions of each lie. It is added to old results, so the
/// search may choose another schedule for it than for an einsum.
struct Sample {
  SmallVector<int64_t> extents;
  /// Iterators of each input, then of the result, outermost dimension first.
  SmallVector<SmallVector<unsigned>> operands;

  static std::string name(unsigned i) { return std::string(1, char('a' + i)); }

  std::string type(ArrayRef<unsigned> dims, const std::string &element) const {
    std::string text = "memref<";
    for (unsigned i : dims)
      text += std::to_string(extents[i]) + "x";
    return text + element + ">";
  }

  Program build(const std::string &element) const {
    SmallVector<std::string> types;
    std::string text = "tc.contract (";
    for (unsigned i = 0; i < extents.size(); ++i)
      text += (i ? ", " : "") + name(i) + " = " + std::to_string(extents[i]);
    text += ") ins(";
    for (auto [k, dims] : llvm::enumerate(operands)) {
      types.push_back(type(dims, element));
      bool output = k + 1 == operands.size();
      text += output ? ") outs(" : (k ? ", " : "");
      text += "%" + std::to_string(k) + "[";
      for (auto [d, i] : llvm::enumerate(dims))
        text += (d ? ", " : "") + name(i);
      text += "] : " + types.back();
    }
    return Program(types, text + ")");
  }
};

/// A random contraction of `rank` iterators. No operand has 2^40 elements
/// or more.
inline Sample getSample(std::mt19937_64 &random, unsigned rank) {
  auto below = [&](uint64_t n) { return random() % n; };
  Sample sample;
  sample.operands.resize(below(8) == 0 ? 2 : below(8) == 0 ? 4 : 3);
  size_t inputs = sample.operands.size() - 1;
  SmallVector<double> logs(sample.operands.size(), 0);
  for (unsigned i = 0, e = rank; i < e; ++i) {
    static constexpr int64_t primes[] = {2, 3, 5, 7, 13, 31, 97, 1009, 65537};
    int64_t extent = below(3) == 0   ? primes[below(std::size(primes))]
                     : below(2) == 0 ? int64_t(1) << below(21)
                                     : 1 + below(40);
    // Any non-empty set of operands; results that no input varies with too.
    uint64_t members = 1 + below((uint64_t(1) << (inputs + 1)) - 1);
    // Every other time a row, a column or contracted, as in a product.
    if (inputs == 2 && below(2))
      members = 7 & ~(1 << below(3));
    auto fits = [&](size_t k) {
      return !(members >> k & 1) || logs[k] + std::log2(extent) < 40;
    };
    if (!llvm::all_of(llvm::seq<size_t>(0, inputs + 1), fits))
      extent = 1 + below(2);
    sample.extents.push_back(extent);
    for (size_t k = 0; k <= inputs; ++k)
      if (members >> k & 1) {
        sample.operands[k].push_back(i);
        logs[k] += std::log2(extent);
      }
  }
  for (auto &dims : sample.operands)
    std::shuffle(dims.begin(), dims.end(), random);
  return sample;
}

} // namespace mlir::tc

#endif // TC_TEST_UNIT_ANALYSIS_CONTRACTS_H
