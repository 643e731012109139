//===- NumpyFile.h - Arrays in NumPy's file format --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files (format versions 1.0 to 3.0; numpy.lib.format
// documents them) that hold little-endian numbers or truth values.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ARRAYS_NUMPYFILE_H
#define TC_ARRAYS_NUMPYFILE_H

#include "tc/Arrays/ElementType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tc {

/// A dense array in row-major order.
struct NumpyArray {
  ElementType type = ElementType::f32;
  llvm::SmallVector<int64_t> shape; ///< extents, outermost first
  std::vector<char> bytes;          ///< the elements, little-endian

  /// The bytes of element `number`.
  llvm::MutableArrayRef<char> element(size_t number) {
    return llvm::MutableArrayRef(bytes).slice(number * bytesOf(type),
                                              bytesOf(type));
  }
  llvm::ArrayRef<char> element(size_t number) const {
    return llvm::ArrayRef(bytes).slice(number * bytesOf(type), bytesOf(type));
  }
};

/// Bytes that the elements of an array take; nothing when 63 bits do not
/// suffice.
std::optional<int64_t> countBytes(ElementType type,
                                  llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with the place of each element of an array, row-major, that
/// lies at these strides.
void forEachPlace(llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> strides,
                  llvm::function_ref<void(int64_t)> visit);

/// Reads the contents of a .npy file; `name` is used in errors. An array in
/// Fortran order is turned to row-major order.
llvm::Expected<NumpyArray> parseNumpy(llvm::StringRef contents,
                                      llvm::StringRef name);
/// Reads the .npy file at `path`.
llvm::Expected<NumpyArray> readNumpy(llvm::StringRef path);
/// Fails unless `array`, read from `path`, has that shape and element type, for
/// which it becomes an array of that type: bf16 may come as u16, and
/// floats of 8 bits as u8 or as bytes of no meaning.
llvm::Error checkNumpy(NumpyArray &array, llvm::StringRef path,
                       ElementType type, llvm::ArrayRef<int64_t> shape);

/// The contents of a .npy file (version 1.0, C order) that holds `array`.
std::string formatNumpy(const NumpyArray &array);

} // namespace mlir::tc

#endif // TC_ARRAYS_NUMPYFILE_H
