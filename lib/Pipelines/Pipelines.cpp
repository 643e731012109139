//===- Pipelines.cpp - Passes in order ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "tc/Conversion/Passes.h"
#include "tc/TransformOps/Passes.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Shows an observer the program as it is.
struct ShowPhase : PassWrapper<ShowPhase, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShowPhase)

  ShowPhase(Phase phase, PhaseObserver observer)
      : phase(phase), observer(std::move(observer)) {}

  StringRef getName() const override { return "ShowPhase"; }
  void runOnOperation() override {
    observer(phase, getOperation());
    markAllAnalysesPreserved();
  }

  Phase phase;
  PhaseObserver observer;
};
} // namespace

/// Where passes that were added have brought a program.
static void reach(OpPassManager &pm, Phase phase,
                  const PhaseObserver &observer) {
  if (observer)
    pm.addPass(std::make_unique<ShowPhase>(phase, observer));
}

/// Tensors to memrefs: results become arguments that the caller provides, in
/// the layout that types have by themselves.
static void addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  bufferization::BufferResultsToOutParamsPassOptions toParameters;
  toParameters.hoistStaticAllocs = true;
  toParameters.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(toParameters));
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

/// Functions as if their nests had been written in one place.
static void addInlining(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLowerWith());
  pm.addPass(createInline());
}

/// Phases 0 to 1, on memrefs.
static void addContractions(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFoldReshapes());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToTC());
  pm.addNestedPass<func::FuncOp>(createFuse());
  addBufferization(pm);
}

/// Nests on memrefs that are contractions become contractions.
static void addRaising(OpPassManager &pm, bool keepOrder) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createConvertIndexedToLoops());
  functions.addPass(createConvertSCFToTC());
  functions.addPass(createRaise({keepOrder}));
  functions.addPass(createConvertLinalgToTC());
  functions.addPass(createDistribute());
}

/// What raising has made, with its neighbours; why others stay apart has been
/// said before bufferization.
static void addFusionOfNests(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFuse({/*explain=*/false}));
}

/// Contractions of many inputs, once all inputs are known.
static void addOrder(OpPassManager &pm, OperandOrder order) {
  if (order == OperandOrder::Optimal)
    pm.addNestedPass<func::FuncOp>(createOrder());
}

/// Phase 1 to 2, on memrefs.
static void addNormalization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createJoinSums());
  pm.addNestedPass<func::FuncOp>(createNormalize());
}

void mlir::tc::buildToNormalPipeline(OpPassManager &pm, OperandOrder order,
                                     bool keepOrder,
                                     const PhaseObserver &observer) {
  reach(pm, Phase::Named, observer);
  addInlining(pm);
  pm.addNestedPass<func::FuncOp>(createSerializeHost());
  addContractions(pm);
  addRaising(pm, keepOrder);
  addFusionOfNests(pm);
  addOrder(pm, order);
  reach(pm, Phase::Contract, observer);
  addNormalization(pm);
  reach(pm, Phase::Normal, observer);
}

void mlir::tc::buildSchedulePipeline(OpPassManager &pm, StringRef chip,
                                     StringRef tuning) {
  ScheduleOptions schedule;
  schedule.chip = chip.str();
  schedule.tuning = tuning.str();
  pm.addNestedPass<func::FuncOp>(createSchedule(schedule));
}

void mlir::tc::buildToScheduledPipeline(OpPassManager &pm, StringRef chip,
                                        OperandOrder order, StringRef tuning,
                                        bool keepOrder) {
  buildToNormalPipeline(pm, order, keepOrder);
  buildSchedulePipeline(pm, chip, tuning);
}

void mlir::tc::buildBuffersToScheduledPipeline(OpPassManager &pm,
                                               StringRef chip,
                                               OperandOrder order,
                                               StringRef tuning,
                                               bool keepOrder) {
  addInlining(pm);
  pm.addNestedPass<func::FuncOp>(createSerializeHost());
  addRaising(pm, keepOrder);
  addOrder(pm, order);
  addNormalization(pm);
  buildSchedulePipeline(pm, chip, tuning);
}

