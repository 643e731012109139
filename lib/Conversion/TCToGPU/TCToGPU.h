//===- TCToGPU.h - Pieces of convert-tc-to-gpu ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TCTOGPU_H
#define TC_LIB_CONVERSION_TCTOGPU_TCTOGPU_H

#include "tc/IR/TC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tc {

/// Emits the body of one tc.par grid into a gpu.launch, op by op. Values of the
/// nest map to values of the kernel in `mapping`.
class KernelBuilder {
public:
  /// `asyncCopies` says whether the chip has cp.async.
  KernelBuilder(OpBuilder &builder, ParOp grid, bool asyncCopies)
      : builder(builder), grid(grid), asyncCopies(asyncCopies),
        variant(
            TCDialect::VariantAttrHelper(builder.getContext()).getAttr(grid)),
        indexWidth(variant ? variant.getIndex() : 64),
        hasClusters(grid.hasClusters()) {}

  /// Replaces the nest by a launch. Reports what cannot be converted.
  LogicalResult run();

private:
  /// The indices that a thread works on and the conditions under which it has
  /// work: expressions over its coordinates and the run-time bounds.
  struct Recovery {
    SmallVector<AffineExpr> indices, guards;

    Recovery(const Mapping &mapping, ArrayRef<AffineExpr> thread);
    /// Binds the indices of `op` to those of `coordinates`, and returns the
    /// condition for work, or null.
    Value bind(OpBuilder &builder, ParOp op, ValueRange coordinates,
               ValueRange symbols, IRMapping &values) const;
  };
  struct LaunchPlan {
    Axes grid;
    /// Over the number of the block along x, y, z, and of the thread.
    Recovery recovery;
  };

  // TCToGPUKernel.cpp: the launch.
  FailureOr<LaunchPlan> planLaunch();
  void nameKernel();
  void keepResident(gpu::GPUModuleOp kernels, StringRef name);
  void buildLaunch(ValueRange extents);

  // TCToGPUNests.cpp: nests.
  /// The mapping of `op`. Reports a tc.par that tc-map has not bound.
  static FailureOr<Mapping> getMapping(ParOp op);
  /// The extents along x, y and z, if all are static; and those of a team that
  /// `mapping` of `op` needs. Reports dynamic ones.
  static std::optional<std::array<int64_t, 3>>
  getStaticExtents(const Axes &axes);
  static FailureOr<std::array<int64_t, 3>> getExtents(ParOp op,
                                                      const Mapping &mapping);
  /// Makes the block as large as the largest tc.par inside.
  LogicalResult measureBlock();
  LogicalResult emitOps(Block &block);
  LogicalResult emit(Operation *op);
  LogicalResult emitOther(Operation *op);
  LogicalResult emitBarrier(gpu::BarrierOp op);
  LogicalResult emitThreads(ParOp op);
  LogicalResult emitLoops(ParOp op);
  LogicalResult emitSeq(SeqOp op);
  /// Goes on in a branch for `condition`, unless it is null.
  void enter(Value condition);
  /// The conjunction of conditions, null if always true.
  Value conjoin(Value first, Value second);
  Value buildConstant(Location loc, int64_t value);
  /// Is `number`, of at least 0, less than `end`?
  Value buildIsBelow(Location loc, Value number, int64_t end);
  /// What stands in the kernel for values of the nest.
  SmallVector<Value> lookUp(ValueRange values);
  /// Has `op` no iterations, whatever its dynamic extents are?
  static bool isEmpty(ParOp op);
  /// Is no dynamic range of `op` empty? Null if none may be.
  Value buildNonEmpty(ParOp op);
  /// The number of this thread's team among those that run `op`.
  Value expandMember(ParOp op);
  Value buildWorkGuard(ParOp op, ArrayRef<int64_t> extents,
                       ValueRange coordinates);
  template <typename NestOp>
  FailureOr<SmallVector<Value>> emitNest(NestOp op, ValueRange inits);

