// Functions of nests: called by host code, in loops of it, and by the iterations of other nests.
//
// RUN: tc-run %s --name=host --verify
// RUN: tc-run %s --name=inside --verify
// RUN: tc-run %s --name=tile --verify
// RUN: tc-run %s --name=tensors --verify
//
// A package of a function that calls others is one without them.
// RUN: tc-compile %s --name=host --emit=package -o %t.package
// RUN: tc-compile %s --name=inside -o - | FileCheck %s --implicit-check-not=call --implicit-check-not=.func
// CHECK: .entry inside
//
// One that has branches, or calls itself, is a function of the kernel.
// RUN: tc-compile %s --name=branches -o - | FileCheck %s --check-prefix=BRANCHES
// BRANCHES: .entry branches
//
// One without a body makes the nest host code, of which PTX has none.
// RUN: not tc-compile %s --name=outside -o - 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: expected a function with a body, or of libdevice, got 'extern'

func.func private @scale(%A: memref<8x64xf32>, %f: f32) {
  tc.par (%i, %j) = (0, 0) to (8, 64) {
    %x = memref.load %A[%i, %j] : memref<8x64xf32>
    %y = arith.mulf %x, %f : f32
    memref.store %y, %A[%i, %j] : memref<8x64xf32>
  }
  return
}

func.func @host(%A: memref<8x64xf32>) {
  %half = arith.constant 0.5 : f32
  %three = arith.constant 3.0 : f32
  func.call @scale(%A, %half) : (memref<8x64xf32>, f32) -> ()
  tc.seq (%k) = (0) to (3) {
    func.call @scale(%A, %three) : (memref<8x64xf32>, f32) -> ()
  }
  return
}

// A block runs a function that contains a nest, a thread one that returns a number.
func.func private @reverse(%A: memref<8x64xf32>, %B: memref<8x64xf32>, %r: index) {
  tc.par (%i) = (0) to (64) {
    %j = affine.apply affine_map<(i) -> (63 - i)>(%i)
    %x = memref.load %A[%r, %i] : memref<8x64xf32>
    %y = func.call @square(%x) : (f32) -> f32
    memref.store %y, %B[%r, %j] : memref<8x64xf32>
  }
  return
}
func.func private @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}
func.func @inside(%A: memref<8x64xf32>, %B: memref<8x64xf32>) {
  tc.par (%r) = (0) to (8) {
    func.call @reverse(%A, %B, %r) : (memref<8x64xf32>, memref<8x64xf32>, index) -> ()
  }
  return
}

// A product of tiles as a function on views.
!tile = memref<4x4xf32, strided<[16, 1], offset: ?>>
func.func private @product(%a: !tile, %b: !tile, %c: !tile) {
  tc.par (%i, %j) = (0, 0) to (4, 4) {
    tc.seq (%k) = (0) to (4) {
      %x = memref.load %a[%i, %k] : !tile
      %y = memref.load %b[%k, %j] : !tile
      %z = memref.load %c[%i, %j] : !tile
      %s = math.fma %x, %y, %z : f32
      memref.store %s, %c[%i, %j] : !tile
    }
  }
  return
}
func.func @tile(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>) {
  tc.par (%i, %j) = (0, 0) to (4, 4) {
    %ib = affine.apply affine_map<(i) -> (i * 4)>(%i)
    %jb = affine.apply affine_map<(i) -> (i * 4)>(%j)
    %c = memref.subview %C[%ib, %jb] [4, 4] [1, 1] : memref<16x16xf32> to !tile
    tc.seq (%k) = (0) to (4) {
      %kb = affine.apply affine_map<(i) -> (i * 4)>(%k)
      %a = memref.subview %A[%ib, %kb] [4, 4] [1, 1] : memref<16x16xf32> to !tile
      %b = memref.subview %B[%kb, %jb] [4, 4] [1, 1] : memref<16x16xf32> to !tile
      func.call @product(%a, %b, %c) : (!tile, !tile, !tile) -> ()
    }
  }
  return
}

// On tensors.
func.func private @times(%A: tensor<9x7xf32>, %B: tensor<7x11xf32>) -> tensor<9x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x11xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<9x11xf32>) -> tensor<9x11xf32>
  %c = linalg.matmul ins(%A, %B : tensor<9x7xf32>, tensor<7x11xf32>) outs(%z : tensor<9x11xf32>) -> tensor<9x11xf32>
  return %c : tensor<9x11xf32>
}
func.func @tensors(%A: tensor<9x7xf32>, %B: tensor<7x11xf32>, %C: tensor<11x7xf32>) -> tensor<9x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ab = func.call @times(%A, %B) : (tensor<9x7xf32>, tensor<7x11xf32>) -> tensor<9x11xf32>
  %e = tensor.empty() : tensor<9x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<9x7xf32>) -> tensor<9x7xf32>
  %r = linalg.matmul ins(%ab, %C : tensor<9x11xf32>, tensor<11x7xf32>) outs(%z : tensor<9x7xf32>) -> tensor<9x7xf32>
  return %r : tensor<9x7xf32>
}

func.func private @pick(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : f32
^b:
  %z = arith.constant 0.0 : f32
  return %z : f32
}
func.func @branches(%A: memref<20xf32>) {
  tc.par (%i) = (0) to (20) {
    %c5 = arith.constant 5 : index
    %x = memref.load %A[%i] : memref<20xf32>
    %c = arith.cmpi slt, %i, %c5 : index
    %y = func.call @pick(%c, %x) : (i1, f32) -> f32
    memref.store %y, %A[%i] : memref<20xf32>
  }
  return
}

func.func private @extern(f32) -> f32
func.func @outside(%A: memref<20xf32>) {
  tc.par (%i) = (0) to (20) {
    %x = memref.load %A[%i] : memref<20xf32>
    %y = func.call @extern(%x) : (f32) -> f32
    memref.store %y, %A[%i] : memref<20xf32>
  }
  return
}
