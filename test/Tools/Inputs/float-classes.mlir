// What upstream's conversion takes from libdevice, and has instructions: a number within
// [-1.5, 1.5], and what kind of number it was.
func.func @kinds(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %low = arith.constant -1.5 : f32
    %high = arith.constant 1.5 : f32
    %c = arith.maxnumf %a, %low : f32
    %d = arith.minnumf %c, %high : f32
    %e = math.clampf %d to [%low, %high] : f32
    %n = arith.fptosi %e : f32 to i32
    %m = math.absi %n : i32
    %zero = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %isNan = math.isnan %a : f32
    %isInf = math.isinf %a : f32
    %isFinite = math.isfinite %a : f32
    %isNormal = math.isnormal %a : f32
    %k0 = arith.select %isNan, %c8, %zero : i32
    %k1 = arith.select %isInf, %c16, %zero : i32
    %k2 = arith.select %isFinite, %c32, %zero : i32
    %k3 = arith.select %isNormal, %c64, %zero : i32
    %s0 = arith.addi %m, %k0 : i32
    %s1 = arith.addi %s0, %k1 : i32
    %s2 = arith.addi %s1, %k2 : i32
    %s3 = arith.addi %s2, %k3 : i32
    %p = arith.sitofp %s3 : i32 to f32
    %r = arith.addf %e, %p : f32
    linalg.yield %r : f32
  }
  return
}
