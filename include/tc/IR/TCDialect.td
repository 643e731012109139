//===- TCDialect.td - The tc dialect and its enums ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, and the closed sets of words its attributes use.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_TCDIALECT_TD
#define TC_IR_TCDIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def TC_Dialect : Dialect {
  let name = "tc";
  let cppNamespace = "::mlir::tc";
  let summary = "Tensor contractions and data-parallel nests on GPUs";
  let description = [{
    A contraction is one iteration space and, for each operand, one stride per
    iterator. `tc.contract` says it; `tc.par` and `tc.seq` are the nests it is
    tiled into; `tc.view`, `tc.new` and `tc.stage` are the memory these nests
    work on. Each lowering pass moves a program from one phase to the next;
    docs/Architecture.md has the table.
  }];
  // `tc.nominal` of a function's memref or tensor gives its dynamic dimensions nominal
  // sizes, an integer each, 0 where none is given (see tc-schedule).
  // On a module the machine; on a contraction or a nest the variant it is, on a scheduled
  // contraction the versions for fewer results (see tc-schedule); on a contraction of a
  // thread that results beyond its extents may be computed, too, as nobody reads them (see
  // tc-lower-microkernel), and the numbers of the operands (inputs, sides, results) whose last
  // dimension one access moves (see tc-tile); on a nest
  // how many of its blocks a multiprocessor is to hold, on a gpu.module the same by the
  // name of the kernel until tc-annotate-kernels, then on the kernel; on a
  // parallel loop that its buffers are distinct (see convert-parallel-to-tasks); on a
  // linalg op what its combine keeps, and where it starts from (see
  // convert-linalg-to-tc); on an outermost tc.par who is to run each of its iterations
  // (see tc-flatten); on a loop of the host that its iterations are independent of each other
  // (see tc-serialize-host); on a gpu.launch_func that its kernel waits itself for the one
  // before it (see tc-overlap-launches); on a memref.global the default of the limit that it is the variable of
  // (see convert-tc-to-gpu); on a contraction how a CPU computes it (see tc-schedule-host).
  let discardableAttrs = (ins "::mlir::tc::MachineAttr":$machine,
                              "::mlir::tc::VariantAttr":$variant,
                              "::mlir::ArrayAttr":$versions,
                              "::mlir::UnitAttr":$overrun,
                              "::mlir::DenseI64ArrayAttr":$vectors,
                              "::mlir::Attribute":$resident,
                              "::mlir::UnitAttr":$distinct,
                              "::mlir::UnitAttr":$associative,
                              "::mlir::UnitAttr":$commutative,
                              "::mlir::ArrayAttr":$neutral,
                              "::mlir::tc::PrecisionAttr":$precision,
                              "::mlir::tc::LevelAttr":$flatten,
                              "::mlir::UnitAttr":$independent,
                              "::mlir::UnitAttr":$programmatic,
                              "::mlir::IntegerAttr":$threshold,
                              "::mlir::tc::HostScheduleAttr":$host_schedule);
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    static StringRef getNominalName() { return "tc.nominal"; }
  }];
  // Of folds, and of the slices that tiles are.
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class TC_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::tc";
  let genSpecializedAttr = 0;
}

// From the whole to the part, but for `device`, which is grid and block at once.
def TC_Level : TC_Enum<"Level", "who runs the iterations of a tc.par", [
  I32EnumAttrCase<"Host", 0, "host">,
  I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"Grid", 2, "grid">,
  I32EnumAttrCase<"Cluster", 3, "cluster">,
  I32EnumAttrCase<"Block", 4, "block">,
  I32EnumAttrCase<"Warpgroup", 5, "warpgroup">,
  I32EnumAttrCase<"Warp", 6, "warp">,
  I32EnumAttrCase<"Thread", 7, "thread">
]>;
def TC_LevelAttr : EnumAttr<TC_Dialect, TC_Level, "level">;

def TC_Kernel : TC_Enum<"Kernel", "what computes a contraction", [
  I32EnumAttrCase<"Fma", 0, "fma">,
  I32EnumAttrCase<"Mma", 1, "mma">,
  I32EnumAttrCase<"Library", 2, "library">
]>;

def TC_Precision : TC_Enum<"Precision", "how exact a product of f32 has to be", [
  I32EnumAttrCase<"IEEE", 0, "ieee">,
  I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"TF32x3", 2, "tf32x3">,
  I32EnumAttrCase<"BF16", 3, "bf16">,
  I32EnumAttrCase<"BF16x3", 4, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 5, "bf16x6">,
  I32EnumAttrCase<"BF16x9", 6, "bf16x9">
]>;
def TC_PrecisionAttr : EnumAttr<TC_Dialect, TC_Precision, "precision">;

#endif // TC_IR_TCDIALECT_TD
