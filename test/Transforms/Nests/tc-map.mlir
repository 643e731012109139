// tc-map: every tc.par grid and block on at most three axes.
//
// RUN: tc-opt %s --tc-map --canonicalize=region-simplify=disabled | FileCheck %s
//
// Twice is once, and a mapping is not looked at by the passes that follow.
// RUN: tc-opt %s --tc-map > %t.once
// RUN: tc-opt %t.once --tc-map --tc-sync --tc-lower-microkernel | diff %t.once -

func.func private @work()

// Steps are compressed, and what is left is one axis.
// CHECK-LABEL: @tiles(
// CHECK: tc.par grid (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (13, 64, 7) step (4, 16, 1) map #tc.map<compress_grid(1, 1, 0), fold_last2, fold_last2> {
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (8, 16) map #tc.map<fold_last2> {
func.func @tiles() {
  tc.par grid (%i, %j, %k) = (0, 0, 0) to (13, 64, 7) step (4, 16, 1) {
    tc.par block (%a, %b) = (0, 0) to (8, 16) {
      func.call @work() : () -> ()
    }
  }
  return
}

// Lower bounds are shifted; widths are compressed with the steps.
// CHECK-LABEL: @bounds(
// CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (-3, 2) to (20, 64) step (5, 3) width (2, 1) map #tc.map<shift_lb, compress_grid(1, 1), fold_last2> {
// CHECK: tc.par block (%{{.*}}) = (1) to (13) map #tc.map<shift_lb> {
func.func @bounds() {
  tc.par grid (%i, %j) = (-3, 2) to (20, 64) step (5, 3) width (2, 1) {
    tc.par block (%a) = (1) to (13) {
      func.call @work() : () -> ()
    }
  }
  return
}

// One dimension is its axis; none at all is one point.
// CHECK-LABEL: @ranks_0_and_1(
// CHECK: tc.par grid () = () to () map #tc.map<> {
// CHECK: tc.par block (%{{.*}}) = (0) to (1024) map #tc.map<> {
func.func @ranks_0_and_1() {
  tc.par grid () = () to () {
    tc.par block (%a) = (0) to (1024) {
      func.call @work() : () -> ()
    }
  }
  return
}

// 2^31 - 1 blocks are one axis; one more take two, and more than 2^47 take three.
// CHECK-LABEL: @large(
// CHECK: tc.par grid (%{{.*}}) = (0) to (2147483647) map #tc.map<> {
// CHECK: tc.par grid (%{{.*}}) = (0) to (2147483648) map #tc.map<split_even(2147483647)> {
// CHECK: tc.par grid (%{{.*}}) = (0) to (281474976710656) map #tc.map<split_even(2147483647), {{.*}}split_even(65535){{.*}}> {
func.func @large() {
  tc.par grid (%i) = (0) to (2147483647) {
    func.call @work() : () -> ()
  }
  tc.par grid (%i) = (0) to (2147483648) {
    func.call @work() : () -> ()
  }
  tc.par grid (%i) = (0) to (281474976710656) {
    func.call @work() : () -> ()
  }
  return
}

// The threads of a block that have work keep their numbers: the others are there anyway.
// CHECK-LABEL: @some_threads(
// CHECK: tc.par block {{.*}} step (1, 8) width (1, 2) map #tc.map<mask_grid, fold_last2> {
// CHECK: tc.par block {{.*}} map #tc.map<fold_last2> {
func.func @some_threads() {
  tc.par grid () = () to () {
    tc.par block (%a, %b) = (0, 0) to (4, 8) step (1, 8) width (1, 2) {
      func.call @work() : () -> ()
    }
    tc.par block (%a, %b) = (0, 0) to (4, 8) {
      func.call @work() : () -> ()
    }
  }
  return
}

// A mapping that is there is kept.
// CHECK-LABEL: @by_hand(
// CHECK: map #tc.map<permute(2, 0, 1)> {
// CHECK: map #tc.map<permute(1, 0, 2)> {
func.func @by_hand() {
  tc.par grid (%i, %j, %k) = (0, 0, 0) to (2, 3, 5) map #tc.map<permute(2, 0, 1)> {
    tc.par block (%a, %b, %c) = (0, 0, 0) to (8, 16, 8) map #tc.map<permute(1, 0, 2)> {
      func.call @work() : () -> ()
    }
  }
  return
}

