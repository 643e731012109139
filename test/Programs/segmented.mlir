// Sums of segments of any length, by a scan of pairs of a flag and a value: the last
// element of a segment has its sum. Segments begin where a row of offsets says so.
//
// RUN: %run_program %s
func.func @segmented(%A: memref<3000xi32>, %begins: memref<3000xi32>, %sums: memref<3000xi32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %no = arith.constant false
  tc.scan (%i) = (0) to (3000) init(%no : i1, %zero : i32) {
    %x = memref.load %A[%i] : memref<3000xi32>
    %b = memref.load %begins[%i] : memref<3000xi32>
    %begins_here = arith.cmpi eq, %b, %two : i32
    tc.yield %begins_here, %x : i1, i32
  } combine (%f: i1, %x: i32, %g: i1, %y: i32) {
    %s = arith.addi %x, %y : i32
    %z = arith.select %g, %y, %s : i32
    %h = arith.ori %f, %g : i1
    tc.yield %h, %z : i1, i32
  } finish (%i: index, %f: i1, %x: i32) {
    memref.store %x, %sums[%i] : memref<3000xi32>
  }
  return
}
