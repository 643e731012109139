"""Checks random schedules of random nests: check_random_scripts.py SEED COUNT FOLDER [options].

A script (random_scripts.py) that is accepted must leave a program that computes the
same, at every phase on the CPU and as PTX on the emulator with all checks. One that is
refused must name two iterations that touch one element, of which one writes, in the
order of the program, and that would change places; or say that it is not proven, which
at most 5 of 100 may.

Prints how many were accepted, refused with an example, and not proven. Exit status: 0
when all are right, 1 when one is not.
"""

import argparse
import os
import re
import subprocess
import sys

import random_scripts
import run_program
from check_random_nests import check_order

TOGETHER = 50  # programs a process runs
MOST_UNPROVEN = 0.05
NOTE = re.compile(r":(\d+):\d+: note: iteration \(([-\d, ]+)\) (reads|writes)")


class WrongError(Exception):
    """A script that should not have been accepted, or an error that says what is not so."""


def apply_script(case, number, folder):
    """What tc-opt makes of a program, and its errors."""
    path = os.path.join(folder, f"script{number}.mlir")
    with open(path, "w") as file:
        file.write(case.write_script())
    source = os.path.join(folder, f"f{number}.mlir")
    with open(source, "w") as file:
        file.write(case.text)
    done = subprocess.run(
        ["tc-opt", source, f"--transform-preload-library=transform-library-paths={path}", "--transform-interpreter"],
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1):
        raise WrongError(f"tc-opt ended with {done.returncode}\n{done.stderr}")
    return (done.stdout if done.returncode == 0 else None), done.stderr


def find_access(case, line):
    """The access of a line, and the number of its nest and of its statement."""
    for n, nest in enumerate(case.nests):
        for s, statement in enumerate(nest.statements):
            for access in statement:
                if access.line == line:
                    return access, n, s
    raise WrongError(f"line {line} touches no memory")


def require(condition, what):
    if not condition:
        raise WrongError(what)


def judge_steps(case, first, second, before, after):
    """One of the steps must have been refused rightly, for points as they were then."""
    for points, time in case.steps:
        back = {now: point for point, now in points.items()}
        if time is None or before not in back or after not in back:
            continue
        if (
            before < after
            and first.element(back[before]) == second.element(back[after])
            and time(before) >= time(after)
        ):
            return
    raise WrongError("no step changes the order of these iterations, or they do not meet")


def judge_refusal(case, errors):
    """True if an example is given and right, false if the step is not proven."""
    if "not proven" in errors:
        return False
    if case.kind == "store_in":
        judge_storage(case, errors)
        return True
    notes = [(int(line), tuple(map(int, index.split(",")))) for line, index, _ in NOTE.findall(errors)]
    require(len(notes) == 2, f"no example:\n{errors}")
    (line1, before), (line2, after) = notes
    (first, nest1, statement1), (second, nest2, statement2) = (find_access(case, n) for n in (line1, line2))
    require(first.writes or second.writes, "both read")
    if case.kind == "wavefront":
        return judge_wavefront(case, first, second, before, after)
    if case.kind == "steps":
        judge_steps(case, first, second, before, after)
        return True
    require(first.element(before) == second.element(after), "they do not meet")
    if case.kind == "compute_at":
        raise WrongError("nobody writes what the producer reads before its consumer")
    points = set(case.nests[0].points())
    require(before in points and after in points, "no such iterations")
    if case.kind == "fuse":
        is_par = case.nests[0].kind == "tc.par"
        require((nest1, nest2) == (0, 1), "not of the first and the second nest")
        require(before != after if is_par else before > after, "they keep their order")
    else:
        require(statement1 >= case.cut > statement2, "not cut")
        require(before < after, "they keep their order")
    return True


def may_precede(case, first, second, is_certain=False):
    """May the first of two accesses, (access, nest, statement, point), run before the other?"""
    (a, nest1, statement1, p), (b, nest2, statement2, q) = first, second
    if nest1 != nest2:
        return nest1 < nest2
    if p != q:
        return p < q if case.nests[nest1].kind == "tc.seq" else not is_certain
    # A statement loads, in the order of the lines, and then stores.
    return (statement1, a.line) < (statement2, b.line)


def find_place(case, element):
    """Where an element lies: T in places of its own, or those of D."""
    array, *subscripts = element
    if " in %d " in case.script:
        return ("D", *subscripts)
    return (array, *(case.place(subscripts) if array == "T" else subscripts))


