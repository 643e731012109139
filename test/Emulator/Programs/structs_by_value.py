# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

INNER = np.dtype({"names": ["tag", "weight"], "formats": ["i1", "f8"], "offsets": [0, 8]})
OUTER = np.dtype(
    {
        "names": ["id", "inner", "matrix", "flags"],
        "formats": ["i2", (INNER, 2), ("f4", (3, 3)), ("u1", 5)],
        "offsets": [0, 8, 40, 76],
        "itemsize": 88,
    }
)
WIDE = np.dtype({"names": ["v", "n"], "formats": [("f4", 4), "i8"], "itemsize": 32})


def make_outer():
    outer = np.zeros((), OUTER)
    outer["id"] = -7
    outer["inner"]["tag"] = 3, -4
    outer["inner"]["weight"] = 0.5, 1.25
    outer["matrix"] = np.arange(9).reshape(3, 3) * 0.5
    outer["flags"] = 1, 2, 4, 8, 250
    return outer


def run(p):
    n = 64
    outer, wide = make_outer(), np.zeros((), WIDE)
    wide["v"], wide["n"] = (1.5, 2, 3, 4), 1 << 40
    out = p.empty(n, np.float64)
    p.launch("whole", 1, n, np.int8(-3), outer[()], np.int16(-9), wide[()], np.bool_(True), out)
    t = np.arange(n)
    want = -3 - 90 + 100 - 7 + wide["v"][0] * wide["v"][3] + float(wide["n"])
    want = want + outer["inner"]["weight"][t & 1] * outer["inner"]["tag"][(t + 1) & 1]
    want = want + outer["matrix"][t % 3, t // 3 % 3] + outer["flags"][t % 5]
    p.equal("whole", out, want)

    out = p.empty(n, OUTER)
    p.launch("returned", 1, n, outer[()], out)
    p.equal("id", out["id"], -7 + t)
    p.equal("weight", out["inner"]["weight"], np.tile([1.0, 1.25], (n, 1)))
    p.equal("flags", out["flags"], np.tile(outer["flags"], (n, 1)))
    matrix = np.tile(outer["matrix"], (n, 1, 1))
    matrix[t, 1, t % 3] = t
    p.equal("matrix", out["matrix"], matrix)

    table = np.zeros((), np.dtype([("values", "i4", 1000)]))
    table["values"] = p.random.integers(0, 1000, 1000)
    out = p.empty(1000, np.int32)
    p.launch("large", 8, 128, table[()], out)
    p.equal("large", out, table["values"][::-1])
