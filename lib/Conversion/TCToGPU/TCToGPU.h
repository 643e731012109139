//===- TCToGPU.h - Pieces of convert-tc-to-gpu ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest moves into a launch, and its ops are lowered where they stand, outer
// ones before inner ones. Each tc.par stays round its body until all is
// lowered, since the ops inside ask whose iteration they are; see lowerNest in
// TCToGPUNests.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TCTOGPU_H
#define TC_LIB_CONVERSION_TCTOGPU_TCTOGPU_H

#include "tc/IR/TC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// The kernel that a tc.par grid becomes.
struct KernelContext {
  IRRewriter &builder;
  ParOp grid;
  MachineAttr machine;
  VariantAttr variant;
  bool hasClusters = grid.hasClusters();
  gpu::LaunchOp launch = {};
  /// Blocks that a multiprocessor is to hold; null if nobody asked.
  Attribute resident = {};
  /// Threads of a block, and blocks of a cluster, along x, y and z.
  std::array<int64_t, 3> blockSize = {1, 1, 1}, clusterSize = {1, 1, 1};
  /// The number of this thread in its block.
  Value threadNumber = {};
  /// Do warps compute together in several loops, one for each term of a sum?
  bool addsTermsOfWarps = false;
  /// Where the workgroup memory reserved so far ends, and that of each slot.
  int64_t sharedBytes = 0;
  DenseMap<int64_t, Value> slots{};
  /// Of each buffer of a cluster, as if it lay in the memory of this block: the
  /// row that does.
  DenseMap<Value, Value> clusterRows{};

  int64_t countThreads() const {
    return blockSize[0] * blockSize[1] * blockSize[2];
  }
  /// Bits of index arithmetic.
  unsigned getIndexWidth() const { return variant ? variant.getIndex() : 64; }
};

//===----------------------------------------------------------------------===//
// TCToGPUKernel.cpp: the launch
//===----------------------------------------------------------------------===//

/// Replaces the nest by a launch. Reports what cannot be converted.
LogicalResult lowerGrid(KernelContext &kernel);
/// The number of this thread, of which LLVM does not know that it is the same.
Value hideThreadNumber(KernelContext &kernel, Location loc);

//===----------------------------------------------------------------------===//
// TCToGPUNests.cpp: nests
//===----------------------------------------------------------------------===//

/// The indices that a thread works on and the conditions under which it has
/// work: expressions over its coordinates and the run-time bounds.
struct Recovery {
  SmallVector<AffineExpr> indices, guards;

  Recovery(const Mapping &mapping, ArrayRef<AffineExpr> thread);
};

/// The mapping of `op`. Reports a tc.par that tc-map has not bound.
FailureOr<Mapping> getMapping(ParOp op);
/// The extents along x, y and z, if all are static.
std::optional<std::array<int64_t, 3>> getStaticExtents(const Axes &axes);
/// Makes the block as large as the largest tc.par inside.
LogicalResult measureBlock(KernelContext &kernel);
/// Lowers an op, or all of a block.
LogicalResult lower(KernelContext &kernel, Operation *op);
LogicalResult lowerOps(KernelContext &kernel, Block &block);
/// Has `op` no iterations, whatever its dynamic extents are?
bool isEmpty(ParOp op);
/// Is no dynamic range of `op` empty? Null if none may be.
Value buildNonEmpty(OpBuilder &builder, ParOp op);
/// Moves `op` to the insertion point, where it is the iteration of the thread
/// at `coordinates`, and lowers its body.
LogicalResult lowerNest(KernelContext &kernel, ParOp op,
                        const Recovery &recovery, ValueRange coordinates,
                        ValueRange symbols);
/// Goes on in a branch for `condition`, unless it is null.
void enter(OpBuilder &builder, Value condition);
/// The conjunction of conditions, null if always true.
Value conjoin(OpBuilder &builder, Value first, Value second);

