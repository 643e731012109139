func.func @rank6() {
  tc.par device (%a, %b, %c, %d, %e, %f) = (0, 0, 0, 0, 0, 0) to (2, 3, 2, 3, 2, 3) {
  }
  return
}
