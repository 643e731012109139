//===- StridedCopyToLLVM.cpp - Copies of views as calls of the runtime ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's gpu-to-llvm (LLVM 22) converts a gpu.memcpy whose source has the
// identity as its layout, takes the target for such a buffer, too, and copies
// from and to where these begin. So what gpu-to-llvm asks dialects for has a
// pattern, for all other layouts, that goes before it.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// One copy, which the runtime is told extents and strides of.
struct StridedCopyPattern : ConvertOpToLLVMPattern<gpu::MemcpyOp> {
  explicit StridedCopyPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(gpu::MemcpyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  Value storeShape(ConversionPatternRewriter &rewriter, gpu::MemcpyOp op,
                   MemRefDescriptor to, MemRefDescriptor from) const;
};

struct HostToLLVM : ConvertToLLVMPatternInterface {
  using ConvertToLLVMPatternInterface::ConvertToLLVMPatternInterface;

  void populateConvertToLLVMConversionPatterns(
      ConversionTarget &, LLVMTypeConverter &converter,
      RewritePatternSet &patterns) const override {
    patterns.add<StridedCopyPattern>(converter);
  }
};
} // namespace

/// The words of tcMgpuCopy's `shape`, in the frame of the function.
Value StridedCopyPattern::storeShape(ConversionPatternRewriter &rewriter,
                                     gpu::MemcpyOp op, MemRefDescriptor to,
                                     MemRefDescriptor from) const {
  Location loc = op.getLoc();
  int64_t rank = cast<MemRefType>(op.getSrc().getType()).getRank();
  SmallVector<Value> words;
  for (int64_t dim = 0; dim != rank; ++dim)
    words.push_back(from.size(rewriter, loc, dim));
  for (MemRefDescriptor end : {to, from})
    for (int64_t dim = 0; dim != rank; ++dim)
      words.push_back(end.stride(rewriter, loc, dim));
  Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
  Value shape;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    auto function = op->getParentOfType<FunctionOpInterface>();
    rewriter.setInsertionPointToStart(&function.front());
    Value count = createIndexAttrConstant(rewriter, loc, getIndexType(),
                                          static_cast<int64_t>(words.size()));
    shape =
        LLVM::AllocaOp::create(rewriter, loc, pointer, getIndexType(), count);
  }
  for (auto [number, word] : llvm::enumerate(words)) {
    Value place = LLVM::GEPOp::create(rewriter, loc, pointer, getIndexType(),
                                      shape, LLVM::GEPArg(number));
    LLVM::StoreOp::create(rewriter, loc, word, place);
  }
  return shape;
}

LogicalResult
StridedCopyPattern::matchAndRewrite(gpu::MemcpyOp op, OpAdaptor adaptor,
                                    ConversionPatternRewriter &rewriter) const {
  auto toType = dyn_cast<MemRefType>(op.getDst().getType());
  auto fromType = dyn_cast<MemRefType>(op.getSrc().getType());
  if (!toType || !fromType)
    return rewriter.notifyMatchFailure(op, "buffers of unknown rank");
  if (toType.getLayout().isIdentity() && fromType.getLayout().isIdentity())
    return rewriter.notifyMatchFailure(op, "as upstream expects it");
  if (!op.getAsyncToken() || adaptor.getAsyncDependencies().size() != 1)
    return rewriter.notifyMatchFailure(op, "expected one token");
  Location loc = op.getLoc();
  MemRefDescriptor to(adaptor.getDst()), from(adaptor.getSrc());
  Value elementBytes = getSizeInBytes(loc, toType.getElementType(), rewriter);
  Value rank =
      createIndexAttrConstant(rewriter, loc, getIndexType(), toType.getRank());
  Value stream = adaptor.getAsyncDependencies().front();
  const LLVMTypeConverter &types = *getTypeConverter();
  Value arguments[] = {to.bufferPtr(rewriter, loc, types, toType),
                       from.bufferPtr(rewriter, loc, types, fromType),
                       elementBytes,
                       rank,
                       storeShape(rewriter, op, to, from),
                       stream};
  FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
      rewriter, op->getParentOfType<ModuleOp>(), "tcMgpuCopy",
      llvm::to_vector(TypeRange(ValueRange(arguments))), getVoidType());
  if (failed(function))
    return failure();
  LLVM::CallOp::create(rewriter, loc, *function, arguments);
  rewriter.replaceOp(op, stream);
  return success();
}

void mlir::tc::registerConvertTCToLLVMInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TCDialect *dialect) {
    dialect->addInterfaces<HostToLLVM>();
  });
}
