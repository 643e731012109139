// Nests as they are written first, each beside the best form of the same program: a function and its
// `_best`. benchmarks/naive.py counts both.

func.func @matmul(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  tc.par (%i, %j) = (0, 0) to (1024, 1024) {
    tc.seq (%k) = (0) to (1024) {
      %a = memref.load %A[%i, %k] : memref<1024x1024xf32>
      %b = memref.load %B[%k, %j] : memref<1024x1024xf32>
      %c = memref.load %C[%i, %j] : memref<1024x1024xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%i, %j] : memref<1024x1024xf32>
    }
  }
  return
}
func.func @matmul_best(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  linalg.matmul ins(%A, %B : memref<1024x1024xf32>, memref<1024x1024xf32>)
                outs(%C : memref<1024x1024xf32>)
  return
}

func.func @batched(%A: memref<64x256x128xf32>, %B: memref<64x128x256xf32>, %C: memref<64x256x256xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%b, %i, %j) = (0, 0, 0) to (64, 256, 256) {
    memref.store %zero, %C[%b, %i, %j] : memref<64x256x256xf32>
    tc.seq (%k) = (0) to (128) {
      %x = memref.load %A[%b, %i, %k] : memref<64x256x128xf32>
      %y = memref.load %B[%b, %k, %j] : memref<64x128x256xf32>
      %c = memref.load %C[%b, %i, %j] : memref<64x256x256xf32>
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%b, %i, %j] : memref<64x256x256xf32>
    }
  }
  return
}
func.func @batched_best(%A: memref<64x256x128xf32>, %B: memref<64x128x256xf32>, %C: memref<64x256x256xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<64x256x256xf32>)
  linalg.batch_matmul ins(%A, %B : memref<64x256x128xf32>, memref<64x128x256xf32>)
                      outs(%C : memref<64x256x256xf32>)
  return
}

func.func @matvec(%A: memref<4096x4096xf32>, %x: memref<4096xf32>, %y: memref<4096xf32>) {
  tc.par (%i) = (0) to (4096) {
    tc.seq (%k) = (0) to (4096) {
      %a = memref.load %A[%i, %k] : memref<4096x4096xf32>
      %b = memref.load %x[%k] : memref<4096xf32>
      %c = memref.load %y[%i] : memref<4096xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %y[%i] : memref<4096xf32>
    }
  }
  return
}
func.func @matvec_best(%A: memref<4096x4096xf32>, %x: memref<4096xf32>, %y: memref<4096xf32>) {
  linalg.matvec ins(%A, %x : memref<4096x4096xf32>, memref<4096xf32>)
                outs(%y : memref<4096xf32>)
  return
}

// C = alpha A B + beta C
func.func @gemm(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.75 : f32
  %zero = arith.constant 0.0 : f32
  tc.par (%i, %j) = (0, 0) to (1024, 1024) {
    %sum = tc.seq (%k) = (0) to (1024) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<1024x1024xf32>
      %b = memref.load %B[%k, %j] : memref<1024x1024xf32>
      %n = math.fma %a, %b, %s : f32
      tc.yield %n : f32
    }
    %old = memref.load %C[%i, %j] : memref<1024x1024xf32>
    %scaled = arith.mulf %beta, %old : f32
    %product = arith.mulf %alpha, %sum : f32
    %new = arith.addf %product, %scaled : f32
    memref.store %new, %C[%i, %j] : memref<1024x1024xf32>
  }
  return
}

func.func @gemm_best(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  linalg.matmul ins(%A, %B : memref<1024x1024xf32>, memref<1024x1024xf32>)
                outs(%C : memref<1024x1024xf32>)
  return
}

