#!/usr/bin/env python3
"""Compiles kernels with Triton for sm_90, without a GPU, and runs them on the emulator.

The kernels are those of triton_kernels.py. Each runs with all checks, in three orders
of threads, and is compared with NumPy; products have factors of small integers, so that
every sum is exact. Prints a Markdown table. Triton is a Python package (pip install
triton, or --triton FOLDER for one that is unpacked elsewhere)."""

import argparse
import collections
import ctypes
import os
import pathlib
import re
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDULES = ("deterministic", "random:1", "adversarial:1")
SIZES = {"f2": 2, "f4": 4, "i1": 1, "i4": 4, "u2": 2, "u1": 1}
# Types of Triton by those of arrays; bf16 and fp8 travel as bits.
TYPES = {"f2": "fp16", "f4": "fp32", "i1": "i8", "i4": "i32", "u2": "bf16", "u1": "fp8e4nv"}
# Numbers of CUtensorMapDataType.
MAP_TYPES = {"f2": 6, "f4": 7, "u2": 9, "u1": 0, "i1": 0, "i4": 4}

Host = collections.namedtuple("Host", "array block")
Case = collections.namedtuple("Case", "name kernel arguments constants grid options expected")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--triton", help="a folder that has the package")
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the PTX")
    parser.add_argument("--verbose", action="store_true", help="show what was found")
    return parser.parse_args()


def integers(seed, *shape, dtype="f2", limit=3):
    values = numpy.random.default_rng(seed).integers(-limit, limit + 1, shape)
    return encode(values.astype("f4"), dtype)


def floats(seed, *shape):
    return numpy.random.default_rng(seed).standard_normal(shape, dtype="f4")


def encode(values, dtype):
    """Floats as an array of a type; small integers are exact in all of them."""
    if dtype == "u2":
        return (values.astype("f4").view("u4") >> 16).astype("u2")
    if dtype == "u1":  # e4m3: by a table of its 256 values
        table = decode(numpy.arange(256, dtype="u1"))
        table = numpy.where(numpy.isnan(table), numpy.inf, table)
        return numpy.abs(values[..., None] - table).argmin(-1).astype("u1")
    return values.astype(dtype)


def decode(array):
    kind = array.dtype.str[1:]
    if kind == "u2":
        return (array.astype("u4") << 16).view("f4")
    if kind == "u1":
        sign, exponent, fraction = array >> 7, array >> 3 & 15, array & 7
        normal = numpy.exp2(exponent.astype("f4") - 7) * (1 + fraction / 8)
        value = numpy.where(exponent == 0, fraction / 512, normal)
        value = numpy.where(array & 0x7F == 0x7F, numpy.nan, value)
        return numpy.where(sign == 1, -value, value).astype("f4")
    return array.astype("f8" if kind == "f4" else "f4")


def attend(q, k, v, scale, causal):
    q, k, v = (array.astype("f8") for array in (q, k, v))
    score = q @ k.transpose(0, 2, 1) * scale
    if causal:
        score = numpy.where(numpy.tri(score.shape[1], dtype=bool), score, -numpy.inf)
    score = numpy.exp(score - score.max(-1, keepdims=True))
    return score / score.sum(-1, keepdims=True) @ v


