func.func @cube() {
  tc.par device (%i, %j, %k) = (0, 0, 0) to (8, 2000, 8) {
  }
  return
}
