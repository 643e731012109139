"""What a packaged function refuses: a code, words, and nothing launched.

    check_errors.py FIXED DYNAMIC IN_PARTS

Folders of packages of 'ik,kj->ij': extents 64, 32, 48; dynamic extents; a sum
that is computed in parts, in workspace."""

import sys

import numpy as np
from package import STATUS, Package


class Case:
    """One matrix product with buffers on the device."""

    def __init__(self, package, i, k, j):
        self.package, self.runtime = package, package.runtime
        self.a, self.b = np.ones((i, k), np.float32), np.ones((k, j), np.float32)
        self.c = np.full((i, j), 77, np.float32)
        self.on_a, self.on_b, self.on_c = map(
            self.runtime.to_device, (self.a, self.b, self.c)
        )
        self.extents = {"extent_i": i, "extent_k": k, "extent_j": j}

    def refused(self, status, words, given=None, **options):
        given = given or (self.on_a, self.on_b, self.on_c)
        extents = {**self.extents, **options.pop("extents", {})}
        got = self.package.call(given, extents, **options)
        name = next(n for n, code in STATUS.items() if code == got)
        if got != STATUS[status] or words not in self.runtime.last_error():
            sys.exit(
                f"expected {status} with '{words}', got {name}: {self.runtime.last_error()}"
            )
        result = np.empty_like(self.c)
        self.runtime.to_host(self.on_c, result)
        if not np.array_equal(result, self.c):
            sys.exit(f"expected nothing to be launched after {status}")
        print(self.runtime.last_error())

    def free(self):
        for address in (self.on_a, self.on_b, self.on_c):
            self.runtime.free(address)


def check_pointers(package):
    case = Case(package, 64, 32, 48)
    a, b, c = case.on_a, case.on_b, case.on_c
    case.refused("NULL_POINTER", "tc_fixed: B: expected a buffer", (a, 0, c))
    case.refused("MISALIGNED", "tc_fixed: A: expected a multiple of 4", (a + 2, b, c))
    case.refused("OVERLAP", "tc_fixed: C: expected a buffer that shares no", (a, c + 4, c))
    case.refused("OVERLAP", "shares no bytes with A", (c, b, c))
    case.refused("BUFFER_TOO_SMALL", "expected 8192 bytes, got an allo", (a + 4, b, c))
    host = np.ones(64 * 32, np.float32)
    case.refused("WRONG_DEVICE", "the driver does not know", (host.ctypes.data, b, c))
    # Inputs may be one buffer; the same call as it should be goes through.
    package.runtime.check(package.call((a, a, c), {}))
    case.free()


def check_extents(package):
    case = Case(package, 5, 6, 7)
    case.refused("WRONG_EXTENT", "extent_k: expected an extent of at least 0, got -1",
                 extents={"extent_k": -1})  # fmt: skip
    case.refused("WRONG_EXTENT", "63 bits", extents={"extent_k": 2**62})
    case.refused("BUFFER_TOO_SMALL", "A: expected 40000 bytes", extents={"extent_i": 1, "extent_k": 10000,
                 "extent_j": 0})  # fmt: skip
    # Without elements no buffer is asked for.
    empty = {"extent_i": 0, "extent_k": 6, "extent_j": 0}
    package.runtime.check(package.call((case.on_a, 0, 0), empty))
    case.free()


def check_workspace(package):
    case = Case(package, 64, 4096, 64)
    size = package.workspace_size({})
    place = package.runtime.allocate(size + 256)
    case.refused("WORKSPACE", f"workspace: expected {size} bytes, got 0")
    case.refused("WORKSPACE", f"got {size - 1}", workspace=place, size=size - 1)
    case.refused("WORKSPACE", "a multiple of 256, got 0x0", size=size)
    case.refused("WORKSPACE", "a multiple of 256", workspace=place + 16, size=size)
    case.refused("OVERLAP", "memory of its own", workspace=case.on_a, size=size)
    case.refused("BUFFER_TOO_SMALL", "workspace: expected", workspace=place + 512, size=size)
    package.runtime.check(package.call((case.on_a, case.on_b, case.on_c), {}, place, size))
    package.runtime.free(place)
    case.free()


def check_cpu(package):
    a, b, c = (np.ones(s, np.float32) for s in ((64, 32), (32, 48), (64, 48)))
    given = [x.ctypes.data for x in (a, b, c)]
    assert package.call_cpu([given[0], 0, given[2]], {}) == STATUS["NULL_POINTER"]
    assert package.call_cpu([given[2], given[1], given[2]], {}) == STATUS["OVERLAP"]
    assert package.call_cpu([given[0] + 1, *given[1:]], {}) == STATUS["MISALIGNED"]
    package.runtime.check(package.call_cpu(given, {}))
    assert (c == 32).all()


def check_texts(runtime):
    texts = {runtime.library.tcErrorString(code) for code in STATUS.values()}
    assert len(texts) == len(STATUS), "expected a sentence for each code"
    assert runtime.library.tcErrorString(999) == b"unknown error"


def main(fixed, dynamic, in_parts):
    package = Package(fixed)
    check_texts(package.runtime)
    check_pointers(package)
    check_cpu(package)
    check_extents(Package(dynamic, package.runtime))
    check_workspace(Package(in_parts, package.runtime))
    print("all refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
