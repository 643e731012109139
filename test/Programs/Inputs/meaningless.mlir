// Divides by zero where %b is even, and reads there.
func.func @quotients(%a: memref<8xi32>, %b: memref<8xi32>, %y: memref<8xi32>) {
  tc.par grid (%i) = (0) to (8) {
    %one = arith.constant 1 : i32
    %x = memref.load %a[%i] : memref<8xi32>
    %n = memref.load %b[%i] : memref<8xi32>
    %bit = arith.andi %n, %one : i32
    %quotient = arith.divsi %x, %bit : i32
    memref.store %quotient, %y[%i] : memref<8xi32>
  }
  return
}

func.func @subscripts(%a: memref<8xi32>, %b: memref<8xi32>, %y: memref<8xi32>) {
  tc.par grid (%i) = (0) to (8) {
    %c1 = arith.constant 1 : index
    %bit = arith.andi %i, %c1 : index
    %rest = arith.remsi %i, %bit : index
    %x = memref.load %a[%rest] : memref<8xi32>
    memref.store %x, %y[%i] : memref<8xi32>
  }
  return
}
