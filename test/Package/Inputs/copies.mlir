func.func @dense(%A: memref<3x4xf32>, %C: memref<3x4xf32>) {
  memref.copy %A, %C : memref<3x4xf32> to memref<3x4xf32>
  return
}

func.func @strided(%A: memref<?x?xf32>, %C: memref<?x?xf32, strided<[?, ?]>>) {
  memref.copy %A, %C : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?]>>
  return
}

func.func @rows(%A: memref<3x4xf32>, %C: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i) = (%c0) to (%c3) step (%c1) {
    %row = memref.subview %A[%i, 0] [1, 4] [1, 1]
        : memref<3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %last = arith.subi %c2, %i : index
    %to = memref.subview %C[%last, 0] [1, 4] [1, 1]
        : memref<3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %row, %to
        : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// Bufferization copies %b, which the first sum writes over and the second reads.
func.func @bufferized(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %sum = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>)
                    outs(%b : tensor<8xf32>) -> tensor<8xf32>
  %both = linalg.mul ins(%sum, %b : tensor<8xf32>, tensor<8xf32>)
                     outs(%b : tensor<8xf32>) -> tensor<8xf32>
  return %sum, %both : tensor<8xf32>, tensor<8xf32>
}
