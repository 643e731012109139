func.func @sum_and_max(%A: memref<2x4096xf16>, %sum: memref<2xf16>, %max: memref<2xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                     affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A : memref<2x4096xf16>) outs(%sum, %max : memref<2xf16>, memref<2xf16>) {
  ^bb0(%a: f16, %s: f16, %m: f16):
    %0 = arith.addf %s, %a : f16
    %1 = arith.maximumf %m, %a : f16
    linalg.yield %0, %1 : f16, f16
  }
  return
}

func.func @sum_and_choice(%A: memref<2x4096xf16>, %sum: memref<2xf16>, %max: memref<2xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                     affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A : memref<2x4096xf16>) outs(%sum, %max : memref<2xf16>, memref<2xf16>) {
  ^bb0(%a: f16, %s: f16, %m: f16):
    %0 = arith.addf %s, %a : f16
    %1 = arith.cmpf ogt, %a, %m : f16
    %2 = arith.select %1, %a, %m : f16
    linalg.yield %0, %2 : f16, f16
  }
  return
}

func.func @nest(%A: memref<2x4096xf16>, %sum: memref<2xf16>, %max: memref<2xf16>) {
  affine.parallel (%i) = (0) to (2) {
    %s, %m = affine.parallel (%j) = (0) to (4096) reduce("addf", "maximumf") -> (f16, f16) {
      %x = affine.load %A[%i, %j] : memref<2x4096xf16>
      affine.yield %x, %x : f16, f16
    }
    affine.store %s, %sum[%i] : memref<2xf16>
    affine.store %m, %max[%i] : memref<2xf16>
  }
  return
}
