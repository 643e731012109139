// f8E4M3FN has no infinities: its largest and smallest numbers are neutral to minima and
// maxima, where other floats have infinities.
//
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s

// CHECK-LABEL: func @least
// CHECK: neutral(4.480000e+02 : f8E4M3FN
func.func @least(%A: memref<2xf8E4M3FN>, %Z: memref<f8E4M3FN>) {
  linalg.generic {indexing_maps = [affine_map<(q) -> (q)>, affine_map<(q) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<2xf8E4M3FN>) outs(%Z : memref<f8E4M3FN>) {
  ^bb0(%x: f8E4M3FN, %z: f8E4M3FN):
    %v = arith.minimumf %z, %x : f8E4M3FN
    linalg.yield %v : f8E4M3FN
  }
  return
}

// CHECK-LABEL: func @most
// CHECK: neutral(-4.480000e+02 : f8E4M3FN
func.func @most(%A: memref<2xf8E4M3FN>, %Z: memref<f8E4M3FN>) {
  linalg.generic {indexing_maps = [affine_map<(q) -> (q)>, affine_map<(q) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<2xf8E4M3FN>) outs(%Z : memref<f8E4M3FN>) {
  ^bb0(%x: f8E4M3FN, %z: f8E4M3FN):
    %v = arith.maximumf %z, %x : f8E4M3FN
    linalg.yield %v : f8E4M3FN
  }
  return
}

// CHECK-LABEL: func @wide
// CHECK: neutral(0x7C : f8E5M2
func.func @wide(%A: memref<2xf8E5M2>, %Z: memref<f8E5M2>) {
  linalg.generic {indexing_maps = [affine_map<(q) -> (q)>, affine_map<(q) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<2xf8E5M2>) outs(%Z : memref<f8E5M2>) {
  ^bb0(%x: f8E5M2, %z: f8E5M2):
    %v = arith.minimumf %z, %x : f8E5M2
    linalg.yield %v : f8E5M2
  }
  return
}
