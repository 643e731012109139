"""Bundles: compiled kernels in a folder, with a manifest that says all there is to
launch them (docs/Reports.md). `make` writes one with tc-compile, `Bundle` reads one
and needs no compiler."""

import concurrent.futures
import csv
import hashlib
import json
import os
import subprocess
import sys

from .problem import Problem

FORMAT, VERSION = "tc-bundle", 2
MANIFEST = "manifest.json"


class BundleError(RuntimeError):
    """A bundle that is not what it should be, or cannot be made."""


# ----------------------------------------------------------------- reading


class Bundle:
    """Kernels by problem."""

    def __init__(self, folder):
        self.folder = folder
        path = os.path.join(folder, MANIFEST)
        try:
            with open(path, encoding="utf-8") as file:
                self.manifest = json.load(file)
        except (OSError, json.JSONDecodeError) as error:
            raise BundleError(f"expected a bundle in '{folder}': {error}") from error
        found = (self.manifest.get("format"), self.manifest.get("version"))
        if found != (FORMAT, VERSION):
            raise BundleError(
                f"{path}: expected a '{FORMAT}' of version {VERSION}, "
                f"got {found[0]!r}, {found[1]!r}"
            )
        self.kernels = self.manifest["kernels"]

    def problems(self):
        """Each problem once, in the order of the manifest."""
        made = {}
        for kernel in self.kernels:
            problem = problem_of(kernel)
            made.setdefault(problem.key, problem)
        return list(made.values())

    def find(self, problem, capability):
        """The kernels of `problem` that this device can run, one a variant: those of
        the chip that is nearest to it."""
        best = {}
        for kernel in self.kernels:
            if kernel["problem"] != problem.name or kernel["dtype"] != problem.dtype:
                continue
            rank = rank_chip(kernel["chip"], capability)
            held = best.get(kernel["variant"])
            if rank and (held is None or rank > rank_chip(held["chip"], capability)):
                best[kernel["variant"]] = kernel
        return list(best.values())

    def read(self, kernel, form):
        """The bytes of the kernel as `ptx` or `cubin`; None where there are none."""
        if not kernel.get(form):
            return None
        with open(os.path.join(self.folder, kernel[form]), "rb") as file:
            content = file.read()
        if digest(content) != kernel["sha256"][form]:
            raise BundleError(f"{kernel[form]}: expected the file that the manifest was made for")
        return content


def problem_of(kernel):
    """The problem that a kernel of a manifest solves."""
    return Problem.make(
        kernel["problem"], kernel["einsum"], kernel["sizes"], kernel["dtype"], kernel["group"]
    )


def split_chip(chip):
    """("sm_90a") -> (90, True): the capability, and whether for this one alone."""
    number = chip.removeprefix("sm_").rstrip("af")
    if not chip.startswith("sm_") or not number.isdigit():
        raise BundleError(f"expected a chip such as sm_90a, got '{chip}'")
    return int(number), chip[-1] in "af"


def rank_chip(chip, capability):
    """How well PTX for `chip` fits a device: 0 for not at all, more is better."""
    number, is_alone = split_chip(chip)
    if number > capability or (is_alone and number != capability):
        return 0
    return 2 * number + is_alone


def takes_cubin(chip, capability):
    """Does a device run the cubin of this chip?"""
    number, is_alone = split_chip(chip)
    return number == capability or (
        not is_alone and number // 10 == capability // 10 and number <= capability
    )


def digest(content):
    return hashlib.sha256(content).hexdigest()


# ------------------------------------------------------------------ making


