"""Sets the limits at which a program takes another version of a nest, for some data sets
(docs/Flattening.md, Thresholds).

A limit is compared with a number that follows from extents. For each limit, from the last one
in the program on, every data set is tried with the comparison true and false, where what is
compared behind it has been set already; so there are a few runs for each limit and data set,
and none for what a run before has shown. The times say in which interval the data set wants
the limit to be, and the limit is where all of these meet: Henriksen, Thoroe, Elsman and Oancea,
"Incremental flattening for nested data parallelism", PPoPP 2019, section 4.2."""

import dataclasses
import math

VERSION = 1  # kThresholdsVersion in tc/Analysis/Tuning.h.
NEVER = 2**63 - 1  # No number reaches it.
ALWAYS = 0
NEAR = 1.01  # Less than a hundredth can neither a count nor a clock tell.


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of one data set."""

    seconds: float
    compared: list  # (limit, number), in the order of the program
    limits: dict  # by name: what was compared with

    def decisions(self, limits):
        """Which numbers reach `limits`."""
        return [number >= limits[name] for name, number in self.compared]

    def numbers(self, name):
        return [number for limit, number in self.compared if limit == name]


class Runs:
    """Runs of one data set. `run(limits)` makes one; those that decide alike are one run."""

    def __init__(self, run):
        self._run, self._known = run, []

    def get(self, limits):
        for known in self._known:
            if known.decisions(known.limits) == known.decisions(limits):
                return known
        self._known.append(self._run(limits))
        return self._known[-1]

    @property
    def count(self):
        return len(self._known)


def find_ways(runs, names):
    """By name of each limit that the data set comes to: those before it that have to be out of
    reach for that, where all others are reached."""
    ways = {}

    def visit(way):
        limits = {name: NEVER if name in way else ALWAYS for name in names}
        for name, _ in runs.get(limits).compared:
            if name not in ways:
                ways[name] = way
                visit(way | {name})

    visit(frozenset())
    return ways


@dataclasses.dataclass(frozen=True)
class Choice:
    """What one data set takes on both sides of a limit."""

    reached: float  # seconds
    missed: float
    least: int  # the numbers that are compared: a limit up to `least` is reached by all,
    most: int  # one above `most` by none

    def cost(self, limit):
        """The time over that of the better side."""
        time = self.reached if limit <= self.least else self.missed
        if self.least < limit <= self.most:  # Not tried: some of each.
            time = max(self.reached, self.missed)
        cost = time / min(self.reached, self.missed)
        return cost if cost > NEAR else 1.0


def choose_limit(choices, default):
    """The limit of the least mean cost; of these, which are an interval or several, the one
    that is nearest to the default."""
    edges = {ALWAYS, NEVER}
    for choice in choices:
        edges |= {choice.least, choice.least + 1, choice.most + 1}
    edges = sorted(edge for edge in edges if edge <= NEVER)
    candidates = edges + [default]
    cost = {limit: sum(choice.cost(limit) for choice in choices) for limit in candidates}
    least = min(cost.values()) + 1e-9

    def distance(limit):
        return abs(math.log2(limit + 1) - math.log2(default + 1))

    return min((limit for limit in candidates if cost[limit] <= least), key=distance)


def tune(all_runs, defaults, tell=lambda line: None):
    """The limits by name, for data sets whose runs are `all_runs`. `defaults` has the limits
    in the order of the program."""
    names = list(defaults)
    all_ways = [find_ways(runs, names) for runs in all_runs]
    limits = {}
    for name in reversed(names):
        choices = []
        for runs, ways in zip(all_runs, all_ways):
            if name not in ways:
                continue
            before = {other: NEVER if other in ways[name] else ALWAYS for other in names}
            sides = [runs.get(before | limits | {name: side}) for side in (ALWAYS, NEVER)]
            numbers = sides[0].numbers(name)
            times = [side.seconds for side in sides]
            choices.append(Choice(*times, min(numbers), max(numbers)))
        limits[name] = choose_limit(choices, defaults[name]) if choices else defaults[name]
        tell(describe(name, choices, limits[name], defaults[name]))
    return {name: limits[name] for name in names}


def describe(name, choices, limit, default):
    """A line on what was found of one limit."""
    if not choices:
        return f"{name}: no data set comes to it; {default} stays"
    sides = ", ".join(
        f"{choice.most}: {choice.reached * 1e6:.4g} or {choice.missed * 1e6:.4g} us"
        for choice in choices
    )
    word = {ALWAYS: "always", NEVER: "never"}.get(limit, limit)
    return f"{name}: {sides}; {word}" + ("" if limit != default else ", the default")
