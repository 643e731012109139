// One case for each rule of the verifiers, named by the label that stands beside
// the check in lib/IR; labels.test compares the two lists.
//
// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @contract_names(%x: memref<4x4xf32>, %z: memref<4x4xf32>) {
  // expected-error@+1 {{expected each iterator once, got 'a' again}}
  tc.contract (a = 4, a = 4) ins(%x[a, a] : memref<4x4xf32>) outs(%z[a, a] : memref<4x4xf32>)
  return
}

// -----

func.func @contract_identifiers(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected iterators to be identifiers, got 'a b'}}
  tc.contract ("a b" = 4) ins(%x[0] : memref<4xf32>) outs(%z[0] : memref<4xf32>)
  return
}

// -----

func.func @contract_identifiers(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected iterators to be identifiers, got 'i32'}}
  tc.contract ("i32" = 4) ins(%x[0] : memref<4xf32>) outs(%z[0] : memref<4xf32>)
  return
}

// -----

func.func @contract_extents(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected one extent per iterator, got 2 for 1}}
  "tc.contract"(%x, %z) <{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
      iterators = ["a"], static_extents = array<i64: 4, 4>,
      operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({}, {}, {}) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @contract_negative_extent(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected the extent of 'a' to be at least 0, got -4}}
  tc.contract (a = -4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_dynamic_extents(%x: memref<4xf32>, %z: memref<4xf32>, %n: index) {
  // expected-error@+1 {{expected 0 extents as operands, got 1}}
  "tc.contract"(%n, %x, %z) <{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
      iterators = ["a"], static_extents = array<i64: 4>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({}, {}, {}) : (index, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @contract_inputs(%z: memref<4xf32>) {
  // expected-error@+1 {{expected at least one input, or a map region}}
  tc.contract (a = 4) ins() outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_maps(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected one map per operand, got 1 for 2}}
  "tc.contract"(%x, %z) <{indexing_maps = [affine_map<(a) -> (a)>], iterators = ["a"],
      static_extents = array<i64: 4>,
      operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({}, {}, {}) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @contract_map_dims(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected a map of 1 dimensions and no symbols, got affine_map<(d0, d1) -> (d0)>}}
  "tc.contract"(%x, %z) <{indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a) -> (a)>],
      iterators = ["a"], static_extents = array<i64: 4>,
      operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({}, {}, {}) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @contract_ranked(%x: memref<*xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected ranked operands, got 'memref<*xf32>'}}
  tc.contract (a = 4) ins(%x[a] : memref<*xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_rank(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected 1 subscripts for 'memref<4xf32>', got 2}}
  tc.contract (a = 4) ins(%x[a, a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_linear(%x: memref<4xf32>, %z: memref<8xf32>) {
  // expected-error@+1 {{expected subscripts linear in the iterators, got affine_map<(d0) -> (d0 floordiv 2)>}}
  tc.contract (a = 8) ins(%x[a floordiv 2] : memref<4xf32>) outs(%z[a] : memref<8xf32>)
  return
}

// -----

func.func @contract_injective(%x: memref<4x4xf32>, %z: memref<7xf32>) {
  // expected-error@+1 {{expected the result's subscripts to be injective: each of its iterators alone in one subscript, got affine_map<(d0, d1) -> (d0 + d1)>}}
  tc.contract (a = 4, b = 4) ins(%x[a, b] : memref<4x4xf32>) outs(%z[a + b] : memref<7xf32>)
  return
}

// -----

func.func @contract_bounds(%x: memref<8xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected subscript 0 of 'memref<8xf32>' to stay in [0, 8), got [1, 9]}}
  tc.contract (a = 4, w = 3) ins(%x[2 * a + w + 1] : memref<8xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_overflow(%x: memref<8xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected subscript 0 of 'memref<8xf32>' to need 64 bits at most}}
  tc.contract (a = 4) ins(%x[9223372036854775807 * a] : memref<8xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_semantics(%x: tensor<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected all operands to be tensors or all to be memrefs, got 'tensor<4xf32>' and 'memref<4xf32>'}}
  tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_result(%x: tensor<4xf32>, %z: tensor<4xf32>) {
  // expected-error@+1 {{expected one result of the type of each of outs}}
  tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a] : tensor<4xf32>)
  return
}

// -----

func.func @contract_arithmetic(%x: memref<4xindex>, %z: memref<4xindex>) {
  // expected-error@+1 {{expected floats, complex numbers or signless integers without map and combine regions, got 'index'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xindex>) outs(%z[a] : memref<4xindex>)
  return
}

// -----

func.func @contract_element(%x: memref<4xcomplex<f32>>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected inputs that convert to 'f32' without a map region, got 'memref<4xcomplex<f32>>'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xcomplex<f32>>) outs(%z[a] : memref<4xf32>)
  return
}

// -----

func.func @contract_element(%x: memref<4xf16>, %z: memref<4xi32>) {
  // expected-error@+1 {{expected inputs that convert to 'i32' without a map region, got 'memref<4xf16>'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf16>) outs(%z[a] : memref<4xi32>)
  return
}

// -----

func.func @contract_no_outputs(%x: memref<4xf32>) {
  // expected-error@+1 {{expected at least one result operand}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs()
  return
}

// -----

func.func @contract_outputs(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected results that vary with the same iterators, got 'b' in one of them}}
  tc.contract (a = 4, b = 4) ins(%x[a, b] : memref<4x4xf32>)
      outs(%y[a, b] : memref<4x4xf32>, %z[a] : memref<4xf32>) overwrite
      map (%u: f32) {
        tc.yield %u, %u : f32, f32
      }
  return
}

// -----

func.func @contract_sides(%x: memref<4x4xf32>, %b: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected sides that vary with result iterators alone, got 'q' in side 0}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) sides(%b[q] : memref<4xf32>)
      outs(%z[a] : memref<4xf32>) epilogue (%acc: f32, %s: f32) {
        tc.yield %acc : f32
      }
  return
}

// -----

func.func @contract_map_results(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected one accumulator without a map region, got 2}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>, %z[a] : memref<4xf32>)
      neutral(0.0 : f32, 0.0 : f32)
      combine associative commutative (%a0: f32, %a1: f32, %v0: f32, %v1: f32) {
        tc.yield %a0, %a1 : f32, f32
      }
  return
}

// -----

