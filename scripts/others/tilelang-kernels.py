#!/usr/bin/env python3
"""Runs kernels of TileLang 0.1.11 that have the defects 2634, 2613, 2566 and 2593 of its tracker.

Three kernels of ours are compiled by TileLang, without a GPU, and by nvcc to PTX, which is
mended or broken as the reports say. Each runs with all checks in five orders of threads.
Prints a Markdown table. Needs tilelang 0.1.11 (with apache-tvm-ffi 0.1.10) and nvcc."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDULES = ("deterministic", "random:1", "random:2", "adversarial:1", "adversarial:2")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    return parser.parse_args()


def shared_operand(T):
    """Two warpgroups multiply by one tile, which all threads have copied."""

    @T.prim_func
    def main(
        A: T.Tensor((128, 256), "float16"),
        B: T.Tensor((256, 128), "float16"),
        C: T.Tensor((128, 128), "float32"),
    ):
        with T.Kernel(1, threads=256) as _:
            left = T.alloc_shared((128, 64), "float16")
            first = T.alloc_shared((64, 64), "float16")
            second = T.alloc_shared((64, 64), "float16")
            sums = T.alloc_fragment((128, 64), "float32")
            others = T.alloc_fragment((128, 64), "float32")
            with T.ws(0):
                T.clear(sums)
            with T.ws(1):
                T.clear(others)
            for k in T.Pipelined(4, num_stages=0):
                T.copy(A[0, k * 64], left)
                with T.ws(0):
                    T.copy(B[k * 64, 0], first)
                    T.gemm(left, first, sums)
                with T.ws(1):
                    T.copy(B[k * 64, 64], second)
                    T.gemm(left, second, others)
            with T.ws(0):
                T.copy(sums, C[0, 0])
            with T.ws(1):
                T.copy(others, C[0, 64])

    return main


def one_step(T):
    """A pipeline of one iteration, whose copy is a bulk copy of one dimension."""

    @T.prim_func
    def main(A: T.Tensor((128, 64), "float32"), C: T.Tensor((128, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            tile = T.alloc_shared((128, 64), "float32")
            sums = T.alloc_fragment((128, 64), "float32")
            T.clear(sums)
            for k in T.Pipelined(1, num_stages=2):
                T.copy(A[k * 128, 0], tile)
                for i, j in T.Parallel(128, 64):
                    sums[i, j] += tile[i, j]
            T.copy(sums, C)

    return main


def narrow(T, columns):
    """A product by a tile of `columns` columns, which 2593 multiplies 8 by 8 if they are odd eights."""

    @T.prim_func
    def main(
        A: T.Tensor((128, 128), "float16"),
        B: T.Tensor((128, columns), "float16"),
        C: T.Tensor((128, columns), "float32"),
    ):
        with T.Kernel(1, threads=128) as _:
            left = T.alloc_shared((128, 64), "float16")
            right = T.alloc_shared((64, columns), "float16")
            sums = T.alloc_fragment((128, columns), "float32")
            T.clear(sums)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 64], left)
                T.copy(B[k * 64, 0], right)
                T.gemm(left, right, sums)
            T.copy(sums, C)

    return main


def compile_kernel(arguments, tilelang, function, **config):
    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_90a"})
    with target, tilelang.tvm.transform.PassContext(config=config):
        source = tilelang.lower(function, target=target, enable_device_compile=False).kernel_source
    package = pathlib.Path(tilelang.__file__).parent
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "kernel.cu"
        path.write_text(source)
        folders = [package / "src", package / "3rdparty/cutlass/include"]
        command = [arguments.nvcc, "-std=c++17", "-ptx", "-arch=sm_90a", str(path)]
        command += [*(f"-I{folder}" for folder in folders), "-o", str(path.with_suffix(".ptx"))]
        subprocess.run(command, check=True, capture_output=True)
        return path.with_suffix(".ptx").read_text()


BARRIER = r"bar(?:rier)?\.sync\s+0;"


def with_barrier(ptx):
    """A barrier between the copy of the shared tile and both products."""
    place = [match.end() for match in re.finditer(r"st\.shared\.v4\.u32[^;]*;", ptx)]
    first = next(re.finditer(BARRIER, ptx)).end()
    copies = [end for end in place if end > first][:4]
    return f"{ptx[: copies[-1]]}\nbar.sync 0;{ptx[copies[-1] :]}"


def without(pattern, ptx, count=0):
    return re.sub(pattern, "", ptx, count=count)


def with_waits_met(ptx):
    """A barrier and a fence behind each wait for copies, which are 2613 and 2634."""
    met = r"\1\nbar.sync 0;\nfence.proxy.async.shared::cta;"
    return re.sub(r"(cp\.async\.wait_[^;]*;)", met, ptx)


def variants(operand, step, odd, even):
    """(defect, what, PTX, whether it is mended)"""
    mended = with_barrier(operand)
    yield "2613", "as compiled: no barrier between the copy and the first product", operand, False
    yield "2613", "no barrier from one step to the next", without(BARRIER, mended, 1), False
    yield "2613", "mended by both", mended, True
    fence = r"fence\.proxy\.async[^;]*;"
    yield "2634", "no `fence.proxy.async`, in a dense product", without(fence, mended), False
    yield "2634", "mended", mended, True
    yield "2566", "as compiled", step, False
    arrive = "mbarrier.arrive.expect_tx.shared::cta.b64 _,"
    arrival = step.replace("mbarrier.expect_tx.shared::cta.b64", arrive)
    yield "2566", "mended by an arrival", arrival, True
    yield "2593", "a tile of 24 columns, with barriers and fences", with_waits_met(odd), False
    yield "2593", "mended: 32 columns", with_waits_met(even), True


def run(emulator_type, ptx, arrays, expected):
    found, right = {}, True
    threads = int(re.search(r"\.maxntid (\d+)", ptx).group(1))
    for schedule in SCHEDULES:
        module = emulator_type(checks="all,-leaks", schedule=schedule).module(ptx)
        values = [array.copy() for array in arrays]
        report = module.launch("main_kernel", 1, threads, values, shared=98304)
        for finding in report["findings"]:
            text = re.sub(r"^.*?: (?=[a-z])", "", finding["text"], count=1)
            found.setdefault(finding["class"], text)
        right &= bool((values[-1] == expected).all())
    return found, right


def main():
    arguments = parse_arguments()
    sys.path.insert(0, str(ROOT / "python"))
    import tilelang
    import tilelang.language as T

    from tc.emulator import Emulator

    print(f"TileLang {tilelang.__version__}\n\n| defect | kernel | result | found |\n|---|---|---|---|")
    operand, step = (compile_kernel(arguments, tilelang, one(T)) for one in (shared_operand, one_step))
    plain = {"tl.disable_warp_specialized": True}
    odd, even = (compile_kernel(arguments, tilelang, narrow(T, n), **plain) for n in (24, 32))
    x, y = (numpy.random.default_rng(s).integers(-3, 4, (128, 256)).astype("f2") for s in (1, 2))
    tile = numpy.arange(8192, dtype="f4").reshape(128, 64)
    wrong = 0
    for defect, what, ptx, is_mended in variants(operand, step, odd, even):
        factors = [x, numpy.ascontiguousarray(y.T), numpy.zeros((128, 128), "f4")]
        copies = [tile, numpy.zeros_like(tile)]
        expected = x.astype("f4") @ y.T.astype("f4")
        if defect == "2566":
            factors, expected = copies, tile
        elif defect == "2593":
            columns = 32 if is_mended else 24
            few = numpy.ascontiguousarray(y.T[:128, :columns])
            factors = [numpy.ascontiguousarray(x[:, :128]), few, numpy.zeros((128, columns), "f4")]
            expected = factors[0].astype("f4") @ few.astype("f4")
        found, right = run(Emulator, ptx, factors, expected)
        wrong += not right or bool(found) if is_mended else not found
        words = ", ".join(found) or "nothing"
        print(f"| {defect} | {what} | {'right' if right else 'wrong'} | {words} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
