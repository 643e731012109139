"""The part of CUDA's driver API that the programs need, by ctypes.

The library is the emulator's or, on a machine that has a device, NVIDIA's."""

import ctypes
import struct
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p


# Calls whose second ABI, the one with 64-bit sizes, is the present one.
SUFFIXED = {
    "cuDevicePrimaryCtxReset",
    "cuMemAlloc",
    "cuMemFree",
    "cuMemcpyDtoH",
    "cuMemcpyHtoD",
    "cuModuleGetGlobal",
}


class DriverError(Exception):
    """A driver call that returned something else than CUDA_SUCCESS."""

    def __init__(self, call, name, text=""):
        super().__init__(f"{call}: {name}" + (f": {text}" if text else ""))
        self.name = name


class Driver:
    """The functions of one library; each raises what it would return."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.cuInit(0)

    def __getattr__(self, name):
        function = getattr(self.library, name + "_v2" * (name in SUFFIXED))
        function.restype = c_int

        def call(*arguments):
            if code := function(*arguments):
                raise DriverError(name, self._error_name(code))

        setattr(self, name, call)
        return call

    def _error_name(self, code):
        text = c_char_p()
        self.library.cuGetErrorName(c_int(code), byref(text))
        return text.value.decode() if text.value else f"error {code}"


class Context:
    """A context with one module in it."""

    def __init__(self, driver, ptx):
        self.driver = driver
        self.context, self.module = c_void_p(), c_void_p()
        device = c_int()
        driver.cuDeviceGet(byref(device), 0)
        # The call that makes contexts differs from release to release.
        driver.cuDevicePrimaryCtxRetain(byref(self.context), device)
        driver.cuCtxSetCurrent(self.context)
        self.device = device
        self._load(ptx.encode())

    def _load(self, text):
        log = ctypes.create_string_buffer(8192)
        # CU_JIT_ERROR_LOG_BUFFER and its size.
        options = (c_int * 2)(5, 6)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), len(log))
        try:
            self.driver.cuModuleLoadDataEx(
                byref(self.module), c_char_p(text), c_uint(2), options, values
            )
        except DriverError as error:
            raise DriverError("cuModuleLoadDataEx", error.name, log.value.decode())

    def close(self):
        """Gives the context up. After a fault of a kernel only this one helps."""
        self.driver.cuDevicePrimaryCtxReset(self.device)

    def function(self, name):
        function = c_void_p()
        self.driver.cuModuleGetFunction(
            byref(function), self.module, c_char_p(name.encode())
        )
        return function

    def variable(self, name):
        """(address, bytes) of a variable of the module."""
        address, size = c_uint64(), c_size_t()
        self.driver.cuModuleGetGlobal(
            byref(address), byref(size), self.module, c_char_p(name.encode())
        )
        return address.value, size.value

    def allocate(self, size):
        address = c_uint64()
        self.driver.cuMemAlloc(byref(address), c_size_t(max(size, 1)))
        return address.value

    def release(self, address):
        self.driver.cuMemFree(c_uint64(address))

    def upload(self, address, array):
        if array.nbytes:
            self.driver.cuMemcpyHtoD(
                c_uint64(address), c_void_p(array.ctypes.data), c_size_t(array.nbytes)
            )

    def download(self, array, address):
        if array.nbytes:
            self.driver.cuMemcpyDtoH(
                c_void_p(array.ctypes.data), c_uint64(address), c_size_t(array.nbytes)
            )

    def launch(self, function, grid, block, shared, arguments):
        """Runs a kernel to its end; `arguments` are the bytes of each."""
        if shared > 48 * 1024:
            attribute = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.driver.cuFuncSetAttribute(function, c_int(attribute), c_int(shared))
        buffers = [ctypes.create_string_buffer(a, len(a)) for a in arguments]
        pointers = (c_void_p * max(len(buffers), 1))(
            *(ctypes.addressof(buffer) for buffer in buffers)
        )
        extents = [c_uint(extent) for extent in (*grid, *block)]
        self.driver.cuLaunchKernel(
            function, *extents, c_uint(shared), c_void_p(), pointers, c_void_p()
        )
        self.driver.cuCtxSynchronize()


def pointer_bytes(address):
    return struct.pack("<Q", address)
