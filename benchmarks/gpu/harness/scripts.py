"""Tries the options of a transform script's knobs on a program."""

import itertools
import math
import os
import re

from .search import NEAR, SearchError

MOST = 64  # combinations that are all tried; of more, one knob at a time
_OPTION = re.compile(r"remark: knob '(.*)', option (\d+): (.*)")


class Script:
    """A file of scripts whose knobs are chosen by number."""

    def __init__(self, tools, path):
        self.tools, self.path = tools, path

    def find_knobs(self):
        """The options of each knob by its name, as the script writes them."""
        passes = ["--tc-choose-knobs=list=true", "-o", os.devnull]
        knobs = {}
        for name, number, option in _OPTION.findall(
            self.tools.run("tc-opt", [self.path, *passes]).stderr
        ):
            # Knobs of one name have one choice.
            knobs.setdefault(name, {}).setdefault(int(number), option)
        return {name: list(options.values()) for name, options in knobs.items()}

    def write(self, choice, path):
        """The script with an option chosen for each knob."""
        chosen = ",".join(f"{name}={number}" for name, number in choice.items())
        self.tools.run("tc-opt", [self.path, f"--tc-choose-knobs=knobs={chosen}", "-o", path])

    def apply(self, choice, program, folder):
        """The program that the script makes, a file of the folder."""
        script = os.path.join(folder, "script.mlir")
        scheduled = os.path.join(folder, "scheduled.mlir")
        self.write(choice, script)
        library = f"--transform-preload-library=transform-library-paths={script}"
        options = [program, library, "--transform-interpreter", "-o", scheduled]
        self.tools.run("tc-opt", options)
        return scheduled


class Attempts:
    """What choices take, each tried once; `try_choice` gives the seconds of one, or raises
    SearchError where it is refused. `tell` hears of each."""

    def __init__(self, knobs, try_choice, tell, is_time_up):
        self.knobs, self.try_choice, self.tell = knobs, try_choice, tell
        self.is_time_up, self.times = is_time_up, {}

    def get(self, numbers):
        """Seconds of the options with these numbers, in the order of the knobs."""
        if numbers not in self.times:
            choice = dict(zip(self.knobs, numbers))
            try:
                self.times[numbers] = self.try_choice(choice)
                result = f"{self.times[numbers] * 1e6:.2f} us"
            except SearchError as error:
                self.times[numbers] = math.inf
                result = str(error).partition("\n")[0]
            options = (f"{name} = {self.knobs[name][number]}" for name, number in choice.items())
            self.tell(f"{', '.join(options)}: {result}")
        return self.times[numbers]

    def find_best(self):
        """The first choice within a hundredth of the best, of all, or where those are many, of
        what one knob after another leads to."""
        ranges = [range(len(options)) for options in self.knobs.values()]
        if math.prod(map(len, ranges)) <= MOST:
            for numbers in itertools.product(*ranges):
                if self.is_time_up():
                    break
                self.get(numbers)
        else:
            self._climb(ranges)
        least = min(self.times.values(), default=math.inf)
        if least == math.inf:
            raise SearchError("expected options with which the script works, found none")
        return next(numbers for numbers, time in self.times.items() if time <= NEAR * least)

    def _climb(self, ranges):
        best, before = tuple(0 for _ in ranges), None
        while best != before:
            before = best
            for place, options in enumerate(ranges):
                for number in options:
                    if self.is_time_up():
                        return
                    numbers = (*best[:place], number, *best[place + 1 :])
                    if self.get(numbers) < self.get(best) / NEAR:
                        best = numbers
