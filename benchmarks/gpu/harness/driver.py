"""The CUDA driver API by ctypes, as much of it as a measurement needs.

One device and one context, the primary one, which PyTorch and CuPy use too. An
error is a DriverError with the name of the call and the driver's code.
"""

import ctypes
import os

import numpy

ATTRIBUTES = {
    "multiprocessors": 16,
    "clock_khz": 13,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "shared_bytes_per_multiprocessor": 81,
    "major": 75,
    "minor": 76,
}
_SHARED_LIMIT = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6  # of the JIT
_DEFAULT_SHARED = 48 * 1024

_pointer = ctypes.c_void_p
_size = ctypes.c_size_t
_address = ctypes.c_uint64
_unsigned = ctypes.c_uint
# Symbols that have a version, and the types that are not found by the arguments.
_VERSIONED = {
    "cuDeviceTotalMem": "cuDeviceTotalMem_v2",
    "cuMemAlloc": "cuMemAlloc_v2",
    "cuMemFree": "cuMemFree_v2",
    "cuMemGetInfo": "cuMemGetInfo_v2",
    "cuMemcpyHtoD": "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH": "cuMemcpyDtoH_v2",
    "cuMemcpyDtoDAsync": "cuMemcpyDtoDAsync_v2",
    "cuEventDestroy": "cuEventDestroy_v2",
    "cuModuleGetGlobal": "cuModuleGetGlobal_v2",
}
_TYPES = {
    "cuMemFree": [_address],
    "cuMemcpyHtoD": [_address, _pointer, _size],
    "cuMemcpyDtoH": [_pointer, _address, _size],
    "cuMemcpyDtoDAsync": [_address, _address, _size, _pointer],
    "cuMemsetD32Async": [_address, _unsigned, _size, _pointer],
    "cuMemAlloc": [_pointer, _size],
    "cuStreamSynchronize": [_pointer],
    "cuEventCreate": [_pointer, _unsigned],
    "cuEventRecord": [_pointer, _pointer],
    "cuEventSynchronize": [_pointer],
    "cuEventElapsedTime": [_pointer, _pointer, _pointer],
    "cuEventDestroy": [_pointer],
    "cuModuleUnload": [_pointer],
    "cuModuleGetFunction": [_pointer, _pointer, ctypes.c_char_p],
    "cuModuleGetGlobal": [_pointer, _pointer, _pointer, ctypes.c_char_p],
    "cuFuncSetAttribute": [_pointer, ctypes.c_int, ctypes.c_int],
    "cuLaunchKernel": [_pointer] + 7 * [_unsigned] + 3 * [_pointer],
}


class DriverError(RuntimeError):
    """A call that the driver refused, or that found an earlier kernel's fault."""

    def __init__(self, call, code, name, details=""):
        super().__init__(f"{call}: {name} ({code})" + (f": {details}" if details else ""))
        self.code, self.name = code, name