// C = beta C + alpha A A^T
func.func @syrk(%A: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.75 : f32
  tc.par (%i, %j) = (0, 0) to (1024, 1024) {
    %old = memref.load %C[%i, %j] : memref<1024x1024xf32>
    %scaled = arith.mulf %beta, %old : f32
    memref.store %scaled, %C[%i, %j] : memref<1024x1024xf32>
    tc.seq (%k) = (0) to (1024) {
      %a = memref.load %A[%i, %k] : memref<1024x1024xf32>
      %b = memref.load %A[%j, %k] : memref<1024x1024xf32>
      %c = memref.load %C[%i, %j] : memref<1024x1024xf32>
      %aa = arith.mulf %alpha, %a : f32
      %p = arith.mulf %aa, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%i, %j] : memref<1024x1024xf32>
    }
  }
  return
}
func.func @syrk_best(%A: tensor<1024x1024xf32>, %C: tensor<1024x1024xf32> {bufferization.writable = true})
    -> tensor<1024x1024xf32> {
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.75 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %p = linalg.contract
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                     affine_map<(i, j, k) -> (i, j)>]
    ins(%A, %A : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
    outs(%none : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<1024x1024xf32>) outs(%C : tensor<1024x1024xf32>) {
  ^bb0(%x: f32, %old: f32):
    %a = arith.mulf %alpha, %x : f32
    %b = arith.mulf %beta, %old : f32
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @conv1d(%x: memref<1048591xf32>, %w: memref<16xf32>, %y: memref<1048576xf32>) {
  tc.par (%i) = (0) to (1048576) {
    tc.seq (%r) = (0) to (16) {
      %at = affine.apply affine_map<(i, r) -> (i + r)>(%i, %r)
      %a = memref.load %x[%at] : memref<1048591xf32>
      %b = memref.load %w[%r] : memref<16xf32>
      %c = memref.load %y[%i] : memref<1048576xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %y[%i] : memref<1048576xf32>
    }
  }
  return
}
func.func @conv1d_best(%x: memref<1048591xf32>, %w: memref<16xf32>, %y: memref<1048576xf32>) {
  linalg.conv_1d ins(%x, %w : memref<1048591xf32>, memref<16xf32>) outs(%y : memref<1048576xf32>)
  return
}

func.func @conv2d(%x: memref<8x64x58x58xf32>, %w: memref<64x64x3x3xf32>, %y: memref<8x64x56x56xf32>) {
  tc.par (%n, %f, %i, %j) = (0, 0, 0, 0) to (8, 64, 56, 56) {
    tc.seq (%c, %r, %s) = (0, 0, 0) to (64, 3, 3) {
      %row = affine.apply affine_map<(i, r) -> (i + r)>(%i, %r)
      %column = affine.apply affine_map<(i, r) -> (i + r)>(%j, %s)
      %a = memref.load %x[%n, %c, %row, %column] : memref<8x64x58x58xf32>
      %b = memref.load %w[%f, %c, %r, %s] : memref<64x64x3x3xf32>
      %old = memref.load %y[%n, %f, %i, %j] : memref<8x64x56x56xf32>
      %p = arith.mulf %a, %b : f32
      %sum = arith.addf %old, %p : f32
      memref.store %sum, %y[%n, %f, %i, %j] : memref<8x64x56x56xf32>
    }
  }
  return
}
func.func @conv2d_best(%x: memref<8x64x58x58xf32>, %w: memref<64x64x3x3xf32>, %y: memref<8x64x56x56xf32>) {
  linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : memref<8x64x58x58xf32>, memref<64x64x3x3xf32>) outs(%y : memref<8x64x56x56xf32>)
  return
}

// Means and deviations of columns, columns to mean 0 and deviation 1, and their products (PolyBench).
func.func @correlation(%data: memref<1400x1200xf32>, %mean: memref<1200xf32>,
                       %deviation: memref<1200xf32>, %corr: memref<1200x1200xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %count = arith.constant 1400.0 : f32
  %root = arith.constant 37.4165738677 : f32
  %least = arith.constant 0.1 : f32
  tc.par (%j) = (0) to (1200) {
    memref.store %zero, %mean[%j] : memref<1200xf32>
    tc.seq (%i) = (0) to (1400) {
      %x = memref.load %data[%i, %j] : memref<1400x1200xf32>
      %m = memref.load %mean[%j] : memref<1200xf32>
      %s = arith.addf %m, %x : f32
      memref.store %s, %mean[%j] : memref<1200xf32>
    }
    %m = memref.load %mean[%j] : memref<1200xf32>
    %average = arith.divf %m, %count : f32
    memref.store %average, %mean[%j] : memref<1200xf32>
  }
  tc.par (%j) = (0) to (1200) {
    memref.store %zero, %deviation[%j] : memref<1200xf32>
    %m = memref.load %mean[%j] : memref<1200xf32>
    tc.seq (%i) = (0) to (1400) {
      %x = memref.load %data[%i, %j] : memref<1400x1200xf32>
      %d = arith.subf %x, %m : f32
      %dd = arith.mulf %d, %d : f32
      %v = memref.load %deviation[%j] : memref<1200xf32>
      %s = arith.addf %v, %dd : f32
      memref.store %s, %deviation[%j] : memref<1200xf32>
    }
    %v = memref.load %deviation[%j] : memref<1200xf32>
    %variance = arith.divf %v, %count : f32
    %raw = math.sqrt %variance : f32
    %isSmall = arith.cmpf ole, %raw, %least : f32
    %dev = arith.select %isSmall, %one, %raw : f32
    memref.store %dev, %deviation[%j] : memref<1200xf32>
  }
  tc.par (%i, %j) = (0, 0) to (1400, 1200) {
    %x = memref.load %data[%i, %j] : memref<1400x1200xf32>
    %m = memref.load %mean[%j] : memref<1200xf32>
    %v = memref.load %deviation[%j] : memref<1200xf32>
    %d = arith.subf %x, %m : f32
    %rv = arith.mulf %root, %v : f32
    %q = arith.divf %d, %rv : f32
    memref.store %q, %data[%i, %j] : memref<1400x1200xf32>
  }
  tc.par (%i, %j) = (0, 0) to (1200, 1200) {
    memref.store %zero, %corr[%i, %j] : memref<1200x1200xf32>
    tc.seq (%k) = (0) to (1400) {
      %a = memref.load %data[%k, %i] : memref<1400x1200xf32>
      %b = memref.load %data[%k, %j] : memref<1400x1200xf32>
      %c = memref.load %corr[%i, %j] : memref<1200x1200xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %corr[%i, %j] : memref<1200x1200xf32>
    }
  }
  return
}
// Sums by linalg; the square of a difference is a body of two operands.
func.func @correlation_best(%data: memref<1400x1200xf32>, %mean: memref<1200xf32>,
                       %deviation: memref<1200xf32>, %corr: memref<1200x1200xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %count = arith.constant 1400.0 : f32
  %root = arith.constant 37.4165738677 : f32
  %least = arith.constant 0.1 : f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<1200xf32>)
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>],
                  iterator_types = ["parallel", "reduction"]}
    ins(%data : memref<1400x1200xf32>) outs(%mean : memref<1200xf32>) {
  ^bb0(%x: f32, %m: f32):
    %s = arith.addf %m, %x : f32
    linalg.yield %s : f32
  }
  tc.par (%j) = (0) to (1200) {
    %m = memref.load %mean[%j] : memref<1200xf32>
    %average = arith.divf %m, %count : f32
    memref.store %average, %mean[%j] : memref<1200xf32>
  }
  linalg.fill ins(%zero : f32) outs(%deviation : memref<1200xf32>)
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>,
                                   affine_map<(j, i) -> (j)>],
                  iterator_types = ["parallel", "reduction"]}
    ins(%data, %mean : memref<1400x1200xf32>, memref<1200xf32>) outs(%deviation : memref<1200xf32>) {
  ^bb0(%x: f32, %m: f32, %v: f32):
    %d = arith.subf %x, %m : f32
    %dd = arith.mulf %d, %d : f32
    %s = arith.addf %v, %dd : f32
    linalg.yield %s : f32
  }
  tc.par (%j) = (0) to (1200) {
    %v = memref.load %deviation[%j] : memref<1200xf32>
    %variance = arith.divf %v, %count : f32
    %raw = math.sqrt %variance : f32
    %isSmall = arith.cmpf ole, %raw, %least : f32
    %dev = arith.select %isSmall, %one, %raw : f32
    memref.store %dev, %deviation[%j] : memref<1200xf32>
  }
  tc.par (%i, %j) = (0, 0) to (1400, 1200) {
    %x = memref.load %data[%i, %j] : memref<1400x1200xf32>
    %m = memref.load %mean[%j] : memref<1200xf32>
    %v = memref.load %deviation[%j] : memref<1200xf32>
    %d = arith.subf %x, %m : f32
    %rv = arith.mulf %root, %v : f32
    %q = arith.divf %d, %rv : f32
    memref.store %q, %data[%i, %j] : memref<1400x1200xf32>
  }
  linalg.fill ins(%zero : f32) outs(%corr : memref<1200x1200xf32>)
  linalg.contract
    indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                     affine_map<(i, j, k) -> (i, j)>]
    ins(%data, %data : memref<1400x1200xf32>, memref<1400x1200xf32>)
    outs(%corr : memref<1200x1200xf32>)
  return
}

