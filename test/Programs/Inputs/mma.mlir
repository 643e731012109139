// Four warps, each a 16 x 8 tile by one mma.sync of f16; the fragments are those of the PTX ISA, section
// "Matrix fragments for mma.m16n8k16".
func.func @mma(%A: memref<64x16xf16>, %B: memref<16x8xf16>, %D: memref<64x8xf32>) {
  tc.par grid () = () to () {
    tc.par (%w) = (0) to (4) {
      tc.par full align(32) (%l) = (0) to (32) {
        %r = affine.apply affine_map<(w, l) -> (w * 16 + l floordiv 4)>(%w, %l)
        %r8 = affine.apply affine_map<(w, l) -> (w * 16 + l floordiv 4 + 8)>(%w, %l)
        %c = affine.apply affine_map<(l) -> ((l mod 4) * 2)>(%l)
        %c1 = affine.apply affine_map<(l) -> ((l mod 4) * 2 + 1)>(%l)
        %c8 = affine.apply affine_map<(l) -> ((l mod 4) * 2 + 8)>(%l)
        %c9 = affine.apply affine_map<(l) -> ((l mod 4) * 2 + 9)>(%l)
        %n = affine.apply affine_map<(l) -> (l floordiv 4)>(%l)
        %a00 = memref.load %A[%r, %c] : memref<64x16xf16>
        %a01 = memref.load %A[%r, %c1] : memref<64x16xf16>
        %a10 = memref.load %A[%r8, %c] : memref<64x16xf16>
        %a11 = memref.load %A[%r8, %c1] : memref<64x16xf16>
        %a20 = memref.load %A[%r, %c8] : memref<64x16xf16>
        %a21 = memref.load %A[%r, %c9] : memref<64x16xf16>
        %a30 = memref.load %A[%r8, %c8] : memref<64x16xf16>
        %a31 = memref.load %A[%r8, %c9] : memref<64x16xf16>
        %b00 = memref.load %B[%c, %n] : memref<16x8xf16>
        %b01 = memref.load %B[%c1, %n] : memref<16x8xf16>
        %b10 = memref.load %B[%c8, %n] : memref<16x8xf16>
        %b11 = memref.load %B[%c9, %n] : memref<16x8xf16>
        %a0 = vector.from_elements %a00, %a01 : vector<2xf16>
        %a1 = vector.from_elements %a10, %a11 : vector<2xf16>
        %a2 = vector.from_elements %a20, %a21 : vector<2xf16>
        %a3 = vector.from_elements %a30, %a31 : vector<2xf16>
        %b0 = vector.from_elements %b00, %b01 : vector<2xf16>
        %b1 = vector.from_elements %b10, %b11 : vector<2xf16>
        %z = arith.constant 0.0 : f32
        %d:4 = tc.ptx "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};" (%a0, %a1, %a2, %a3, %b0, %b1, %z, %z, %z, %z) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
        memref.store %d#0, %D[%r, %c] : memref<64x8xf32>
        memref.store %d#1, %D[%r, %c1] : memref<64x8xf32>
        memref.store %d#2, %D[%r8, %c] : memref<64x8xf32>
        memref.store %d#3, %D[%r8, %c1] : memref<64x8xf32>
      }
    }
  }
  return
}
