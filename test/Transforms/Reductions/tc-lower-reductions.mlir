// The nests that a reduction becomes: by one thread, by the threads of a block with
// terms in any order and in theirs, and by all blocks.
//
// RUN: tc-opt %s --tc-lower-reductions=chip=sm_80 --canonicalize | FileCheck %s
//
// CHECK-DAG: #[[$MAP0:.*]] = affine_map<(d0, d1) -> (d0 + d1 * 32)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d0 * 7 + d1)>
// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0) -> (d0 * 8)>
// CHECK-DAG: #[[$MAP3:.*]] = affine_map<(d0, d1) -> (d0 * 8 + d1)>
// CHECK-DAG: #[[$MAP4:.*]] = affine_map<(d0, d1) -> (d0 * 64 + d1 * 8)>
// CHECK-DAG: #[[$MAP5:.*]] = affine_map<()[s0] -> ((s0 ceildiv 110592) * 256)>
// CHECK-DAG: #[[$PADDED:.*]] = affine_map<(d0, d1) -> (d0 + d1 * 33 + d0 floordiv 32)>

// A loop of one thread, over the space as it is.
// CHECK-LABEL: @thread
// CHECK: tc.par block (%[[T:.*]]) = (0) to (32) {
// CHECK-NEXT: %[[S:.*]]:2 = tc.seq (%[[I:.*]], %[[J:.*]]) = (0, %[[T]]) to (7, 9) step (2, 4) width (1, 3) init(%[[A:.*]] = %{{.*}} : i32, %[[B:.*]] = %{{.*}} : index) {
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[I]], %[[J]]]
// CHECK-NEXT: %[[P:.*]] = arith.addi %[[A]], %[[X]] : i32
// CHECK-NEXT: %[[Q:.*]] = arith.maxsi %[[B]], %[[J]] : index
// CHECK-NEXT: tc.yield %[[P]], %[[Q]] : i32, index
// CHECK: memref.store %[[S]]#0, %arg1[%[[S]]#1]
// CHECK-NOT: tc.par
func.func @thread(%A: memref<7x9xi32>, %r: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (0) to (32) {
      tc.reduce (%i, %j) = (0, %t) to (7, 9) step (2, 4) width (1, 3) init(%zero : i32, %c0 : index) {
        %x = memref.load %A[%i, %j] : memref<7x9xi32>
        tc.yield %x, %j : i32, index
      } combine (%a: i32, %b: index, %c: i32, %d: index) {
        %p = arith.addi %a, %c : i32
        %q = arith.maxsi %b, %d : index
        tc.yield %p, %q : i32, index
      } finish (%s: i32, %m: index) {
        memref.store %s, %r[%m] : memref<?xi32>
      }
    }
  }
  return
}

