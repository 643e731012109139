// Symbols that nobody defines or PTX has no place for, modules that are for no GPU of NVIDIA's,
// and ops that are not of LLVM.
//
// RUN: tc-opt %s --convert-nvvm-to-binary --split-input-file --verify-diagnostics

gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.func @helper(f32) -> f32
  llvm.func @calls(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    // expected-error @+1 {{expected every symbol of a kernel to be defined, and nobody defines 'helper'}}
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error @+1 {{expected every symbol of a kernel to be defined, and nobody defines 'table'}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.mlir.global external @table() {addr_space = 1 : i32} : f32
  llvm.func @reads(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = llvm.mlir.addressof @table : !llvm.ptr<1>
    %x = llvm.load %t : !llvm.ptr<1> -> f32
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error @+1 {{expected a variable of a kernel in address space 0, 1, 3, 4 or 5, got 'table' in 2}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.mlir.global external @table(1.0 : f32) {addr_space = 2 : i32} : f32
  llvm.func @reads(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = llvm.mlir.addressof @table : !llvm.ptr<2>
    %x = llvm.load %t : !llvm.ptr<2> -> f32
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error @+1 {{expected a variable in address space 3 or 5 without an initial value, got 'table' with one in 5}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.mlir.global @table(1.0 : f32) {addr_space = 5 : i32} : f32
  llvm.func @reads(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = llvm.mlir.addressof @table : !llvm.ptr<5>
    %x = llvm.load %t : !llvm.ptr<5> -> f32
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error @+1 {{without an initial value, got 'row' with one in 3}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.mlir.global @row(dense<2.0> : tensor<4xf32>) {addr_space = 3 : i32} : !llvm.array<4 x f32>
  llvm.func @reads(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = llvm.mlir.addressof @row : !llvm.ptr<3>
    %x = llvm.load %t : !llvm.ptr<3> -> f32
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error @+1 {{expected a target, got none}}
gpu.module @kernels {
}


// -----

// LLVM's own errors have a place, too, and do not end the process.
// expected-error @below {{LLVM: can't parse integer attribute -1 in nvvm.maxntid}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.func @negative() attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: -1, 1, 1>} {
    llvm.return
  }
}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.func @extracts(%p: !llvm.ptr<1>, %i: i64) attributes {gpu.kernel, nvvm.kernel} {
    %v = llvm.load %p : !llvm.ptr<1> -> !llvm.array<2 x vector<4xf32>>
    %index = builtin.unrealized_conversion_cast %i : i64 to index
    %rows = builtin.unrealized_conversion_cast %v : !llvm.array<2 x vector<4xf32>> to vector<2x4xf32>
    // expected-error @+1 {{expected an op that is converted to LLVM, got one without a conversion for its form}}
    %x = vector.extract %rows[%index, 0] : f32 from vector<2x4xf32>
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
