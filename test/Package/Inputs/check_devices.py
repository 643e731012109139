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