def products(kernels):
    """Cases of products, exact."""
    block = {"BM": 64, "BN": 64, "BK": 32}

    def product(name, kernel, shape, dtype, result, constants=block, grid=None, options=(), **how):
        m, n, k = shape
        x = integers(1, m, k, dtype=dtype)
        y = integers(2, k, n, dtype=dtype)
        z = numpy.zeros((m, n), result)
        expected = decode(x) @ decode(y)
        grid = grid or (-(-m // constants["BM"]), -(-n // constants["BN"]))
        if how.get("transposed"):
            y = numpy.ascontiguousarray(y.T)
        arguments = [x, y, z, m, n, k]
        if how.get("host"):
            tiles = [("BM", "BK"), ("BK", "BN"), ("BM", "BN")]
            if how.get("transposed"):
                tiles[1] = ("BN", "BK")
            blocks = [[constants[one], constants[two]] for one, two in tiles]
            arguments[:3] = [Host(*pair) for pair in zip((x, y, z), blocks)]
        if how.get("transposed"):
            arguments[3:5] = []
        return Case(name, kernel, arguments, constants, grid, dict(options), (2, expected, 0))

    one = kernels.matmul
    wide = {"BM": 128, "BN": 128, "BK": 64}
    tiles = {"BM": 64, "BN": 64, "BK": 64}
    persistent = {**tiles, "PROGRAMS": 3, "SPECIALIZED": False}
    yield product("matmul f16, masked", one, (100, 72, 80), "f2", "f4")
    yield product("matmul f16, 4 stages", one, (128, 128, 256), "f2", "f4", wide, options={"num_stages": 4})
    yield product("matmul bf16, masked", one, (100, 72, 80), "u2", "f4")
    yield product("matmul tf32, masked", one, (100, 72, 80), "f4", "f4")
    yield product("matmul fp8, masked", one, (128, 80, 96), "u1", "f4")
    yield product("matmul s8, masked", one, (128, 80, 96), "i1", "i4")
    yield product("matmul f16, 8 warps", one, (256, 128, 128), "f2", "f4", wide, options={"num_warps": 8})
    yield product("matmul f16, split sums", kernels.matmul_split, (64, 128, 256), "f2", "f4", tiles, (1, 2, 3))
    yield product("matmul f16, tensor maps of the kernel", kernels.matmul_device, (128, 192, 160), "f2", "f2", tiles)
    yield product("matmul f16, tensor maps of the kernel, edges", kernels.matmul_device, (100, 72, 80), "f2", "f2", tiles)
    yield product("matmul bf16, tensor maps of the kernel", kernels.matmul_device, (128, 128, 128), "u2", "u2", wide)
    yield product("matmul f16, tensor maps of the host", kernels.matmul_host, (128, 192, 160), "f2", "f2", tiles, host=True, transposed=True)
    yield product("matmul f16, tensor maps of the host, 8 warps", kernels.matmul_host, (256, 128, 192), "f2", "f2", wide, host=True, transposed=True, options={"num_warps": 8})
    yield product("matmul fp8, tensor maps of the host", kernels.matmul_host, (128, 64, 256), "u1", "f2", {"BM": 64, "BN": 64, "BK": 128}, host=True, transposed=True)
    yield product("matmul f16, persistent", kernels.matmul_persistent, (256, 192, 128), "f2", "f2", persistent, (3,), host=True)
    for n in (64, 128):
        constants = {**tiles, "BN": n, "PROGRAMS": 3, "SPECIALIZED": True}
        yield product(f"matmul f16, persistent, warps specialised, 64x{n}", kernels.matmul_persistent, (192, 256, 256), "f2", "f2", constants, (3,), host=True)
    yield product("matmul f16, cluster of 2", one, (128, 256, 128), "f2", "f4", wide, options={"num_ctas": 2})


def cases(kernels):
    x, y = floats(1, 1000), floats(2, 1000)
    yield Case("add", kernels.add, [x, y, numpy.zeros_like(x), 1000], {"BLOCK": 256}, (4,), {}, (2, x + y, 0))
    x = floats(3, 40, 200)
    power = numpy.exp(x.astype("f8") - x.max(1, keepdims=True))
    yield Case("softmax, persistent", kernels.softmax, [x, numpy.zeros_like(x), 40, 200], {"BLOCK": 256}, (6,), {}, (1, power / power.sum(1, keepdims=True), 1e-6))
    x, scale, shift = floats(4, 20, 300), floats(5, 300), floats(6, 300)
    wide = x.astype("f8")
    normal = (wide - wide.mean(1, keepdims=True)) / numpy.sqrt(wide.var(1, keepdims=True) + 1e-5)
    yield Case("layer norm", kernels.layer_norm, [x, scale, shift, numpy.zeros_like(x), 300], {"BLOCK": 512}, (20,), {}, (3, normal * scale + shift, 3e-6))
    x = integers(7, 500, dtype="i4", limit=100)
    yield Case("scan", kernels.scan, [x, numpy.zeros_like(x), 500], {"BLOCK": 512}, (1,), {}, (1, numpy.cumsum(x), 0))
    x = numpy.random.default_rng(8).integers(0, 64, 1000).astype("i4")
    yield Case("histogram", kernels.histogram, [x, numpy.zeros(64, "i4"), 1000], {"BINS": 64, "BLOCK": 256}, (4,), {}, (1, numpy.bincount(x, minlength=64), 0))
    x = floats(9, 4, 256)
    yield Case("sort", kernels.sort, [x, numpy.zeros_like(x)], {"BLOCK": 256}, (4,), {}, (1, numpy.sort(x, 1), 0))
    yield from products(kernels)
    x = integers(10, 256, 32, dtype="f4")
    yield Case("sums by reducing bulk copies", kernels.scatter_sum, [Host(x, [64, 32]), numpy.zeros((64, 32), "f4")], {"BM": 64, "BN": 32}, (4,), {}, (1, x.reshape(4, 64, 32).sum(0), 0))
    for causal, specialized in ((False, False), (True, False), (False, True)):
        q, k, v = (floats(seed, 2, 256, 64).astype("f2") for seed in (11, 12, 13))
        constants = {"HEAD": 64, "BM": 64, "BN": 64, "CAUSAL": causal, "SPECIALIZED": specialized}
        yield Case(f"flash attention{', causal' * causal}{', warps specialised' * specialized}", kernels.attention, [q, k, v, numpy.zeros((2, 256, 64), "f4"), 256, 0.125], constants, (4, 2), {"num_stages": 2}, (3, attend(q, k, v, 0.125, causal), 2e-3))


def compile_case(triton, case):
    names = [name for name in case.kernel.arg_names if name not in case.constants]
    signature = dict.fromkeys(case.constants, "constexpr")
    attributes = {}
    for index, (name, value) in enumerate(zip(names, case.arguments)):
        if isinstance(value, Host):
            kind = TYPES[value.array.dtype.str[1:]]
            signature[name] = f"tensordesc<{kind}[{', '.join(map(str, value.block))}]>"
        elif isinstance(value, numpy.ndarray):
            signature[name] = "*" + TYPES[value.dtype.str[1:]]
        else:
            signature[name] = "i32" if isinstance(value, int) else "fp32"
        divisible = isinstance(value, numpy.ndarray) or isinstance(value, int) and value % 16 == 0
        if divisible:
            attributes[(case.kernel.arg_names.index(name),)] = [["tt.divisibility", 16]]
    signature = {name: signature[name] for name in case.kernel.arg_names}
    source = triton.compiler.ASTSource(
        fn=case.kernel, signature=signature, constexprs=case.constants, attrs=attributes
    )
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    return triton.compile(source, target=target, options=case.options)


def encode_map(emulator, buffer, host, meta):
    """The 128 bytes of a tensor map, as Triton's launcher encodes it."""
    size, rank = host.array.dtype.itemsize, host.array.ndim
    shape = (ctypes.c_uint64 * rank)(*reversed(host.array.shape))
    strides = (ctypes.c_uint64 * rank)(*(size * host.array.shape[-1],) * rank)
    block = (ctypes.c_uint32 * rank)(*reversed(meta["block_size"]))
    ones = (ctypes.c_uint32 * rank)(*(1,) * rank)
    raw = ctypes.create_string_buffer(128 + 64)
    start = -ctypes.addressof(raw) % 64
    emulator._library.cuInit(0)
    status = emulator._library.cuTensorMapEncodeTiled(
        ctypes.c_void_p(ctypes.addressof(raw) + start),
        MAP_TYPES[host.array.dtype.str[1:]], rank, ctypes.c_void_p(buffer.address),
        shape, strides, block, ones, 0, meta["swizzle"], 2, 0,
    )  # fmt: skip
    if status:
        raise RuntimeError(f"expected a tensor map, got error {status}")
    return raw.raw[start : start + 128]


def launch(emulator_type, case, compiled, schedule):
    """(the arrays afterwards, report)"""
    ptx, meta = compiled.asm["ptx"], compiled.metadata
    emulator = emulator_type(checks="all,-leaks", schedule=schedule)
    module = emulator.module(ptx)
    arguments, buffers, maps = [], [], list(meta.tensordesc_meta or [])
    for value in case.arguments:
        array = value.array if isinstance(value, Host) else value
        if not isinstance(array, numpy.ndarray):
            arguments.append(array)
            continue
        buffers.append(emulator.buffer(array))
        if not isinstance(value, Host):
            arguments.append(buffers[-1])
            continue
        arguments.append(encode_map(emulator, buffers[-1], value, maps.pop(0)))
        arguments += [*array.shape, array.shape[1], 1]
    programs = int(numpy.prod(case.grid)) * meta.num_ctas
    for size in (meta.global_scratch_size, meta.profile_scratch_size):
        arguments.append(emulator.empty(size * programs, "u1") if size else 0)
    threads = int(re.search(r"\.reqntid (\d+)", ptx).group(1))
    grid = (case.grid[0] * meta.num_ctas, *case.grid[1:])
    report = module.launch(meta.name, grid, threads, arguments, shared=meta.shared)
    return [buffer.numpy() for buffer in buffers], report


def compare(case, arrays):
    """The largest error over the largest magnitude, and whether that is too much."""
    place, expected, limit = case.expected
    got = decode(arrays[place]) if arrays[place].dtype != "i4" else arrays[place]
    wanted = expected.reshape(got.shape)
    if arrays[place].dtype == "f2":
        wanted = wanted.astype("f2").astype("f4")
    if arrays[place].dtype == "u2":
        wanted = decode(encode(wanted, "u2"))
    error = float(numpy.abs(got - wanted).max() / max(1, numpy.abs(wanted).max()))
    return error, not error <= limit


FEATURES = (
    ("wgmma", r"wgmma\.mma_async"), ("mma", r"mma\.sync"), ("TMA", r"cp\.async\.bulk\.tensor"),
    ("tensormap.replace", r"tensormap\.replace"), ("cp.async", r"cp\.async\.c[ag]"),
    ("mbarrier", r"mbarrier"), ("setmaxnreg", r"setmaxnreg"), ("atomics", r"\b(atom|red)\."),
    ("cluster", r"reqnctapercluster"),
)  # fmt: skip


def run_case(triton, emulator_type, case, arguments):
    compiled = compile_case(triton, case)
    ptx = compiled.asm["ptx"]
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        (arguments.keep / (re.sub(r"\W+", "-", case.name) + ".ptx")).write_text(ptx)
    features = ", ".join(name for name, pattern in FEATURES if re.search(pattern, ptx))
    result, found, worst = "right", collections.Counter(), 0.0
    for schedule in SCHEDULES:
        arrays, report = launch(emulator_type, case, compiled, schedule)
        for finding in report["findings"]:
            found[finding["class"]] += 1
            if arguments.verbose:
                print(f"{case.name}, {schedule}: {finding['text'][:600]}", file=sys.stderr)
        error, is_wrong = compare(case, arrays)
        worst = max(worst, error)
        result = "**wrong**" if is_wrong else result
    words = ", ".join(f"{count} x {what}" for what, count in sorted(found.items()))
    return features, result, f"{worst:.1e}" if worst else "0", words


def main():
    arguments = parse_arguments()
    if arguments.triton:
        sys.path.insert(0, arguments.triton)
    sys.path.insert(0, str(ROOT / "python"))
    os.environ.setdefault("TC_EMULATOR_LIBRARY", str(arguments.build / "lib/libtc-cuda-emulator.so"))
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    import triton
    import triton_kernels

    from tc.emulator import Emulator, EmulatorError

    print(f"Triton {triton.__version__}, sm_90\n")
    print("| kernel | PTX has | result | error | found |\n|---|---|---|---|---|")
    totals = collections.Counter()
    for case in cases(triton_kernels):
        if arguments.only not in case.name:
            continue
        try:
            row = run_case(triton, Emulator, case, arguments)
        except EmulatorError as error:
            row = ("", "refused", "", str(error)[:200])
        except Exception as error:  # what Triton says of a kernel it does not take
            row = ("", "not compiled", "", f"{type(error).__name__}: {error}"[:200])
        totals[row[1]] += 1
        print(f"| {case.name} | {' | '.join(row)} |", flush=True)
    print("\n" + ", ".join(f"{count} {what}" for what, count in totals.items()))
    return 0 if set(totals) == {"right"} else 1


if __name__ == "__main__":
    sys.exit(main())
