# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See the LICENSE file for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on NumPy arrays: what numpy.einsum says, computed by tc's kernels.

    python3 einsum.py

The first call of each einsum compiles a kernel, which later calls, also those of
other processes, find in the cache."""

import numpy as np
import tc


def attention(einsum, queries, keys, values):
    """Softmax attention; b: batch, h: head, q and k: positions, d: features."""
    scores = einsum("bqhd,bkhd->bhqk", queries, keys) / np.sqrt(np.float32(queries.shape[-1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= einsum("bhqk->bhq", weights)[..., None]
    return einsum("bhqk,bkhd->bqhd", weights, values)


def main():
    rng = np.random.default_rng(1)
    shape = 2, 48, 4, 32
    queries, keys, values = (rng.standard_normal(shape, np.float32) for _ in range(3))
    got = attention(tc.einsum, queries, keys, values)
    expected = attention(np.einsum, queries, keys, values)
    print("shape", got.shape, got.dtype)
    print("as NumPy computes it:", np.allclose(got, expected, rtol=1e-4, atol=1e-5))


if __name__ == "__main__":
    main()
