//===- Suppressions.h - Findings not to be told of --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file says which findings are known. A line has a class of findings or `*`,
// a glob for the kernel, and perhaps where: a line of the PTX, or a glob for
// the source or the instruction of either party. `#` begins a comment:
//
//   race       rowsum*  *rowsum.cu:7:*
//   same-value *                        # flags
//   leak       *
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SUPPRESSIONS_H
#define TC_EMULATOR_SUPPRESSIONS_H

#include "tc/Emulator/Report.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <mutex>

namespace tc::emulator {

class Suppressions {
public:
  struct Line {
    std::string place, text; ///< "file:3", and the line as it is there
    std::string what;        ///< of findings, or "*"
    llvm::GlobPattern kernel;
    uint32_t line = 0; ///< of the PTX; 0: any
    std::optional<llvm::GlobPattern> where = std::nullopt;
    uint64_t findings = 0; ///< sites that it has suppressed
  };

  /// Fails with file and line for a line that says something else.
  static llvm::Expected<std::shared_ptr<Suppressions>>
  read(llvm::StringRef path);
  static llvm::Expected<std::shared_ptr<Suppressions>>
  parse(llvm::StringRef text, llvm::StringRef path);

  /// Whether the finding is known. Counts it where it is.
  bool suppress(const Finding &finding);
  /// "suppressed 3 findings by file:3 (`race *`)", line by line, and those
  /// that suppressed nothing.
  std::string summarize(bool withUnused) const;
  /// A line that findings were compared with.
  struct Use {
    std::string place, text; ///< as Line has them
    uint64_t findings = 0;
  };
  std::vector<Use> listUses() const;

private:
  mutable std::mutex mutex;
  std::string source; ///< what the globs of the lines point into
  std::vector<Line> lines;
};

/// A line that suppresses the finding and little else.
std::string makeSuppression(const Finding &finding);

} // namespace tc::emulator

#endif // TC_EMULATOR_SUPPRESSIONS_H