  // TCToGPUCluster.cpp: clusters of blocks.
  /// Takes note of the blocks that `op`, a tc.par cluster, needs.
  LogicalResult measureCluster(ParOp op);
  LogicalResult emitBlocks(ParOp op);
  void emitClusterBarrier(Location loc);
  /// A buffer of all blocks of a cluster, of which each has a row.
  LogicalResult emitClusterNew(NewOp op);
  /// Is `op` an access to such a buffer?
  bool isOfCluster(Operation *op);
  LogicalResult emitClusterAccess(Operation *op);
  bool isOwnRow(Value row);
  /// Where the element of `buffer` at `index` is: a pointer to memory of any
  /// block of the cluster.
  Value buildClusterAddress(Location loc, Value buffer, ValueRange index);
  /// The numbers of this block in its cluster along x, y and z.
  SmallVector<Value> getBlocksInCluster(Location loc);

  // TCToGPUPtx.cpp: inline PTX.
  LogicalResult emitPtx(PtxOp op);

  // TCToGPUViews.cpp: views.
  LogicalResult emitView(ViewOp op);
  /// Is `op` a part of a private buffer that has one for each thread?
  static bool isOfThreads(Operation *op);
  LogicalResult emitPart(memref::SubViewOp op);

  // TCToGPUPipeline.cpp: loops whose copies run ahead.
  /// Do copies of `op` run ahead?
  static bool isPipelined(SeqOp op);
  LogicalResult emitPipelined(SeqOp op);
  /// A tc.stage and the buffer it fills.
  using StageBuffer = std::pair<StageOp, Value>;
  /// The ops before the first tc.par, with the buffers numbered `slot`, but for
  /// the copies of `stages`.
  LogicalResult emitHead(SeqOp op, ValueRange indices, Value slot,
                         SmallVectorImpl<StageBuffer> &stages);
  /// Starts the copies of a step where `isThere`. Those that are not
  /// asynchronous end in `loaded`.
  LogicalResult emitGroup(SeqOp op, ValueRange indices, Value slot,
                          Value isThere);
  void commitGroup(Location loc);
  void waitForGroups(Location loc, int64_t inFlight);

  // TCToGPUStage.cpp: copies.
  LogicalResult emitStage(StageOp op);
  /// The shared buffer of a stage, the `number`-th of several if not null.
  FailureOr<Value> buildStageBuffer(StageOp op, Value number);
  /// Can copies of `op` be left to themselves?
  bool isAsync(StageOp op);
  /// Starts to fill `buffer`, or fills it where copies are not asynchronous.
  void startCopies(StageOp op, Value buffer);
  void copyChunkAsync(StageOp op, Value buffer, ValueRange index);
  /// Loads what belongs into `buffer`, if `condition` holds, to be stored
  /// later.
  void startLoads(StageOp op, Value buffer, Value condition);
  void storeLoaded();
  /// A chunk of the source, or the fill value where there is none, or
  /// `condition`, null if always true, does not hold.
  Value loadStaged(StageOp op, ValueRange index, Value condition);
  /// Are so few chunks a thread's that each is written out?
  bool hasFewRounds(StageOp op);
  /// Calls `body` with the index of each chunk that is this thread's, and
  /// whether it is there, null if always.
  void forEachRound(StageOp op,
                    function_ref<void(ValueRange index, Value works)> body);
  void copyWithGaps(StageOp op, Value buffer);
  /// What `load` builds where `inside` holds, else `pad`.
  Value loadOrPad(Location loc, Value inside, Value pad,
                  function_ref<Value(OpBuilder &)> load);
  /// Chunks of a stage along each dimension.
  static SmallVector<int64_t> getChunks(StageOp op);
  /// The index in a tile of these sizes of what this thread copies in `round`.
  SmallVector<Value> buildRoundIndex(Location loc, ArrayRef<int64_t> sizes,
                                     int64_t round);

