# REQUIRES: nvcc
# RUN: %cuda_program %s
REFUSED = "recursive call of '_Z9ackermannii' is not covered"
