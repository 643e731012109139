//===- OptimizeKernels.cpp - LLVM's passes that kernels need --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Passes for kernels] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Kernel/OptimizeKernels.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

/// Instructions.
static constexpr int64_t kShortLoop = 256;

static void cleanUp(FunctionPassManager &passes) {
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
}

static FunctionPassManager makeFunctionPasses() {
  FunctionPassManager passes;
  // What the translation leaves.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SCCPPass());
  passes.addPass(SimplifyCFGPass());
  cleanUp(passes);
  // Addresses leave loops, and short loops go.
  LoopPassManager invariants;
  invariants.addPass(LoopRotatePass());
  invariants.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager wholly;
  wholly.addPass(IndVarSimplifyPass());
  wholly.addPass(LoopFullUnrollPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(wholly)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  cleanUp(passes);
  // Pairs of f16; then longer loops, in part.
  passes.addPass(SLPVectorizerPass());
  passes.addPass(LoopUnrollPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  cleanUp(passes);
  // So that accesses to neighbours become one.
  passes.addPass(InferAlignmentPass());
  return passes;
}

void mlir::tc::optimizeKernels(Module &module, TargetMachine &machine) {
  PassBuilder builder(&machine);
  LoopAnalysisManager ofLoops;
  FunctionAnalysisManager ofFunctions;
  CGSCCAnalysisManager ofComponents;
  llvm::ModuleAnalysisManager ofModules;
  builder.registerModuleAnalyses(ofModules);
  builder.registerCGSCCAnalyses(ofComponents);
  builder.registerFunctionAnalyses(ofFunctions);
  builder.registerLoopAnalyses(ofLoops);
  builder.crossRegisterProxies(ofLoops, ofFunctions, ofComponents, ofModules);
  ModulePassManager passes;
  // What the target asks for: the arguments of __nvvm_reflect, ranges of ids.
  builder.invokePipelineStartEPCallbacks(passes, OptimizationLevel::O2);
  passes.addPass(ModuleInlinerWrapperPass());
  passes.addPass(GlobalDCEPass());
  passes.addPass(createModuleToFunctionPassAdaptor(makeFunctionPasses()));
  // What is only read may come by the path for data that nobody writes.
  passes.addPass(
      createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  passes.run(module, ofModules);
}

/// Does an instruction of the GPU come of `instruction`? Not of numbers of a
/// vector, or of places at a constant distance.
static bool isIssued(const Instruction &instruction) {
  return !isa<PHINode, ExtractElementInst, InsertElementInst, CastInst,
              GetElementPtrInst>(instruction);
}

bool mlir::tc::hasShortLoop(Module &module) {
  return llvm::any_of(module, [](Function &function) {
    if (function.isDeclaration())
      return false;
    LoopInfo loops((DominatorTree(function)));
    return llvm::any_of(loops.getLoopsInPreorder(), [](const Loop *loop) {
      int64_t size = 0;
      for (const BasicBlock *block : loop->blocks())
        size += llvm::count_if(*block, isIssued);
      return loop->isInnermost() && size < kShortLoop;
    });
  });
}

// Note [Passes for kernels]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// LLVM's own pipelines are for programs as people write them. Kernels come with
// their loops tiled, staged and unrolled and with common subexpressions shared,
// and hardly have calls or branches. So each pass stands here for what it finds
// in them. How far loops are unrolled is the target's to say.
//
// GVN in place of the second common subexpressions changed no counted time of
// the 162 kernels of the benchmarks by more than 0.1 %. The early ones keep
// what a kernel computes once per block short: without them one of i16 had 64
// registers by ptxas in place of 40. Without SCCP the main loop keeps digits
// that are always zero. docs/Rationale.md compares all with LLVM's O2 pipeline.
//
// Note [Strength reduction]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// LLVM's strength reduction weighs every way to form the addresses in a loop.
// That took an eighth of the time to compile a product of matrices, and saves
// up to eight instructions in each pass of a loop that copies, one or two in
// others. The loops of most contractions have hundreds, unrolled as they are.
