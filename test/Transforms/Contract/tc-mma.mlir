// Contractions of warps: tc-tile makes them, and tc-lower-microkernel their instructions.
//
// RUN: tc-opt %s --tc-tile --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel \
// RUN:     --mlir-print-local-scope | FileCheck %s --check-prefix=LANES

// Of 16 x 8 threads 8 x 4 are lanes of a warp. What a thread does alone is in a tc.par warp.
// CHECK-LABEL: @matmul(
// CHECK: %[[ACC:.*]] = tc.new init(0.000000e+00 : f64) threads(4) : memref<2x2x8x4x2x2xf64>
// CHECK: %[[A:.*]] = tc.stage
// CHECK: %[[B:.*]] = tc.stage
// CHECK: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 2) {
// CHECK: %[[WA:.*]] = tc.view %[[A]](%{{.*}}) <offset = ?, sizes = [2, 8, 8], {{.*}}>
// CHECK: %[[WB:.*]] = tc.view %[[B]](%{{.*}}) <offset = ?, sizes = [8, 2, 4], {{.*}}>
// CHECK: %[[OWN:.*]] = memref.subview %[[ACC]][%[[I]], %[[J]], 0, 0, 0, 0] [1, 1, 8, 4, 2, 2]
// CHECK: tc.contract (i = 2, j = 2, k = 8, i_l = 8, j_l = 4) ins(%[[WA]][i, i_l, k] : {{.*}}, %[[WB]][k, j, j_l] : {{.*}}) outs(%[[OWN]][i_l, j_l, i, j] : {{.*}}) accumulate(f64) {schedule = #tc.schedule<kernel = mma, unit = <"m16n8k8.f64", m = [i_l = 8], n = [j_l = 4], k = [k = 4]>>}
// CHECK: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 2) {
// CHECK: tc.par warp (%[[G:.*]], %[[T:.*]]) = (0, 0) to (8, 4) {
// CHECK: memref.subview %[[ACC]][%[[I]], %[[J]], %[[G]], %[[T]], 0, 0] [1, 1, 1, 1, 2, 2]

// A lane has its own rows, of the columns those by the number of its row, and of four terms
// one. Two rows and two columns of a lane are one instruction.
// LANES-LABEL: @matmul(
// LANES: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 2)
// LANES: %[[WA:.*]] = tc.view
// LANES: %[[WB:.*]] = tc.view
// LANES: tc.par warp (%[[G:.*]], %[[T:.*]]) = (0, 0) to (8, 4) map #tc.map<fold_last2> {
// LANES: %[[SECOND:.*]] = affine.apply affine_map<(d0) -> (d0 mod 2)>(%[[G]])
// LANES: %[[COLUMN:.*]] = affine.apply affine_map<(d0) -> ((d0 floordiv 2) mod 4)>(%[[G]])
// LANES: %[[TERM:.*]] = affine.apply affine_map<(d0) -> (d0 mod 4)>(%[[T]])
// LANES: memref.load %[[WA]][%{{.*}}, %[[G]], %{{.*}}]
// LANES: memref.load %[[WB]][%{{.*}}, %{{.*}}, %{{.*}}]
// LANES: %[[D:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"({{.*}}) : (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) -> !llvm.struct<(f64, f64, f64, f64)>
// LANES: llvm.extractvalue %[[D]][0]
func.func @matmul(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<64x48xf64>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf64>, %B[k, j] : memref<32x48xf64>)
      outs(%C[i, j] : memref<64x48xf64>) overwrite
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8], kernel = mma,
        unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Instructions whose results all stick out are left out. Of the last 8 of 40 rows a warp has
