"""One run: problem by problem, the most telling first, each contender verified and
then timed, until all is done or the time is up."""

import math
import time

import numpy

from . import ceilings, data
from .contenders import Buffers, Missing, Unsupported
from .driver import DriverError
from .reference import Reference, WrongReference
from .timing import Clock
from .verify import Verifier


class DeviceLost(RuntimeError):
    """A kernel's fault has made the context useless; a new process can go on."""


def order_by_telling(problems, counted_over_floor):
    """Groups take turns, types within them too; within each first what the counts say
    is farthest from its floor, since there the model has most to be wrong about."""
    queues = {}
    for problem in problems:
        queues.setdefault((problem.group, problem.dtype), []).append(problem)
    for queue in queues.values():
        queue.sort(key=lambda p: -counted_over_floor.get(p.key, 0))
    ordered = []
    while any(queues.values()):
        for queue in queues.values():
            if queue:
                ordered.append(queue.pop(0))
    return ordered


class Session:
    """Measures contenders on a device."""

    def __init__(self, driver, results, effort, seed, monitor=None, say=lambda line: None):
        self.driver, self.results, self.seed = driver, results, seed
        self.clock = Clock(driver, effort)
        self.filler = data.Filler(driver)
        self.monitor, self.say = monitor, say
        self.source = numpy.random.default_rng(seed)
        self.contenders, self.versions = [], {}

    # What is there.

    def find(self, contenders):
        """Asks each contender whether it is there, and writes down the answer."""
        for contender in contenders:
            try:
                version = contender.find(self.driver)
                self.contenders.append(contender)
                self.versions[contender.name] = version
                found = {"found": True, "version": version}
            except Missing as error:
                found = {"found": False, "why": str(error)}
                self.say(f"missing: {contender.name} ({error})")
            self.results.run["contenders"][contender.name] = found

    def measure_ceilings(self):
        """Unless an earlier part of the run did."""
        if not self.results.run.get("ceilings"):
            self.say("measuring the device")
            self.results.run["ceilings"] = ceilings.measure(self.clock)
            self.results.save()

    # Problems.

    def run(self, problems, deadline):
        """Measures problems in this order; how many are left when the time is up."""
        longest = 0.0
        for place, problem in enumerate(problems):
            wanted = [c for c in self.contenders if not self._is_done(problem, c)]
            if not wanted:
                self.say(f"[{place + 1}/{len(problems)}] {problem.key}: done before")
                continue
            # A problem that cannot be finished is not begun.
            if time.monotonic() + longest > deadline:
                return len(problems) - place
            begin = time.monotonic()
            rows = self._measure(problem, wanted)
            for row in rows:
                self.results.add(row)
            self.results.save()
            longest = max(longest * 0.5, time.monotonic() - begin)
            self.say(f"[{place + 1}/{len(problems)}] {problem.key}: {summarise(rows)}")
        return 0

    def _version(self, problem, contender):
        """That of the kernel, for one of a bundle."""
        try:
            return contender.find_kernel(self.driver, problem)["input_hash"]
        except (AttributeError, Unsupported):
            return self.versions[contender.name]

    def _is_done(self, problem, contender):
        return self.results.find(problem, contender.name, self._version(problem, contender))

    def _measure(self, problem, contenders):
        """The rows of one problem."""
        base = {contender.name: self._row(problem, contender) for contender in contenders}
        try:
            case = _Case(self, problem)
        except (DriverError, MemoryError) as error:
            self._check_device(error, base)
            return [row | {"status": "failed", "why": str(error)} for row in base.values()]
        try:
            case.check_reference()
            right = []
            for contender in contenders:
                prepared, found = self._prepare(case, contender, base)
                base[contender.name].update(found)
                if prepared:
                    right.append((contender, prepared))
            self._time(case, right, base)
        except WrongReference as error:
            return [row | {"status": "failed", "why": str(error)} for row in base.values()]
        finally:
            case.free()
        return list(base.values())

    def _row(self, problem, contender):
        rates = self.results.run["ceilings"]
        floor, bound = ceilings.find_floor(problem, rates, "copy_bytes_per_second")
        row = {
            "problem": problem.name,
            "group": problem.group,
            "einsum": problem.einsum,
            "sizes": problem.sizes,
            "dtype": problem.dtype,
            "contender": contender.name,
            "contender_version": self._version(problem, contender),
            "bytes": problem.bytes,
            "flops": problem.flops,
            "floor_us": floor,
            "floor_binds": bound,
        }
        if datasheet := self.results.run.get("datasheet"):
            row["datasheet_floor_us"] = ceilings.find_floor(
                problem, datasheet, "dram_bytes_per_second"
            )[0]
        return row

    def _prepare(self, case, contender, base):
        """(prepared, what goes into the row): prepared only if its result is right."""
        prepared = None
        try:
            prepared = contender.prepare(self.driver, case.problem, case.sets)
            case.poison()
            prepared.launch(0)
            self.driver.synchronize()
            verdict = case.verifier.verify(prepared.output(0))
        except Unsupported as error:
            return None, {"status": "unsupported", "why": str(error)}
        except Exception as error:  # A peer may fail in its own ways.
            self._check_device(error, base)
            if prepared:
                prepared.free()
            return None, {"status": "failed", "why": f"{type(error).__name__}: {error}"}
        found = {**verdict.as_row(), **prepared.notes}
        if not verdict.is_right:
            prepared.free()
            return None, {"status": "wrong", "why": verdict.explain(), **found}
        return prepared, {"status": "right", **found}

    def _time(self, case, right, base):
        """Times what is right, and looks at the results once more: what is wrong only
        when launches follow each other is wrong."""
        case.poison()
        try:
            timings = self.clock.compare([p.launch for _, p in right], len(case.sets))
        except Exception as error:
            self._check_device(error, base)
            for contender, _ in right:
                base[contender.name].update(status="failed", why=f"while timed: {error}")
            return
        state = self.monitor.read() if self.monitor else None
        for (contender, prepared), timing in zip(right, timings):
            row = base[contender.name]
            row.update(timing.as_row(), state=state)
            row["share_of_floor"] = row["floor_us"] / row["time_us"]
            if datasheet := row.get("datasheet_floor_us"):
                row["share_of_datasheet_floor"] = datasheet / row["time_us"]
            case.poison()
            for index in range(len(case.sets)):
                prepared.launch(index)
            self.driver.synchronize()
            for index in range(len(case.sets)):
                output = prepared.output(index)
                if output is None:
                    continue
                verdict = case.verifier.verify(output)
                if not verdict.is_right:
                    row.update(status="wrong", why=f"when repeated: {verdict.explain()}")
                    break
            prepared.free()

    def _check_device(self, error, base):
        """Raises DeviceLost if nothing works any more, with what failed written down: the
        first contender that was not tried to its end, or those that were being timed."""
        try:
            self.driver.synchronize()
            self.driver.free_bytes()
        except DriverError as fault:
            failed = [row for row in base.values() if "status" not in row][:1]
            for row in failed or [r for r in base.values() if r["status"] == "right"]:
                row.update(status="failed", why=f"{type(error).__name__}: {error}")
                self.results.add(row)
            self.results.save()
            raise DeviceLost(str(error)) from fault


