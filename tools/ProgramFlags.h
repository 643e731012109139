//===- ProgramFlags.h - Flags of every tool that takes a program -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags that tc-compile and tc-run share: the program and its target. To be
// included by one file of a tool.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_PROGRAMFLAGS_H
#define TC_TOOLS_PROGRAMFLAGS_H

#include "ListedValues.h"

#include "tc/Runner/Compile.h"

#include "llvm/Support/CommandLine.h"

namespace flags {

namespace cl = llvm::cl;

inline cl::OptionCategory program("Program", "What to compile: a file, or an "
                                             "einsum with sizes or operands.");
inline cl::OptionCategory compilation("Compilation");
/// What a tool makes of them.
inline cl::OptionCategory category("Output");

inline cl::opt<std::string> inputPath(cl::Positional, cl::desc("[INPUT.mlir]"),
                                      cl::cat(program));
inline cl::opt<std::string>
    einsum("einsum",
           cl::desc("Contraction instead of a file, as 'icaq,qbjk->abcijk'"),
           cl::value_desc("subscripts"), cl::cat(program));
inline cl::opt<std::string>
    sizes("sizes",
          cl::desc("Extents of the einsum; '?' is a dynamic one, '?16' one of "
                   "nominally 16, and '...=2x3' those of an ellipsis"),
          cl::value_desc("a=16,b=16"), cl::cat(program));
inline cl::opt<std::string>
    operands("operands",
             cl::desc("Shapes of the einsum's operands instead, and their "
                      "strides, offsets and types: JSON as text or in a file"),
             cl::value_desc("[[2,3],[3,4]]"), cl::cat(program));
inline cl::opt<std::string>
    dtype("dtype",
          cl::desc("Element types of the einsum: one for all, or of each input "
                   "and of the result (default f32)"),
          cl::value_desc("T|T,T->T"), cl::init("f32"), cl::cat(program));
inline cl::opt<std::string>
    accumulate("accumulate",
               cl::desc("Element type of the einsum's sums (default: that of "
                        "the result; f32 for floats of 16 and 8 bits)"),
               cl::value_desc("T"), cl::cat(program));
inline cl::opt<std::string> precision(
    "precision",
    cl::desc("How exact the einsum's products of f32 or c64 have to be: "
             "ieee (default), tf32, tf32x3, bf16, bf16x3, bf16x6 or "
             "bf16x9"),
    cl::value_desc("P"), cl::cat(program));
inline cl::opt<std::string>
    name("name",
         cl::desc("Function to make of the einsum, or to take from the file"),
         cl::value_desc("name"), cl::cat(program));
inline cl::opt<std::string> chip("chip", cl::desc("Target (default sm_90a)"),
                                 cl::value_desc("sm_NN"),
                                 cl::init(mlir::tc::kDefaultChip.str()),
                                 cl::cat(compilation));
inline cl::opt<std::string>
    schedule("schedule", cl::desc("Schedule of the only contraction"),
             cl::value_desc("#tc.schedule<...>"), cl::cat(compilation));

inline cl::opt<std::string>
    tuning("tuning",
           cl::desc("File of schedules and thresholds that were tried before "
                    "(tc-tune)"),
           cl::value_desc("file"), cl::cat(compilation));

inline cl::list<std::string> thresholds(
    "thresholds", cl::CommaSeparated,
    cl::desc("Limits at which the host takes another version of a nest, before "
             "those of --tuning"),
    cl::value_desc("NAME=VALUE,..."), cl::cat(compilation));

inline Choice<mlir::tc::OperandOrder>
    order("order",
          cl::desc("Contractions of several inputs (default as-written)"),
          cl::init(mlir::tc::OperandOrder::AsWritten),
          cl::values(clEnumValN(mlir::tc::OperandOrder::AsWritten, "as-written",
                                "all inputs in one nest"),
                     clEnumValN(mlir::tc::OperandOrder::Optimal, "optimal",
                                "two at a time, in the order of fewest flops")),
          cl::cat(compilation));

inline cl::opt<bool>
    keepOrder("keep-order",
              cl::desc("Leave nests that combine floats as they are, in "
                       "the order of their loops"),
              cl::cat(compilation));

inline cl::opt<bool>
    serial("serial",
           cl::desc("Launch one kernel after the other, also those that need "
                    "not wait for each other"),
           cl::cat(compilation));

inline cl::opt<bool>
    overlap("overlap",
            cl::desc("Let kernels begin before those that they wait for have "
                     "ended, from sm_90 on (programmatic dependent launch)"),
            cl::cat(compilation));

inline cl::opt<bool>
    remarks("remarks",
            cl::desc("Say what is refused or done on a slower path, and why"),
            cl::cat(compilation));

/// The program that the flags ask for.
inline mlir::tc::InputOptions inputOptions() {
  mlir::tc::InputOptions options;
  options.path = inputPath;
  if (einsum.getNumOccurrences() != 0)
    options.einsum = einsum;
  options.sizes = sizes;
  options.operands = operands;
  options.dtype = dtype;
  options.accumulate = accumulate;
  options.precision = precision;
  options.name = name;
  return options;
}

/// How they ask to compile it, to no form yet.
inline mlir::tc::CompileOptions compileOptions() {
  mlir::tc::CompileOptions options;
  options.chip = chip;
  options.schedule = schedule;
  options.order = order;
  options.keepOrder = keepOrder;
  options.async = !serial;
  options.overlap = overlap;
  options.tuning = tuning;
  options.thresholds.assign(thresholds.begin(), thresholds.end());
  options.emit = std::nullopt;
  return options;
}

} // namespace flags

#endif // TC_TOOLS_PROGRAMFLAGS_H
