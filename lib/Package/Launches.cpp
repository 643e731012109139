//===- Launches.cpp - Launches as calls of the runtime --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each gpu.launch_func of host code in the LLVM dialect becomes a call of
// tcPackageLaunch with the kernel's number, so that no driver is linked.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/HostEntry.h"
#include "tc/Package/Overlap.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// Rewrites the launches of one module.
class LaunchLowering {
public:
  explicit LaunchLowering(ModuleOp module)
      : module(module), builder(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        word(builder.getI64Type()) {}

  LogicalResult run();

  SmallVector<LaunchedKernel> kernels;

private:
  int64_t numberOf(gpu::LaunchFuncOp launch);
  Value constant(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, word,
                                    builder.getI64IntegerAttr(value));
  }
  /// Memory of the function's frame.
  Value reserve(LLVM::LLVMFuncOp function, Type type, int64_t count);
  void store(Location loc, Value value, Value array, Type type, int64_t at);
  Value storeShape(gpu::LaunchFuncOp launch, LLVM::LLVMFuncOp function);
  Value storeParameters(gpu::LaunchFuncOp launch, LLVM::LLVMFuncOp function);
  Value findCall(Location loc, LLVM::LLVMFuncOp function);
  LogicalResult lower(gpu::LaunchFuncOp launch, LLVM::LLVMFuncOp runtime);
  LogicalResult lowerOverlaps();

  ModuleOp module;
  OpBuilder builder;
  Type pointer, word;
};
} // namespace

int64_t LaunchLowering::numberOf(gpu::LaunchFuncOp launch) {
  StringRef binary = launch.getKernelModuleName().getValue();
  StringRef kernel = launch.getKernelName().getValue();
  auto *found = llvm::find_if(kernels, [&](const LaunchedKernel &known) {
    return known.module == binary && known.kernel == kernel;
  });
  int64_t number = found - kernels.begin();
  if (found == kernels.end())
    kernels.push_back({binary.str(), kernel.str()});
  return number;
}

Value LaunchLowering::reserve(LLVM::LLVMFuncOp function, Type type,
                              int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  Value size = constant(function.getLoc(), count);
  return LLVM::AllocaOp::create(builder, function.getLoc(), pointer, type,
                                size);
}

void LaunchLowering::store(Location loc, Value value, Value array, Type type,
                           int64_t at) {
  Value place = LLVM::GEPOp::create(builder, loc, pointer, type, array,
                                    ArrayRef<LLVM::GEPArg>{int32_t(at)});
  LLVM::StoreOp::create(builder, loc, value, place);
}

Value LaunchLowering::storeShape(gpu::LaunchFuncOp launch,
                                 LLVM::LLVMFuncOp function) {
  Location loc = launch.getLoc();
  Value shape = reserve(function, word, 9);
  int64_t at = 0;
  auto storeDims = [&](gpu::KernelDim3 dims) {
    for (Value dim : {dims.x, dims.y, dims.z}) {
      if (dim.getType() != word)
        dim = LLVM::ZExtOp::create(builder, loc, word, dim);
      store(loc, dim, shape, word, at++);
    }
  };
  storeDims(launch.getGridSizeOperandValues());
  storeDims(launch.getBlockSizeOperandValues());
  if (launch.hasClusterSize())
    return storeDims(launch.getClusterSizeOperandValues()), shape;
  while (at != 9)
    store(loc, constant(loc, 0), shape, word, at++);
  return shape;
}

Value LaunchLowering::storeParameters(gpu::LaunchFuncOp launch,
                                      LLVM::LLVMFuncOp function) {
  Location loc = launch.getLoc();
  auto operands = launch.getKernelOperands();
  Value list = reserve(function, pointer, operands.size());
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Value place = reserve(function, operand.getType(), 1);
    LLVM::StoreOp::create(builder, loc, operand, place);
    store(loc, place, list, pointer, number);
  }
  return list;
}

/// Where a function has what the runtime is to know it by.
Value LaunchLowering::findCall(Location loc, LLVM::LLVMFuncOp function) {
  return LLVM::IntToPtrOp::create(builder, loc, pointer,
                                  function.front().getArguments().back());
}

/// The calls before launches that may begin early are for our own runtime.
LogicalResult LaunchLowering::lowerOverlaps() {
  auto mgpu = module.lookupSymbol<LLVM::LLVMFuncOp>(kMgpuOverlapName);
  if (!mgpu)
    return success();
  FailureOr<LLVM::LLVMFuncOp> runtime =
      LLVM::lookupOrCreateFn(builder, module, kPackageOverlapName, pointer,
                             LLVM::LLVMVoidType::get(module.getContext()));
  if (failed(runtime))
    return failure();
  SmallVector<LLVM::CallOp> calls;
  module.walk([&](LLVM::CallOp call) {
    if (call.getCallee() == kMgpuOverlapName)
      calls.push_back(call);
  });
  for (LLVM::CallOp call : calls) {
    builder.setInsertionPoint(call);
    auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
    LLVM::CallOp::create(builder, call.getLoc(), *runtime,
                         findCall(call.getLoc(), function));
    call.erase();
  }
  mgpu.erase();
  return success();
}

LogicalResult LaunchLowering::lower(gpu::LaunchFuncOp launch,
                                    LLVM::LLVMFuncOp runtime) {
  auto function = launch->getParentOfType<LLVM::LLVMFuncOp>();
  if (!function || launch.getAsyncObject() || launch.getAsyncToken())
    return launch.emitError("expected a launch on the caller's stream");
  builder.setInsertionPoint(launch);
  Location loc = launch.getLoc();
  Value call = findCall(loc, function);
  Value shared = launch.getDynamicSharedMemorySize();
  shared = shared ? LLVM::ZExtOp::create(builder, loc, word, shared).getResult()
                  : constant(loc, 0);
  Value shape = storeShape(launch, function);
  Value parameters = storeParameters(launch, function);
  LLVM::CallOp::create(builder, loc, runtime,
                       ValueRange{call, constant(loc, numberOf(launch)), shape,
                                  shared, parameters});
  launch.erase();
  return success();
}

LogicalResult LaunchLowering::run() {
  SmallVector<gpu::LaunchFuncOp> launches;
  module.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
  Type types[] = {pointer, word, pointer, word, pointer};
  FailureOr<LLVM::LLVMFuncOp> runtime =
      LLVM::lookupOrCreateFn(builder, module, "tcPackageLaunch", types,
                             LLVM::LLVMVoidType::get(module.getContext()));
  if (failed(runtime))
    return failure();
  for (gpu::LaunchFuncOp launch : launches)
    if (failed(lower(launch, *runtime)))
      return failure();
  if (failed(lowerOverlaps()))
    return failure();
  for (auto binary : llvm::to_vector(module.getOps<gpu::BinaryOp>()))
    binary.erase();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  return success();
}

FailureOr<SmallVector<LaunchedKernel>> lowerLaunches(ModuleOp module) {
  LaunchLowering lowering(module);
  if (failed(lowering.run()))
    return failure();
  return std::move(lowering.kernels);
}

} // namespace mlir::tc
