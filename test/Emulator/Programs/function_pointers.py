# REQUIRES: nvcc
# RUN: %cuda_program %s
COMPILERS = ("nvcc",)
REFUSED = "'call' through a register"
