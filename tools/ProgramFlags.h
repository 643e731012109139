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

#include "tc/Runner/Compile.h"

#include "llvm/Support/CommandLine.h"

namespace flags {

namespace cl = llvm::cl;

inline cl::OptionCategory category("Options");

inline cl::opt<std::string> inputPath(cl::Positional, cl::desc("[INPUT.mlir]"),
                                      cl::cat(category));
inline cl::opt<std::string>
    einsum("einsum",
           cl::desc("Contraction instead of a file, as 'icaq,qbjk->abcijk'"),
           cl::value_desc("subscripts"), cl::cat(category));
inline cl::opt<std::string> sizes("sizes", cl::desc("Extents of the einsum"),
                                  cl::value_desc("a=16,b=16"),
                                  cl::cat(category));
inline cl::opt<std::string>
    dtype("dtype", cl::desc("Element type of the einsum (default f32)"),
          cl::value_desc("f32|f64"), cl::init("f32"), cl::cat(category));
inline cl::opt<std::string>
    name("name",
         cl::desc("Function to make of the einsum, or to take from the file"),
         cl::value_desc("name"), cl::cat(category));
inline cl::opt<std::string> chip("chip", cl::desc("Target (default sm_90a)"),
                                 cl::value_desc("sm_NN"), cl::init("sm_90a"),
                                 cl::cat(category));
inline cl::opt<std::string>
    schedule("schedule", cl::desc("Schedule of the only contraction"),
             cl::value_desc("#tc.schedule<...>"), cl::cat(category));

/// The program that the flags ask for.
inline mlir::tc::InputOptions inputOptions() {
  return {inputPath, einsum, sizes, dtype, name};
}

/// How they ask to compile it, to no form yet.
inline mlir::tc::CompileOptions compileOptions() {
  mlir::tc::CompileOptions options;
  options.chip = chip;
  options.schedule = schedule;
  options.emit = std::nullopt;
  return options;
}

} // namespace flags

#endif // TC_TOOLS_PROGRAMFLAGS_H
