# RUN: rm -rf %t && mkdir %t
# RUN: %cxx -x c -std=c11 -shared -fPIC -O1 %S/Inputs/fake_peers.c -o %t/libfake.so
# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source FAKES=%t/libfake.so \
# RUN:   PYTHONPATH=%S/Inputs:%S/Inputs/fakes %python %s
"""The peers of benchmarks/gpu, each against a stand-in that has its interface."""

import ctypes
import json
import os
import shutil
import struct
import sys
import unittest
from unittest import mock

from gpu_case import DRIVER, GpuCase
from harness.contenders import Unsupported
from harness.peers.matrices import Product, find_product
from harness.problem import Problem

FAKES = os.environ["FAKES"]
LIBRARIES = [f"--library=cublas={FAKES}", f"--library=cutensor={FAKES}"]
MATRICES = ["cublas", "cublas-pedantic", "triton-matmul"]
ALL = ["torch-einsum", "cupy-einsum", *[f"cutensor{s}" for s in ("", "-patient", "-tuned", "-jit")]]
os.environ["FAKE_DRIVER"] = DRIVER

# Adds the sum of a row and of a column, which is the contraction: one thread a result.
KERNEL = """
extern "C" __global__ void mm(float *c, const float *a, const float *b, int n) {
  float sum = 0;
  for (int k = 0; k != n; ++k)
    sum += a[threadIdx.y * n + k] * b[k * n + threadIdx.x];
  c[threadIdx.y * n + threadIdx.x] = sum;
}
"""

# The same, where the rows start in a variable and the columns in a temporary.
KERNEL_OF_TABLES = """
__constant__ int rows[16];
extern "C" __global__ void mm(float *c, const float *a, const float *b, const int *columns) {
  int row = rows[threadIdx.y], column = columns[threadIdx.x];
  float sum = 0;
  for (int k = 0; k != 16; ++k)
    sum += a[row + k] * b[16 * k + column];
  c[row + column] = sum;
}
"""


class Peers(GpuCase):
    def measure(self, *names, environment=None, options=()):
        with mock.patch.dict(os.environ, environment or {}):
            self.run_main(*LIBRARIES, *options, contenders=",".join(names))
        return self.rows()

    def test_each_is_right(self):
        rows = self.measure(*ALL, *MATRICES)
        for key, row in rows.items():
            can = key[0] == "mm" or key[2] in ALL
            self.assertEqual(row["status"], "right" if can else "unsupported", row)
        self.assertEqual(len(rows), 4 * (len(ALL) + len(MATRICES)))
        found = self.result()["contenders"]
        self.assertEqual(found["cublas"], {"found": True, "version": "130000"})
        self.assertEqual(found["cutensor"], {"found": True, "version": "20300"})

    def test_tensor_units_are_found_out(self):
        """Inputs of 10 bits after the point, as tf32 has. The one element of the dot
        product may come out right by luck, so the data are the same each time."""
        rows = self.measure(
            "torch-einsum", environment={"FAKE_BITS": "10"}, options=("--seed=1",)
        )
        for row in rows.values():
            self.assertEqual(row["status"], "wrong")
            self.assertIn("by norm", row["why"])
        import torch

        self.assertFalse(torch.backends.cuda.matmul.allow_tf32)

    def test_wrong_results_are_refused(self):
        for library in ("cublas", "cutensor"):
            rows = self.measure("cublas", "cutensor", environment={"FAKE_WRONG": library})
            for (problem, _, name), row in rows.items():
                if problem == "mm":
                    self.assertEqual(row["status"], "wrong" if name == library else "right")

    def test_a_peer_that_raises_costs_its_row(self):
        rows = self.measure("torch-einsum", "cupy-einsum", environment={"FAKE_RAISE": "1"})
        self.assertEqual(rows["mm", "f32", "torch-einsum"]["status"], "failed")
        self.assertIn("out of memory", rows["mm", "f32", "torch-einsum"]["why"])
        self.assertEqual(rows["mm", "f32", "cupy-einsum"]["status"], "right")

    def test_a_status_is_told(self):
        with mock.patch.dict(os.environ, {"FAKE_STATUS": "cublasCreate"}):
            _, said = self.run_main(*LIBRARIES, contenders="tc,cublas")
        self.assertIn("missing: cublas (cublasCreate returned 15)", said)
        rows = self.measure("cutensor", environment={"FAKE_STATUS": "cutensorCreateContraction"})
        row = rows["ccsd", "f32", "cutensor"]
        self.assertEqual(row["status"], "unsupported")
        self.assertEqual(row["why"], "cutensorCreateContraction returned 15")

    def test_cutensor_is_tuned_and_gives_back(self):
        fake = ctypes.CDLL(FAKES)
        plans = ctypes.c_int.in_dll(fake, "fakePlans")
        plans.value = 0
        self.measure("cutensor-tuned", options=["--problems=mm", "--dtypes=f32"])
        self.assertEqual(plans.value, 25)
        self.assertEqual(ctypes.c_int.in_dll(fake, "fakeAlive").value, 0)


