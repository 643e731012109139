"""Families of random programs, by the generators of the tests: each with the seed of its
turn, judged by NumPy or by the reference, and shrunk."""

import argparse
import json
import os
import pathlib
import random
import sys

import chains
import mutate
from findings import Case, Finding, judge

RUN_PROGRAM = "{source}/test/Programs/Inputs/run_program.py"
RANDOM_PROGRAMS = "{source}/test/Integration/Inputs/random_programs.py"
RANDOM_EINSUMS = "{source}/test/Python/Inputs/random_einsums.py"
NEST_PASSES = (
    "convert-scf-to-tc tc-distribute tc-check-nests tc-fuse-nests tc-flatten tc-bind"
    " tc-lower-reductions tc-cache tc-promote tc-map tc-sync tc-lower-microkernel"
)
REFUSALS = ("has an illegal schedule", "to name iterators")  # test/Integration
MOST_SHRUNK = 2


def _import_from(source, *folders):
    for folder in folders:
        path = os.path.join(source, "test", folder, "Inputs")
        if path not in sys.path:
            sys.path.append(path)


def _answers(tools, folder, lines, environment=()):
    """What `tc-run --batch` says of each line, and how it ended where it says less."""
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    command = ["env", *environment, "tc-run", "--batch=-", "--device=emulator", "--verify"]
    ended = tools.run(command, folder, given, seconds=20 * len(lines))
    answers = [json.loads(line) for line in ended.output.splitlines()]
    if len(answers) < len(lines):
        answers.append({"error": "tc-run died"})
    return answers


def run_contractions(_, seed, count, tools):
    """One family of test/Integration's generator a turn; Hypothesis shrinks."""
    _import_from(tools.source, "Integration")
    import random_programs
    from programs import elements, families
    from programs.coverage import Coverage
    from programs.run import TcRun, save

    os.environ.update(tools.environment())
    names = [name for name, family in families.FAMILIES.items() for _ in range(family.weight)]
    name = random.Random(seed).choice(names)
    findings = []
    with tools.temporary() as folder:
        tc_run = TcRun(f"{tools.build}/bin/tc-run", folder=folder)
        options = argparse.Namespace(
            seed=seed, types=elements.ALL, breaks=None, all_failures=False
        )
        outcome = random_programs.explore(name, count, options, tc_run, Coverage())
        tc_run.stop()
        for program, message in outcome.failures:
            path = os.path.join(folder, "program.txt")
            save(program, path)
            command = ["{python}", RANDOM_PROGRAMS, "--replay=program.txt"]
            files = {"program.txt": pathlib.Path(path).read_bytes()}
            findings.append(Finding(Case("contractions", command, files, "agrees"), message))
    return outcome.agree + len(findings), findings


def run_chains(_, seed, count, tools):
    rng = random.Random(seed)
    programs = [chains.draw_program(rng) for _ in range(count)]
    findings = []
    for number, program in enumerate(programs):
        what, _ = judge(_chain_case(program), tools)
        if what is None:
            continue
        if len(findings) < MOST_SHRUNK:
            program, what = _first_wrong_step(program, what, tools)
        findings.append(Finding(_chain_case(program), what))
    return count, findings


def _chain_case(program):
    command = ["{python}", "{source}/scripts/soak/agree.py", "program.mlir"]
    return Case("chains", command, program.files(), "agrees")


def _first_wrong_step(program, what, tools):
    """The part of a program up to the first step that is wrong."""
    for number in program.steps:
        part = program.only(number)
        said, _ = judge(_chain_case(part), tools)
        if said is not None:
            return part, said
    return program, what


def _nest_case(text, name, seed):
    command = ["{python}", RUN_PROGRAM, "program.mlir", "--seeds=1", "--tolerance=1e-5"]
    command += [f"--passes={NEST_PASSES}", "--libraries={llvm}", f"--argument=--name={name}"]
    return Case("nests", command, {"program.mlir": text.encode()}, "agrees")


