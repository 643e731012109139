# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See the LICENSE file for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that is made ahead of time, and used where there is no compiler.

    python3 ahead_of_time.py make product    # compiles, writes the folder `product`
    python3 ahead_of_time.py use product     # needs that folder, NumPy and tc's Python

Runs on a GPU where PyTorch has one. The folder is a package: C, C++ and Rust link the same files (docs/Packaging.md). It
has a kernel for GPUs of compute capability 8.0 and later, one for 9.0, and one for
this CPU; the number of rows is known at a call only."""

import sys

import numpy as np
import tc


def make(folder):
    kernel = tc.compile(
        "ik,kj->ij", (None, 32), (32, 48), dtype="f32", chips=("sm_80", "sm_90a"), name="product"
    )
    kernel.save(folder)
    print("made", kernel.subscripts, "for", ", ".join(kernel.chips), "and the CPU")
    print(f"{len(kernel.ptx['sm_90a'].splitlines())} lines of PTX")


def to_gpu(array):
    """PyTorch's array on a GPU; the same array where there is none."""
    try:
        import torch
    except ImportError:
        return array
    return torch.from_numpy(array).cuda() if torch.cuda.is_available() else array


def use(folder):
    kernel = tc.load(folder)
    for rows in (5, 64):
        a = np.arange(rows * 32, dtype=np.float32).reshape(rows, 32) % 7
        b = np.arange(32 * 48, dtype=np.float32).reshape(32, 48) % 5
        c = kernel(to_gpu(a), to_gpu(b))
        place = "CPU" if isinstance(c, np.ndarray) else str(c.device)
        c = np.asarray(c if place == "CPU" else c.cpu())
        print(rows, f"rows on {place}:", "right" if np.array_equal(c, a @ b) else "wrong")


if __name__ == "__main__":
    {"make": make, "use": use}[sys.argv[1]](sys.argv[2])
