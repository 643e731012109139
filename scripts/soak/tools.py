"""The tools of a build, run with limits, and what is wrong with how they ended."""

import functools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

CPU_SECONDS = 20
WALL_SECONDS = 120  # the machine may be busy
MEMORY = 6 << 30  # of addresses
# Frames of faults in MLIR itself, which no change here can mend: (where, what it is).
UPSTREAM = (
    ("Parser::parseDenseArrayAttr", "array<index: asks an index for its width (LLVM 22)"),
    ("complex::NumberAttr::parse", "takes any element type for a float's (LLVM 22)"),
    ("linalg::ReduceOp::parse", "sets dimensions that it could not parse (LLVM 22)"),
    ("linalg::BroadcastOp::parse", "likewise"),
    ("linalg::TransposeOp::parse", "likewise"),
    ("vector::FromElementsOp::parse", "as many operands as any vector has elements (LLVM 22)"),
    ("scf::ReduceOp::parse", "frees regions whose arguments are used outside (LLVM 22)"),
    ("affine::isValidSymbol", "no end for an affine.apply that is its own symbol (LLVM 22)"),
)
LATE = "does not end"
SLOWER = 8  # with sanitizers
# What `new` says with the address sanitizer where the tools' own ends with an error.
NO_MEMORY = "ERROR: AddressSanitizer: out of memory"
SANITIZER = re.compile(r"^SUMMARY: .*|^.*runtime error: .*|^.*ERROR: AddressSanitizer.*", re.M)
ASSERTION = re.compile(r"Assertion `.*?' failed|LLVM ERROR: .*|UNREACHABLE executed.*")
FRAME = re.compile(r"^ *#\d+ 0x[0-9a-f]+ (.*?)(?: \(.*| /.*|$)", re.M)


@dataclass
class Ended:
    """How a process ended."""

    status: int  # negative: by a signal, as subprocess has it
    output: bytes
    text: str  # standard error
    timed_out: bool = False


@dataclass(frozen=True)
class Tools:
    """Where the programs are, and what they may use."""

    source: str
    build: str
    folder: str  # for files

    @functools.cached_property
    def _cache(self):
        with open(os.path.join(self.build, "CMakeCache.txt"), encoding="utf-8") as file:
            return file.read()

    @property
    def is_sanitized(self):
        return "-fsanitize=" in self._cache

    @property
    def llvm(self):
        """The folder of LLVM's libraries."""
        found = re.search(r"^LLVM_DIR:\w+=(.*?)(/lib)?/cmake(/llvm)?$", self._cache, re.M)
        return os.path.join(found.group(1) if found else "/usr/lib/llvm-22", "lib")

    def expand(self, word):
        """A word of a command, where {source}, {build}, {llvm} and {python} stand for
        the folders and the program."""
        for name in ("source", "build", "llvm"):
            word = word.replace("{" + name + "}", getattr(self, name))
        return word.replace("{python}", sys.executable)

    def environment(self):
        programs = [os.path.join(self.build, "bin"), os.path.join(os.path.dirname(self.llvm), "bin")]
        path = os.pathsep.join([*programs, os.environ["PATH"]])
        names = {
            "PATH": path,
            "PYTHONPATH": os.path.join(self.source, "python"),
            "TC_CACHE_DIR": os.path.join(self.folder, "cache"),
            "TC_COMPILE": os.path.join(self.build, "bin", "tc-compile"),
            "TC_EMU_CHECKS": "all",
            "TMPDIR": self.folder,
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096",
        }
        return {**os.environ, **names}

    def run(self, command, folder, given=b"", seconds=CPU_SECONDS):
        """Runs a command in `folder` with limits of time and memory."""
        factor = SLOWER if self.is_sanitized else 1

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds * factor, seconds * factor + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
            if not self.is_sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        with subprocess.Popen(
            [self.expand(word) for word in command],
            cwd=folder,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limit,
            start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(given, timeout=WALL_SECONDS * factor)
                late = process.returncode == -signal.SIGXCPU
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
                late = True
        return Ended(process.returncode, output, errors.decode(errors="replace"), late)

    @property
    def found(self):
        """Where findings go."""
        return os.path.join(self.build, "soak", "found")

    def remove_folder(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def temporary(self):
        return tempfile.TemporaryDirectory(dir=self.folder)


def is_upstream(ended):
    """Whether a process died of a fault of MLIR that is known."""
    died = ended.status < 0 or SANITIZER.search(ended.text)
    return died and any(where in ended.text for where, _ in UPSTREAM)


def describe_fault(ended, may_be_late=False):
    """What is wrong with how a process ended, in one line that is the same for the same
    fault; None where it gave a result or an error."""
    if NO_MEMORY in ended.text:
        return None
    report = SANITIZER.search(ended.text)
    if report:
        return re.sub(r"0x[0-9a-f]+|==\d+==|/\S*/(?=lib/|tools/)", "", report.group()).strip()
    if ended.timed_out:
        return None if may_be_late else LATE
    if ended.status in (0, 1):
        return None
    said = ASSERTION.search(ended.text)
    frames = [frame for frame in FRAME.findall(ended.text) if "::" in frame]
    own = [frame for frame in frames if "tc::" in frame] or [
        frame for frame in frames if "llvm::sys::" not in frame
    ]
    where = said.group() if said else "".join(own[:1])
    if ended.status > 0:
        return f"exit status {ended.status}"
    return f"{signal.Signals(-ended.status).name} {where}".strip()
