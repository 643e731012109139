//===- TCToGPUKernel.cpp - The launch of a kernel -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"

#include "tc/Algebra/Strategies.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

/// `name` with what PTX does not take in a name replaced.
static std::string getKernelName(StringRef name) {
  std::string result = name.str();
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      c = '_';
  return result;
}

/// The kernel is called as its function and the variant it is; further ones of
/// one name are numbered.
void KernelBuilder::nameKernel() {
  auto function = launch->getParentOfType<func::FuncOp>();
  std::string name = getKernelName(function.getName());
  auto kernels = getKernelModule(function->getParentOfType<ModuleOp>(),
                                 name + "_kernels", indexWidth);
  if (variant && variant.getName())
    name += "_" + getKernelName(variant.getName());
  llvm::StringSet<> taken;
  function.walk([&](gpu::LaunchOp other) {
    if (FlatSymbolRefAttr kernel = other.getFunctionAttr())
      taken.insert(kernel.getValue());
  });
  std::string unique = name;
  for (unsigned i = 1; taken.contains(unique); ++i)
    unique = name + "_" + std::to_string(i);
  launch.setModuleAttr(FlatSymbolRefAttr::get(kernels));
  launch.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), unique));
  keepResident(kernels, unique);
}

/// Outlining keeps nothing that a launch says but its name.
void KernelBuilder::keepResident(gpu::GPUModuleOp kernels, StringRef name) {
  auto helper = TCDialect::ResidentAttrHelper(builder.getContext());
  Attribute resident = helper.getAttr(grid);
  if (!resident)
    return;
  NamedAttrList byKernel;
  if (Attribute others = helper.getAttr(kernels))
    byKernel = cast<DictionaryAttr>(others);
  byKernel.set(name, resident);
  helper.setAttr(kernels, byKernel.getDictionary(builder.getContext()));
}

/// The launch itself, `extents` blocks of `blockSize` threads, with an empty
/// body.
void KernelBuilder::buildLaunch(ValueRange extents) {
  Location loc = grid.getLoc();
  SmallVector<Value> cluster(3);
  if (hasClusters)
    for (auto [size, extent] : llvm::zip(cluster, clusterSize))
      size = buildConstant(loc, extent);
  launch = gpu::LaunchOp::create(
      builder, loc, extents[0], extents[1], extents[2],
      buildConstant(loc, blockSize[0]), buildConstant(loc, blockSize[1]),
      buildConstant(loc, blockSize[2]),
      /*dynamicSharedMemorySize=*/{}, /*asyncTokenType=*/{},
      /*asyncDependencies=*/{}, /*workgroupAttributions=*/{},
      /*privateAttributions=*/{}, cluster[0], cluster[1], cluster[2]);
  // LLVM 22 leaves the numbers of clusters out of the region it makes.
  Block &body = launch.getBody().front();
  while (body.getNumArguments() < launch.getNumConfigRegionAttributes())
    body.addArgument(builder.getIndexType(), loc);
  nameKernel();
  builder.setInsertionPointToEnd(&launch.getBody().front());
  auto terminator = gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPoint(terminator);
}

FailureOr<KernelBuilder::LaunchPlan> KernelBuilder::planLaunch() {
  FailureOr<Mapping> mapping = getMapping(grid);
  if (failed(mapping) || failed(measureBlock()))
    return failure();
  auto dim = [&](unsigned i) { return builder.getAffineDimExpr(i); };
  Axes block = {dim(0), dim(1), dim(2)}, thread = {dim(3), dim(4), dim(5)};
  if (grid.getLevel() == Level::Grid) {
    // The launch counts blocks, the mapping clusters where there are any.
    Axes axes = *mapping->axes();
    auto [x, y, z] = clusterSize;
    return LaunchPlan{{axes.x * x, axes.y * y, axes.z * z},
                      Recovery(*mapping, mapping->threadAt(block))};
  }
  std::optional<LaunchExtents> launch = mapping->launch();
  if (!launch)
    return grid.emitOpError("expected a mapping that ends in grid_block");
  auto extents = getStaticExtents(launch->block);
  if (!extents)
    return grid.emitOpError("expected a block of static extents");
  blockSize = *extents;
  return LaunchPlan{launch->grid,
                    Recovery(*mapping, mapping->threadAt(block, thread))};
}

LogicalResult KernelBuilder::run() {
  FailureOr<LaunchPlan> plan = planLaunch();
  if (failed(plan))
    return failure();
  SmallVector<AffineExpr> extents = {plan->grid.x, plan->grid.y, plan->grid.z};
  // Without iterations there is nothing to launch, and no way to.
  if (isEmpty(grid) || llvm::is_contained(blockSize, 0)) {
    grid.erase();
    return success();
  }
  Location loc = grid.getLoc();
  builder.setInsertionPoint(grid);
  // There would be nothing to launch, and no way to.
  enter(buildNonEmpty(grid));
  // What depends on run-time bounds alone is computed once, by the host.
  Recovery &recovery = plan->recovery;
  SmallVector<Value> symbols(grid->getOperands());
  for (MutableArrayRef<AffineExpr> exprs :
       {MutableArrayRef(extents), MutableArrayRef(recovery.indices),
        MutableArrayRef(recovery.guards)})
    hoistSymbolic(builder, loc, exprs, symbols);
  buildLaunch(llvm::map_to_vector(extents, [&](AffineExpr extent) {
    return expandIndex(builder, loc, extent, /*dims=*/{}, symbols);
  }));

  gpu::KernelDim3 thread = launch.getThreadIds(), block = launch.getBlockIds();
  if (hasClusters)
    block = *launch.getClusterIds();
  // Along an axis of one thread the coordinate is 0.
  auto getCoordinate = [&](unsigned axis) {
    return axis > 0 && blockSize[axis] == 1 ? builder.getAffineConstantExpr(0)
                                            : builder.getAffineDimExpr(axis);
  };
  AffineExpr tx = getCoordinate(0), ty = getCoordinate(1),
             tz = getCoordinate(2);
  threadNumber =
      expandIndex(builder, loc, tx + (ty + tz * blockSize[1]) * blockSize[0],
                  {thread.x, thread.y, thread.z});
  Value guard = recovery.bind(
      builder, grid, {block.x, block.y, block.z, thread.x, thread.y, thread.z},
      symbols, mapping);
  // In a grid it is the same for all threads of a block, so barriers inside are
  // safe; on a device there are none.
  enter(guard);
  if (failed(emitOps(*grid.getBody())))
    return failure();
  grid.erase();
  passArguments(launch, indexWidth);
  return success();
}
