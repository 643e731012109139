//===- TCToGPUKernel.cpp - The launch of a kernel -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"
#include "TCToLoops/TCToLoops.h"

#include "tc/Algebra/Strategies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Outlining keeps nothing that a launch says but its name.
static void keepResident(KernelContext &kernel, gpu::GPUModuleOp kernels,
                         StringRef name) {
  auto helper = TCDialect::ResidentAttrHelper(kernels.getContext());
  if (!kernel.resident)
    return;
  NamedAttrList byKernel;
  if (Attribute others = helper.getAttr(kernels))
    byKernel = cast<DictionaryAttr>(others);
  byKernel.set(name, kernel.resident);
  helper.setAttr(kernels, byKernel.getDictionary(kernels.getContext()));
}

/// The kernel is called as its function and the variant it is; further ones of
/// one name are numbered.
static void nameKernel(KernelContext &kernel) {
  auto function = kernel.launch->getParentOfType<func::FuncOp>();
  std::string name = getKernelName(function.getName());
  auto kernels = getKernelModule(function->getParentOfType<ModuleOp>(),
                                 name + "_kernels", kernel.getIndexWidth());
  if (kernel.variant && kernel.variant.getName())
    name += "_" + getKernelName(kernel.variant.getName());
  llvm::StringSet<> taken;
  function.walk([&](gpu::LaunchOp other) {
    if (FlatSymbolRefAttr kernel = other.getFunctionAttr())
      taken.insert(kernel.getValue());
  });
  std::string unique = name;
  for (unsigned i = 1; taken.contains(unique); ++i)
    unique = name + "_" + std::to_string(i);
  kernel.launch.setModuleAttr(FlatSymbolRefAttr::get(kernels));
  kernel.launch.setFunctionAttr(
      FlatSymbolRefAttr::get(kernel.builder.getContext(), unique));
  keepResident(kernel, kernels, unique);
}

/// The launch itself, with an empty body; `extents` are those of the grid, then
/// of the block.
static void buildLaunch(KernelContext &kernel, ValueRange extents) {
  OpBuilder &builder = kernel.builder;
  Location loc = kernel.grid.getLoc();
  SmallVector<Value> cluster(3);
  if (kernel.hasClusters)
    for (auto [value, size] : llvm::zip_equal(cluster, kernel.clusterSize))
      value = arith::ConstantIndexOp::create(builder, loc, size);
  kernel.launch = gpu::LaunchOp::create(
      builder, loc, extents[0], extents[1], extents[2], extents[3], extents[4],
      extents[5],
      /*dynamicSharedMemorySize=*/{}, /*asyncTokenType=*/{},
      /*asyncDependencies=*/{}, /*workgroupAttributions=*/{},
      /*privateAttributions=*/{}, cluster[0], cluster[1], cluster[2]);
  // LLVM 22 leaves the numbers of clusters out of the region it makes.
  Block &body = kernel.launch.getBody().front();
  while (body.getNumArguments() < kernel.launch.getNumConfigRegionAttributes())
    body.addArgument(builder.getIndexType(), loc);
  nameKernel(kernel);
  builder.setInsertionPointToEnd(&body);
  auto terminator = gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPoint(terminator);
}

namespace {
struct LaunchPlan {
  Axes grid, block;
  /// Over the number of the block along x, y, z, and of the thread, and the
  /// indices of its loops.
  Recovery recovery;
  SmallVector<AffineExpr> loops = {}; ///< extents
};
} // namespace

