# REQUIRES: nvcc
# RUN: %cuda_program %s
REFUSED = "function '_Z9ackermannii': recursion is not covered"