// those of its first instruction or none: its contraction has as many registers as are inside.
// Columns that stick out do so with half of an instruction.
// CHECK-LABEL: @edges(
// CHECK: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 1) {
// CHECK: %[[ROWS:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 - d1 * 8) ceildiv 16)>(%{{.*}}, %[[I]])
// CHECK: tc.contract (i = %[[ROWS]], j = 2, k = 8, i_l = 8, j_l = 4)
//
// Whole tiles have no branches but one.
// LANES-LABEL: @edges(
// LANES: tc.par warp
// LANES: %[[WHOLE:.*]] = arith.cmpi slt, %c3{{.*}}, %[[ROWS:.*]] : index
// LANES: scf.if %[[WHOLE]] {
// LANES-NOT: scf.if
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"
// LANES: } else {
// LANES: arith.cmpi slt, %c0{{.*}}, %[[ROWS]] : index
// LANES: scf.if %{{.*}} -> (f64, f64, f64, f64) {
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"
// LANES: arith.cmpi slt, %c2{{.*}}, %[[ROWS]] : index
// LANES: scf.if %{{.*}} -> (f64, f64, f64, f64) {
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"
func.func @edges(%A: memref<40x32xf64>, %B: memref<32x44xf64>, %C: memref<40x44xf64>) {
  tc.contract (i = 40, j = 44, k = 32)
      ins(%A[i, k] : memref<40x32xf64>, %B[k, j] : memref<32x44xf64>)
      outs(%C[i, j] : memref<40x44xf64>) overwrite
      {schedule = #tc.schedule<thread = [i = 16, j = 4], register = [i = 4, j = 2], step = [k = 8], kernel = mma,
        unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Two halves are a register. Where they are neighbours, they are loaded as one; else each is
// part of a vector along the rows, and they are put together.
// LANES-LABEL: @halves(
// LANES: %[[ROWS:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<{{.*}}xf16, {{.*}}>, vector<8xf16>
// LANES: %[[FIRST:.*]] = vector.extract %{{.*}}[0] : f16 from vector<8xf16>
// LANES: %[[SECOND:.*]] = vector.extract %{{.*}}[0] : f16 from vector<8xf16>
// LANES: %[[A:.*]] = vector.from_elements %[[FIRST]], %[[SECOND]] : vector<2xf16>
// LANES: %[[B:.*]] = vector.shuffle %[[TERMS:.*]], %[[TERMS]] [0, 1] : vector<8xf16>, vector<8xf16>
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"(%[[A]], {{.*}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
func.func @halves(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf16>) {
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x64xf16>) outs(%C[i, j] : memref<64x64xf16>) overwrite
      {schedule = #tc.schedule<thread = [j = 8, i = 4], register = [i = 4], step = [k = 32], vector = [j = 8, k = 8],
        kernel = mma, unit = <"m16n8k16.f16", m = [j = 8], n = [i = 4], k = [k = 4]>>}
  return
}

// Those of bf16, and four bytes, are words to the instruction.
// LANES-LABEL: @bytes(
// LANES: %[[PART:.*]] = vector.shuffle %{{.*}} [0, 1, 2, 3] : vector<8xi8>, vector<8xi8>
// LANES: %[[WORD:.*]] = llvm.bitcast %[[PART]] : vector<4xi8> to i32
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.s8"(%{{.*}}) : (i32, i32, i32, i32, i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
func.func @bytes(%A: memref<64x64xi8>, %B: memref<64x64xi8>, %C: memref<64x64xi32>) {
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xi8>, %B[j, k] : memref<64x64xi8>) outs(%C[i, j] : memref<64x64xi32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 32], vector = [k = 8],
        kernel = mma, unit = <"m16n8k16.s8", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Floats of 8 bits are words, too, of each input its own type. Sums begin with zero and are
// added to the accumulators after 128 terms, four instructions, and at the end of the step.
// LANES-LABEL: @quarters(
// LANES: %[[SUM:.*]] = memref.load %{{.*}} : memref<{{.*}}xf32
// LANES: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// LANES: %[[PART:.*]] = vector.shuffle %{{.*}} [0, 1, 2, 3] : vector<8xf8E4M3FN>, vector<8xf8E4M3FN>
// LANES: %[[BYTES:.*]] = arith.bitcast %[[PART]] : vector<4xf8E4M3FN> to vector<4xi8>
// LANES: %[[WORD:.*]] = llvm.bitcast %[[BYTES]] : vector<4xi8> to i32
// LANES: %[[D0:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"(%[[WORD]], {{.*}}, %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// LANES: %[[S0:.*]] = llvm.extractvalue %[[D0]][0]
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"({{.*}}, %[[S0]], %{{.*}}, %{{.*}}, %{{.*}})
// LANES-COUNT-2: llvm.call_intrinsic
// LANES: %[[SUM2:.*]] = arith.addf %[[SUM]], %{{.*}} : f32
// LANES-COUNT-3: arith.addf
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"({{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// LANES: arith.addf %[[SUM2]], %{{.*}} : f32
// LANES-COUNT-3: arith.addf
// LANES-NOT: arith.addf
// LANES: memref.store
func.func @quarters(%A: memref<64x160xf8E4M3FN>, %B: memref<64x160xf8E5M2>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, k = 160)
      ins(%A[i, k] : memref<64x160xf8E4M3FN>, %B[j, k] : memref<64x160xf8E5M2>)
      outs(%C[i, j] : memref<64x64xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 160], vector = [k = 8],
        kernel = mma, unit = <"m16n8k32.f8", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Rows of the other input: the first type of the instruction is that of the rows.
// LANES-LABEL: @rows_of_the_second(
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e4m3.f32"
func.func @rows_of_the_second(%A: memref<64x64xf8E4M3FN>, %B: memref<64x64xf8E5M2>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf8E4M3FN>, %B[j, k] : memref<64x64xf8E5M2>)
      outs(%C[i, j] : memref<64x64xf32>) overwrite
      {schedule = #tc.schedule<thread = [j = 8, i = 4], register = [i = 2, j = 2], step = [k = 32],
        kernel = mma, unit = <"m16n8k32.f8", m = [j = 8], n = [i = 4], k = [k = 4]>>}
  return
}

