//===- PtxOp.td - tc.ptx ------------------------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_PTXOP_TD
#define TC_IR_PTXOP_TD

include "tc/IR/TCDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TC_PtxOp : Op<TC_Dialect, "ptx", [
    AttrSizedOperandSegments, MemoryEffects<[]>]> {
  let summary = "instructions of PTX in the code of a thread";
  let description = [{
    `$0`, `$1`, ... in the text stand for the results, then the inputs, then the
    addresses of the buffers that the text reads and those that it writes: of
    their first elements, 64 bits wide, in the state space of the buffer
    (`ld.shared` takes that of a buffer in shared memory). `$$` is a dollar sign.
    Registers are as wide as their types: 16, 32 or 64 bits, a vector of 32 bits,
    such as `vector<2xf16>`, or a generic pointer, `!llvm.ptr`, such as an argument
    that points to a tensor map.

    The text has no effects but those on the buffers that are named. An
    instruction of a warp, as `mma.sync` is, belongs into a `tc.par full`, under no
    condition that lanes differ in. On the CPU the op has no meaning.

    `orders(...)` says that the lanes of the `tc.par full` wait for each other here,
    at a named barrier or an mbarrier: what they do to these buffers before the text
    has happened for all of them after it. So one lane may read what another has
    written. The text has no `$n` for these buffers.

    Example: test/Docs/op-ptx.mlir.
  }];
  let arguments = (ins StrAttr:$code, Variadic<AnyType>:$inputs,
                       Arg<Variadic<AnyMemRef>, "", [MemRead]>:$reads,
                       Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$writes,
                       Arg<Variadic<AnyMemRef>, "", [MemRead, MemWrite]>:$orders);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $code `(` $inputs `)` (`reads` `(` $reads^ `:` type($reads) `)`)?
    (`writes` `(` $writes^ `:` type($writes) `)`)?
    (`orders` `(` $orders^ `:` type($orders) `)`)? attr-dict
    `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

#endif // TC_IR_PTXOP_TD