  // TCToGPUMemory.cpp: buffers.
  LogicalResult emitNew(NewOp op);
  LogicalResult emitPrivateNew(NewOp op);
  static bool isPrivate(NewOp op);
  /// A buffer of each thread. It is declared at the start of the kernel: only
  /// there does LLVM look for memory that can live in registers.
  Value buildPrivateBuffer(Location loc, MemRefType type);
  int64_t countThreads() { return blockSize[0] * blockSize[1] * blockSize[2]; }
  /// Buffers that a stage needs in turn.
  static int64_t countBuffers(StageOp stage);
  /// The tc.par whose iteration has the buffer: that round `op`, or, as loops
  /// have no threads of their own, round the loops it is in.
  static ParOp getOwner(Operation *op);
  /// How many teams of a block have a buffer each, and the threads of one.
  struct Team {
    int64_t count, threads;
  };
  Team getTeam(NewOp op);
  /// Reports a buffer of no numbers, or of a layout that it cannot have in
  /// shared or global memory.
  LogicalResult verifyBuffer(Operation *op, MemRefType type);
  /// A shared buffer of the launch for `op`, seen as `type`; the `number`-th of
  /// several if not null. Reports more memory than a kernel may declare.
  FailureOr<Value> buildWorkgroupBuffer(Operation *op, MemRefType type,
                                        Value number = {});
  /// The same in global memory, which the host reserves for all blocks.
  FailureOr<Value> buildGlobalBuffer(NewOp op, MemRefType type, Value number);
  /// Bytes that all buffers of `op` in a block need; none where there are too
  /// many.
  std::optional<int64_t> countReservedBytes(Operation *op);
  /// The memory for buffers of `type`, which is shared by those of one slot.
  FailureOr<Value> reserve(Operation *op, MemRefType type);
  /// `memory`, a row of buffers of `type`, as its `number`-th one; the first if
  /// null.
  Value viewElements(Location loc, MemRefType type, Value memory, Value number);
  /// The same of bytes; the buffer begins at offset 0 of what it is.
  Value viewBytes(Location loc, MemRefType type, Value memory, Value number);
  /// The index in a tile of these sizes that comes `position`-th.
  SmallVector<Value> buildTileIndex(Location loc, Value position,
                                    ArrayRef<int64_t> sizes);
  /// The index in a tile of these strides of the element at `position` of the
  /// buffer below it; out of the tile where there is none.
  SmallVector<Value> buildGapIndex(Location loc, Value position,
                                   ArrayRef<int64_t> strides);
  /// Is `index` of a tile of `shape` inside of `source`? Null where it always
  /// is. The index may be out of the tile along dimensions of `checked`.
  Value buildInside(Location loc, Value source, ArrayRef<int64_t> shape,
                    ValueRange index, ArrayRef<bool> checked);
  /// Calls `body` with each position of 0..count-1 that is this thread's, the
  /// threads of the block taking turns.
  void buildCooperativeLoop(Location loc, int64_t count,
                            function_ref<void(Value)> body);
  /// The same for a team of `threads`, of which this is the `member`-th.
  void buildTeamLoop(Location loc, int64_t count, int64_t threads, Value member,
                     function_ref<void(Value)> body);
  /// Fills a new buffer, of `shape`, with what `op` asks for, if anything.
  void initialize(NewOp op, Value buffer, ArrayRef<int64_t> shape,
                  int64_t threads, Value member);

  OpBuilder &builder;
  ParOp grid;
  bool asyncCopies;
  VariantAttr variant;
  /// Bits of index arithmetic in the kernel.
  unsigned indexWidth;
  gpu::LaunchOp launch;
  IRMapping mapping;
  /// Threads of a block along x, y and z.
  std::array<int64_t, 3> blockSize = {1, 1, 1};
  /// Blocks of a cluster along x, y and z, if the grid has clusters.
  bool hasClusters;
  std::array<int64_t, 3> clusterSize = {1, 1, 1};
  /// Of a buffer of a cluster: the row of this block.
  DenseMap<Value, Value> clusterRows;
  /// Workgroup memory declared so far.
  int64_t sharedBytes = 0;
  /// The memory of each slot of the kernel.
  DenseMap<int64_t, Value> slots;
  /// The memory of each other op; the copies of a pipelined one are several.
  DenseMap<Operation *, Value> memories;
  /// What this thread has loaded and not stored.
  struct LoadedChunk {
    StageOp stage;
    Value value, buffer;
    SmallVector<Value> index;
    Value works; ///< null if always
  };
  SmallVector<LoadedChunk> loaded;
  /// Has the loop that is built groups of asynchronous copies?
  bool hasGroups = false;
  /// The number of this thread in its block.
  Value threadNumber;
};

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

/// Does a kernel use `buffer`, or a view of it?
bool isUsedByKernel(Value buffer);

/// Buffers and copies between kernels live on the device: memref.alloc(a) and
/// memref.copy of a function that launches kernels become their gpu forms, a
/// constant that kernels read is copied there, and a buffer that no one frees
/// is freed where its block ends.
void moveBuffersToDevice(func::FuncOp function);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TCTOGPU_H
