// Every op and attribute, printed, read back and printed again, in the pretty form,
// in the generic one, and as bytecode.
//
// RUN: tc-opt %s > %t.once
// RUN: tc-opt %t.once | diff %t.once -
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | diff %t.once -
// RUN: tc-opt %s --emit-bytecode | tc-opt | diff %t.once -
// RUN: FileCheck %s < %t.once

// CHECK-LABEL: func @contract_memref
// CHECK: tc.contract (a = 16, b = 8, q = 4) ins(%{{.*}}[a, q] : memref<16x4xf32>, %{{.*}}[q, b] : memref<4x8xf32>) outs(%{{.*}}[a, b] : memref<16x8xf32>) overwrite{{$}}
func.func @contract_memref(%X: memref<16x4xf32>, %Y: memref<4x8xf32>, %Z: memref<16x8xf32>) {
  tc.contract (a = 16, b = 8, q = 4) ins(%X[a, q] : memref<16x4xf32>, %Y[q, b] : memref<4x8xf32>)
      outs(%Z[a, b] : memref<16x8xf32>) overwrite
  return
}

// CHECK-LABEL: func @contract_tensor
// CHECK: %[[R:.*]] = tc.contract (a = 16) ins(%{{.*}}[a] : tensor<16xf64>) outs(%{{.*}}[a] : tensor<16xf64>) -> tensor<16xf64>
// CHECK: return %[[R]]
func.func @contract_tensor(%x: tensor<16xf64>, %z: tensor<16xf64>) -> tensor<16xf64> {
  %r = tc.contract (a = 16) ins(%x[a] : tensor<16xf64>) outs(%z[a] : tensor<16xf64>) -> tensor<16xf64>
  return %r : tensor<16xf64>
}

// Linear subscripts, a dynamic extent, rank 0.
// CHECK-LABEL: func @contract_subscripts
// CHECK: tc.contract (jk_2 = %{{.*}}, w = 3) ins(%{{.*}}[jk_2 * 2 + w + 1, jk_2 * -1 + 15] : memref<?x16xi32>, %{{.*}}[] : memref<i32>) outs(%{{.*}}[jk_2, 3] : memref<?x4xi32>)
func.func @contract_subscripts(%n: index, %x: memref<?x16xi32>, %y: memref<i32>, %z: memref<?x4xi32>) {
  tc.contract (jk_2 = %n, w = 3) ins(%x[2 * jk_2 + w + 1, 15 - jk_2] : memref<?x16xi32>, %y[] : memref<i32>)
      outs(%z[jk_2, 3] : memref<?x4xi32>)
  return
}

// CHECK-LABEL: func @contract_regions
// CHECK: tc.contract (a = 4, q = 8) ins(%{{.*}}[a, q] : memref<4x8xf16>) outs(%{{.*}}[a] : memref<4xf32>) neutral(0xFF800000 : f32)
// CHECK-SAME: {schedule = #tc.schedule<thread = [a = 2], register = [a = 2], step = [q = 8], vector = [a = 4, q = 2], stages = 3, resident = 2, kernel = fma>} map (%[[X:.*]]: f16) {
// CHECK-NEXT: %[[E:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: tc.yield %[[E]] : f32
// CHECK-NEXT: } combine associative commutative (%[[U:.*]]: f32, %[[V:.*]]: f32) {
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[U]], %[[V]] : f32
// CHECK-NEXT: tc.yield %[[M]] : f32
func.func @contract_regions(%x: memref<4x8xf16>, %z: memref<4xf32>) {
  tc.contract (a = 4, q = 8) ins(%x[a, q] : memref<4x8xf16>) outs(%z[a] : memref<4xf32>)
      neutral(0xFF800000 : f32)
      {schedule = #tc.schedule<thread = [a = 2], register = [a = 2], step = [q = 8], vector = [a = 4, q = 2], stages = 3, resident = 2, kernel = fma>}
      map (%u: f16) {
        %e = arith.extf %u : f16 to f32
        tc.yield %e : f32
      } combine associative commutative (%u: f32, %v: f32) {
        %m = arith.maximumf %u, %v : f32
        tc.yield %m : f32
      }
  return
}

// Steps and widths that are values.
// CHECK-LABEL: func @steps
// CHECK-SAME: %[[N:.*]]: index, %[[Z:.*]]: f32)
func.func @steps(%n: index, %zero: f32) {
  // CHECK: tc.par (%{{.*}}, %{{.*}}) = (0, %[[N]]) to (%[[N]], 8) step (%[[N]], 4) width (1, %[[N]]) {
  tc.par (%i, %j) = (0, %n) to (%n, 8) step (%n, 4) width (1, %n) {
    // CHECK: tc.seq (%{{.*}}) = (0) to (8) step (%[[N]]) init(
    %s = tc.seq (%k) = (0) to (8) step (%n) init(%t = %zero : f32) {
      tc.yield %t : f32
    }
    // CHECK: tc.scan (%{{.*}}) = (0) to (8) step (%[[N]]) width (%[[N]]) init(
    tc.scan (%k) = (0) to (8) step (%n) width (%n) init(%zero : f32) {
      tc.yield %s : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %a : f32
    } finish (%k: index, %a: f32) {
    }
  }
  return
}

// CHECK-LABEL: func @par
func.func @par(%n: index) {
  // CHECK: tc.par host (%{{.*}}) = (0) to (%{{.*}}) {
  tc.par host (%i) = (0) to (%n) {
  }
  // CHECK: tc.par grid (%[[I:.*]], %[[J:.*]]) = (0, %{{.*}}) to (128, %{{.*}}) step (64, 1) {
  tc.par grid (%i, %j) = (0, %n) to (128, %n) step (64, 1) {
    // CHECK: tc.par full block (%{{.*}}) = (%[[I]]) to (%{{.*}}) step (4) width (2) map #tc.map<shift_lb, split_last(32)> attributes {note = "kept"} {
    tc.par full block (%k) = (%i) to (%n) step (4) width (2) map #tc.map<shift_lb, split_last(32)> attributes {note = "kept"} {
    }
  }
  // CHECK: tc.par (%{{.*}}) = (0) to (4) {
  tc.par (%i) = (0) to (4) {
  }
  // CHECK: tc.par () = () to () {
  tc.par () = () to () {
  }
  return
}

