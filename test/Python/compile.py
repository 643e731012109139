# RUN: rm -rf %t && env TC_CACHE_DIR=%t/cache PYTHONPATH=%tc_source/python %python %s
"""tc.compile: what it takes, what it makes, and what it refuses."""

import pathlib
import re
import sys
import unittest

import numpy
import tc

A = numpy.arange(12, dtype="f4").reshape(3, 4)
B = numpy.arange(20, dtype="f4").reshape(4, 5)


class Version(unittest.TestCase):
    def test_it_is_that_of_an_installation(self):
        root = pathlib.Path(tc.__file__).resolve().parents[2]
        wanted = re.search("regex = '(.*)'", (root / "pyproject.toml").read_text())[1]
        found = re.search(wanted, (root / "CMakeLists.txt").read_text())
        self.assertEqual(tc.__version__, found["value"])


class Takes(unittest.TestCase):
    def test_arrays(self):
        kernel = tc.compile("ik,kj->ij", A, B)
        self.assertEqual(kernel.shapes, ((3, 4), (4, 5), (3, 5)))
        self.assertEqual(kernel.dtypes, ("f32", "f32", "f32"))
        self.assertEqual(kernel.subscripts, "ik,kj->ij")
        self.assertEqual(kernel.chips, ())
        numpy.testing.assert_array_equal(kernel(A, B), A @ B)

    def test_shapes(self):
        kernel = tc.compile("ik,kj", (3, 4), [4, numpy.int64(5)], chips=())
        self.assertEqual(kernel.subscripts, "ik,kj->ij")
        numpy.testing.assert_array_equal(kernel(A, B), A @ B)

    def test_arrays_and_shapes(self):
        kernel = tc.compile("ik,kj->ij", A, (4, 5), dtype="f32")
        numpy.testing.assert_array_equal(kernel(A, B), A @ B)

    def test_extents_that_a_call_gives(self):
        kernel = tc.compile("ik,kj->ij", (None, 4), (-1, None), chips=())
        self.assertEqual(
            kernel.shapes, (("extent_i", 4), (4, "extent_j"), ("extent_i", "extent_j"))
        )
        numpy.testing.assert_array_equal(kernel(A, B), A @ B)
        b = B[:, :2].copy()
        numpy.testing.assert_array_equal(kernel(A[:1], b), A[:1] @ b)

    def test_strides_of_arrays(self):
        for a, b in ((A[::-1], B), (A.T.copy().T, B[:, ::2]), (A[:, ::-1], B[::-1, 1:4])):
            kernel = tc.compile("ik,kj->ij", a, b)
            numpy.testing.assert_array_equal(kernel(a, b), a @ b)

    def test_strides_of_zero(self):
        a = numpy.broadcast_to(A[:1], (3, 4))
        numpy.testing.assert_array_equal(tc.compile("ik,kj->ij", a, B)(a, B), a @ B)

    def test_extents_of_one_are_repeated(self):
        a = A[:, :1].copy()
        kernel = tc.compile("ik,kj->ij", a, B)
        numpy.testing.assert_array_equal(kernel(a, B), numpy.einsum("ik,kj->ij", a, B))

    def test_an_ellipsis(self):
        a = numpy.arange(24, dtype="f8").reshape(2, 3, 4)
        b = B.astype("f8")
        kernel = tc.compile("...k,kj", a, b)
        numpy.testing.assert_array_equal(kernel(a, b), a @ b)

    def test_names_of_types(self):
        for dtype, name in (
            ("f64", "f64"),
            ("float64", "f64"),
            (numpy.float64, "f64"),
            (numpy.dtype("c8"), "c64"),
            (bool, "i1"),
            ("i4", "i32"),
            ("f8e4m3", "f8e4m3"),
            ("float8_e5m2", "f8e5m2"),
            ("f8", "f64"),  # NumPy's name, of 8 bytes
        ):
            self.assertEqual(tc.compile("i->i", (3,), dtype=dtype, chips=()).dtypes[0], name)

    def test_types_of_each_and_of_the_result(self):
        kernel = tc.compile(
            "i,i->",
            (8,),
            (8,),
            dtype=("f16", "f32"),
            result_dtype="f64",
            accumulate="f64",
            chips=(),
        )
        self.assertEqual(kernel.dtypes, ("f16", "f32", "f64"))
        x, y = numpy.arange(8, dtype="f2"), numpy.ones(8, "f4")
        result = kernel(x, y)
        self.assertEqual((result.dtype, result.shape, result[()]), (numpy.float64, (), 28.0))

    def test_several_operands_in_either_order(self):
        shapes = (A, B, numpy.ones((5, 2), "f4"))
        for order in ("optimal", "as-written"):
            kernel = tc.compile("ij,jk,kl->il", *shapes, order=order)
            numpy.testing.assert_allclose(kernel(*shapes), A @ B @ shapes[2])

    def test_a_name(self):
        kernel = tc.compile("i->", (3,), name="total", chips=())
        self.assertEqual(kernel.name, "total")
        self.assertIn("tc_total", kernel.manifest["entries"][0]["prototype"])

    def test_stages(self):
        stages = []
        for _ in range(2):  # The second is a kernel of this process.
            tc.compile("ij->ji", (3, 7), chips=(), progress=stages.append)
        self.assertEqual(stages, ["look up", "compile", "load"])


