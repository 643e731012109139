//===- Workspace.cpp - Temporaries as parts of a workspace ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Temporaries live from where they are allocated to the end of their block, so
// they are placed as on a stack: a block's begin where those around it end.
// Blocks that follow each other share their places; work of one stream is done
// in its order.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/HostEntry.h"

#include "Copies.h"
#include "Products.h"
#include "Streams.h"

#include "tc-runtime/tc_package.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace mlir::tc {

/// Bytes of temporaries; a thread has a stack of 4 MiB.
static constexpr int64_t kMostOnStack = 1 << 20;

std::string getWorkspaceFunctionName(StringRef function) {
  return (function + ".workspace").str();
}

std::string getLimitSymbol(StringRef function, StringRef limit) {
  return (function + ".threshold." + limit).str();
}

//===----------------------------------------------------------------------===//
// One kind of allocation, no tokens
//===----------------------------------------------------------------------===//

/// gpu.alloc becomes memref.alloc, gpu.memcpy memref.copy; waiting and freeing
/// go away, and tokens with them: streams have been assigned.
static void simplifyMemoryOps(func::FuncOp function) {
  SetVector<Operation *> gone;
  function.walk([&](Operation *op) {
    OpBuilder builder(op);
    if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
      auto plain = memref::AllocOp::create(
          builder, op->getLoc(), alloc.getType(), alloc.getDynamicSizes(),
          alloc.getSymbolOperands());
      alloc.getMemref().replaceAllUsesWith(plain);
    } else if (auto copy = dyn_cast<gpu::MemcpyOp>(op)) {
      memref::CopyOp::create(builder, op->getLoc(), copy.getSrc(),
                             copy.getDst());
    } else if (!isa<gpu::WaitOp, gpu::DeallocOp, memref::DeallocOp>(op)) {
      return;
    }
    gone.insert(op);
  });
  for (Operation *op : gone)
    op->dropAllUses();
  for (Operation *op : gone)
    op->erase();
}

/// The same of a temporary. Reports what cannot be placed.
static FailureOr<int64_t> getElementBytes(memref::AllocOp op) {
  MemRefType type = op.getType();
  std::optional<int64_t> element = findElementBytes(type.getElementType());
  if (!element || !type.getLayout().isIdentity() || type.getMemorySpace())
    return op.emitError("expected a temporary of numbers in row-major order "
                        "in global memory, to be placed in workspace");
  return *element;
}

/// Moves what an iteration of a parallel loop allocates to the stack of the
/// thread that runs it, of which `left` bytes are left.
static LogicalResult moveToStack(memref::AllocOp op, scf::ParallelOp loop,
                                 int64_t &left) {
  MemRefType type = op.getType();
  FailureOr<int64_t> element = getElementBytes(op);
  if (failed(element))
    return failure();
  if (type.getNumElements() > left / *element)
    return op.emitError("expected temporaries of at most ")
           << kMostOnStack << " bytes in iterations of parallel loops, got "
           << type << " where " << left << " bytes are left";
  left -= type.getNumElements() * *element;
  auto builder = OpBuilder::atBlockBegin(loop.getBody());
  Value buffer = memref::AllocaOp::create(builder, op.getLoc(), type,
                                          op.getAlignmentAttr());
  op.replaceAllUsesWith(buffer);
  op.erase();
  return success();
}

