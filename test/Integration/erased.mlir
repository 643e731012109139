// An argument that a program writes before it reads it holds before the run what no kernel
// leaves there, so a launch that is left out shows, whatever the seed; elements that the
// program leaves alone, and arguments that it reads first, hold numbers.
//
// RUN: bash -c 'for seed in 0 1 2 3 4 5 6 7; do for name in clear inside into_old; do \
// RUN:   echo "{\"input\":\"%s\",\"name\":\"$name\",\"seed\":$seed,\"case\":\"$name\"}"; done; done' > %t.jsonl
// RUN: tc-run --batch=%t.jsonl --device=emulator --verify --faults > %t.reports
// RUN: FileCheck %s < %t.reports --implicit-check-not='"verified":false' --implicit-check-not='"error"'
// RUN: grep -c '"case":"clear".*"fault":"launch 0 left out","caught":true' %t.reports | FileCheck %s --check-prefix=EACH
// EACH: 8
// CHECK-COUNT-24: "verified":true

func.func @clear(%C: memref<1xi1>) {
  %no = arith.constant false
  linalg.fill ins(%no : i1) outs(%C : memref<1xi1>)
  return
}

func.func @inside(%C: memref<5x6xf32>) {
  %two = arith.constant 2.0 : f32
  %inside = memref.subview %C[1, 2] [3, 2] [1, 2] : memref<5x6xf32> to memref<3x2xf32, strided<[6, 2], offset: 8>>
  linalg.fill ins(%two : f32) outs(%inside : memref<3x2xf32, strided<[6, 2], offset: 8>>)
  return
}

func.func @into_old(%A: memref<7xf32>, %C: memref<7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%A : memref<7xf32>) outs(%C : memref<7xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sum = arith.addf %a, %c : f32
    linalg.yield %sum : f32
  }
  return
}
