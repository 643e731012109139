//===- CallLibrary.cpp - Ask a library for matrix products ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether there is a library the host finds out; here is only where it would be
// asked.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/LibraryProduct.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CALLLIBRARY
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

static std::array<double, 2> getParts(std::complex<double> number) {
  return {number.real(), number.imag()};
}

/// Whether a library has computed `product`.
static Value emitProduct(OpBuilder &builder, ContractOp op,
                         const LibraryProduct &product, Value workspace) {
  return LibraryProductOp::create(
      builder, op.getLoc(), builder.getI1Type(), product.a, product.b,
      product.c, product.d, workspace,
      builder.getDenseI64ArrayAttr(product.extents),
      builder.getDenseI64ArrayAttr(product.leading),
      builder.getDenseI64ArrayAttr(product.strides),
      builder.getDenseBoolArrayAttr(product.transposed),
      builder.getDenseF64ArrayAttr(getParts(product.alpha)),
      builder.getDenseF64ArrayAttr(getParts(product.beta)),
      op.getPrecisionAttr());
}

/// Says why the kernel alone computes `op`.
static void reportKernel(ContractOp op, StringRef why) {
  remark::missed(op.getLoc(), remark::RemarkOpts::name("Library").category(
                                  "tc-call-library"))
      << remark::reason("no library is asked: {0}", why);
}

/// Puts a call before `op`, and `op` where that gives false. `getWorkspace`
/// gives what the library may use.
static LogicalResult callLibrary(ContractOp op,
                                 function_ref<Value()> getWorkspace) {
  FailureOr<StrideTable> access = getStrideTable(op);
  if (failed(access))
    return failure();
  op.setScheduleAttr(op.getScheduleAttr().dropLibrary());
  if (op->getParentOfType<ParOp>() || isa<SumOp>(op->getParentOp())) {
    reportKernel(op, "the contraction is a part of a kernel");
    return success();
  }
  std::string problem;
  std::optional<LibraryProduct> product =
      findLibraryProduct(op, *access, problem);
  if (!product)
    return op.emitOpError("has an illegal schedule: kernel = library: ")
           << problem;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value done = emitProduct(builder, op, *product, getWorkspace());
  auto branch = scf::IfOp::create(builder, loc, done, /*withElseRegion=*/true);
  op->moveBefore(branch.elseBlock()->getTerminator());
  remark::passed(
      loc, remark::RemarkOpts::name("Library").category("tc-call-library"))
      << remark::reason("a library is asked for {0} times {1} results of {2} "
                        "terms, {3} times",
                        product->extents[0], product->extents[1],
                        product->extents[2], product->extents[3]);
  return success();
}

namespace {
struct CallLibraryPass : tc::impl::CallLibraryBase<CallLibraryPass> {
  using CallLibraryBase::CallLibraryBase;

  void runOnOperation() override {
    if (workspace < 0) {
      getOperation().emitError("expected workspace of at least 0 bytes, got ")
          << int64_t(workspace);
      return signalPassFailure();
    }
    SmallVector<ContractOp> ops;
    getOperation().walk([&](ContractOp op) {
      if (op.getScheduleAttr() && op.getScheduleAttr().asksLibrary())
        ops.push_back(op);
    });
    Value shared;
    for (ContractOp op : ops)
      if (failed(callLibrary(
              op, [&] { return shared ? shared : shared = addWorkspace(); })))
        return signalPassFailure();
  }

  /// Products come one after the other, so all of them use the same memory.
  Value addWorkspace() {
    func::FuncOp function = getOperation();
    auto builder = OpBuilder::atBlockBegin(&function.front());
    Value made = memref::AllocOp::create(
        builder, function.getLoc(),
        MemRefType::get({int64_t(workspace)}, builder.getI8Type()));
    function.walk([&](func::ReturnOp op) {
      builder.setInsertionPoint(op);
      memref::DeallocOp::create(builder, op.getLoc(), made);
    });
    return made;
  }
};
} // namespace