class Kernels(unittest.TestCase):
    """What a kernel for GPUs tells."""

    def setUp(self):
        self.kernel = tc.compile("ik,kj->ij", (3, 4), (4, 5), chips=("sm_80", "sm_90a"))

    def test_several_chips(self):
        self.assertEqual(self.kernel.chips, ("sm_80", "sm_90a"))
        self.assertEqual(set(self.kernel.ptx), {"sm_80", "sm_90a"})
        self.assertIn(".target sm_80", self.kernel.ptx["sm_80"])
        self.assertTrue(self.kernel.schedule["sm_90a"].startswith("#tc.schedule<"))
        report = self.kernel.report()
        self.assertEqual(report["sm_80"]["chip"], "sm_80")

    def test_one_chip(self):
        kernel = tc.compile("ik,kj->ij", (3, 4), (4, 5))
        self.assertEqual(kernel.chips, ("sm_90a",))
        self.assertIn(".target sm_90a", kernel.ptx)
        report = kernel.report()
        self.assertEqual(report["schedule"], kernel.schedule)
        self.assertEqual(report["einsum"], "ik,kj->ij")
        self.assertGreater(report["predicted"][0]["seconds"], 0)
        self.assertIn("CPU, sm_90a", repr(kernel))

    def test_reports_of_layouts_and_of_run_time(self):
        kernel = tc.compile("ik,kj->ij", A[::-1], (4, 5), chips="sm_80", accumulate="f64")
        self.assertEqual(kernel.report()["schedule"], kernel.schedule)
        kernel = tc.compile("ik,kj->ij", (None, 4), (4, 5), chips="sm_80")
        self.assertEqual(kernel.report()["sizes"], {"i": "?", "j": 5, "k": 4})

    def test_a_precision(self):
        kernel = tc.compile("ik,kj->ij", (2048, 2048), (2048, 2048), precision="tf32x3")
        self.assertIn("m16n8k8.tf32", kernel.schedule)
        kernel = tc.compile("ik,kj->ij", (2048, 2048), (2048, 2048), precision="bf16x6")
        self.assertIn("m16n8k16.bf16", kernel.schedule)
        self.assertEqual(kernel.report()["schedule"], kernel.schedule)
        kernel = tc.compile("ik,kj->ij", (1024, 1024), (1024, 1024), dtype="c64", precision="bf16x6")
        self.assertIn("bf16", kernel.schedule)
        kernel = tc.compile("ik,kj->ij", (512, 512), (512, 512), dtype="c128")
        self.assertIn(".f64", kernel.schedule)
        with self.assertRaisesRegex(tc.CompileError, "expected ieee, .* or bf16x9, got 'half'"):
            tc.compile("ik,kj->ij", (3, 4), (4, 5), precision="half")
        with self.assertRaisesRegex(tc.CompileError, "expected inputs and sums of f32, or of c64, for tf32"):
            tc.compile("ik,kj->ij", (3, 4), (4, 5), dtype="f64", precision="tf32")

    def test_floats_of_8_bits(self):
        kernel = tc.compile("ik,kj->ij", (512, 512), (512, 512), dtype="float8_e4m3fn")
        self.assertIn("m16n8k32.f8", kernel.schedule)
        self.assertEqual(kernel.dtypes, ("f8e4m3", "f8e4m3", "f32"))

    def test_a_schedule(self):
        schedule = "#tc.schedule<thread = [i = 1, j = 5], register = [i = 3], step = [k = 4], kernel = fma>"
        kernel = tc.compile("ik,kj->ij", (3, 4), (4, 5), schedule=schedule)
        self.assertIn("register = [i = 3]", kernel.schedule)

    def test_the_cpu_alone(self):
        kernel = tc.compile("ik,kj->ij", A, B)
        for ask in (lambda: kernel.ptx, lambda: kernel.schedule):
            with self.assertRaisesRegex(
                tc.Error, "expected a kernel for a GPU, got one for the CPU"
            ):
                ask()
        self.assertEqual(kernel.report()["einsum"], "ik,kj->ij")
        self.assertIsNone(kernel.report()["chip"])
        self.assertEqual(list(kernel.folder.glob("**/*.ptx")), [])


