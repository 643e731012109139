//===- ParallelToTasks.cpp - The pass convert-parallel-to-tasks -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop reads from outside travels in a struct on the caller's stack, in
// the types that conversion to LLVM will give it; casts between these and the
// types of now go away there. A task takes it apart and calls the body, a
// function of its own, whose parameters can say that buffers are distinct.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTPARALLELTOTASKS
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// Runs tasks: (count, task, context). See tc-runtime/tc_package.h.
static constexpr StringLiteral kRunner = "tcPackageParallel";

namespace {
/// One parallel loop on its way out of its function.
class Outliner {
public:
  Outliner(scf::ParallelOp loop, bool isDistinct,
           const LLVMTypeConverter &types, SymbolTable &symbols)
      : loop(loop), isDistinct(isDistinct), types(types), symbols(symbols),
        builder(loop.getLoc(), loop) {}

  LogicalResult run();

private:
  LogicalResult capture();
  Value buildContext();
  Value buildCount();
  func::FuncOp buildFunction(StringRef suffix, FunctionType type);
  func::FuncOp buildBody();
  func::FuncOp buildTask(func::FuncOp body);
  SmallVector<Type> getParameters(Type type);
  SmallVector<Value> declareParameters(func::FuncOp body);
  SmallVector<Value> buildIndices(Value number);
  func::FuncOp declareRunner(FunctionType task);
  Value cast(Value value, Type type) {
    return UnrealizedConversionCastOp::create(builder, type, value)
        .getResult(0);
  }

  scf::ParallelOp loop;
  bool isDistinct; ///< no two buffers share elements of which one is written
  const LLVMTypeConverter &types;
  SymbolTable &symbols;
  ImplicitLocOpBuilder builder;
  SmallVector<Value> captured;
  SmallVector<Operation *> constants;
  LLVM::LLVMStructType context;
};
} // namespace

/// What the loop uses of outside, bounds included; constants are made anew.
LogicalResult Outliner::capture() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.getRegion(), used);
  used.insert_range(loop.getLowerBound());
  used.insert_range(loop.getUpperBound());
  used.insert_range(loop.getStep());
  SmallVector<Type> fields;
  for (Value value : used) {
    if (matchPattern(value, m_Constant())) {
      constants.push_back(value.getDefiningOp());
      continue;
    }
    Type field = types.convertType(value.getType());
    if (!field)
      return loop.emitOpError("expected values of types that LLVM has, got ")
             << value.getType();
    captured.push_back(value);
    fields.push_back(field);
  }
  context = LLVM::LLVMStructType::getLiteral(loop.getContext(), fields);
  return success();
}

Value Outliner::buildContext() {
  Value fields = LLVM::PoisonOp::create(builder, context);
  for (auto [i, value] : llvm::enumerate(captured))
    fields = LLVM::InsertValueOp::create(builder, fields,
                                         cast(value, context.getBody()[i]), i);
  Value memory;
  {
    OpBuilder::InsertionGuard guard(builder);
    auto function = loop->getParentOfType<func::FuncOp>();
    builder.setInsertionPointToStart(&function.front());
    Value one = LLVM::ConstantOp::create(builder, builder.getI64Type(), 1);
    memory = LLVM::AllocaOp::create(
        builder, LLVM::LLVMPointerType::get(builder.getContext()), context,
        one);
  }
  LLVM::StoreOp::create(builder, fields, memory);
  return memory;
}

/// Iterations along one dimension.
static Value buildTrips(ImplicitLocOpBuilder &builder, Value lower, Value upper,
                        Value step) {
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value span = builder.createOrFold<arith::SubIOp>(upper, lower);
  span = builder.createOrFold<arith::MaxSIOp>(span, zero);
  return builder.createOrFold<arith::CeilDivUIOp>(span, step);
}