// A tc.par of no level runs anywhere, and a tc.seq in order.
// CHECK-LABEL: @left(
// CHECK-NOT: tc.map
// CHECK: return
func.func @left(%n: index) {
  tc.par (%i) = (0) to (%n) {
    tc.seq (%j) = (0) to (8) {
      func.call @work() : () -> ()
    }
  }
  return
}

// Run-time bounds are folded likewise; their product is split so that it fits whatever it is.
// CHECK-LABEL: @dynamic(
// CHECK: tc.par grid {{.*}} map #tc.map<compress_grid(1, 0), fold_last2, split_even(2147483647), permute(1, 0), split_even(65535), permute(1, 2, 0)> {
func.func @dynamic(%m: index, %n: index) {
  tc.par grid (%i, %j) = (0, 0) to (%m, %n) step (4, 1) {
    func.call @work() : () -> ()
  }
  return
}

// More iterations than threads, or nobody knows how many: the threads take turns.
// CHECK-LABEL: @turns(
// CHECK: tc.par block (%{{.*}}) = (0) to (%{{.*}}) map #tc.map<split_last(256), serial(1)> {
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 3) to (33, 67) step (1, 2) map #tc.map<shift_lb, compress_grid(0, 1), fold_last2, split_last(224), serial(1)> {
func.func @turns(%n: index) {
  tc.par grid (%i) = (0) to (8) {
    tc.par block (%t) = (0) to (%n) {
      func.call @work() : () -> ()
    }
    tc.par block (%t, %u) = (0, 3) to (33, 67) step (1, 2) {
      func.call @work() : () -> ()
    }
  }
  return
}

// Threads that wait for each other between two nests are no more than 256, and as many as
// are busy in each turn: 300 iterations take two of 160.
// CHECK-LABEL: @phases(
// CHECK: tc.par block (%{{.*}}) = (0) to (1024) map #tc.map<split_last(256), serial(1)> {
// CHECK: tc.par block (%{{.*}}) = (0) to (300) map #tc.map<split_last(160), serial(1)> {
// CHECK: tc.par block (%{{.*}}) = (0) to (256) map #tc.map<> {
// CHECK: tc.par full block (%{{.*}}) = (0) to (512) map #tc.map<> {
func.func @phases() {
  tc.par grid (%i) = (0) to (8) {
    tc.par block (%t) = (0) to (1024) {
      func.call @work() : () -> ()
    }
    tc.par block (%t) = (0) to (300) {
      func.call @work() : () -> ()
    }
    tc.par block (%t) = (0) to (256) {
      func.call @work() : () -> ()
    }
    tc.par full block (%t) = (0) to (512) {
      func.call @work() : () -> ()
    }
  }
  return
}

// Warps of a block, lanes of a warp, warps of a warpgroup; a thread needs no mapping.
// CHECK-LABEL: @warps(
// CHECK: tc.par block (%{{.*}}) = (0) to (%{{.*}}) map #tc.map<split_last(8), serial(1)> {
// CHECK: tc.par warp (%{{.*}}, %{{.*}}) = (0, 0) to (4, 8) map #tc.map<fold_last2> {
// CHECK: tc.par thread (%{{.*}}) = (0) to (5) {
// CHECK: tc.par warp (%{{.*}}) = (0) to (33) map #tc.map<split_last(32), serial(1)> {
// CHECK: tc.par block (%{{.*}}) = (0) to (2) map #tc.map<> {
// CHECK: tc.par warpgroup (%{{.*}}) = (0) to (5) map #tc.map<split_last(4), serial(1)> {
func.func @warps(%n: index) {
  tc.par grid (%i) = (0) to (8) {
    tc.par block (%w) = (0) to (%n) {
      tc.par warp (%t, %u) = (0, 0) to (4, 8) {
        tc.par thread (%k) = (0) to (5) {
          func.call @work() : () -> ()
        }
      }
      tc.par warp (%t) = (0) to (33) {
        func.call @work() : () -> ()
      }
    }
    tc.par block (%g) = (0) to (2) {
      tc.par warpgroup (%w) = (0) to (5) {
        tc.par warp (%t) = (0) to (32) {
          func.call @work() : () -> ()
        }
      }
    }
  }
  return
}

// Threads of a device that take turns: of a mapping that stops there the last dimension is the block.
// CHECK-LABEL: @turns_of_device(
// CHECK: tc.par device (%{{.*}}) = (0) to (4096) map #tc.map<split_last(256), serial(1), grid_block(1)> {
func.func @turns_of_device() {
  tc.par device (%i) = (0) to (4096) map #tc.map<split_last(256), serial(1)> {
    func.call @work() : () -> ()
  }
  return
}
