"""Arrays for dynamic.mlir: `dynamic_files.py FOLDER save` or `check`."""

import os
import sys

import numpy

folder, what = sys.argv[1:]
rng = numpy.random.default_rng(3)
arrays = {
    "a": rng.integers(-4, 5, (7, 11)).astype("f4"),
    "b": rng.integers(-4, 5, 11).astype("f4"),
    "z": numpy.full(7, numpy.nan, "f4"),
    "n": numpy.array(9, "i8"),
}
if what == "save":
    for name, array in arrays.items():
        numpy.save(os.path.join(folder, name), array)
else:
    after = numpy.load(os.path.join(folder, "after.npy"))
    assert (after == arrays["a"][:, :9] @ arrays["b"][:9]).all(), after
