"""The command line of benchmarks/gpu/run."""

import argparse
import datetime
import json
import os
import secrets
import sys
import time

from . import bundle, ceilings, problem, results
from .contenders import BundleContender
from .driver import DriverError, find_driver
from .nvml import Monitor
from .peers import make_all
from .peers.cuda_kernels import CudaKernels
from .session import DeviceLost, Session, order_by_telling
from .timing import Effort

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = os.path.join(os.path.dirname(HERE), "cases", "contractions.json")
CHIPS = {75: "sm_75", 80: "sm_80", 86: "sm_86", 89: "sm_89", 90: "sm_90a", 100: "sm_100a"}


def find_build():
    """The folder whose bin/ the program was called from, installed or built; else the
    build folder."""
    called = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
    has_tools = os.path.exists(os.path.join(called, "bin", "tc-compile"))
    return called if has_tools else os.path.join(ROOT, "build")


def make_parser():
    parser = argparse.ArgumentParser(
        prog="run", description="Measures compiled contractions and their peers on a GPU."
    )
    parser.add_argument("--minutes", type=float, default=30, help="stop in so many (default 30)")
    parser.add_argument("--build", default=find_build(), help="build folder")
    parser.add_argument(
        "--bundle", help="folder of kernels (default BUILD/bundle, brought up to date)"
    )
    parser.add_argument("--cases", default=CASES, help="contractions to make a bundle of")
    parser.add_argument("--problems", default="", help="names, with commas between (default all)")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--contenders", default="", help="names (default all that are found)")
    parser.add_argument(
        "--kernels", action="append", default=[], metavar="FILE", help="description of CUDA kernels"
    )
    parser.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="where cublas, cutensor or nvrtc is",
    )
    parser.add_argument("--driver", metavar="PATH", help="library of the driver API")
    parser.add_argument("--output", help="result file (default BUILD/reports/gpu/DEVICE.json)")
    parser.add_argument("--resume", action="store_true", help="go on with the result file")
    parser.add_argument("--seed", type=int, help="of the data (default: a fresh one)")
    parser.add_argument(
        "--effort",
        choices=["full", "least"],
        default="full",
        help="least: no warm-up and two samples, to try things out",
    )
    parser.add_argument(
        "--calibrate", action="store_true", help="fit the rates of the machine instead"
    )
    return parser


def say(line):
    print(line, file=sys.stderr, flush=True)


def split(text):
    return [part for part in text.split(",") if part]


def open_bundle(options, capability):
    """The bundle that is named; else that of the build, brought up to date."""
    if options.bundle:
        return bundle.Bundle(options.bundle)
    folder = os.path.join(options.build, "bundle")
    chip = CHIPS.get(capability) or f"sm_{max(c for c in CHIPS if c <= capability)}"
    problems = load_problems(options.cases, split(options.dtypes), split(options.problems))
    say(f"compiling what is missing of {len(problems)} kernels for {chip} in {folder}")
    wanted = [(problem, chip) for problem in problems]
    try:
        faults = bundle.make(options.build, folder, wanted, commit=results.find_commit())
    except bundle.BundleError as error:  # No compiler: what is there is taken.
        faults = [str(error)]
    for fault in faults:
        say(f"FAILED {fault}")
    return bundle.Bundle(folder)


def load_problems(path, dtypes, names=(), kind=problem.Problem):
    """The problems of a file such as cases/contractions.json."""
    with open(path, encoding="utf-8") as file:
        return problem.load(json.load(file)["contractions"], dtypes, names, kind)


def choose_problems(options, kernels):
    """Those of the bundle that are wanted, the most telling first."""
    names, dtypes = split(options.problems), split(options.dtypes)
    known = {p.name for p in kernels.problems()}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"expected names of the bundle's problems, got '{unknown[0]}'")
    chosen = [
        p for p in kernels.problems() if p.dtype in dtypes and (not names or p.name in names)
    ]
    if not chosen:
        raise ValueError("expected problems of these types in the bundle, found none")
    # Only the order of these matters, so any chip's rates do.
    rates = ceilings.find_datasheet("H200")
    far = {}
    for kernel in kernels.kernels:
        if estimate := kernel["counted"] or kernel["predicted"]:
            solved = bundle.problem_of(kernel)
            floor, _ = ceilings.find_floor(solved, rates, "dram_bytes_per_second")
            far[solved.key] = estimate["seconds"] * 1e6 / floor
    return order_by_telling(chosen, far)