func.func @contract_epilogue(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected an accumulator for each result without an epilogue, and where old results are added to, got 2 for 1}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>) overwrite
      map (%u: f32) {
        tc.yield %u, %u : f32, f32
      }
  return
}

// -----

// With an epilogue too, where there are not as many old results as accumulators.
func.func @contract_epilogue(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected an accumulator for each result without an epilogue, and where old results are added to, got 2 for 1}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
      map (%u: f32) {
        tc.yield %u, %u : f32, f32
      } epilogue (%a0: f32, %a1: f32) {
        tc.yield %a0 : f32
      }
  return
}

// -----

func.func @contract_result_element(%x: memref<4xf32>, %z: memref<4xi32>) {
  // expected-error@+1 {{expected accumulators that convert to their result without an epilogue, got 'f32' and 'i32'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xi32>) accumulate(f32)
  return
}

// -----

func.func @contract_old(%x: memref<4xi32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected old results that convert to their accumulator, got 'f32' and 'i32'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xi32>) outs(%z[a] : memref<4xf32>) accumulate(i32)
  return
}

// -----

func.func @contract_accumulator(%x: memref<4xf16>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected no accumulator type beside regions, which have their own, got 'f64'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf16>) outs(%z[a] : memref<4xf32>) accumulate(f64)
      map (%u: f16) {
        %w = arith.extf %u : f16 to f32
        tc.yield %w : f32
      }
  return
}

// -----

func.func @contract_precision(%x: memref<4xf64>, %z: memref<f64>) {
  // expected-error@+1 {{expected products of f32 or complex<f32>, added in the same type, for precision tf32}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf64>, %x[a] : memref<4xf64>) outs(%z[] : memref<f64>) precision(tf32)
  return
}

// -----

func.func @contract_precision_name(%x: memref<4xf32>, %z: memref<f32>) {
  // expected-error@+1 {{expected ieee, tf32, tf32x3, bf16, bf16x3, bf16x6 or bf16x9, got 'half'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>, %x[a] : memref<4xf32>) outs(%z[] : memref<f32>) precision(half)
  return
}

// -----

func.func @contract_effects(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected the epilogue region to be free of effects, got 'memref.store'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
      epilogue (%acc: f32) {
        %c0 = arith.constant 0 : index
        memref.store %acc, %x[%c0] : memref<4xf32>
        tc.yield %acc : f32
      }
  return
}

// -----

func.func @contract_schedule(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected 'register' of the schedule to name result iterators, got 'q'}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      {schedule = #tc.schedule<register = [q = 4], kernel = fma>}
  return
}

// -----

func.func @contract_schedule(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error-re@+1 {{expected 'step' of the schedule to name iterators ({{.*}}), got 'k'}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      {schedule = #tc.schedule<step = [k = 4], kernel = fma>}
  return
}

// -----

func.func @contract_schedule(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error-re@+1 {{expected 'vector' of the schedule to name iterators ({{.*}}), got 'k'}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      {schedule = #tc.schedule<vector = [q = 4, k = 4], kernel = fma>}
  return
}

// -----

func.func @contract_schedule(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected 'split' of the schedule to name contracted iterators, got 'a'}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      {schedule = #tc.schedule<split = [a = 2], kernel = fma>}
  return
}

// -----

func.func @contract_schedule(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected 'unroll' of the schedule to name contracted iterators, got 'a'}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      {schedule = #tc.schedule<unroll = [a = 2], kernel = fma>}
  return
}

// -----

func.func @contract_neutral(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected a neutral element with a combine region}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      combine associative commutative (%u: f32, %v: f32) {
        %m = arith.maximumf %u, %v : f32
        tc.yield %m : f32
      }
  return
}

// -----

func.func @contract_neutral_type(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected a neutral element of type 'f32', got 0.000000e+00 : f64}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      neutral(0.0 : f64) combine associative commutative (%acc: f32, %v: f32) {
    %m = arith.maximumf %acc, %v : f32
    tc.yield %m : f32
  }
  return
}

// -----

func.func @contract_neutral_alone(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected no neutral element without a combine region, got [5.000000e+00 : f32]}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      neutral(5.0 : f32)
  return
}

// -----

func.func @contract_neutral_count(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected 1 neutral elements, got 2}}
  tc.contract (a = 4, q = 4) ins(%x[a, q] : memref<4x4xf32>) outs(%z[a] : memref<4xf32>)
      neutral(0.0 : f32, 0.0 : f32) combine associative commutative (%acc: f32, %v: f32) {
    %m = arith.maximumf %acc, %v : f32
    tc.yield %m : f32
  }
  return
}

// -----

func.func @contract_laws_alone(%x: memref<4x4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected 'associative' and 'commutative' with a combine region only}}
  "tc.contract"(%x, %z) <{indexing_maps = [affine_map<(a, q) -> (a, q)>, affine_map<(a, q) -> (a)>],
      iterators = ["a", "q"], static_extents = array<i64: 4, 4>, commutative,
      operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({}, {}, {}) : (memref<4x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @contract_region(%x: memref<4xf16>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected the map region to take ('f16'), got ('f32')}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf16>) outs(%z[a] : memref<4xf32>)
      map (%u: f32) {
        tc.yield %u : f32
      }
  return
}

// -----

func.func @contract_region(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected the combine region to take ('f64', 'f32'), got ('f64', 'f64')}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
      neutral(0.0 : f64) map (%u: f32) {
        tc.yield %u : f32
      } combine associative commutative (%acc: f64, %v: f64) {
        %s = arith.addf %acc, %v : f64
        tc.yield %s : f64
      }
  return
}

// -----

func.func @contract_region(%x: memref<4xf32>, %z: memref<4xf16>) {
  // expected-error@+1 {{expected the epilogue region to yield ('f16'), got ('f32')}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf16>)
      epilogue (%acc: f32) {
        tc.yield %acc : f32
      }
  return
}

// -----

