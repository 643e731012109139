#!/usr/bin/env python3
"""How far sums of products by tensor instructions are from exact ones, by their length.

For each chip, precision and distribution of the inputs, kernels of 1,024 sums run on the
emulator, which adds as the tensor unit of the chip does (--arithmetic=hardware). An error is
the difference from the sum in f64, over 2^-24 times the sum of the absolute terms. Beside it
stands that of multiply-adds in f32, one after the other. Writes reports/accuracy.csv into
the build folder, and with --save also results/accuracy.csv here, which plot.py draws. Nothing
is measured. The exit status is 1 where sums are not as accurate as docs/Accuracy.md promises.

Needs NumPy (Debian: python3-numpy).
"""

import argparse
import concurrent.futures
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import static

HERE = pathlib.Path(__file__).parent
SIDE = 32  # rows and columns
LENGTHS = [16, 64, 256, 1024, 4096, 16384, 100000]
CHIPS = ["sm_80", "sm_90a"]
# The instruction, and the type of the inputs, by what a user asks for.
FORMS = {
    "tf32": ("m16n8k8.tf32", "f32"),
    "tf32x3": ("m16n8k8.tf32", "f32"),
    "bf16": ("m16n8k16.bf16", "f32"),
    "bf16x3": ("m16n8k16.bf16", "f32"),
    "bf16x6": ("m16n8k16.bf16", "f32"),
    "bf16x9": ("m16n8k16.bf16", "f32"),
    "f16": ("m16n8k16.f16", "f16"),
    "c64_tf32x3": ("m16n8k8.tf32", "c64"),
    "c64_bf16x6": ("m16n8k16.bf16", "c64"),
    "c64_bf16x9": ("m16n8k16.bf16", "c64"),
}
# The same with so many terms promoted together as stand behind the colon: `promote` of a unit.
PROMOTED = ["f16:16", "f16:32", "f16:128", "bf16:32", "tf32:32", "tf32x3:16"]
FORMS.update({form: FORMS[form.split(":")[0]] for form in PROMOTED})
NUMPY = {"f32": "f4", "f16": "f2", "c64": "c8"}
EXACT = {"f4": "f8", "f2": "f8", "c8": "c16"}
DISTRIBUTIONS = ["both signs", "positive", "wide", "cancelling", "neighbours", "special"]
# From which length on the largest error and the root mean square are no larger than those of
# multiply-adds.
PROMISED = {"tf32x3": 256, "bf16x6": 64, "bf16x9": 64, "c64_tf32x3": 64, "c64_bf16x6": 64, "c64_bf16x9": 64}
PROMISED.update({"f16:16": 64, "f16:32": 256, "tf32x3:16": 256})
# How much larger those of shorter sums are at most: a complex term is two.
SHORTER = {form: 2.5 if form.startswith("c64") else 2 for form in PROMISED}
SHORTER["tf32x3:16"] = 2.5
# What a single product is off by at most, over 2^-24 of it, before it is cut to f32.
LOSSES = {"tf32": 2**14, "tf32x3": 8, "bf16": 2**17, "bf16x3": 2**9, "bf16x6": 1, "bf16x9": 0, "f16": 0}
LOSSES.update({f"c64_{form}": LOSSES[form] for form in ("tf32x3", "bf16x6", "bf16x9")})
LOSSES.update({form: LOSSES[form.split(":")[0]] for form in PROMOTED})
CUT = 2
COLUMNS = ["chip", "distribution", "precision", "terms", "max", "rms", "fma_max", "fma_rms"]
SCHEDULE = (
    "#tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = {}], stages = 2, "
    'kernel = mma, unit = <"{}", m = [i = 8], n = [j = 4], k = [k = 4]{}>>'
)


def get_schedule(form):
    promote = form.partition(":")[2]
    step = max(16, int(promote or 0))
    return SCHEDULE.format(step, FORMS[form][0], f", promote = {promote}" if promote else "")


