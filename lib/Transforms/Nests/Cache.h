//===- Cache.h - One request for a copy in shared memory --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_CACHE_H
#define TC_LIB_TRANSFORMS_NESTS_CACHE_H

#include "tc/Analysis/AccessBox.h"
#include "tc/IR/TC.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// What a thread copies at a time: rows of a chunk each.
struct CopyBlock {
  int64_t chunk = 1, rows = 1;
};

/// One request, and what becomes of it.
class CacheRequest {
public:
  CacheRequest(IRRewriter &rewriter, CacheOp op)
      : rewriter(rewriter), op(op), values(op.getContext()), box(op, values) {}

  /// The copy that the request becomes.
  FailureOr<StageOp> run();

private:
  LogicalResult findLoads();
  LogicalResult findBox();
  bool isReadWide(unsigned d);
  bool isReadAcross(unsigned d);
  SmallVector<int64_t> getOrder();
  int64_t getPad(ArrayRef<int64_t> sizes, unsigned fastest);
  bool isMultipleOf(AffineExpr expr, int64_t factor);
  bool areWhole(unsigned d, ArrayRef<int64_t> sizes, int64_t count);
  CopyBlock getBlock(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides);
  Value buildOffset(unsigned d);
  OpFoldResult buildSize(unsigned d);
  StageOp buildStage();
  void redirect(NestAccess &load, Value stage);

  IRRewriter &rewriter;
  CacheOp op;
  NestValues values;
  SmallVector<NestAccess> loads;
  /// The part of the buffer that they read; `offsets` once they are built.
  AccessBox box;
  SmallVector<Value> offsets;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_CACHE_H
