// Divisions, selections, a switch, vectors, private memory, math functions and atomics as LLVM's NVPTX back end emits them.
gpu.module @kernels {
  gpu.func @mixed(%A: memref<256xf64>, %I: memref<256xi32>, %n: i64, %s: f32, %i32: i32)
      workgroup(%sA : memref<64xf64, #gpu.address_space<workgroup>>)
      private(%buf : memref<4xf64, #gpu.address_space<private>>) kernel {
    %bx = gpu.block_id x
    %tx = gpu.thread_id x
    %bd = gpu.block_dim x
    %c0 = arith.constant 0 : index
    %k4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %l = arith.muli %bx, %bd : index
    %g = arith.addi %l, %tx : index
    %ni = arith.index_cast %n : i64 to index
    %d = arith.divui %g, %ni : index
    %r = arith.remui %g, %ni : index
    %d2 = arith.divsi %g, %ni : index
    %ds = arith.addi %d, %d2 : index
    %kk = arith.remui %ds, %k4 : index
    %zero = arith.constant 0.0 : f64
    %k1 = arith.constant 1 : index
    scf.for %q = %c0 to %k4 step %k1 { memref.store %zero, %buf[%q] : memref<4xf64, #gpu.address_space<private>> }
    %v = memref.load %A[%g] : memref<256xf64>
    %sd = arith.extf %s : f32 to f64
    %w = arith.mulf %v, %sd : f64
    memref.store %w, %buf[%kk] : memref<4xf64, #gpu.address_space<private>>
    %vec = vector.load %A[%l] : memref<256xf64>, vector<2xf64>
    %vs = vector.reduction <add>, %vec : vector<2xf64> into f64
    memref.store %w, %sA[%tx] : memref<64xf64, #gpu.address_space<workgroup>>
    gpu.barrier
    %o = arith.subi %c63, %tx : index
    %z = memref.load %sA[%o] : memref<64xf64, #gpu.address_space<workgroup>>
    %kr = arith.remui %r, %k4 : index
    %q = memref.load %buf[%kr] : memref<4xf64, #gpu.address_space<private>>
    %t = arith.maximumf %q, %z : f64
    %t2 = arith.minnumf %t, %vs : f64
    %ii = arith.fptosi %t2 : f64 to i32
    %jj = arith.muli %ii, %i32 : i32
    %ff = arith.sitofp %jj : i32 to f32
    %fa = math.absf %ff : f32
    %sq = math.sqrt %fa : f32
    %dv = arith.divf %sq, %s : f32
    %mx = arith.maxnumf %dv, %s : f32
    %e2 = arith.extf %mx : f32 to f64
    %res = scf.index_switch %kr -> f64
    case 0 { scf.yield %e2 : f64 }
    case 1 { scf.yield %t : f64 }
    case 2 { scf.yield %t2 : f64 }
    default { %y = arith.divf %e2, %sd : f64
      scf.yield %y : f64 }
    gpu.barrier
    memref.store %res, %A[%g] : memref<256xf64>
    %old = memref.atomic_rmw addi %jj, %I[%r] : (i32, memref<256xi32>) -> i32
    %c128 = arith.constant 128 : index
    %at = arith.addi %kr, %c128 : index
    %oldf = memref.atomic_rmw maxs %jj, %I[%at] : (i32, memref<256xi32>) -> i32
    gpu.return
  }
}
