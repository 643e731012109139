# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 128
    a, b, c = (p.random.standard_normal(n).astype(np.float16) for _ in range(3))
    a[:4] = np.inf, np.nan, 60000, 6e-8
    b[:4] = 1, 2, 60000, 0.5
    b[4] = a[4]
    out, flags = p.empty((13, n), np.float16), p.empty((4, n), np.int32)
    p.launch("scalar", 1, n, a, b, c, out, flags, np.int32(n))
    x, y, z = (v.astype(np.float64) for v in (a, b, c))
    with np.errstate(all="ignore"):
        wants = [x + y, x - y, x * y, x * y + z, x / y, -x, np.abs(x)]
        wants += [np.fmax(x, y), np.fmin(x, y), np.clip(x + y, 0, 1)]
        wants += [np.maximum(x * y + z, 0), np.rint(x), np.floor(x)]
        wants = [w.astype(np.float16) for w in wants]
    wants[9][np.isnan(wants[9])] = 0
    # relu makes a NaN of a NaN, and a zero of what is negative.
    for row, want in enumerate(wants):
        if row == 4:
            # The quotient goes through f32 by an approximate reciprocal.
            p.within_ulps("quotient", out[4], (x / y), 1)
        else:
            p.equal(f"operation {row}", out[row] + 0.0, want + np.float16(0))
    p.equal("equal", flags[0], (a == b).astype(np.int32))
    p.equal("less", flags[1], (a < b).astype(np.int32))
    p.equal("not less", flags[2], (~(a < b)).astype(np.int32))
    p.equal("NaN", flags[3], np.isnan(a).astype(np.int32))

    a, b, c = (p.random.standard_normal((n, 2)).astype(np.float16) for _ in range(3))
    out = p.empty((12, n, 2), np.float16)
    p.launch("packed", 1, n, a, b, c, out, np.int32(n))
    x, y, z = (v.astype(np.float64) for v in (a, b, c))
    wants = [x + y, x - y, x * y, x * y + z, np.fmax(x, y), np.fmin(x, y), -x]
    wants += [x[:, ::-1], x > y, np.stack([x[:, 1], y[:, 0]], 1)]
    scaled = a[:, 0].astype(np.float32) * np.float32(0.3)
    wants += [np.stack([scaled, scaled], 1), np.stack([x[:, 0], y[:, 1]], 1)]
    for row, want in enumerate(wants):
        p.equal(f"packed {row}", out[row], want.astype(np.float16))

    f = (p.random.standard_normal(n) * 1000).astype(np.float32)
    f[:5] = 1e6, 1e-8, -1e6, 65519.99, np.inf
    h = p.random.standard_normal(n).astype(np.float16)
    out, back = p.empty((6, n), np.float16), p.empty(n, np.float32)
    whole, bits = p.empty(n, np.int32), p.empty(n, np.uint16)
    h *= np.float16(100)
    p.launch("convert", 1, n, f, h, out, back, whole, bits, np.int32(n))
    with np.errstate(all="ignore"):
        nearest = f.astype(np.float16)
        p.equal("rn", out[0], nearest)
        p.equal("f64", out[5], nearest)
        wide = nearest.astype(np.float64)
        up = np.nextafter(nearest, np.float16(np.inf))
        down = np.nextafter(nearest, np.float16(-np.inf))
        p.equal("ru", out[2], np.where(wide < f, up, nearest))
        p.equal("rd", out[3], np.where(wide > f, down, nearest))
        cut = np.where(np.abs(wide) > np.abs(f), np.where(f > 0, down, up), nearest)
        p.equal("rz", out[1], cut)
        p.equal("int", out[4][5:], np.trunc(f[5:]).astype(np.float16) + np.float16(0))
    p.equal("f32", back, h.astype(np.float32))
    p.equal("s32", whole, h.astype(np.int32))
    p.equal("bits", bits, h.view(np.uint16))

    x = p.random.uniform(0.01, 5, n).astype(np.float16)
    out = p.empty((6, n), np.float16)
    p.launch("functions", 1, n, x, out, np.int32(n))
    wide = x.astype(np.float64)
    for row, function in enumerate((np.exp, np.log, np.sqrt, None, np.sin, np.exp2)):
        want = function(wide) if function else 1 / np.sqrt(wide)
        p.within_ulps(f"function {row}", out[row], want, 2)
