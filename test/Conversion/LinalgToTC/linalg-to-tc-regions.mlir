// Bodies cut in two: a map of what old results have no part in, and a combine.
//
// RUN: tc-opt %s --convert-linalg-to-tc --split-input-file | FileCheck %s --implicit-check-not="linalg."
// RUN: tc-opt %s --convert-linalg-to-tc --split-input-file --remarks-filter=convert-linalg-to-tc 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"

#aq = affine_map<(a, q) -> (a, q)>
#a = affine_map<(a, q) -> (a)>
#trait = {indexing_maps = [#aq, #a], iterator_types = ["parallel", "reduction"]}
#pairs = {indexing_maps = [#aq, #a, #a], iterator_types = ["parallel", "reduction"]}

// CHECK-LABEL: @sums
// CHECK: outs(%arg1[a] : memref<3xf32>, %arg2[a] : memref<3xf32>) map (%[[U:.*]]: f32) {
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[U]], %[[U]]
// CHECK-NEXT: tc.yield %[[U]], %[[P]]
// CHECK-NEXT: }{{$}}
func.func @sums(%x: memref<3x5xf32>, %z: memref<3xf32>, %w: memref<3xf32>) {
  linalg.generic #pairs ins(%x : memref<3x5xf32>) outs(%z, %w : memref<3xf32>, memref<3xf32>) {
  ^bb0(%u: f32, %acc0: f32, %acc1: f32):
    %s = arith.addf %acc0, %u : f32
    %p = arith.mulf %u, %u : f32
    %t = arith.addf %acc1, %p : f32
    linalg.yield %s, %t : f32, f32
  }
  return
}

// CHECK-LABEL: @range
// CHECK: overwrite neutral(0x7F800000 : f32, 0xFF800000 : f32) map (%[[U:.*]]: f32) {
// CHECK-NEXT: tc.yield %[[U]], %[[U]]
// CHECK-NEXT: } combine associative commutative (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32) {
// CHECK-NEXT: %[[MIN:.*]] = arith.minimumf %[[A]], %[[X]]
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[B]], %[[Y]]
// CHECK-NEXT: tc.yield %[[MIN]], %[[MAX]]
func.func @range(%x: memref<3x5xf32>, %z: memref<3xf32>, %w: memref<3xf32>) {
  %high = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  linalg.fill ins(%high : f32) outs(%z : memref<3xf32>)
  linalg.fill ins(%low : f32) outs(%w : memref<3xf32>)
  linalg.generic #pairs ins(%x : memref<3x5xf32>) outs(%z, %w : memref<3xf32>, memref<3xf32>) {
  ^bb0(%u: f32, %acc0: f32, %acc1: f32):
    %s = arith.minimumf %acc0, %u : f32
    %t = arith.maximumf %acc1, %u : f32
    linalg.yield %s, %t : f32, f32
  }
  return
}

// A sum of narrow numbers is kept in f32, whatever stands beside it in the op.
// CHECK-LABEL: @sum_and_max
// CHECK: neutral(0.000000e+00 : f32, 0xFC00 : f16) map (%[[U:.*]]: f16) {
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[U]] : f16 to f32
// CHECK-NEXT: tc.yield %[[W]], %[[U]] : f32, f16
// CHECK-NEXT: } combine associative commutative (%[[A:.*]]: f32, %[[B:.*]]: f16, %[[X:.*]]: f32, %[[Y:.*]]: f16) {
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[X]] : f32
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[B]], %[[Y]] : f16
// CHECK-NEXT: tc.yield %[[SUM]], %[[MAX]]
func.func @sum_and_max(%x: memref<3x5xf16>, %z: memref<3xf16>, %w: memref<3xf16>) {
  linalg.generic #pairs ins(%x : memref<3x5xf16>) outs(%z, %w : memref<3xf16>, memref<3xf16>) {
  ^bb0(%u: f16, %acc0: f16, %acc1: f16):
    %s = arith.addf %acc0, %u : f16
    %t = arith.maximumf %acc1, %u : f16
    linalg.yield %s, %t : f16, f16
  }
  return
}

