# RUN: rm -rf %t && env TC_DRIVER=emulator TC_CACHE_DIR=%t/cache \
# RUN:   TC_EMULATOR_LIBRARY=%tc_libs/libtc-cuda-emulator.so \
# RUN:   PYTHONPATH=%tc_source/python:%S/Inputs %python %s
"""`tc.einsum` of arrays on a device, which is the emulator."""

import unittest

import numpy
import tc
from device_arrays import CudaArray, DlpackArray, read, read_cuda
from tc._recent import recent

A = numpy.arange(12, dtype="f4").reshape(3, 4)
B = numpy.arange(20, dtype="f4").reshape(4, 5)


def on_device(*arrays):
    return [CudaArray(array) for array in arrays]


class Values(unittest.TestCase):
    def check(self, *arguments, **options):
        """The same as NumPy of the arrays on the host."""
        placed = [CudaArray(x) if isinstance(x, numpy.ndarray) else x for x in arguments]
        got = tc.einsum(*placed, **options)
        numpy.testing.assert_array_equal(read(got), numpy.einsum(*arguments))
        return got

    def test_either_form(self):
        self.check("ij,jk->ki", A, B)
        self.check(A, [0, 1], B, [1, 2])
        self.check("...j,jk", A, B)

    def test_the_result_is_an_operand(self):
        product = tc.einsum("ij,jk", *on_device(A, B))
        got = tc.einsum("ik->i", product)
        numpy.testing.assert_array_equal(read(got), (A @ B).sum(1))

    def test_strides_broadcasting_and_diagonals(self):
        self.check("ij,jk", A[::-1, ::2], B[::2].T.copy().T)
        self.check("...ij,...jk", A[None], numpy.stack([B, B + 1]))
        self.check("ij,ij->i", A[:, :1].copy(), A)
        self.check("ii->i", A[:, :3].copy())
        self.check("ii", A[:, :3].copy())

    def test_no_elements(self):
        self.assertEqual(read(tc.einsum("i->", CudaArray(numpy.ones(0, "f4")))), 0)

    def test_several_operands(self):
        for optimize in (False, True, "optimal", ["einsum_path", (1, 2), (0, 1)]):
            with self.subTest(optimize=optimize):
                self.check("ij,jk,lk->il", A, B, B[:2].copy(), optimize=optimize)

    def test_types_are_those_of_numpy(self):
        self.assertEqual(self.check("ij,jk", A, B.astype("f8")).dtype, "f64")
        got = tc.einsum("ij,jk", *on_device(A, B), dtype="f8")
        self.assertEqual(got.dtype, "f64")
        self.assertEqual(self.check("ij,jk", A, B.astype("c8")).dtype, "c64")

    def test_complex_numbers_at_any_element(self):
        for dtype in ("c8", "c16"):
            for skipped in (0, 1):
                with self.subTest(dtype=dtype, skipped=skipped):
                    numbers = (numpy.arange(70 * 65 + skipped) % 5 * (1 + 2j)).astype(dtype)
                    x = numbers[skipped:].reshape(70, 65)
                    self.check("ij,kj->ik", x, x)

    def test_dlpack(self):
        got = tc.einsum("ij,jk", DlpackArray(A), DlpackArray(B))
        numpy.testing.assert_array_equal(read(got), A @ B)

    def test_out(self):
        out = CudaArray(numpy.zeros((3, 5), "f4"))
        self.assertIs(tc.einsum("ij,jk", *on_device(A, B), out=out), out)
        numpy.testing.assert_array_equal(read_cuda(out), A @ B)

    def test_a_kernel_is_kept(self):
        tc.einsum("ij,jk", *on_device(A, B))
        known = len(recent)
        tc.einsum("ij,jk", *on_device(A + 1, B))
        self.assertEqual(len(recent), known)


class Refused(unittest.TestCase):
    def refuses(self, kind, words, *arguments, **options):
        with self.assertRaisesRegex(kind, words):
            tc.einsum(*arguments, **options)

    def test_subscripts(self):
        self.refuses(ValueError, "too many subscripts for operand 0", "ijk,jk", *on_device(A, B))
        self.refuses(ValueError, "could not be broadcast", "ij,jk", *on_device(A, A))

    def test_places(self):
        self.refuses(ValueError, "all arrays in one place", "ij,jk", CudaArray(A), B)

    def test_layouts(self):
        self.refuses(ValueError, "order 'C', 'A' or 'K'", "ij,jk", *on_device(A, B), order="F")

    def test_casts(self):
        self.refuses(TypeError, "f32 cannot be cast to f16", "ij,jk", *on_device(A, B), dtype="f2")
        short = CudaArray(A.astype("i2"))
        self.refuses(TypeError, "expected integers with a sign", "ij->i", CudaArray(A.astype("u2")))
        self.refuses(TypeError, "expected u16, since", "ij->i", short, dtype="u2", casting="unsafe")

    def test_out(self):
        out = CudaArray(numpy.zeros((3, 5), "f8"))
        self.refuses(TypeError, "expected an out of f32", "ij,jk", *on_device(A, B), out=out)
        square = CudaArray(A[:, :3].copy())
        self.refuses(tc.LaunchError, "overlap|share", "ij,jk", square, square, out=square)


if __name__ == "__main__":
    unittest.main()
