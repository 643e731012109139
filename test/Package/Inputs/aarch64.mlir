// Products with a dynamic extent, of another order of dimensions, of complex
// numbers, and a nest of rows.
func.func @product(%a: memref<?x37xf32>, %b: memref<37x50xf32>, %c: memref<?x50xf32>) {
  linalg.matmul ins(%a, %b : memref<?x37xf32>, memref<37x50xf32>) outs(%c : memref<?x50xf32>)
  return
}
func.func @turned(%a: memref<12x9x14xf64>, %b: memref<14x11xf64>, %c: memref<9x11x12xf64>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j, l, k) -> (i, j, k)>, affine_map<(i, j, l, k) -> (k, l)>,
                       affine_map<(i, j, l, k) -> (j, l, i)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<12x9x14xf64>, memref<14x11xf64>) outs(%c : memref<9x11x12xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %p = arith.mulf %x, %y : f64
    %s = arith.addf %z, %p : f64
    linalg.yield %s : f64
  }
  return
}
func.func @complex(%a: memref<7x8xcomplex<f32>>, %b: memref<8x6xcomplex<f32>>,
                   %c: memref<7x6xcomplex<f32>>) {
  linalg.matmul ins(%a, %b : memref<7x8xcomplex<f32>>, memref<8x6xcomplex<f32>>)
      outs(%c : memref<7x6xcomplex<f32>>)
  return
}
func.func @rows(%a: memref<5x33xf32>, %most: memref<5xf32>) {
  tc.par (%i) = (0) to (5) {
    %small = arith.constant -1.0e30 : f32
    memref.store %small, %most[%i] : memref<5xf32>
    tc.seq (%j) = (0) to (33) {
      %x = memref.load %a[%i, %j] : memref<5x33xf32>
      %old = memref.load %most[%i] : memref<5xf32>
      %new = arith.maximumf %x, %old : f32
      memref.store %new, %most[%i] : memref<5xf32>
    }
  }
  return
}
