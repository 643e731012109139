"""Errors of products of f32 by parts of tf32 against those of multiply-adds.

precision.py TC-RUN CHIP

Runs one schedule on the emulator over sums of 700 terms from several distributions, and
prints for each whether results are further from the exact ones than those of a chain of
multiply-adds in f32, over the sum of the absolute terms: by the furthest, and by the root
mean square. And whether infinities and NaN come out as they do there.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

ROWS, COLUMNS, TERMS = 33, 40, 700
SCHEDULE = (
    "#tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16],"
    ' stages = 2, kernel = mma, unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>'
)


def draw(kind, random):
    """Rows and columns of one distribution."""
    shapes = ((ROWS, TERMS), (TERMS, COLUMNS))
    if kind == "positive":
        return [random.uniform(0, 1, shape).astype("f4") for shape in shapes]
    both = [random.uniform(-1, 1, shape).astype("f4") for shape in shapes]
    if kind == "wide":
        both = [x * np.exp2(random.integers(-30, 30, x.shape)).astype("f4") for x in both]
    a, b = both
    if kind == "cancelling":
        # The second half takes the first away, but for its last bits.
        half = TERMS // 2
        a[:, half:] = -a[:, :half] * np.float32(1 + 2.0**-20)
        b[half:] = b[:half]
    if kind == "neighbours":
        # Each second term takes away the one before.
        a[:, 1::2] = -a[:, ::2] * np.float32(1 + 2.0**-20)
        b[1::2] = b[::2]
    if kind == "special":
        a[0, 5], a[1, 6], a[2, 7] = np.inf, -np.inf, np.nan
        a[3, 8], a[3, 9] = np.inf, np.inf
        b[9, :] = -abs(b[9, :])
        a[4, 10] = np.float32(3.4028235e38)
        b[10, :] = np.float32(0.5)
    return a, b


def chain(a, b):
    """One multiply-add in f32 after the other; of doubles rounded once, nearly always."""
    sums = np.zeros((ROWS, COLUMNS), "f4")
    for k in range(TERMS):
        product = a[:, k, None].astype("f8") * b[None, k].astype("f8")
        sums = (sums.astype("f8") + product).astype("f4")
    return sums


def run(tool, chip, a, b, folder):
    paths = [os.path.join(folder, name) for name in ("a.npy", "b.npy", "c.npy")]
    np.save(paths[0], a)
    np.save(paths[1], b)
    subprocess.run(
        [tool, "--einsum=ik,kj->ij", f"--sizes=i={ROWS},k={TERMS},j={COLUMNS}", "--precision=tf32x3",
         f"--chip={chip}", "--device=emulator", f"--schedule={SCHEDULE}", f"--inputs={paths[0]},{paths[1]}",
         f"--output={paths[2]}"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return np.load(paths[2])


def main(tool, chip):
    np.seterr(all="ignore")
    random = np.random.default_rng(7)
    for kind in ("both signs", "positive", "wide", "cancelling", "neighbours", "special"):
        a, b = draw(kind, random)
        with tempfile.TemporaryDirectory() as folder:
            found = run(tool, chip, a, b, folder)
        expected = chain(a, b)
        if kind == "special":
            same = np.where(np.isfinite(expected), np.isfinite(found), 0)
            same = np.where(np.isnan(expected), np.isnan(found), same)
            same = np.where(np.isinf(expected), found == expected, same)
            print(f"{kind}: {'as' if same.all() else 'not as'} multiply-adds")
            continue
        exact = a.astype("f8") @ b.astype("f8")
        scale = abs(a).astype("f8") @ abs(b).astype("f8")
        errors = [abs(x - exact) / scale for x in (found, expected)]
        ratios = [f(errors[0]) / f(errors[1]) for f in (np.max, lambda e: np.sqrt(np.mean(e * e)))]
        verdict = next((name for name, most in (("no further", 1), ("twice as far", 2)) if max(ratios) <= most), "far")
        print(f"{kind}: {verdict}")


if __name__ == "__main__":
    main(*sys.argv[1:])
