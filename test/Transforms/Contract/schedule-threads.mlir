// The search chooses the same schedules with several threads and with one: for a
// product, for one whose sum is divided into parts, and for a sum that threads
// share.
// RUN: tc-opt %s --tc-schedule=chip=sm_90a -o %t.threads
// RUN: tc-opt %s --tc-schedule=chip=sm_90a --mlir-disable-threading -o %t.one
// RUN: diff %t.one %t.threads
// RUN: FileCheck %s < %t.one

// CHECK-LABEL: func @product
// CHECK: schedule = #tc.schedule<thread
func.func @product(%a: memref<312x296x24xf32>, %b: memref<296x40xf32>,
                   %c: memref<312x24x40xf32>) {
  tc.contract (i = 312, j = 24, k = 40, l = 296)
    ins(%a[i, l, j] : memref<312x296x24xf32>, %b[l, k] : memref<296x40xf32>)
    outs(%c[i, j, k] : memref<312x24x40xf32>) overwrite
  return
}

// CHECK-LABEL: func @parts
// CHECK: split = [
func.func @parts(%a: memref<64x8192xf32>, %b: memref<8192x48xf32>,
                 %c: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 8192)
    ins(%a[i, k] : memref<64x8192xf32>, %b[k, j] : memref<8192x48xf32>)
    outs(%c[i, j] : memref<64x48xf32>) overwrite
  return
}

// CHECK-LABEL: func @rows
// CHECK: schedule = #tc.schedule<thread
func.func @rows(%a: memref<96x5000xf32>, %b: memref<5000xf32>,
                %c: memref<96xf32>) {
  tc.contract (i = 96, k = 5000)
    ins(%a[i, k] : memref<96x5000xf32>, %b[k] : memref<5000xf32>)
    outs(%c[i] : memref<96xf32>) overwrite
  return
}
