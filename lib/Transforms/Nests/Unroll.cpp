//===- Unroll.cpp - Loops that registers and wide reads need unrolled -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers have no addresses: a private buffer is in them only where each of
// its subscripts is a constant. An index of a loop is one once the loop is
// unrolled. And LLVM reads 16 bytes of shared memory at once where so many
// consecutive elements are read in one body.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/Unrolling.h"
#include "tc/Analysis/WideAccess.h"
#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"
#include "tc/Target/Machine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/LoopUtils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_UNROLL
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Ops of a thread that loops may become: LLVM unrolls no further than 16384
/// instructions, and an op is two or three.
static constexpr int64_t kMostOps = 6000;

namespace {
/// The loops round the accesses of a buffer that are to be unrolled, with the
/// first dimension that is.
using Unrolled = llvm::MapVector<Operation *, unsigned>;

/// What is known of one private buffer.
struct PrivateBuffer {
  NewOp op;
  Unrolled loops;
  std::string problem; ///< why subscripts stay variable; empty if none does

  void addAccess(const NestAccess &access, NestValues &values);

private:
  std::string addIndex(Value index, Operation *access);
};
} // namespace

/// Adds the loop of `index` to those to unroll, or says why it cannot be one.
std::string PrivateBuffer::addIndex(Value index, Operation *access) {
  if (op.getThreads() > 0 &&
      llvm::is_contained(getThreadIndices(access), index))
    return "";
  if (!findRange(index))
    return "a subscript is neither a constant nor the index of a loop";
  Operation *loop = index.getParentBlock()->getParentOp();
  if (!op->getParentRegion()->isAncestor(loop->getParentRegion()))
    return "a subscript is the index of a loop round the buffer";
  auto par = dyn_cast<ParOp>(loop);
  if ((par && par.getLevel() != Level::Thread) ||
      !isa<ParOp, SeqOp, scf::ForOp, affine::AffineForOp>(loop))
    return "a subscript is the number of a thread";
  unsigned dimension = cast<BlockArgument>(index).getArgNumber();
  auto [known, isNew] = loops.insert({loop, dimension});
  known->second = std::min(known->second, dimension);
  std::optional<int64_t> trips = countIterations(loop, known->second);
  if (!trips)
    return "a subscript is the index of a loop without a constant number of "
           "iterations";
  if (auto seq = dyn_cast<SeqOp>(loop);
      seq && seq.getUnroll() != 1 && int64_t(seq.getUnroll()) < *trips)
    return llvm::formatv("unroll({0}) leaves more than one of {1} iterations",
                         seq.getUnroll(), *trips);
  return "";
}

void PrivateBuffer::addAccess(const NestAccess &access, NestValues &values) {
  // An init is stored by constants; tc-lower-microkernel unrolls contractions.
  if (isa<NewOp, ContractOp>(access.op) || !problem.empty())
    return;
  if (!access.isExact || !access.isKnown()) {
    problem = llvm::formatv("'{0}' takes more than one element of it",
                            access.op->getName());
    return;
  }
  for (AffineExpr subscript : access.subscripts)
    subscript.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      Value index = dim ? values.getValue(dim.getPosition()) : Value();
      if (index && problem.empty())
        problem = addIndex(index, access.op);
    });
}

/// Ops of which `counts` is true in `loop`, once the loops of `unrolled` inside
/// of it are unrolled.
static int64_t countOps(
    Operation *loop, const Unrolled &unrolled,
    function_ref<bool(Operation &)> counts = [](Operation &) { return true; }) {
  int64_t count = 0;
  for (Region &region : loop->getRegions())
    for (Operation &op : region.getOps())
      count = llvm::SaturatingAdd<uint64_t>(
          count, countOps(&op, unrolled, counts) + counts(op));
  auto known = unrolled.find(loop);
  int64_t trips = known == unrolled.end()
                      ? 1
                      : countIterations(loop, known->second).value_or(1);
  return llvm::checkedMul(count, trips)
      .value_or(std::numeric_limits<int64_t>::max());
}

/// Is `op` arithmetic of elements, not of indices?
static bool isArithmetic(Operation &op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         complex::ComplexDialect>(op.getDialect()) &&
         !op.getResult(0).getType().isIndex();
}

/// As many registers as hold the part of a thread.
static int64_t countRegisters(NewOp buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  ArrayRef<int64_t> own = type.getShape().drop_front(buffer.getThreads());
  auto bytes = countBufferBytes(MemRefType::get(own, type.getElementType()));
  return bytes ? llvm::divideCeil(*bytes, 4)
               : std::numeric_limits<int64_t>::max();
}

