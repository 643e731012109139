// Backprop of Rodinia (Che et al., IISWC 2009): a step of the training of a network with one hidden
// layer, by back-propagation with momentum. In linalg: a layer is a map of reductions (vecmat), its
// error a map of reductions (matvec), and its weights are adjusted by a map of maps. The first row of
// weights is that of the bias, whose unit is 1: units[0] is given as 1.

!vector = memref<?xf32>
!matrix = memref<?x?xf32>
!part = memref<?xf32, strided<[1], offset: 1>>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
#matrix = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @backprop(%input: !vector, %target: !vector, %w1: !matrix, %w2: !matrix,
                    %old1: !matrix, %old2: !matrix, %errors: memref<f32>, %hidden_errors: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden_count = memref.dim %w1, %c1 : !matrix
  %hidden_count1 = memref.dim %w2, %c0 : !matrix
  %output_count = memref.dim %w2, %c1 : !matrix

  // Forward, from the inputs to the hidden units and from these to the outputs.
  %hidden_sums = memref.alloc(%hidden_count) : !vector
  linalg.fill ins(%zero : f32) outs(%hidden_sums : !vector)
  linalg.vecmat ins(%input, %w1 : !vector, !matrix) outs(%hidden_sums : !vector)
  %hidden = memref.alloc(%hidden_count1) : !vector
  linalg.fill ins(%one : f32) outs(%hidden : !vector)
  %units = memref.subview %hidden[1] [%hidden_count] [1] : !vector to !part
  linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%hidden_sums : !vector) outs(%units : !part) {
  ^bb0(%sum: f32, %old: f32):
    %y = func.call @squash(%sum) : (f32) -> f32
    linalg.yield %y : f32
  }
  %output_sums = memref.alloc(%output_count) : !vector
  linalg.fill ins(%zero : f32) outs(%output_sums : !vector)
  linalg.vecmat ins(%hidden, %w2 : !vector, !matrix) outs(%output_sums : !vector)

  // Backward: what the outputs and the hidden units contribute to the error.
  %output_deltas = memref.alloc(%output_count) : !vector
  linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%output_sums, %target : !vector, !vector) outs(%output_deltas : !vector) {
  ^bb0(%sum: f32, %t: f32, %old: f32):
    %y = func.call @squash(%sum) : (f32) -> f32
    %rest = arith.subf %one, %y : f32
    %slope = arith.mulf %y, %rest : f32
    %miss = arith.subf %t, %y : f32
    %d = arith.mulf %slope, %miss : f32
    linalg.yield %d : f32
  }
  linalg.fill ins(%zero : f32) outs(%errors : memref<f32>)
  linalg.generic {indexing_maps = [#vector, #scalar], iterator_types = ["reduction"]}
      ins(%output_deltas : !vector) outs(%errors : memref<f32>) {
  ^bb0(%d: f32, %sum: f32):
    %size = math.absf %d : f32
    %next = arith.addf %sum, %size : f32
    linalg.yield %next : f32
  }
  %weights = memref.subview %w2[1, 0] [%hidden_count, %output_count] [1, 1] : !matrix to !rows
  %hidden_deltas = memref.alloc(%hidden_count) : !vector
  linalg.fill ins(%zero : f32) outs(%hidden_deltas : !vector)
  linalg.matvec ins(%weights, %output_deltas : !rows, !vector) outs(%hidden_deltas : !vector)
  linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%units : !part) outs(%hidden_deltas : !vector) {
  ^bb0(%y: f32, %sum: f32):
    %rest = arith.subf %one, %y : f32
    %slope = arith.mulf %y, %rest : f32
    %d = arith.mulf %slope, %sum : f32
    linalg.yield %d : f32
  }
  linalg.fill ins(%zero : f32) outs(%hidden_errors : memref<f32>)
  linalg.generic {indexing_maps = [#vector, #scalar], iterator_types = ["reduction"]}
      ins(%hidden_deltas : !vector) outs(%hidden_errors : memref<f32>) {
  ^bb0(%d: f32, %sum: f32):
    %size = math.absf %d : f32
    %next = arith.addf %sum, %size : f32
    linalg.yield %next : f32
  }

  // New weights: those of before, and a change that remembers the last one.
  func.call @adjust(%output_deltas, %hidden, %w2, %old2) : (!vector, !vector, !matrix, !matrix) -> ()
  func.call @adjust(%hidden_deltas, %input, %w1, %old1) : (!vector, !vector, !matrix, !matrix) -> ()
  return
}

func.func private @squash(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %sum = arith.addf %one, %e : f32
  %y = arith.divf %one, %sum : f32
  return %y : f32
}

func.func private @adjust(%deltas: !vector, %units: !vector, %w: !matrix, %old: !matrix) {
  %eta = arith.constant 0.3 : f32
  %momentum = arith.constant 0.3 : f32
  linalg.generic {indexing_maps = [#row, #column, #matrix, #matrix],
                  iterator_types = ["parallel", "parallel"]}
      ins(%units, %deltas : !vector, !vector) outs(%w, %old : !matrix, !matrix) {
  ^bb0(%unit: f32, %delta: f32, %weight: f32, %before: f32):
    %step = arith.mulf %eta, %delta : f32
    %new = arith.mulf %step, %unit : f32
    %kept = arith.mulf %momentum, %before : f32
    %change = arith.addf %new, %kept : f32
    %next = arith.addf %weight, %change : f32
    linalg.yield %next, %change : f32, f32
  }
  return
}
