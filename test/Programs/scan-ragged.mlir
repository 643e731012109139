// Where rows of any length begin, by an exclusive scan over all threads of the device,
// and the sums of the rows, a block a row.
//
// RUN: %run_program %s
func.func @ragged(%lengths: memref<50xi32>, %values: memref<400xi32>, %starts: memref<50xi32>, %y: memref<50xi32>) {
  %zero = arith.constant 0 : i32
  tc.scan (%i) = (0) to (50) init(%zero : i32) exclusive {
    %n = memref.load %lengths[%i] : memref<50xi32>
    %index = arith.index_cast %n : i32 to index
    %length = affine.apply affine_map<(n) -> (n mod 8)>(%index)
    %l32 = arith.index_cast %length : index to i32
    tc.yield %l32 : i32
  } combine (%x: i32, %y0: i32) {
    %z = arith.addi %x, %y0 : i32
    tc.yield %z : i32
  } finish (%i: index, %x: i32) {
    memref.store %x, %starts[%i] : memref<50xi32>
  }
  tc.par grid (%i) = (0) to (50) {
    %first32 = memref.load %starts[%i] : memref<50xi32>
    %n = memref.load %lengths[%i] : memref<50xi32>
    %first = arith.index_cast %first32 : i32 to index
    %index = arith.index_cast %n : i32 to index
    %last = affine.apply affine_map<(f, n) -> (f + n mod 8)>(%first, %index)
    tc.reduce block (%k) = (%first) to (%last) init(%zero : i32) {
      %v = memref.load %values[%k] : memref<400xi32>
      tc.yield %v : i32
    } combine (%x: i32, %y0: i32) {
      %z = arith.addi %x, %y0 : i32
      tc.yield %z : i32
    } finish (%x: i32) {
      memref.store %x, %y[%i] : memref<50xi32>
    }
  }
  return
}