/// What a loop allocates anew each time, and always of one size, once. What the
/// iterations of a parallel loop allocate is each one's own.
static LogicalResult hoistStaticAllocs(func::FuncOp function) {
  Block &entry = function.front();
  int64_t left = kMostOnStack;
  SmallVector<memref::AllocOp> nested;
  function.walk([&](memref::AllocOp op) {
    if (op->getParentOfType<LoopLikeOpInterface>() &&
        op.getType().hasStaticShape())
      nested.push_back(op);
  });
  for (memref::AllocOp op : nested) {
    if (auto loop = op->getParentOfType<scf::ParallelOp>()) {
      if (failed(moveToStack(op, loop, left)))
        return failure();
      continue;
    }
    op->moveBefore(&entry, entry.begin());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Gives each allocation of a function its place.
class Placer {
public:
  /// With `most`, a place for an index, that will hold the bytes that are used.
  explicit Placer(func::FuncOp function, Value most = {})
      : builder(function.getContext()), entry(function.front()),
        workspace(entry.getArgument(entry.getNumArguments() - 2)), most(most) {
    builder.setInsertionPointToStart(&entry);
    start = constant(function.getLoc(), 0);
  }

  LogicalResult run() { return place(entry, start); }

private:
  Value constant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  FailureOr<Value> sizeOf(memref::AllocOp op);
  LogicalResult place(Block &block, Value offset);
  LogicalResult placeAlloc(memref::AllocOp op, Value &offset);

  OpBuilder builder;
  Block &entry;
  Value workspace, start, most;
};
} // namespace

/// Bytes, as a multiple of the alignment.
FailureOr<Value> Placer::sizeOf(memref::AllocOp op) {
  Location loc = op.getLoc();
  FailureOr<int64_t> element = getElementBytes(op);
  if (failed(element))
    return failure();
  builder.setInsertionPoint(op);
  Value size = constant(loc, *element);
  for (OpFoldResult extent : op.getMixedSizes())
    size = arith::MulIOp::create(
        builder, loc, size,
        getValueOrCreateConstantIndexOp(builder, loc, extent));
  Value mask = constant(loc, ~int64_t(TC_WORKSPACE_ALIGNMENT - 1));
  Value rest = constant(loc, TC_WORKSPACE_ALIGNMENT - 1);
  size = arith::AddIOp::create(builder, loc, size, rest);
  return arith::AndIOp::create(builder, loc, size, mask).getResult();
}

/// Is `buffer`, or a view of it, handed on by its block?
static bool leavesItsBlock(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return true;
    return isa<ViewLikeOpInterface>(user) && leavesItsBlock(user->getResult(0));
  });
}

LogicalResult Placer::placeAlloc(memref::AllocOp op, Value &offset) {
  if (leavesItsBlock(op))
    return op.emitError("expected a temporary that is used in its own block "
                        "alone, to be placed in workspace");
  FailureOr<Value> size = sizeOf(op);
  if (failed(size))
    return failure();
  Location loc = op.getLoc();
  auto view = memref::ViewOp::create(builder, loc, op.getType(), workspace,
                                     offset, op.getDynamicSizes());
  offset = arith::AddIOp::create(builder, loc, offset, *size);
  if (most) {
    Value before = memref::LoadOp::create(builder, loc, most);
    Value both = arith::MaxSIOp::create(builder, loc, before, offset);
    memref::StoreOp::create(builder, loc, both, most);
  }
  op.replaceAllUsesWith(view.getResult());
  op.erase();
  return success();
}

LogicalResult Placer::place(Block &block, Value offset) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      if (failed(placeAlloc(alloc, offset)))
        return failure();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(place(inner, offset)))
          return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// How much
//===----------------------------------------------------------------------===//

/// Does `value` depend on where a buffer lies?
static bool dependsOnAddress(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  // Where a library does without a temporary, it has room all the same.
  options.filter = [](Operation *op) { return !isProductCall(op); };
  if (failed(getBackwardSlice(value, &slice, options)))
    return true;
  return llvm::any_of(slice, [](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) // of a limit, for example
      return !load.getMemref().getDefiningOp<memref::GetGlobalOp>();
    return isa<memref::ExtractAlignedPointerAsIndexOp>(op);
  });
}