/// What is left of phase 3: versions, parts and variants.
static void addVersions(OpPassManager &pm, const KernelOptions &options) {
  pm.addNestedPass<func::FuncOp>(createConvertSCFToTC());
  pm.addPass(createOutlineHost({/*refuse=*/!options.keepsHostCode}));
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createCheckNests());
  functions.addPass(createFuseNests());
  FlattenOptions flatten{options.chip, /*version=*/"", options.tuning, {}};
  flatten.thresholds.append(options.thresholds.begin(),
                            options.thresholds.end());
  functions.addPass(createFlatten(flatten));
  functions.addPass(createCallLibrary());
  functions.addPass(createSplit(SplitOptions{options.chip}));
  functions.addPass(createVariants());
}

/// Phase 3 to 4.
static void addTiling(OpPassManager &pm, StringRef chip) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createTile(TileOptions{chip.str()}));
  functions.addPass(createBind());
  functions.addPass(createLowerReductions({chip.str()}));
  functions.addPass(createCache());
}

/// Phase 4 to 5.
static void addPlacement(OpPassManager &pm, StringRef chip) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createPromote({chip.str()}));
  functions.addPass(createUnroll());
}

/// Phase 5 to 6.
static void addMapping(OpPassManager &pm, StringRef chip) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createMap(MapOptions{chip.str()}));
  functions.addPass(createSync());
}

static void addCleanup(OpPassManager &pm, bool hasBranches = true) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true);
  config.setMaxIterations(1); // a second round finds nothing
  if (!hasBranches)           // nothing to gain, and walks all that is unrolled
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config));
  pm.addPass(createCSEPass());
}

/// Phase 6 to 7.
static void addGpuFunctions(OpPassManager &pm, const KernelOptions &options) {
  const std::string &chip = options.chip;
  pm.addNestedPass<func::FuncOp>(createLowerMicrokernel({chip}));
  pm.addPass(createConvertTCToGPU({chip, options.notesThresholds}));
  // Constants belong to the kernel, not to its parameters.
  pm.addNestedPass<func::FuncOp>(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addNestedPass<gpu::GPUModuleOp>(createPlaceConstants());
  pm.addNestedPass<gpu::GPUModuleOp>(createAnnotateKernels());
  pm.addPass(createAssumeNoAlias());
  addCleanup(pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>(),
             /*hasBranches=*/false);
  addCleanup(pm.nest<func::FuncOp>());
  if (options.async)
    pm.addPass(createAsync());
  if (options.overlap)
    pm.addPass(createOverlapLaunches({chip}));
}

void mlir::tc::buildToKernelPipeline(OpPassManager &pm,
                                     const KernelOptions &options) {
  addVersions(pm, options);
  reach(pm, Phase::Scheduled, options.observer);
  addTiling(pm, options.chip);
  reach(pm, Phase::Tiled, options.observer);
  addPlacement(pm, options.chip);
  reach(pm, Phase::Placed, options.observer);
  addMapping(pm, options.chip);
  reach(pm, Phase::Mapped, options.observer);
  addGpuFunctions(pm, options);
  reach(pm, Phase::Kernel, options.observer);
}

/// Each kernel by itself where a pass lets it: they take several threads. What
/// canonicalization would do here is left to LLVM, which does it anyway.
static void addNVVMKernels(OpPassManager &modules) {
  OpPassManager &before = modules.nest<gpu::GPUFuncOp>();
  before.addPass(createLowerAffinePass());
  before.addPass(createSCFToControlFlowPass());
  before.addPass(memref::createExpandStridedMetadataPass());
  before.addPass(createLowerAffinePass());
  before.addPass(createCSEPass());
  modules.addPass(createExpandFunctions());
  modules.addPass(createConvertFmaToLLVM());
  modules.addPass(createConvertAsyncCopyToNVVM());
  ConvertGpuOpsToNVVMOpsOptions kernels;
  kernels.useBarePtrCallConv = true;
  modules.addPass(createConvertGpuOpsToNVVMOps(kernels));
  modules.addPass(createDeclareShared());
  modules.addPass(createSignOffsets());
  modules.addPass(createReconcileUnrealizedCastsPass());
  modules.nest<LLVM::LLVMFuncOp>().addPass(createCSEPass());
  modules.addPass(createKeepLoads());
}

void mlir::tc::buildToNVVMDialectPipeline(OpPassManager &pm,
                                          const ToNVVMOptions &options) {
  pm.addPass(createSplitKernels());
  pm.addPass(createExpandVectors());
  pm.addNestedPass<gpu::GPUModuleOp>(createExpandF8({options.chip}));
  // Conversions of floats of 8 bits need a later version of PTX.
  pm.addPass(createAttachTarget({options.chip, options.optLevel}));
  pm.addPass(createDropHostSpace());
  addNVVMKernels(pm.nest<gpu::GPUModuleOp>());
  pm.addPass(createMergeKernels());
}

void mlir::tc::buildToLoopsPipeline(OpPassManager &pm,
                                    const HostOptions &options) {
  pm.addPass(createDropHostSpace());
  addInlining(pm);
  pm.addNestedPass<func::FuncOp>(createDropLevels());
  addContractions(pm);
  // Bufferization copies, too.
  pm.addNestedPass<func::FuncOp>(createConvertCopyToLinalg());
  addRaising(pm, options.keepOrder);
  addFusionOfNests(pm);
  addOrder(pm, options.order);
  // What is added to a manager of an earlier pass would run there.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createNormalize());
  functions.addPass(createScheduleHost(
      {options.vectorBits, options.vectorRegisters, options.tuning, options.cpu,
       options.explained, options.bf16Dot, options.i16Dot}));
  functions.addPass(createTileHost({options.bf16Dot, options.i16Dot}));
  functions.addPass(createMapHost({options.vectorBits}));
  ConvertTCToLoopsOptions loops;
  loops.vectorize = true;
  pm.addPass(createConvertTCToLoops(loops));
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mlir::tc::buildLoopsToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createExpandVectors());
  pm.addPass(createExpandF8());
  pm.addPass(createApproximateFunctions());
  pm.addPass(createConvertParallelToTasks());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.x86Vector = true; // the products of bf16 that tc-tile-host makes
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// Canonicalization that leaves streams apart: upstream takes a gpu.wait async
/// of one token for that token.
static std::unique_ptr<Pass> createStreamCanonicalizer() {
  return createCanonicalizerPass(
      GreedyRewriteConfig(),
      /*disabledPatterns=*/{"(anonymous namespace)::SimplifyGpuWaitOp"});
}

/// Host code, once kernels are binaries that no pass walks through.
static void addHostToLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createForkStreams());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createStreamCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertProgrammaticToMgpu());
  GpuToLLVMConversionPassOptions host;
  host.kernelBarePtrCallConv = true;
  pm.addPass(createGpuToLLVMConversionPass(host));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void mlir::tc::buildToBinaryPipeline(OpPassManager &pm,
                                     const ToNVVMOptions &options) {
  if (options.format == BinaryFormat::Fatbin)
    pm.addPass(createGpuModuleToBinaryPass());
  else
    pm.addPass(createConvertNVVMToBinary(
        {/*cubin=*/options.format == BinaryFormat::Cubin}));
  addHostToLLVM(pm);
}

