// Blocks that append to a list twice: one thread draws a place from the block's counter, and all write from there on.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind | FileCheck %s
// CHECK: %[[FIRST:.+]] = tc.new : memref<i32>
// CHECK: tc.par block () = () to () {
// CHECK: %[[OLD:.+]] = memref.atomic_rmw addi
// CHECK: memref.store %[[OLD]], %[[FIRST]][]
// CHECK: memref.load %[[FIRST]][]
func.func @tickets(%A: memref<6x40xi32>, %counts: memref<6xi32>, %list: memref<6x200xi32>) {
  tc.par (%g) = (0) to (6) {
    %zero = arith.constant 0 : i32
    %many = arith.constant 40 : i32
    memref.store %zero, %counts[%g] : memref<6xi32>
    %first = memref.atomic_rmw addi %many, %counts[%g] : (i32, memref<6xi32>) -> i32
    %start = arith.index_cast %first : i32 to index
    tc.par (%j) = (0) to (40) {
      %a = memref.load %A[%g, %j] : memref<6x40xi32>
      %place = arith.addi %start, %j : index
      memref.store %a, %list[%g, %place] : memref<6x200xi32>
    }
    %second = memref.atomic_rmw addi %many, %counts[%g] : (i32, memref<6xi32>) -> i32
    %next = arith.index_cast %second : i32 to index
    tc.par (%j) = (0) to (40) {
      %place = arith.addi %next, %j : index
      %back = arith.subi %place, %next : index
      %a = memref.load %list[%g, %back] : memref<6x200xi32>
      memref.store %a, %list[%g, %place] : memref<6x200xi32>
    }
  }
  return
}