Value Outliner::buildCount() {
  Value count = arith::ConstantIndexOp::create(builder, 1);
  for (auto [lower, upper, step] : llvm::zip_equal(
           loop.getLowerBound(), loop.getUpperBound(), loop.getStep()))
    count = builder.createOrFold<arith::MulIOp>(
        count, buildTrips(builder, lower, upper, step));
  return count;
}

/// The indices of iteration `number`, the last dimension fastest.
SmallVector<Value> Outliner::buildIndices(Value number) {
  SmallVector<Value> indices(loop.getNumLoops());
  for (unsigned d = loop.getNumLoops(); d-- != 0;) {
    Value lower = loop.getLowerBound()[d], step = loop.getStep()[d];
    Value digit = number;
    if (d != 0) {
      Value trips = buildTrips(builder, lower, loop.getUpperBound()[d], step);
      digit = builder.createOrFold<arith::RemUIOp>(number, trips);
      number = builder.createOrFold<arith::DivUIOp>(number, trips);
    }
    indices[d] = builder.createOrFold<arith::AddIOp>(
        lower, builder.createOrFold<arith::MulIOp>(digit, step));
  }
  return indices;
}

/// A private function after the one of the loop, in which building goes on.
func::FuncOp Outliner::buildFunction(StringRef suffix, FunctionType type) {
  auto function = loop->getParentOfType<func::FuncOp>();
  builder.setInsertionPointAfter(function);
  auto made =
      func::FuncOp::create(builder, (function.getName() + suffix).str(), type);
  made.setPrivate();
  symbols.insert(made, Block::iterator(made));
  builder.setInsertionPointToStart(made.addEntryBlock());
  return made;
}

/// The types of the parameters of the body for a value of `type`. Those of a
/// buffer that is distinct are the fields of its descriptor: of a memref the
/// conversion to LLVM forgets that.
SmallVector<Type> Outliner::getParameters(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || !isDistinct)
    return {type};
  return llvm::to_vector_of<Type>(
      types.getMemRefDescriptorFields(buffer, /*unpackAggregates=*/true));
}

/// What is captured, as the parameters of `body` give it.
SmallVector<Value> Outliner::declareParameters(func::FuncOp body) {
  SmallVector<Value> values;
  unsigned next = 0;
  for (Value value : captured) {
    Type type = value.getType();
    unsigned count = getParameters(type).size();
    ValueRange own = ValueRange(body.getArguments()).slice(next, count);
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || !isDistinct) {
      values.push_back(own.front());
    } else {
      for (unsigned i = 0; i != count; ++i)
        if (isa<LLVM::LLVMPointerType>(own[i].getType()))
          body.setArgAttr(next + i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
      values.push_back(cast(
          MemRefDescriptor::pack(builder, builder.getLoc(), types, buffer, own),
          buffer));
    }
    next += count;
  }
  return values;
}

/// The iterations of a range, as a function of what the loop uses, and the
/// range.
func::FuncOp Outliner::buildBody() {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> inputs;
  for (Value value : captured)
    llvm::append_range(inputs, getParameters(value.getType()));
  unsigned range = inputs.size();
  inputs.append(2, builder.getI64Type());
  func::FuncOp body =
      buildFunction(".tasks", builder.getFunctionType(inputs, {}));
  auto replace = [&](Value outer, Value inner) {
    outer.replaceUsesWithIf(inner, [&](OpOperand &use) {
      return loop->isAncestor(use.getOwner());
    });
  };
  for (Operation *constant : constants)
    for (auto [outer, inner] : llvm::zip_equal(
             constant->getResults(), builder.clone(*constant)->getResults()))
      replace(outer, inner);
  for (auto [value, inner] : llvm::zip_equal(captured, declareParameters(body)))
    replace(value, inner);
  auto toIndex = [&](unsigned argument) {
    return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                      body.getArgument(argument));
  };
  Value one = arith::ConstantIndexOp::create(builder, 1);
  auto numbers =
      scf::ForOp::create(builder, toIndex(range), toIndex(range + 1), one);
  func::ReturnOp::create(builder);
  builder.setInsertionPointToStart(numbers.getBody());
  SmallVector<Value> indices = buildIndices(numbers.getInductionVar());
  Block *iteration = loop.getBody();
  for (auto [old, index] : llvm::zip_equal(iteration->getArguments(), indices))
    old.replaceAllUsesWith(index);
  iteration->getTerminator()->erase();
  numbers.getBody()->getOperations().splice(
      numbers.getBody()->getTerminator()->getIterator(),
      iteration->getOperations());
  return body;
}

