// How many blocks a multiprocessor is to hold goes from the schedule to ptxas, unless it
// would spill. Without a ptxas nobody knows.
//
// REQUIRES: ptxas
//
// RUN: tc-opt %s --tc-to-nvvm=format=isa --remarks-filter=convert-nvvm-to-binary 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: env TC_PTXAS=/nonexistent tc-opt %s --tc-to-nvvm=format=isa | FileCheck %s --check-prefix=ALONE
// RUN: tc-compile %s --name=spilling --emit=cubin -o %t --report=json | FileCheck %s --check-prefix=CUBIN
// RUN: tc-compile %s --name=spilling --emit=nvvm -o - | sed 's/, tc.resident = 5 : i32//' \
// RUN:   | tc-opt --convert-nvvm-to-binary | FileCheck %s --check-prefix=OWN
// RUN: tc-compile %s --name=small --emit=tc -o /dev/null --report=json | FileCheck %s --check-prefix=SMALL
// RUN: tc-opt %s --tc-tile | tc-opt | FileCheck %s --check-prefix=TILED
//
// ptxas is asked about the spilling kernel, and then what it makes of it; but about one with
// registers to spare it is not.
// RUN: rm -f %t.spare %t.spilling
// RUN: env TC_PTXAS=%S/Inputs/noted-ptxas.sh NOTES=%t.spare tc-compile %s --name=spare -o - \
// RUN:   | FileCheck %s --check-prefix=SPARE
// RUN: not test -e %t.spare
// RUN: env TC_PTXAS=%S/Inputs/noted-ptxas.sh NOTES=%t.spilling tc-compile %s --name=spilling -o %t
// RUN: test -e %t.spilling
//
// Products of f64 by tensor instructions spill with more registers to spare than others.
// RUN: tc-compile --einsum=be,dcea-\>dcba --sizes=a=72,b=72,c=72,d=72,e=72 --dtype=f64 \
// RUN:   --emit=cubin -o %t --report=json | FileCheck %s --check-prefix=DOUBLES

// ASKED: remark: [Missed] Spills | Category:convert-nvvm-to-binary | Function=spilling | Reason="5 blocks on a multiprocessor would spill {{[1-9][0-9]*}} bytes of each thread"
// ASKED: gpu.binary @few_kernels {{.*}}.minnctapersm 7\0A
// ASKED: gpu.binary @spilling_kernels {{.*}}.minnctapersm 1\0A

// ALONE: gpu.binary @few_kernels {{.*}}.minnctapersm 7\0A
// ALONE: gpu.binary @spilling_kernels {{.*}}.minnctapersm 5\0A

// CUBIN: "kernel": "spilling"
// CUBIN: "spill_bytes": 0,

// SPARE: .minnctapersm 4

// DOUBLES: kernel = mma
// DOUBLES: "kernel": "contraction_unaligned"
// DOUBLES-NOT: "spill_bytes": {{[1-9]}}
// DOUBLES: "spill_bytes": 0,

// What a program says itself stays, though it spills.
// OWN: .minnctapersm 5\0A

// Eight blocks of two warps are four warps of a partition, which leaves each thread 128.
// SMALL: "predicted": [
// SMALL: "occupancy": 0.25,
// SMALL: "registers": 128,

// TILED: tc.par grid {{.*}} attributes {tc.resident = 7 : i32
// TILED: tc.par grid {{.*}} attributes {tc.resident = 5 : i32

func.func @few(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, q = 64) ins(%A[i, q] : memref<64x64xf32>, %B[q, j] : memref<64x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], step = [q = 16], resident = 7, kernel = fma>}
  return
}

func.func @spilling(%A: memref<128x64xf32>, %B: memref<64x128xf32>, %C: memref<128x128xf32>) {
  tc.contract (i = 128, j = 128, q = 64) ins(%A[i, q] : memref<128x64xf32>, %B[q, j] : memref<64x128xf32>)
      outs(%C[i, j] : memref<128x128xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 8, j = 8], step = [q = 8], resident = 5, kernel = fma>}
  return
}

func.func @small(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  tc.contract (i = 64, j = 96, q = 64) ins(%A[i, q] : memref<64x64xf32>, %B[q, j] : memref<64x96xf32>)
      outs(%C[i, j] : memref<64x96xf32>)
      {schedule = #tc.schedule<thread = [i = 8, j = 8], register = [i = 8, j = 12], step = [q = 8], resident = 8, kernel = fma>}
  return
}

func.func @spare(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, q = 64) ins(%A[i, q] : memref<64x64xf32>, %B[q, j] : memref<64x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], step = [q = 4], resident = 4, kernel = fma>}
  return
}