class CudaKernels(GpuCase):
    def describe(self, **changes):
        numbers = {"grid": [1, 1, 1], "block": [16, 16, 1], "kernel": "mm"}
        arguments = [{"argument": 2}, {"argument": 0}, {"argument": 1}, {"i32": 16}]
        kernel = {
            "problem": "mm",
            "dtype": "f32",
            "source": "mm.cu",
            "launches": [{**numbers, "arguments": arguments}],
        }
        kernel.update(changes)
        path = os.path.join(self.folder, "kernels.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"name": "theirs", "kernels": [kernel]}, file)
        with open(os.path.join(self.folder, "mm.cu"), "w", encoding="utf-8") as file:
            file.write(KERNEL)
        return path

    def run_kernel(self, **changes):
        path = self.describe(**changes)
        status, said = self.run_main("--problems=mm", f"--kernels={path}", contenders="theirs")
        return status, said

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not found")
    def test_source_is_compiled(self):
        self.run_kernel()
        rows = self.rows()
        self.assertEqual(rows["mm", "f32", "theirs"]["status"], "right", rows)
        self.assertEqual(rows["mm", "f64", "theirs"]["why"], "is not described")

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not found")
    def test_errors_of_the_compiler_are_told(self):
        self.run_kernel(options=["-DthreadIdx=nothing"])
        row = self.rows()["mm", "f32", "theirs"]
        self.assertEqual(row["status"], "unsupported")
        self.assertIn("nothing", row["why"])

    def run_kernel_of_tables(self, rows="rows.bin"):
        """The row of the result, for 17 numbers of the file many.bin."""
        for name, content in (
            ("tables.cu", KERNEL_OF_TABLES.encode()),
            ("rows.bin", struct.pack("16i", *range(0, 256, 16))),
            ("columns.bin", struct.pack("16i", *range(16))),
            ("many.bin", bytes(4 * 17)),
        ):
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(content)
        arguments = [{"argument": 2}, {"argument": 0}, {"argument": 1}, {"temporary": 1}]
        launch = {"kernel": "mm", "grid": [1, 1, 1], "block": [16, 16, 1], "arguments": arguments}
        self.run_kernel(
            source="tables.cu",
            launches=[launch],
            temporaries=[64, "columns.bin"],
            variables={"rows": rows},
        )
        return self.rows()["mm", "f32", "theirs"]

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not found")
    def test_temporaries_and_variables_have_contents(self):
        self.assertEqual(self.run_kernel_of_tables()["status"], "right")

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not found")
    def test_contents_are_checked(self):
        row = self.run_kernel_of_tables("many.bin")
        self.assertEqual(row["status"], "unsupported")
        self.assertEqual(row["why"], "expected at most 64 bytes for 'rows', got 68")
        row = self.run_kernel_of_tables("none.bin")
        self.assertEqual(row["status"], "unsupported")
        self.assertIn("none.bin", row["why"])

    def test_descriptions_are_checked(self):
        for changes, error in (
            ({"gird": [1, 1, 1]}, "got 'gird'"),
            ({"ptx": "mm.ptx"}, "expected one of source, ptx and cubin"),
            ({"launches": [{"arguments": [{"i16": 1}]}]}, "got {'i16': 1}"),
        ):
            status, said = self.run_kernel(**changes)
            self.assertEqual(status, 2)
            self.assertIn(error, said)


class Matrices(unittest.TestCase):
    def find(self, einsum):
        sizes = {"a": 2, "b": 3, "c": 5, "d": 7}
        used = {label: sizes[label] for label in einsum if label in sizes}
        return find_product(Problem.make("x", einsum, used, "f32"))

    def test_products_are_found(self):
        self.assertEqual(self.find("ab,bc->ac"), Product(2, 5, 3, 0, False, False))
        self.assertEqual(self.find("ba,cb->ac"), Product(2, 5, 3, 0, True, True))
        # The second input is A where its labels come first in the result.
        self.assertEqual(self.find("ab,bc->ca"), Product(5, 2, 3, 1, True, True))
        self.assertEqual(self.find("abd,dc->abc"), Product(6, 5, 7, 0, False, False))

    def test_what_is_no_product_is_refused(self):
        for einsum in ("abd,dc->bac", "ab,abc->ac", "ab,c->abc", "ab->a", "bad,dc->abc"):
            with self.assertRaises(Unsupported):
                self.find(einsum)


if __name__ == "__main__":
    unittest.main()