static FailureOr<LaunchPlan> planLaunch(KernelContext &kernel) {
  ParOp grid = kernel.grid;
  FailureOr<Mapping> mapping = getMapping(grid);
  if (failed(mapping) || failed(measureBlock(kernel)))
    return failure();
  auto dim = [&](unsigned i) { return kernel.builder.getAffineDimExpr(i); };
  Axes block = {dim(0), dim(1), dim(2)}, thread = {dim(3), dim(4), dim(5)};
  if (grid.getLevel() == Level::Grid) {
    // The launch counts blocks, the mapping clusters where there are any.
    Axes axes = *mapping->axes();
    auto [x, y, z] = kernel.clusterSize;
    auto size = llvm::map_to_vector(kernel.blockSize, [&](int64_t extent) {
      return kernel.builder.getAffineConstantExpr(extent);
    });
    return LaunchPlan{{axes.x * x, axes.y * y, axes.z * z},
                      {size[0], size[1], size[2]},
                      Recovery(*mapping, mapping->threadAt(block))};
  }
  std::optional<LaunchExtents> launch = mapping->launch();
  if (!launch)
    return grid.emitOpError("expected a mapping that ends in grid_block");
  // Of dynamic extents the launch says whether they are too large.
  kernel.blockSize =
      getStaticExtents(launch->block).value_or(std::array<int64_t, 3>{1, 1, 1});
  SmallVector<AffineExpr> loops;
  for (unsigned l = 0, e = mapping->serialRank(); l < e; ++l)
    loops.push_back(dim(6 + l));
  return LaunchPlan{launch->grid, launch->block,
                    Recovery(*mapping, mapping->threadAt(block, thread, loops)),
                    mapping->serialExtents()};
}

/// The number of this thread in its block of these extents along x, y and z.
static Value buildThreadNumber(KernelContext &kernel,
                               ArrayRef<AffineExpr> extents,
                               ValueRange symbols) {
  OpBuilder &builder = kernel.builder;
  // Along an axis of one thread the coordinate is 0.
  auto getCoordinate = [&](unsigned axis) {
    return staticValue(extents[axis]) == 1 ? builder.getAffineConstantExpr(0)
                                           : builder.getAffineDimExpr(axis);
  };
  AffineExpr tx = builder.getAffineDimExpr(0), ty = getCoordinate(1),
             tz = getCoordinate(2);
  gpu::KernelDim3 thread = kernel.launch.getThreadIds();
  return expandIndex(builder, kernel.grid.getLoc(),
                     tx + (ty + tz * extents[1]) * extents[0],
                     {thread.x, thread.y, thread.z}, symbols);
}

static bool addsTermsOfWarps(ParOp grid) {
  auto isOfWarps = [](SeqOp loop) {
    return containsOp(loop, [](Operation *op) {
      auto par = dyn_cast<ParOp>(op);
      return par && par.getLevel() == Level::Warp;
    });
  };
  return collectOps<SeqOp>(grid, isOfWarps).size() > 1;
}

Value mlir::tc::hideThreadNumber(KernelContext &kernel, Location loc) {
  OpBuilder &builder = kernel.builder;
  Type word = builder.getI32Type();
  Value number =
      arith::IndexCastUIOp::create(builder, loc, word, kernel.threadNumber);
  // Said to have effects, so that two of them are not one.
  auto hidden = LLVM::InlineAsmOp::create(
      builder, loc, word, number, "mov.u32 $0, $1;", "=r,r",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      hidden.getResult(0));
}

/// The values of the symbols of `grid`'s space. A step of 0 leaves the program
/// without meaning, but the host, which divides by it, must not trap.
static SmallVector<Value> getSymbols(OpBuilder &builder, ParOp grid) {
  SmallVector<Value> symbols(grid->getOperands());
  unsigned first = grid.getLower().size() + grid.getUpper().size();
  for (Value &step :
       MutableArrayRef(symbols).slice(first, grid.getStep().size()))
    step = builder.createOrFold<arith::MaxSIOp>(
        grid.getLoc(), step,
        arith::ConstantIndexOp::create(builder, grid.getLoc(), 1));
  return symbols;
}