// Two parts of each number, three instructions from zero, and an addition of f32. What
// comes before sm_90 rounds and bounds a number otherwise (tc-mma-sm80.mlir).
// LANES-LABEL: @parts(
// LANES: %[[X:.*]] = memref.load %{{.*}} : memref<{{.*}}, #gpu.address_space<workgroup>>
// LANES: %[[FINITE:.*]] = llvm.call_intrinsic "llvm.nvvm.fmin.xorsign.abs.f"(%[[X]], %{{.*}}) : (f32, f32) -> f32
// LANES: %[[LARGE:.*]] = nvvm.convert.float.to.tf32 %[[FINITE]] {rnd = #nvvm.fp_rnd_mode<rn>}
// LANES: %[[AGAIN:.*]] = llvm.bitcast %[[LARGE]] : i32 to f32
// LANES: %[[REST:.*]] = arith.subf %[[X]], %[[AGAIN]] : f32
// LANES: %[[SMALL:.*]] = nvvm.convert.float.to.tf32 %[[REST]] {rnd = #nvvm.fp_rnd_mode<rn>}
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[SMALL]], {{.*}})
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[LARGE]], {{.*}})
// LANES: %[[SUM:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[LARGE]], {{.*}})
// LANES: %[[FIRST:.*]] = llvm.extractvalue %[[SUM]][0]
// LANES: arith.addf %{{.*}}, %[[FIRST]] : f32
func.func @parts(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// The same with 16 terms, of two instructions, added to zero before the addition of f32.
// LANES-LABEL: @promoted_parts(
// LANES: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"({{.*}}, %[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]])
// LANES-COUNT-5: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(
// LANES-NOT: call_intrinsic
// LANES-COUNT-4: arith.addf
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"({{.*}}, %[[AGAIN:.*]], %[[AGAIN]], %[[AGAIN]], %[[AGAIN]])
func.func @promoted_parts(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], unroll = [k = 32], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 16>>}
  return
}

