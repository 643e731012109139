"""Packages with floats of 8 bits, on the emulator and on the CPU, against what their codes
mean.

    check_quarters.py FOLDER
"""

import sys

import numpy as np
from check_numbers import build
from package import Package

# Bits of the significand, bias, and the largest finite code.
FORMATS = {"f8e4m3": (3, 7, 0x7E), "f8e5m2": (2, 15, 0x7B)}
WIDE = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
CHIPS = ("sm_80", "sm_90a")


def decode_all(name):
    """The values of all 256 codes."""
    bits, bias, largest = FORMATS[name]
    values = []
    for code in range(256):
        magnitude = code & 0x7F
        exponent, fraction = magnitude >> bits, magnitude & ((1 << bits) - 1)
        value = 2.0 ** (1 - bias - bits) * fraction
        if exponent:
            value = 2.0 ** (exponent - bias - bits) * (fraction + (1 << bits))
        if magnitude > largest:
            value = np.inf if name == "f8e5m2" and magnitude == 0x7C else np.nan
        values.append(-value if code >= 0x80 else value)
    return np.array(values)


def encode(name, numbers):
    """The codes that numbers are rounded to: to nearest, to even at the middle, and to the
    largest beyond it. NaN is 0x7f."""
    largest = FORMATS[name][2]
    values = decode_all(name)[: largest + 1]
    sizes = np.minimum(np.abs(numbers.astype("f8")), values[-1])
    above = np.clip(np.searchsorted(values, np.nan_to_num(sizes)), 1, largest)
    down, up = sizes - values[above - 1], values[above] - sizes
    codes = np.where((down < up) | ((down == up) & (above % 2 == 1)), above - 1, above)
    codes = codes | np.where(np.signbit(numbers), 0x80, 0)
    return np.where(np.isnan(numbers), 0x7F, codes).astype("u1")


def draw_numbers(name, kind):
    """All finite values, the middles between them, the numbers beside both, and what is
    beyond the type."""
    largest = FORMATS[name][2]
    values = decode_all(name)[: largest + 1]
    places = np.concatenate([values, (values[1:] + values[:-1]) / 2, [values[-1] * 1.0625]])
    places = places.astype(kind)
    beside = [np.nextafter(places, kind(to)) for to in (0, np.inf)]
    limits = np.finfo(kind)
    far = np.array([limits.max, limits.tiny, limits.smallest_subnormal, np.inf, np.nan], kind)
    numbers = np.concatenate([places, *beside, far])
    # A sum is not -0, as it begins with 0.
    return np.concatenate([numbers, -numbers]) + kind(0)


def run_everywhere(folder, name, einsum, sizes, dtype, arrays, result, options=(), chips=CHIPS):
    """The results on each chip and on the CPU, by what computed them."""
    arguments = [f"--einsum={einsum}", f"--sizes={sizes}", f"--dtype={dtype}", *options]
    results, runtime = {}, None
    for chip in chips:
        path = build(folder, f"{name}_{chip}", [*arguments, f"--chips={chip}"])
        package = Package(path, runtime)
        runtime = package.runtime
        results[chip] = package.run([*arrays, result])[-1]
        results["cpu"] = package.run_cpu([*arrays, result])[-1]
    return results


def expect(what, got, expected, inputs):
    same = (got == expected) | ((got != got) & (expected != expected))
    if not same.all():
        at = np.argmin(same)
        sys.exit(f"{what}: of {inputs[at]!r} expected {expected[at]!r}, got {got[at]!r}")


def check_codes(folder, name):
    codes = np.arange(256, dtype="u1")
    for wide, kind in WIDE.items():
        results = run_everywhere(
            folder, f"{name}_to_{wide}", "i->i", "i=256", f"{name}->{wide}", [codes],
            np.zeros(256, kind),
        )  # fmt: skip
        for where, got in results.items():
            expect(f"{name} to {wide}, {where}", got, decode_all(name).astype(kind), codes)


def check_roundings(folder, name):
    counts = []
    for wide, kind in WIDE.items():
        numbers = draw_numbers(name, kind)
        results = run_everywhere(
            folder, f"{wide}_to_{name}", "i->i", f"i={len(numbers)}", f"{wide}->{name}",
            [numbers], np.zeros(len(numbers), "u1"),
            ["--accumulate=f64"] if wide == "f64" else [],
        )  # fmt: skip
        for where, got in results.items():
            expect(f"{wide} to {name}, {where}", got, encode(name, numbers), numbers)
        counts.append(f"{wide}: {len(numbers)}")
    print(f"{name}: 256 codes to {', '.join(WIDE)}; roundings from {', '.join(counts)}")


def check_products(folder):
    """Of all pairs of types, with prime extents; small numbers, whose sums are exact."""
    rng = np.random.default_rng(8)
    where = []
    for a, b in (("f8e4m3", "f8e4m3"), ("f8e4m3", "f8e5m2"), ("f8e5m2", "f8e5m2")):
        left = encode(a, rng.integers(-4, 5, (37, 163)) / 4)
        right = encode(b, rng.integers(-4, 5, (163, 29)) / 2)
        expected = decode_all(a)[left] @ decode_all(b)[right]
        results = run_everywhere(
            folder, f"product_{a}_{b}", "ik,kj->ij", "i=37,k=163,j=29", f"{a},{b}",
            [left, right], np.zeros((37, 29), "f4"), chips=("sm_80", "sm_89", "sm_90a"),
        )  # fmt: skip
        for place, got in results.items():
            if not np.array_equal(got, expected):
                sys.exit(f"product of {a} and {b}, {place}: expected\n{expected}\ngot\n{got}")
        where = sorted(results, key=lambda place: (place == "cpu", place))
    print("products:", *where)


def main():
    folder = sys.argv[1]
    for name in FORMATS:
        check_codes(folder, name)
        check_roundings(folder, name)
    check_products(folder)


if __name__ == "__main__":
    main()