/// Makes a second kernel, with indices of 32 bits, where the host can tell at
/// run time that these are enough. `tc-variants` has done so for contractions.
static void addNarrowKernel(KernelContext &kernel) {
  OpBuilder &builder = kernel.builder;
  if (kernel.variant)
    return;
  Value fits = buildFitsInWords(builder, kernel.launch);
  if (!fits)
    return;
  builder.setInsertionPoint(kernel.launch);
  auto branch = scf::IfOp::create(builder, kernel.launch.getLoc(), fits,
                                  /*withElseRegion=*/true);
  kernel.launch->moveBefore(branch.elseBlock()->getTerminator());
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  KernelContext narrow = kernel;
  narrow.launch = cast<gpu::LaunchOp>(builder.clone(*kernel.launch));
  narrow.launch.removeFunctionAttr();
  narrow.variant = VariantAttr::get(builder.getContext(),
                                    builder.getStringAttr("i32"), /*index=*/32,
                                    /*alignment=*/1);
  nameKernel(narrow);
  passArguments(narrow.launch, narrow.getIndexWidth());
}

LogicalResult mlir::tc::lowerGrid(KernelContext &kernel) {
  IRRewriter &builder = kernel.builder;
  ParOp grid = kernel.grid;
  kernel.resident =
      TCDialect::ResidentAttrHelper(grid.getContext()).getAttr(grid);
  FailureOr<LaunchPlan> plan = planLaunch(kernel);
  if (failed(plan))
    return failure();
  SmallVector<AffineExpr> extents = {plan->grid.x,  plan->grid.y,
                                     plan->grid.z,  plan->block.x,
                                     plan->block.y, plan->block.z};
  // Without iterations there is nothing to launch, and no way to.
  if (isEmpty(grid) || llvm::is_contained(kernel.blockSize, 0)) {
    builder.eraseOp(grid);
    return success();
  }
  Location loc = grid.getLoc();
  builder.setInsertionPoint(grid);
  // There would be nothing to launch, and no way to.
  enter(builder, buildNonEmpty(builder, grid));
  // What depends on run-time bounds alone is computed once, by the host.
  Recovery &recovery = plan->recovery;
  SmallVector<Value> symbols = getSymbols(builder, grid);
  for (MutableArrayRef<AffineExpr> exprs :
       {MutableArrayRef(extents), MutableArrayRef(plan->loops),
        MutableArrayRef(recovery.indices), MutableArrayRef(recovery.guards)})
    hoistSymbolic(builder, loc, exprs, symbols);
  buildLaunch(kernel, llvm::map_to_vector(extents, [&](AffineExpr extent) {
                return expandIndex(builder, loc, extent, /*dims=*/{}, symbols);
              }));
  kernel.threadNumber =
      buildThreadNumber(kernel, ArrayRef(extents).take_back(3), symbols);
  kernel.addsTermsOfWarps = addsTermsOfWarps(grid);
  gpu::KernelDim3 thread = kernel.launch.getThreadIds(),
                  block = kernel.hasClusters ? *kernel.launch.getClusterIds()
                                             : kernel.launch.getBlockIds();
  SmallVector<Value> coordinates = {block.x,  block.y,  block.z,
                                    thread.x, thread.y, thread.z};
  llvm::append_range(coordinates,
                     enterLoops(builder, loc, plan->loops, symbols));
  // In a grid the condition is the same for all threads of a block, so barriers
  // inside are safe; on a device there are none.
  if (failed(lowerNest(kernel, grid, recovery, coordinates, symbols)))
    return failure();
  for (ParOp op : collectOps<ParOp>(kernel.launch)) {
    builder.eraseOp(op.getBody()->getTerminator());
    builder.inlineBlockBefore(op.getBody(), op, op.getIndices());
    builder.eraseOp(op);
  }
  // Last ones first: each is of the buffer below those that it is a view of.
  SmallVector<ViewOp> views = collectOps<ViewOp>(kernel.launch);
  for (ViewOp op : llvm::reverse(views)) {
    builder.setInsertionPoint(op);
    lowerView(builder, op);
  }
  optIntoSharedMemory(kernel);
  addNarrowKernel(kernel);
  passArguments(kernel.launch, kernel.getIndexWidth());
  return success();
}
