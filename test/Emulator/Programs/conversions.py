# REQUIRES: nvcc
# RUN: %cuda_program %s
import floats
import numpy as np


def whole_numbers(x, low, high):
    """Rounded rn, rz, ru, rd and clamped; NaN gives 0."""
    rounded = [np.rint(x), np.trunc(x), np.ceil(x), np.floor(x)]
    clamp = lambda v: 0 if np.isnan(v) else int(min(max(float(v), low), high))
    return [[min(max(clamp(v), low), high) for v in row] for row in rounded]


def round_integer(value, direction):
    """An integer as f32."""
    kept = max(abs(value).bit_length() - 24, 0)
    low = (value >> kept) << kept
    high = low + (1 << kept)
    toward_zero = low if value >= 0 or low == value else high
    choice = {"rm": low, "rp": low if low == value else high, "rz": toward_zero}
    if direction != "rn":
        return np.float32(choice[direction])
    below, above = value - low, high - value
    if below == above:
        return np.float32(low if (low >> kept) % 2 == 0 else high)
    return np.float32(low if below < above or low == value else high)


def run(p):
    n = 64
    x = (p.random.standard_normal(n) * 10.0 ** p.random.integers(0, 12, n)).astype("f4")
    x[:12] = 0.5, 1.5, 2.5, -0.5, -1.5, np.nan, np.inf, -np.inf, 3e9, -3e9, -0.0, 1e-40
    s, u = p.empty((4, n), np.int32), p.empty((4, n), np.uint32)
    l = p.empty((4, n), np.int64)
    p.launch("from_float", 1, n, x, s, u, l, np.int32(n))
    p.equal("s32", s, np.array(whole_numbers(x, -(2**31), 2**31 - 1), np.int32))
    p.equal("u32", u, np.array(whole_numbers(x, 0, 2**32 - 1), np.uint32))
    want = whole_numbers(x, -(2**63), 2**63 - 1)
    # NVIDIA documents what a NaN gives for 32 bits; for 64 it is the lowest.
    numbers = ~np.isnan(x)
    p.equal("s64", l[:, numbers], np.array(want, np.int64)[:, numbers])

    s = p.random.integers(-(2**31), 2**31, n, np.int32)
    u = p.random.integers(0, 2**64, n, np.uint64)
    u[:3] = 2**64 - 1, 2**63, 2**24 + 1
    d = p.random.standard_normal(n)
    out = p.empty((12, n), np.float32)
    p.launch("to_float", 1, n, s, u, d, out, np.int32(n))
    for row, mode in enumerate(("rn", "rz", "rp", "rm")):
        want = [round_integer(int(v), mode) for v in s]
        p.equal(f"from s32 {mode}", out[row], np.array(want))
        want = [round_integer(int(v), mode) for v in u]
        p.equal(f"from u64 {mode}", out[4 + row], np.array(want))
        p.equal(f"from f64 {mode}", out[8 + row], floats.round_toward(d, mode))

    a = (p.random.standard_normal(n) * 50).astype(np.float32)
    b = p.random.standard_normal(n) * 50
    a[:4] = b[:4] = 0.5, -0.5, 2.5, -1.5
    f, d = p.empty((4, n), np.float32), p.empty((6, n), np.float64)
    c, h = p.empty(n, np.int8), p.empty(n, np.uint16)
    p.launch("whole", 1, n, a, b, f, d, c, h, np.int32(n))
    for row, function in enumerate((np.rint, np.trunc, np.ceil, np.floor)):
        p.equal(f"f32 {function.__name__}", f[row], function(a))
        p.equal(f"f64 {function.__name__}", d[row], function(b))
    p.equal("f32 to f64", d[4], a.astype(np.float64))
    p.equal("f64 to s64", d[5], np.trunc(b) + 0.0)
    p.equal("s8", c, b.astype(np.int32).astype(np.int8))
    p.equal("u16", h, np.abs(b).astype(np.uint16))

    high, low = p.empty(n, np.int32), p.empty(n, np.int32)
    joined, bits = p.empty(n, np.float64), p.empty(n, np.uint32)
    back = p.empty(n, np.float32)
    p.launch("pieces", 1, n, b, high, low, joined, bits, back)
    p.equal("high word", high, (b.view(np.int64) >> 32).astype(np.int32))
    p.equal("low word", low, b.view(np.int64).astype(np.int32))
    p.equal("joined", joined, -b)
    p.equal("bits", bits, b.astype(np.float32).view(np.uint32))
    p.equal("bits back", back, -b.astype(np.float32))
