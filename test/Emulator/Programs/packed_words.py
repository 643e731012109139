# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def saturate(values, kind):
    info = np.iinfo(kind)
    return np.clip(values, info.min, info.max)


def flags(values, kind):
    return np.where(values, np.iinfo(kind).max if kind[0] == "u" else -1, 0)


def run(p):
    n = 256
    a, b, c = (p.random.integers(0, 2**32, n, np.uint32) for _ in range(3))
    b[:8] = a[:8] ^ 0xFF0000FF
    a[8:12] = 0x80808080, 0x80008000, 0x7FFF7FFF, 0xFFFFFFFF
    parts = {
        kind: [v.view(kind).reshape(n, -1).astype(np.int64) for v in (a, b, c)]
        for kind in ("u1", "i1", "u2", "i2")
    }

    def packed(kind, function):
        return np.ascontiguousarray(function(*parts[kind]).astype(kind)).view(np.uint32).ravel()

    def total(kind):
        x, y, _ = parts[kind]
        return np.abs(x - y).sum(1).astype(np.uint32)

    def distance(x, y, _):
        return np.abs(x - y)

    wants = [packed(kind, distance) for kind in ("u1", "i1", "u2", "i2")]
    wants += [total(kind) for kind in ("u1", "i1", "u2", "i2")]
    wants += [
        packed("i1", lambda x, y, z: saturate(np.abs(x), "i1")),
        packed("i2", lambda x, y, z: np.abs(x)),
        packed("u2", lambda x, y, z: x + y),
        packed("i2", lambda x, y, z: saturate(x + y, "i2")),
        packed("u1", lambda x, y, z: saturate(x + y, "u1")),
        packed("u1", lambda x, y, z: x - y),
        packed("i1", lambda x, y, z: saturate(x - y, "i1")),
        packed("u2", lambda x, y, z: saturate(x - y, "u2")),
        # Away from zero.
        packed("i2", lambda x, y, z: (x + y + (x + y >= 0)) >> 1),
        packed("u1", lambda x, y, z: (x + y) >> 1),
        packed("i2", lambda x, y, z: flags(x >= y, "i2")),
        packed("u1", lambda x, y, z: flags(x > y, "u1")),
        packed("i1", lambda x, y, z: x < y),
        packed("u2", lambda x, y, z: x != y),
        packed("i1", lambda x, y, z: np.maximum(x, y)),
        packed("u2", lambda x, y, z: np.maximum(x, y)),
        packed("i2", lambda x, y, z: np.minimum(x, y)),
        packed("u1", lambda x, y, z: np.minimum(x, y)),
        packed("i1", lambda x, y, z: -x),
        packed("i2", lambda x, y, z: saturate(-x, "i2")),
        packed("i2", lambda x, y, z: np.maximum((x + y).astype(np.int16), z)),
        packed("u2", lambda x, y, z: np.minimum(np.minimum(x, y), z)),
        packed("i2", lambda x, y, z: np.maximum(np.maximum(x, y), 0)),
    ]
    out = p.empty((len(wants), n), np.uint32)
    p.launch("words", 1, n, a, b, c, out)
    for row, want in enumerate(wants):
        p.equal(f"row {row}", out[row], want)
