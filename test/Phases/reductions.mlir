// Reductions and scans mean the same before they are lowered, after, and on the
// emulator: all levels, terms in any order and in theirs, pairs, segments, index
// spaces of no, one, and many terms, with dynamic bounds.
//
// RUN: %check_phases %s --emulator=%tc_libs/libtc-mgpu-runtime.so tc-bind tc-lower-reductions canonicalize cse

// The whole array by the whole grid.
func.func @sum(%A: memref<10007xf32>, %r: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  tc.reduce (%i) = (0) to (10007) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<10007xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%total: f32) {
    memref.store %total, %r[] : memref<f32>
  }
  return
}

// Dynamic bounds. The one block more than there are chunks
// finishes nothing.
func.func @dynamic_max(%A: memref<5003xi32>, %r: memref<i32>) {
  %low = arith.constant -2147483648 : i32
  %c0 = arith.constant 0 : index
  %B = memref.cast %A : memref<5003xi32> to memref<?xi32>
  %n = memref.dim %B, %c0 : memref<?xi32>
  tc.reduce (%i) = (3) to (%n) init(%low : i32) commutative {
    %x = memref.load %A[%i] : memref<5003xi32>
    %j = arith.index_cast %i : index to i32
    %y = arith.muli %x, %j : i32
    tc.yield %y : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.maxsi %a, %b : i32
    tc.yield %s : i32
  } finish (%total: i32) {
    memref.store %total, %r[] : memref<i32>
  }
  return
}

// x -> a * x + b, one after the other: in order or wrong.
func.func @composed(%A: memref<9001xi32>, %B: memref<9001xi32>, %r: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.reduce (%i) = (0) to (9001) init(%one : i32, %zero : i32) {
    %a = memref.load %A[%i] : memref<9001xi32>
    %b = memref.load %B[%i] : memref<9001xi32>
    %two = arith.constant 2 : i32
    %odd = arith.muli %a, %two : i32
    %c = arith.addi %odd, %one : i32
    tc.yield %c, %b : i32, i32
  } combine (%a: i32, %b: i32, %c: i32, %d: i32) {
    %ac = arith.muli %a, %c : i32
    %bc = arith.muli %b, %c : i32
    %e = arith.addi %bc, %d : i32
    tc.yield %ac, %e : i32, i32
  } finish (%a: i32, %b: i32) {
    memref.store %a, %r[%c0] : memref<2xi32>
    memref.store %b, %r[%c1] : memref<2xi32>
  }
  return
}

// The same for each row, up to each of its elements.
func.func @composed_rows(%A: memref<3x2311xi32>, %B: memref<3x2311xi32>, %C: memref<3x2311xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.par (%i) = (0) to (3) {
    tc.scan (%j) = (0) to (2311) init(%one : i32, %zero : i32) {
      %a = memref.load %A[%i, %j] : memref<3x2311xi32>
      %b = memref.load %B[%i, %j] : memref<3x2311xi32>
      tc.yield %a, %b : i32, i32
    } combine (%a: i32, %b: i32, %c: i32, %d: i32) {
      %ac = arith.muli %a, %c : i32
      %bc = arith.muli %b, %c : i32
      %e = arith.addi %bc, %d : i32
      tc.yield %ac, %e : i32, i32
    } finish (%j: index, %a: i32, %b: i32) {
      memref.store %b, %C[%i, %j] : memref<3x2311xi32>
    }
  }
  return
}

// The first of the largest elements of each row and its place. Rows have a level
// of their own, and the last step is one of many.
func.func @argmax_rows(%A: memref<5x301xf32>, %values: memref<5xf32>, %places: memref<5xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 301 : index
  tc.par grid (%i) = (0) to (5) {
    tc.reduce block (%j) = (0) to (301) init(%low : f32, %none : index) commutative {
      %x = memref.load %A[%i, %j] : memref<5x301xf32>
      tc.yield %x, %j : f32, index
    } combine (%x: f32, %j: index, %y: f32, %k: index) {
      %less = arith.cmpf olt, %x, %y : f32
      %same = arith.cmpf oeq, %x, %y : f32
      %before = arith.cmpi slt, %k, %j : index
      %tie = arith.andi %same, %before : i1
      %other = arith.ori %less, %tie : i1
      %z = arith.select %other, %y, %x : f32
      %l = arith.select %other, %k, %j : index
      tc.yield %z, %l : f32, index
    } finish (%x: f32, %j: index) {
      %place = arith.index_cast %j : index to i64
      memref.store %x, %values[%i] : memref<5xf32>
      memref.store %place, %places[%i] : memref<5xi64>
    }
  }
  return
}

// Sums that begin anew where an element is 3: segments of any length, as pairs of
// a flag and a value.
func.func @segments(%A: memref<7919xi32>, %B: memref<7919xi32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %no = arith.constant false
  tc.scan (%i) = (0) to (7919) init(%no : i1, %zero : i32) {
    %x = memref.load %A[%i] : memref<7919xi32>
    %begins = arith.cmpi eq, %x, %three : i32
    tc.yield %begins, %x : i1, i32
  } combine (%f: i1, %x: i32, %g: i1, %y: i32) {
    %s = arith.addi %x, %y : i32
    %z = arith.select %g, %y, %s : i32
    %h = arith.ori %f, %g : i1
    tc.yield %h, %z : i1, i32
  } finish (%i: index, %f: i1, %x: i32) {
    memref.store %x, %B[%i] : memref<7919xi32>
  }
  return
}