// Also where the other result is combined in order, what is filled in is not zero, and the
// sum is made in several steps.
// CHECK-LABEL: @sum_and_choice
// CHECK: overwrite neutral(3.000000e+00 : f32, 1.000000e+00 : bf16) map (%[[U:.*]]: bf16, %[[V:.*]]: bf16) {
// CHECK-DAG: %[[POSITIVE:.*]] = arith.cmpf ogt, %[[V]], %{{.*}} : bf16
// CHECK-DAG: %[[W:.*]] = arith.extf %[[U]] : bf16 to f32
// CHECK-DAG: %[[VW:.*]] = arith.extf %[[V]] : bf16 to f32
// CHECK: tc.yield %[[W]], %[[U]], %[[VW]], %[[POSITIVE]] : f32, bf16, f32, i1
// CHECK-NEXT: } combine (%[[A:.*]]: f32, %[[B:.*]]: bf16, %[[X:.*]]: f32, %[[Y:.*]]: bf16, %[[Z:.*]]: f32, %[[P:.*]]: i1) {
// CHECK-NEXT: %[[LESS:.*]] = arith.subf %[[A]], %[[X]] : f32
// CHECK-NEXT: %[[LARGER:.*]] = arith.cmpf ogt, %[[Y]], %[[B]] : bf16
// CHECK-NEXT: %[[MAX:.*]] = arith.select %[[LARGER]], %[[Y]], %[[B]] : bf16
// CHECK-NEXT: %[[MORE:.*]] = arith.addf %[[Z]], %[[LESS]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.select %[[P]], %[[MORE]], %[[A]] : f32
// CHECK-NEXT: tc.yield %[[SUM]], %[[MAX]] : f32, bf16
func.func @sum_and_choice(%x: memref<3x5xbf16>, %y: memref<3x5xbf16>, %z: memref<3xbf16>, %w: memref<3xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %three = arith.constant 3.0 : bf16
  linalg.fill ins(%three : bf16) outs(%z : memref<3xbf16>)
  linalg.fill ins(%one : bf16) outs(%w : memref<3xbf16>)
  linalg.generic {indexing_maps = [#aq, #aq, #a, #a], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : memref<3x5xbf16>, memref<3x5xbf16>) outs(%z, %w : memref<3xbf16>, memref<3xbf16>) {
  ^bb0(%u: bf16, %v: bf16, %acc0: bf16, %acc1: bf16):
    %less = arith.subf %acc0, %u : bf16
    %larger = arith.cmpf ogt, %u, %acc1 : bf16
    %max = arith.select %larger, %u, %acc1 : bf16
    %more = arith.addf %v, %less : bf16
    %positive = arith.cmpf ogt, %v, %zero : bf16
    %sum = arith.select %positive, %more, %acc0 : bf16
    linalg.yield %sum, %max : bf16, bf16
  }
  return
}
// REMARK: remark: [Missed] OrderKept {{.*}}Function=sum_and_choice

// A partial sum that another result sees is rounded as it was.
// CHECK-LABEL: @partial_sums
// CHECK: combine (%[[A:.*]]: f16, %[[B:.*]]: f16, %[[X:.*]]: f16) {
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[X]] : f16
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[B]], %[[SUM]] : f16
func.func @partial_sums(%x: memref<3x5xf16>, %z: memref<3xf16>, %w: memref<3xf16>) {
  linalg.generic #pairs ins(%x : memref<3x5xf16>) outs(%z, %w : memref<3xf16>, memref<3xf16>) {
  ^bb0(%u: f16, %acc0: f16, %acc1: f16):
    %s = arith.addf %acc0, %u : f16
    %t = arith.maximumf %acc1, %s : f16
    linalg.yield %s, %t : f16, f16
  }
  return
}
// REMARK: remark: [Missed] OrderKept {{.*}}Function=partial_sums

// One value for two results that are combined in order is a map.
// CHECK-LABEL: @one_value
// CHECK: neutral(0.000000e+00 : f32, 0.000000e+00 : f32) map (%[[U:.*]]: f32) {
// CHECK-NEXT: tc.yield %[[U]] : f32
func.func @one_value(%x: memref<3x5xf32>, %z: memref<3xf32>, %w: memref<3xf32>) {
  linalg.generic #pairs ins(%x : memref<3x5xf32>) outs(%z, %w : memref<3xf32>, memref<3xf32>) {
  ^bb0(%u: f32, %acc0: f32, %acc1: f32):
    %s = arith.addf %acc0, %u : f32
    %larger = arith.cmpf ogt, %u, %acc1 : f32
    %t = arith.select %larger, %u, %acc1 : f32
    linalg.yield %s, %t : f32, f32
  }
  return
}
// REMARK: remark: [Missed] OrderKept {{.*}}Function=one_value

