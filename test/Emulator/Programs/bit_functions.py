# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def permute(x, y, selector):
    source, result = int(y) << 32 | int(x), 0
    for i in range(4):
        select = int(selector) >> 4 * i & 15
        byte = source >> 8 * (select & 7) & 255
        result |= (byte if select < 8 else (255 if byte & 128 else 0)) << 8 * i
    return result


def reverse(value, bits):
    return int(f"{int(value):0{bits}b}"[::-1], 2)


def signed(value, bits=32):
    return value - (1 << bits) if value >> (bits - 1) else value


def expect(x, y, z):
    """What a thread stores, as numbers modulo 2^32."""
    pair, wide = y << 32 | x, x << 32 | y
    return [
        permute(x, y, z & 0x7777),
        permute(x, y, 0x3715),
        pair << (z & 31) >> 32,
        pair << min(z, 32) >> 32,
        pair >> (z & 31),
        pair >> min(z, 32),
        reverse(x, 32),
        reverse(wide, 64),
        (x & -x).bit_length(),
        (wide & -wide).bit_length(),
        32 - x.bit_length(),
        64 - wide.bit_length(),
        bin(x).count("1"),
        bin(wide).count("1"),
        x * y >> 32,
        signed(x) * signed(y) >> 32,
        abs(x - y) + z,
        (signed(x) + signed(y)) >> 1,
        (x + y + 1) >> 1,
        signed(x & 0xFFFFFF, 24) * signed(y & 0xFFFFFF, 24),
    ]


def run(p):
    n = 128
    a, b, c = (p.random.integers(0, 2**32, n, np.uint32) for _ in range(3))
    c[:64] = np.arange(64)
    a[:4] = 0, 0, 1, 1 << 31
    b[:2] = 0, 1
    wants = np.array(
        [[v & 0xFFFFFFFF for v in expect(*map(int, xyz))] for xyz in zip(a, b, c)], np.uint32
    ).T
    out = p.empty(wants.shape, np.uint32)
    p.launch("bits", 1, n, a, b, c, out)
    for row, want in enumerate(wants):
        p.equal(f"row {row}", out[row], want)
    passed = p.empty(96, np.uint32)
    p.launch("wait", 1, 96, passed)
    p.equal("waited", passed, np.ones(96, np.uint32))