/// Goes into loops of these extents, expressions over `symbols`, that each
/// thread runs. Returns their indices.
SmallVector<Value> enterLoops(OpBuilder &builder, Location loc,
                              ArrayRef<AffineExpr> extents, ValueRange symbols);
/// Is `number`, of at least 0, less than `end`?
Value buildIsBelow(OpBuilder &builder, Location loc, Value number, int64_t end);

//===----------------------------------------------------------------------===//
// TCToGPUCluster.cpp: clusters of blocks
//===----------------------------------------------------------------------===//

/// Takes note of the blocks that `op`, a tc.par cluster, needs.
LogicalResult measureCluster(KernelContext &kernel, ParOp op);
LogicalResult lowerBlocks(KernelContext &kernel, ParOp op);
void buildClusterBarrier(OpBuilder &builder, Location loc);
/// A buffer of all blocks of a cluster, of which each has a row.
LogicalResult lowerClusterNew(KernelContext &kernel, NewOp op);
/// Is `op` an access to such a buffer, or to a view of one?
bool isOfCluster(KernelContext &kernel, Operation *op);
LogicalResult lowerClusterAccess(KernelContext &kernel, Operation *op);
/// Where the first element of `memref` is in the memory of the cluster, as an
/// i64; null if it is no view of such a buffer.
Value buildClusterAddress(KernelContext &kernel, Location loc, Value memref);

//===----------------------------------------------------------------------===//
// TCToGPUPtx.cpp: inline PTX
//===----------------------------------------------------------------------===//

void lowerPtx(KernelContext &kernel, PtxOp op);

//===----------------------------------------------------------------------===//
// TCToGPUPipeline.cpp: loops whose copies run ahead
//===----------------------------------------------------------------------===//

/// Do copies of `op` run ahead?
bool isPipelined(SeqOp op);
LogicalResult lowerPipelined(KernelContext &kernel, SeqOp op);

//===----------------------------------------------------------------------===//
// TCToGPUStage.cpp: copies
//===----------------------------------------------------------------------===//

/// What a thread has loaded and not stored.
struct LoadedBlock {
  SmallVector<Value> chunks; ///< which follow one another along `along`
  unsigned along;
  Value buffer;
  SmallVector<Value> index;
  Value works; ///< null if always
};

LogicalResult lowerStage(KernelContext &kernel, StageOp op);
/// Does one access of `op` copy as much as a register holds, or more?
bool areWords(StageOp op);
/// Can copies of `op` be left to themselves?
bool isAsync(KernelContext &kernel, StageOp op);
/// Are so few blocks a thread's that it can hold all of them?
bool hasFewRounds(KernelContext &kernel, StageOp op);
/// Starts to fill `buffer`, or fills it where copies are not asynchronous.
void startCopies(KernelContext &kernel, StageOp op, Value buffer);
/// Loads what belongs into `buffer`, if `condition` holds, to be stored later.
SmallVector<LoadedBlock> startLoads(KernelContext &kernel, StageOp op,
                                    Value buffer, Value condition);
void storeLoaded(OpBuilder &builder, ArrayRef<LoadedBlock> loaded);

//===----------------------------------------------------------------------===//
// TCToGPUMemory.cpp: buffers
//===----------------------------------------------------------------------===//

LogicalResult lowerNew(KernelContext &kernel, NewOp op);
/// Does `op`, a buffer, belong to all blocks of a cluster?
bool isOfClusters(KernelContext &kernel, Operation *op);
/// The workgroup memory for `op`, as bytes or as elements of `type`; it is
/// shared by the buffers of one slot. Reports a buffer of no numbers, or of a
/// layout that it cannot have, and more memory than a block can have.
FailureOr<Value> reserve(KernelContext &kernel, Operation *op, MemRefType type);
/// Takes workgroup memory from what the launch asks for, where it is more than
/// a kernel may declare.
void optIntoSharedMemory(KernelContext &kernel);
/// `memory`, a row of buffers of `op`, as its `number`-th one, the first if
/// null, seen as `type`.
Value viewBuffer(OpBuilder &builder, Operation *op, MemRefType type,
                 Value memory, Value number = {});
