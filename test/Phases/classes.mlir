// Every class of iterator, in f32 and f64, added to the result and overwriting it,
// with extents that no tile divides: the numbers stay the same in every phase.
//
// RUN: %check_phases %s %phases

#ab = affine_map<(a, b) -> (a, b)>
#a_ab = affine_map<(a, b) -> (a)>
#b_ab = affine_map<(a, b) -> (b)>
#none_ab = affine_map<(a, b) -> ()>

func.func @matmul(%A: memref<33x17xf32>, %B: memref<17x29xf32>, %C: memref<33x29xf32>) {
  linalg.matmul ins(%A, %B : memref<33x17xf32>, memref<17x29xf32>)
                outs(%C : memref<33x29xf32>)
  return
}

func.func @matmul_from_zero(%A: memref<31x13xf64>, %B: memref<13x37xf64>, %C: memref<31x37xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%C : memref<31x37xf64>)
  linalg.matmul ins(%A, %B : memref<31x13xf64>, memref<13x37xf64>)
                outs(%C : memref<31x37xf64>)
  return
}

func.func @batch(%A: memref<5x7x11xf32>, %B: memref<5x11x3xf32>, %C: memref<5x7x3xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<5x7x11xf32>, memref<5x11x3xf32>)
                      outs(%C : memref<5x7x3xf32>)
  return
}

func.func @matvec(%A: memref<19x23xf64>, %x: memref<23xf64>, %y: memref<19xf64>) {
  linalg.matvec ins(%A, %x : memref<19x23xf64>, memref<23xf64>) outs(%y : memref<19xf64>)
  return
}

func.func @vecmat(%x: memref<23xf32>, %A: memref<23x41xf32>, %y: memref<41xf32>) {
  linalg.vecmat ins(%x, %A : memref<23xf32>, memref<23x41xf32>) outs(%y : memref<41xf32>)
  return
}

func.func @dot(%x: memref<301xf32>, %y: memref<301xf32>, %z: memref<f32>) {
  linalg.dot ins(%x, %y : memref<301xf32>, memref<301xf32>) outs(%z : memref<f32>)
  return
}

func.func @outer(%x: memref<13xf64>, %y: memref<35xf64>, %z: memref<13x35xf64>) {
  linalg.generic {indexing_maps = [#a_ab, #b_ab, #ab], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : memref<13xf64>, memref<35xf64>) outs(%z : memref<13x35xf64>) {
  ^bb0(%u: f64, %v: f64, %acc: f64):
    %p = arith.mulf %u, %v : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  }
  return
}

func.func @elementwise(%x: memref<13x35xf32>, %y: memref<13x35xf32>, %z: memref<13x35xf32>) {
  linalg.mul ins(%x, %y : memref<13x35xf32>, memref<13x35xf32>) outs(%z : memref<13x35xf32>)
  return
}

func.func @square(%x: memref<13x35xf32>, %z: memref<13xf32>) {
  linalg.generic {indexing_maps = [#ab, #a_ab], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<13x35xf32>) outs(%z : memref<13xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %p = arith.mulf %u, %u : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

func.func @broadcast(%x: memref<13xf32>, %z: memref<13x35xf32>) {
  linalg.broadcast ins(%x : memref<13xf32>) outs(%z : memref<13x35xf32>) dimensions = [1]
  return
}

func.func @transpose(%x: memref<5x7x3xf64>, %z: memref<3x5x7xf64>) {
  linalg.transpose ins(%x : memref<5x7x3xf64>) outs(%z : memref<3x5x7xf64>) permutation = [2, 0, 1]
  return
}

func.func @reduce(%x: memref<5x37x3xf32>, %z: memref<5x3xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<5x37x3xf32>) outs(%z : memref<5x3xf32>) dimensions = [1]
  return
}

func.func @sum_all(%x: memref<9x35xf64>, %z: memref<f64>) {
  linalg.generic {indexing_maps = [#ab, #none_ab], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<9x35xf64>) outs(%z : memref<f64>) {
  ^bb0(%u: f64, %acc: f64):
    %s = arith.addf %u, %acc : f64
    linalg.yield %s : f64
  }
  return
}

func.func @trace(%x: memref<37x37xf32>, %z: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(q) -> (q, q)>, affine_map<(q) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<37x37xf32>) outs(%z : memref<f32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.addf %u, %acc : f32
    linalg.yield %s : f32
  }
  return
}

func.func @diagonal(%x: memref<11x11x5xf32>, %y: memref<5x3xf32>, %z: memref<11x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, q) -> (a, a, q)>, affine_map<(a, b, q) -> (q, b)>,
                                   affine_map<(a, b, q) -> (a, b)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<11x11x5xf32>, memref<5x3xf32>) outs(%z : memref<11x3xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.mulf %v, %u : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }
  return
}

// r is summed in one operand alone.
func.func @summed_in_one(%x: memref<7x5x3xf64>, %y: memref<5x9xf64>, %z: memref<7x9xf64>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, q, r) -> (a, q, r)>, affine_map<(a, b, q, r) -> (q, b)>,
                                   affine_map<(a, b, q, r) -> (a, b)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %y : memref<7x5x3xf64>, memref<5x9xf64>) outs(%z : memref<7x9xf64>) {
  ^bb0(%u: f64, %v: f64, %acc: f64):
    %p = arith.mulf %u, %v : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  }
  return
}