// CHECK-LABEL: func @seq
func.func @seq(%x: f32, %y: i32) -> (f32, i32) {
  // CHECK: tc.seq (%{{.*}}) = (0) to (64) step (16) {
  tc.seq (%q) = (0) to (64) step (16) {
  }
  // CHECK: %[[R:.*]]:2 = tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (4, 4) init(%[[C:.*]] = %{{.*}} : f32, %[[D:.*]] = %{{.*}} : i32) {
  // CHECK-NEXT: tc.yield %[[C]], %[[D]] : f32, i32
  %r:2 = tc.seq (%q, %p) = (0, 0) to (4, 4) init(%c = %x : f32, %d = %y : i32) {
    tc.yield %c, %d : f32, i32
  }
  return %r#0, %r#1 : f32, i32
}

// CHECK-LABEL: func @views
func.func @views(%A: memref<16x16xf32>, %n: index) {
  // CHECK: tc.view %{{.*}} <offset = 0, sizes = [16], strides = [17]> : memref<16x16xf32> to memref<16xf32, strided<[17]>>
  %d = tc.view %A <offset = 0, sizes = [16], strides = [17]>
      : memref<16x16xf32> to memref<16xf32, strided<[17]>>
  // CHECK: %[[V:.*]] = tc.view %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) <offset = ?, sizes = [?, 16], strides = [?, -1]> : memref<16x16xf32> to memref<?x16xf32, strided<[?, -1], offset: ?>>
  %v = tc.view %A (%n, %n, %n) <offset = ?, sizes = [?, 16], strides = [?, -1]>
      : memref<16x16xf32> to memref<?x16xf32, strided<[?, -1], offset: ?>>
  // CHECK: tc.stage %[[V]] pad(0.000000e+00 : f32) : memref<?x16xf32, strided<[?, -1], offset: ?>> to memref<64x16xf32, strided<[17, 1]>, #gpu.address_space<workgroup>>
  %s = tc.stage %v pad(0.0 : f32) : memref<?x16xf32, strided<[?, -1], offset: ?>>
      to memref<64x16xf32, strided<[17, 1]>, #gpu.address_space<workgroup>>
  // CHECK: tc.new init(0.000000e+00 : f32) threads(2) : memref<16x4x2x4xf32, #gpu.address_space<private>>
  %acc = tc.new init(0.0 : f32) threads(2) : memref<16x4x2x4xf32, #gpu.address_space<private>>
  // CHECK: tc.new : memref<4xi8>
  %b = tc.new : memref<4xi8>
  return
}

// CHECK: func private @machine() attributes {tc.machine = #tc.machine<chip = "sm_90a", multiprocessors = 132, warp_size = 32, max_block_threads = 1024, max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>}
func.func private @machine() attributes {tc.machine = #tc.machine<chip = "sm_90a",
    multiprocessors = 132, warp_size = 32, max_block_threads = 1024, max_thread_registers = 255,
    block_registers = 65536, block_shared_bytes = 49152>}

