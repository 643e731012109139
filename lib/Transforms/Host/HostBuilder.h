//===- HostBuilder.h - Code of a CPU's contraction --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTBUILDER_H
#define TC_LIB_TRANSFORMS_HOST_HOSTBUILDER_H

#include "tc/IR/IndexBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tc {

/// Emits unsigned arithmetic of indices, loops, and accesses of memory.
struct HostBuilder : IndexBuilder {
  using IndexBuilder::IndexBuilder;

  Value divide(Value a, Value b) { return createOrFold<arith::DivUIOp>(a, b); }
  Value divide(Value a, int64_t b) { return divide(a, constant(b)); }
  Value divideCeil(Value a, int64_t b) {
    return createOrFold<arith::CeilDivUIOp>(a, constant(b));
  }
  Value remainder(Value a, Value b) {
    return createOrFold<arith::RemUIOp>(a, b);
  }
  Value remainder(Value a, int64_t b) { return remainder(a, constant(b)); }
  Value smaller(Value a, Value b) { return createOrFold<arith::MinUIOp>(a, b); }

  Value load(Value memory, ValueRange indices) {
    return memref::LoadOp::create(*this, memory, indices);
  }
  void store(Value value, Value memory, ValueRange indices) {
    memref::StoreOp::create(*this, value, memory, indices);
  }
  /// Loops `body` over the indices from 0 to `upper`.
  void loop(Value upper, function_ref<void(Value)> body);
  /// `then` where `condition` holds, and else `otherwise`.
  void branch(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise);
  /// Iterations in any order, from 0 to each of `counts`.
  scf::ParallelOp parallel(ValueRange counts);
  /// Square blocks: as many vectors as each has elements, a power of two.
  /// Element i of vector j becomes element j of vector i.
  void transpose(SmallVectorImpl<Value> &vectors);
  /// Memory of the stack.
  Value reserve(ArrayRef<int64_t> shape, Type type) {
    return memref::AllocaOp::create(*this, MemRefType::get(shape, type));
  }
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTBUILDER_H
