# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def wrap(value):
    value %= 1 << 32
    return value - (1 << 32) if value >> 31 else value


def step(op, a, b):
    if op == 0:
        a += b
    elif op == 1:
        a -= b
    elif op == 2:
        b = a ^ (b << 1)
    elif op in (3, 4):
        a, b = (a * 3 + 1 if op == 3 else a), b + 7
    elif op == 5:
        a, b = b, a
    elif op == 6:
        a = abs(a)
    elif op == 7:
        a >>= 1
    elif op == 8:
        b |= 1
    elif op == 9:
        divisor = b | 1
        a = (1 if a >= 0 else -1) * (abs(a) % abs(divisor))
    elif op == 10:
        a = ~a
    elif op == 11:
        b *= b
    else:
        a, b = a + 1000, b - 1
    return wrap(a), wrap(b)


def run(p):
    n, length = 128, 60
    code = p.random.integers(0, 16, length, np.uint8)
    values = p.random.integers(-1000, 1000, n, np.int32)
    out = p.empty((n, 2), np.int32)
    p.launch("interpret", 2, 64, code, values, out, np.int32(length))
    want = []
    for t in range(n):
        a, b = int(values[t]), t
        for i in range(length):
            a, b = step(int(code[(i + t) % length]), a, b)
        want.append((a, b))
    p.equal("state", out, np.array(want, np.int32))
