# REQUIRES: nvcc
# RUN: env TC_EMU_CHECKS=all %cuda_program %s
# RUN: env TC_EMU_CHECKS=all TC_EMU_SCHEDULE=adversarial:4 %cuda_program %s
# RUN: env TC_EMU_CHECKS=all TC_EMU_EXECUTION=masked TC_EMU_SCHEDULE=adversarial:5 %cuda_program %s
# RUN: env TC_EMU_CHECKS=all TC_EMU_EXECUTION=threads %cuda_program %s
import os

import floats
import numpy as np

COMPILERS = ("nvcc",)
ARCHITECTURE = "90a"


def run(p):
    steps = 3
    a = p.random.integers(-20, 20, (64, 64 * steps)).astype(np.float32)
    b = p.random.integers(-20, 20, (32, 64 * steps)).astype(np.float32)
    left, right = floats.to_bf16(a), floats.to_bf16(b)
    for kernel in ("stored", "copied"):
        c = p.empty((64, 32), np.float32)
        p.launch(kernel, 1, 128, left, right, c, np.int32(steps))
        p.equal(kernel, c, a @ b.T)

    if os.environ.get("TC_EMU_CHECKS") == "all":
        c = p.empty((64, 32), np.float32)
        text = "execute fence.proxy.async"
        p.fails("CUDA_ERROR_LAUNCH_FAILED", "unfenced", 1, 128, left, right, c, text=text)