func.func @contract_terminator(%x: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected the map region to end in tc.yield, got 'func.return'}}
  tc.contract (a = 4) ins(%x[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
      map (%u: f32) {
        func.return
      }
  return
}

// -----

func.func @nest_rank() {
  // expected-error@+1 {{expected as many upper bounds, steps and widths as lower bounds (1), got 2, 1 and 1}}
  tc.par (%i) = (0) to (4, 4) {}
  return
}

// -----

func.func @nest_step() {
  // expected-error@+1 {{expected steps of at least 1, got 0}}
  tc.seq (%i) = (0) to (4) step (0) {}
  return
}

// -----

func.func @nest_width() {
  // expected-error@+1 {{expected widths from 1 to the step 2, got 3}}
  tc.par (%i) = (0) to (4) step (2) width (3) {}
  return
}

// -----

func.func @nest_least_width(%n: index) {
  // expected-error@+1 {{expected widths of at least 1, got 0}}
  tc.par (%i) = (0) to (4) step (%n) width (0) {}
  return
}

// -----

func.func @nest_dynamic_bounds(%n: index) {
  // expected-error@+1 {{expected one operand for each bound, step and width given at run time}}
  "tc.par"(%n) <{static_lower = array<i64: 0>, static_upper = array<i64: 4>, static_step = array<i64: 1>,
      static_width = array<i64: 1>, operandSegmentSizes = array<i32: 0, 1, 0, 0>}> ({
  ^bb0(%i: index):
    "tc.yield"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @nest_indices() {
  // expected-error@+1 {{expected the region to take 1 indices}}
  "tc.par"() <{static_lower = array<i64: 0>, static_upper = array<i64: 4>, static_step = array<i64: 1>,
      static_width = array<i64: 1>, operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
  ^bb0(%i: i32):
    "tc.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @par_arguments() {
  // expected-error@+1 {{expected the region to take 1 indices and nothing else, got 2 arguments}}
  "tc.par"() <{static_lower = array<i64: 0>, static_upper = array<i64: 4>, static_step = array<i64: 1>,
      static_width = array<i64: 1>, operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
  ^bb0(%i: index, %x: f32):
    "tc.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @par_full() {
  tc.par full grid (%i) = (0) to (4) {
    tc.seq (%q) = (0) to (4) {
      // expected-error@+1 {{expected no 'full' inside another 'full'}}
      tc.par full block (%j) = (0) to (4) {}
    }
  }
  return
}

// -----

func.func @par_align() {
  // expected-error@+1 {{expected an alignment of at least 1, of 'full' alone, got align(0)}}
  tc.par full align(0) (%i) = (0) to (32) {}
  return
}

// -----

func.func @par_level() {
  tc.par block (%i) = (0) to (4) {
    // expected-error@+1 {{expected a level inside of 'block', got 'grid'}}
    tc.par grid (%j) = (0) to (4) {}
  }
  return
}

// -----

func.func @par_host() {
  tc.par (%i) = (0) to (4) {
    // expected-error@+1 {{expected no tc.par round one of level 'host'}}
    tc.par host (%j) = (0) to (4) {}
  }
  return
}

// -----

func.func @par_host_threads() {
  // expected-error@+1 {{expected neither 'full' nor a mapping on level 'host', which has no threads}}
  tc.par full host (%j) = (0) to (4) {}
  return
}

// -----

func.func @par_cluster() {
  tc.par grid (%i) = (0) to (4) {
    tc.par cluster (%c) = (0) to (2) {}
    // expected-error@+1 {{expected a tc.par cluster round it, as there is another one in the grid, got 'block' directly in it}}
    tc.par block (%j) = (0) to (4) {}
  }
  return
}

// -----

func.func @seq_results(%x: f32) {
  // expected-error@+1 {{expected results of the types of the initial values}}
  %r = "tc.seq"(%x) <{static_lower = array<i64: 0>, static_upper = array<i64: 4>,
      static_step = array<i64: 1>, static_width = array<i64: 1>, operandSegmentSizes = array<i32: 0, 0, 0, 0, 1>}> ({
  ^bb0(%i: index, %c: f32):
    "tc.yield"(%c) : (f32) -> ()
  }) : (f32) -> f64
  return
}

// -----

func.func @seq_carried(%x: f32) {
  // expected-error@+1 {{expected the region to take the carried values after its indices}}
  %r = "tc.seq"(%x) <{static_lower = array<i64: 0>, static_upper = array<i64: 4>,
      static_step = array<i64: 1>, static_width = array<i64: 1>, operandSegmentSizes = array<i32: 0, 0, 0, 0, 1>}> ({
  ^bb0(%i: index):
    "tc.yield"(%x) : (f32) -> ()
  }) : (f32) -> f32
  return
}

// -----

func.func @seq_yield(%x: f32) {
  // expected-error@+1 {{expected the region to yield the carried values}}
  %r = tc.seq (%i) = (0) to (4) init(%c = %x : f32) {
    tc.yield %i : index
  }
  return
}

// -----

func.func @reduce_values() {
  // expected-error@+1 {{expected at least one neutral element}}
  tc.reduce (%i) = (0) to (4) init() {
    tc.yield
  } combine () {
    tc.yield
  } finish () {
  }
  return
}

// -----

func.func @reduce_host(%x: f32) {
  // expected-error@+1 {{expected a level of the device, got 'host'}}
  tc.reduce host (%i) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%a: f32) {
  }
  return
}

// -----

func.func @reduce_arguments(%x: f32) {
  // expected-error@+1 {{expected the combine region to take ('f32', 'f32'), got ('f32')}}
  tc.reduce (%i) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32) {
    tc.yield %a : f32
  } finish (%s: f32) {
  }
  return
}

// -----

func.func @reduce_terminator(%x: f32) {
  // expected-error@+1 {{expected the map region to end in tc.yield, got 'arith.negf'}}
  tc.reduce (%i) = (0) to (4) init(%x : f32) {
    %y = arith.negf %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%s: f32) {
  }
  return
}

// -----

func.func @reduce_yield(%x: f32) {
  // expected-error@+1 {{expected the map region to yield ('f32'), got ('index')}}
  tc.scan (%i) = (0) to (4) init(%x : f32) {
    tc.yield %i : index
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%i: index, %s: f32) {
  }
  return
}

// -----

func.func @reduce_effects(%x: f32, %m: memref<f32>) {
  // expected-error@+1 {{expected the combine region to be free of effects, got 'memref.store'}}
  tc.reduce (%i) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    memref.store %a, %m[] : memref<f32>
    tc.yield %b : f32
  } finish (%s: f32) {
  }
  return
}

// -----

func.func @scan_finish(%x: f32) {
  // expected-error@+1 {{expected the finish region to take ('index', 'f32'), got ('f32')}}
  tc.scan (%i) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%s: f32) {
  }
  return
}

// -----

func.func @view_dynamics(%x: memref<16xf32>, %n: index) {
  // expected-error@+1 {{expected one operand for each '?' of the LMAD (2), got 1}}
  %v = tc.view %x (%n) <offset = ?, sizes = [?], strides = [1]>
      : memref<16xf32> to memref<?xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @view_strided(%x: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j)>>) {
  // expected-error@+1 {{expected a source with a strided layout}}
  %v = tc.view %x <offset = 0, sizes = [4], strides = [1]>
      : memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j)>> to memref<4xf32>
  return
}

// -----

func.func @view_type(%x: memref<16xf32>) {
  // expected-error@+1 {{expected the result to be 'memref<4xf32, strided<[3], offset: 1>>', got 'memref<4xf32, strided<[3], offset: 2>>'}}
  %v = tc.view %x <offset = 1, sizes = [4], strides = [3]>
      : memref<16xf32> to memref<4xf32, strided<[3], offset: 2>>
  return
}

// -----

func.func @view_bounds(%x: memref<4x4xf32>) {
  // expected-error@+1 {{expected the view to stay in elements [0, 16) of its source, got [1, 17)}}
  %v = tc.view %x <offset = 16, sizes = [4], strides = [-5]>
      : memref<4x4xf32> to memref<4xf32, strided<[-5], offset: 16>>
  return
}

// -----

func.func @new_static() {
  // expected-error@+1 {{expected a static shape, got 'memref<?xf32>'}}
  %b = tc.new : memref<?xf32>
  return
}

// -----

func.func @new_init() {
  // expected-error@+1 {{expected init of type 'f32', got 0 : i32}}
  %b = tc.new init(0 : i32) : memref<4xf32>
  return
}

// -----

func.func @new_threads() {
  // expected-error@+1 {{expected threads from 0 to the rank 1, got 2}}
  %b = tc.new threads(2) : memref<4xf32>
  return
}

// -----

func.func @new_slot(%x: memref<4xf32>) {
  // expected-error@+1 {{expected a slot from 0 to 2147483647, got 9223372036854775807}}
  %s = tc.stage %x pad(0.0 : f32) slot(9223372036854775807) : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @nest_lower_bound() {
  // expected-error@+1 {{expected a bound above -2^63}}
  tc.par (%i) = (-9223372036854775808) to (4) {
  }
  return
}

// -----

func.func @stage_type(%x: memref<4xf32>) {
  // expected-error@+1 {{expected source and result of one rank and element type, got 'memref<4xf32>' and 'memref<4x4xf32>'}}
  %s = tc.stage %x pad(0.0 : f32) : memref<4xf32> to memref<4x4xf32>
  return
}

// -----

func.func @stage_static(%x: memref<4xf32>) {
  // expected-error@+1 {{expected a result of static shape, offset 0 and static strides of at least 0, got 'memref<4xf32, strided<[?]>>'}}
  %s = tc.stage %x pad(0.0 : f32) : memref<4xf32> to memref<4xf32, strided<[?]>>
  return
}

// -----

func.func @stage_size(%x: memref<8xf32>) {
  // expected-error@+1 {{expected the source to fit in the result, got 'memref<8xf32>' and 'memref<4xf32>'}}
  %s = tc.stage %x pad(0.0 : f32) : memref<8xf32> to memref<4xf32>
  return
}

// -----

func.func @stage_pad(%x: memref<4xf32>) {
  // expected-error@+1 {{expected pad of type 'f32', got 0.000000e+00 : f64}}
  %s = tc.stage %x pad(0.0 : f64) : memref<4xf32> to memref<8xf32>
  return
}

// -----

// expected-error@+1 {{expected as many strides as sizes, got 1 strides and 2 sizes}}
func.func private @lmad_rank() attributes {l = #tc.lmad<offset = 0, sizes = [4, 4], strides = [4]>}

// -----

// expected-error@+1 {{expected sizes of at least 0, got -1}}
func.func private @lmad_size() attributes {l = #tc.lmad<offset = 0, sizes = [-1], strides = [4]>}

// -----

// expected-error@+1 {{expected each iterator once, got 'i' again}}
func.func private @host_schedule_once() attributes {s = #tc.host_schedule<rows = [i], columns = [j, i], sums = [k], vector = 8, tile = [4, 16], block = [8, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected at least 2 inner points of 'j', got 1}}
func.func private @host_schedule_inner() attributes {s = #tc.host_schedule<rows = [i], columns = [j, j = 1], sums = [k], vector = 8, tile = [4, 16], block = [8, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected inner points once, after their iterator, got those of 'j'}}
func.func private @host_schedule_order() attributes {s = #tc.host_schedule<rows = [i], columns = [j = 4, j], sums = [k], vector = 8, tile = [4, 16], block = [8, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected rows and columns, got 1 and 0 iterators}}
func.func private @host_schedule_classes() attributes {s = #tc.host_schedule<rows = [i], columns = [], sums = [k], vector = 8, tile = [4, 16], block = [8, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected vectors of 1 to 64 elements, got 0}}
func.func private @host_schedule_vector() attributes {s = #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 0, tile = [4, 16], block = [8, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected a tile of rows and columns, these in whole vectors of 8, of at most 64 vectors, got [4, 12]}}
func.func private @host_schedule_tile() attributes {s = #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 8, tile = [4, 12], block = [8, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected a block of rows, columns and sums, got [8, 32]}}
func.func private @host_schedule_block() attributes {s = #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 8, tile = [4, 16], block = [8, 32], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected a block of whole tiles of 4 rows and 16 columns, got 6 and 32}}
func.func private @host_schedule_whole() attributes {s = #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 8, tile = [4, 16], block = [6, 32, 64], task = 8,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected dot of 1, or of 2 with a block of pairs of sums and panels of both inputs, got 2}}
func.func private @host_schedule_dot() attributes {s = #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 8, dot = 2, tile = [4, 16], block = [8, 32, 63], task = 8,
    rows_from = panels, columns_from = panels, tasks = blocks>}

// -----

// expected-error@+1 {{expected a task of whole tiles of 4 rows, of the 8 of a block, got 12}}
func.func private @host_schedule_task() attributes {s = #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 8, tile = [4, 16], block = [8, 32, 64], task = 12,
    rows_from = panels, columns_from = memory, tasks = blocks>}

// -----

// expected-error@+1 {{expected attribute 'tc.host_schedule' to be a #tc.host_schedule of a contraction, got unit}}
func.func private @host_schedule_attribute() attributes {tc.host_schedule}

// -----

// expected-error@+1 {{expected the stride of 'a' in a tile to be at least 1, got 0}}
func.func private @staging_stride() attributes {s = #tc.schedule<stage = [[a = 0]], kernel = fma>}

// -----

// expected-error@+1 {{expected to copy by at least 1 element, got 0}}
func.func private @staging_chunk() attributes {s = #tc.staging<[a = 1] by 0>}

// -----

// expected-error@+1 {{expected the factor of 'a' to be at least 1, got 0}}
func.func private @schedule_factor() attributes {s = #tc.schedule<register = [a = 0], kernel = fma>}

// -----

// expected-error@+1 {{expected the factor of 'a' to be at least 1, got 0}}
func.func private @schedule_factor() attributes {s = #tc.schedule<unroll = [a = 0], kernel = fma>}

// -----

// expected-error@+1 {{expected each iterator at most twice in a list, got 'a' again}}
func.func private @schedule_once() attributes {s = #tc.schedule<thread = [a = 2, a = 4, a = 2], kernel = fma>}

// -----

// expected-error@+1 {{expected each iterator at most once in a list, got 'a' again}}
func.func private @schedule_once() attributes {s = #tc.schedule<register = [a = 2, a = 4], kernel = fma>}

// -----

func.func @seq_stages() {
  // expected-error@+1 {{expected at least 1 stage, got 0}}
  tc.seq (%i) = (0) to (4) stages(0) {
  }
  return
}

// -----

func.func @seq_unroll() {
  // expected-error@+1 {{expected unroll of at least 1, and no stages beside it, got unroll(4) and stages(2)}}
  tc.seq (%i) = (0) to (4) stages(2) unroll(4) {
  }
  return
}

// -----

func.func @stage_chunk(%x: memref<8x4xf32, strided<[8, 2]>>) {
  // expected-error@+1 {{expected the last dimension of source and result to be whole chunks of stride 1, got 4}}
  %s = tc.stage %x pad(0.0 : f32) chunk(4) : memref<8x4xf32, strided<[8, 2]>> to memref<8x4xf32>
  return
}

// -----

func.func @stage_rows(%x: memref<6x8xf32>) {
  // expected-error@+1 {{expected rows of whole chunks along a dimension of stride 1 in the result that is not the last, got 4 rows of 4 of 'memref<6x8xf32>' and 'memref<8x8xf32, strided<[1, 8]>>'}}
  %s = tc.stage %x pad(0.0 : f32) chunk(4) rows(4) : memref<6x8xf32> to memref<8x8xf32, strided<[1, 8]>>
  return
}

// -----

func.func @stage_rows_complex(%x: memref<8x2xcomplex<f32>>) {
  // expected-error@+1 {{expected rows of integers or floats, since there are no vectors of complex numbers, got 2 rows of 'complex<f32>'}}
  %s = tc.stage %x pad(#complex.number<:f32 0.0, 0.0> : complex<f32>) chunk(2) rows(2) : memref<8x2xcomplex<f32>> to memref<8x2xcomplex<f32>, strided<[1, 8]>>
  return
}

// -----

// expected-error@+1 {{expected at least 1 stage, got 0}}
func.func private @schedule_stages() attributes {s = #tc.schedule<stages = 0, kernel = fma>}

// -----

// expected-error@+1 {{expected a unit with kernel mma, and only there; got kernel mma without one}}
func.func private @schedule_unit() attributes {s = #tc.schedule<kernel = mma>}

// -----

// expected-error@+1 {{expected an instruction of m8n8k4.f64, m16n8k4.f64, m16n8k8.f64, m16n8k16.f64, m16n8k8.f16, m16n8k16.f16, m16n8k8.bf16, m16n8k16.bf16, m16n8k4.tf32, m16n8k8.tf32, m16n8k16.s8, m16n8k32.s8, m16n8k32.f8, got "m8n8k5.f64"}}
func.func private @mma_instruction() attributes {s = #tc.mma<"m8n8k5.f64", m = [i = 8], n = [j = 4], k = [k = 4]>}

// -----

// expected-error@+1 {{expected at least 2 lanes along 'a', got 1}}
func.func private @mma_factor() attributes {s = #tc.mma<"m8n8k4.f64", m = [i = 8, a = 1], n = [j = 4], k = [k = 4]>}

// -----

// expected-error@+1 {{expected each iterator to be folded once, got 'i' again}}
func.func private @mma_once() attributes {s = #tc.mma<"m8n8k4.f64", m = [i = 8], n = [i = 4], k = [k = 4]>}

// -----

// expected-error@+1 {{expected 4 lanes along n, got 8}}
func.func private @mma_lanes() attributes {s = #tc.mma<"m8n8k4.f64", m = [i = 8], n = [j = 8], k = [k = 4]>}

// -----

// expected-error@+1 {{expected 'promote' to be a positive multiple of the 8 terms of m16n8k8.tf32, got 12}}
func.func private @mma_promote() attributes {s = #tc.mma<"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 12>}

// -----

// expected-error@+1 {{expected no 'promote' with m8n8k4.f64, whose sums are not of f32}}
func.func private @mma_promote_sums() attributes {s = #tc.mma<"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4], promote = 8>}

// -----

func.func @mma_iterators(%A: memref<8x8xf64>, %C: memref<8x8xf64>) {
  // expected-error@+1 {{expected 'n' of the schedule to name result iterators, got 'k'}}
  tc.contract (i = 8, j = 8, k = 8)
      ins(%A[i, k] : memref<8x8xf64>, %A[k, j] : memref<8x8xf64>) outs(%C[i, j] : memref<8x8xf64>)
      {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [i = 8], n = [k = 4], k = [j = 4]>>}
  return
}

// -----

// expected-error@+1 {{expected 1 to 1024 resident blocks, got 0}}
func.func private @schedule_resident() attributes {s = #tc.schedule<resident = 0, kernel = fma>}

// -----

// expected-error@+1 {{expected the alignment to be a power of two, got 12}}
func.func private @variant_alignment() attributes {s = #tc.variant<index = 32, alignment = 12>}

// -----

// expected-error@+1 {{expected each limit to be at least 1, got 0}}
func.func private @machine_limit() attributes {m = #tc.machine<chip = "x", multiprocessors = 0,
    warp_size = 32, max_block_threads = 1024, max_thread_registers = 255,
    block_registers = 65536, block_shared_bytes = 49152>}

// -----

// expected-error@+1 {{expected attribute 'tc.machine' to be a #tc.machine, got "sm_90a"}}
func.func private @machine_attribute() attributes {tc.machine = "sm_90a"}

// -----

// expected-error@+1 {{expected attribute 'tc.associative' to be a unit attribute, got true}}
func.func private @contract_law_attribute() attributes {tc.associative = true}

// -----

// expected-error@+1 {{expected attribute 'tc.neutral' to be a list of scalar constants, got ["zero"]}}
func.func private @contract_neutral_attribute() attributes {tc.neutral = ["zero"]}

// -----

// expected-error@+1 {{expected attribute 'tc.precision' to be a #tc<precision ...>, got "tf32"}}
func.func private @contract_precision_attribute() attributes {tc.precision = "tf32"}

// -----

// expected-error@+1 {{split_last}}
func.func private @map_combinator() attributes {m = #tc.map<split_last>}

// -----

func.func @sum_terms(%X: memref<4xf32>, %Z: memref<4xf32>, %W: memref<4xf32>) {
  // expected-error@+1 {{expected contractions, at least one, and nothing else}}
  tc.sum {
    %c = arith.constant 0 : index
  }
  return
}

// -----

func.func @sum_memrefs(%X: tensor<4xf32>, %Z: tensor<4xf32>) {
  tc.sum {
    // expected-error@+1 {{expected memrefs in a tc.sum, got 'tensor<4xf32>'}}
    %r = tc.contract (a = 4) ins(%X[a] : tensor<4xf32>) outs(%Z[a] : tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

func.func @sum_results(%X: memref<4xf32>, %Y: memref<4xf32>, %Z: memref<4xf32>) {
  tc.sum {
    // expected-error@+1 {{expected one result in a tc.sum, got 2}}
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>)
      outs(%Y[a] : memref<4xf32>, %Z[a] : memref<4xf32>)
      map (%x: f32) {
        tc.yield %x, %x : f32, f32
      }
  }
  return
}

// -----

func.func @sum_order(%X: memref<4xf32>, %Z: memref<4xf32>) {
  tc.sum {
    // expected-error@+1 {{expected a combine region that is associative and commutative in a tc.sum}}
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
      neutral(0.0 : f32) combine associative (%u: f32, %v: f32) {
        tc.yield %v : f32
      }
  }
  return
}

// -----

func.func @sum_overwrite(%X: memref<4xf32>, %Z: memref<4xf32>, %W: memref<4xf32>) {
  // expected-error@+3 {{expected only the first term of a tc.sum to overwrite the result}}
  tc.sum {
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>) overwrite
  }
  return
}

// -----

func.func @sum_epilogue(%X: memref<4xf32>, %Z: memref<4xf32>) {
  tc.sum {
    // expected-error@+1 {{expected only the last term of a tc.sum to have an epilogue}}
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
      epilogue (%u: f32) {
        tc.yield %u : f32
      }
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  }
  return
}

// -----

func.func @sum_output(%X: memref<4xf32>, %Z: memref<4xf32>, %W: memref<4xf32>) {
  // expected-error@+3 {{expected all terms of a tc.sum to have the result and subscripts of the first}}
  tc.sum {
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%W[a] : memref<4xf32>)
  }
  return
}

// -----

func.func @sum_extents(%X: memref<4xf32>, %Z: memref<4xf32>, %W: memref<4xf32>) {
  // expected-error@+3 {{expected 'a' to have the same extent in all terms of a tc.sum}}
  tc.sum {
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
    tc.contract (a = 3) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  }
  return
}

// -----

func.func @sum_combine(%X: memref<4xf32>, %Z: memref<4xf32>) {
  tc.sum {
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
    // expected-error@+1 {{expected all terms of a tc.sum to combine as the first does, in accumulators of one type}}
    tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>) accumulate(f64)
  }
  return
}

// -----

// expected-error@+1 {{expected indices of 32 or 64 bits, got 16}}
func.func private @variant_index() attributes {v = #tc.variant<index = 16>}

// -----

// expected-error@+1 {{expected attribute 'tc.overrun' to be a unit attribute of a contraction, got unit}}
func.func private @overrun_attribute() attributes {tc.overrun}

// -----

// expected-error@+1 {{expected attribute 'tc.vectors' to be numbers of operands of a contraction, got array<i64: 0>}}
func.func private @vectors_attribute() attributes {tc.vectors = array<i64: 0>}

// -----

func.func @vectors_operand(%A: memref<4xf32>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected 'tc.vectors' to have numbers of its 2 operands, rising, got array<i64: 0, 2>}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%C[i] : memref<4xf32>)
      {tc.vectors = array<i64: 0, 2>}
  return
}

// -----

func.func @vectors_operand(%A: memref<4xf32>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected 'tc.vectors' to have numbers of its 2 operands, rising, got array<i64: 1, 0>}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%C[i] : memref<4xf32>)
      {tc.vectors = array<i64: 1, 0>}
  return
}

// -----

func.func @vectors_row(%A: memref<8xf32>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected the last dimension of operand 0, as 'tc.vectors' has it, to be dense, of 2 to 16 bytes, a power of two, and along an iterator of that static extent and nothing else, got 'memref<8xf32>'}}
  tc.contract (i = 4) ins(%A[i] : memref<8xf32>) outs(%C[i] : memref<4xf32>)
      {tc.vectors = array<i64: 0, 1>}
  return
}

// -----

// Every second element, three, more than 16 bytes, a diagonal and a dynamic extent are none.
func.func @vectors_row(%A: memref<4xf32, strided<[2]>>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected the last dimension of operand 0}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32, strided<[2]>>) outs(%C[i] : memref<4xf32>)
      {tc.vectors = array<i64: 0>}
  return
}

// -----

func.func @vectors_row(%A: memref<3xf32>, %C: memref<3xf32>) {
  // expected-error@+1 {{expected the last dimension of operand 1}}
  tc.contract (i = 3) ins(%A[i] : memref<3xf32>) outs(%C[i] : memref<3xf32>)
      {tc.vectors = array<i64: 1>}
  return
}

// -----

func.func @vectors_row(%A: memref<4xf64>, %C: memref<4xf64>) {
  // expected-error@+1 {{expected the last dimension of operand 0}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf64>) outs(%C[i] : memref<4xf64>)
      {tc.vectors = array<i64: 0>}
  return
}

// -----

func.func @vectors_row(%A: memref<4x4xf32>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected the last dimension of operand 0}}
  tc.contract (i = 4) ins(%A[i, i] : memref<4x4xf32>) outs(%C[i] : memref<4xf32>)
      {tc.vectors = array<i64: 0>}
  return
}

// -----

func.func @vectors_row(%A: memref<4xf32>, %C: memref<4xf32>, %n: index) {
  // expected-error@+1 {{expected the last dimension of operand 0}}
  tc.contract (i = %n) ins(%A[i] : memref<4xf32>) outs(%C[i] : memref<4xf32>)
      {tc.vectors = array<i64: 0>}
  return
}

// -----

// expected-error@+1 {{expected attribute 'tc.distinct' to be a unit attribute, got 1}}
func.func private @distinct_attribute() attributes {tc.distinct = 1 : i64}

// -----

// expected-error@+1 {{expected no attribute 'tc.variant' of an argument}}
func.func private @argument_attribute(%A: memref<?xf32> {tc.variant = 1 : i64}) {
  return
}

// -----

// expected-error@+1 {{to be an integer from 0 on for each dimension of a memref or tensor, got array<i64: 4>}}
func.func private @nominal_attribute(memref<?x?xf32> {tc.nominal = array<i64: 4>})

// -----

// expected-error@+1 {{expected attribute 'tc.nominal' to be an integer from 0 on for each dimension of a memref or tensor, got array<i64: 4>}}
func.func @nominal_attribute(%A: memref<?x?xf32> {tc.nominal = array<i64: 4>}) {
  return
}

// -----

// expected-error@+1 {{expected attribute 'tc.variant' to be a #tc.variant, got 32}}
func.func private @variant_attribute() attributes {tc.variant = 32 : i64}

// -----

func.func @versions_attribute(%A: memref<4xf32>) {
  // expected-error@+1 {{expected attribute 'tc.versions' to be a list of #tc.version on a contraction with a schedule: those with 'most', those with a split, and others, both by rising bounds, got [#tc.version<below = 8,}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%A[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <kernel = fma>>, #tc.version<below = 8, schedule = <kernel = fma>>]}
  return
}

// -----

// Versions that split a sum come first.
func.func @versions_order(%A: memref<4x4xf32>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected attribute 'tc.versions' to be a list of #tc.version on a contraction with a schedule: those with 'most', those with a split, and others, both by rising bounds, got [#tc.version<below = 8,}}
  tc.contract (i = 4, q = 4) ins(%A[i, q] : memref<4x4xf32>) outs(%C[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <kernel = fma>>, #tc.version<below = 16, schedule = <split = [q = 2], kernel = fma>>]}
  return
}

// -----

func.func @versions_terms(%A: memref<4x4xf32>, %C: memref<4xf32>) {
  // expected-error@+1 {{expected attribute 'tc.versions' to be a list of #tc.version on a contraction with a schedule: those with 'most', those with a split, and others, both by rising bounds, got [#tc.version<below = 8, terms = -1,}}
  tc.contract (i = 4, q = 4) ins(%A[i, q] : memref<4x4xf32>) outs(%C[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<below = 8, terms = -1, schedule = <split = [q = 2], kernel = fma>>]}
  return
}

// -----

// Versions for small extents come before others.
func.func @versions_most_order(%A: memref<4xf32>) {
  // expected-error@+1 {{expected attribute 'tc.versions' to be a list of #tc.version on a contraction with a schedule: those with 'most', those with a split, and others, both by rising bounds, got [#tc.version<below = 8,}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%A[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <kernel = fma>>, #tc.version<most = [i = 2], schedule = <kernel = fma>>]}
  return
}

// -----

func.func @versions_most(%A: memref<4xf32>) {
  // expected-error@+1 {{expected 'most' of a version to name iterators, got 'z'}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%A[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<most = [z = 2], schedule = <kernel = fma>>]}
  return
}

// -----

func.func @versions_most_extent(%A: memref<4xf32>) {
  // expected-error@+1 {{expected 'most' of a version to be at least 1, got 0 for 'i'}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%A[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<most = [i = 0], schedule = <kernel = fma>>]}
  return
}

// -----

func.func @versions_iterators(%A: memref<4xf32>) {
  // expected-error-re@+1 {{expected 'thread' of the schedule to name iterators ({{.*}}), got 'z'}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32>) outs(%A[i] : memref<4xf32>)
      {schedule = #tc.schedule<kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <thread = [z = 2], kernel = fma>>]}
  return
}

// -----

// expected-error@+1 {{expected attribute 'tc.resident' to be a number of blocks, or one for each kernel, got 0 : i32}}
func.func private @resident_attribute() attributes {tc.resident = 0 : i32}

// -----

func.func @cache_rank(%A: memref<f32>) {
  // expected-error@+1 {{expected a buffer of rank 1 or more, got 'memref<f32>'}}
  tc.cache %A : memref<f32>
  return
}

// -----

func.func @cache_pad(%A: memref<8xf32>) {
  // expected-error@+1 {{expected a pad of at least 0, got -1}}
  tc.cache %A pad(-1) : memref<8xf32>
  return
}

// -----

func.func @cache_order(%A: memref<8x8xf32>) {
  // expected-error@+1 {{expected the order of 2 dimensions, got [1, 1]}}
  tc.cache %A order [1, 1] : memref<8x8xf32>
  return
}

// -----

func.func @ptx_types(%x: i8) {
  // expected-error@+1 {{expected numbers of 16, 32 or 64 bits, vectors of 32 bits, or generic pointers, got 'i8'}}
  tc.ptx "nanosleep.u32 $0;" (%x) : (i8) -> ()
  return
}

// -----

func.func @ptx_orders(%x: memref<8xf32>) {
  // expected-error@+1 {{expected a tc.par full round it, whose lanes wait for each other}}
  tc.ptx "bar.sync 1, 64;" () orders(%x : memref<8xf32>) : () -> ()
  return
}

// -----

func.func @ptx_operands(%x: i32) {
  // expected-error@+1 {{expected $0 to $0 in the text, got '$1'}}
  tc.ptx "nanosleep.u32 $1;" (%x) : (i32) -> ()
  return
}

// -----

func.func @with_outputs() {
  // expected-error@+1 {{expected at least one array}}
  "tc.with"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
    tc.partition () = () to () {
    }
  }) : () -> ()
  return
}

// -----

func.func @with_shapes(%A: memref<4x?xf32>, %B: memref<?x5xf32>, %C: memref<?x6xf32>, %x: f32) {
  // expected-error@+1 {{expected arrays of one shape, got 'memref<4x?xf32>' and 'memref<?x6xf32>'}}
  tc.with %A, %B, %C : memref<4x?xf32>, memref<?x5xf32>, memref<?x6xf32> {
    tc.partition (%i, %j) = (0, 0) to (4, 5) {
      tc.yield %x, %x, %x : f32, f32, f32
    }
  }
  return
}

// -----

func.func @with_defaults(%A: memref<4xf32>, %x: f32, %y: i32) {
  // expected-error@+1 {{expected a default of the element type of each array, got 'i32'}}
  tc.with %A default(%y : i32) : memref<4xf32> {
    tc.partition (%i) = (0) to (4) {
      tc.yield %x : f32
    }
  }
  return
}

// -----

func.func @with_partitions(%A: memref<4xf32>, %x: f32) {
  // expected-error@+1 {{expected at least one tc.partition, and nothing else}}
  tc.with %A default(%x : f32) : memref<4xf32> {
  }
  return
}

// -----

func.func @partition_rank(%A: memref<4x4xf32>, %x: f32) {
  tc.with %A : memref<4x4xf32> {
    // expected-error@+1 {{expected a dimension for each of the 2 of the arrays, got 1}}
    tc.partition (%i) = (0) to (4) {
      tc.yield %x : f32
    }
  }
  return
}

// -----

func.func @partition_yield(%A: memref<4xf32>, %B: memref<4xf32>, %x: f32) {
  tc.with %A, %B : memref<4xf32>, memref<4xf32> {
    // expected-error@+1 {{expected the region to yield an element of each array}}
    tc.partition (%i) = (0) to (4) {
      tc.yield %x : f32
    }
  }
  return
}

// -----

func.func @partition_bounds(%A: memref<4x?xf32>, %x: f32, %n: index) {
  tc.with %A : memref<4x?xf32> {
    // An empty one may be anywhere.
    tc.partition (%i, %j) = (9, 0) to (5, %n) {
      tc.yield %x : f32
    }
    // expected-error@+1 {{expected bounds within the extent of dimension 0, got (?) to (5) in 4}}
    tc.partition (%i, %j) = (%n, 0) to (5, %n) {
      tc.yield %x : f32
    }
  }
  return
}

// -----

func.func @threshold_name(%n: index) {
  // expected-error@+1 {{expected a name of words of letters and digits with a '.' between, got 'rows..0'}}
  %few = tc.threshold %n reaches "rows..0" default(1)
  return
}

// -----

func.func @product_lists(%a: memref<8x8xf32>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected 4 extents, leading dimensions and strides, got 3, 4 and 4}}
  %done = tc.library_product %a, %a, %a into %a using %w extents [8, 8, 8] leading [8, 8, 8, 8] strides [0, 0, 0, 0] transposed [false, false] alpha [1.0, 0.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32> into memref<8x8xf32> using memref<?xi8>
  return
}

// -----

func.func @product_pairs(%a: memref<8x8xf32>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected 2 of transposed, alpha and beta, got 2, 1 and 2}}
  %done = tc.library_product %a, %a, %a into %a using %w extents [8, 8, 8, 1] leading [8, 8, 8, 8] strides [0, 0, 0, 0] transposed [false, false] alpha [1.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32> into memref<8x8xf32> using memref<?xi8>
  return
}

// -----

func.func @product_extents(%a: memref<8x8xf32>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected extents of at least 1, got 0}}
  %done = tc.library_product %a, %a, %a into %a using %w extents [8, 8, 8, 0] leading [8, 8, 8, 8] strides [0, 0, 0, 0] transposed [false, false] alpha [1.0, 0.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32> into memref<8x8xf32> using memref<?xi8>
  return
}

// -----

func.func @product_strides(%a: memref<8x8xf32>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected strides of at least 0, got -64}}
  %done = tc.library_product %a, %a, %a into %a using %w extents [8, 8, 8, 2] leading [8, 8, 8, 8] strides [0, -64, 0, 64] transposed [false, false] alpha [1.0, 0.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32> into memref<8x8xf32> using memref<?xi8>
  return
}

// -----

func.func @product_leading(%a: memref<8x8xf32>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected a leading dimension of at least the 8 elements of a column, got 4}}
  %done = tc.library_product %a, %a, %a into %a using %w extents [4, 8, 8, 1] leading [4, 8, 8, 8] strides [0, 0, 0, 0] transposed [true, false] alpha [1.0, 0.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32> into memref<8x8xf32> using memref<?xi8>
  return
}

// -----

func.func @product_factors(%a: memref<8x8xf32>, %b: memref<8x8xf64>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected A and B of one type of f16, bf16, f32, f64 or complex ones of f32 or f64, got 'f32' and 'f64'}}
  %done = tc.library_product %a, %b, %a into %a using %w extents [8, 8, 8, 1] leading [8, 8, 8, 8] strides [0, 0, 0, 0] transposed [false, false] alpha [1.0, 0.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf64>, memref<8x8xf32> into memref<8x8xf32> using memref<?xi8>
  return
}

// -----

func.func @product_results(%a: memref<8x8xf32>, %d: memref<8x8xf64>, %w: memref<?xi8>) {
  // expected-error@+1 {{expected C and D of the type of A, or of f32 where that has 16 bits, got 'f64' and 'f64'}}
  %done = tc.library_product %a, %a, %d into %d using %w extents [8, 8, 8, 1] leading [8, 8, 8, 8] strides [0, 0, 0, 0] transposed [false, false] alpha [1.0, 0.0] beta [0.0, 0.0] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf64> into memref<8x8xf64> using memref<?xi8>
  return
}

// -----

func.func @threshold_default(%n: index) {
  // expected-error@+1 {{expected a default of at least 0, got -1}}
  %few = tc.threshold %n reaches "rows" default(-1)
  return
}

// -----

// expected-error@+1 {{expected attribute 'tc.flatten' to be a #tc<level ...> of a tc.par, got "warp"}}
func.func private @flatten_attribute() attributes {tc.flatten = "warp"}

// -----

// expected-error@+1 {{expected attribute 'tc.independent' to be a unit attribute of a loop, got unit}}
func.func private @independent_attribute() attributes {tc.independent}

// -----

// expected-error@+1 {{expected attribute 'tc.programmatic' to be a unit attribute of a gpu.launch_func, got unit}}
func.func private @programmatic_attribute() attributes {tc.programmatic}

// -----

// expected-error@+1 {{expected attribute 'tc.threshold' to be an i64 of at least 0 on a memref.global, got 1}}
func.func private @threshold_attribute() attributes {tc.threshold = 1 : i64}