// A += u1 v1^T + u2 v2^T; x += beta A^T y + z; w += alpha A x (PolyBench).
func.func @gemver(%A: memref<4096x4096xf32>, %u1: memref<4096xf32>, %v1: memref<4096xf32>,
                  %u2: memref<4096xf32>, %v2: memref<4096xf32>, %y: memref<4096xf32>,
                  %z: memref<4096xf32>, %x: memref<4096xf32>, %w: memref<4096xf32>) {
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.75 : f32
  tc.par (%i, %j) = (0, 0) to (4096, 4096) {
    %a = memref.load %A[%i, %j] : memref<4096x4096xf32>
    %p1 = memref.load %u1[%i] : memref<4096xf32>
    %q1 = memref.load %v1[%j] : memref<4096xf32>
    %p2 = memref.load %u2[%i] : memref<4096xf32>
    %q2 = memref.load %v2[%j] : memref<4096xf32>
    %m1 = arith.mulf %p1, %q1 : f32
    %m2 = arith.mulf %p2, %q2 : f32
    %s1 = arith.addf %a, %m1 : f32
    %s2 = arith.addf %s1, %m2 : f32
    memref.store %s2, %A[%i, %j] : memref<4096x4096xf32>
  }
  tc.par (%i) = (0) to (4096) {
    tc.seq (%j) = (0) to (4096) {
      %a = memref.load %A[%j, %i] : memref<4096x4096xf32>
      %b = memref.load %y[%j] : memref<4096xf32>
      %c = memref.load %x[%i] : memref<4096xf32>
      %ba = arith.mulf %beta, %a : f32
      %p = arith.mulf %ba, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %x[%i] : memref<4096xf32>
    }
  }
  tc.par (%i) = (0) to (4096) {
    %a = memref.load %x[%i] : memref<4096xf32>
    %b = memref.load %z[%i] : memref<4096xf32>
    %s = arith.addf %a, %b : f32
    memref.store %s, %x[%i] : memref<4096xf32>
  }
  tc.par (%i) = (0) to (4096) {
    tc.seq (%j) = (0) to (4096) {
      %a = memref.load %A[%i, %j] : memref<4096x4096xf32>
      %b = memref.load %x[%j] : memref<4096xf32>
      %c = memref.load %w[%i] : memref<4096xf32>
      %aa = arith.mulf %alpha, %a : f32
      %p = arith.mulf %aa, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %w[%i] : memref<4096xf32>
    }
  }
  return
}
func.func @gemver_best(%A: memref<4096x4096xf32>, %u1: memref<4096xf32>, %v1: memref<4096xf32>,
                  %u2: memref<4096xf32>, %v2: memref<4096xf32>, %y: memref<4096xf32>,
                  %z: memref<4096xf32>, %x: memref<4096xf32>, %w: memref<4096xf32>) {
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.75 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%u1, %v1, %u2, %v2 : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>, memref<4096xf32>)
    outs(%A : memref<4096x4096xf32>) {
  ^bb0(%p1: f32, %q1: f32, %p2: f32, %q2: f32, %a: f32):
    %m1 = arith.mulf %p1, %q1 : f32
    %m2 = arith.mulf %p2, %q2 : f32
    %s1 = arith.addf %a, %m1 : f32
    %s2 = arith.addf %s1, %m2 : f32
    linalg.yield %s2 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
    ins(%A, %y : memref<4096x4096xf32>, memref<4096xf32>) outs(%x : memref<4096xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ba = arith.mulf %beta, %a : f32
    %p = arith.mulf %ba, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
    ins(%z : memref<4096xf32>) outs(%x : memref<4096xf32>) {
  ^bb0(%b: f32, %a: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
    ins(%A, %x : memref<4096x4096xf32>, memref<4096xf32>) outs(%w : memref<4096xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %aa = arith.mulf %alpha, %a : f32
    %p = arith.mulf %aa, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

func.func @jacobi2d(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) {
  %fifth = arith.constant 0.2 : f32
  tc.par (%i, %j) = (1, 1) to (4095, 4095) {
    %up = affine.apply affine_map<(i) -> (i - 1)>(%i)
    %down = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %left = affine.apply affine_map<(i) -> (i - 1)>(%j)
    %right = affine.apply affine_map<(i) -> (i + 1)>(%j)
    %a = memref.load %A[%i, %j] : memref<4096x4096xf32>
    %b = memref.load %A[%i, %left] : memref<4096x4096xf32>
    %c = memref.load %A[%i, %right] : memref<4096x4096xf32>
    %d = memref.load %A[%down, %j] : memref<4096x4096xf32>
    %e = memref.load %A[%up, %j] : memref<4096x4096xf32>
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    %abcd = arith.addf %abc, %d : f32
    %sum = arith.addf %abcd, %e : f32
    %new = arith.mulf %fifth, %sum : f32
    memref.store %new, %B[%i, %j] : memref<4096x4096xf32>
  }
  return
}
// A thread goes down 16 rows and keeps three elements of its column.
func.func @jacobi2d_best(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) {
  %fifth = arith.constant 0.2 : f32
  tc.par device (%i0, %j) = (0, 1) to (256, 4095) {
    %first = affine.apply affine_map<(i) -> (i * 16)>(%i0)
    %begin = affine.apply affine_map<(i) -> (i * 16 + 1)>(%i0)
    %end = affine.min affine_map<(i) -> (i * 16 + 17, 4095)>(%i0)
    %left = affine.apply affine_map<(i) -> (i - 1)>(%j)
    %right = affine.apply affine_map<(i) -> (i + 1)>(%j)
    %x = memref.load %A[%first, %j] : memref<4096x4096xf32>
    %y = memref.load %A[%begin, %j] : memref<4096x4096xf32>
    %r:2 = tc.seq (%i) = (%begin) to (%end) init(%e = %x : f32, %a = %y : f32) {
      %down = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %b = memref.load %A[%i, %left] : memref<4096x4096xf32>
      %c = memref.load %A[%i, %right] : memref<4096x4096xf32>
      %d = memref.load %A[%down, %j] : memref<4096x4096xf32>
      %ab = arith.addf %a, %b : f32
      %abc = arith.addf %ab, %c : f32
      %abcd = arith.addf %abc, %d : f32
      %sum = arith.addf %abcd, %e : f32
      %new = arith.mulf %fifth, %sum : f32
      memref.store %new, %B[%i, %j] : memref<4096x4096xf32>
      tc.yield %a, %d : f32, f32
    }
  }
  return
}

func.func @softmax(%A: memref<4096x1024xf32>, %B: memref<4096x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  tc.par (%i) = (0) to (4096) {
    %max = tc.seq (%j) = (0) to (1024) init(%m = %low : f32) {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      %n = arith.maximumf %m, %x : f32
      tc.yield %n : f32
    }
    %sum = tc.seq (%j) = (0) to (1024) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      %d = arith.subf %x, %max : f32
      %e = math.exp %d : f32
      memref.store %e, %B[%i, %j] : memref<4096x1024xf32>
      %n = arith.addf %s, %e : f32
      tc.yield %n : f32
    }
    tc.par (%j) = (0) to (1024) {
      %e = memref.load %B[%i, %j] : memref<4096x1024xf32>
      %p = arith.divf %e, %sum : f32
      memref.store %p, %B[%i, %j] : memref<4096x1024xf32>
    }
  }
  return
}
func.func @softmax_best(%A: memref<4096x1024xf32>, %B: memref<4096x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  tc.par (%i) = (0) to (4096) {
    %max = tc.new : memref<f32>
    %sum = tc.new : memref<f32>
    %row = tc.new : memref<1024xf32>
    tc.reduce (%j) = (0) to (1024) init(%low : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      memref.store %x, %row[%j] : memref<1024xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      tc.yield %m : f32
    } finish (%m: f32) {
      memref.store %m, %max[] : memref<f32>
    }
    tc.reduce (%j) = (0) to (1024) init(%zero : f32) commutative {
      %x = memref.load %row[%j] : memref<1024xf32>
      %m = memref.load %max[] : memref<f32>
      %d = arith.subf %x, %m : f32
      %e = math.exp %d : f32
      memref.store %e, %row[%j] : memref<1024xf32>
      tc.yield %e : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (1024) {
      %e = memref.load %row[%j] : memref<1024xf32>
      %s = memref.load %sum[] : memref<f32>
      %p = arith.divf %e, %s : f32
      memref.store %p, %B[%i, %j] : memref<4096x1024xf32>
    }
  }
  return
}

// The mean of four neighbours, and on the rim what was there: two partitions of a with-loop.
func.func @relax(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) {
  %quarter = arith.constant 0.25 : f32
  tc.with %B : memref<4096x4096xf32> {
    tc.partition (%i, %j) = (0, 0) to (4096, 4096) {
      %x = memref.load %A[%i, %j] : memref<4096x4096xf32>
      tc.yield %x : f32
    }
    tc.partition (%i, %j) = (1, 1) to (4095, 4095) {
      %up = affine.apply affine_map<(i) -> (i - 1)>(%i)
      %down = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %left = affine.apply affine_map<(i) -> (i - 1)>(%j)
      %right = affine.apply affine_map<(i) -> (i + 1)>(%j)
      %a = memref.load %A[%up, %j] : memref<4096x4096xf32>
      %b = memref.load %A[%down, %j] : memref<4096x4096xf32>
      %c = memref.load %A[%i, %left] : memref<4096x4096xf32>
      %d = memref.load %A[%i, %right] : memref<4096x4096xf32>
      %ab = arith.addf %a, %b : f32
      %cd = arith.addf %c, %d : f32
      %sum = arith.addf %ab, %cd : f32
      %mean = arith.mulf %quarter, %sum : f32
      tc.yield %mean : f32
    }
  }
  return
}
// A nest for the interior, one for the first and last row, and one for the columns.
func.func @relax_best(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) {
  %quarter = arith.constant 0.25 : f32
  %c0 = arith.constant 0 : index
  %last = arith.constant 4095 : index
  tc.par (%i, %j) = (1, 1) to (4095, 4095) {
    %up = affine.apply affine_map<(i) -> (i - 1)>(%i)
    %down = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %left = affine.apply affine_map<(i) -> (i - 1)>(%j)
    %right = affine.apply affine_map<(i) -> (i + 1)>(%j)
    %a = memref.load %A[%up, %j] : memref<4096x4096xf32>
    %b = memref.load %A[%down, %j] : memref<4096x4096xf32>
    %c = memref.load %A[%i, %left] : memref<4096x4096xf32>
    %d = memref.load %A[%i, %right] : memref<4096x4096xf32>
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %sum = arith.addf %ab, %cd : f32
    %mean = arith.mulf %quarter, %sum : f32
    memref.store %mean, %B[%i, %j] : memref<4096x4096xf32>
  }
  tc.par (%j) = (0) to (4096) {
    %x = memref.load %A[%c0, %j] : memref<4096x4096xf32>
    %y = memref.load %A[%last, %j] : memref<4096x4096xf32>
    memref.store %x, %B[%c0, %j] : memref<4096x4096xf32>
    memref.store %y, %B[%last, %j] : memref<4096x4096xf32>
  }
  tc.par (%i) = (1) to (4095) {
    %x = memref.load %A[%i, %c0] : memref<4096x4096xf32>
    %y = memref.load %A[%i, %last] : memref<4096x4096xf32>
    memref.store %x, %B[%i, %c0] : memref<4096x4096xf32>
    memref.store %y, %B[%i, %last] : memref<4096x4096xf32>
  }
  return
}

// Rows to mean 0 and variance 1.
func.func @rownorm(%A: memref<4096x1024xf32>, %B: memref<4096x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1024.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  tc.par (%i) = (0) to (4096) {
    %sum = tc.seq (%j) = (0) to (1024) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      %n = arith.addf %s, %x : f32
      tc.yield %n : f32
    }
    %mean = arith.divf %sum, %count : f32
    %squares = tc.seq (%j) = (0) to (1024) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      %d = arith.subf %x, %mean : f32
      %dd = arith.mulf %d, %d : f32
      %n = arith.addf %s, %dd : f32
      tc.yield %n : f32
    }
    %variance = arith.divf %squares, %count : f32
    %positive = arith.addf %variance, %epsilon : f32
    %scale = math.rsqrt %positive : f32
    tc.par (%j) = (0) to (1024) {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      %d = arith.subf %x, %mean : f32
      %y = arith.mulf %d, %scale : f32
      memref.store %y, %B[%i, %j] : memref<4096x1024xf32>
    }
  }
  return
}
func.func @rownorm_best(%A: memref<4096x1024xf32>, %B: memref<4096x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1024.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  tc.par (%i) = (0) to (4096) {
    %row = tc.new : memref<1024xf32>
    %mean = tc.new : memref<f32>
    %scale = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (1024) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<4096x1024xf32>
      memref.store %x, %row[%j] : memref<1024xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      %m = arith.divf %s, %count : f32
      memref.store %m, %mean[] : memref<f32>
    }
    tc.reduce (%j) = (0) to (1024) init(%zero : f32) commutative {
      %x = memref.load %row[%j] : memref<1024xf32>
      %m = memref.load %mean[] : memref<f32>
      %d = arith.subf %x, %m : f32
      %dd = arith.mulf %d, %d : f32
      tc.yield %dd : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      %variance = arith.divf %s, %count : f32
      %positive = arith.addf %variance, %epsilon : f32
      %r = math.rsqrt %positive : f32
      memref.store %r, %scale[] : memref<f32>
    }
    tc.par (%j) = (0) to (1024) {
      %x = memref.load %row[%j] : memref<1024xf32>
      %m = memref.load %mean[] : memref<f32>
      %r = memref.load %scale[] : memref<f32>
      %d = arith.subf %x, %m : f32
      %y = arith.mulf %d, %r : f32
      memref.store %y, %B[%i, %j] : memref<4096x1024xf32>
    }
  }
  return
}

// A product tiled by hand: blocks of 16 by 16 threads, copies of both inputs in shared memory, and a
// tile of 8 by 8 sums for each thread.
func.func @tiled(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  tc.par (%bi, %bj) = (0, 0) to (1024, 1024) step (128, 128) {
    %acc = tc.new init(0.0 : f32) threads(2) : memref<16x16x8x8xf32>
    tc.seq (%kk) = (0) to (1024) step (16) {
      tc.cache %A : memref<1024x1024xf32>
      tc.cache %B : memref<1024x1024xf32>
      tc.par (%ti, %tj) = (0, 0) to (16, 16) {
        tc.seq (%k) = (0) to (16) {
          tc.seq (%ri, %rj) = (0, 0) to (8, 8) {
            %i = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bi, %ri, %ti)
            %j = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bj, %rj, %tj)
            %q = affine.apply affine_map<(b, r) -> (b + r)>(%kk, %k)
            %a = memref.load %A[%i, %q] : memref<1024x1024xf32>
            %b = memref.load %B[%q, %j] : memref<1024x1024xf32>
            %c = memref.load %acc[%ti, %tj, %ri, %rj] : memref<16x16x8x8xf32>
            %s = math.fma %a, %b, %c : f32
            memref.store %s, %acc[%ti, %tj, %ri, %rj] : memref<16x16x8x8xf32>
          }
        }
      }
    }
    tc.par (%ti, %tj) = (0, 0) to (16, 16) {
      tc.seq (%ri, %rj) = (0, 0) to (8, 8) {
        %i = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bi, %ri, %ti)
        %j = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bj, %rj, %tj)
        %c = memref.load %acc[%ti, %tj, %ri, %rj] : memref<16x16x8x8xf32>
        %o = memref.load %C[%i, %j] : memref<1024x1024xf32>
        %s = arith.addf %c, %o : f32
        memref.store %s, %C[%i, %j] : memref<1024x1024xf32>
      }
    }
  }
  return
}
func.func @tiled_best(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  linalg.matmul ins(%A, %B : memref<1024x1024xf32>, memref<1024x1024xf32>)
                outs(%C : memref<1024x1024xf32>)
  return
}