/// The index in a tile of these sizes that comes `position`-th.
SmallVector<Value> buildTileIndex(OpBuilder &builder, Location loc,
                                  Value position, ArrayRef<int64_t> sizes);
/// Calls `body` with each position of 0..count-1 that is this thread's, the
/// `member`-th of `threads` that take turns.
void buildTeamLoop(OpBuilder &builder, Location loc, int64_t count,
                   int64_t threads, Value member,
                   function_ref<void(Value)> body);
/// Fills a new buffer, of `shape`, with what `op` asks for, if anything.
void initialize(OpBuilder &builder, NewOp op, Value buffer,
                ArrayRef<int64_t> shape, int64_t threads, Value member);

//===----------------------------------------------------------------------===//
// TCToGPUWidth.cpp: 32 or 64 bits
//===----------------------------------------------------------------------===//

/// Do 32 bits hold every index that `launch` computes with? A test of the host,
/// which `host` emits before the launch. Null where that depends on no dynamic
/// value, or cannot be told.
Value buildFitsInWords(OpBuilder &host, gpu::LaunchOp launch);

//===----------------------------------------------------------------------===//
// Round kernels
//===----------------------------------------------------------------------===//

/// Gives what a kernel takes from outside the form of a kernel's parameter. An
/// index becomes an integer of `indexWidth` bits, which host and kernel agree
/// on whatever an index is to either. A memref of run-time layout becomes its
/// buffer and such integers, since a bare pointer is all that a memref passes.
/// Constants stay: the kernel gets copies of them.
void passArguments(gpu::LaunchOp launch, unsigned indexWidth);

/// The gpu.module for kernels with index arithmetic of `indexWidth` bits, made
/// where there is none. It is called `name`, and `name_i32` or `name_i64` where
/// that has the other width.
gpu::GPUModuleOp getKernelModule(ModuleOp module, std::string name,
                                 unsigned indexWidth);

/// Copies between memory of the host and of the device, and waits.
void emitCopy(OpBuilder &builder, Location loc, Value target, Value source);

/// Does a kernel use `buffer`, or a view of it?
bool isUsedByKernel(Value buffer);

/// Is `buffer`, or a view of it, freed here or given to the caller?
bool hasOwnerElsewhere(Value buffer);

/// Is `buffer` in the memory of the host, by its type (#tc.host)?
bool isInHostSpace(Value buffer);
/// Has `function` a memref.copy from such a buffer, or to one?
bool copiesHostSpace(func::FuncOp function);
/// Fails where a kernel uses such a buffer, or where a cast says that it is one
/// of the device.
LogicalResult verifyHostSpace(func::FuncOp function);
/// Registers such a buffer with the driver while it is there, and frees it
/// where its block ends, if no one does.
void pinBuffer(memref::AllocOp alloc);
/// The end of that, before it is freed.
void unpinBuffer(memref::DeallocOp dealloc);

/// Buffers and copies between kernels live on the device: memref.alloc(a) and
/// memref.copy of a function that launches kernels become their gpu forms, a
/// constant that kernels read is copied there, and a buffer that no one frees
/// is freed where its block ends. What is allocated in the memory of the host
/// stays there, and is pinned.
void moveBuffersToDevice(func::FuncOp function);

/// Makes each tc.threshold of `function` a comparison with a variable of the
/// module, or with the default. With `notes` the host code calls
/// kNoteThresholdName before each. Fails where a tc.threshold is in a kernel,
/// or where two with one limit have different defaults.
LogicalResult lowerThresholds(func::FuncOp function, bool notes);

/// Has kernels name a small constant, and views of it, themselves, if the host
/// only reads it. Returns whether they do.
bool sinkTable(memref::GetGlobalOp op);

/// Makes each tc.library_product a call of kProductName. Fails where one is in
/// a kernel.
LogicalResult lowerLibraryProducts(func::FuncOp function);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TCTOGPU_H
