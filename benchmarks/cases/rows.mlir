// Nests of rows, for rows.py: ROWS and TERMS stand for extents.

func.func @sum(%A: memref<ROWSxTERMSxf32>, %B: memref<ROWSxf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (ROWS) {
    tc.reduce (%j) = (0) to (TERMS) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<ROWSxTERMSxf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<ROWSxf32>
    }
  }
  return
}

func.func @scan(%A: memref<ROWSxTERMSxf32>, %B: memref<ROWSxTERMSxf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (ROWS) {
    tc.scan (%j) = (0) to (TERMS) init(%zero : f32) {
      %x = memref.load %A[%i, %j] : memref<ROWSxTERMSxf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%k: index, %s: f32) {
      memref.store %s, %B[%i, %k] : memref<ROWSxTERMSxf32>
    }
  }
  return
}

func.func @normalise(%A: memref<ROWSxTERMSxf32>, %B: memref<ROWSxTERMSxf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (ROWS) {
    %sum = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (TERMS) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<ROWSxTERMSxf32>
      %q = arith.mulf %x, %x : f32
      tc.yield %q : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (TERMS) {
      %x = memref.load %A[%i, %j] : memref<ROWSxTERMSxf32>
      %s = memref.load %sum[] : memref<f32>
      %y = arith.divf %x, %s : f32
      memref.store %y, %B[%i, %j] : memref<ROWSxTERMSxf32>
    }
  }
  return
}
