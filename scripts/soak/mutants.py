"""Families of mutants: of the inputs of every parser, each given to the tool that reads
it. Those that one process can take one after the other are run so, and again by
themselves when it dies."""

import dataclasses
import json
import math
import pathlib
import random
import re

import corpus
import mutate
from findings import OUTPUT, Case, Finding, find_wrong_results, judge
from tools import LATE, is_upstream

BATCH = ["tc-run", "--batch=batch.jsonl", "--device=emulator", "--verify"]
PASSES = [
    [],
    ["--convert-linalg-to-tc", "--tc-normalize", "--tc-schedule", "--tc-tile", "--tc-promote"],
    ["--tc-bind", "--tc-lower-reductions", "--tc-cache", "--tc-promote", "--tc-map", "--tc-sync"],
    ["--convert-scf-to-tc", "--tc-check-nests", "--tc-fuse-nests", "--tc-flatten", "--tc-bind", "--tc-map", "--convert-tc-to-gpu"],
    ["--tc-raise", "--convert-linalg-to-tc", "--tc-fuse", "--tc-join-sums", "--tc-normalize", "--tc-split"],
    ["--tc-to-nvvm=format=isa"],
    ["--tc-buffers-to-nvvm=format=isa"],
    ["--canonicalize", "--cse"],
    ["--convert-linalg-to-tc", "--tc-normalize", "--tc-schedule-host", "--tc-tile-host", "--convert-tc-to-loops"],
    ["--one-shot-bufferize=bufferize-function-boundaries", "--convert-linalg-to-tc"],
]
# Where whole programs are.
RUNNABLE = ("test/Programs", "test/Integration", "test/Tools", "examples")
EMITS = "tc gpu nvvm llvm ptx package".split()
# What a machine may lack: ptxas, or one that works; libdevice; a folder for files; memory.
MISSING = [
    ["env", "TC_PTXAS=/nonexistent/ptxas"],
    ["env", "TC_PTXAS=/bin/true"],
    ["env", "TC_PTXAS=/bin/false"],
    ["env", "CUDA_HOME=/nonexistent"],
    ["env", "TMPDIR=/nonexistent"],
    ["bash", "-c", 'ulimit -v 450000; exec "$0" "$@"'],
]
# Words of promises that nobody checks.
PROMISES = (b"combine", b"neutral", b"reduc", b"distinct", b"independent", b"scan")
MOST_SHRUNK = 3  # of a turn
STOCK_RUNS = 20


def _line(**members):
    return {name: value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
            for name, value in members.items()}  # fmt: skip


def _name_of(text):
    """The first function, as a member of a batch or an option."""
    found = re.search(rb"func\.func @([A-Za-z_]\w*)", text)
    return {"name": found.group(1).decode()} if found else {}


# Each makes one case of (rng, tools). `mutant` is the name of the file that is mutated.


def _passes(rng, tools):
    texts = corpus.mlir(tools.source)
    text = mutate.mutate(rng, rng.choice(texts), rng.choice(texts))
    return Case("mlir", [], {"mutant": text.replace(b"// -----", b"")})


def _run(rng, tools):
    texts = corpus.mlir(tools.source, *RUNNABLE)
    text = mutate.mutate(rng, rng.choice(texts), rng.choice(texts))
    line = {"input": "mutant", **_name_of(text)}
    case = _batch_case("mlir-run", line, {"mutant": text})
    # A program may have a loop without an end. One that promises what it does not keep,
    # such as that a combine is associative, has no right result, and neither has one whose
    # indices leave 32 bits.
    has_none = any(word in text for word in PROMISES) or re.search(rb"\d{10}", text)
    judged = "ends" if has_none else "verifies"
    return dataclasses.replace(case, judged=judged, may_be_late=True, seconds=5)


def _emit(rng, tools):
    texts = corpus.mlir(tools.source)
    text = mutate.mutate(rng, rng.choice(texts), rng.choice(texts))
    command = ["tc-compile", "mutant", f"--emit={rng.choice(EMITS)}", "-o", OUTPUT]
    command += [f"--{option}={value}" for option, value in _name_of(text).items()]
    return Case("mlir-emit", command, {"mutant": text})


def _ptx(rng, tools):
    pairs = corpus.ptx(tools.source, tools.build)
    text, launch = rng.choice(pairs)
    mutant = mutate.mutate(rng, text, rng.choice(pairs)[0])
    return Case("ptx", ["tc-run", "--kernel=mutant", "--launch=launch.json"],
                {"mutant": mutant, "launch.json": launch}, may_be_late=True)  # fmt: skip


