// Table 1 of the paper takes the inner dimensions as the block, which nobody knows here.
func.func @dynamic(%m: index, %n: index) {
  tc.par device (%i, %j, %k) = (0, 0, 0) to (8, %m, %n) {
  }
  return
}