class Refuses(unittest.TestCase):
    def refuses(self, error, words, *arguments, **options):
        with self.assertRaisesRegex(error, words):
            tc.compile(*arguments, **options)

    def test_no_operands(self):
        self.refuses(ValueError, "at least one operand", "i")

    def test_subscripts_that_are_no_string(self):
        self.refuses(TypeError, "subscripts as a string, got int", 3, A)

    def test_subscripts_with_their_place(self):
        with self.assertRaises(tc.CompileError) as caught:
            tc.compile("ij,jk->i?", A, B)
        self.assertIn("invalid subscript '?'", str(caught.exception))
        self.assertIn("ij,jk->i?\n          ^", caught.exception.diagnostic)
        self.assertIsInstance(caught.exception, ValueError)
        self.assertIsInstance(caught.exception, tc.Error)

    def test_shapes_that_do_not_fit(self):
        self.refuses(tc.CompileError, "could not be broadcast", "ij,jk", A, A)
        self.refuses(tc.CompileError, "operand 0|too many", "ijk", A)

    def test_what_is_no_shape(self):
        for shape in ((2, -3), (2, 0.5), (2, "x"), (True,)):
            self.refuses(TypeError, "operand 0: expected an array or a shape", "ij", shape)
        self.refuses(TypeError, "expected an array, got str", "ij", "ab")
        self.refuses(ValueError, "operand 0: expected a shape of extents below 2", "ij", (2**70, 3))

    def test_text_that_no_program_can_be_given(self):
        self.refuses(tc.CompileError, "without null characters", "ij\0", A)
        self.refuses(tc.CompileError, "expected text, got '--name=", "ij", A, name="\ud800")

    def test_extents_of_a_call(self):
        self.refuses(ValueError, "an extent of 4 for 'k', got 5", "ik,kj->ij", (None, 4), (5, 5))
        self.refuses(ValueError, "expected 2 dimensions, for 'ik'", "ik,kj->ij", (None,), (5, 5))
        self.refuses(ValueError, "without '...'", "...k,kj", (None, 4), (4, 5))
        self.refuses(ValueError, "without gaps", "ik,kj->ij", (None, 4), B[:, ::2])

    def test_types(self):
        self.refuses(TypeError, "an array of f32", "ij", A, dtype="f64")
        self.refuses(TypeError, "element type of bool", "i", numpy.array(["a"]))
        self.refuses(TypeError, "element type of bool", "i", numpy.arange(3, dtype=">f4"))
        self.refuses(TypeError, "not understood|element type", "i", (3,), dtype="f7")
        self.refuses(ValueError, "expected 1 element types, got 2", "i", (3,), dtype=("f32", "f64"))
        self.refuses(
            ValueError, "whole elements", "i", numpy.zeros(3, [("x", "f4"), ("y", "i1")])["x"]
        )

    def test_options(self):
        self.refuses(
            ValueError, "the order 'optimal' or 'as-written', got 'any'", "ij", A, order="any"
        )
        self.refuses(tc.CompileError, "sm_81", "ij", (3, 4), chips="sm_81")
        self.refuses(tc.CompileError, "each chip once", "ij", (3, 4), chips=("sm_80", "sm_80"))
        self.refuses(tc.CompileError, "schedule: expected", "ij->i", (3, 4), schedule="3 : i32")
        self.refuses(tc.CompileError, "no --schedule without a chip", "ij->i", A, schedule="3")
        self.refuses(tc.CompileError, "a kernel name of letters", "ij", A, name="a b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