class _Case:
    """A problem on the device: buffers, inputs, reference."""

    def __init__(self, session, problem):
        driver, self.problem = session.driver, problem
        self.driver, self.filler, self.session = driver, session.filler, session
        self.sets, self.owned, self.parts = [], [], []
        self.keys = [
            data.make_key(session.seed, hash_name(problem.key) + i)
            for i in range(len(problem.inputs))
        ]
        try:
            self._fill()
        except (DriverError, MemoryError):
            self.free()
            raise

    def _allocate(self, labels):
        self.owned.append(self.driver.allocate(self._size(labels)))
        return self.owned[-1]

    def _size(self, labels):
        # Whole words, so that all of it can be set.
        return -(-self.problem.count(labels) * self.problem.item_bytes // 4) * 4

    def _fill(self):
        problem, driver = self.problem, self.driver
        scratch = 16 * min(problem.count(problem.output), 1 << 26)
        free = max(driver.free_bytes() - scratch, 0)
        for _ in range(self.session.clock.sets_for(problem.bytes, free)):
            inputs = [self._allocate(labels) for labels in problem.inputs]
            for place, labels, key in zip(inputs, problem.inputs, self.keys):
                self.filler.fill(place, problem.count(labels), key, problem.dtype)
            self.sets.append(Buffers(inputs, self._allocate(problem.output)))
        self.reference = Reference(driver, problem, self.sets[0].inputs)
        self.parts.append(self.reference)
        self.verifier = Verifier(driver, problem, self.reference)
        self.parts.append(self.verifier)
        driver.synchronize()

    def check_reference(self):
        return self.reference.check(self.keys, self.session.source)

    def poison(self):
        for buffers in self.sets:
            self.filler.poison(buffers.output, self._size(self.problem.output))

    def free(self):
        try:
            for part in self.parts:
                part.free()
            for place in self.owned:
                self.driver.free(place)
        except DriverError:
            pass  # A lost device has nothing to give back.
        self.owned, self.parts = [], []


def hash_name(text):
    """A number for a name, the same in every process."""
    number = 0
    for character in text.encode():
        number = (number * 131 + character) % 2**40
    return number * 16


def summarise(rows):
    """One line on a problem: who took how long, and who is out."""
    parts = []
    for row in sorted(rows, key=lambda row: row.get("time_us", math.inf)):
        if row["status"] == "right":
            share = f"{row['share_of_floor']:.2f}"
            parts.append(f"{row['contender']} {row['time_us']:.1f} us ({share})")
        elif row["status"] != "unsupported":
            parts.append(f"{row['contender']} {row['status'].upper()}: {row['why']}")
    return ", ".join(parts) or "nothing can do it"
