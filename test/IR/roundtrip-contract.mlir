// Everything that tc.contract can say, printed, read back and printed again, in the pretty
// form, in the generic one, and as bytecode.
//
// RUN: tc-opt %s > %t.once
// RUN: tc-opt %t.once | diff %t.once -
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | diff %t.once -
// RUN: tc-opt %s --emit-bytecode | tc-opt | diff %t.once -
// RUN: FileCheck %s < %t.once

// CHECK-LABEL: func @sides
// CHECK: tc.contract (a = 4, q = 8) ins(%{{.*}}[a, q] : memref<4x8xf16>) sides(%{{.*}}[] : memref<f32>, %{{.*}}[a * -1 + 3] : memref<4xi32>) outs(%{{.*}}[a] : memref<4xf16>) overwrite epilogue (%[[ACC:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: i32) {
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[ACC]], %[[S]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[T]] : f32 to f16
// CHECK-NEXT: tc.yield %[[R]] : f16
// CHECK-NEXT: }{{$}}
func.func @sides(%x: memref<4x8xf16>, %s: memref<f32>, %t: memref<4xi32>, %z: memref<4xf16>) {
  tc.contract (a = 4, q = 8) ins(%x[a, q] : memref<4x8xf16>) sides(%s[] : memref<f32>, %t[3 - a] : memref<4xi32>)
      outs(%z[a] : memref<4xf16>) overwrite epilogue (%acc: f32, %u: f32, %v: i32) {
        %m = arith.mulf %acc, %u : f32
        %r = arith.truncf %m : f32 to f16
        tc.yield %r : f16
      }
  return
}

// Results need not have the same rank and type, only the same iterators.
// CHECK-LABEL: func @results
// CHECK: %[[R:.*]]:2 = tc.contract (a = 4, q = 8) ins(%{{.*}}[a, q] : tensor<4x8xf32>) outs(%{{.*}}[a] : tensor<4xf32>, %{{.*}}[1, a * 2] : tensor<2x8xf64>) overwrite map (%[[X:.*]]: f32) {
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT: tc.yield %[[X]], %[[Y]] : f32, f32
// CHECK-NEXT: } -> (tensor<4xf32>, tensor<2x8xf64>)
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
func.func @results(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %z: tensor<2x8xf64>) -> (tensor<4xf32>, tensor<2x8xf64>) {
  %r:2 = tc.contract (a = 4, q = 8) ins(%x[a, q] : tensor<4x8xf32>)
      outs(%y[a] : tensor<4xf32>, %z[1, 2 * a] : tensor<2x8xf64>) overwrite map (%u: f32) {
        %v = arith.mulf %u, %u : f32
        tc.yield %u, %v : f32, f32
      } -> (tensor<4xf32>, tensor<2x8xf64>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<2x8xf64>
}

// CHECK-LABEL: func @accumulators
// CHECK: outs(%{{.*}}[a] : memref<4xi8>) accumulate(i64){{$}}
// CHECK: outs(%{{.*}}[a] : memref<4xcomplex<f32>>) overwrite accumulate(complex<f64>) {note = "kept"}
func.func @accumulators(%x: memref<4xi8>, %y: memref<4xf16>, %z: memref<4xcomplex<f32>>) {
  tc.contract (a = 4) ins(%x[a] : memref<4xi8>, %x[a] : memref<4xi8>) outs(%x[a] : memref<4xi8>) accumulate(i64)
  tc.contract (a = 4) ins(%y[a] : memref<4xf16>, %x[a] : memref<4xi8>) outs(%z[a] : memref<4xcomplex<f32>>)
      overwrite accumulate(complex<f64>) {note = "kept"}
  return
}

// What the region promises: nothing, one of the two, both.
// CHECK-LABEL: func @laws
// CHECK: neutral(0 : i32) combine (%
// CHECK: neutral(0 : i32) combine associative (%
// CHECK: neutral(0 : i32) combine commutative (%
// CHECK: neutral(0 : i32) combine associative commutative (%
func.func @laws(%x: memref<4x8xi32>, %z: memref<4xi32>) {
  tc.contract (a = 4, q = 8) ins(%x[a, q] : memref<4x8xi32>) outs(%z[a] : memref<4xi32>) neutral(0 : i32)
      combine (%u: i32, %v: i32) {
        %r = arith.subi %u, %v : i32
        tc.yield %r : i32
      }
  tc.contract (a = 4, q = 8) ins(%x[a, q] : memref<4x8xi32>) outs(%z[a] : memref<4xi32>) neutral(0 : i32)
      combine associative (%u: i32, %v: i32) {
        tc.yield %u : i32
      }
  tc.contract (a = 4, q = 8) ins(%x[a, q] : memref<4x8xi32>) outs(%z[a] : memref<4xi32>) neutral(0 : i32)
      combine commutative (%u: i32, %v: i32) {
        %s = arith.addi %u, %v : i32
        %r = arith.muli %s, %s : i32
        tc.yield %r : i32
      }
  tc.contract (a = 4, q = 8) ins(%x[a, q] : memref<4x8xi32>) outs(%z[a] : memref<4xi32>) neutral(0 : i32)
      combine associative commutative (%u: i32, %v: i32) {
        %r = arith.xori %u, %v : i32
        tc.yield %r : i32
      }
  return
}

// All three regions, and several of everything.
// CHECK-LABEL: func @everything
// CHECK: tc.contract (a = 4, q = %{{.*}}) ins(%{{.*}}[a, q] : memref<4x?xf32>, %{{.*}}[q] : memref<?xi32>) sides(%{{.*}}[a] : memref<4xf32>) outs(%{{.*}}[a] : memref<4xf32>) overwrite neutral(0xFF800000 : f32, -1 : i32) {schedule = #tc.schedule<thread = [a = 4], step = [q = 8], kernel = fma>} map (
// CHECK: } combine associative commutative (
// CHECK: } epilogue (
func.func @everything(%x: memref<4x?xf32>, %n: memref<?xi32>, %s: memref<4xf32>, %z: memref<4xf32>, %e: index) {
  tc.contract (a = 4, q = %e) ins(%x[a, q] : memref<4x?xf32>, %n[q] : memref<?xi32>) sides(%s[a] : memref<4xf32>)
      outs(%z[a] : memref<4xf32>) overwrite neutral(0xFF800000 : f32, -1 : i32)
      {schedule = #tc.schedule<thread = [a = 4], step = [q = 8], kernel = fma>}
      map (%u: f32, %k: i32) {
        tc.yield %u, %k : f32, i32
      } combine associative commutative (%u: f32, %k: i32, %v: f32, %l: i32) {
        %m = arith.cmpf ogt, %v, %u : f32
        %w = arith.select %m, %v, %u : f32
        %p = arith.select %m, %l, %k : i32
        tc.yield %w, %p : f32, i32
      } epilogue (%u: f32, %k: i32, %v: f32) {
        %f = arith.sitofp %k : i32 to f32
        %r = arith.addf %f, %v : f32
        tc.yield %r : f32
      }
  return
}

// CHECK-LABEL: @no_inputs
// CHECK: tc.contract (a = 4) ins() outs(%{{.*}}[a] : memref<4xf32>) overwrite map () {
func.func @no_inputs(%z: memref<4xf32>, %x: f32) {
  tc.contract (a = 4) ins() outs(%z[a] : memref<4xf32>) overwrite map () {
    tc.yield %x : f32
  }
  return
}