def _launch(rng, tools):
    axpy = corpus.ptx(tools.source, tools.build)[0][0]
    if rng.random() < 0.3:
        text = mutate.mutate(rng, corpus.LAUNCH_TEXT.encode(), b"f64[3], i8:4").replace(b"\0", b"")
        launch = text.decode(errors="surrogateescape").replace(".json", "")
        return Case("launch", ["tc-run", "--kernel=axpy.ptx", f"--launch={launch}"],
                    {"axpy.ptx": axpy}, may_be_late=True, names_outputs=True)  # fmt: skip
    text = mutate.mutate(rng, corpus.AXPY.encode(), corpus.TUNING.encode())
    return Case("launch", ["tc-run", "--kernel=axpy.ptx", "--launch=mutant.json"],
                {"mutant.json": text, "axpy.ptx": axpy}, may_be_late=True, names_outputs=True)  # fmt: skip


def _tuning(rng, tools):
    text = mutate.mutate(rng, corpus.TUNING.encode(), corpus.AXPY.encode())
    return Case("tuning", ["tc-compile", "--einsum=ij,jk->ik", "--sizes=i=5,j=4,k=3", "--emit=tc",
                           "--tuning=mutant", "-o", OUTPUT], {"mutant": text})  # fmt: skip


def _batch_case(family, line, files=None):
    text = json.dumps(_line(**line)).encode() + b"\n"
    return Case(family, BATCH, {"batch.jsonl": text, **(files or {})}, "verifies")


def _is_large(text):
    """May the problem whose extents are in `text` be late? The reference takes 20 seconds
    for some 10^8 points."""
    return math.prod(map(int, re.findall(r"\d{1,9}", text))) > 10**7


def _einsum(rng, _):
    einsum, sizes = rng.choice(corpus.EINSUMS)
    other, _ = rng.choice(corpus.EINSUMS)
    line = {"einsum": einsum, "sizes": sizes, "dtype": rng.choice(["f32", "f64", "i32", "c64"])}
    member = rng.choice(["einsum", "einsum", "einsum", "sizes", "dtype"])
    line[member] = mutate.mutate(rng, line[member].encode(), other.encode())
    may_be_late = _is_large(str(_line(**line)["sizes"]))
    return dataclasses.replace(_batch_case("einsum", line), may_be_late=may_be_late)


def _schedule(rng, _):
    einsum, sizes, schedule = rng.choice(corpus.SCHEDULES)
    other = rng.choice(corpus.SCHEDULES)[2]
    mutant = mutate.mutate(rng, schedule.encode(), other.encode())
    return _batch_case("schedule", {"einsum": einsum, "sizes": sizes, "schedule": mutant})


def _operands(rng, _):
    einsum, operands = rng.choice(corpus.OPERANDS)
    mutant = mutate.mutate(rng, operands.encode(), corpus.AXPY.encode())
    return _batch_case("operands", {"einsum": einsum, "operands": mutant})


def _batch(rng, _):
    einsum, sizes = rng.choice(corpus.EINSUMS)
    line = json.dumps({"case": "x", "einsum": einsum, "sizes": sizes, "seed": 3}).encode()
    line = mutate.mutate(rng, line, corpus.AXPY.encode()).replace(b"\n", b"")
    late = _is_large(line.decode(errors="replace"))
    return Case("batch", BATCH, {"batch.jsonl": line + b"\n"}, "verifies", may_be_late=late)


def _numpy(rng, _):
    dtype, dtype_name = rng.choice([("f4", "f32"), ("f8", "f64"), ("i4", "i32"), ("c8", "c64")])
    a = corpus.array_file((5, 4), dtype, rng.random() < 0.4)
    mutant = mutate.mutate(rng, a, corpus.array_file((3,), "i8"))
    line = {"einsum": "ij->i", "sizes": "i=5,j=4", "dtype": dtype_name, "inputs": ["mutant"]}
    return _batch_case("numpy", line, {"mutant": mutant})


def _manifest(rng, tools):
    mutant = mutate.mutate(rng, corpus.manifest(tools), corpus.TUNING.encode())
    command = ["{python}", "{source}/scripts/soak/load_manifest.py", "mutant"]
    return Case("manifest", command, {"mutant": mutant}, "agrees")


def _missing(rng, tools):
    """A program as it is, where something that the compiler needs is not at hand."""
    text = rng.choice(corpus.mlir(tools.source, *RUNNABLE))
    command = ["tc-compile", "mutant", f"--emit={rng.choice(('ptx', 'cubin'))}", "-o", OUTPUT]
    command += [f"--{option}={value}" for option, value in _name_of(text).items()]
    files = {"mutant": text, "want": b""}
    with tools.temporary() as folder:
        pathlib.Path(folder, "mutant").write_bytes(text)
        if tools.run(command, folder).status == 0:
            files["want"] = pathlib.Path(folder, OUTPUT).read_bytes()
    missing = MISSING[:-1] if tools.is_sanitized else MISSING
    return Case("missing", [*rng.choice(missing), *command], files, "same")


