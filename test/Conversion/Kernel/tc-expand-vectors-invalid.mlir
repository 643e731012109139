// RUN: tc-opt %s --split-input-file --tc-expand-vectors --verify-diagnostics

func.func @packed(%A: memref<8xi1>, %i: index) -> vector<8xi1> {
  // expected-error @+1 {{expected elements of whole bytes in memory, got 'i1'}}
  %v = vector.load %A[%i] : memref<8xi1>, vector<8xi1>
  return %v : vector<8xi1>
}

// -----

func.func @packed_transfer(%A: memref<8x8xi4>, %v: vector<2x4xi4>, %i: index) {
  // expected-error @+1 {{expected elements of whole bytes in memory, got 'i4'}}
  vector.transfer_write %v, %A[%i, %i] : vector<2x4xi4>, memref<8x8xi4>
  return
}

// -----

func.func @long(%A: memref<65536xf32>, %i: index) -> vector<65536xf32> {
  // expected-error @+1 {{expected a vector of at most 32768 elements, got 'vector<65536xf32>'}}
  %v = vector.load %A[%i] : memref<65536xf32>, vector<65536xf32>
  return %v : vector<65536xf32>
}
