// Scaled dot product attention with a softmax of its own, dynamic batch.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#mapr = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @forward(%q: tensor<?x48x32xf32>, %k: tensor<?x56x32xf32>, %v: tensor<?x56x32xf32>) -> tensor<?x48x32xf32> {
    %c0 = arith.constant 0 : index
    %c0_i64 = arith.constant 0 : i64
    %zero = arith.constant 0.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %scale = arith.constant 0.176776 : f32
    %n = tensor.dim %q, %c0 : tensor<?x48x32xf32>
    %te = tensor.empty(%n) : tensor<?x32x56xf32>
    %kt = linalg.transpose ins(%k : tensor<?x56x32xf32>) outs(%te : tensor<?x32x56xf32>) permutation = [0, 2, 1]
    %se = tensor.empty(%n) : tensor<?x48x56xf32>
    %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<?x48x56xf32>) -> tensor<?x48x56xf32>
    %s = linalg.batch_matmul ins(%q, %kt : tensor<?x48x32xf32>, tensor<?x32x56xf32>) outs(%sz : tensor<?x48x56xf32>) -> tensor<?x48x56xf32>
    %sc = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x48x56xf32>) outs(%se : tensor<?x48x56xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %scale : f32
      linalg.yield %m : f32
    } -> tensor<?x48x56xf32>
    %ie = tensor.empty(%n) : tensor<?x48xi64>
    %iz = linalg.fill ins(%c0_i64 : i64) outs(%ie : tensor<?x48xi64>) -> tensor<?x48xi64>
    %me = tensor.empty(%n) : tensor<?x48xf32>
    %mz = linalg.fill ins(%ninf : f32) outs(%me : tensor<?x48xf32>) -> tensor<?x48xf32>
    %mx:2 = linalg.generic {indexing_maps = [#map, #mapr, #mapr], iterator_types = ["parallel", "parallel", "reduction"]} ins(%sc : tensor<?x48x56xf32>) outs(%mz, %iz : tensor<?x48xf32>, tensor<?x48xi64>) {
    ^bb0(%a: f32, %o: f32, %oi: i64):
      %i = linalg.index 2 : index
      %ii = arith.index_cast %i : index to i64
      %m = arith.maximumf %a, %o : f32
      %g = arith.cmpf ogt, %a, %o : f32
      %w = arith.select %g, %ii, %oi : i64
      linalg.yield %m, %w : f32, i64
    } -> (tensor<?x48xf32>, tensor<?x48xi64>)
    %ex = tensor.expand_shape %mx#0 [[0], [1, 2]] output_shape [%n, 48, 1] : tensor<?x48xf32> into tensor<?x48x1xf32>
    %p = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sc, %ex : tensor<?x48x56xf32>, tensor<?x48x1xf32>) outs(%se : tensor<?x48x56xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
    } -> tensor<?x48x56xf32>
    %ze = linalg.fill ins(%zero : f32) outs(%me : tensor<?x48xf32>) -> tensor<?x48xf32>
    %sum = linalg.generic {indexing_maps = [#map, #mapr], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<?x48x56xf32>) outs(%ze : tensor<?x48xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %a, %o : f32
      linalg.yield %m : f32
    } -> tensor<?x48xf32>
    %sx = tensor.expand_shape %sum [[0], [1, 2]] output_shape [%n, 48, 1] : tensor<?x48xf32> into tensor<?x48x1xf32>
    %pn = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sx : tensor<?x48x56xf32>, tensor<?x48x1xf32>) outs(%se : tensor<?x48x56xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.divf %a, %b : f32
      linalg.yield %d : f32
    } -> tensor<?x48x56xf32>
    %oe = tensor.empty(%n) : tensor<?x48x32xf32>
    %oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<?x48x32xf32>) -> tensor<?x48x32xf32>
    %r = linalg.batch_matmul ins(%pn, %v : tensor<?x48x56xf32>, tensor<?x56x32xf32>) outs(%oz : tensor<?x48x32xf32>) -> tensor<?x48x32xf32>
    return %r : tensor<?x48x32xf32>
  }
}
