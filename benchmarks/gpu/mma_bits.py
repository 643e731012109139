#!/usr/bin/env python3
"""Compares `mma.sync` of a device with the emulator, bit by bit.

`mma_bits.py run --output=FILE.npz` does random products of each form on a device, and
writes a digest of the results of each product, and all bits of the first ones. It needs
a driver and NumPy. `mma_bits.py compare FILE.npz` does the same products on the
emulator, which adds as the tensor unit of that device, and says how many differ; beside
it, how many differ from sums that are rounded once. The exit status is 1 if any differs
from the unit. All NaNs are taken as one.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import sys
import threading
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

from harness import matrix, products, results  # noqa: E402
from harness.driver import DriverError, address, find_driver  # noqa: E402

FORMAT, VERSION = "tc-mma-bits", 1
BATCH_BYTES = 4 << 20
COLUMNS = ["form", "products", "differ", "differ_from_exact", "kinds", "example"]


class Runner:
    """Does products of one form on a device, batch by batch on several host threads:
    the device is the smaller part of the work."""

    def __init__(self, driver, form, seed, chip):
        self.driver, self.form = driver, form
        self.made = products.Products(form, seed, matrix.FORMS.index(form))
        self.module = driver.load(matrix.write_product(form, chip))
        self.kernel = self.module.kernel("product")
        self.lock = threading.Lock()
        self.width, self.results = form.width // 8, form.registers[2]
        size = 32 * self.width * self.made.registers
        self.batch = max(BATCH_BYTES // size // products.PERIOD, 1) * products.PERIOD
        self.source = driver.allocate(self.batch * size)
        self.target = driver.allocate(self.batch * size)

    def close(self):
        self.driver.free(self.source)
        self.driver.free(self.target)
        self.module.unload()

    def launch(self, inputs):
        """The registers of the results."""
        self.driver.write(self.source, inputs)
        arguments = [address(self.target), address(self.source)]
        self.kernel.launch((len(inputs), 1, 1), (32, 1, 1), arguments)
        count = len(inputs) * self.results * 32
        found = self.driver.read(self.target, count, self.made.dtype)
        return found.reshape(len(inputs), self.results, 32)

    def run(self, first, count, kept, modes=(None,)):
        """Of each mode of the emulator: (digests, all bits of the first `kept`)."""
        starts = range(first, first + count, self.batch)
        with concurrent.futures.ThreadPoolExecutor(min(os.cpu_count() or 1, 8)) as pool:
            parts = list(pool.map(lambda at: self._do_batch(at, first, count, kept, modes), starts))
        return [tuple(map(numpy.concatenate, zip(*of_mode))) for of_mode in zip(*parts)]

    def _do_batch(self, start, first, count, kept, modes):
        wanted = min(self.batch, first + count - start)
        made = -(-wanted // products.PERIOD) * products.PERIOD
        inputs = self.made.make(start, made)[:wanted]
        found = []
        with self.lock:
            self.driver.call("cuCtxSetCurrent", self.driver.context)
            for mode in modes:
                if mode:
                    set_option(self.driver, "arithmetic", mode)
                found.append(self.launch(inputs))
        some = max(first + kept - start, 0)
        return [(products.digest(self.form, bits), bits[:some]) for bits in found]


def set_option(driver, name, value):
    if driver.library.tcEmuSetOption(name.encode(), value.encode()):
        raise ValueError(f"the emulator does not take {name}={value}")


def say(line):
    print(line, file=sys.stderr, flush=True)


def choose_forms(options):
    names = [form.name for form in matrix.FORMS]
    wanted = options.forms.split(",") if options.forms else names
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise ValueError(f"expected forms of {', '.join(names)}; got {', '.join(unknown)}")
    return [form for form in matrix.FORMS if form.name in wanted]


def run(options):
    """Writes what a device computes."""
    forms = choose_forms(options)
    driver = find_driver(options.driver)
    chip, arrays, refused = driver.capability, {}, {}
    first = options.first // products.PERIOD * products.PERIOD
    kept = min(options.kept, options.count)
    for form in forms:
        begin = time.monotonic()
        try:
            runner = Runner(driver, form, options.seed, chip)
        except DriverError as error:
            refused[form.name] = str(error).splitlines()[0]
            say(f"{form.name}: left out: {refused[form.name]}")
            continue
        ((digests, bits),) = runner.run(first, options.count, kept)
        runner.close()
        arrays[f"{form.name}/digests"], arrays[f"{form.name}/bits"] = digests, bits
        say(f"{form.name}: {options.count} products in {time.monotonic() - begin:.2f} s")
    head = {
        "format": FORMAT,
        "version": VERSION,
        "seed": options.seed,
        "first": first,
        "count": options.count,
        "kept": kept,
        "chip": chip,
        "device": driver.name,
        "driver": driver.version,
        "is_emulated": driver.is_emulator,
        "date": datetime.date.today().isoformat(),
        "commit": results.find_commit(),
        "refused": refused,
    }
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    numpy.savez(options.output, head=numpy.array(json.dumps(head)), **arrays)
    say(f"{len(arrays) // 2} forms of {driver.name} in {options.output}")
    return 0


def describe_example(runner, first, device, emulator):
    """The first result of the kept products that is not the same on both sides."""
    form = runner.form
    names = {"f64": "u8", "f16": "u2"}
    kind = names.get(form.d, "u4")
    sides = [products.unify_nans(form, bits).view(kind) for bits in (device, emulator)]
    elements = device.itemsize // sides[0].itemsize
    sides = [bits.reshape(*device.shape, elements) for bits in sides]
    places = numpy.argwhere(sides[0] != sides[1])
    if not len(places):
        return ""
    product, register, lane, element = map(int, places[0])
    number = first + product
    start = number // products.PERIOD * products.PERIOD
    inputs = runner.made.make(start, products.PERIOD)[number - start]
    row, column, a, b, c = products.find_terms(form, inputs, register, lane, element)
    got, expected = (bits[product, register, lane, element] for bits in sides)
    return (
        f"product {number} ({products.kind_of(number)}) row {row} column {column}: "
        f"a = {_hex(a)}; b = {_hex(b)}; c = {_hex([c])}; "
        f"device {_hex([got])}; emulator {_hex([expected])}"
    )


def _hex(words):
    return " ".join(f"{int(word):0{2 * word.dtype.itemsize}x}" for word in words)


def compare_form(runner, head, digests, bits):
    """A row of the table."""
    first, count, kept = head["first"], head["count"], head["kept"]
    found = runner.run(first, count, kept, ("hardware", "exact"))
    (hardware, hardware_bits), (exact, _) = found
    differs = numpy.flatnonzero(digests != hardware)
    of_kinds = [products.kind_of(first + int(at)) for at in differs]
    counts = {kind: of_kinds.count(kind) for kind in products.KINDS if kind in of_kinds}
    example = describe_example(runner, first, bits, hardware_bits) if len(differs) else ""
    if len(differs) and not example:
        number = first + int(differs[0])
        kind = products.kind_of(number)
        example = f"product {number} ({kind}): run --first={number} has its bits"
    return {
        "form": runner.form.name,
        "products": count,
        "differ": len(differs),
        "differ_from_exact": int((digests != exact).sum()),
        "kinds": " ".join(f"{kind}:{of_kind}" for kind, of_kind in counts.items()),
        "example": example,
    }


def load(path):
    """(head, arrays) of a file that `run` wrote."""
    file = numpy.load(path)
    head = json.loads(str(file["head"])) if "head" in file else {}
    if (head.get("format"), head.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path}: expected a file of mma_bits.py run, of version {VERSION}")
    return head, file


def compare(options):
    """Prints the table; the exit status is 1 if a form differs from the unit."""
    head, arrays = load(options.file)
    driver = find_driver(options.driver)
    if not driver.is_emulator:
        raise ValueError(f"{options.driver}: expected the driver library of the emulator")
    set_option(driver, "checks", "none")
    rows = []
    for form in choose_forms(options):
        if f"{form.name}/digests" not in arrays:
            continue
        runner = Runner(driver, form, head["seed"], head["chip"])
        digests, bits = (arrays[f"{form.name}/{name}"] for name in ("digests", "bits"))
        rows.append(compare_form(runner, head, digests, bits))
        runner.close()
        say_row(rows[-1])
    for name, why in head["refused"].items():
        say(f"{name}: left out on the device: {why}")
    if not rows:
        raise ValueError(f"{options.file}: has none of these forms")
    if options.output:
        write(options.output, rows, head)
    return 1 if any(row["differ"] for row in rows) else 0


def say_row(row):
    print(
        f"{row['form']:26} {row['products']:8} products  {row['differ']:8} differ  "
        f"{row['differ_from_exact']:8} from exact  {row['kinds']}",
        flush=True,
    )
    if row["example"]:
        print(f"    {row['example']}", flush=True)


def write(path, rows, head):
    """The table as CSV."""
    import static

    lines = [
        f"device: {head['device']}" + (" (emulated)" if head["is_emulated"] else ""),
        f"driver: {head['driver']}",
        f"commit: {results.find_commit()}, of the products {head['commit']}",
        f"date: {head['date']}",
        f"seed {head['seed']}, products from {head['first']}",
    ]
    static.write_csv(os.path.abspath(path), rows, lines, COLUMNS)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="does the products on a device")
    one.add_argument("--output", required=True, metavar="FILE", help="the .npz file to write")
    one.add_argument("--count", type=int, default=100000, help="products of each form")
    one.add_argument("--seed", type=int, default=0, help="of the random numbers")
    one.add_argument("--first", type=int, default=0, help="the number of the first product")
    one.add_argument("--kept", type=int, default=256, help="products to keep all bits of")
    two = commands.add_parser("compare", help="does them on the emulator, and compares")
    two.add_argument("file", metavar="FILE", help="what `run` wrote")
    two.add_argument("--output", metavar="FILE", help="the table as CSV")
    emulator = os.path.join(ROOT, "build", "lib", "libtc-cuda-emulator.so")
    for command, default in ((one, "default"), (two, emulator)):
        command.add_argument("--driver", default=default, help=f"a library (default: {default})")
        command.add_argument("--forms", default="", metavar="LIST", help="some forms only")
    options = parser.parse_args(arguments)
    if options.driver == "default":
        options.driver = None
    if options.command == "run" and (options.count < 1 or options.first < 0 or options.kept < 0):
        parser.error("expected a positive --count, and no negative --first or --kept")
    return options


def main(arguments=None):
    options = parse_arguments(arguments)
    try:
        return run(options) if options.command == "run" else compare(options)
    except (DriverError, ValueError, OSError) as error:
        print(f"mma_bits.py: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
