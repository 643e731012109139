//===- RunProgram.h - Programs that make files ------------------ -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs an assembler or a linker to its end, or to the end of its time.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_RUNPROGRAM_H
#define TC_LIB_PACKAGE_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::tc {

/// A kernel of thousands of lines takes ptxas a minute or two.
constexpr unsigned defaultProgramSeconds = 600;

/// Runs `program` and returns what it printed. The error reads "'PROGRAM'
/// FAILURE: ", then what it printed, or how it ended without a word.
llvm::Expected<std::string>
runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
           llvm::StringRef failure, unsigned seconds = defaultProgramSeconds);

/// What a program printed, and the ELF file that it made.
struct MadeFile {
  std::string printed, bytes;
};

/// Runs `program`, which reads a file that holds `input` and writes another;
/// their names end in these suffixes, and `arguments` has their paths. What it
/// wrote is a whole ELF file of 64 bits, or an error.
llvm::Expected<MadeFile>
makeFile(llvm::StringRef program, llvm::StringRef inputSuffix,
         llvm::StringRef input, llvm::StringRef outputSuffix,
         llvm::function_ref<llvm::SmallVector<llvm::StringRef>(
             llvm::StringRef inputPath, llvm::StringRef outputPath)>
             arguments,
         llvm::StringRef failure);

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_RUNPROGRAM_H
