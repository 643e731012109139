# REQUIRES: nvcc
# RUN: env TC_EMU_CHECKS=all %cuda_program %s
# RUN: env TC_EMU_CHECKS=all TC_EMU_SCHEDULE=adversarial:4 %cuda_program %s
# RUN: env TC_EMU_CHECKS=all TC_EMU_EXECUTION=masked TC_EMU_SCHEDULE=random:2 %cuda_program %s
# RUN: env TC_EMU_CHECKS=all TC_EMU_EXECUTION=threads %cuda_program %s
import os

import numpy as np

MINIMUM = 90
COMPILERS = ("nvcc",)


def run(p):
    values = np.random.default_rng(5).integers(0, 1 << 20, 5000).astype(np.int32)
    bins = np.zeros(128, np.int32)
    p.launch("histogram", 8, 64, values, bins, np.int32(5000))
    p.equal("histogram", bins, np.bincount(values & 127, minlength=128))

    out = p.empty((4, 4, 4), np.int32)
    p.launch("prefix", (4, 4), 32, out)
    y, x = np.mgrid[0:4, 0:4]
    numbers = (10 * (4 * y + x)).reshape(2, 2, 2, 2).transpose(0, 2, 1, 3)
    sums = np.cumsum(numbers.reshape(2, 2, 4), axis=2).reshape(2, 2, 2, 2)
    p.equal("sums", out[..., 0], sums.transpose(0, 2, 1, 3).reshape(4, 4))
    p.equal("ranks", out[..., 1], y % 2 * 2 + x % 2)
    p.equal("blocks", out[..., 2], np.full((4, 4), 4))
    p.equal("places", out[..., 3], 20 + y % 2)

    if os.environ.get("TC_EMU_CHECKS") == "all":  # races are not looked for else
        p.fails("CUDA_ERROR_LAUNCH_FAILED", "unordered", 2, 32, out, text="of the cluster")
    p.fails("CUDA_ERROR_INVALID_CLUSTER_SIZE", "unordered", 3, 32, out)