// Any order: every 256th term, four at once as long as there are, then rounds of eight.
// An index has 64 bits in memory.
// CHECK-LABEL: @block_any_order
// CHECK: tc.par grid
// CHECK-DAG: %[[V:.*]] = tc.new : memref<256xf64>
// CHECK-DAG: %[[W:.*]] = tc.new : memref<256xi64>
// CHECK: tc.par block (%[[T:.*]]) = (0) to (256) {
// CHECK-NEXT: %[[F:.*]]:2 = tc.seq (%{{.*}}) = (%[[T]]) to (%[[WHOLE:.*]]) step (1024) init
// CHECK-COUNT-4: memref.load %arg0
// CHECK: %[[REST:.*]] = affine.apply
// CHECK-NEXT: %[[S:.*]]:2 = tc.seq (%{{.*}}) = (%[[REST]]) to (%{{.*}}) step (256) init(%{{.*}} = %[[F]]#0 : f64, %{{.*}} = %[[F]]#1 : index)
// CHECK: %[[K:.*]] = arith.index_cast %[[S]]#1 : index to i64
// CHECK-NEXT: memref.store %[[S]]#0, %[[V]][%[[T]]]
// CHECK-NEXT: memref.store %[[K]], %[[W]][%[[T]]]
// CHECK: tc.par block (%[[T:.*]]) = (0) to (32) {
// CHECK-NEXT: memref.load %[[V]][%[[T]]]
// CHECK: tc.seq (%[[K:.*]]) = (1) to (8) init
// CHECK-NEXT: %[[O:.*]] = affine.apply #[[$MAP0]](%[[T]], %[[K]])
// CHECK-NEXT: memref.load %[[V]][%[[O]]]
// CHECK: tc.par block (%{{.*}}) = (0) to (4) {
// CHECK: tc.seq (%{{.*}}) = (1) to (8) init
// CHECK: tc.par block (%{{.*}}) = (0) to (1) {
// CHECK: tc.seq (%{{.*}}) = (1) to (4) init
// CHECK: tc.par block (%{{.*}}) = (0) to (1) {
// CHECK: memref.store %{{.*}}, %arg1[%{{.*}}]
func.func @block_any_order(%A: memref<?xf64>, %r: memref<?xf64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  tc.par grid (%g) = (0) to (10) {
    tc.reduce block (%i) = (%g) to (%n) init(%zero : f64, %c0 : index) commutative {
      %x = memref.load %A[%i] : memref<?xf64>
      tc.yield %x, %i : f64, index
    } combine (%a: f64, %b: index, %c: f64, %d: index) {
      %p = arith.addf %a, %c : f64
      %q = arith.maxsi %b, %d : index
      tc.yield %p, %q : f64, index
    } finish (%s: f64, %m: index) {
      memref.store %s, %r[%m] : memref<?xf64>
    }
  }
  return
}

// In order: tiles of 256 x 7 terms, in which thread t combines terms 7t to 7t + 6, and
// rounds of neighbours.
// CHECK-LABEL: @block_in_order
// CHECK-DAG: %[[PARTS:.*]] = tc.new : memref<256xi32>
// CHECK-DAG: %[[TERMS:.*]] = tc.new : memref<1792xi32>
// CHECK: %[[S:.*]] = tc.seq (%[[BASE:.*]]) = (0) to (3000) step (1792) init(%[[CARRY:.*]] = %{{.*}} : i32) {
// CHECK: tc.par block (%[[T:.*]]) = (0) to (256) {
// CHECK-NEXT: tc.seq (%[[K:.*]]) = (0) to (7) {
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[TERMS]]
// CHECK: tc.par block (%[[T:.*]]) = (0) to (256) {
// CHECK: arith.select %{{.*}}, %[[CARRY]], %{{.*}} : i32
// CHECK: affine.apply #[[$MAP1]](%[[T]], %{{.*}})
// CHECK: memref.store %{{.*}}, %[[PARTS]][%[[T]]]
// CHECK: tc.par block (%[[T:.*]]) = (0) to (32) {
// CHECK-NEXT: affine.apply #[[$MAP2]](%[[T]])
// CHECK: affine.apply #[[$MAP3]](%[[T]], %{{.*}})
// CHECK: tc.par block (%[[T:.*]]) = (0) to (4) {
// CHECK: affine.apply #[[$MAP4]](%[[T]], %{{.*}})
// CHECK: %[[LAST:.*]] = memref.load %[[PARTS]][%c0]
// CHECK-NEXT: tc.yield %[[LAST]] : i32
// CHECK: tc.par block (%{{.*}}) = (0) to (1) {
// CHECK-NEXT: memref.store %[[S]], %arg1[]
func.func @block_in_order(%A: memref<3000xi32>, %r: memref<i32>) {
  %one = arith.constant 1 : i32
  tc.par (%g) = (0) to (1) {
    tc.reduce (%i) = (0) to (3000) init(%one : i32) {
      %x = memref.load %A[%i] : memref<3000xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %p = arith.muli %a, %b : i32
      tc.yield %p : i32
    } finish (%s: i32) {
      memref.store %s, %r[] : memref<i32>
    }
  }
  return
}