def join_split(cases):
    """One file of all texts."""
    return {"mutant": b"\n// -----\n".join(case.files["mutant"] for case in cases)}


def join_batch(cases):
    """One batch of all lines; files get names of their own."""
    files, lines = {}, b""
    for number, case in enumerate(cases):
        line = case.files["batch.jsonl"]
        if "mutant" in case.files:
            files[f"mutant{number}"] = case.files["mutant"]
            line = line.replace(b'"mutant"', b'"mutant%d"' % number)
        lines += line
    return {**files, "batch.jsonl": lines}


MAKERS = {
    "mlir": (_passes, join_split),
    "mlir-run": (_run, join_batch),
    "mlir-emit": (_emit, None),
    "ptx": (_ptx, None),
    "launch": (_launch, None),
    "tuning": (_tuning, None),
    "einsum": (_einsum, join_batch),
    "schedule": (_schedule, join_batch),
    "operands": (_operands, join_batch),
    "batch": (_batch, join_batch),
    "numpy": (_numpy, join_batch),
    "manifest": (_manifest, None),
    "missing": (_missing, None),
}


def _find_suspects(cases, joined, tools):
    """The cases that may have a fault, by a run of all in one process."""
    what, ended = judge(joined, tools)
    if what is None and not ended.timed_out:
        return []
    # What has an answer had its turn; the next one ended the process.
    answers = ended.output.splitlines()
    wrong = [
        case
        for case, answer in zip(cases, answers)
        if case.judged == "verifies" and find_wrong_results(answer)
    ]
    if len(answers) < len(cases):
        rest = cases[len(answers) :]
        wrong += rest[:1] + _find_suspects_of(rest[1:], joined, tools)
    return wrong


def _find_suspects_of(cases, joined, tools):
    if not cases:
        return []
    files = join_batch(cases)
    return _find_suspects(cases, dataclasses.replace(joined, files=files), tools)


def _bisect(cases, joined, tools):
    """The cases of a split file that have a fault by themselves."""
    files = join_split(cases)
    if judge(Case(joined.family, joined.command, files), tools)[0] is None:
        return []
    if len(cases) == 1:
        return cases
    half = len(cases) // 2
    return _bisect(cases[:half], joined, tools) + _bisect(cases[half:], joined, tools)


def run_turn(family, seed, count, tools):
    """(number of mutants, findings) of one turn."""
    rng = random.Random(f"{family} {seed}")
    maker, join = MAKERS[family]
    cases = [maker(rng, tools) for _ in range(count)]
    if family == "mlir":
        command = ["tc-opt", "mutant", "--split-input-file", *rng.choice(PASSES), "-o", OUTPUT]
        for case in cases:
            case.command = command
        suspects = _bisect(cases, cases[0], tools)
    elif join:
        joined = Case(family, BATCH, join(cases), "verifies", seconds=10 + len(cases) // 4)
        suspects = _find_suspects(cases, joined, tools)
    else:
        suspects = cases
    findings, seen = [], set()
    for case in suspects:
        what, ended = judge(case, tools)
        if what is None or is_upstream(ended):
            continue
        # What does not end takes too long to be tried again and again.
        if what not in seen and len(seen) < MOST_SHRUNK and what != LATE:
            _shrink(case, what, tools)
        if family.startswith("mlir") and ended.status < 0 and _dies_in_stock_parser(case, tools):
            continue
        seen.add(what)
        findings.append(Finding(case, what))
    return count, findings


def _dies_in_stock_parser(case, tools):
    """Whether `mlir-opt`, which has no line of ours, dies as it parses a mutant. Several
    runs: whether a use of freed memory shows depends on where the allocations lie."""
    command = ["mlir-opt", "mutant", "--split-input-file", "-o", OUTPUT]
    parsed = dataclasses.replace(case, command=command, judged="ends")
    return any(judge(parsed, tools)[1].status < 0 for _ in range(STOCK_RUNS))


def _shrink(case, what, tools):
    """Makes the mutated file of a case smaller, as long as the same is wrong with it."""
    for name in ("mutant", "mutant.json"):
        if name not in case.files or b"\x93NUMPY" in case.files[name][:6]:
            continue

        def still(text, name=name):
            files = {**case.files, name: text}
            smaller = dataclasses.replace(case, files=files)
            return judge(smaller, tools)[0] == what

        # A process of Python takes as long as ten of the tools.
        tries = 15 if case.family == "manifest" else 150
        case.files[name] = mutate.shrink(case.files[name], still, tries)


def count_of_turn(family):
    """How many mutants one turn has: a few seconds."""
    return {"mlir": 250, "mlir-run": 100, "schedule": 25, "batch": 40, "manifest": 8}.get(
        family, 60 if MAKERS[family][1] else 40
    )
