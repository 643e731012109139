// Backprop of Rodinia (Che et al., IISWC 2009): a step of the training of a network with one hidden
// layer, by back-propagation with momentum. The sums of a layer, forward and backward, are a map of
// reductions, which linalg names (vecmat, matvec); its weights are adjusted by a map of maps. The
// first row of weights is that of the bias, whose unit is 1: input[0] is given as 1.

!vector = memref<?xf32>
!matrix = memref<?x?xf32>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>

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
  tc.par (%j) = (0) to (%hidden_count1) {
    %isBias = arith.cmpi eq, %j, %c0 : index
    %unit = scf.if %isBias -> f32 {
      scf.yield %one : f32
    } else {
      %before = arith.subi %j, %c1 : index
      %sum = memref.load %hidden_sums[%before] : !vector
      %y = func.call @squash(%sum) : (f32) -> f32
      scf.yield %y : f32
    }
    memref.store %unit, %hidden[%j] : !vector
  }
  %output_sums = memref.alloc(%output_count) : !vector
  linalg.fill ins(%zero : f32) outs(%output_sums : !vector)
  linalg.vecmat ins(%hidden, %w2 : !vector, !matrix) outs(%output_sums : !vector)

  // Backward: what the outputs and the hidden units contribute to the error.
  %output_deltas = memref.alloc(%output_count) : !vector
  tc.par (%k) = (0) to (%output_count) {
    %sum = memref.load %output_sums[%k] : !vector
    %t = memref.load %target[%k] : !vector
    %y = func.call @squash(%sum) : (f32) -> f32
    %miss = arith.subf %t, %y : f32
    %d = func.call @delta(%y, %miss) : (f32, f32) -> f32
    memref.store %d, %output_deltas[%k] : !vector
  }
  func.call @sum_sizes(%output_deltas, %errors) : (!vector, memref<f32>) -> ()
  %weights = memref.subview %w2[1, 0] [%hidden_count, %output_count] [1, 1] : !matrix to !rows
  %hidden_misses = memref.alloc(%hidden_count) : !vector
  linalg.fill ins(%zero : f32) outs(%hidden_misses : !vector)
  linalg.matvec ins(%weights, %output_deltas : !rows, !vector) outs(%hidden_misses : !vector)
  %hidden_deltas = memref.alloc(%hidden_count) : !vector
  tc.par (%j) = (0) to (%hidden_count) {
    %behind = arith.addi %j, %c1 : index
    %y = memref.load %hidden[%behind] : !vector
    %miss = memref.load %hidden_misses[%j] : !vector
    %d = func.call @delta(%y, %miss) : (f32, f32) -> f32
    memref.store %d, %hidden_deltas[%j] : !vector
  }
  func.call @sum_sizes(%hidden_deltas, %hidden_errors) : (!vector, memref<f32>) -> ()

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

/// The slope of @squash where it is %y, times %miss.
func.func private @delta(%y: f32, %miss: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %rest = arith.subf %one, %y : f32
  %slope = arith.mulf %y, %rest : f32
  %d = arith.mulf %slope, %miss : f32
  return %d : f32
}

func.func private @sum_sizes(%deltas: !vector, %result: memref<f32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %count = memref.dim %deltas, %c0 : !vector
  tc.reduce (%i) = (0) to (%count) init(%zero : f32) commutative {
    %d = memref.load %deltas[%i] : !vector
    %size = math.absf %d : f32
    tc.yield %size : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %result[] : memref<f32>
  }
  return
}

func.func private @adjust(%deltas: !vector, %units: !vector, %w: !matrix, %old: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eta = arith.constant 0.3 : f32
  %momentum = arith.constant 0.3 : f32
  %rows = memref.dim %w, %c0 : !matrix
  %columns = memref.dim %w, %c1 : !matrix
  tc.par (%i) = (0) to (%rows) {
    tc.par (%j) = (0) to (%columns) {
      %unit = memref.load %units[%i] : !vector
      %delta = memref.load %deltas[%j] : !vector
      %weight = memref.load %w[%i, %j] : !matrix
      %before = memref.load %old[%i, %j] : !matrix
      %step = arith.mulf %eta, %delta : f32
      %new = arith.mulf %step, %unit : f32
      %kept = arith.mulf %momentum, %before : f32
      %change = arith.addf %new, %kept : f32
      %next = arith.addf %weight, %change : f32
      memref.store %next, %w[%i, %j] : !matrix
      memref.store %change, %old[%i, %j] : !matrix
    }
  }
  return
}
