"""What the device can do at most, measured before anything else: copying memory, fused
multiply-adds in f32 and f64, and products of matrices by `mma.sync`. Beside it stands what
the data sheet says, for devices that are known by name (devices.json)."""

import ctypes
import json
import os

from . import data, matrix, micro
from .arithmetic import TYPES
from .driver import address

_COPY_BYTES = 1 << 30
_MATRICES = sorted({arithmetic.matrix for arithmetic in TYPES.values() if arithmetic.matrix})
_CHAINS, _STEPS, _ROUNDS = 8, 64, 64


def _fma_text(dtype):
    """A kernel of `_CHAINS` independent chains of multiply-adds a thread, in a loop of
    `rounds` times `_STEPS` of each; the store keeps them alive."""
    kind, register = dtype, "%f" if dtype == "f32" else "%d"
    bits = dtype[1:]
    lines = [
        ".version 7.0",
        ".target sm_75",
        ".address_size 64",
        f".visible .entry fma_{dtype}(.param .u64 to, .param .u32 rounds)",
        "{",
        "  .reg .pred %p;",
        "  .reg .b32 %r<8>;",
        "  .reg .b64 %rd<4>;",
        f"  .reg .{kind} {register}<{_CHAINS + 3}>;",
        "  ld.param.u64 %rd1, [to];",
        "  ld.param.u32 %r1, [rounds];",
        "  mov.u32 %r2, %tid.x;",
        f"  cvt.rn.{kind}.u32 {register}{_CHAINS}, %r2;",
        f"  mov.{kind} {register}{_CHAINS + 1}, {register}{_CHAINS};",
    ]
    lines += [
        f"  add.rn.{kind} {register}{c}, {register}{_CHAINS}, "
        + (f"0f{0x3F800000 + (c << 20):08X};" if bits == "32" else f"0d{(0x3FF0 + c) << 48:016X};")
        for c in range(_CHAINS)
    ]
    lines.append("NEXT:")
    for _ in range(_STEPS):
        lines += [
            f"  fma.rn.{kind} {register}{c}, {register}{c}, {register}{_CHAINS}, "
            f"{register}{_CHAINS + 1};"
            for c in range(_CHAINS)
        ]
    lines += ["  sub.u32 %r1, %r1, 1;", "  setp.ne.u32 %p, %r1, 0;", "  @%p bra NEXT;"]
    for c in range(1, _CHAINS):
        lines.append(f"  add.rn.{kind} {register}0, {register}0, {register}{c};")
    lines += [
        "  cvta.to.global.u64 %rd1, %rd1;",
        f"  mul.wide.u32 %rd2, %r2, {int(bits) // 8};",
        "  add.s64 %rd1, %rd1, %rd2;",
        f"  st.global.{kind} [%rd1], {register}0;",
        "  ret;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def time_once(clock, launch, is_cold=False):
    """Microseconds, the least of some samples: a ceiling is what was reached once.
    `is_cold`: with L2 overwritten before each."""
    (timing,) = clock.compare([lambda _: launch()], 1 if is_cold else 2)
    return min(timing.samples)


def measure_copy(clock):
    """Bytes read and written a second, by a kernel and by the driver; the better."""
    driver = clock.driver
    size = 1 << 16 if driver.is_emulator else min(_COPY_BYTES, driver.free_bytes() // 4)
    size -= size % 4096
    source, target = driver.allocate(size), driver.allocate(size)
    driver.set_words(source, 0, size)
    kernel = clock.module.kernel("copy")
    grid = data.find_grid(driver, size // 16)
    arguments = [address(target), address(source), ctypes.c_uint64(size // 16)]
    by_kernel = kernel.prepare((grid, 1, 1), (data.BLOCK, 1, 1), arguments)

    def by_driver():
        driver.call("cuMemcpyDtoDAsync", target, source, size, driver.stream)

    found = {
        "kernel": 2 * size / time_once(clock, by_kernel) * 1e6,
        "driver": 2 * size / time_once(clock, by_driver) * 1e6,
    }
    driver.free(source)
    driver.free(target)
    return found


def measure_fma(clock, dtype):
    """Operations a second; a multiply-add counts two."""
    driver = clock.driver
    module = driver.load(_fma_text(dtype))
    target = driver.allocate(8192)
    blocks = 1 if driver.is_emulator else 4 * driver.attributes["multiprocessors"]
    rounds = 1 if driver.is_emulator else _ROUNDS
    arguments = [address(target), ctypes.c_uint32(rounds)]
    launch = module.kernel(f"fma_{dtype}").prepare((blocks, 1, 1), (512, 1, 1), arguments)
    flops = 2 * _CHAINS * _STEPS * rounds * 512 * blocks / time_once(clock, launch) * 1e6
    driver.free(target)
    module.unload()
    return flops


def measure_mma(clock, kind):
    """Operations a second of `mma.sync` with inputs of this kind, by the widest form that the
    device has; 0 if it has none."""
    driver = clock.driver
    capability = 10 * driver.attributes["major"] + driver.attributes["minor"]
    forms = [f for f in matrix.FORMS if f.a == kind and f.d != "f16" and f.chip <= capability]
    if not forms:
        return 0.0
    module = driver.load(micro.write_mma(forms[-1]))
    target = driver.allocate(8192)
    blocks = 1 if driver.is_emulator else driver.attributes["multiprocessors"]
    rounds = 1 if driver.is_emulator else 4 * _ROUNDS
    arguments = [address(target), ctypes.c_uint32(rounds)]
    launch = module.kernel("micro").prepare((blocks, 1, 1), (512, 1, 1), arguments)
    products = micro.CHAINS * micro.PRODUCTS * rounds * 16 * blocks
    flops = 2 * forms[-1].products * products / time_once(clock, launch) * 1e6
    driver.free(target)
    module.unload()
    return flops


def measure(clock):
    """All of them, as results have it."""
    copy = measure_copy(clock)
    return {
        "copy_bytes_per_second": max(copy.values()),
        "copy_by_kernel": copy["kernel"],
        "copy_by_driver": copy["driver"],
        "f32_flops": measure_fma(clock, "f32"),
        "f64_flops": measure_fma(clock, "f64"),
        **{f"mma_{kind}_flops": measure_mma(clock, kind) for kind in _MATRICES},
        "launch": clock.time_launches(),
    }


def find_datasheet(name):
    """The data sheet's rates of the device of this name; None if it is not known."""
    path = os.path.join(os.path.dirname(data.KERNELS), "devices.json")
    with open(path, encoding="utf-8") as file:
        devices = json.load(file)["devices"]
    for device in devices:
        if all(word in name for word in device["name_has"]) and not any(
            word in name for word in device.get("name_has_not", [])
        ):
            return {key: value for key, value in device.items() if not key.startswith("name_")}
    return None


def find_rate(dtype, rates):
    """Operations a second in this type: by multiply-adds or by tensor units, where the type
    may use them, whichever are faster."""
    arithmetic = TYPES[dtype]
    by_fma = rates.get(f"{arithmetic.storage}_flops", 0.0)
    by_mma = rates.get(f"mma_{arithmetic.matrix}_flops", 0.0) / arithmetic.passes
    return max(by_fma, by_mma)


def find_floor(problem, rates, bandwidth):
    """Microseconds for the bytes and for the flops, and which is longer."""
    moved = problem.bytes / rates[bandwidth] * 1e6
    computed = problem.flops / find_rate(problem.dtype, rates) * 1e6
    return max(moved, computed), "dram" if moved >= computed else problem.dtype