func.func @tiled_4096(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>, %C: memref<4096x4096xf32>) {
  tc.par (%bi, %bj) = (0, 0) to (4096, 4096) step (128, 128) {
    %acc = tc.new init(0.0 : f32) threads(2) : memref<16x16x8x8xf32>
    tc.seq (%kk) = (0) to (4096) step (16) {
      tc.cache %A : memref<4096x4096xf32>
      tc.cache %B : memref<4096x4096xf32>
      tc.par (%ti, %tj) = (0, 0) to (16, 16) {
        tc.seq (%k) = (0) to (16) {
          tc.seq (%ri, %rj) = (0, 0) to (8, 8) {
            %i = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bi, %ri, %ti)
            %j = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bj, %rj, %tj)
            %q = affine.apply affine_map<(b, r) -> (b + r)>(%kk, %k)
            %a = memref.load %A[%i, %q] : memref<4096x4096xf32>
            %b = memref.load %B[%q, %j] : memref<4096x4096xf32>
            %c = memref.load %acc[%ti, %tj, %ri, %rj] : memref<16x16x8x8xf32>
            %s = math.fma %a, %b, %c : f32
            memref.store %s, %acc[%ti, %tj, %ri, %rj] : memref<16x16x8x8xf32>
          }
        }
      }
    }
    tc.par (%ti, %tj) = (0, 0) to (16, 16) {
      tc.seq (%ri, %rj) = (0, 0) to (8, 8) {
        %i = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bi, %ri, %ti)
        %j = affine.apply affine_map<(b, r, t) -> (b + r * 16 + t)>(%bj, %rj, %tj)
        %c = memref.load %acc[%ti, %tj, %ri, %rj] : memref<16x16x8x8xf32>
        %o = memref.load %C[%i, %j] : memref<4096x4096xf32>
        %s = arith.addf %c, %o : f32
        memref.store %s, %C[%i, %j] : memref<4096x4096xf32>
      }
    }
  }
  return
}
func.func @tiled_4096_best(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>, %C: memref<4096x4096xf32>) {
  linalg.matmul ins(%A, %B : memref<4096x4096xf32>, memref<4096x4096xf32>)
                outs(%C : memref<4096x4096xf32>)
  return
}
