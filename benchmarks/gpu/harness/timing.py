"""Times of launches on the device, as a program that has other things in its caches
would see them.

Each launch takes another set of buffers, so many that a set has left L2 before it
comes round again; where memory has no room for that, L2 is overwritten between
launches. A sample is several launches between two events, which the host has queued
before the first begins (`delay`), so that a slow host is not mistaken for a slow
kernel: what the host needs is reported apart. Contenders take turns, sample by
sample, so that a clock that falls falls on all.
"""

import ctypes
import dataclasses
import statistics
import time

from . import data

COLD_FOOTPRINT = 3  # times L2
_MOST_DELAY_US = 20000
_LEAST_SAMPLES, _MOST_SAMPLES = 5, 30


@dataclasses.dataclass
class Effort:
    """How long to measure."""

    warm_up_us: float = 20000
    sample_us: float = 1000
    seconds: float = 0.3  # a contender
    most_launches: int = 200  # a sample

    @staticmethod
    def least():
        """For what is not measured: an emulator, a test."""
        return Effort(0, 0, 0, 1)


@dataclasses.dataclass
class Timing:
    """Microseconds a launch, of several samples."""

    samples: list
    launches: int  # a sample
    caches: str  # how data was kept out of L2
    host_us: float  # to queue one launch

    def as_row(self):
        ordered = sorted(self.samples)
        quarter = len(ordered) // 4
        return {
            "time_us": statistics.median(ordered),
            "least_us": ordered[0],
            "lower_us": ordered[quarter],
            "upper_us": ordered[-1 - quarter],
            "samples": len(ordered),
            "launches": self.launches,
            "caches": self.caches,
            "host_us": self.host_us,
        }


class Clock:
    """Measures on one device."""

    def __init__(self, driver, effort):
        self.driver, self.effort = driver, effort
        self.module = driver.load(data.read_kernels("device.ptx"))
        self.delay_kernel = self.module.kernel("delay")
        self.empty_kernel = self.module.kernel("empty")
        self.start, self.stop = driver.event(), driver.event()
        self._flush = None

    def sets_for(self, footprint, free_bytes):
        """How many sets of buffers to rotate; 1: L2 has to be overwritten."""
        wanted = -(-COLD_FOOTPRINT * self.driver.attributes["l2_bytes"] // max(footprint, 1)) + 1
        if self.effort.most_launches == 1:
            return 1 if self.driver.is_emulator else 2
        room = int(free_bytes * 0.5) // max(footprint, 1)
        return max(1, min(max(wanted, 2), room, 4096))

    def flush(self):
        """Overwrites L2 twice over; does not wait."""
        size = 2 * self.driver.attributes["l2_bytes"]
        if self.driver.is_emulator:
            size = 4096  # has no cache
        if self._flush is None:
            self._flush = self.driver.allocate(size)
        self.driver.set_words(self._flush, 0, size)

    def delay(self, microseconds):
        if microseconds > 0 and not self.driver.is_emulator:
            nanoseconds = ctypes.c_uint64(int(1000 * min(microseconds, _MOST_DELAY_US)))
            self.delay_kernel.launch((1, 1, 1), (1, 1, 1), [nanoseconds])

    def run_sample(self, launch, sets, first, count, delay_us=0):
        """Microseconds a launch on the device, and what the host took."""
        if sets == 1:
            self.flush()
        self.delay(delay_us)
        self.start.record()
        begin = time.perf_counter()
        for i in range(first, first + count):
            launch(i % sets)
        host = (time.perf_counter() - begin) * 1e6 / count
        self.stop.record()
        self.stop.wait()
        return self.stop.microseconds_since(self.start) / count, host

    def compare(self, launches, sets):
        """Timings of several contenders that take turns, in the same order."""
        plans = [_Plan(self, launch, sets) for launch in launches]
        deadline = time.monotonic() + self.effort.seconds * len(plans)
        for turn in range(_MOST_SAMPLES):
            if turn >= self._least_samples() and time.monotonic() > deadline:
                break
            for plan in plans:
                plan.take_sample()
        return [plan.finish() for plan in plans]

    def _least_samples(self):
        return 2 if self.effort.seconds == 0 else _LEAST_SAMPLES

    def time_launches(self):
        """What starting a kernel takes: an empty one, one after another, on the device
        and on the host."""
        launch = self.empty_kernel.prepare((1, 1, 1), (1, 1, 1), [])
        (timing,) = self.compare([lambda _: launch()], 2)
        row = timing.as_row()
        return {"device_us": row["time_us"], "host_us": row["host_us"], "samples": row["samples"]}


class _Plan:
    """One contender: warmed up, with the number of launches a sample has."""

    def __init__(self, clock, launch, sets):
        self.clock, self.launch, self.sets = clock, launch, sets
        effort = clock.effort
        clock.run_sample(launch, sets, 0, 1)
        time_us, self.host_us = clock.run_sample(launch, sets, 1, min(3, effort.most_launches))
        self.next = 4
        spent = 4 * time_us
        while spent < effort.warm_up_us:
            count = max(1, min(effort.most_launches, int(effort.warm_up_us / max(time_us, 1))))
            time_us, self.host_us = clock.run_sample(launch, sets, self.next, count)
            self.next += count
            spent += count * time_us
        wanted = round(effort.sample_us / max(time_us, 0.1))
        # Between two launches L2 can be overwritten only if a sample is one launch.
        self.count = 1 if sets == 1 else max(1, min(effort.most_launches, wanted))
        self.samples, self.hosts = [], []

    def take_sample(self):
        delay_us = 1.5 * self.host_us * self.count + 20
        sample, host = self.clock.run_sample(
            self.launch, self.sets, self.next, self.count, delay_us
        )
        self.samples.append(sample)
        self.hosts.append(host)
        self.next += self.count

    def finish(self):
        caches = "flushed" if self.sets == 1 else f"{self.sets} sets of buffers"
        return Timing(self.samples, self.count, caches, statistics.median(self.hosts))
