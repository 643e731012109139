// RUN: tc-opt %s --convert-linalg-to-tc --tc-fuse | FileCheck %s --implicit-check-not="linalg."
// RUN: tc-opt %s --convert-linalg-to-tc --tc-fuse --remarks-filter=tc-fuse 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#transposed = affine_map<(a, b) -> (b, a)>
#trait1 = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
#trait2 = {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}

// max(alpha * A B + beta * C + bias, 0): a chain of five ops.
// CHECK-LABEL: @chain
// CHECK: tc.contract (a = 4, b = 6, q = 5) ins(%arg0[a, q] : tensor<4x5xf32>, %arg1[q, b] : tensor<5x6xf32>) sides(%arg2[a, b] : tensor<4x6xf32>, %arg3[b] : tensor<6xf32>) outs(%{{.*}}[a, b] : tensor<4x6xf32>) overwrite epilogue (%[[ACC:.*]]: f32, %[[C:.*]]: f32, %[[BIAS:.*]]: f32) {
// CHECK: %[[T:.*]] = arith.mulf %[[ACC]], %{{.*}}
// CHECK: %[[U:.*]] = arith.mulf %[[C]], %{{.*}}
// CHECK: %[[V:.*]] = arith.addf %[[T]], %[[U]]
// CHECK: %[[W:.*]] = arith.addf %[[V]], %[[BIAS]]
// CHECK: %[[R:.*]] = arith.maximumf %[[W]], %{{.*}}
// CHECK: tc.yield %[[R]]
// CHECK-NOT: tc.contract
func.func @chain(%A: tensor<4x5xf32>, %B: tensor<5x6xf32>, %C: tensor<4x6xf32>, %bias: tensor<6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %ab = linalg.matmul ins(%A, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %bb = linalg.broadcast ins(%bias : tensor<6xf32>) outs(%e : tensor<4x6xf32>) dimensions = [0]
  %s = linalg.generic #trait2 ins(%ab, %C : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%x: f32, %c: f32, %o: f32):
    %t = arith.mulf %x, %alpha : f32
    %u = arith.mulf %c, %beta : f32
    %v = arith.addf %t, %u : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  %w = linalg.add ins(%s, %bb : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.generic #trait1 ins(%w : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// What the contraction adds to is a side, combined first.
// CHECK-LABEL: @accumulates
// CHECK: tc.contract {{.*}} sides(%arg2[a, b] : tensor<4x6xf32>) outs(%arg3[a, b] : tensor<4x6xf32>) overwrite epilogue (%[[ACC:.*]]: f32, %[[OLD:.*]]: f32) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[OLD]], %[[ACC]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[S]]
// CHECK-NEXT: tc.yield %[[E]]
func.func @accumulates(%A: tensor<4x5xf32>, %B: tensor<5x6xf32>, %C: tensor<4x6xf32>, %D: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %ab = linalg.matmul ins(%A, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.exp ins(%ab : tensor<4x6xf32>) outs(%D : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Casts of the inputs need no region; a cast of the result keeps the type that
// is accumulated in; a transposed result is written where it belongs.
// CHECK-LABEL: @casts
// CHECK: tc.contract (a = 4, b = 6, q = 5) ins({{.*}}[q, b] : tensor<5x6xf32>, %{{.*}}[a, q] : tensor<4x5xf16>) outs(%arg2[b, a] : tensor<6x4xf64>) overwrite accumulate(f32){{ ->}}
func.func @casts(%A: tensor<4x5xf16>, %B: tensor<5x6xf32>, %D: tensor<6x4xf64>) -> tensor<6x4xf64> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %e0 = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %a = linalg.copy ins(%A : tensor<4x5xf16>) outs(%e0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %ab = linalg.matmul ins(%a, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ab : tensor<4x6xf32>) outs(%D : tensor<6x4xf64>) {
  ^bb0(%x: f32, %o: f64):
    %y = arith.extf %x : f32 to f64
    linalg.yield %y : f64
  } -> tensor<6x4xf64>
  return %r : tensor<6x4xf64>
}

// A producer that is read by a permuted map, with a broadcast operand.
// CHECK-LABEL: @producer
// CHECK: ins(%arg1[q, b] : tensor<5x6xf32>, %arg0[q, a] : tensor<5x4xf32>, %arg2[q] : tensor<5xf32>) outs(%arg3[a, b] : tensor<4x6xf32>) map (%[[B:.*]]: f32, %[[A:.*]]: f32, %[[S:.*]]: f32) {
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[S]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[D]], %[[B]]
func.func @producer(%A: tensor<5x4xf32>, %B: tensor<5x6xf32>, %s: tensor<5xf32>, %C: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<5x4xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A, %s : tensor<5x4xf32>, tensor<5xf32>) outs(%e : tensor<5x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.subf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<5x4xf32>
  %t = tensor.empty() : tensor<4x5xf32>
  %dt = linalg.transpose ins(%d : tensor<5x4xf32>) outs(%t : tensor<4x5xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%dt, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Two results, joined.
// CHECK-LABEL: @mean
// CHECK: tc.contract (a = 4, q = 6) ins(%arg0[a, q] : tensor<4x6xf32>) sides(%arg1[a] : tensor<4xf32>, %arg2[a] : tensor<4xf32>) outs(%arg1[a] : tensor<4xf32>) overwrite map
// CHECK: arith.divf
// CHECK-NEXT: tc.yield
func.func @mean(%x: tensor<4x6xf32>, %s: tensor<4xf32>, %n: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%s, %n : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%u: f32, %acc0: f32, %acc1: f32):
    %a = arith.addf %acc0, %u : f32
    %m = arith.mulf %u, %u : f32
    %b = arith.addf %acc1, %m : f32
    linalg.yield %a, %b : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %r = linalg.div ins(%p#0, %p#1 : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Run-time extents are those of the intermediate.
// CHECK-LABEL: @dynamic
// CHECK-COUNT-1: tc.contract
// CHECK-NOT: tc.contract
func.func @dynamic(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n = tensor.dim %B, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %ab = linalg.matmul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.exp ins(%ab : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A reader that writes over what it reads takes the place that this was written to.
// CHECK-LABEL: @over_what_it_reads
// CHECK: %[[E:.*]] = tensor.empty()
// CHECK-NEXT: tc.contract (a = 4, b = 6, q = 5) {{.*}} outs(%[[E]][a, b] : tensor<4x6xf32>) overwrite epilogue
// CHECK: arith.maximumf
// CHECK-NOT: tc.contract
func.func @over_what_it_reads(%A: tensor<4x5xf32>, %B: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %ab = linalg.matmul ins(%A, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ab : tensor<4x6xf32>) outs(%ab : tensor<4x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %zero : f32
    linalg.yield %y : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// The same of a minimum, whose combine region goes along.
// CHECK-LABEL: @over_a_minimum
// CHECK: tc.contract (a = 4, q = 5) {{.*}} overwrite neutral(0.000000e+00 : f32) map
// CHECK: combine associative commutative
// CHECK: epilogue
// CHECK-NOT: tc.contract
func.func @over_a_minimum(%A: tensor<4x5xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x5xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    %y = arith.minimumf %o, %n : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %r = linalg.exp ins(%m : tensor<4xf32>) outs(%m : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// It accumulates: what it adds to is a side, read elsewhere than it is written.
// CHECK-LABEL: @over_what_it_added_to
// CHECK: sides(%arg1[a, b] : tensor<4x4xf32>) outs(%arg1[b, a] : tensor<4x4xf32>) overwrite epilogue
// CHECK-NOT: tc.contract
func.func @over_what_it_added_to(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %aa = linalg.matmul ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%aa : tensor<4x4xf32>) outs(%aa : tensor<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

//===----------------------------------------------------------------------===//
// Left alone
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @other_uses
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=other_uses | {{.*}}operand 0 is computed into memory first: it has other uses
func.func @other_uses(%A: tensor<4x5xf32>, %B: tensor<5x6xf32>, %C: tensor<4x6xf32>, %D: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %ab = linalg.matmul ins(%A, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.exp ins(%ab : tensor<4x6xf32>) outs(%D : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %ab, %r : tensor<4x6xf32>, tensor<4x6xf32>
}

// What is read is also what is added to.
// CHECK-LABEL: @added_to
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=added_to | {{.*}}operand 0 is computed into memory first: it has other uses
func.func @added_to(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %n = linalg.negf ins(%A : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%n, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%n : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// CHECK-LABEL: @reduces
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=reduces | {{.*}}operand 0 is computed into memory first: its reader is not computed element by element
func.func @reduces(%A: tensor<4x5xf32>, %B: tensor<5x6xf32>, %C: tensor<4x6xf32>, %D: tensor<4xf32>) -> tensor<4xf32> {
  %ab = linalg.matmul ins(%A, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.reduce { arith.addf } ins(%ab : tensor<4x6xf32>) outs(%D : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @changes_space
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=changes_space | {{.*}}its reader changes the space
func.func @changes_space(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>, %D: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %ab = linalg.matmul ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ab, %ab : tensor<4x4xf32>, tensor<4x4xf32>) outs(%D : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// REMARK: remark: [Missed] NotFused {{.*}}Function=changes_space | {{.*}}operand 1

// CHECK-LABEL: @costly
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=costly | {{.*}}operand 0 is computed into memory first: it is costly and would be computed 6 times
func.func @costly(%A: tensor<4x5xf32>, %B: tensor<5x6xf32>, %C: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %a = linalg.exp ins(%A : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %ab = linalg.matmul ins(%a, %B : tensor<4x5xf32>, tensor<5x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %ab : tensor<4x6xf32>
}

// CHECK-LABEL: @in_order
// CHECK-COUNT-2: tc.contract
// REMARK: remark: [Missed] NotFused {{.*}}Function=in_order | {{.*}}its terms are combined in order, from an old result
func.func @in_order(%x: tensor<4x6xf32>, %z: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %d = arith.divf %acc, %u : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %r = linalg.exp ins(%s : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
