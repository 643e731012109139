//===- HostOps.td - tc.threshold, tc.library_product -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_HOSTOPS_TD
#define TC_IR_HOSTOPS_TD

include "tc/IR/TCAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TC_ThresholdOp : Op<TC_Dialect, "threshold", [Pure]> {
  let summary = "whether a number reaches a limit that has a name";
  let description = [{
    True where `number >= limit`. The limit belongs to the function, by its name:
    words of letters and digits with a '.' between. It is the `default` unless
    somebody sets another: host code has a variable for each limit that it compares
    with (see convert-tc-to-gpu), so it may be set without compiling again. 0 is
    reached by every number that is not negative, 2^63 - 1 by none that there is.
    All comparisons of a function with one limit have one default.

    Example: test/Docs/op-threshold.mlir.
  }];
  let arguments = (ins Index:$number, StrAttr:$limit, I64Attr:$defaultLimit);
  let results = (outs I1:$reached);
  let assemblyFormat = [{
    $number `reaches` $limit `default` `(` $defaultLimit `)` attr-dict
  }];
  let hasVerifier = 1;
}

def TC_LibraryProductOp : Op<TC_Dialect, "library_product"> {
  let summary = "a batched matrix product by a library, if there is one";
  let description = [{
    Where the host finds a library that takes the product, has it compute

    ```
    D[l](i, j) = alpha * sum(p, A[l](i, p) * B[l](p, j)) + beta * C[l](i, j)
    ```

    for `extents = [m, n, p, l]`, and gives true; else nothing happens, and it
    gives false. Matrices are stored by columns, as libraries have it: element
    (i, j) of matrix l is `i + j * leading + l * stride` elements from the first
    one of the buffer. `leading` and `strides` are those of A, B, C, D. Where
    `transposed` says so, A or B is the transpose of what is stored. C is read
    where beta is not 0; it may be D. `alpha` and `beta` are complex numbers, a
    real and an imaginary part.

    A and B have one element type, of f16, bf16, f32, f64, and complex numbers of
    f32 and f64; C and D have that type, too, or f32 where it has 16 bits. Sums are
    of f32, or of the type if that is wider. `precision` is what products of f32
    may be computed with, as in `tc.contract`. `workspace` is memory that the
    library may use.

    Example: test/Docs/op-library.mlir.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$a,
                       Arg<AnyMemRef, "", [MemRead]>:$b,
                       Arg<AnyMemRef, "", [MemRead]>:$c,
                       Arg<AnyMemRef, "", [MemWrite]>:$d,
                       Arg<MemRefRankOf<[I8], [1]>, "", [MemWrite]>:$workspace,
                       DenseI64ArrayAttr:$extents, DenseI64ArrayAttr:$leading,
                       DenseI64ArrayAttr:$strides,
                       DenseBoolArrayAttr:$transposed,
                       DenseF64ArrayAttr:$alpha, DenseF64ArrayAttr:$beta,
                       OptionalAttr<TC_PrecisionAttr>:$precision);
  let results = (outs I1:$done);
  let assemblyFormat = [{
    $a `,` $b `,` $c `into` $d `using` $workspace `extents` $extents `leading`
    $leading `strides` $strides `transposed` $transposed `alpha` $alpha `beta`
    $beta (`precision` `` custom<Precision>($precision)^)? attr-dict `:`
    type($a) `,` type($b) `,` type($c) `into` type($d) `using` type($workspace)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Does the result depend on C?
    bool readsC() {
      return llvm::any_of(getBeta(), [](double part) { return part != 0; });
    }
  }];
}

#endif // TC_IR_HOSTOPS_TD
