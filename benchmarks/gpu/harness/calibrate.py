"""Fits the rates of a machine from kernels that each do one thing (micro.py).

Each kernel runs with one, two, three and four times the work. A line through the
times has the rate as its slope, so that what a launch takes besides is left out; the
residual says how well a line describes them. Rates have the names, and stand beside
the values, of the machine description (`rates` of a count, docs/Reports.md).
"""

import ctypes
import json
import os
import subprocess

import numpy

from . import ceilings, matrix, micro, results
from .bundle import write_json
from .driver import DriverError, address
from .nvml import Monitor
from .timing import Clock, Effort

FORMAT, VERSION = "tc-rates", 1
_WORKS = (1, 2, 3, 4)
_THREADS = 512
_CHASE_STRIDE = 4096 + 128  # bytes; another line and another page each time
_CHASED = 1024  # loads of a latency, a unit of work
_WARPS = (4, 8, 16)  # of a multiprocessor, in one block


def fit_line(works, times):
    """(slope, start, residual): of the least squares, the residual as a share of the
    longest time."""
    slope, start = numpy.polyfit(works, times, 1)
    off = numpy.abs(start + slope * numpy.asarray(works, "f8") - times).max()
    return float(slope), float(start), float(off / max(times))


class Calibration:
    """Rates of one device. `is_tiny`: on an emulator, where only the way counts."""

    def __init__(self, driver, say=lambda line: None):
        self.driver, self.say, self.is_tiny = driver, say, driver.is_emulator
        effort = Effort.least() if self.is_tiny else Effort(5000, 1000, 0.1, 1)
        self.clock = Clock(driver, effort)
        self.blocks = 1 if self.is_tiny else 2 * driver.attributes["multiprocessors"]
        self.threads = 64 if self.is_tiny else _THREADS
        self.scratch = driver.allocate(1 << 16)
        self.rates = {}

    def run(self):
        """All rates by name."""
        self.measure_clock()
        self.measure_pipes()
        self.measure_shared()
        self.measure_memory()
        self.measure_latencies()
        self.measure_matrix()
        launch = self.clock.time_launches()
        self._add("launch_seconds", launch["device_us"] * 1e-6, "s", 0.0, [])
        self._add("launch_host_seconds", launch["host_us"] * 1e-6, "s", 0.0, [])
        return self.rates

    # What all measurements have in common.

    def _add(self, name, value, unit, residual, points):
        self.rates[name] = {
            "value": value,
            "unit": unit,
            "residual": residual,
            "points": points,
        }
        self.say(f"{name}: {value:.4g} {unit} (residual {residual:.3f})")

    def _fit(self, text, arguments, rounds, blocks=None, threads=None, is_cold=False):
        """Seconds of one round, the residual, and the points of the line."""
        module = self.driver.load(text)
        kernel = module.kernel("micro")
        rounds = 1 if self.is_tiny else rounds
        grid, block = (blocks or self.blocks, 1, 1), (threads or self.threads, 1, 1)
        works = [work * rounds for work in _WORKS]
        times = []
        for work in works:
            launch = kernel.prepare(grid, block, [*arguments, ctypes.c_uint32(work)])
            times.append(ceilings.time_once(self.clock, launch, is_cold))
        module.unload()
        slope, _, residual = fit_line(works, times)
        # Noise may tilt a line the wrong way where times mean nothing.
        return max(slope, 1e-9) * 1e-6, residual, list(map(list, zip(works, times)))

    def _per_cycle(self, amount, seconds):
        """Of one multiprocessor, from what all together do in so many seconds."""
        cycles = seconds * self.rates["clock_hz"]["value"]
        count = min(self.driver.attributes["multiprocessors"], self.blocks)
        return amount / cycles / count

    # The measurements.

    def measure_clock(self):
        """Cycles over nanoseconds, under the load of one loop."""
        module = self.driver.load(micro.write_clock())
        rounds = ctypes.c_uint32(1 if self.is_tiny else 20000)
        arguments = [address(self.scratch), rounds]
        launch = module.kernel("micro").prepare((self.blocks, 1, 1), (1, 1, 1), arguments)
        for _ in range(2):
            launch()
        self.driver.synchronize()
        cycles, nanoseconds = self.driver.read(self.scratch, 2, "u8")
        module.unload()
        self._add("clock_hz", float(cycles) / max(float(nanoseconds), 1) * 1e9, "Hz", 0.0, [])

    def measure_pipes(self):
        """Lanes a cycle and multiprocessor; issued instructions with two pipes in use."""
        lanes = micro.CHAINS * micro.UNROLL * self.threads * self.blocks
        for name, text in (
            ("f32", micro.write_fma("f32")),
            ("f64", micro.write_fma("f64")),
            ("integer", micro.write_integer()),
        ):
            seconds, *rest = self._fit(text, [address(self.scratch)], 16)
            self._add(name, self._per_cycle(lanes, seconds), "lanes / cycle", *rest)
        seconds, *rest = self._fit(micro.write_integer(True), [address(self.scratch)], 16)
        issued = 2 * lanes / 32
        self._add(
            "warp_instructions", self._per_cycle(issued, seconds), "instructions / cycle", *rest
        )

    def measure_shared(self):
        """Bytes a cycle and multiprocessor by the width of a lane; as wavefronts, which
        are 128 bytes, for the widest."""
        lanes = micro.ACCESSES * self.threads * self.blocks
        for stores in (False, True):
            for width in (4, 8, 16):
                kind = "store" if stores else "load"
                text = micro.write_shared(width, stores)
                seconds, *rest = self._fit(text, [address(self.scratch)], 64)
                moved = self._per_cycle(lanes * width, seconds)
                self._add(f"shared_{kind}_bytes_{width}", moved, "bytes / cycle", *rest)
                if kind == "load" and width == 4:
                    self._add("memory", moved / 4, "lanes / cycle", *rest)
                if kind == "load" and width == 16:
                    self._add("wavefronts", moved / 128, "wavefronts / cycle", *rest)

    def measure_memory(self):
        """L2 and DRAM by pattern: whole lines by 16 or 4 bytes a lane; one sector of
        two; bytes are those of the sectors that are touched."""
        l2 = self.driver.attributes["l2_bytes"]
        for level, size, rounds in (("l2", l2 // 4, 16), ("dram", 16 * l2, 1)):
            size = 1 << 14 if self.is_tiny else size
            if not self.is_tiny:
                size = min(size, self.driver.free_bytes() // 4)
            source, target = self.driver.allocate(size), self.driver.allocate(size)
            self.driver.set_words(source, 1, size)
            for name, kind, lane, stride, sector in (
                ("bytes_per_second", "read", 16, 16, 16),
                ("read_4_bytes_per_second", "read", 4, 4, 4),
                ("read_sector_of_two_bytes_per_second", "read", 4, 64, 32),
                ("write_bytes_per_second", "write", 16, 16, 16),
                ("write_half_sector_bytes_per_second", "write", 16, 32, 32),
                ("write_word_of_sector_bytes_per_second", "write", 4, 32, 32),
                ("copy_bytes_per_second", "copy", 16, 16, 32),
            ):
                count = size // stride
                into = self.scratch if kind == "read" else target
                arguments = [address(into), address(source), ctypes.c_uint64(count)]
                blocks = self.blocks * (1 if self.is_tiny else 4)
                seconds, *rest = self._fit(
                    micro.write_global(kind, lane, stride), arguments, rounds, blocks
                )
                self._add(f"{level}_{name}", count * sector / seconds, "bytes / s", *rest)
            self.driver.free(source)
            self.driver.free(target)

    def measure_latencies(self):
        """A barrier by the threads of a block; a load that L2 or only memory has."""
        for threads in (32, 128, 256, 512, 1024):
            if self.is_tiny and threads > 128:
                continue
            seconds, *rest = self._fit(
                micro.write_barrier(), [address(self.scratch)], 64, threads=threads
            )
            name = f"barrier_{threads}_seconds"
            self._add(name, seconds / micro.ACCESSES, "s", *rest)
        count = 16 if self.is_tiny else len(_WORKS) * _CHASED
        place = self._make_chain(count)
        arguments = [address(self.scratch), address(place)]
        for level in ("l2", "memory"):
            # The warm-up leaves all of the chain in L2, unless that is overwritten.
            seconds, *rest = self._fit(
                micro.write_chase(),
                arguments,
                _CHASED // micro.ACCESSES,
                *(1, 1),
                is_cold=level == "memory",
            )
            self._add(f"{level}_latency_seconds", seconds / micro.ACCESSES, "s", *rest)
        self.driver.free(place)

    def measure_matrix(self):
        """`mma.sync` by form (matrix.py): multiply-adds a cycle and multiprocessor, of as
        many warps as do the most, and what passes from one to the next that needs its
        result. The rate is that of `Machine::getMmaPerCycle` (Target/Machine.h): so of
        halves, `f16TensorFmaPerCycle` times `mmaSyncShare`. Of 8-bit floating point,
        those whose inputs have the same type."""
        usual = self.clock
        if not self.is_tiny:
            self.clock = Clock(self.driver, Effort(2000, 500, 0.02, 1))
        for form in (form for form in matrix.FORMS if form.a == form.b):
            try:
                self._measure_form(form)
            except DriverError as error:
                self.say(f"mma_{form.name}: left out: {str(error).splitlines()[0]}")
        self.clock = usual

    def _measure_form(self, form):
        count = self.driver.attributes["multiprocessors"]
        text, arguments = micro.write_mma(form), [address(self.scratch)]
        best = None
        for warps in (1,) if self.is_tiny else _WARPS:
            blocks = 1 if self.is_tiny else count
            found = self._fit(text, arguments, 64, blocks, 32 * warps)  # a block on each
            done = micro.CHAINS * micro.PRODUCTS * warps * blocks * form.products
            rate = self._per_cycle(done, found[0])
            if best is None or rate > best[0]:
                best = rate, *found[1:]
        self._add(f"mma_{form.name}", best[0], "multiply-adds / cycle", *best[1:])
        seconds, *rest = self._fit(micro.write_mma(form, 1), arguments, 256, 1, 32)
        self._add(f"mma_latency_{form.name}_seconds", seconds / micro.PRODUCTS, "s", *rest)

    def _make_chain(self, count):
        """A ring of `count` places, each with the address of the next."""
        size = count * _CHASE_STRIDE
        place = self.driver.allocate(size)
        order = numpy.random.default_rng(0).permutation(count).astype("u8")
        order = numpy.roll(order, -int(numpy.flatnonzero(order == 0)[0]))
        words = numpy.zeros(size // 8, "u8")
        step = numpy.uint64(_CHASE_STRIDE)
        words[order * step // numpy.uint64(8)] = numpy.uint64(place) + numpy.roll(order, -1) * step
        self.driver.write(place, words)
        return place


def read_described(build, chip):
    """The rates of the machine description, by tc-run; none without it."""
    command = [
        os.path.join(build, "bin", "tc-run"),
        "--einsum=a,a->a",
        "--sizes=a=32",
        f"--chip={chip}",
        "--count",
        "--report=json",
    ]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return json.loads(run.stdout)["rates"]
    except (OSError, ValueError):
        return {}


def run(options, driver, say):
    """`run --calibrate`: writes the file of rates."""
    from .main import CHIPS, find_output

    chip = CHIPS.get(driver.capability, f"sm_{driver.capability}")
    calibration = Calibration(driver, say)
    described = read_described(options.build, chip)
    rates = calibration.run()
    for name, rate in rates.items():
        rate["described"] = described.get(name)
    monitor = Monitor("" if driver.is_emulator else driver.bus_id())
    path = find_output(options, driver, "-rates")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "emulated" if driver.is_emulator else "measured",
        "chip": chip,
        "device": driver.name,
        "driver": driver.version,
        "attributes": driver.attributes,
        "clocks": monitor.read() or {"unknown": monitor.why},
        "commit": results.find_commit(),
        "rates": rates,
    }
    if driver.is_emulator:
        content["warning"] = "an emulator ran this: no rate says anything about a GPU"
        say(content["warning"])
    write_json(path, content)
    say(f"{len(rates)} rates in {path}")
    return 0
