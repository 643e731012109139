//===- Extension.cpp - The transform dialect with ops of tc ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/TransformOps/NestTransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::transform;

namespace {
class NestExtension : public TransformDialectExtension<NestExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NestExtension)
  using Base::Base;

  void init() {
    declareDependentDialect<TCDialect>();
    declareGeneratedDialect<TCDialect>();
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "tc/TransformOps/NestTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void mlir::tc::registerTransformOps(DialectRegistry &registry) {
  registry.addExtensions<NestExtension>();
}