// CHECK: func private @attributes() attributes
// CHECK-SAME: lmad = #tc.lmad<offset = ?, sizes = [16, ?], strides = [?, 0]>
// CHECK-SAME: map = #tc.map<shift_lb, compress_grid(0, 1), fold_last2, pad_last(32), permute(1, 0)>
// CHECK-SAME: place = #tc.staging<in_place>
// CHECK-SAME: schedule = #tc.schedule<stage = {{\[}}[], in_place, ["a b" = 9, q = 1] by 4], stages = 2, kernel = fma>
// CHECK-SAME: tile = #tc.staging<[k = 132, m = 4, m = 1] by 4>
func.func private @attributes() attributes {
    tile = #tc.staging<[k = 132, m = 4, m = 1] by 4>, place = #tc.staging<in_place>,
    lmad = #tc.lmad<offset = ?, sizes = [16, ?], strides = [?, 0]>,
    map = #tc.map<shift_lb, compress_grid(0, 1), fold_last2, pad_last(32), permute(1, 0)>,
    schedule = #tc.schedule<stage = [[], in_place, ["a b" = 9, q = 1] by 4], stages = 2, kernel = fma>}

// CHECK: func private @on_the_cpu()
// CHECK-SAME: s = #tc.host_schedule<batch = [n], rows = [i], columns = [j, "b c", j = 8, "b c" = 24], sums = [k], vector = 8, tile = [4, 24], block = [240, 384, 64], task = 120, rows_from = memory, columns_from = panels, tasks = batch>
func.func private @on_the_cpu() attributes {
    s = #tc.host_schedule<batch = [n], rows = [i], columns = [j, "b c", j = 8, "b c" = 24],
                          sums = [k], vector = 8, tile = [4, 24], block = [240, 384, 64],
                          task = 120, rows_from = memory, columns_from = panels, tasks = batch>}

// CHECK: func private @variants() attributes {v = #tc.variant<index = 32>, w = #tc.variant<name = "both_i64", index = 64>}
func.func private @variants() attributes {v = #tc.variant<index = 32>, w = #tc.variant<name = "both_i64", index = 64>}

// What does not vary with an empty iterator is a view of an empty source.
// CHECK-LABEL: @empty_view
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [2], strides = [1]> : memref<0x2xf32, strided<[0, 1]>> to memref<2xf32>
func.func @empty_view(%x: memref<0x2xf32, strided<[0, 1]>>) {
  %v = tc.view %x <offset = 0, sizes = [2], strides = [1]> : memref<0x2xf32, strided<[0, 1]>> to memref<2xf32>
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%n: index, %x: f32, %k: index, %m: memref<?xf32>) {
  // CHECK: tc.reduce block (%[[I:.*]], %{{.*}}) = (0, %{{.*}}) to (8, %{{.*}}) step (1, 4) width (1, 2) init(%{{.*}} : f32, %{{.*}} : index) commutative attributes {note = "kept"} {
  // CHECK-NEXT: tc.yield %{{.*}}, %[[I]] : f32, index
  // CHECK-NEXT: } combine (%[[A:.*]]: f32, %{{.*}}: index, %{{.*}}: f32, %[[D:.*]]: index) {
  // CHECK-NEXT: tc.yield %[[A]], %[[D]] : f32, index
  // CHECK-NEXT: } finish (%[[S:.*]]: f32, %{{.*}}: index) {
  // CHECK-NEXT: memref.store %[[S]]
  // CHECK-NEXT: }
  tc.reduce block (%i, %j) = (0, %n) to (8, %n) step (1, 4) width (1, 2) init(%x : f32, %k : index) commutative attributes {note = "kept"} {
    tc.yield %x, %i : f32, index
  } combine (%a: f32, %b: index, %c: f32, %d: index) {
    tc.yield %a, %d : f32, index
  } finish (%s: f32, %t: index) {
    memref.store %s, %m[%t] : memref<?xf32>
  }
  // CHECK: tc.reduce () = () to () init(%{{.*}} : f32) {
  // CHECK: } finish (%{{.*}}: f32) {
  // CHECK-NEXT: }
  tc.reduce () = () to () init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%s: f32) {
    tc.yield
  }
  return
}

// CHECK-LABEL: func @scan
func.func @scan(%n: index, %x: f32, %m: memref<?xf32>) {
  // CHECK: tc.scan device (%{{.*}}) = (%{{.*}}) to (64) init(%{{.*}} : f32) exclusive {
  // CHECK: } finish (%{{.*}}: index, %{{.*}}: f32) {
  tc.scan device (%i) = (%n) to (64) init(%x : f32) exclusive {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %b : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %m[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func @with
func.func @with(%n: index, %x: f32, %y: i8, %A: memref<8x?xf32>, %B: memref<?x?xi8>, %C: memref<f32>) {
  // CHECK: tc.with %{{.*}}, %{{.*}} default(%{{.*}}, %{{.*}} : f32, i8) : memref<8x?xf32>, memref<?x?xi8> {
  tc.with %A, %B default(%x, %y : f32, i8) : memref<8x?xf32>, memref<?x?xi8> {
    // CHECK-NEXT: tc.partition (%{{.*}}, %{{.*}}) = (0, %{{.*}}) to (8, %{{.*}}) step (1, %{{.*}}) {
    tc.partition (%i, %j) = (0, %n) to (8, %n) step (1, %n) {
      // CHECK-NEXT: tc.yield %{{.*}}, %{{.*}} : f32, i8
      tc.yield %x, %y : f32, i8
    }
  }
  // CHECK: tc.with %{{.*}} : memref<f32> attributes {key = 1 : i64} {
  tc.with %C : memref<f32> attributes {key = 1} {
    // CHECK-NEXT: tc.partition () = () to () {
    tc.partition () = () to () {
      tc.yield %x : f32
    }
  }
  return
}

// CHECK-LABEL: func.func @threshold
func.func @threshold(%n: index) -> i1 {
  // CHECK: tc.threshold %{{.*}} reaches "rows.0.device" default(264)
  %few = tc.threshold %n reaches "rows.0.device" default(264)
  return %few : i1
}