// The lanes of a warp, for each iteration of a tc.par block; a reduction beside it is
// of the same level. A tile of 32 x 4 terms, not 32 x 7, has all of them; behind each row of
// banks one is left out.
// CHECK-LABEL: @warp
// CHECK: tc.par block (%{{.*}}) = (0) to (7) {
// CHECK: tc.new : memref<32xi32>
// CHECK: tc.par warp (%{{.*}}) = (0) to (32) {
// CHECK: tc.par warp (%{{.*}}) = (0) to (4) {
// CHECK: tc.par warp (%{{.*}}) = (0) to (1) {
// CHECK: tc.new : memref<32xi32>
// CHECK: tc.new : memref<132xi32>
// CHECK: tc.par warp (%{{.*}}) = (0) to (32) {
// CHECK: %[[PLACE:.*]] = affine.apply #[[$PADDED]](
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[PLACE]]]
// CHECK: tc.par warp (%{{.*}}) = (0) to (16) {
func.func @warp(%A: memref<3x7x100xi32>, %r: memref<3x7xi32>, %B: memref<3x7x100xi32>) {
  %zero = arith.constant 0 : i32
  tc.par grid (%i) = (0) to (3) {
    tc.par block (%w) = (0) to (7) {
      tc.reduce warp (%j) = (0) to (100) init(%zero : i32) commutative {
        %x = memref.load %A[%i, %w, %j] : memref<3x7x100xi32>
        tc.yield %x : i32
      } combine (%a: i32, %b: i32) {
        %s = arith.addi %a, %b : i32
        tc.yield %s : i32
      } finish (%t: i32) {
        memref.store %t, %r[%i, %w] : memref<3x7xi32>
      }
      tc.scan (%j) = (0) to (100) init(%zero : i32) {
        %x = memref.load %A[%i, %w, %j] : memref<3x7x100xi32>
        tc.yield %x : i32
      } combine (%a: i32, %b: i32) {
        %s = arith.addi %a, %b : i32
        tc.yield %s : i32
      } finish (%j: index, %t: i32) {
        memref.store %t, %B[%i, %w, %j] : memref<3x7x100xi32>
      }
    }
  }
  return
}

// Rows, of a thread each: 32 columns of 128 rows, 33 elements apart, go through shared
// memory, and a buffer holds what each row came to. The row of a term is computed for it.
// CHECK-LABEL: @rows
// CHECK: tc.par grid (%[[FIRST:.*]]) = (0) to (300) step (128) {
// CHECK: affine.min
// CHECK: %[[TERMS:.*]] = tc.new : memref<4224xf32>
// CHECK: %[[SUMS:.*]] = tc.new : memref<128xf32>
// CHECK: tc.par block (%[[ROW0:.*]]) = (0) to (128) {
// CHECK: arith.cmpi slt, %[[ROW0]], %[[LEFT:.*]] : index
// CHECK: tc.seq (%[[BASE:.*]]) = (0) to (70) step (32) {
// CHECK: tc.par block (%{{.*}}) = (0) to (128) {
// CHECK: tc.seq (%{{.*}}) = (0) to (32) step (4) {
// CHECK-COUNT-4: scf.if
// CHECK-COUNT-4: memref.store %{{.*}}, %[[TERMS]]
// CHECK: tc.par block (%[[ROW:.*]]) = (0) to (128) {
// CHECK: arith.cmpi slt, %[[ROW]], %[[LEFT]] : index
// CHECK: memref.load %[[SUMS]][%[[ROW]]]
// CHECK: tc.seq (%{{.*}}) = (0) to (32) init
// CHECK: memref.store %{{.*}}, %[[TERMS]]
// CHECK: memref.store %{{.*}}, %[[SUMS]][%[[ROW]]]
// CHECK: tc.par block (%{{.*}}) = (0) to (128) {
// CHECK: memref.load %[[TERMS]]
// CHECK: memref.store %{{.*}}, %arg1
func.func @rows(%A: memref<300x70xf32>, %B: memref<300x70xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%first) = (0) to (300) step (128) {
    %left = affine.min affine_map<(d0) -> (300 - d0, 128)>(%first)
    tc.par block (%r) = (0) to (%left) {
      %row = arith.addi %first, %r : index
      tc.scan block (%j) = (0) to (70) init(%zero : f32) {
        %x = memref.load %A[%row, %j] : memref<300x70xf32>
        tc.yield %x : f32
      } combine (%a: f32, %b: f32) {
        %s = arith.addf %a, %b : f32
        tc.yield %s : f32
      } finish (%j: index, %s: f32) {
        memref.store %s, %B[%row, %j] : memref<300x70xf32>
      }
    }
  }
  return
}

