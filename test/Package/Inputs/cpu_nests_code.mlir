// Each name says what its code is to have.

func.func @in_vectors(%A: memref<512x512xf32>, %B: memref<512x512xf32>) {
  tc.par device (%j, %i) = (0, 0) to (512, 512) {
    %a = memref.load %A[%i, %j] : memref<512x512xf32>
    %b = arith.mulf %a, %a : f32
    memref.store %b, %B[%i, %j] : memref<512x512xf32>
  }
  return
}

func.func @gathered_rows(%A: memref<512x512xf32>, %I: memref<512xi64>, %B: memref<512x512xf32>) {
  tc.par (%i, %j) = (0, 0) to (512, 512) {
    %n = memref.load %I[%i] : memref<512xi64>
    %r = arith.index_cast %n : i64 to index
    %a = memref.load %A[%r, %j] : memref<512x512xf32>
    %b = arith.mulf %a, %a : f32
    memref.store %b, %B[%i, %j] : memref<512x512xf32>
  }
  return
}

func.func @exponentials(%A: memref<512x512xf32>, %B: memref<512xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (512) {
    tc.reduce (%j) = (0) to (512) init(%zero : f32) commutative {
      %a = memref.load %A[%i, %j] : memref<512x512xf32>
      %e = math.exp %a : f32
      tc.yield %e : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<512xf32>
    }
  }
  return
}

func.func @columns_in_order(%A: memref<512x512xf32>, %B: memref<512x512xf32>) {
  %half = arith.constant 0.5 : f32
  tc.par (%j) = (0) to (512) {
    tc.seq (%i) = (0) to (512) init(%s = %half : f32) {
      %a = memref.load %A[%i, %j] : memref<512x512xf32>
      %h = arith.mulf %s, %half : f32
      %t = arith.addf %h, %a : f32
      memref.store %t, %B[%i, %j] : memref<512x512xf32>
      tc.yield %t : f32
    }
  }
  return
}

func.func @alone(%A: memref<64xf32>, %B: memref<64xf32>) {
  tc.par (%i) = (0) to (64) {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
  }
  return
}
