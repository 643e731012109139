"""cuTENSOR 2: contractions by its default choice, by its patient one, tuned, and with
kernels made when they are needed. Sums in the type of the data, in f32 if that is narrower;
tf32 only three times for what asks for that."""

import ctypes

from ..contenders import Contender, Missing, Prepared, Unsupported
from .libraries import get_function, open_library

_pointer, _int, _u32, _u64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64
_TYPES = {  # cutensorDataType_t, compute descriptor, scalar
    "f32": (0, "CUTENSOR_COMPUTE_DESC_32F", ctypes.c_float),
    "f64": (1, "CUTENSOR_COMPUTE_DESC_64F", ctypes.c_double),
    "f16": (2, "CUTENSOR_COMPUTE_DESC_32F", ctypes.c_float),
    "bf16": (14, "CUTENSOR_COMPUTE_DESC_32F", ctypes.c_float),
    "tf32x3": (0, "CUTENSOR_COMPUTE_DESC_3XTF32", ctypes.c_float),
}
_IDENTITY = 1
_DEFAULT, _PATIENT = -1, -6  # cutensorAlgo_t
_JIT_NONE, _JIT_DEFAULT = 0, 1
_AUTOTUNE_MODE, _INCREMENTAL_COUNT = 0, 2  # cutensorPlanPreferenceAttribute_t
_INCREMENTAL = 1
_WORKSPACE_DEFAULT = 2
_TRIES = 24  # of tuning
_ALIGNMENT = 128  # bytes; the driver's buffers have more

_CALLS = {
    "cutensorCreate": [_pointer],
    "cutensorCreateTensorDescriptor": [_pointer, _pointer, _u32, _pointer, _pointer, _int, _u32],
    "cutensorDestroyTensorDescriptor": [_pointer],
    "cutensorCreateContraction": [_pointer, _pointer]
    + 3 * [_pointer, _pointer, _int]
    + 3 * [_pointer],
    "cutensorDestroyOperationDescriptor": [_pointer],
    "cutensorCreatePlanPreference": [_pointer, _pointer, _int, _int],
    "cutensorPlanPreferenceSetAttribute": [_pointer, _pointer, _int, _pointer, ctypes.c_size_t],
    "cutensorDestroyPlanPreference": [_pointer],
    "cutensorEstimateWorkspaceSize": [_pointer, _pointer, _pointer, _int, _pointer],
    "cutensorCreatePlan": [_pointer, _pointer, _pointer, _pointer, _u64],
    "cutensorDestroyPlan": [_pointer],
    "cutensorContract": 8 * [_pointer] + [_pointer, _u64, _pointer],
}


def make(libraries):
    return [
        Cutensor("cutensor", _DEFAULT, _JIT_NONE, 0, libraries),
        Cutensor("cutensor-patient", _PATIENT, _JIT_NONE, 0, libraries),
        Cutensor("cutensor-tuned", _DEFAULT, _JIT_NONE, _TRIES, libraries),
        Cutensor("cutensor-jit", _DEFAULT, _JIT_DEFAULT, 0, libraries),
    ]


class Cutensor(Contender):
    """One handle with one way to choose a kernel; `tries` of tuning."""

    def __init__(self, name, algorithm, jit, tries, libraries):
        self.name, self.algorithm, self.jit, self.tries = name, algorithm, jit, tries
        self.libraries = libraries

    def find(self, driver):
        self.library = open_library("cutensor", self.libraries)
        self.functions = {
            name: get_function(self.library, name, *types) for name, types in _CALLS.items()
        }
        self.handle = _pointer()
        try:
            self.call("cutensorCreate", ctypes.byref(self.handle))
        except Unsupported as error:
            raise Missing(str(error)) from error
        self.library.cutensorGetVersion.restype = ctypes.c_size_t
        return str(self.library.cutensorGetVersion())

    def call(self, name, *arguments):
        if status := self.functions[name](*arguments):
            raise Unsupported(f"{name} returned {status}")

    def prepare(self, driver, problem, sets):
        return PreparedContraction(self, driver, problem, sets)