// Rows of four terms fit into a tile, so no sums are carried from one to the next. 256 rows take
// two tiles of 128.
// CHECK-LABEL: @rows_of_one_tile
// CHECK: tc.new : memref<640xf64>
// CHECK-NOT: tc.new
// CHECK: tc.seq (%{{.*}}) = (0) to (256) step (128) {
// CHECK-COUNT-3: tc.par block (%{{.*}}) = (0) to (128) {
// CHECK-NOT: tc.par
// CHECK: return
func.func @rows_of_one_tile(%A: memref<256x4xf64>) {
  %one = arith.constant 1.0 : f64
  tc.par grid () = () to () {
    tc.par block (%r) = (0) to (256) {
      tc.scan block (%j) = (0) to (4) init(%one : f64) exclusive {
        %x = memref.load %A[%r, %j] : memref<256x4xf64>
        tc.yield %x : f64
      } combine (%a: f64, %b: f64) {
        %s = arith.mulf %a, %b : f64
        tc.yield %s : f64
      } finish (%j: index, %s: f64) {
        memref.store %s, %A[%r, %j] : memref<256x4xf64>
      }
    }
  }
  return
}

// All blocks: four for each of 108 multiprocessors into a buffer, then one.
// CHECK-LABEL: @device
// CHECK: %[[CHUNK:.*]] = affine.apply #[[$MAP5]]
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<432xf32>
// CHECK: tc.par grid (%[[B:.*]]) = (0) to (432) {
// CHECK: arith.muli %[[B]], %[[CHUNK]]
// CHECK: memref.store %{{.*}}, %[[PARTS]][%[[B]]]
// CHECK: tc.par grid (%{{.*}}) = (0) to (1) {
// CHECK: tc.seq (%{{.*}}) = (%{{.*}}) to (432) step (256)
// CHECK: memref.store %{{.*}}, %arg1[]
// CHECK: memref.dealloc %[[PARTS]]
func.func @device(%A: memref<?xf32>, %r: memref<f32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tc.reduce (%i) = (0) to (%n) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<?xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %p = arith.addf %a, %b : f32
    tc.yield %p : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  return
}

// Few terms are one kernel, and many no more blocks than have a term.
// CHECK-LABEL: @device_static
// CHECK-NOT: memref.alloc
// CHECK: tc.par grid (%{{.*}}) = (0) to (1) {
// CHECK: memref.alloc() : memref<3xf32>
// CHECK: tc.par grid (%{{.*}}) = (0) to (3) {
// CHECK: tc.par grid (%{{.*}}) = (0) to (1) {
func.func @device_static(%A: memref<6000xf32>, %r: memref<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tc.reduce (%i) = (0) to (4096) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<6000xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %p = arith.addf %a, %b : f32
    tc.yield %p : f32
  } finish (%s: f32) {
    memref.store %s, %r[%c0] : memref<2xf32>
  }
  tc.reduce (%i) = (0) to (6000) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<6000xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %p = arith.addf %a, %b : f32
    tc.yield %p : f32
  } finish (%s: f32) {
    memref.store %s, %r[%c1] : memref<2xf32>
  }
  return
}

