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
// column they are about; those of NumPy have its words.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_EINSUM_H
#define TC_FRONTEND_EINSUM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace mlir::tc {

/// An error about column `column` (from 0) of `text`, which the user gave as
/// `what`: the message, then the text with a caret below the column.
llvm::Error errorInText(llvm::StringRef what, llvm::StringRef text,
                        size_t column, const llvm::Twine &message);

/// Subscripts of a contraction. A label is one letter; upper and lower case are
/// distinct. A label that occurs twice in one operand takes its diagonal; a
/// label that is absent from the output is summed over. An ellipsis stands for
/// the dimensions of an operand that have no label.
struct Einsum {
  /// One operand: its labels, and the column of each in the source.
  struct Operand {
    std::string labels;
    llvm::SmallVector<size_t> columns;
    /// The number of labels before the ellipsis, if there is one.
    std::optional<size_t> ellipsis;
    size_t column = 0; ///< where the operand begins in the source
  };
  llvm::SmallVector<Operand> inputs;
  Operand output;
  std::string source; ///< as the user wrote it

  /// The subscripts in explicit form, without spaces.
  std::string text() const;
  /// Every label once: those of the output in order, then the summed ones in
  /// order of first occurrence.
  std::string labels() const;
  /// Does an input have an ellipsis?
  bool hasEllipsis() const;
};

/// Reads NumPy's explicit ("ij,jk->ik") or implicit ("ij,jk") form, with the
/// errors of NumPy. Spaces are ignored, though not inside of "..." and "->".
llvm::Expected<Einsum> parseEinsum(llvm::StringRef text);

/// An extent that is known at run time only; the same as MLIR's.
constexpr int64_t dynamicExtent = std::numeric_limits<int64_t>::min();

/// Extents by label, in the order they were given.
struct Sizes {
  struct Entry {
    char label;
    int64_t extent;      ///< or dynamicExtent
    size_t column;       ///< of the label in the source
    int64_t nominal = 0; ///< of a dynamic one; 0: not given
  };
  llvm::SmallVector<Entry> entries;
  /// Extents of the dimensions of the ellipsis, when they were given.
  std::optional<llvm::SmallVector<int64_t>> ellipsis;
  std::string source; ///< as the user wrote it

  /// The extent of `label`, if it was given.
  std::optional<int64_t> find(char label) const;
};

/// Reads "a=16,b=3,c=?,d=?64,...=4x5": '?' is a dynamic extent, a number after
/// it the nominal one, and the last entry has the extents of the
/// ellipsis (none of them in "...="). Refuses a label given twice, a negative
/// extent, and what does not fit in 63 bits. An extent of zero is legal.
llvm::Expected<Sizes> parseSizes(llvm::StringRef text);

} // namespace mlir::tc

#endif // TC_FRONTEND_EINSUM_H