/// Phase 3 to 8.
static void addKernels(OpPassManager &pm, const ToNVVMOptions &options) {
  KernelOptions kernels;
  kernels.chip = options.chip;
  kernels.tuning = options.tuning;
  kernels.thresholds.assign(options.thresholds.begin(),
                            options.thresholds.end());
  kernels.async = options.async;
  kernels.overlap = options.overlap;
  buildToKernelPipeline(pm, kernels);
  buildToNVVMDialectPipeline(pm, options);
  buildToBinaryPipeline(pm, options);
}

void mlir::tc::buildToNVVMPipeline(OpPassManager &pm,
                                   const ToNVVMOptions &options) {
  buildToScheduledPipeline(pm, options.chip, options.order, options.tuning,
                           options.keepOrder);
  addKernels(pm, options);
}

void mlir::tc::buildBuffersToNVVMPipeline(OpPassManager &pm,
                                          const ToNVVMOptions &options) {
  buildBuffersToScheduledPipeline(pm, options.chip, options.order,
                                  options.tuning, options.keepOrder);
  addKernels(pm, options);
}

void mlir::tc::registerPasses() {
  registerTCConversionPasses();
  registerTCTransformsPasses();
  registerTCTransformOpsPasses();
  registerTCPipelines();
}

void mlir::tc::registerTCPipelines() {
  PassPipelineRegistration<ToNVVMOptions>(
      "tc-to-nvvm",
      "Lower linalg or tc, from whatever phase it is in, to gpu.binary",
      buildToNVVMPipeline);
  PassPipelineRegistration<ToNVVMOptions>(
      "tc-buffers-to-nvvm",
      "Lower linalg or tc on memrefs to gpu.binary, without bufferization",
      buildBuffersToNVVMPipeline);
}
