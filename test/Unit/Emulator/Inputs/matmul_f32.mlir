// Tiled matmul, C[M,N] = A[M,K] * B[K,N], 8x8 tiles in padded workgroup memory, partial tiles filled with 0.
module attributes {gpu.container_module} {
  func.func @matmul(%A: memref<37x29xf32>, %B: memref<29x41xf32>, %C: memref<37x41xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c6, %gy = %c5, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c8, %sz = %c1)
               workgroup(%sA : memref<8x9xf32, #gpu.address_space<workgroup>>, %sB : memref<8x9xf32, #gpu.address_space<workgroup>>)
               private(%acc : memref<2xf32, #gpu.address_space<private>>) {
      %c0 = arith.constant 0 : index
      %k8 = arith.constant 8 : index
      %k1 = arith.constant 1 : index
      %k29 = arith.constant 29 : index
      %k37 = arith.constant 37 : index
      %k41 = arith.constant 41 : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %acc[%c0] : memref<2xf32, #gpu.address_space<private>>
      %r0 = arith.muli %by, %k8 : index
      %row = arith.addi %r0, %ty : index
      %q0 = arith.muli %bx, %k8 : index
      %col = arith.addi %q0, %tx : index
      %rowOk = arith.cmpi ult, %row, %k37 : index
      %colOk = arith.cmpi ult, %col, %k41 : index
      scf.for %k = %c0 to %k29 step %k8 {
        %ka = arith.addi %k, %tx : index
        %kaOk = arith.cmpi ult, %ka, %k29 : index
        %aOk = arith.andi %rowOk, %kaOk : i1
        %a = scf.if %aOk -> f32 {
          %v = memref.load %A[%row, %ka] : memref<37x29xf32>
          scf.yield %v : f32
        } else { scf.yield %zero : f32 }
        memref.store %a, %sA[%ty, %tx] : memref<8x9xf32, #gpu.address_space<workgroup>>
        %kb = arith.addi %k, %ty : index
        %kbOk = arith.cmpi ult, %kb, %k29 : index
        %bOk = arith.andi %colOk, %kbOk : i1
        %b = scf.if %bOk -> f32 {
          %v = memref.load %B[%kb, %col] : memref<29x41xf32>
          scf.yield %v : f32
        } else { scf.yield %zero : f32 }
        memref.store %b, %sB[%ty, %tx] : memref<8x9xf32, #gpu.address_space<workgroup>>
        gpu.barrier
        scf.for %i = %c0 to %k8 step %k1 {
          %x = memref.load %sA[%ty, %i] : memref<8x9xf32, #gpu.address_space<workgroup>>
          %y = memref.load %sB[%i, %tx] : memref<8x9xf32, #gpu.address_space<workgroup>>
          %o = memref.load %acc[%c0] : memref<2xf32, #gpu.address_space<private>>
          %n = math.fma %x, %y, %o : f32
          memref.store %n, %acc[%c0] : memref<2xf32, #gpu.address_space<private>>
        }
        gpu.barrier
      }
      %ok = arith.andi %rowOk, %colOk : i1
      scf.if %ok {
        %o = memref.load %acc[%c0] : memref<2xf32, #gpu.address_space<private>>
        memref.store %o, %C[%row, %col] : memref<37x41xf32>
      }
      gpu.terminator
    }
    return
  }
}