def choose_contenders(options, kernels, libraries):
    """Our kernels first, then peers."""
    variants = list(dict.fromkeys(kernel["variant"] for kernel in kernels.kernels))
    made = [BundleContender(kernels, variant) for variant in variants]
    made += make_all(libraries)
    made += [CudaKernels(path, libraries) for path in options.kernels]
    names = split(options.contenders)
    known = [contender.name for contender in made]
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"expected contenders of {', '.join(known)}, got '{unknown[0]}'")
    return [contender for contender in made if not names or contender.name in names]


def describe_run(driver, kernels, monitor, seed):
    """The head of the result file."""
    return {
        "device": driver.name,
        "driver": driver.version,
        "is_emulated": driver.is_emulator,
        "kind": "emulated" if driver.is_emulator else "measured",
        "attributes": driver.attributes,
        "datasheet": None if driver.is_emulator else ceilings.find_datasheet(driver.name),
        "commit": results.find_commit(),
        "bundle_commit": kernels.manifest["commit"],
        "started": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "seed": seed,
        "clocks": monitor.read() or {"unknown": monitor.why},
        "contenders": {},
    }


def find_output(options, driver, suffix=""):
    if options.output:
        return options.output
    name = "".join(c if c.isalnum() else "-" for c in driver.name).strip("-").lower()
    return os.path.join(options.build, "reports", "gpu", f"{name}{suffix}.json")


def measure(options, driver, deadline):
    """All of a run but calibration. The exit status."""
    libraries = dict(text.split("=", 1) for text in options.library)
    kernels = open_bundle(options, driver.capability)
    problems = choose_problems(options, kernels)
    contenders = choose_contenders(options, kernels, libraries)
    monitor = Monitor(driver.bus_id() if not driver.is_emulator else "")
    seed = secrets.randbits(32) if options.seed is None else options.seed
    head = describe_run(driver, kernels, monitor, seed)
    written = results.Results(find_output(options, driver), head, options.resume)
    is_least = options.effort == "least" or driver.is_emulator
    effort = Effort.least() if is_least else Effort()
    session = Session(driver, written, effort, seed, monitor, say)
    session.find(contenders)
    session.measure_ceilings()
    left = session.run(problems, deadline)
    written.run["finished"] = left == 0
    written.save()
    rows = written.run["rows"]
    bad = [row for row in rows if row["status"] in ("wrong", "failed")]
    if driver.is_emulator:
        say("the emulator ran this: its times say nothing about a GPU")
    if left:
        say(f"the time is up: {left} of {len(problems)} problems are left; --resume goes on")
    say(f"{len(rows)} rows, {len(bad)} wrong or failed, in {written.path}")
    ours = [row for row in bad if row["contender"].split("-")[0] == "tc"]
    return 1 if ours else 0


def main(arguments=None):
    options = make_parser().parse_args(arguments)
    deadline = time.monotonic() + 60 * options.minutes
    try:
        driver = find_driver(options.driver)
        if options.calibrate:
            from . import calibrate

            return calibrate.run(options, driver, say)
        return measure(options, driver, deadline)
    except DeviceLost as error:
        say(f"the device is lost: {error}")
        return go_on(arguments, deadline)
    except (DriverError, bundle.BundleError, results.ResultsError, ValueError) as error:
        say(f"run: error: {error}")
        return 2


def go_on(arguments, deadline):
    """Replaces this process by one that resumes, with the time that is left. The row
    that lost the device is written, so each new process has one thing less to do."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    minutes = max(deadline - time.monotonic(), 0) / 60
    kept = [a for a in arguments if not a.startswith("--minutes") and a != "--resume"]
    command = [sys.executable, os.path.join(HERE, "run"), *kept, "--resume"]
    sys.stderr.flush()
    os.execv(sys.executable, [*command, f"--minutes={minutes:.3f}"])