def judge_storage(case, errors):
    """Is a value lost? A write of it, if it is not there from the beginning, one of another
    element to its place, and a read, if it is not needed at the end."""
    pattern = r":(\d+):\d+: note: iteration \(([-\d, ]+)\) (?:reads|writes) (a value|another one|the value)"
    told = {}
    for line, index, what in re.findall(pattern, errors):
        access, nest, statement = find_access(case, int(line))
        # What is stored in D is of the one iteration round the nests, too.
        point = tuple(map(int, index.split(",")))[-len(case.nests[0].lower) :]
        require(point in set(case.nests[nest].points()), "no such iteration")
        told[what] = (access, nest, statement, point)
    write, other, read = (told.get(what) for what in ("a value", "another one", "the value"))
    require(other and other[0].writes, f"no example:\n{errors}")
    place = find_place(case, other[0].element(other[3]))
    value = read or write
    if value:
        element = value[0].element(value[3])
        require(element != other[0].element(other[3]), "one element")
        require(find_place(case, element) == place, "they lie in two places")
    else:
        element = place
    if write:
        require(write[0].writes and write[0].element(write[3]) == element, "another value is written")
        require(may_precede(case, write, other), "the value is written later")
    if "independent" in errors:
        require(not may_precede(case, write, other, True), "the writes are in an order")
        require(not may_precede(case, other, write, True), "the writes are in an order")
        return
    if read:
        require(may_precede(case, other, read), "the value is read before")
    else:
        require("needed at the end" in errors and element[0] == "D", "nobody needs the value")
    if write:
        return
    for n, nest in enumerate(case.nests):
        for s, statement in enumerate(nest.statements):
            for point in nest.points():
                store = (statement[-1], n, s, point)
                if statement[-1].element(point) == element:
                    require(read and not may_precede(case, store, read, True), "it is written before")


def judge_wavefront(case, first, second, before, after):
    """The interchange of the skewed nest was refused, or the innermost loop is not parallel."""
    points = case.nests[0].points()
    rank = len(case.nests[0].lower)

    def skew(point):
        return (point[0], point[1] + case.factor * point[0], *point[2:])

    def interchange(point):
        return (skew(point)[1], point[0], *point[2:])

    if len(before) == rank:
        back = {skew(point): point for point in points}
        require(before in back and after in back, "no such iterations")
        p, q = back[before], back[after]
        require(before < after and interchange(p) >= interchange(q), "they keep their order")
        require(first.element(p) == second.element(q), "they do not meet")
        return True
    # One loop is told of; the outer ones have some index, the same for both.
    require(
        any(
            interchange(p)[:-1] == interchange(q)[:-1]
            and (interchange(p)[-1],) == before
            and (interchange(q)[-1],) == after
            and first.element(p) == second.element(q)
            for p in points
            for q in points
        )
        and before < after,
        "no such iterations of one diagonal meet",
    )
    return True


def check_results(programs, options):
    """What compare.py says of the first batch that computes something else than as written."""
    for first in range(0, len(programs), TOGETHER):
        paths = [os.path.join(options.folder, name) for name in ("written.mlir", "scheduled.mlir")]
        for path, k in zip(paths, (1, 2)):
            with open(path, "w") as file:
                file.write("\n".join(program[k] for program in programs[first : first + TOGETHER]))
        status, output = run_program.run(
            [
                sys.executable,
                os.path.join(run_program.PHASES, "compare.py"),
                paths[1],
                f"--reference={paths[0]}",
                f"--libraries={options.libraries}",
                *options.passes,
            ]
        )
        if status != 0:
            return f"{paths[1]}:\n{output}"
    return ""


def strip(text, number):
    """The functions of a module, for a file of many."""
    text = text.replace("module {", "", 1).rstrip().removesuffix("}")
    return text.replace("#map", f"#of_f{number}_")


def check(options):
    os.makedirs(options.folder, exist_ok=True)
    accepted, refused, unproven = [], 0, 0
    for number in range(options.count):
        case = random_scripts.draw_case(options.seed, number)
        made, errors = apply_script(case, number, options.folder)
        try:
            if made is not None:
                accepted.append((number, case.text, strip(made, number)))
            elif judge_refusal(case, errors):
                refused += 1
            else:
                unproven += 1
        except WrongError as error:
            print(f"f{number}: {error}\n{case.text}{case.script}\n{errors}")
            return 1
    print(f"{len(accepted)} accepted, {refused} refused with an example, {unproven} not proven")
    if unproven > MOST_UNPROVEN * options.count:
        return 1
    difference = check_results(accepted, options)
    if difference:
        print(difference)
        return 1
    paths = []
    for number, _, text in accepted:
        paths.append((os.path.join(options.folder, f"g{number}.mlir"), f"f{number}"))
        with open(paths[-1][0], "w") as file:
            file.write(text)
    failed = check_order(paths, f"adversarial:{options.seed}")
    if failed:
        print("\n".join(failed[: options.most]))
        return 1
    print("what was accepted computes the same")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    parser.add_argument("--passes", type=str.split, default=[])
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--most", type=int, default=5, help="failures that are printed")
    return check(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