// In place, all before each element; the array is read again by the kernel that
// writes it.
func.func @in_place(%A: memref<6007xi32>) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 6007 : index
  tc.scan device (%i) = (0) to (%n) init(%zero : i32) exclusive {
    %x = memref.load %A[%i] : memref<6007xi32>
    tc.yield %x : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%i: index, %x: i32) {
    memref.store %x, %A[%i] : memref<6007xi32>
  }
  return
}

// A map that writes what it reads is run once.
func.func @counting_map(%A: memref<6007xi32>, %B: memref<6007xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.scan (%i) = (0) to (6007) init(%zero : i32) {
    %x = memref.load %A[%i] : memref<6007xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %A[%i] : memref<6007xi32>
    tc.yield %y : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%i: index, %x: i32) {
    memref.store %x, %B[%i] : memref<6007xi32>
  }
  return
}

// Spaces of several dimensions, with steps and widths, in lexicographic order.
func.func @spaces(%A: memref<7x9x11xi32>, %B: memref<7x9x11xi32>, %r: memref<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.scan (%i, %j, %k) = (1, 0, 2) to (7, 9, 11) step (2, 4, 5) width (1, 3, 2) init(%one : i32, %zero : i32) {
    %x = memref.load %A[%i, %j, %k] : memref<7x9x11xi32>
    %k32 = arith.index_cast %k : index to i32
    tc.yield %x, %k32 : i32, i32
  } combine (%a: i32, %b: i32, %c: i32, %d: i32) {
    %ac = arith.muli %a, %c : i32
    %bc = arith.muli %b, %c : i32
    %e = arith.addi %bc, %d : i32
    tc.yield %ac, %e : i32, i32
  } finish (%i: index, %j: index, %k: index, %a: i32, %b: i32) {
    memref.store %b, %B[%i, %j, %k] : memref<7x9x11xi32>
  }
  tc.reduce (%i, %j) = (0, 1) to (7, 9) step (1, 2) init(%zero : i32) {
    %c3 = arith.constant 3 : index
    %x = memref.load %A[%i, %j, %c3] : memref<7x9x11xi32>
    tc.yield %x : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%x: i32) {
    memref.store %x, %r[] : memref<i32>
  }
  return
}

// Without terms there is the neutral element; with one, it.
func.func @few(%A: memref<4xi32>, %B: memref<4xi32>, %r: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %c0 = arith.constant 0 : index
  %C = memref.cast %A : memref<4xi32> to memref<?xi32>
  %n = memref.dim %C, %c0 : memref<?xi32>
  // Ends before it begins.
  tc.reduce (%i) = (%n) to (1) init(%zero : i32) commutative {
    tc.yield %five : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%x: i32) {
    memref.store %x, %r[%c0] : memref<4xi32>
  }
  tc.scan (%i) = (0) to (0) init(%zero : i32) {
    tc.yield %five : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%i: index, %x: i32) {
    memref.store %x, %B[%i] : memref<4xi32>
  }
  %c1 = arith.constant 1 : index
  tc.reduce (%i) = (2) to (3) init(%zero : i32) {
    %x = memref.load %A[%i] : memref<4xi32>
    tc.yield %x : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%x: i32) {
    memref.store %x, %r[%c1] : memref<4xi32>
  }
  // No dimensions: one term.
  %c2 = arith.constant 2 : index
  tc.reduce () = () to () init(%zero : i32) {
    tc.yield %five : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%x: i32) {
    memref.store %x, %r[%c2] : memref<4xi32>
  }
  return
}

// The threads of a block each reduce a column, in a loop of several tiles.
func.func @columns(%A: memref<6x50x40xf64>, %r: memref<6x40xf64>) {
  %zero = arith.constant 0.0 : f64
  tc.par grid (%b) = (0) to (6) {
    tc.par block (%j) = (0) to (40) {
      tc.reduce (%i) = (0) to (50) step (3) width (2) init(%zero : f64) {
        %x = memref.load %A[%b, %i, %j] : memref<6x50x40xf64>
        tc.yield %x : f64
      } combine (%x: f64, %y: f64) {
        %s = arith.addf %x, %y : f64
        tc.yield %s : f64
      } finish (%x: f64) {
        memref.store %x, %r[%b, %j] : memref<6x40xf64>
      }
    }
  }
  return
}

// One reduction in another, and twice in a loop: the sum over rows of what a
// thread makes of each, and the scan of these.
func.func @nested(%A: memref<2x70x30xi32>, %B: memref<2x70xi32>, %r: memref<2xi32>) {
  %zero = arith.constant 0 : i32
  tc.par grid (%b) = (0) to (1) {
    tc.seq (%s) = (0) to (2) {
      tc.reduce (%i) = (0) to (70) init(%zero : i32) commutative {
        tc.scan (%j) = (0) to (30) init(%zero : i32) {
          %x = memref.load %A[%s, %i, %j] : memref<2x70x30xi32>
          tc.yield %x : i32
        } combine (%x: i32, %y: i32) {
          %m = arith.maxsi %x, %y : i32
          tc.yield %m : i32
        } finish (%j: index, %m: i32) {
          memref.store %m, %B[%s, %i] : memref<2x70xi32>
        }
        %m = memref.load %B[%s, %i] : memref<2x70xi32>
        tc.yield %m : i32
      } combine (%x: i32, %y: i32) {
        %z = arith.addi %x, %y : i32
        tc.yield %z : i32
      } finish (%total: i32) {
        memref.store %total, %r[%s] : memref<2xi32>
      }
    }
  }
  return
}

// A row for each warp: the level of the second is that of the threads that stand by.
func.func @warp_rows(%A: memref<3x7x100xi32>, %r: memref<3x7xi32>, %B: memref<3x7x100xi32>) {
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
