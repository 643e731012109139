//===- Einsum.h - Contractions written as an einsum -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text form of a contraction: subscripts as NumPy writes them
// ("icaq,qbjk->abcijk") and extents by label ("a=16,b=16"). Errors point at the
// column they are about.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_EINSUM_H
#define TC_FRONTEND_EINSUM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::tc {

/// An error about column `column` (from 0) of `text`, which the user gave as
/// `what`: the message, then the text with a caret below the column.
llvm::Error errorInText(llvm::StringRef what, llvm::StringRef text,
                        size_t column, const llvm::Twine &message);

/// Subscripts of a contraction. A label is one letter; upper and lower case are
/// distinct. A label that occurs twice in one operand takes its diagonal; a
/// label that is absent from the output is summed over.
struct Einsum {
  /// One operand: its labels, and the column of each in the source.
  struct Operand {
    std::string labels;
    llvm::SmallVector<size_t> columns;
  };
  llvm::SmallVector<Operand> inputs;
  Operand output;
  std::string source; ///< as the user wrote it

  /// The subscripts in explicit form, without spaces.
  std::string text() const;
  /// Every label once: those of the output in order, then the summed ones in
  /// order of first occurrence. This is the order of the iterators.
  std::string iterators() const;
};

/// Reads NumPy's explicit ("ij,jk->ik") or implicit ("ij,jk") form. Spaces are
/// ignored. Refuses an ellipsis, a label that is no letter, and an output label
/// that is repeated or is in no input.
llvm::Expected<Einsum> parseEinsum(llvm::StringRef text);

/// Extents by label, in the order they were given.
struct Sizes {
  struct Entry {
    char label;
    int64_t extent;
    size_t column; ///< of the label in the source
  };
  llvm::SmallVector<Entry> entries;
  std::string source; ///< as the user wrote it

  /// The extent of `label`, if it was given.
  std::optional<int64_t> find(char label) const;
};

/// Reads "a=16,b=3". Refuses a label given twice, a negative extent, and what
/// does not fit in 63 bits. An extent of zero is legal.
llvm::Expected<Sizes> parseSizes(llvm::StringRef text);

/// Checks that every label of `einsum` has an extent, that `sizes` names no
/// other, and that the elements of each operand and of the iteration space can
/// be counted in 62 bits.
llvm::Error checkSizes(const Einsum &einsum, const Sizes &sizes);

/// The extents of one operand.
llvm::SmallVector<int64_t> shapeOf(const Einsum::Operand &operand,
                                   const Sizes &sizes);

} // namespace mlir::tc

#endif // TC_FRONTEND_EINSUM_H