def draw(kind, terms, random):
    """Rows and columns of one distribution."""
    shapes = ((SIDE, terms), (terms, SIDE))
    if kind == "positive":
        return [random.uniform(0, 1, shape).astype("f4") for shape in shapes]
    if kind == "wide":
        scale = lambda shape: np.exp(random.uniform(-7, 7, shape))
        return [(random.standard_normal(shape) * scale(shape)).astype("f4") for shape in shapes]
    a, b = (random.uniform(-1, 1, shape).astype("f4") for shape in shapes)
    if kind == "cancelling":
        # The second half takes the first away, but for its last bits.
        half = terms // 2
        a[:, half:] = -a[:, : terms - half] * np.float32(1 + 2.0**-20)
        b[half:] = b[: terms - half]
    if kind == "neighbours":
        # Each second term takes away the one before, so that multiply-adds hardly round.
        a[:, 1::2] = -a[:, : terms // 2 * 2 : 2] * np.float32(1 + 2.0**-20)
        b[1::2] = b[: terms // 2 * 2 : 2]
    if kind == "special":
        # Infinities alone, of both signs, and times zero; NaN; and too large a sum.
        a[0, 5], a[1, 6], a[2, 7] = np.inf, -np.inf, np.nan
        a[3, 8], a[3, 9] = np.inf, np.inf
        b[9] = -abs(b[9])
        a[4, 10], b[10] = np.float32(1e38), np.float32(100)
        b[3, 4], a[5, 3] = 0, np.inf
    return a, b


def draw_complex(kind, terms, random):
    parts = [draw(kind, terms, random) for _ in range(2)]
    if kind == "special":
        # Two sums that are too large would cancel where they are not rounded between.
        parts[1][0][4, 10], parts[1][1][10] = 0.5, 0.25
    # Times the imaginary unit an infinity would be NaN.
    return [np.stack(pair, axis=-1).view("c8")[..., 0] for pair in zip(*parts)]


def chain(a, b):
    """One multiply-add in f32 after the other: of doubles rounded once, nearly always."""

    def add(sums, left, right):
        product = left[:, None].astype("f8") * right[None].astype("f8")
        return (sums.astype("f8") + product).astype("f4")

    real = np.zeros((a.shape[0], b.shape[1]), "f4")
    imaginary = real.copy()
    for left, right in zip(a.T, b):
        real = add(real, left.real, right.real)
        if np.iscomplexobj(a):
            real = add(real, -left.imag, right.imag)
            imaginary = add(add(imaginary, left.real, right.imag), left.imag, right.real)
    return np.stack([real, imaginary], axis=-1).view("c8")[..., 0] if np.iscomplexobj(a) else real


def run(tool, chip, form, a, b, folder, arithmetic):
    """The sums of a kernel with tensor instructions."""
    dtype = FORMS[form][1]
    # A sum of one term is none to the compiler.
    if a.shape[1] == 1:
        a, b = np.pad(a, ((0, 0), (0, 1))), np.pad(b, ((0, 1), (0, 0)))
    paths = [os.path.join(folder, name) for name in ("a.npy", "b.npy", "c.npy")]
    np.save(paths[0], a)
    np.save(paths[1], b)
    command = [
        tool,
        "--einsum=ik,kj->ij",
        f"--sizes=i={a.shape[0]},k={a.shape[1]},j={b.shape[1]}",
        f"--chip={chip}",
        "--device=emulator",
        "--checks=none",
        f"--arithmetic={arithmetic}",
        f"--schedule={get_schedule(form)}",
        f"--inputs={paths[0]},{paths[1]}",
        f"--output={paths[2]}",
    ]
    precision = "ieee" if dtype == "f16" else form.split(":")[0].split("_")[-1]
    command += [f"--dtype={'f16,f16->f32' if dtype == 'f16' else dtype}", f"--precision={precision}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(paths[2])


def are_alike(found, expected):
    """Is each infinity and each NaN where it is expected, and no other?"""
    if np.iscomplexobj(found):
        return are_alike(found.real, expected.real) and are_alike(found.imag, expected.imag)
    same = np.where(np.isfinite(expected), np.isfinite(found), found == expected)
    return bool(np.where(np.isnan(expected), np.isnan(found), same).all())


def get_errors(found, a, b):
    """The largest error and the root mean square, over 2^-24 of the absolute terms."""
    a, b = (x.astype(EXACT[x.dtype.str[1:]]) for x in (a, b))
    exact, scale = a @ b, abs(a) @ abs(b)
    errors = abs(found - exact) / scale * 2**24
    return float(errors.max()), float(np.sqrt((errors**2).mean()))


def find_faults(kind, form, terms, own, fma):
    """What is promised of a form and does not hold."""
    if terms == 1:
        # A complex product is cut twice for each component.
        most = LOSSES[form] + CUT * (3 if form.startswith("c64") else 1)
        return [f"expected products off by at most {most}, got {own[0]:.3g}"] if own[0] > most else []
    if form not in PROMISED:
        return []
    # Where multiply-adds hardly round, what two parts lack of each number stands out. It has
    # nothing to do with what they lack of the next one: by the square root of their number.
    if kind == "neighbours" and "tf32x3" in form:
        most = LOSSES[form] / terms**0.5
        return [f"expected an error of at most {most:.3g}, got {own[0]:.3g}"] if own[0] > most else []
    most = SHORTER[form] if terms < PROMISED[form] else 1
    return [
        f"expected a {name} error of at most {most} times {least:.3g}, got {error:.3g}"
        for name, error, least in zip(("largest", "mean"), own, fma)
        if error > most * least
    ]


def examine(tool, kind, terms, chips, forms, options):
    """Rows of the table for one draw, and what does not hold for it."""
    seed = [options.seed, terms, DISTRIBUTIONS.index(kind)]
    rows, faults = [], []
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory() as folder:
        for dtype in sorted({FORMS[form][1] for form in forms}):
            inputs = (draw_complex if dtype == "c64" else draw)(kind, terms, np.random.default_rng(seed))
            a, b = (x.astype(NUMPY[dtype]) for x in inputs)
            expected = chain(a, b)
            fma = (0, 0) if kind == "special" else get_errors(expected, a, b)
            for form in (form for form in forms if FORMS[form][1] == dtype):
                for chip in chips:
                    found = run(tool, chip, form, a, b, folder, options.arithmetic)
                    where = f"{chip}, {kind}, {form}, {terms} terms"
                    if kind == "special":
                        if form in PROMISED and not are_alike(found, expected):
                            faults.append(f"{where}: expected infinities and NaN as with multiply-adds")
                        continue
                    own = get_errors(found, a, b)
                    numbers = [float(f"{x:.3g}") for x in (*own, *fma)]
                    rows.append(dict(zip(COLUMNS, [chip, kind, form, terms, *numbers])))
                    faults += [f"{where}: {fault}" for fault in find_faults(kind, form, terms, own, fma)]
    return rows, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--terms", default=",".join(map(str, LENGTHS)), help="lengths of the sums")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--precisions", default=",".join(FORMS))
    parser.add_argument("--arithmetic", default="hardware", choices=["hardware", "exact"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="also write results/")
    options = parser.parse_args()
    forms = options.precisions.split(",")
    if unknown := [form for form in forms if form not in FORMS]:
        parser.error(f"expected precisions of {', '.join(FORMS)}, got {unknown[0]}")
    tool = os.path.join(options.build, "bin", "tc-run")
    lengths = [int(terms) for terms in options.terms.split(",")]
    # Special numbers have their places.
    cases = [(kind, terms) for kind in DISTRIBUTIONS for terms in lengths if kind != "special" or terms > 10]
    rows, faults = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        examined = pool.map(lambda case: examine(tool, *case, options.chips.split(","), forms, options), cases)
        for more, wrong in examined:
            rows += more
            faults += wrong
    _, commit = static.describe_machine()
    head = [f"commit: {commit}", "errors over 2^-24 times the sum of the absolute terms, on the emulator, not measured"]
    tables = [os.path.join(options.build, "reports", "accuracy.csv")]
    if options.save:
        tables.append(HERE / "results/accuracy.csv")
    for table in tables:
        static.write_csv(table, rows, head, COLUMNS)
        print(table)
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(rows)} sets of sums, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