static void unroll(RewriterBase &rewriter, Operation *loop, unsigned first) {
  int64_t trips = *countIterations(loop, first);
  TypeSwitch<Operation *>(loop)
      .Case([&](SeqOp seq) {
        if (trips > 1 && seq.getUnroll() == 1)
          seq.setUnroll(trips);
      })
      .Case([&](ParOp par) {
        // In order is one of the orders that a thread may take.
        rewriter.setInsertionPoint(par);
        auto seq =
            SeqOp::create(rewriter, par.getLoc(), par.getBounds(), ValueRange(),
                          [](auto &&...) { return SmallVector<Value>(); });
        seq.setUnroll(std::max<int64_t>(trips, 1));
        rewriter.eraseOp(seq.getBody()->getTerminator());
        rewriter.mergeBlocks(par.getBody(), seq.getBody(), seq.getIndices());
        rewriter.eraseOp(par);
      })
      .Case([&](scf::ForOp scf) {
        if (trips > 1)
          setUnrollCount(scf, trips);
      })
      .Case([&](affine::AffineForOp affine) {
        // It stays a loop where upstream does not unroll it.
        std::ignore = affine::loopUnrollFull(affine);
      });
}

/// Iterations of `loop`, which reads 16 bytes in `count` of them, to put into
/// one body: all, where the loop would go round twice otherwise.
static int64_t countWide(Operation *loop, int64_t count,
                         const Unrolled &unrolled) {
  std::optional<int64_t> trips = countIterations(loop);
  if (!trips)
    return count;
  int64_t arithmetic = countOps(loop, unrolled, isArithmetic) * count;
  int64_t together =
      count *
      getUnrollCounts(arithmetic, *trips / count, /*accumulators=*/0).front();
  return 2 * together >= *trips ? *trips : together;
}

/// Puts `count` iterations into one body, if nothing is said of `loop` yet.
static void unrollWide(Operation *loop, int64_t count) {
  if (auto seq = dyn_cast<SeqOp>(loop)) {
    if (seq.getUnroll() == 1 && seq.getStages() == 1)
      seq.setUnroll(count);
  } else if (auto scf = dyn_cast<scf::ForOp>(loop)) {
    setUnrollCount(scf, count);
  }
}

static void explain(const PrivateBuffer &buffer) {
  remark::missed(buffer.op->getLoc(),
                 remark::RemarkOpts::name("LocalMemory").category("tc-unroll"))
      << remark::reason(
             "the buffer lies in local memory, not in registers: {0}",
             buffer.problem);
}

/// The loop of a thread that reads shared memory element by element along a row
/// in `access`, and how many of its iterations read 16 bytes.
static std::pair<Operation *, int64_t> findWideLoop(const NestAccess &access,
                                                    NestValues &values) {
  auto type = dyn_cast<MemRefType>(access.buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (access.writes || !access.isExact || !type ||
      !isInWorkgroupMemory(access.buffer) ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return {};
  int64_t count = countWideElements(type.getElementType());
  auto *fastest = llvm::find(strides, 1);
  bool areAligned = llvm::all_of(strides, [&](int64_t stride) {
    return stride == 1 || stride % count == 0;
  });
  if (fastest == strides.end() || llvm::count(strides, 1) != 1 || !areAligned)
    return {};
  Value run = findRun(access, std::distance(strides.begin(), fastest), count,
                      values, [](Value) { return true; });
  return {run ? run.getParentBlock()->getParentOp() : nullptr, count};
}

namespace {
struct UnrollPass : tc::impl::UnrollBase<UnrollPass> {
  void runOnOperation() override {
    NestValues values(&getContext());
    llvm::MapVector<Value, PrivateBuffer> buffers;
    getOperation().walk([&](NewOp op) {
      if (isInPrivateMemory(op.getResult()))
        buffers.insert({op.getResult(), PrivateBuffer{op, {}, ""}});
    });
    llvm::MapVector<Operation *, int64_t> wide;
    getOperation().walk([&](Operation *op) {
      for (const NestAccess &access : getAccesses(op, values)) {
        if (auto known = buffers.find(access.buffer); known != buffers.end())
          known->second.addAccess(access, values);
        if (auto [loop, count] = findWideLoop(access, values); loop)
          wide.insert({loop, count});
      }
    });
    Unrolled loops;
    for (auto &[value, buffer] : buffers)
      if (decide(buffer))
        for (auto [loop, first] : buffer.loops) {
          auto [known, isNew] = loops.insert({loop, first});
          known->second = std::min(known->second, first);
        }
    for (auto [loop, count] : wide)
      if (!loops.contains(loop) && countOps(loop, loops) <= kMostOps / count)
        unrollWide(loop, countWide(loop, count, loops));
    IRRewriter rewriter(&getContext());
    for (auto [loop, first] : loops)
      unroll(rewriter, loop, first);
  }

  /// Are the loops of `buffer` to be unrolled? A remark says why not.
  static bool decide(PrivateBuffer &buffer) {
    int64_t most = Machine().maxRegistersPerThread;
    if (int64_t registers = countRegisters(buffer.op);
        buffer.problem.empty() && registers > most)
      buffer.problem =
          llvm::formatv("it would take {0} registers of {1}", registers, most);
    for (auto [loop, first] : buffer.loops) {
      if (int64_t ops = countOps(loop, buffer.loops);
          buffer.problem.empty() && ops > kMostOps)
        buffer.problem = llvm::formatv(
            "its loops would be {0} ops once unrolled, and {1} are allowed",
            ops, kMostOps);
    }
    if (!buffer.problem.empty())
      explain(buffer);
    return buffer.problem.empty();
  }
};
} // namespace
