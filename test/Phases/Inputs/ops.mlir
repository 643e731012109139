// What test/Phases/ops.mlir means, in upstream ops.

func.func @par_width(%x: memref<12xf32>) {
  %ones = arith.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]> : tensor<12xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %one = tensor.extract %ones[%i] : tensor<12xf32>
    %v = memref.load %x[%i] : memref<12xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %x[%i] : memref<12xf32>
  }
  return
}

// Rows 2, 3, 4, 6, 7, 8 and columns 0 to 10.
func.func @par_bounds(%x: memref<12x12xf32>) {
  %rows = arith.constant dense<[2, 3, 4, 6, 7, 8]> : tensor<6xindex>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c11 = arith.constant 11 : index
  scf.for %n = %c0 to %c6 step %c1 {
    %i = tensor.extract %rows[%n] : tensor<6xindex>
    scf.for %j = %c0 to %c11 step %c1 {
      %v = memref.load %x[%i, %j] : memref<12x12xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %x[%i, %j] : memref<12x12xf32>
    }
  }
  return
}

// Columns 1, 2, 4, 5 of each row in turn.
func.func @seq_carried(%A: memref<3x6xf32>, %z: memref<f32>) {
  %columns = arith.constant dense<[1, 2, 4, 5]> : tensor<4xindex>
  %start = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %x = scf.for %i = %c0 to %c3 step %c1 iter_args(%row = %start) -> f32 {
    %y = scf.for %n = %c0 to %c4 step %c1 iter_args(%c = %row) -> f32 {
      %j = tensor.extract %columns[%n] : tensor<4xindex>
      %v = memref.load %A[%i, %j] : memref<3x6xf32>
      %next = arith.subf %v, %c : f32
      scf.yield %next : f32
    }
    scf.yield %y : f32
  }
  memref.store %x, %z[] : memref<f32>
  return
}

func.func @no_iterations(%x: memref<4xf32>) {
  return
}

func.func @view_diagonal(%A: memref<4x4xf32>, %z: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a) -> (a, a)>, affine_map<(a) -> (a)>],
                  iterator_types = ["parallel"]}
      ins(%A : memref<4x4xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

func.func @view_reversed(%x: memref<8xf32>, %z: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %a = %c0 to %c4 step %c1 {
    %i = arith.subi %c5, %a : index
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %z[%a] : memref<4xf32>
  }
  return
}

func.func @view_window(%x: memref<8xf32>, %z: memref<6x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  scf.for %a = %c0 to %c6 step %c1 {
    scf.for %w = %c0 to %c3 step %c1 {
      %i = arith.addi %a, %w : index
      %v = memref.load %x[%i] : memref<8xf32>
      %d = arith.addf %v, %v : f32
      memref.store %d, %z[%a, %w] : memref<6x3xf32>
    }
  }
  return
}

func.func @stage(%x: memref<5x6xf32>, %z: memref<4x4xf32>) {
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%z : memref<4x4xf32>)
  %from = memref.subview %x[2, 2] [3, 2] [1, 1]
      : memref<5x6xf32> to memref<3x2xf32, strided<[6, 1], offset: 14>>
  %to = memref.subview %z[0, 0] [3, 2] [1, 1] : memref<4x4xf32> to memref<3x2xf32, strided<[4, 1]>>
  linalg.copy ins(%from : memref<3x2xf32, strided<[6, 1], offset: 14>>)
              outs(%to : memref<3x2xf32, strided<[4, 1]>>)
  return
}

func.func @stage_sizes(%x: memref<6xf32>, %z: memref<3x4xf32>) {
  %from = memref.subview %x[0] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1]>>
  linalg.broadcast ins(%from : memref<4xf32, strided<[1]>>) outs(%z : memref<3x4xf32>) dimensions = [0]
  return
}

// 3.0 doubled four times.
func.func @new(%z: memref<2x3xf32>) {
  %sum = arith.constant 48.0 : f32
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>],
                  iterator_types = ["parallel", "parallel"]}
      outs(%z : memref<2x3xf32>) {
  ^bb0(%old: f32):
    %s = arith.addf %old, %sum : f32
    linalg.yield %s : f32
  }
  return
}

func.func @regions(%A: memref<3x4xf32>, %B: memref<4x2x5xf32>, %z: memref<5x3xf32>) {
  %low = arith.constant 0xFF800000 : f32
  linalg.fill ins(%low : f32) outs(%z : memref<5x3xf32>)
  linalg.generic {indexing_maps = [affine_map<(a, b, q, r) -> (a, q)>, affine_map<(a, b, q, r) -> (q, r, b)>,
                                   affine_map<(a, b, q, r) -> (b, a)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%A, %B : memref<3x4xf32>, memref<4x2x5xf32>) outs(%z : memref<5x3xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %acc, %s : f32
    linalg.yield %m : f32
  }
  return
}

func.func @subscripts(%x: memref<14x2xi32>, %z: memref<9x2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c13 = arith.constant 13 : index
  scf.for %a = %c0 to %c4 step %c1 {
    %a2 = arith.muli %a, %c2 : index
    %to = arith.addi %a2, %c1 : index
    %from = arith.addi %a2, %c3 : index
    %back = arith.subi %c13, %a : index
    scf.for %w = %c0 to %c3 step %c1 {
      %at = arith.addi %from, %w : index
      %u = memref.load %x[%at, %c1] : memref<14x2xi32>
      %v = memref.load %x[%back, %c0] : memref<14x2xi32>
      %p = arith.muli %u, %v : i32
      %old = memref.load %z[%to, %c0] : memref<9x2xi32>
      %s = arith.addi %old, %p : i32
      memref.store %s, %z[%to, %c0] : memref<9x2xi32>
    }
  }
  return
}

func.func @machine(%x: memref<2xi64>, %z: memref<i64>) {
  linalg.dot ins(%x, %x : memref<2xi64>, memref<2xi64>) outs(%z : memref<i64>)
  return
}
