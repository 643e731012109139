//===- HostArray.h - Arguments and results in host memory -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of one argument or result: in order, in their own type; as they
// lie in a memref's buffer; and as numbers of the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_HOSTARRAY_H
#define TC_LIB_RUNNER_RUN_HOSTARRAY_H

#include "tc/Arrays/Numbers.h"
#include "tc/Arrays/NumpyFile.h"
#include "tc/Frontend/EinsumProblem.h"
#include "tc/Reference/Reference.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::tc {

/// Zeros of the element type of a memref or tensor. Its dynamic extents are
/// those of `shape`, which may be empty when it has none. Fails unless the
/// element type is one of the table.
llvm::Expected<NumpyArray> makeArray(Type type, ArrayRef<int64_t> shape = {});

/// Takes the dynamic extents of `shape` from `array`, of the file `path`.
llvm::Error takeExtents(SmallVectorImpl<int64_t> &shape,
                        const NumpyArray &array, StringRef path);

/// Where the elements of an argument of that type and shape lie: as its layout
/// says, with row-major strides and no offset where it leaves them open.
llvm::Expected<BufferLayout> layoutOf(Type type, ArrayRef<int64_t> shape);
/// The buffer of a layout that holds `array`, and zeros elsewhere.
std::vector<char> toBuffer(const NumpyArray &array, const BufferLayout &layout);
/// Takes the elements of `array` out of such a buffer.
void fromBuffer(ArrayRef<char> buffer, const BufferLayout &layout,
                NumpyArray &array);

/// Fills `array`: reals (and the parts of complex numbers) uniformly from
/// [-1, 1), in multiples of the spacing below 1 times 2, or of 1/8 where `bits`
/// are few; integers from -8 to 7; truth values, one of four is true. The same
/// seed and stream give the same values on every machine.
void fillRandomly(NumpyArray &array, uint64_t seed, uint64_t stream,
                  RandomBits bits = RandomBits::all);

/// Sets element `number`: of a real, the number of the type that is nearest to
/// `value`; of a complex number, the real part; of a truth value, the other
/// one.
void setElement(NumpyArray &array, int64_t number, double value);

/// The elements as numbers of the reference.
Array toReference(const NumpyArray &array);
/// One of them as text.
std::string formatElement(const Array &array, int64_t number);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_HOSTARRAY_H
