"""Complex factors, and real ones whose products are in the order of tensor instructions.

complex_order.py save BASE TERMS: writes BASE.a.npy and BASE.b.npy, complex factors, and real
ones, BASE.left.npy and BASE.re.npy or BASE.im.npy, of which each instruction of TERMS terms
is as many products with real parts and as many with imaginary ones.
complex_order.py compare BASE: exit status 1 where BASE.sum.npy has other bits than
BASE.re.sum.npy and BASE.im.sum.npy.
"""

import sys

import numpy as np

ROWS, COLUMNS, TERMS = 37, 46, 96


def interleave(first, second, terms):
    """Of two arrays `terms` columns each, in turns."""
    rows = first.shape[0]
    pair = [x.reshape(rows, -1, terms) for x in (first, second)]
    return np.stack(pair, axis=2).reshape(rows, -1)


def save(base, terms):
    random = np.random.default_rng(3)
    a, b = ((random.standard_normal(s) + 1j * random.standard_normal(s)) for s in ((ROWS, TERMS), (COLUMNS, TERMS)))
    np.save(f"{base}.a.npy", a)
    np.save(f"{base}.b.npy", np.ascontiguousarray(b.T))
    np.save(f"{base}.left.npy", interleave(a.real, a.imag, terms))
    np.save(f"{base}.re.npy", np.ascontiguousarray(interleave(b.real, -b.imag, terms).T))
    np.save(f"{base}.im.npy", np.ascontiguousarray(interleave(b.imag, b.real, terms).T))


def compare(base):
    found = np.load(f"{base}.sum.npy")
    for part, name in ((found.real, "re"), (found.imag, "im")):
        if not np.array_equal(part, np.load(f"{base}.{name}.sum.npy")):
            print(f"error: expected the bits of {base}.{name}.sum.npy")
            return 1
    return 0


if __name__ == "__main__":
    command, base, *terms = sys.argv[1:]
    sys.exit(compare(base) if command == "compare" else save(base, int(terms[0])))
