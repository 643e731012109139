// Rows cut, turned, joined, shuffled and chosen from, with branches and loops of vectors.
//
// RUN: %run_program %s
func.func @vector_shapes(%A: memref<8x8xi32>, %B: memref<8x8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tc.par (%i) = (0) to (8) {
    %row = vector.load %A[%i, %c0] : memref<8x8xi32>, vector<8xi32>
    %middle = vector.extract_strided_slice %row {offsets = [2], sizes = [4], strides = [1]}
      : vector<8xi32> to vector<4xi32>
    %moved = vector.insert_strided_slice %middle, %row {offsets = [3], strides = [1]}
      : vector<4xi32> into vector<8xi32>
    %two = vector.shape_cast %moved : vector<8xi32> to vector<2x4xi32>
    %turned = vector.transpose %two, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
    %flat = vector.shape_cast %turned : vector<4x2xi32> to vector<8xi32>
    %mixed = vector.shuffle %flat, %row [0, 15, 1, 14, 2, 13, 3, 12]
      : vector<8xi32>, vector<8xi32>
    %numbers = vector.step : vector<8xindex>
    %n = arith.index_cast %numbers : vector<8xindex> to vector<8xi32>
    %isLess = arith.cmpi slt, %mixed, %n : vector<8xi32>
    %chosen = arith.select %isLess, %mixed, %n : vector<8xi1>, vector<8xi32>
    %isSmall = arith.cmpi slt, %i, %c4 : index
    %either = scf.if %isSmall -> vector<8xi32> {
      %left, %right = vector.deinterleave %chosen : vector<8xi32> -> vector<4xi32>
      %joined = vector.interleave %right, %left : vector<4xi32> -> vector<8xi32>
      scf.yield %joined : vector<8xi32>
    } else {
      %element = vector.extract %chosen[%i] : i32 from vector<8xi32>
      %replaced = vector.insert %element, %row[%c1] : i32 into vector<8xi32>
      scf.yield %replaced : vector<8xi32>
    }
    %sum = scf.for %k = %c0 to %i step %c1 iter_args(%s = %n) -> vector<8xi32> {
      %next = arith.addi %s, %either : vector<8xi32>
      scf.yield %next : vector<8xi32>
    }
    %bytes = vector.bitcast %sum : vector<8xi32> to vector<32xi8>
    %low = vector.extract %bytes[4] : i8 from vector<32xi8>
    %wide = arith.extsi %low : i8 to i32
    %last = vector.insert %wide, %sum [7] : i32 into vector<8xi32>
    vector.store %last, %B[%i, %c0] : memref<8x8xi32>, vector<8xi32>
  }
  return
}