// A scan by all blocks: chunks reduced, what is before each, chunks scanned. Terms that
// are read are read twice.
// CHECK-LABEL: @device_scan
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<432xf32>
// CHECK-NOT: memref.alloc
// CHECK: tc.par grid (%[[B:.*]]) = (0) to (432) {
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}}, %[[PARTS]][%[[B]]]
// CHECK: tc.par grid (%{{.*}}) = (0) to (1) {
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: tc.par grid (%[[B:.*]]) = (0) to (432) {
// CHECK-NEXT: %[[BEFORE:.*]] = memref.load %[[PARTS]][%[[B]]]
// CHECK: memref.load %arg0
// CHECK: arith.addf %[[BEFORE]], %{{.*}} : f32
// CHECK-NEXT: memref.store %{{.*}}, %arg1
func.func @device_scan(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tc.scan (%i) = (0) to (%n) init(%zero : f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %p = arith.addf %a, %b : f32
    tc.yield %p : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %B[%i] : memref<?xf32>
  }
  return
}

// Terms of a map that writes are kept.
// CHECK-LABEL: @device_scan_of_writes
// CHECK: memref.alloc() : memref<432xi32>
// CHECK: %[[TERMS:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
// CHECK: memref.store %{{.*}}, %arg0
// CHECK: memref.store %{{.*}}, %[[TERMS]]
// CHECK: tc.par grid (%{{.*}}) = (0) to (1) {
// CHECK: tc.par grid
// CHECK-NOT: memref.store %{{.*}}, %arg0
// CHECK: memref.load %[[TERMS]]
// CHECK: memref.dealloc %[[TERMS]]
func.func @device_scan_of_writes(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %zero = arith.constant 0 : i32
  tc.scan (%i) = (0) to (%n) init(%zero : i32) {
    %x = memref.load %A[%i] : memref<?xi32>
    %y = arith.muli %x, %x : i32
    memref.store %y, %A[%i] : memref<?xi32>
    tc.yield %y : i32
  } combine (%a: i32, %b: i32) {
    %p = arith.addi %a, %b : i32
    tc.yield %p : i32
  } finish (%i: index, %s: i32) {
    memref.store %s, %B[%i] : memref<?xi32>
  }
  return
}

// In a region of another reduction there is one thread, whatever the other's level is;
// and the same inside of a tc.par of the threads of a block or the device.
// CHECK-LABEL: @inside
// CHECK: tc.par device
// CHECK: tc.seq
// CHECK-NOT: tc.new
// CHECK: tc.par grid (%{{.*}}) = (0) to (1) {
// CHECK: tc.par block (%{{.*}}) = (0) to (64) {
// CHECK: tc.seq
// CHECK: tc.seq
func.func @inside(%A: memref<64x100xi32>, %B: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  tc.par device (%i) = (0) to (64) {
    tc.reduce (%j) = (0) to (100) init(%zero : i32) commutative {
      %x = memref.load %A[%i, %j] : memref<64x100xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %p = arith.addi %a, %b : i32
      tc.yield %p : i32
    } finish (%s: i32) {
      memref.store %s, %B[%i] : memref<64xi32>
    }
  }
  tc.reduce (%i) = (0) to (64) init(%zero : i32) commutative {
    tc.scan (%j) = (0) to (100) init(%zero : i32) {
      %x = memref.load %A[%i, %j] : memref<64x100xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %p = arith.addi %a, %b : i32
      tc.yield %p : i32
    } finish (%j: index, %s: i32) {
      memref.store %s, %A[%i, %j] : memref<64x100xi32>
    }
    tc.yield %zero : i32
  } combine (%a: i32, %b: i32) {
    %p = arith.addi %a, %b : i32
    tc.yield %p : i32
  } finish (%s: i32) {
  }
  return
}
