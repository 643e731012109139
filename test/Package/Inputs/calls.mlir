func.func private @inner(%A: memref<4xf32>)
func.func @outer(%A: memref<4xf32>) {
  call @inner(%A) : (memref<4xf32>) -> ()
  return
}
func.func @"a-b"(%A: memref<4xf32>) {
  return
}