class PreparedContraction(Prepared):
    """A plan, and room for what it needs."""

    def __init__(self, owner, driver, problem, sets):
        super().__init__(sets)
        if len(problem.inputs) != 2:
            raise Unsupported("has other than two inputs")
        if problem.dtype not in _TYPES:
            raise Unsupported(f"cuTENSOR has no {problem.dtype}")
        self.owner, self.driver, self.made = owner, driver, []
        self.workspace, self.plan = 0, None
        kind, compute, scalar = _TYPES[problem.dtype]
        self.one, self.zero = scalar(1), scalar(0)
        self.modes = [(ctypes.c_int32 * len(l))(*map(ord, l)) for l in problem.operands]
        try:
            arrays = [self._describe(problem, labels, kind) for labels in problem.operands]
            self.operation = self._contraction(arrays, compute)
            self.preference = self._preference()
            size = _u64()
            owner.call(
                "cutensorEstimateWorkspaceSize",
                *(owner.handle, self.operation, self.preference),
                *(_WORKSPACE_DEFAULT, ctypes.byref(size)),
            )
            self.size = size.value
            self.workspace = driver.allocate(self.size) if self.size else 0
            # Each new plan tries another kernel, and the last has the best.
            for _ in range(owner.tries):
                self._make_plan()
                self.launch(0)
                driver.synchronize()
            self._make_plan()
        except Unsupported:
            self.free()
            raise
        self.notes = {"workspace_bytes": self.size}

    def _describe(self, problem, labels, kind):
        strides = problem.strides(labels)
        extents = (ctypes.c_int64 * len(labels))(*problem.shape(labels))
        steps = (ctypes.c_int64 * len(labels))(*(strides[label] for label in labels))
        return self._make(
            "cutensorCreateTensorDescriptor",
            "cutensorDestroyTensorDescriptor",
            *(len(labels), extents, steps, kind, _ALIGNMENT),
        )

    def _make(self, create, destroy, *arguments):
        """Creates something that is destroyed in the end."""
        made = _pointer()
        self.owner.call(create, self.owner.handle, ctypes.byref(made), *arguments)
        self.made.append((destroy, made))
        return made

    def _contraction(self, arrays, compute):
        a, b, c = arrays
        modes = self.modes
        return self._make(
            "cutensorCreateContraction",
            "cutensorDestroyOperationDescriptor",
            *(a, modes[0], _IDENTITY, b, modes[1], _IDENTITY, c, modes[2], _IDENTITY, c, modes[2]),
            _pointer.in_dll(self.owner.library, compute),
        )

    def _preference(self):
        preference = self._make(
            "cutensorCreatePlanPreference",
            "cutensorDestroyPlanPreference",
            *(self.owner.algorithm, self.owner.jit),
        )
        if self.owner.tries:
            for attribute, value in (
                (_AUTOTUNE_MODE, _INCREMENTAL),
                (_INCREMENTAL_COUNT, self.owner.tries),
            ):
                number = ctypes.c_int32(value)
                self.owner.call(
                    "cutensorPlanPreferenceSetAttribute",
                    *(self.owner.handle, preference, attribute, ctypes.byref(number), 4),
                )
        return preference

    def _make_plan(self):
        self._drop_plan()
        plan = _pointer()
        self.owner.call(
            "cutensorCreatePlan",
            *(self.owner.handle, ctypes.byref(plan), self.operation, self.preference, self.size),
        )
        self.plan = plan

    def _drop_plan(self):
        if self.plan is not None:
            self.owner.call("cutensorDestroyPlan", self.plan)
        self.plan = None

    def launch(self, index):
        buffers = self.sets[index]
        self.owner.call(
            "cutensorContract",
            *(self.owner.handle, self.plan, ctypes.byref(self.one), *buffers.inputs),
            *(ctypes.byref(self.zero), buffers.output, buffers.output),
            *(self.workspace or None, self.size, self.driver.stream),
        )

    def free(self):
        self._drop_plan()
        for destroy, made in reversed(self.made):
            self.owner.call(destroy, made)
        self.made = []
        if self.workspace:
            self.driver.free(self.workspace)
            self.workspace = 0
