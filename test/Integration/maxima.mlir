// A maximum starts from minus infinity. Behind it the bound of a result is still one:
// without the last kernel, results of 0 are wrong.
//
// RUN: tc-run %s --device=emulator --verify --faults | FileCheck %s
// CHECK: verified: largest relative error {{.*}}e-0{{[78]}}, tolerance {{.*}}e-07
// CHECK: result0 off by 2 % in an element: caught
// CHECK: launch 0 left out: caught
// CHECK-NEXT: launch 1 left out: caught
// CHECK-NOT: NOT FOUND

#id = affine_map<(i,j) -> (i,j)>
#row = affine_map<(i,j) -> (i)>
func.func @scaled(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %none = linalg.fill ins(%low : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %most = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel","reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %result = tensor.empty() : tensor<8x16xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel","parallel"]}
      ins(%x, %most : tensor<8x16xf32>, tensor<8xf32>) outs(%result : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %d = arith.divf %a, %b : f32
    %c = math.exp %d : f32
    linalg.yield %c : f32
  } -> tensor<8x16xf32>
  return %scaled : tensor<8x16xf32>
}
