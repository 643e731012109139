// RUN: tc-opt %s --tc-tile-host --split-input-file --verify-diagnostics

// Schedules that do not fit their contraction, and why.

func.func @unknown(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected sums of the iterators i, j, k, got 'q'}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [q], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @missing(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96x2xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected all iterators, got no 'l'}}
  tc.contract (i = 64, j = 96, k = 64, l = 2)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j, l] : memref<64x96x2xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @inner(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected inner points of 'j' to divide its extent, 96, got 20}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j, j = 20], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @padded(%A: memref<64x64xf32>, %B: memref<64x90xf32>, %C: memref<64x90xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected the 90 points of 'j' in whole vectors of 8, got 128 of them}}
  tc.contract (i = 64, j = 90, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x90xf32>)
    outs(%C[i, j] : memref<64x90xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j, j = 128], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @padded_complex(%A: memref<64x64xcomplex<f32>>, %B: memref<64x90xcomplex<f32>>, %C: memref<64x90xcomplex<f32>>) {
  // expected-error@+1 {{tc.host_schedule: expected at most the 90 points of 'j', got 96 of them: only columns in panels of real numbers, with dot = 1, whose results are neighbours along it and have no epilogue, can be padded}}
  tc.contract (i = 64, j = 90, k = 64)
    ins(%A[i, k] : memref<64x64xcomplex<f32>>, %B[k, j] : memref<64x90xcomplex<f32>>)
    outs(%C[i, j] : memref<64x90xcomplex<f32>>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j, j = 96], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

// Only columns are padded.
func.func @padded_rows(%A: memref<60x64xf32>, %B: memref<64x90xf32>, %C: memref<60x90xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected inner points of 'i' to divide its extent, 60, got 64}}
  tc.contract (i = 60, j = 90, k = 64)
    ins(%A[i, k] : memref<60x64xf32>, %B[k, j] : memref<64x90xf32>)
    outs(%C[i, j] : memref<60x90xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i, i = 64], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @rows(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected rows that one input varies with, got 'k'}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [k], columns = [j], sums = [i], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @columns(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected columns of the input without rows and of the result, got 'k'}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [k], sums = [j], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @sums(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<2x64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected sums over contracted iterators, got 'n'}}
  tc.contract (i = 64, j = 96, k = 64, n = 2)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[n, i, j] : memref<2x64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k, n], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @batch(%A: memref<64x64x2xf32>, %B: memref<64x96xf32>, %C: memref<64x96x2xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected a batch that both inputs vary with, or none, got 'l'}}
  tc.contract (i = 64, j = 96, k = 64, l = 2)
    ins(%A[i, k, l] : memref<64x64x2xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j, l] : memref<64x96x2xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        batch = [l], rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @neighbours(%A: memref<64x64xf32>, %B: memref<96x64xf32>, %C: memref<64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected columns from panels, since whole vectors of 8 are no neighbours along 'j'}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[j, k] : memref<96x64xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = panels, columns_from = memory, tasks = blocks>}
  return
}

// -----

func.func @halves(%A: memref<64x64xf16>, %B: memref<64x96xf16>, %C: memref<64x96xf16>) {
  // expected-error@+1 {{tc.host_schedule: expected rows from panels, since elements of f16 are no numbers of the accumulator}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x96xf16>)
    outs(%C[i, j] : memref<64x96xf16>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64], task = 64,
        rows_from = memory, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @converted(%A: memref<64x64xf16>, %B: memref<64x96xf16>, %C: memref<64x96xf16>) {
  // expected-error@+1 {{tc.host_schedule: expected a block of all sums, since a result is more than its accumulator, got 32 of them}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x96xf16>)
    outs(%C[i, j] : memref<64x96xf16>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 32], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @dot(%A: memref<64x64xbf16>, %B: memref<64x96xbf16>, %C: memref<64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected dot = 1, since the CPU has no instruction that adds up 2 products of bf16 and bf16 in vectors of 16}}
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xbf16>, %B[k, j] : memref<64x96xbf16>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 16, dot = 2, tile = [4, 32], block = [64, 96, 64],
        task = 64, rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @stack_of_columns(%A: memref<2x64x64xf32>, %B: memref<2x64x96xf32>, %C: memref<2x64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected a block whose panels and tables take at most 2097152 bytes of a task's stack, got 2612256}}
  tc.contract (b = 2, i = 64, j = 96, k = 64)
    ins(%A[b, i, k] : memref<2x64x64xf32>, %B[b, k, j] : memref<2x64x96xf32>)
    outs(%C[b, i, j] : memref<2x64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        batch = [b], rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 9600, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @stack_of_rows(%A: memref<2x64x64xf32>, %B: memref<2x64x96xf32>, %C: memref<2x64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected a block whose panels and tables take at most 2097152 bytes of a task's stack, got 2124320}}
  tc.contract (b = 2, i = 64, j = 96, k = 64)
    ins(%A[b, i, k] : memref<2x64x64xf32>, %B[b, k, j] : memref<2x64x96xf32>)
    outs(%C[b, i, j] : memref<2x64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        batch = [b], rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [8192, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = batch>}
  return
}

// -----

func.func @stack_of_sums(%A: memref<2x64x64xf32>, %B: memref<2x64x96xf32>, %C: memref<2x64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected a block whose panels and tables take at most 2097152 bytes of a task's stack, got 25601568}}
  tc.contract (b = 2, i = 64, j = 96, k = 64)
    ins(%A[b, i, k] : memref<2x64x64xf32>, %B[b, k, j] : memref<2x64x96xf32>)
    outs(%C[b, i, j] : memref<2x64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        batch = [b], rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 96, 64000], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}

// -----

func.func @more_than_64_bits(%A: memref<2x64x64xf32>, %B: memref<2x64x96xf32>, %C: memref<2x64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected a block whose panels and tables take at most 2097152 bytes of a task's stack, got 18446744073709551615}}
  tc.contract (b = 2, i = 64, j = 96, k = 64)
    ins(%A[b, i, k] : memref<2x64x64xf32>, %B[b, k, j] : memref<2x64x96xf32>)
    outs(%C[b, i, j] : memref<2x64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        batch = [b], rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [64, 4611686018427387904, 4611686018427387904], task = 64,
        rows_from = panels, columns_from = panels, tasks = batch>}
  return
}

// -----

func.func @shared_rows(%A: memref<2x64x64xf32>, %B: memref<2x64x96xf32>, %C: memref<2x64x96xf32>) {
  // expected-error@+1 {{tc.host_schedule: expected a block of rows whose panels take at most 1099511627776 bytes, got 1125899906842624}}
  tc.contract (b = 2, i = 64, j = 96, k = 64)
    ins(%A[b, i, k] : memref<2x64x64xf32>, %B[b, k, j] : memref<2x64x96xf32>)
    outs(%C[b, i, j] : memref<2x64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        batch = [b], rows = [i], columns = [j], sums = [k], vector = 8,
        tile = [4, 16], block = [4398046511104, 96, 64], task = 64,
        rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}