def _read_counted(path, chip):
    """Counted times of results/counted.csv by problem, type and schedule."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except OSError:
        return {}
    if f"# chip: {chip}\n" not in lines:
        return {}
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {
        (row["problem"], row["dtype"], row["schedule"]): {
            "seconds": float(row["counted_us"]) * 1e-6,
            "limiter": row["binds"],
        }
        for row in rows
        if row["counted_us"]
    }


class Maker:
    """Compiles kernels into a folder; leaves those that are there and up to date."""

    def __init__(self, build, folder, count=False):
        self.folder, self.wants_count = folder, count
        self.compiler = os.path.join(build, "bin", "tc-compile")
        self.runner = os.path.join(build, "bin", "tc-run")
        try:
            with open(self.compiler, "rb") as file:
                self.compiler_hash = digest(file.read())
        except OSError as error:
            raise BundleError(f"expected tc-compile in '{build}/bin': {error}") from error
        self.counted = {}
        # What another compiler made is not kept.
        self.known = {}
        try:
            held = Bundle(folder)
            if held.manifest["compiler_sha256"] == self.compiler_hash:
                self.known = {kernel["id"]: kernel for kernel in held.kernels}
        except BundleError:
            pass

    def _options(self, problem, chip, schedule, tuning):
        sizes = ",".join(f"{label}={extent}" for label, extent in problem.extents)
        options = [
            f"--einsum={problem.einsum}",
            f"--sizes={sizes}",
            *problem.type_options,
            f"--chip={chip}",
        ]
        options += [f"--schedule={schedule}"] if schedule else []
        return options + ([f"--tuning={tuning}"] if tuning else [])

    def _run(self, tool, options, name):
        run = subprocess.run([tool, *options], capture_output=True, text=True, check=False)
        if run.returncode:
            raise BundleError(f"{name}: {run.stderr.strip() or f'exit status {run.returncode}'}")
        return run.stdout

    def make(self, problem, chip, variant="search", schedule="", tuning=""):
        """The manifest's entry of one kernel, whose files are in the folder."""
        name = f"{problem.name}-{problem.dtype}-{chip}-{variant}"
        options = self._options(problem, chip, schedule, tuning)
        parts = [self.compiler_hash, *options]
        if tuning:
            with open(tuning, "rb") as file:
                parts.append(digest(file.read()))
        inputs = digest("\0".join(parts).encode())
        known = self.known.get(name)
        if known and known["input_hash"] == inputs and self._is_whole(known):
            if not self.wants_count or (known["counted"] or {}).get("terms"):
                return known
        files = {form: f"{name}.{form}" for form in ("ptx", "cubin")}
        paths = {form: os.path.join(self.folder, file) for form, file in files.items()}
        # The launches are those that the host code makes on the emulator.
        counting = [*options, "--count", "--sample-blocks=1", "--report=json"]
        report = json.loads(self._run(self.runner, counting, name))
        self._run(self.compiler, [*options, "--emit=ptx", "-o", paths["ptx"]], name)
        if report["registers"] is None:  # No ptxas: the driver assembles.
            files["cubin"] = None
        else:
            self._run(self.compiler, [*options, "--emit=cubin", "-o", paths["cubin"]], name)
        hashes = {}
        for form, file in files.items():
            if file:
                with open(paths[form], "rb") as content:
                    hashes[form] = digest(content.read())
        return {
            "id": name,
            "problem": problem.name,
            "group": problem.group,
            "einsum": problem.einsum,
            "sizes": problem.sizes,
            "dtype": problem.dtype,
            "chip": chip,
            "variant": variant,
            **files,
            "sha256": hashes,
            "plan": describe_plan(report),
            "schedule": report["schedule"],
            "registers": report["registers"],
            "spill_bytes": report["spill_bytes"],
            "shared_bytes": report["shared_bytes"],
            "occupancy": report["occupancy"],
            "predicted": _summarise(report["predicted"]),
            "counted": self._count(problem, chip, report),
            "input_hash": inputs,
        }

    def _count(self, problem, chip, report):
        """What the emulator counts: of this kernel, if that is asked for; else of the
        same schedule in the committed table."""
        if self.wants_count:
            return _summarise(report["counted"])
        if chip not in self.counted:
            here = os.path.dirname(os.path.abspath(__file__))
            path = os.path.join(here, "..", "..", "results", "counted.csv")
            self.counted[chip] = _read_counted(path, chip)
        return self.counted[chip].get((problem.name, problem.dtype, report["schedule"]))

    def _is_whole(self, known):
        return all(
            not known[form] or os.path.exists(os.path.join(self.folder, known[form]))
            for form in ("ptx", "cubin")
        )


def describe_plan(report):
    """What the host code was seen to do, of a report that counts it."""
    names = ("kernel", "grid", "block", "dynamic_shared_bytes", "arguments")
    return {
        "arguments": report["arguments"],
        "temporaries": report["temporaries"],
        "launches": [{name: launch[name] for name in names} for launch in report["counted"]],
    }


def _summarise(launches):
    """Seconds and limiter of all launches together, with the terms of the longest."""
    known = [launch for launch in launches or [] if launch and launch.get("seconds") is not None]
    if not known or len(known) != len(launches):
        return None
    longest = max(known, key=lambda launch: launch["seconds"])
    work = longest["seconds"] - longest["launch_seconds"]
    is_launch = work < longest["launch_seconds"]
    return {
        "seconds": sum(launch["seconds"] for launch in known),
        "limiter": "launch" if is_launch else longest["limiter"],
        "terms": {name: term["seconds"] for name, term in longest["terms"].items()},
    }


def make(build, folder, wanted, jobs=None, count=False, commit="unknown", progress=None):
    """Writes a bundle of `wanted`: tuples of a problem, a chip, and if wanted a
    variant's name, its schedule ("" for the compiler's) and a tuning file. Returns the faults; what is without fault is
    in the bundle."""
    os.makedirs(folder, exist_ok=True)
    maker = Maker(build, folder, count)
    kernels, faults = [], []

    def make_one(item):
        try:
            return maker.make(*item), None
        except BundleError as error:
            return None, str(error)

    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        for done, (kernel, fault) in enumerate(pool.map(make_one, wanted), 1):
            if kernel:
                kernels.append(kernel)
            else:
                faults.append(fault)
            if progress:
                progress(f"[{done}/{len(wanted)}] {kernel['id'] if kernel else 'FAILED'}")
    done = {kernel["id"] for kernel in kernels} | {fault.split(":")[0] for fault in faults}
    kept = [kernel for name, kernel in maker.known.items() if name not in done]
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "commit": commit,
        "compiler_sha256": maker.compiler_hash,
        "kernels": kept + kernels,
    }
    write_json(os.path.join(folder, MANIFEST), manifest)
    return faults


def write_json(path, value):
    """Writes a file that is there whole or not at all."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
    os.replace(temporary, path)


def print_progress(line):
    print(line, file=sys.stderr, flush=True)