class Driver:
    """A device, its primary context and one stream."""

    def __init__(self, path="libcuda.so.1", ordinal=0):
        self.path = path
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            raise DriverError("dlopen", -1, "no driver", str(error)) from error
        self._functions = {}
        self.is_emulator = hasattr(self.library, "tcEmulatorLastReport")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), ordinal)
        self.context = _pointer()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)
        self.stream = _pointer()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)  # non-blocking
        self.attributes = {name: self._attribute(a) for name, a in ATTRIBUTES.items()}

    def call(self, name, *arguments):
        """Calls `name`; raises DriverError unless it succeeds."""
        function = self._functions.get(name)
        if function is None:
            function = getattr(self.library, _VERSIONED.get(name, name))
            function.restype = ctypes.c_int
            if name in _TYPES:
                function.argtypes = _TYPES[name]
            self._functions[name] = function
        code = function(*arguments)
        if code:
            raise DriverError(name, code, self._error_name(code), self._last_report())

    def _error_name(self, code):
        name = ctypes.c_char_p()
        if self.library.cuGetErrorName(code, ctypes.byref(name)) or not name.value:
            return "unknown error"
        return name.value.decode()

    def _last_report(self):
        """What the emulator has to say about a failure."""
        if not self.is_emulator:
            return ""
        report = self.library.tcEmulatorLastReport
        report.restype = ctypes.c_char_p
        return (report() or b"").decode(errors="replace").strip()

    def _attribute(self, attribute):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, self.device)
        return value.value

    # The device.

    @property
    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 256, self.device)
        return text.value.decode()

    @property
    def version(self):
        """Of the driver's interface, as 13.0."""
        value = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(value))
        return f"{value.value // 1000}.{value.value % 1000 // 10}"

    @property
    def capability(self):
        return self.attributes["major"] * 10 + self.attributes["minor"]

    def free_bytes(self):
        free, total = _size(), _size()
        self.call("cuMemGetInfo", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def bus_id(self):
        text = ctypes.create_string_buffer(64)
        self.call("cuDeviceGetPCIBusId", text, 64, self.device)
        return text.value.decode()

    # Memory.

    def allocate(self, size):
        address = _address()
        self.call("cuMemAlloc", ctypes.byref(address), max(int(size), 16))
        return address.value

    def free(self, address):
        self.call("cuMemFree", address)

    def write(self, address, array):
        array = numpy.ascontiguousarray(array)
        self.call("cuMemcpyHtoD", address, array.ctypes.data, array.nbytes)
        # The stream does not wait for the default one, on which copies may still be.
        self.call("cuCtxSynchronize")

    def read(self, address, count, dtype):
        """An array of `count` elements, when all that was queued is done."""
        self.synchronize()
        array = numpy.empty(count, dtype)
        if array.nbytes:
            self.call("cuMemcpyDtoH", array.ctypes.data, address, array.nbytes)
        return array

    def set_words(self, address, value, size):
        """Fills `size` bytes, a multiple of four, with a word; does not wait."""
        self.call("cuMemsetD32Async", address, value, int(size) // 4, self.stream)

    # Kernels.

    def load(self, image):
        """A module of PTX text or of a cubin."""
        if isinstance(image, str):
            image = image.encode()
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (_pointer * 2)(ctypes.cast(log, _pointer), len(log))
        module = _pointer()
        buffer = ctypes.create_string_buffer(image)  # adds the zero that ends PTX
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), buffer, 2, options, values)
        except DriverError as error:
            text = log.value.decode(errors="replace").strip()
            if text and text not in str(error):
                raise DriverError("cuModuleLoadDataEx", error.code, error.name, text) from error
            raise
        return Module(self, module)

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)

    def event(self):
        return Event(self)


class Module:
    """A loaded module; its kernels and variables by name."""

    def __init__(self, driver, handle):
        self.driver, self.handle = driver, handle

    def kernel(self, name):
        function = _pointer()
        self.driver.call("cuModuleGetFunction", ctypes.byref(function), self.handle, name.encode())
        return Kernel(self.driver, function)

    def variable(self, name):
        """(address, bytes) of a global variable or constant."""
        place, size = _address(), _size()
        self.driver.call(
            "cuModuleGetGlobal",
            ctypes.byref(place),
            ctypes.byref(size),
            self.handle,
            name.encode(),
        )
        return place.value, size.value

    def unload(self):
        self.driver.call("cuModuleUnload", self.handle)


class Kernel:
    """A kernel, to be launched on the driver's stream."""

    def __init__(self, driver, function):
        self.driver, self.function = driver, function

    def prepare(self, grid, block, arguments, shared_bytes=0):
        """A callable that launches the kernel with these arguments, ctypes values,
        each time. All that can be done before is done now."""
        if shared_bytes > _DEFAULT_SHARED:
            self.driver.call("cuFuncSetAttribute", self.function, _SHARED_LIMIT, shared_bytes)
        values = (_pointer * max(len(arguments), 1))(
            *(ctypes.cast(ctypes.pointer(a), _pointer) for a in arguments)
        )
        driver, function, stream = self.driver, self.function, self.driver.stream
        shape = (*grid, *block, shared_bytes)

        def launch(_keep=arguments):
            driver.call("cuLaunchKernel", function, *shape, stream, values, None)

        return launch

    def launch(self, grid, block, arguments, shared_bytes=0):
        self.prepare(grid, block, arguments, shared_bytes)()


class Event:
    """A moment of the driver's stream."""

    def __init__(self, driver):
        self.driver, self.handle = driver, _pointer()
        driver.call("cuEventCreate", ctypes.byref(self.handle), 0)

    def record(self):
        self.driver.call("cuEventRecord", self.handle, self.driver.stream)

    def wait(self):
        self.driver.call("cuEventSynchronize", self.handle)

    def microseconds_since(self, start):
        value = ctypes.c_float()
        self.driver.call(
            "cuEventElapsedTime", ctypes.byref(value), start.handle, self.handle
        )
        return value.value * 1e3


def find_driver(path=None):
    """The driver at `path`; else NVIDIA's, by its name."""
    return Driver(path or os.environ.get("TC_GPU_DRIVER", "libcuda.so.1"))


def address(value):
    """An argument that is a pointer."""
    return ctypes.c_uint64(value)
