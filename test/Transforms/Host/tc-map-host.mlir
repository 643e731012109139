// RUN: tc-opt %s --tc-map-host=vector-bits=512 --canonicalize --split-input-file | FileCheck %s

// The dimension of neighbours is the innermost, and rows are tasks; LLVM makes vectors of it.
// CHECK-LABEL: @inner_first
// CHECK: scf.parallel (%[[TASK:.*]]) = (%c0) to (%c256)
// CHECK:   %[[FIRST:.*]] = arith.muli %[[TASK]], %c8
// CHECK:   %[[LAST:.*]] = arith.addi %[[FIRST]], %c8
// CHECK:   %[[END:.*]] = arith.minsi %[[LAST]], %c2048
// CHECK:   tc.par (%[[I:.*]], %[[J:.*]]) = (%[[FIRST]], 0) to (%[[END]], 2048) {
// CHECK:     memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: } {tc.distinct}
func.func @inner_first(%A: memref<2048x2048xf32>, %B: memref<2048x2048xf32>) {
  tc.par (%j, %i) = (0, 0) to (2048, 2048) {
    %a = memref.load %A[%i, %j] : memref<2048x2048xf32>
    memref.store %a, %B[%i, %j] : memref<2048x2048xf32>
  }
  return
}

// -----

// A transposition goes through registers, a block of vectors at a time. The tiles at the end, where
// there are some, do not.
// CHECK-LABEL: @transpose
// CHECK: scf.parallel
// CHECK:   tc.par (%{{.*}}, %{{.*}}) = (%{{.*}}, 0) to (%{{.*}}, 1001) step (64, 64) {
// CHECK:     tc.par {{.*}} step (16, 16) {
// CHECK:       scf.if
// CHECK-COUNT-16: vector.load %{{.*}} : memref<1001x1003xf32>, vector<16xf32>
// CHECK:         vector.shuffle
// CHECK:         vector.store %{{.*}} : memref<16x16xf32>, vector<16xf32>
// CHECK:         tc.par
// CHECK:           memref.load %{{.*}} : memref<16x16xf32>
// CHECK:       } else {
// CHECK:         tc.par
// CHECK:           memref.load %{{.*}} : memref<1001x1003xf32>
func.func @transpose(%A: memref<1001x1003xf32>, %B: memref<1003x1001xf32>) {
  tc.par (%i, %j) = (0, 0) to (1001, 1003) {
    %a = memref.load %A[%i, %j] : memref<1001x1003xf32>
    memref.store %a, %B[%j, %i] : memref<1003x1001xf32>
  }
  return
}

// -----

// Of what else is written in the nest no copy is made before.
// CHECK-LABEL: @transpose_in_place
// CHECK-NOT: vector
func.func @transpose_in_place(%A: memref<1024x1024xf32>) {
  tc.par (%i, %j) = (0, 0) to (512, 512) {
    %k = affine.apply affine_map<(d0) -> (d0 + 512)>(%i)
    %a = memref.load %A[%k, %j] : memref<1024x1024xf32>
    memref.store %a, %A[%j, %i] : memref<1024x1024xf32>
  }
  return
}

// -----

// The number of tasks follows from the extents: one of few iterations is run where it is called.
// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[N:[a-z0-9]*]]: index
// CHECK: %[[STEPS:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[GRAIN:.*]] = arith.muli %{{.*}}, %c256
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[STEPS]], %[[GRAIN]]
// CHECK: scf.parallel (%{{.*}}) = (%c0) to (%[[COUNT]])
func.func @dynamic(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  tc.par (%i) = (0) to (%n) {
    %a = memref.load %A[%i] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    memref.store %b, %B[%i] : memref<?xf64>
  }
  return
}

// -----

