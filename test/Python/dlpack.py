# RUN: rm -rf %t && env TC_CACHE_DIR=%t/cache PYTHONPATH=%tc_source/python %python %s
"""Arrays on the CPU by DLPack: both kinds of capsules, flags, types, ownership."""

import ctypes
import gc
import sys
import unittest

import numpy
import tc
from tc import _dlpack

A = numpy.arange(12, dtype="f4").reshape(3, 4)
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy:
    """What NumPy gives, and nothing else of it."""

    def __init__(self, values):
        self.values = values

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None):
        return self.values.__dlpack__()


class Versioned(Legacy):
    """A capsule of DLPack 1, with what a test puts into it."""

    all = []

    def __init__(self, values, flags=0, major=1, code=2, bits=32, lanes=1, strides=True, offset=0):
        super().__init__(values)
        self.all.append(self)  # A library would live until the deleter is called.
        self.deleted = 0
        self.managed = managed = _dlpack._Versioned()
        managed.major, managed.minor, managed.flags = major, 0, flags
        tensor = managed.tensor
        tensor.data = values.ctypes.data - offset
        tensor.device = _dlpack._Device(1, 0)
        tensor.rank = values.ndim
        tensor.dtype = _dlpack._Type(code, bits, lanes)
        self.shape = (ctypes.c_int64 * values.ndim)(*values.shape)
        self.strides = (ctypes.c_int64 * values.ndim)(
            *(s // values.itemsize for s in values.strides)
        )
        tensor.shape = self.shape
        tensor.strides = self.strides if strides else None
        tensor.byte_offset = offset
        self.deleter = DELETER(self.delete)
        managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p)

    def delete(self, address):
        assert address == ctypes.addressof(self.managed)
        self.deleted += 1

    def __dlpack__(self, *, stream=None, max_version=None):
        if max_version is None:
            raise BufferError("expected a version")
        return _dlpack._new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", None)