def run_nests(_, seed, count, tools):
    _import_from(tools.source, "Programs")
    import random_neighbours
    import random_nests

    if seed % 2:
        texts = random_nests.write_programs(seed, count)
    else:
        texts = random_neighbours.write_programs(seed, count, has_rows=seed % 4 == 0 or None)
    with tools.temporary() as folder:
        lines = []
        for number, text in enumerate(texts):
            path = os.path.join(folder, f"f{number}.mlir")
            pathlib.Path(path).write_text(text, encoding="utf-8")
            lines.append({"case": str(number), "input": path, "name": f"f{number}"})
        order = f"TC_EMU_SCHEDULE=adversarial:{seed % 1000}"
        answers = _answers(tools, folder, lines, [order])
        whole = os.path.join(folder, "all.mlir")
        pathlib.Path(whole).write_text("\n".join(texts), encoding="utf-8")
        command = ["{python}", "{source}/test/Phases/Inputs/compare.py", whole]
        command += ["--libraries={llvm}", "--tolerance=1e-5", *NEST_PASSES.split()]
        phases = tools.run(command, folder, seconds=20 * count)
    wrong = {number for number, answer in enumerate(answers) if "error" in answer}
    if phases.status != 0:
        wrong = set(range(count))
    findings = []
    for number in sorted(wrong):
        case = _nest_case(texts[number], f"f{number}", seed)
        what, _ = judge(case, tools)
        if what is None and number < len(answers) and "error" in answers[number]:
            # Only in the order of this turn.
            line = json.dumps({**lines[number], "input": "program.mlir"}).encode() + b"\n"
            files = {"batch.jsonl": line, "program.mlir": texts[number].encode()}
            command = ["env", order, "tc-run", "--batch=batch.jsonl", "--device=emulator"]
            case = Case("nests", [*command, "--verify"], files, "agrees")
            what, _ = judge(case, tools)
        if what is not None:
            if len(findings) < MOST_SHRUNK:
                _shrink_nest(case, what, tools)
            findings.append(Finding(case, what))
    return count, findings


def _shrink_nest(case, what, tools):
    """Leaves out lines as long as the program is one, and is wrong in the same phase."""
    mark = next((line for line in what.splitlines() if "DIFFERENT" in line), "verif")

    def still(text):
        files = {**case.files, "program.mlir": text}
        with tools.temporary() as folder:
            pathlib.Path(folder, "program.mlir").write_bytes(text)
            if tools.run(["tc-opt", "program.mlir", "--tc-check-nests"], folder).status != 0:
                return False
        said, _ = judge(Case(case.family, case.command, files, "agrees"), tools)
        return said is not None and mark in said

    lines = case.files["program.mlir"].splitlines(keepends=True)
    parts = mutate.without(lines, still, 60)
    case.files["program.mlir"] = b"".join(parts)


def run_schedules(_, seed, count, tools):
    """Factors that no search would choose, of contractions; a refusal is fine."""
    _import_from(tools.source, "Integration")
    import random_schedules

    rng = random.Random(seed)
    cases = [random_schedules.draw_case(rng, number)[1] for number in range(count)]
    with tools.temporary() as folder:
        answers = _answers(tools, folder, cases)
    findings = []
    for case, answer in zip(cases, answers):
        error = answer.get("error")
        if error and not any(refusal in error for refusal in REFUSALS):
            command = ["tc-run", "--batch=batch.jsonl", "--device=emulator", "--verify"]
            files = {"batch.jsonl": json.dumps(case).encode() + b"\n"}
            findings.append(Finding(Case("schedules", command, files, "agrees"), error))
    return count, findings


def run_calls(_, seed, count, tools):
    """Calls of tc.einsum against NumPy's; Hypothesis shrinks."""
    number = str(seed % (1 << 31))
    command = ["{python}", RANDOM_EINSUMS, f"--count={count}", f"--seed={number}"]
    case = Case("calls", command, {}, "agrees", seconds=600)
    what, _ = judge(case, tools)
    return count, [] if what is None else [Finding(case, what)]


RUNS = {
    "contractions": (run_contractions, 12),
    "chains": (run_chains, 12),
    "nests": (run_nests, 6),
    "schedules": (run_schedules, 25),
    "calls": (run_calls, 60),
}