// Of parts there are registers for 16 terms: a step of 32 has a loop of two passes, in
// which accumulators are loaded and stored.
// CHECK-LABEL: @passes(
// CHECK: tc.contract {{.*}} {schedule = #tc.schedule<unroll = [k = 16], kernel = mma,
// LANES-LABEL: @passes(
// LANES: tc.par warp
// LANES: %[[ZERO:.*]] = arith.constant 0 : index
// LANES-NEXT: %[[MOST:.*]] = arith.constant 32 : index
// LANES-NEXT: %[[PASS:.*]] = arith.constant 16 : index
// LANES-NEXT: scf.for %[[K:.*]] = %[[ZERO]] to %[[MOST]] step %[[PASS]] {
// LANES: memref.load {{.*}} #gpu.address_space<private>>
// LANES: affine.apply affine_map<(d0, d1) -> (d0 + d1 mod 4)>(%[[K]], %{{.*}})
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(
// LANES: memref.store {{.*}} #gpu.address_space<private>>
// LANES: }
func.func @passes(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Of single instructions all sums of a lane are promoted together; of 32 terms twice.
// LANES-LABEL: @promoted(
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.*}}, %[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]])
// LANES-NOT: call_intrinsic
// LANES-COUNT-4: arith.addf
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.*}}, %[[AGAIN:.*]], %[[AGAIN]], %[[AGAIN]], %[[AGAIN]])
// LANES-NOT: call_intrinsic
// LANES-COUNT-4: arith.addf
func.func @promoted(%A: memref<64x32xf16>, %B: memref<32x48xf16>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf16>, %B[k, j] : memref<32x48xf16>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], kernel = mma,
        unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4], promote = 16>>}
  return
}

// The sums of complex numbers are, too: of each component, with both products of a term.
// LANES-LABEL: @promoted_complex(
// LANES-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(
// LANES-COUNT-4: complex.add
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(
func.func @promoted_complex(%A: memref<64x16xcomplex<f32>>, %B: memref<16x48xcomplex<f32>>,
                            %C: memref<64x48xcomplex<f32>>) {
  tc.contract (i = 64, j = 48, k = 16)
      ins(%A[i, k] : memref<64x16xcomplex<f32>>, %B[k, j] : memref<16x48xcomplex<f32>>)
      outs(%C[i, j] : memref<64x48xcomplex<f32>>) overwrite precision(tf32)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 8>>}
  return
}

