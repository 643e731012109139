# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


def arithmetic(x, y):
    quotient = np.array([abs(int(a)) // abs(int(b)) for a, b in zip(x, y)], object)
    sign = [1 if (int(a) < 0) == (int(b) < 0) else -1 for a, b in zip(x, y)]
    quotient = quotient * np.array(sign, object)
    wide = x.astype(object), y.astype(object)
    shift = (y & 7).astype(object)
    results = [wide[0] + wide[1], wide[0] - wide[1], wide[0] * wide[1], quotient]
    results += [wide[0] - quotient * wide[1], x & y, x | y, x ^ y, ~x, -wide[0]]
    results += [np.minimum(x, y), np.maximum(x, y), x == y, x <= y]
    results += [wide[0] << shift, wide[0] >> shift]
    return np.array([wrap(r, x.dtype) for r in results])


def wrap(values, dtype):
    bits = 8 * np.dtype(dtype).itemsize
    unsigned = np.array([int(v) % (1 << bits) for v in values], f"u{bits // 8}")
    return unsigned.view(dtype)


def signed(value, bits):
    value = int(value) % (1 << bits)
    return value - (1 << bits) if value >> (bits - 1) else value


def bits(x, y):
    low = y & 0xFFFFFFFF
    both = low << 32 | x
    selected = sum((both >> (8 * s) & 255) << (8 * k) for k, s in enumerate((5, 1, 7, 3)))
    difference = abs(signed(x, 32) - signed(low, 32))
    sx, sy = signed(x, 32), signed(low, 32)
    return [
        32 - x.bit_length(),
        (x & -x).bit_length(),
        bin(x).count("1"),
        int(f"{x:032b}"[::-1], 2),
        selected,
        (both << 11) >> 32,
        low,
        64 - y.bit_length(),
        (y & -y).bit_length(),
        bin(y).count("1"),
        x * low >> 32,
        sx * sy >> 32,
        difference + 7,
        abs(x - low) + 9,
        (x & 0xFFFFFF) * (low & 0xFFFFFF),
        signed(x, 24) * signed(low, 24),
        (sx + sy) >> 1,
        (x + low) >> 1,
    ], [
        int(f"{y:064b}"[::-1], 2),
        y * (y ^ x) >> 64,
        signed(y, 64) * signed(y ^ x, 64) >> 64,
        x * low,
        sx * sy + signed(y, 64),
    ]


def run(p):
    n = 300
    for name in TYPES:
        dtype = np.dtype(name)
        info = np.iinfo(dtype)
        x = p.random.integers(info.min, info.max, n, dtype, endpoint=True)
        y = p.random.integers(info.min, info.max, n, dtype, endpoint=True)
        y[y == 0] = 1
        # The smallest number by -1 has no quotient.
        if info.min < 0:
            y[(y == -1) & (x == info.min)] = 1
        x[:4] = info.min, info.max, 0, 1
        y[:4] = 1, info.max, 3, info.max
        out = p.empty((16, n), dtype)
        kernel = ("s" if info.min else "u") + str(8 * dtype.itemsize)
        p.launch(kernel, 3, 128, x, y, out, np.int32(n))
        p.equal(kernel, out, arithmetic(x, y))
    n = 64
    x = p.random.integers(0, 1 << 32, n, np.uint32)
    y = p.random.integers(0, 1 << 64, n, np.uint64)
    x[:3], y[:3] = (0, 1, 0x80000000), (0, 1 << 63, 1)
    out, wide = p.empty((18, n), np.uint32), p.empty((5, n), np.uint64)
    p.launch("bits", 1, n, x, y, out, wide, np.int32(n))
    want = [bits(int(a), int(b)) for a, b in zip(x, y)]
    for row in range(18):
        column = wrap([w[0][row] for w in want], np.uint32)
        p.equal(f"bits {row}", out[row], column)
    for row in range(5):
        column = wrap([w[1][row] for w in want], np.uint64)
        p.equal(f"wide {row}", wide[row], column)
