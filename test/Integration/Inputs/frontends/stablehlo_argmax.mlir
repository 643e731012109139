// jnp.argmax(x, axis=1): positions are a tensor, NaN is the largest.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @argmax(%x: tensor<40x700xf32>) -> tensor<40xi32> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x700xi32>
  %iota = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<40x700xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<40x700xi32>
  %e0 = tensor.empty() : tensor<40xf32>
  %f0 = linalg.fill ins(%ninf : f32) outs(%e0 : tensor<40xf32>) -> tensor<40xf32>
  %e1 = tensor.empty() : tensor<40xi32>
  %f1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<40xi32>) -> tensor<40xi32>
  %r:2 = linalg.generic {indexing_maps = [#map, #map, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %iota : tensor<40x700xf32>, tensor<40x700xi32>) outs(%f0, %f1 : tensor<40xf32>, tensor<40xi32>) {
  ^bb0(%in: f32, %in_1: i32, %out: f32, %out_2: i32):
    %1 = arith.cmpf ogt, %out, %in : f32
    %2 = arith.cmpf une, %out, %out : f32
    %3 = arith.ori %1, %2 : i1
    %4 = arith.cmpf oeq, %out, %in : f32
    %5 = arith.cmpi slt, %out_2, %in_1 : i32
    %6 = arith.andi %4, %5 : i1
    %7 = arith.ori %3, %6 : i1
    %8 = arith.select %3, %out, %in : f32
    %9 = arith.select %7, %out_2, %in_1 : i32
    linalg.yield %8, %9 : f32, i32
  } -> (tensor<40xf32>, tensor<40xi32>)
  return %r#1 : tensor<40xi32>
}
