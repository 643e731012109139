// Views of one buffer: each row is read backwards through a view of negative stride
// and written to every second column, and the columns between get the diagonal.
//
// RUN: %run_program %s
func.func @reverse(%A: memref<12x20xi32>, %B: memref<12x40xi32>) {
  tc.par grid (%i) = (0) to (12) {
    %last = affine.apply affine_map<(i) -> (i * 20 + 19)>(%i)
    %first = affine.apply affine_map<(i) -> (i * 40)>(%i)
    %second = affine.apply affine_map<(i) -> (i * 40 + 1)>(%i)
    %back = tc.view %A (%last) <offset = ?, sizes = [20], strides = [-1]> : memref<12x20xi32> to memref<20xi32, strided<[-1], offset: ?>>
    %even = tc.view %B (%first) <offset = ?, sizes = [20], strides = [2]> : memref<12x40xi32> to memref<20xi32, strided<[2], offset: ?>>
    %odd = tc.view %B (%second) <offset = ?, sizes = [20], strides = [2]> : memref<12x40xi32> to memref<20xi32, strided<[2], offset: ?>>
    %diagonal = tc.view %A <offset = 0, sizes = [12], strides = [21]> : memref<12x20xi32> to memref<12xi32, strided<[21]>>
    tc.par block (%t) = (0) to (20) {
      %x = memref.load %back[%t] : memref<20xi32, strided<[-1], offset: ?>>
      memref.store %x, %even[%t] : memref<20xi32, strided<[2], offset: ?>>
      %d = memref.load %diagonal[%i] : memref<12xi32, strided<[21]>>
      memref.store %d, %odd[%t] : memref<20xi32, strided<[2], offset: ?>>
    }
  }
  return
}
