"""Packages on devices that are not there: with a driver that only answers.

    check_devices.py PACKAGE DRIVER CHECK

PACKAGE is of 'ik,kj->ij' with extents 64, 32, 48 for sm_80 and sm_90a. DRIVER is
the library of benchmarks/launch, which is also what libcuda.so.1 finds."""

import ctypes
import sys
import threading

import numpy as np
from package import POINTER, STATUS, Package

SHAPES = ((64, 32), (32, 48), (64, 48))


def push(driver, device):
    context = POINTER()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0


def pop(driver):
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(POINTER())) == 0


def allocate(driver, device):
    """The three matrices, in the memory of `device`."""
    push(driver, device)
    places = []
    for shape in SHAPES:
        place = ctypes.c_uint64()
        size = ctypes.c_size_t(4 * int(np.prod(shape)))
        assert driver.cuMemAlloc_v2(ctypes.byref(place), size) == 0
        places.append(place.value)
    pop(driver)
    return places


def expect(package, got, status, words=""):
    error = package.runtime.last_error()
    if got != STATUS[status] or words not in error:
        sys.exit(f"expected {status} with '{words}', got {got}: {error}")


def check_chosen(package, driver):
    """The device of the buffers, of the current context, of the stream."""
    for device in (0, 1):
        expect(package, package.call(allocate(driver, device), {}), "OK")
        assert driver.stubLaunchDevice() == device
    assert driver.stubLoads() == 2
    on_0, on_1 = allocate(driver, 0), allocate(driver, 1)
    push(driver, 1)
    stream = POINTER()
    assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0
    expect(package, package.call(on_1, {}), "OK")
    expect(package, package.call(on_0, {}), "WRONG_DEVICE", "device 1, got some of device 0")
    pop(driver)
    push(driver, 0)
    before = driver.stubLaunches()
    expect(package, package.call(on_0, {}, stream=stream.value), "WRONG_DEVICE", "device 1")
    mixed = [on_1[0], on_0[1], on_1[2]]
    expect(package, package.call(mixed, {}, stream=stream.value), "WRONG_DEVICE", "B: ")
    assert driver.stubLaunches() == before
    expect(package, package.call(on_1, {}, stream=stream.value), "OK")
    assert driver.stubLaunchDevice() == 1
    now = POINTER()
    driver.cuCtxGetCurrent(ctypes.byref(now))
    pop(driver)
    assert driver.stubLoads() == 2, "expected each device to load once"


class Tensor(ctypes.Structure):
    """A DLTensor of f32, row-major."""

    _fields_ = [
        ("data", POINTER), ("device", ctypes.c_int32), ("number", ctypes.c_int32),
        ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", POINTER), ("strides", POINTER),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Any(ctypes.Structure):
    """A TVMFFIAny that points."""

    _fields_ = [("kind", ctypes.c_int32), ("padding", ctypes.c_uint32), ("pointer", POINTER)]


def call_ffi(package, places, numbers):
    """The status of a call through TVM-FFI on these places of these devices."""
    shapes = [(ctypes.c_int64 * 2)(*shape) for shape in SHAPES]
    tensors = [
        Tensor(place, 2, number, 2, 2, 32, 1, ctypes.addressof(shape))
        for place, number, shape in zip(places, numbers, shapes)
    ]
    arguments = (Any * 3)(*[Any(7, 0, ctypes.addressof(tensor)) for tensor in tensors])
    function = getattr(package.library, "__tvm_ffi_" + package.entry["name"])
    return function(None, arguments, 3, ctypes.byref(Any()))


def check_tensors(package, driver):
    """The device is that of the tensors, whichever context is current."""
    on = [allocate(driver, 0), allocate(driver, 1)]
    for current in (None, 0, 1):
        if current is not None:
            push(driver, current)
        for device in (0, 1):
            assert call_ffi(package, on[device], [device] * 3) == 0, package.runtime.last_error()
            assert driver.stubLaunchDevice() == device
        if current is not None:
            pop(driver)
    launches = driver.stubLaunches()
    for numbers, words in (
        ((0, 1, 0), "B: expected a tensor of cuda:0, as A is, got one of cuda:1"),
        ((1, 1, 1), "A: expected memory of device 1, got some of device 0"),
        ((2, 2, 2), "A: expected memory of device 2, got some of device 0"),
        ((-1, -1, -1), "cuDevicePrimaryCtxRetain"),
    ):
        assert call_ffi(package, on[0], numbers) == -1
        assert words in package.runtime.last_error(), package.runtime.last_error()
    assert driver.stubLaunches() == launches


def check_refused(package, driver, status, words):
    expect(package, package.function("_prepare")(None), status, words)
    expect(package, package.call(allocate(driver, 0), {}), status, words)
    assert driver.stubLaunches() == 0


def check_threads(package, driver):
    """Threads that come first together load once for each device."""
    buffers = [allocate(driver, n % 2) for n in range(8)]
    start, failures = threading.Barrier(8), []

    def work(given):
        start.wait()
        for _ in range(200):
            if package.call(given, {}) != 0:
                failures.append(package.runtime.last_error())

    threads = [threading.Thread(target=work, args=[given]) for given in buffers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    assert (driver.stubLoads(), driver.stubLaunches()) == (2, 1600)


def main(folder, library, check):
    driver = ctypes.CDLL(library)
    package = Package(folder)
    if check == "chosen":
        check_chosen(package, driver)
    elif check == "tensors":
        check_tensors(package, driver)
    elif check == "threads":
        check_threads(package, driver)
    elif check == "loads":
        expect(package, package.call(allocate(driver, 0), {}), "OK")
        print("loads:", driver.stubLoads())
    else:
        check_refused(package, driver, *check.split(": ", 1))
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
