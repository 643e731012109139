// Convolutions and pooling of every kind, by their windows and without a buffer
// for them; against the reference's loops over the linalg op.
//
// RUN: grep -o '^func.func @[a-z0-9_]*' %s | sed 's|func.func @\(.*\)|{"case": "\1", "input": "%s", "name": "\1"}|' > %t.jsonl
// RUN: tc-run --batch=%t.jsonl --device=emulator --verify > %t.reports
// RUN: FileCheck %s < %t.reports --implicit-check-not='"verified":false' --implicit-check-not='"error"'
// CHECK-COUNT-15: "verified":true
//
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s --check-prefix=WINDOWS --implicit-check-not=linalg.

// WINDOWS-LABEL: @conv_1d
// WINDOWS: [a + q] : memref<11xf32>
func.func @conv_1d(%x: memref<11xf32>, %w: memref<3xf32>, %y: memref<9xf32>) {
  linalg.conv_1d ins(%x, %w : memref<11xf32>, memref<3xf32>) outs(%y : memref<9xf32>)
  return
}

// WINDOWS-LABEL: @conv_1d_ncw_fcw
// WINDOWS: [a, q, c * 2 + r * 3] : memref<2x3x17xf32>
func.func @conv_1d_ncw_fcw(%x: memref<2x3x17xf32>, %w: memref<5x3x3xf32>, %y: memref<2x5x6xf32>) {
  linalg.conv_1d_ncw_fcw {strides = dense<2> : vector<1xi64>, dilations = dense<3> : vector<1xi64>}
      ins(%x, %w : memref<2x3x17xf32>, memref<5x3x3xf32>) outs(%y : memref<2x5x6xf32>)
  return
}

// WINDOWS-LABEL: @conv_2d_nchw_fchw
// WINDOWS: [a, q, c * 2 + r, d + s * 2] : memref<2x3x9x12xf32>
func.func @conv_2d_nchw_fchw(%x: memref<2x3x9x12xf32>, %w: memref<5x3x3x2xf32>, %y: memref<2x5x4x10xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<[1, 2]> : vector<2xi64>}
      ins(%x, %w : memref<2x3x9x12xf32>, memref<5x3x3x2xf32>) outs(%y : memref<2x5x4x10xf32>)
  return
}

func.func @conv_2d_nhwc_fhwc(%x: memref<1x7x7x3xf64>, %w: memref<4x3x3x3xf64>, %y: memref<1x5x5x4xf64>) {
  linalg.conv_2d_nhwc_fhwc {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x7x7x3xf64>, memref<4x3x3x3xf64>) outs(%y : memref<1x5x5x4xf64>)
  return
}

func.func @conv_3d_ndhwc_dhwcf(%x: memref<1x5x6x7x2xf32>, %w: memref<2x3x2x2x3xf32>, %y: memref<1x4x4x3x3xf32>) {
  linalg.conv_3d_ndhwc_dhwcf {strides = dense<[1, 1, 2]> : vector<3xi64>, dilations = dense<1> : vector<3xi64>}
      ins(%x, %w : memref<1x5x6x7x2xf32>, memref<2x3x2x2x3xf32>) outs(%y : memref<1x4x4x3x3xf32>)
  return
}

func.func @conv_3d_ncdhw_fcdhw(%x: memref<1x2x5x6x7xf32>, %w: memref<3x2x2x3x2xf32>, %y: memref<1x3x4x4x6xf32>) {
  linalg.conv_3d_ncdhw_fcdhw {strides = dense<1> : vector<3xi64>, dilations = dense<1> : vector<3xi64>}
      ins(%x, %w : memref<1x2x5x6x7xf32>, memref<3x2x2x3x2xf32>) outs(%y : memref<1x3x4x4x6xf32>)
  return
}

// WINDOWS-LABEL: @depthwise_1d
// WINDOWS: ins(%{{.*}}[a, b + q, c] : memref<1x9x5xf32>, %{{.*}}[q, c] : memref<3x5xf32>)
func.func @depthwise_1d(%x: memref<1x9x5xf32>, %w: memref<3x5xf32>, %y: memref<1x7x5xf32>) {
  linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
      ins(%x, %w : memref<1x9x5xf32>, memref<3x5xf32>) outs(%y : memref<1x7x5xf32>)
  return
}

func.func @depthwise_2d(%x: memref<1x9x9x4xf32>, %w: memref<3x3x4xf32>, %y: memref<1x4x4x4xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x9x9x4xf32>, memref<3x3x4xf32>) outs(%y : memref<1x4x4x4xf32>)
  return
}

func.func @depthwise_2d_multiplied(%x: memref<1x6x6x2xf32>, %w: memref<3x3x2x3xf32>, %y: memref<1x4x4x2x3xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x6x6x2xf32>, memref<3x3x2x3xf32>) outs(%y : memref<1x4x4x2x3xf32>)
  return
}

// WINDOWS-LABEL: @grouped
// WINDOWS: ins(%{{.*}}[a, b, q, d + r, e + s] : memref<1x2x3x6x6xf32>, %{{.*}}[b, c, q, r, s] : memref<2x4x3x3x3xf32>)
func.func @grouped(%x: memref<1x2x3x6x6xf32>, %w: memref<2x4x3x3x3xf32>, %y: memref<1x2x4x4x4xf32>) {
  linalg.conv_2d_ngchw_gfchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x2x3x6x6xf32>, memref<2x4x3x3x3xf32>) outs(%y : memref<1x2x4x4x4xf32>)
  return
}

func.func @pooling_sum(%x: memref<1x9x9x3xf32>, %w: memref<3x3xf32>, %y: memref<1x4x4x3xf32>) {
  linalg.pooling_nhwc_sum {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x9x9x3xf32>, memref<3x3xf32>) outs(%y : memref<1x4x4x3xf32>)
  return
}

func.func @pooling_max(%x: memref<1x9x9x3xf32>, %w: memref<3x3xf32>, %y: memref<1x4x4x3xf32>) {
  %low = arith.constant 0xFF800000 : f32
  linalg.fill ins(%low : f32) outs(%y : memref<1x4x4x3xf32>)
  linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x9x9x3xf32>, memref<3x3xf32>) outs(%y : memref<1x4x4x3xf32>)
  return
}

func.func @pooling_nchw(%x: memref<1x3x9x9xf32>, %w: memref<3x2xf32>, %y: memref<1x3x7x4xf32>) {
  linalg.pooling_nchw_max {strides = dense<[1, 2]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x3x9x9xf32>, memref<3x2xf32>) outs(%y : memref<1x3x7x4xf32>)
  return
}

func.func @pooling_3d(%x: memref<1x5x6x7x2xf32>, %w: memref<2x3x2xf32>, %y: memref<1x4x4x6x2xf32>) {
  linalg.pooling_ndhwc_min {strides = dense<1> : vector<3xi64>, dilations = dense<1> : vector<3xi64>}
      ins(%x, %w : memref<1x5x6x7x2xf32>, memref<2x3x2xf32>) outs(%y : memref<1x4x4x6x2xf32>)
  return
}

// WINDOWS-LABEL: @quantized
// WINDOWS: map
// WINDOWS-COUNT-2: arith.subi
func.func @quantized(%x: memref<1x6x6x2xi8>, %w: memref<3x3x2x3xi8>, %y: memref<1x4x4x3xi32>) {
  %zx = arith.constant 3 : i32
  %zw = arith.constant -4 : i32
  linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w, %zx, %zw : memref<1x6x6x2xi8>, memref<3x3x2x3xi8>, i32, i32) outs(%y : memref<1x4x4x3xi32>)
  return
}
