// A transpose by a cached tile (listing 4.4 of the thesis on Tiramisu): rows are read and rows are
// written, and columns of the copy lie in different banks. The last tile is cut.
//
// RUN: %run_program %s
func.func @transpose(%A: memref<128x250xf32>, %B: memref<250x128xf32>) {
  tc.par (%i, %j) = (0, 0) to (128, 250) step (16, 16) {
    tc.cache %A pad(1) : memref<128x250xf32>
    %n = affine.min affine_map<(j) -> (16, 250 - j)>(%j)
    tc.par (%a, %b) = (0, 0) to (%n, 16) {
      %row = affine.apply affine_map<(i, b) -> (i + b)>(%i, %b)
      %column = affine.apply affine_map<(j, a) -> (j + a)>(%j, %a)
      %x = memref.load %A[%row, %column] : memref<128x250xf32>
      memref.store %x, %B[%column, %row] : memref<250x128xf32>
    }
  }
  return
}
