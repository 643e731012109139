"""Inputs for float-classes.mlir, and what it makes of them: write X.npy | check Y.npy."""

import sys

import numpy as np

VALUES = np.array([np.nan, np.inf, -np.inf, 1e-40, 0.0, 1.25, -3.0, 7.0], np.float32)
# x within [-1.5, 1.5], the size of its whole part, and 8 for NaN, 16 for an infinity, 32 for
# what is finite, 64 for what is normal.
RESULTS = np.array([7.5, 18.5, 15.5, 32, 32, 98.25, 95.5, 98.5], np.float32)

if sys.argv[1] == "write":
    np.save(sys.argv[2], VALUES)
else:
    got = np.load(sys.argv[2])
    assert np.array_equal(got, RESULTS), got