// The work of a task is limited factor by factor: a product of dynamic extents could overflow to 0,
// and is a divisor.
// CHECK-LABEL: @work_of_dynamic_extents
// CHECK-SAME: %[[N:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index
// CHECK: %[[EXTENT:.*]] = arith.maxsi %[[M]], %c1
// CHECK: %[[FEW:.*]] = arith.minui %[[EXTENT]], %c32768
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[FEW]], %c2
// CHECK: %[[WORK:.*]] = arith.minui %[[PRODUCT]], %c32768
// CHECK: arith.ceildivui %c32768, %[[WORK]]
func.func @work_of_dynamic_extents(%n: index, %m: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  tc.par (%i, %j) = (0, 0) to (%n, %m) {
    %a = memref.load %A[%i, %j] : memref<?x?xf32>
    memref.store %a, %B[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// A nest of at least 2^64 iterations, or of none if the first extent is 0.
// CHECK-LABEL: @work_of_more_than_64_bits
// CHECK-SAME: %[[N:[a-z0-9]*]]: index
// CHECK: %[[STEPS:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[MOST:.*]] = arith.ceildivui %[[STEPS]], %c256
// CHECK: %[[GRAIN:.*]] = arith.maxui %[[MOST]], %c1
// CHECK: arith.ceildivui %[[STEPS]], %[[GRAIN]]
func.func @work_of_more_than_64_bits(%n: index, %A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>) {
  tc.par (%i, %j, %k) = (0, 0, 0) to (%n, 4294967296, 4294967296) {
    %a = memref.load %A[%i, %j, %k] : memref<?x?x?xf32>
    memref.store %a, %B[%i, %j, %k] : memref<?x?x?xf32>
  }
  return
}

// -----

// Too little work to share, though enough for a nest.
// CHECK-LABEL: @little
// CHECK-NOT: scf.parallel
func.func @little(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  tc.par (%i, %j) = (0, 0) to (64, 64) {
    %a = memref.load %A[%i, %j] : memref<64x64xf32>
    memref.store %a, %B[%i, %j] : memref<64x64xf32>
  }
  return
}

// -----

// Too much memory for the stack of a thread.
// CHECK-LABEL: @large_buffer
// CHECK-NOT: scf.parallel
func.func @large_buffer(%A: memref<64x20000xf32>, %B: memref<64x20000xf32>) {
  tc.par (%i) = (0) to (64) {
    %t = tc.new : memref<20000xf32>
    tc.par (%j) = (0) to (20000) {
      %a = memref.load %A[%i, %j] : memref<64x20000xf32>
      memref.store %a, %t[%j] : memref<20000xf32>
    }
    tc.par (%j) = (0) to (20000) {
      %k = affine.apply affine_map<(d0) -> (19999 - d0)>(%j)
      %a = memref.load %t[%k] : memref<20000xf32>
      memref.store %a, %B[%i, %j] : memref<64x20000xf32>
    }
  }
  return
}

// -----

// Two views may be of one buffer: LLVM is not told that they are distinct.
// CHECK-LABEL: @views
// CHECK: scf.parallel
// CHECK-NOT: tc.distinct
func.func @views(%A: memref<200000xf32>) {
  %even = memref.subview %A[0] [100000] [2] : memref<200000xf32> to memref<100000xf32, strided<[2]>>
  %odd = memref.subview %A[1] [100000] [2]
    : memref<200000xf32> to memref<100000xf32, strided<[2], offset: 1>>
  tc.par (%i) = (0) to (100000) {
    %a = memref.load %even[%i] : memref<100000xf32, strided<[2]>>
    memref.store %a, %odd[%i] : memref<100000xf32, strided<[2], offset: 1>>
  }
  return
}

// -----

// Where threads of a block wait for each other, blocks are tasks, and what is between two barriers is
// a nest of its own.
// CHECK-LABEL: @blocks
// CHECK: scf.parallel
// CHECK:   tc.par grid
// CHECK:     vector.shuffle
// CHECK:     gpu.barrier
// CHECK:     tc.par (%[[J:.*]], %[[I:.*]]) = (0, 0) to (64, 32) {
// CHECK:       memref.store %{{.*}}, %{{.*}}[%{{.*}}, %[[J]], %[[I]]]
#shared = #gpu.address_space<workgroup>
func.func @blocks(%A: memref<64x32x64xf32>, %B: memref<64x64x32xf32>) {
  tc.par grid (%b) = (0) to (64) {
    %t = tc.new : memref<64x32xf32, #shared>
    tc.par block (%i, %j) = (0, 0) to (32, 64) {
      %a = memref.load %A[%b, %i, %j] : memref<64x32x64xf32>
      memref.store %a, %t[%j, %i] : memref<64x32xf32, #shared>
    }
    gpu.barrier
    tc.par block (%i, %j) = (0, 0) to (32, 64) {
      %a = memref.load %t[%j, %i] : memref<64x32xf32, #shared>
      memref.store %a, %B[%b, %j, %i] : memref<64x64x32xf32>
    }
  }
  return
}

// -----

// Sums of rows stay loops of rows: their terms are neighbours, and LLVM adds up several.
// CHECK-LABEL: @rows
// CHECK: scf.parallel
// CHECK: tc.reduce
func.func @rows(%A: memref<3000x500xf32>, %B: memref<3000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (3000) {
    tc.reduce (%k) = (0) to (500) init(%zero : f32) commutative {
      %a = memref.load %A[%i, %k] : memref<3000x500xf32>
      tc.yield %a : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<3000xf32>
    }
  }
  return
}

// -----

// Those of columns go down the rows together, each in the order of its terms, four rows of
// different pages at a time; what they carry is in a buffer.
// CHECK-LABEL: @columns
// CHECK: scf.parallel
// CHECK: tc.par {{.*}} step (768)
// CHECK:   %[[SUMS:.*]] = memref.alloca() : memref<768xf32>
// CHECK:   tc.par
// CHECK:     memref.store %cst{{.*}}, %[[SUMS]]
// CHECK:   tc.seq (%{{.*}}) = (0) to (500) step (4)
// CHECK:     tc.par
// CHECK:       memref.load %[[SUMS]]
// CHECK-COUNT-4: memref.load %arg0
// CHECK:       memref.store %{{.*}}, %[[SUMS]]
// CHECK:   tc.par
// CHECK:     memref.load %[[SUMS]]
// CHECK:     memref.store %{{.*}}, %arg1
// Where terms are near each other in memory, columns run together by vectors.
// CHECK-LABEL: @window
// CHECK: tc.seq {{.*}} : vector<{{[0-9]+}}xf32>
// A loop over as many terms as the column's number says is another for each.
// CHECK-LABEL: @triangle
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @columns(%A: memref<500x3000xf32>, %B: memref<3000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (3000) {
    tc.reduce (%k) = (0) to (500) init(%zero : f32) {
      %a = memref.load %A[%k, %i] : memref<500x3000xf32>
      tc.yield %a : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<3000xf32>
    }
  }
  return
}

// -----

func.func @window(%x: memref<3015xf32>, %w: memref<16xf32>, %y: memref<3000xf32>) {
  tc.par (%i) = (0) to (3000) {
    %old = memref.load %y[%i] : memref<3000xf32>
    %sum = tc.seq (%r) = (0) to (16) init(%s = %old : f32) {
      %at = affine.apply affine_map<(i, r) -> (i + r)>(%i, %r)
      %a = memref.load %x[%at] : memref<3015xf32>
      %b = memref.load %w[%r] : memref<16xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %s, %p : f32
      tc.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<3000xf32>
  }
  return
}
func.func @triangle(%A: memref<3000x3000xf32>, %B: memref<3000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (3000) {
    %sum = tc.seq (%k) = (0) to (%i) init(%s = %zero : f32) {
      %a = memref.load %A[%k, %i] : memref<3000x3000xf32>
      %t = arith.addf %s, %a : f32
      tc.yield %t : f32
    }
    memref.store %sum, %B[%i] : memref<3000xf32>
  }
  return
}

// -----

// A sum in which one term depends on the column in no linear way cannot; it stays.
// CHECK-LABEL: @gathered_columns
// CHECK-NOT: vector
// CHECK: tc.reduce
func.func @gathered_columns(%A: memref<500x3000xf32>, %I: memref<3000xindex>, %B: memref<3000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (3000) {
    tc.reduce (%k) = (0) to (500) init(%zero : f32) {
      %at = memref.load %I[%i] : memref<3000xindex>
      %a = memref.load %A[%k, %at] : memref<500x3000xf32>
      tc.yield %a : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<3000xf32>
    }
  }
  return
}

// -----

// Two rows are too few for tasks: these have parts of both.
// CHECK-LABEL: @long_rows
// CHECK: scf.parallel
// CHECK:   tc.par (%[[PART:.*]]) = (%{{.*}}) to (%{{.*}}) step (15872) {
// CHECK:     tc.par (%{{.*}}, %{{.*}}) = (0, %[[PART]]) to (2, %{{.*}}) {
func.func @long_rows(%A: memref<2x1000000xf32>, %B: memref<2x1000000xf32>) {
  tc.par (%i, %j) = (0, 0) to (2, 1000000) {
    %a = memref.load %A[%i, %j] : memref<2x1000000xf32>
    memref.store %a, %B[%i, %j] : memref<2x1000000xf32>
  }
  return
}

// -----

// So are three planes; rows are enough.
// CHECK-LABEL: @planes
// CHECK: scf.parallel
// CHECK:   tc.par (%[[ROW:.*]], %[[PLANE:.*]], %[[COLUMN:.*]]) = (%{{.*}}, 0, 0) to (%{{.*}}, 3, 300) {
// CHECK:     memref.load %{{.*}}[%[[PLANE]], %[[ROW]], %[[COLUMN]]]
func.func @planes(%A: memref<3x300x300xf32>, %B: memref<3x300x300xf32>) {
  tc.par (%i, %j, %k) = (0, 0, 0) to (3, 300, 300) {
    %a = memref.load %A[%i, %j, %k] : memref<3x300x300xf32>
    memref.store %a, %B[%i, %j, %k] : memref<3x300x300xf32>
  }
  return
}