/// Whoever asks for the size has extents and strides, and no buffers yet.
static LogicalResult checkSizesAreKnown(func::FuncOp function) {
  WalkResult result = function.walk([](memref::AllocOp op) {
    Operation *parent = op->getParentOp();
    for (; !isa<func::FuncOp>(parent); parent = parent->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(parent);
      if (branch && !dependsOnAddress(branch.getCondition()))
        continue;
      op.emitError("expected a temporary whose size follows from extents and "
                   "strides, to be placed in workspace");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Erases what a function does beside writing to `kept`.
static void eraseEffects(func::FuncOp function, Value kept) {
  llvm::DenseSet<Operation *> needed;
  for (Operation *user : kept.getUsers())
    for (Operation *op = user; op && op != function; op = op->getParentOp())
      needed.insert(op);
  SmallVector<Operation *> gone;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || needed.contains(op) || op->getNumResults() != 0 ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    gone.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : gone)
    op->erase();
  // What is left may still touch buffers, as an atomic update whose old element
  // nobody uses. Ops of a region come before the op that has it.
  SmallVector<Operation *> left;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && !needed.contains(op) && op->getNumResults() != 0)
      left.push_back(op);
  });
  for (Operation *op : llvm::reverse(left))
    if (op->use_empty())
      op->erase();
}

/// The function that tells the bytes of workspace; `function` has its final
/// arguments, and its temporaries still.
static LogicalResult addWorkspaceFunction(func::FuncOp function) {
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  auto clone = cast<func::FuncOp>(builder.clone(*function));
  clone.setName(getWorkspaceFunctionName(function.getName()));
  assumeNoLibrary(clone);
  clone.setType(builder.getFunctionType(clone.getArgumentTypes(),
                                        {builder.getIndexType()}));
  Location loc = clone.getLoc();
  builder.setInsertionPointToStart(&clone.front());
  Value most = memref::AllocaOp::create(
      builder, loc, MemRefType::get({}, builder.getIndexType()));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  memref::StoreOp::create(builder, loc, zero, most);
  if (failed(Placer(clone, most).run()))
    return failure();
  eraseEffects(clone, most);
  Operation *terminator = clone.front().getTerminator();
  builder.setInsertionPoint(terminator);
  Value bytes = memref::LoadOp::create(builder, loc, most);
  func::ReturnOp::create(builder, loc, bytes);
  terminator->erase();
  return success();
}

/// Memory of the host is copied in turn with kernels. All else would come
/// before them, since a call waits for none.
static LogicalResult checkHostMemory(func::FuncOp function) {
  auto isOfHost = [](Value value) {
    auto type = dyn_cast<BaseMemRefType>(value.getType());
    return type && type.getMemorySpace();
  };
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (isa<gpu::MemcpyOp, memref::CopyOp>(op) || isMemoryEffectFree(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        !(llvm::any_of(op->getOperands(), isOfHost) ||
          llvm::any_of(op->getResults(), isOfHost)))
      return WalkResult::advance();
    return op->emitError("expected nothing but copies of memory of the host in "
                         "a package, whose calls do not wait for kernels, got "
                         "'")
           << op->getName() << "'";
  });
  return failure(result.wasInterrupted());
}

LogicalResult placeTemporaries(func::FuncOp function) {
  if (failed(checkHostMemory(function)))
    return failure();
  OpBuilder builder(function);
  auto bytes =
      MemRefType::get({ShapedType::kDynamic}, builder.getIntegerType(8));
  unsigned number = function.getNumArguments();
  for (Type type : {Type(bytes), Type(builder.getIndexType())})
    if (failed(function.insertArgument(number++, type, {}, function.getLoc())))
      return failure();
  if (failed(assignStreams(function, function.front().getArguments().back())))
    return failure();
  simplifyMemoryOps(function);
  if (failed(hoistStaticAllocs(function)) ||
      failed(checkSizesAreKnown(function)) ||
      failed(addWorkspaceFunction(function)) || failed(Placer(function).run()))
    return failure();
  Value call = function.front().getArguments().back();
  if (failed(lowerProductCalls(function, call)))
    return failure();
  return lowerCopies(function, call);
}

} // namespace mlir::tc
