# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

MINIMUM = 90


def fragments(matrix):
    """Lane 4 r + c holds elements 2 c and 2 c + 1 of row r (PTX ISA, ldmatrix)."""
    return np.ascontiguousarray(matrix).view(np.uint32).ravel()


def run(p):
    tiles = p.random.integers(0, 1 << 16, (4, 8, 8), np.uint16)
    out = p.empty(256, np.uint32)
    p.launch("loads", 1, 32, tiles, out)
    parts = [tiles[0], tiles[0].T, tiles[1].T, *tiles, tiles[3].T]
    p.equal("loads", out, np.concatenate([fragments(part) for part in parts]))

    words = np.concatenate([fragments(tile) for tile in tiles])
    stored = p.empty((6, 8, 8), np.uint16)
    p.launch("stores", 1, 32, words, stored)
    p.equal("plain", stored[:4], tiles)
    p.equal("transposed", stored[4:], tiles[:2].transpose(0, 2, 1))