func::FuncOp Outliner::buildTask(func::FuncOp body) {
  OpBuilder::InsertionGuard guard(builder);
  Type number = builder.getI64Type();
  func::FuncOp task = buildFunction(
      ".task",
      builder.getFunctionType(
          {LLVM::LLVMPointerType::get(builder.getContext()), number, number},
          {}));
  SmallVector<Value> arguments;
  Value fields = LLVM::LoadOp::create(builder, context, task.getArgument(0));
  for (auto [i, value] : llvm::enumerate(captured)) {
    Value field = LLVM::ExtractValueOp::create(builder, fields, i);
    auto buffer = dyn_cast<MemRefType>(value.getType());
    if (buffer && isDistinct)
      MemRefDescriptor::unpack(builder, builder.getLoc(), field, buffer,
                               arguments);
    else
      arguments.push_back(cast(field, value.getType()));
  }
  arguments.append({task.getArgument(1), task.getArgument(2)});
  func::CallOp::create(builder, body, arguments);
  func::ReturnOp::create(builder);
  return task;
}

func::FuncOp Outliner::declareRunner(FunctionType task) {
  if (auto known = symbols.lookup<func::FuncOp>(kRunner))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(
      &loop->getParentOfType<ModuleOp>().getBodyRegion().front());
  auto runner = func::FuncOp::create(
      builder, kRunner,
      builder.getFunctionType({builder.getI64Type(), task, task.getInput(0)},
                              {}));
  runner.setPrivate();
  symbols.insert(runner);
  return runner;
}

LogicalResult Outliner::run() {
  if (failed(capture()))
    return failure();
  Value memory = buildContext();
  Value count =
      arith::IndexCastOp::create(builder, builder.getI64Type(), buildCount());
  func::FuncOp task = buildTask(buildBody());
  func::FuncOp runner = declareRunner(task.getFunctionType());
  Value address = func::ConstantOp::create(builder, task.getFunctionType(),
                                           task.getSymName());
  func::CallOp::create(builder, runner, ValueRange{count, address, memory});
  loop.erase();
  return success();
}

/// Buffers of fixed size on the stack, at the start of their function: in a
/// loop each round would take more.
static void hoistAllocas(func::FuncOp function) {
  SmallVector<memref::AllocaOp> allocas;
  function.walk([&](memref::AllocaOp op) {
    if (op.getDynamicSizes().empty() && op.getSymbolOperands().empty() &&
        op->getParentOfType<LoopLikeOpInterface>())
      allocas.push_back(op);
  });
  for (memref::AllocaOp op : llvm::reverse(allocas))
    op->moveBefore(&function.front(), function.front().begin());
}

namespace {
struct ConvertParallelToTasksPass
    : tc::impl::ConvertParallelToTasksBase<ConvertParallelToTasksPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    LLVMTypeConverter types(&getContext());
    SymbolTable symbols(module);
    SmallVector<scf::ParallelOp> loops;
    module.walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
      if (!loop->getParentOfType<func::FuncOp>())
        return WalkResult::skip();
      if (loop.getInitVals().empty())
        loops.push_back(loop);
      return WalkResult::skip();
    });
    auto distinct =
        getContext().getLoadedDialect<TCDialect>()->getDistinctAttrHelper();
    for (scf::ParallelOp loop : loops)
      if (failed(Outliner(loop, distinct.isAttrPresent(loop), types, symbols)
                     .run()))
        return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        hoistAllocas(function);
  }
};
} // namespace