func.func @three_inputs(%x: memref<7x5xf32>, %y: memref<5x3xf32>, %w: memref<3x9xf32>, %z: memref<7x9xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, q, r) -> (a, q)>, affine_map<(a, b, q, r) -> (q, r)>,
                                   affine_map<(a, b, q, r) -> (r, b)>, affine_map<(a, b, q, r) -> (a, b)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %y, %w : memref<7x5xf32>, memref<5x3xf32>, memref<3x9xf32>) outs(%z : memref<7x9xf32>) {
  ^bb0(%u: f32, %v: f32, %t: f32, %acc: f32):
    %p = arith.mulf %u, %v : f32
    %m = arith.mulf %p, %t : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  return
}

// sd1_7 of the thesis, rank 6.
func.func @sd1_7(%X: memref<3x5x4x7xf32>, %Y: memref<7x2x3x5xf32>, %Z: memref<4x2x5x3x3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<4x2x5x3x3x5xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, c, i, j, k, q) -> (i, c, a, q)>,
                       affine_map<(a, b, c, i, j, k, q) -> (q, b, j, k)>,
                       affine_map<(a, b, c, i, j, k, q) -> (a, b, c, i, j, k)>]
      ins(%X, %Y : memref<3x5x4x7xf32>, memref<7x2x3x5xf32>)
      outs(%Z : memref<4x2x5x3x3x5xf32>)
  return
}

func.func @convolution(%x: memref<2x9x3xf32>, %f: memref<3x3x5xf32>, %z: memref<2x7x5xf32>) {
  linalg.conv_1d_nwc_wcf {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%x, %f : memref<2x9x3xf32>, memref<3x3x5xf32>) outs(%z : memref<2x7x5xf32>)
  return
}

func.func @max_plus(%A: memref<7x5xf32>, %B: memref<5x9xf32>, %C: memref<7x9xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, q) -> (a, q)>, affine_map<(a, b, q) -> (q, b)>,
                                   affine_map<(a, b, q) -> (a, b)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<7x5xf32>, memref<5x9xf32>) outs(%C : memref<7x9xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.addf %u, %v : f32
    %s = arith.maximumf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

func.func @distance(%A: memref<7x5xf64>, %B: memref<5x9xf64>, %C: memref<7x9xf64>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, q) -> (a, q)>, affine_map<(a, b, q) -> (q, b)>,
                                   affine_map<(a, b, q) -> (a, b)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<7x5xf64>, memref<5x9xf64>) outs(%C : memref<7x9xf64>) {
  ^bb0(%u: f64, %v: f64, %acc: f64):
    %d = arith.subf %u, %v : f64
    %p = arith.mulf %d, %d : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  }
  return
}

func.func @no_terms(%A: memref<5x0xf32>, %B: memref<0x7xf32>, %C: memref<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<5x7xf32>)
  linalg.matmul ins(%A, %B : memref<5x0xf32>, memref<0x7xf32>) outs(%C : memref<5x7xf32>)
  return
}

func.func @no_results(%A: memref<0x5xf32>, %B: memref<5x7xf32>, %C: memref<0x7xf32>) {
  linalg.matmul ins(%A, %B : memref<0x5xf32>, memref<5x7xf32>) outs(%C : memref<0x7xf32>)
  return
}
