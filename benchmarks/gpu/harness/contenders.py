"""What is measured. A contender is asked once whether it is there, and for each
problem to prepare itself; what it prepared launches on one set of buffers after the
other. Peers are in peers/; here are the kernels of a bundle and what all have in
common."""

import ctypes
import dataclasses

from . import bundle
from .driver import DriverError, address


class Missing(RuntimeError):
    """The contender is not on this machine."""


class Unsupported(RuntimeError):
    """The contender cannot do this problem."""


@dataclasses.dataclass
class Buffers:
    """One set: an address for each input, and that of the output."""

    inputs: list
    output: int


class Prepared:
    """A contender with a problem: `launch(set)` queues the work on the driver's
    stream, `output(set)` is where its result lies then."""

    def __init__(self, sets):
        self.sets = sets
        self.notes = {}  # for the result file

    def launch(self, index):
        raise NotImplementedError

    def output(self, index):
        return self.sets[index].output

    def free(self):
        """Gives back what was allocated for this problem."""


class Contender:
    """Something that computes contractions."""

    name = ""

    def find(self, driver):
        """Its version; raises Missing where it is not there."""
        raise NotImplementedError

    def prepare(self, driver, problem, sets):
        """A Prepared; raises Unsupported for a problem it cannot do."""
        raise NotImplementedError


# Types of numbers that a launch passes.
SCALARS = {
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


class PreparedLaunches(Prepared):
    """Launches of the kernels of a module that are described (docs/Reports.md,
    README.md), for each set."""

    def __init__(self, driver, module, described, sets):
        super().__init__(sets)
        self.driver, self.module = driver, module
        self.temporaries = [driver.allocate(size) for size in described.get("temporaries", [])]
        launches = described["launches"]
        kernels = {launch["kernel"]: module.kernel(launch["kernel"]) for launch in launches}
        self.launchers = [
            [
                kernels[launch["kernel"]].prepare(
                    launch["grid"],
                    launch["block"],
                    [self._make(argument, buffers) for argument in launch["arguments"]],
                    launch.get("dynamic_shared_bytes", 0),
                )
                for launch in launches
            ]
            for buffers in sets
        ]

    def _make(self, argument, buffers):
        ((kind, value),) = argument.items()
        if kind == "argument":
            return address([*buffers.inputs, buffers.output][value])
        if kind == "temporary":
            return address(self.temporaries[value])
        return SCALARS[kind](value)

    def launch(self, index):
        for launcher in self.launchers[index]:
            launcher()

    def free(self):
        for temporary in self.temporaries:
            self.driver.free(temporary)
        self.module.unload()


class BundleContender(Contender):
    """The kernels of a bundle, of one variant."""

    def __init__(self, kernels, variant):
        self.bundle, self.variant = kernels, variant
        self.name = "tc" if variant == "search" else f"tc-{variant}"

    def find(self, driver):
        return self.bundle.manifest["commit"]

    def find_kernel(self, driver, problem):
        """The manifest's entry; raises Unsupported where there is none."""
        for kernel in self.bundle.find(problem, driver.capability):
            if kernel["variant"] == self.variant:
                return kernel
        raise Unsupported(f"the bundle has no kernel for compute capability {driver.capability}")

    def prepare(self, driver, problem, sets):
        kernel = self.find_kernel(driver, problem)
        check_layout(problem, kernel)
        image, form = None, "ptx"
        if takes_cubins(driver) and bundle.takes_cubin(kernel["chip"], driver.capability):
            image, form = self.bundle.read(kernel, "cubin"), "cubin"
        if image is None:
            image, form = self.bundle.read(kernel, "ptx"), "ptx"
        try:
            module = driver.load(image)
        except DriverError as error:
            raise Unsupported(f"the driver refuses the {form}: {error}") from error
        prepared = PreparedLaunches(driver, module, kernel["plan"], sets)
        names = ("chip", "schedule", "registers", "predicted", "counted", "input_hash")
        prepared.notes = {"form": form, **{name: kernel[name] for name in names}}
        return prepared


def takes_cubins(driver):
    """The emulator runs PTX only."""
    return not driver.is_emulator


def check_layout(problem, kernel):
    """The harness has dense arrays, the last label fastest, without an offset."""
    arguments = kernel["plan"]["arguments"]
    if len(arguments) != len(problem.operands):
        raise Unsupported(f"expected {len(problem.operands)} arguments, got {len(arguments)}")
    for labels, argument in zip(problem.operands, arguments):
        shape, strides, step = list(problem.shape(labels)), [], 1
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
        found = (argument["shape"], argument["strides"], argument["offset"], argument["dtype"])
        if found != (shape, strides, 0, problem.arithmetic.storage):
            raise Unsupported(f"expected a dense {problem.dtype} array of {shape}, got {argument}")
