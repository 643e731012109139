//===- EinsumProblem.h - An einsum with its operands ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What subscripts, shapes and element types come to together: iterators, and
// operands whose dimensions they walk. Shapes are given by label, or by operand
// with NumPy's rules: dimensions of extent 1 are repeated, and the dimensions
// of an ellipsis are matched from the last one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_EINSUMPROBLEM_H
#define TC_FRONTEND_EINSUMPROBLEM_H

#include "tc/Frontend/Einsum.h"
#include "tc/Frontend/ElementType.h"

namespace mlir::tc {

/// Where the elements of an operand are in its buffer, all in elements.
struct BufferLayout {
  llvm::SmallVector<int64_t> strides; ///< may be 0 or negative
  int64_t offset = 0;                 ///< of element [0, ..., 0]
  int64_t elements = 0;               ///< of the whole buffer

  /// Of an array without gaps; an extent of 0 counts as 1.
  static llvm::SmallVector<int64_t>
  rowMajorStrides(llvm::ArrayRef<int64_t> shape);
  /// The least and the largest place that an array of that shape reaches; an
  /// extent of 0 counts as 1. Nothing when 63 bits do not suffice.
  std::optional<std::pair<int64_t, int64_t>>
  findSpan(llvm::ArrayRef<int64_t> shape) const;
};

/// One operand as the user describes it. A result may do without a shape.
struct OperandDescription {
  std::optional<llvm::SmallVector<int64_t>> shape;
  std::optional<llvm::SmallVector<int64_t>> strides; ///< row-major if absent
  int64_t offset = 0;
  std::optional<int64_t> elements; ///< as few as will do if absent
  std::optional<ElementType> type;
};

/// All operands; what is not said of the result follows from the inputs.
struct OperandDescriptions {
  llvm::SmallVector<OperandDescription> inputs;
  std::optional<OperandDescription> result;
};

/// Reads JSON: an array of inputs, or an object with `inputs` and, optionally,
/// `result`. An operand is an array of extents, or an object with `shape` and,
/// optionally, `strides`, `offset`, `elements` (of the buffer) and `dtype`.
/// Errors name the member they are about; `name` is where the text is from.
llvm::Expected<OperandDescriptions> parseOperands(llvm::StringRef json,
                                                  llvm::StringRef name);

/// The JSON Schema of what parseOperands reads.
std::string formatOperandsSchema();

/// A contraction that is ready to be built.
struct EinsumProblem {
  struct Iterator {
    std::string name;    ///< the label; e0, e1, ... in an ellipsis
    int64_t extent;      ///< or dynamicExtent
    int64_t nominal = 0; ///< extent of a dynamic one; 0: not given
  };
  struct Operand {
    /// For each dimension the iterator that walks it, or nothing where the only
    /// element is repeated.
    llvm::SmallVector<std::optional<unsigned>> iterators;
    llvm::SmallVector<int64_t> shape; ///< or dynamicExtent
    ElementType type = ElementType::f32;
    std::optional<BufferLayout> layout; ///< row-major if absent
  };
  /// Those of the result in order, then the summed ones in order of occurrence.
  llvm::SmallVector<Iterator> iterators;
  llvm::SmallVector<Operand> inputs;
  Operand output;
  std::optional<ElementType> accumulator;
  std::string precision; ///< of products of f32, or empty
  std::string text;      ///< the subscripts in explicit form

  /// "i=2,j=?,k=?16", in the order of the iterators, as parseSizes reads it.
  std::string sizesText() const;
  /// The element types, as parseElementTypes reads them.
  std::string typesText() const;
  bool isDynamic() const;
  /// The shapes of the inputs, then that of the result.
  llvm::SmallVector<llvm::SmallVector<int64_t>> getShapes() const;
  /// The same with extents for all that are dynamic, and for no others. Fails
  /// when one is missing.
  llvm::Expected<EinsumProblem> withExtents(const Sizes &extents) const;
};

/// Every operand has the extents of its labels. Refuses labels without an
/// extent, extents without a label, and what cannot be counted in 62 bits.
llvm::Expected<EinsumProblem> makeProblem(const Einsum &einsum,
                                          const Sizes &sizes,
                                          const ElementTypes &types);

/// Every operand has a shape of its own. The errors are those of NumPy.
llvm::Expected<EinsumProblem> makeProblem(const Einsum &einsum,
                                          const OperandDescriptions &operands,
                                          const ElementTypes &types);

} // namespace mlir::tc

#endif // TC_FRONTEND_EINSUMPROBLEM_H