// Three parts of each number, two numbers in a register: the upper half is as it is in f32, the
// lower one is moved there. Of nine products the three smallest may be infinite where theirs
// are not, and are dropped then.
// LANES-LABEL: @nine(
// LANES: %[[X:.*]] = memref.load %{{.*}} : memref<{{.*}}, #gpu.address_space<workgroup>>
// LANES: %[[Y:.*]] = memref.load %{{.*}} : memref<{{.*}}, #gpu.address_space<workgroup>>
// LANES: %[[PAIR:.*]] = nvvm.convert.f32x2.to.bf16x2 %[[Y]], %[[X]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xbf16>
// LANES: %[[LARGE:.*]] = llvm.bitcast %[[PAIR]] : vector<2xbf16> to i32
// LANES: %[[LOW:.*]] = llvm.shl %[[LARGE]], %{{.*}} : i32
// LANES: %[[OF_X:.*]] = llvm.bitcast %[[LOW]] : i32 to f32
// LANES: %[[REST_X:.*]] = arith.subf %[[X]], %[[OF_X]] : f32
// LANES: %[[HIGH:.*]] = llvm.and %[[LARGE]], %{{.*}} : i32
// LANES: %[[OF_Y:.*]] = llvm.bitcast %[[HIGH]] : i32 to f32
// LANES: %[[REST_Y:.*]] = arith.subf %[[Y]], %[[OF_Y]] : f32
// LANES: nvvm.convert.f32x2.to.bf16x2 %[[REST_Y]], %[[REST_X]] {{.*}}<satfinite>
// LANES: nvvm.convert.f32x2.to.bf16x2 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>} :
// LANES-COUNT-3: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"(
// LANES: %[[SUM:.*]] = llvm.extractvalue %{{.*}}[0]
// LANES: %[[NONE:.*]] = arith.subf %[[SUM]], %[[SUM]] : f32
// LANES: %[[FINITE:.*]] = arith.cmpf ord, %[[NONE]], %[[NONE]] : f32
// LANES: arith.select %[[FINITE]], %[[SUM]], %{{.*}} : f32
// LANES-COUNT-6: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"(
// LANES: arith.addf
func.func @nine(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite precision(bf16x9)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.bf16", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// A complex product is four real ones: of the columns the imaginary parts are there with either
// sign. Four instructions, two for each component of the sums.
// LANES-LABEL: @complex(
// LANES: %[[Z:.*]] = memref.load %{{.*}} : memref<{{.*}}xcomplex<f64>, {{.*}}#gpu.address_space<workgroup>>
// LANES: %[[A_RE:.*]] = complex.re %[[Z]] : complex<f64>
// LANES: %[[A_IM:.*]] = complex.im %[[Z]] : complex<f64>
// LANES: %[[W:.*]] = memref.load %{{.*}} : memref<{{.*}}xcomplex<f64>, {{.*}}#gpu.address_space<workgroup>>
// LANES: %[[B_RE:.*]] = complex.re %[[W]] : complex<f64>
// LANES: %[[B_IM:.*]] = complex.im %[[W]] : complex<f64>
// LANES: %[[MINUS:.*]] = arith.negf %[[B_IM]] : f64
// LANES: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A_RE]], %[[B_RE]], {{.*}})
// LANES: %[[RE_0:.*]] = llvm.extractvalue %[[FIRST]][0]
// LANES: %[[RE_1:.*]] = llvm.extractvalue %[[FIRST]][1]
// LANES: %[[RE:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A_IM]], %[[MINUS]], %[[RE_0]], %[[RE_1]])
// LANES: %[[SECOND:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A_RE]], %[[B_IM]], {{.*}})
// LANES: %[[IM_0:.*]] = llvm.extractvalue %[[SECOND]][0]
// LANES: %[[IM_1:.*]] = llvm.extractvalue %[[SECOND]][1]
// LANES: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A_IM]], %[[B_RE]], %[[IM_0]], %[[IM_1]])
// LANES: complex.create
func.func @complex(%A: memref<64x32xcomplex<f64>>, %B: memref<32x48xcomplex<f64>>, %C: memref<64x48xcomplex<f64>>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xcomplex<f64>>, %B[k, j] : memref<32x48xcomplex<f64>>)
      outs(%C[i, j] : memref<64x48xcomplex<f64>>) overwrite
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [j = 2], step = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// With two parts of each component: the smallest products first, of both components, and then
// one addition to each accumulator.
// LANES-LABEL: @complex_parts(
// LANES-COUNT-8: nvvm.convert.float.to.tf32
// LANES: %[[SIGN:.*]] = llvm.xor %{{.*}}, %{{.*}} : i32
// LANES-COUNT-6: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k4.row.col.tf32"
// LANES-COUNT-4: arith.addf
// LANES-COUNT-6: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k4.row.col.tf32"
// LANES-COUNT-4: arith.addf
func.func @complex_parts(%A: memref<64x32xcomplex<f32>>, %B: memref<32x48xcomplex<f32>>, %C: memref<64x48xcomplex<f32>>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xcomplex<f32>>, %B[k, j] : memref<32x48xcomplex<f32>>)
      outs(%C[i, j] : memref<64x48xcomplex<f32>>) overwrite precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 4], kernel = mma,
        unit = <"m16n8k4.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}