// In order, any value that was filled in is where accumulation starts.
// CHECK-LABEL: @argmax
// CHECK: overwrite neutral(-5.000000e+00 : f32, -1 : i32) map (%[[U:.*]]: f32, %[[J:.*]]: i32) {
// CHECK-NEXT: tc.yield %[[U]], %[[J]]
// CHECK-NEXT: } combine (
// CHECK-COUNT-2: arith.select
// REMARK: remark: [Missed] OrderKept {{.*}}Function=argmax | {{.*}}the terms of 'linalg.generic' are combined in order: its body joins old and new values by what is not known to be associative, and does not say tc.associative
func.func @argmax(%x: memref<3x5xf32>, %i: memref<5xi32>, %z: memref<3xf32>, %w: memref<3xi32>) {
  %low = arith.constant -5.0 : f32
  %none = arith.constant -1 : i32
  linalg.fill ins(%low : f32) outs(%z : memref<3xf32>)
  linalg.fill ins(%none : i32) outs(%w : memref<3xi32>)
  linalg.generic {indexing_maps = [#aq, affine_map<(a, q) -> (q)>, #a, #a], iterator_types = ["parallel", "reduction"]}
      ins(%x, %i : memref<3x5xf32>, memref<5xi32>) outs(%z, %w : memref<3xf32>, memref<3xi32>) {
  ^bb0(%u: f32, %j: i32, %acc: f32, %best: i32):
    %c = arith.cmpf ogt, %u, %acc : f32
    %s = arith.select %c, %u, %acc : f32
    %t = arith.select %c, %j, %best : i32
    linalg.yield %s, %t : f32, i32
  }
  return
}

// -----

#trait = {indexing_maps = [affine_map<(a, q) -> (a, q)>, affine_map<(a, q) -> (a)>], iterator_types = ["parallel", "reduction"]}

// What the user vouches for.
// CHECK-LABEL: @log_sum_exp
// CHECK: neutral(0xFF800000 : f32) combine associative commutative (
// CHECK-COUNT-2: math.exp
// CHECK: math.log
func.func @log_sum_exp(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>)
      attrs = {tc.associative, tc.commutative, tc.neutral = [0xFF800000 : f32]} {
  ^bb0(%u: f32, %acc: f32):
    %m = arith.maximumf %acc, %u : f32
    %d0 = arith.subf %acc, %m : f32
    %d1 = arith.subf %u, %m : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %s = arith.addf %e0, %e1 : f32
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: @lacks_neutral
// CHECK: neutral(0.000000e+00 : f32) combine (
// REMARK: remark: [Missed] OrderKept {{.*}}Function=lacks_neutral | {{.*}}combined in order: tc.associative comes without tc.neutral, one for each result and of its type
func.func @lacks_neutral(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) attrs = {tc.associative, tc.neutral = [0 : i32]} {
  ^bb0(%u: f32, %acc: f32):
    %s = math.copysign %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// What is subtracted is added with the other sign, and in any order.
// CHECK-LABEL: @differences
// CHECK: tc.contract (a = 3, q = 5) {{.*}} map (%[[U:.*]]: f32) {
// CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[U]]
// CHECK-NEXT: tc.yield %[[MINUS]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @differences(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.subf %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// The other way round each term turns the sign of those before it.
// CHECK-LABEL: @alternating
// CHECK: neutral(0.000000e+00 : f32) combine (%[[ACC:.*]]: f32, %[[V:.*]]: f32) {
// CHECK-NEXT: arith.subf %[[V]], %[[ACC]]
// REMARK: remark: [Missed] OrderKept {{.*}}Function=alternating
func.func @alternating(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.subf %u, %acc : f32
    linalg.yield %s : f32
  }
  return
}

// The sign of a product is in its first factor, which tensor instructions take before it is
// widened.
// CHECK-LABEL: @subtracted_product
// CHECK: tc.contract {{.*}} map (%[[U:.*]]: f16, %[[V:.*]]: f16) {
// CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[U]] : f16
// CHECK-NEXT: %[[WU:.*]] = arith.extf %[[MINUS]] : f16 to f32
// CHECK-NEXT: %[[WV:.*]] = arith.extf %[[V]] : f16 to f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[WU]], %[[WV]] : f32
// CHECK-NEXT: tc.yield %[[P]] : f32
func.func @subtracted_product(%x: memref<3x5xf16>, %y: memref<3x5xf16>, %z: memref<3xf16>) {
  linalg.generic {indexing_maps = [affine_map<(a, q) -> (a, q)>, affine_map<(a, q) -> (a, q)>, affine_map<(a, q) -> (a)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : memref<3x5xf16>, memref<3x5xf16>) outs(%z : memref<3xf16>) {
  ^bb0(%u: f16, %v: f16, %acc: f16):
    %p = arith.mulf %u, %v : f16
    %s = arith.subf %acc, %p : f16
    linalg.yield %s : f16
  }
  return
}

// Integers too; one result may be subtracted from while another is a maximum.
// CHECK-LABEL: @subtracted_and_largest
// CHECK: map (%[[U:.*]]: i32) {
// CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[U]] : i32
// CHECK: tc.yield %[[MINUS]], %[[U]]
// CHECK: combine associative commutative (%[[A:.*]]: i32, %[[B:.*]]: i32, %[[X:.*]]: i32, %[[Y:.*]]: i32) {
// CHECK-NEXT: arith.addi %[[A]], %[[X]]
// CHECK-NEXT: arith.maxsi %[[B]], %[[Y]]
func.func @subtracted_and_largest(%x: memref<3x5xi32>, %z: memref<3xi32>, %w: memref<3xi32>) {
  linalg.generic {indexing_maps = [affine_map<(a, q) -> (a, q)>, affine_map<(a, q) -> (a)>, affine_map<(a, q) -> (a)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x5xi32>) outs(%z, %w : memref<3xi32>, memref<3xi32>) {
  ^bb0(%u: i32, %acc0: i32, %acc1: i32):
    %s = arith.subi %acc0, %u : i32
    %t = arith.maxsi %acc1, %u : i32
    linalg.yield %s, %t : i32, i32
  }
  return
}

// Only the product that the old value has a part in is in the combine.
// CHECK-LABEL: @horner
// CHECK: map (%[[U:.*]]: f32) {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[U]]
// CHECK-NEXT: tc.yield %[[U]], %[[E]]
// CHECK-NEXT: } combine (%[[ACC:.*]]: f32, %[[V:.*]]: f32, %[[W:.*]]: f32) {
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[ACC]], %[[V]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[P]], %[[W]]
// CHECK-NEXT: tc.yield %[[S]]
// REMARK: remark: [Missed] OrderKept {{.*}}Function=horner
func.func @horner(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %p = arith.mulf %acc, %u : f32
    %e = math.exp %u : f32
    %s = arith.addf %p, %e : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @last_value
// CHECK: combine (%{{.*}}: f32, %[[V:.*]]: f32) {
// CHECK-NEXT: tc.yield %[[V]]
// REMARK: remark: [Missed] OrderKept {{.*}}Function=last_value
func.func @last_value(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    linalg.yield %u : f32
  }
  return
}

// A value from outside is read in the region.
// CHECK-LABEL: @from_outside
// CHECK: map (%[[U:.*]]: f32) {
// CHECK-NEXT: arith.mulf %[[U]], %arg2
func.func @from_outside(%x: memref<3x5xf32>, %z: memref<3xf32>, %alpha: f32) {
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %p = arith.mulf %u, %alpha : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @counts
// CHECK: map (%{{.*}}: f32) {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT: tc.yield %[[ONE]]
func.func @counts(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic #trait ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.addf %acc, %one : f32
    linalg.yield %s : f32
  }
  return
}

// Sums of halves are kept in f32, whatever is added.
// CHECK-LABEL: @halves
// CHECK: map (%[[U:.*]]: f16) {
// CHECK-NEXT: %[[E:.*]] = math.absf %[[U]] : f16
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[E]] : f16 to f32
// CHECK-NEXT: tc.yield %[[W]]
func.func @halves(%x: memref<3x5xf16>, %z: memref<3xf16>) {
  linalg.generic #trait ins(%x : memref<3x5xf16>) outs(%z : memref<3xf16>) {
  ^bb0(%u: f16, %acc: f16):
    %e = math.absf %u : f16
    %s = arith.addf %acc, %e : f16
    linalg.yield %s : f16
  }
  return
}

// -----

// Element-wise ops: all is map.
#a = affine_map<(a) -> (a)>

// CHECK-LABEL: @elementwise
// CHECK: tc.contract (a = 3) {{.*}} overwrite map (%[[U:.*]]: f32, %[[V:.*]]: f32) {
// CHECK-NEXT: arith.addf %[[U]], %[[V]]
func.func @elementwise(%x: memref<3xf32>, %y: memref<3xf32>, %z: memref<3xf32>) {
  linalg.add ins(%x, %y : memref<3xf32>, memref<3xf32>) outs(%z : memref<3xf32>)
  return
}

// CHECK-LABEL: @cast
// CHECK: tc.contract (a = 3) ins(%arg0[a] : memref<3xf32>) outs(%arg1[a] : memref<3xf16>) overwrite{{$}}
func.func @cast(%x: memref<3xf32>, %z: memref<3xf16>) {
  linalg.copy ins(%x : memref<3xf32>) outs(%z : memref<3xf16>)
  return
}

// CHECK-LABEL: @in_place
// CHECK: outs(%arg1[a] : memref<3xf32>) neutral(0.000000e+00 : f32) combine (%[[OLD:.*]]: f32, %[[U:.*]]: f32) {
// CHECK-NEXT: arith.divf %[[OLD]], %[[U]]
func.func @in_place(%x: memref<3xf32>, %z: memref<3xf32>) {
  linalg.generic {indexing_maps = [#a, #a], iterator_types = ["parallel"]} ins(%x : memref<3xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %old: f32):
    %s = arith.divf %old, %u : f32
    linalg.yield %s : f32
  }
  return
}
