// tc-map of a tc.par device: the strategies of Janssen and Scholz, section 7, and what
// their launches exceed.
//
// RUN: tc-opt %s --tc-map | FileCheck %s --check-prefix=AUTO
// RUN: tc-opt %s --tc-map=strategy=fold_all | FileCheck %s --check-prefixes=FOLD,H100
// RUN: tc-opt %s --tc-map="strategy=fold_all chip=sm_75" | FileCheck %s --check-prefixes=FOLD,T4
// RUN: tc-opt %S/Inputs/dynamic-device.mlir --tc-map=strategy=fold_all | FileCheck %s --check-prefix=FOLD-DYNAMIC
// RUN: tc-opt %s --tc-map=strategy=jing | FileCheck %s --check-prefix=JING
// RUN: not tc-opt %S/Inputs/large-device.mlir --tc-map=strategy=jing 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tc-opt %S/Inputs/rank-6-device.mlir --tc-map=strategy=jing 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: tc-opt %S/Inputs/dynamic-device.mlir --tc-map=strategy=jing | FileCheck %s --check-prefix=DYNAMIC
// RUN: tc-opt %S/Inputs/rank-6-device.mlir --tc-map=strategy=jing_ext | FileCheck %s --check-prefix=EXT
// RUN: not tc-opt %s --tc-map=strategy=best 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// AUTO-LABEL: @line(
// AUTO: map #tc.map<split_last({{[0-9]+}}), grid_block(1)>
// FOLD-LABEL: @line(
// FOLD: map #tc.map<split_last(32), grid_block(1)>
// JING-LABEL: @line(
// JING: map #tc.map<split_last(32), grid_block(1)>
func.func @line() {
  tc.par device (%i) = (0) to (1000) {
  }
  return
}

// Folded blocks are as large as leaves each multiprocessor one: of the 132 of an H100, or
// the 40 of a T4.
// FOLD-LABEL: @sizes(
// H100: map #tc.map<fold_last2, split_last(64), grid_block(1)>
// T4: map #tc.map<fold_last2, split_last(256), grid_block(1)>
// FOLD: map #tc.map<split_last(256), grid_block(1)>
// FOLD-DYNAMIC: map #tc.map<fold_last2, fold_last2, split_last(256)
func.func @sizes() {
  tc.par device (%i, %j) = (0, 0) to (100, 101) {
  }
  tc.par device (%i) = (0) to (1000000) {
  }
  return
}

// Steps are compressed, or by the paper masked.
// AUTO-LABEL: @steps(
// AUTO: map #tc.map<shift_lb, compress_grid(1, 0), {{.*}}grid_block
// FOLD-LABEL: @steps(
// H100: map #tc.map<shift_lb, compress_grid(1, 0), fold_last2, split_last(32), grid_block(1)>
// T4: map #tc.map<shift_lb, compress_grid(1, 0), fold_last2, split_last(96), grid_block(1)>
// JING-LABEL: @steps(
// JING: map #tc.map<shift_lb, mask_grid, split_last(32), {{.*}}split_last(32), {{.*}}grid_block(2)>
func.func @steps() {
  tc.par device (%i, %j) = (1, 0) to (100, 64) step (3, 1) width (2, 1) {
  }
  return
}

// LARGE: error: 'tc.par' op expected axis y of the block to be at most 1024, got 2000
// RANK: error: 'tc.par' op cannot be mapped: expected an index space of rank 1 to 5, got rank 6
// The launch checks a block of dynamic extents.
// DYNAMIC: map #tc.map<grid_block(2)>
// EXT: map #tc.map<{{.*}}fold_last2{{.*}}grid_block(2)>
// UNKNOWN: for the --strategy option: Cannot find option named 'best'!