class Capsules(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ij->i", A)

    def test_legacy(self):
        numpy.testing.assert_array_equal(self.kernel(Legacy(A)), A.sum(1))

    def test_versioned(self):
        for options in ({}, {"strides": False}, {"offset": 16}):
            array = Versioned(A, **options)
            numpy.testing.assert_array_equal(self.kernel(array), A.sum(1))
            gc.collect()
            self.assertEqual(array.deleted, 1)

    def test_strides(self):
        array = Versioned(A[:, ::-1])
        numpy.testing.assert_array_equal(tc.compile("ij->j", array)(array), A[:, ::-1].sum(0))

    def test_results(self):
        out = numpy.zeros(3, "f4")
        array = Versioned(out)
        self.assertIs(self.kernel(Legacy(A), out=array), array)
        numpy.testing.assert_array_equal(out, A.sum(1))

    def test_the_result_is_of_the_callers_library(self):
        class Namespace:
            @staticmethod
            def from_dlpack(array):
                return ("taken", array)

        class Array(Legacy):
            def __array_namespace__(self):
                return Namespace

        name, result = self.kernel(Array(A))
        self.assertEqual(name, "taken")
        numpy.testing.assert_array_equal(result, A.sum(1))

    def test_a_result_that_numpy_cannot_pass_on(self):
        class Namespace:
            @staticmethod
            def from_dlpack(array):
                raise BufferError("no such type")

            @staticmethod
            def asarray(array):
                return ("copied", array)

        class Array(Legacy):
            def __array_namespace__(self):
                return Namespace

        name, result = self.kernel(Array(A))
        self.assertEqual(name, "copied")
        numpy.testing.assert_array_equal(result, A.sum(1))

    def test_all_types(self):
        for name, (code, bits) in _dlpack._TYPES.items():
            values = numpy.zeros((2, 3), f"V{bits // 8}")
            buffer = _dlpack.view(Versioned(values, code=code, bits=bits), None)
            self.assertEqual((buffer.dtype, buffer.shape, buffer.strides), (name, (2, 3), (3, 1)))


class FloatsOf8Bits(unittest.TestCase):
    """What NumPy has no type for comes from other libraries, as bits here."""

    A = numpy.array([[0x38, 0xC0, 0x3C], [0x00, 0x08, 0x7E]], "u1")  # 1, -2, 1.5; 0, 2^-6, 448
    B = numpy.array([[0x3C, 0x44], [0xB8, 0x3C], [0x40, 0x00]], "u1")  # 1, 4; -0.5, 1; 2, 0
    C = numpy.array([[5, 2], [895.9921875, 0.015625]], "f4")

    def operands(self):
        return Versioned(self.A, code=10, bits=8), Versioned(self.B, code=12, bits=8)

    def test_products_are_f32(self):
        kernel = tc.compile("ik,kj->ij", *self.operands())
        self.assertEqual(kernel.dtypes, ("f8e4m3", "f8e5m2", "f32"))
        result = kernel(*self.operands(), out=(out := numpy.empty((2, 2), "f4")))
        self.assertIs(result, out)
        numpy.testing.assert_array_equal(out, self.C)

    def test_einsum(self):
        class Namespace:
            @staticmethod
            def from_dlpack(array):
                return numpy.from_dlpack(array)

        left, right = self.operands()
        left.__array_namespace__ = lambda: Namespace
        result = tc.einsum("ik,kj->ij", left, right)
        self.assertEqual(result.dtype, numpy.float32)
        numpy.testing.assert_array_equal(result, self.C)

    def test_results_saturate(self):
        kernel = tc.compile("ik,kj->ij", *self.operands(), result_dtype="float8_e4m3fn")
        out = numpy.zeros((2, 2), "u1")
        kernel(*self.operands(), out=Versioned(out, code=10, bits=8))
        numpy.testing.assert_array_equal(out, [[0x4A, 0x40], [0x7E, 0x08]])

    def test_numpy_without_an_extension(self):
        kernel = tc.compile("ik,kj->ij", *self.operands(), result_dtype="f8e5m2")
        try:
            import ml_dtypes
        except ImportError:
            with self.assertRaisesRegex(TypeError, "the package ml_dtypes, .* of f8e5m2"):
                kernel(*self.operands())
            return
        result = kernel(*self.operands())
        self.assertEqual(result.dtype, ml_dtypes.float8_e5m2)
        numpy.testing.assert_array_equal(result.astype("f4"), [[5, 2], [896, 0.015625]])


class Refuses(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ij->i", A)

    def refuses(self, error, words, *arguments, **options):
        with self.assertRaisesRegex(error, words):
            self.kernel(*arguments, **options)
        gc.collect()

    def test_read_only_results(self):
        out = Versioned(numpy.zeros(3, "f4"), flags=1)
        self.refuses(ValueError, "B: expected an array that may be written", Legacy(A), out=out)
        self.assertEqual(out.deleted, 1)
        numpy.testing.assert_array_equal(self.kernel(Versioned(A, flags=1)), A.sum(1))

    def test_results_of_jax(self):
        class Constant(Legacy):
            __module__ = "jaxlib._jax"

        numpy.testing.assert_array_equal(self.kernel(Constant(A)), A.sum(1))
        out = Constant(numpy.zeros(3, "f4"))
        self.refuses(ValueError, "B: expected an array that may be written", Legacy(A), out=out)

    def test_a_later_version(self):
        array = Versioned(A, major=2)
        self.refuses(TypeError, "A: expected DLPack 1.x, got 2.0", array)
        self.assertEqual(array.deleted, 0)  # It is not ours.

    def test_types(self):
        self.refuses(TypeError, "code 2 of 8 bits and 1 lanes", Versioned(A, bits=8))
        self.refuses(TypeError, "code 2 of 32 bits and 4 lanes", Versioned(A, lanes=4))
        self.refuses(TypeError, "A: expected elements of f32, got i32", Versioned(A, code=0))

    def test_what_is_no_capsule(self):
        class Nothing(Legacy):
            def __dlpack__(self, **_):
                return None

        self.refuses(TypeError, "A: expected a capsule of DLPack, got NoneType", Nothing(A))

    def test_a_capsule_that_was_used(self):
        class Used(Legacy):
            capsule = A.__dlpack__()

            def __dlpack__(self, *, stream=None):
                return self.capsule

        numpy.testing.assert_array_equal(self.kernel(Used(A)), A.sum(1))
        self.refuses(
            TypeError, "a capsule of DLPack that is not used yet, got b'used_dltensor'", Used(A)
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
