# RUN: env TC_CACHE_DIR=%t PYTHONPATH=%tc_source/python %python %s
"""Calls with the addresses of arrays: by the extension module and by ctypes alike."""

import ctypes
import unittest
import unittest.mock

import numpy
import tc
from tc import _tools
from tc._call import _invoke
from tc._call._bound import Bound
from tc._recent import recent

EXTENSION = _tools.find_runtime(None).with_name("tc_invoke.abi3.so")
IS_BUILT = EXTENSION.exists()


def recorder(operands, numbers, status=0):
    """A C function of so many arrays, a result and so many numbers; and what it was given."""
    given = []
    types = [ctypes.c_void_p] * (operands + 1) + [ctypes.c_int64] * numbers

    def record(*arguments):
        given.append(arguments)
        return status

    prototype = ctypes.CFUNCTYPE(ctypes.c_int, *types)
    function = prototype(record)
    function.argtypes = types
    return function, given


class Alike(unittest.TestCase):
    """Both ways pass the same arguments, and give what the function returns."""

    def check(self, is_native):
        # As many arguments as the extension takes, and more, which go by ctypes.
        for operands, numbers in ((1, 0), (2, 5), (2, 6), (3, 12), (3, 13), (4, 27), (4, 28)):
            arrays = tuple(numpy.ones((2, 3 + n))[:, 1:] for n in range(operands))
            result = numpy.ones(7)[::-1]
            tail = [(-1) ** n * n * 10**17 for n in range(numbers)]
            function, given = recorder(operands, numbers, status=-7)
            call = _invoke.call_of(function, tail)
            fits = operands + 1 + numbers <= 32
            self.assertEqual(hasattr(call, "func"), is_native and fits)
            for taken in (arrays, list(arrays)):
                self.assertEqual(call(taken, result), -7)
            wanted = (*(array.ctypes.data for array in (*arrays, result)), *tail)
            self.assertEqual(given, [wanted] * 2)

    @unittest.skipUnless(IS_BUILT, "there are no headers of Python")
    def test_extension(self):
        self.assertEqual(_invoke.native().__spec__.origin, str(EXTENSION))
        self.check(is_native=True)

    def test_ctypes(self):
        with unittest.mock.patch.object(_invoke, "native", return_value=None):
            self.check(is_native=False)

    def test_null_is_zero(self):
        function, given = recorder(1, 2)
        x = numpy.ones(1)
        _invoke.call_of(function, (None, 3))((x,), x)
        self.assertEqual(given[0][2:], (0, 3))


class Einsums(unittest.TestCase):
    def check(self):
        recent.clear()
        x, y = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4)
        for shift in range(3):
            numpy.testing.assert_array_equal(tc.einsum("ij,jk", x + shift, y), (x + shift) @ y)
            wanted = (x + shift)[:, ::-1] @ y
            numpy.testing.assert_array_equal(tc.einsum("ij,jk", (x + shift)[:, ::-1], y), wanted)
        return next(bound for bound in recent.values() if isinstance(bound, Bound))

    @unittest.skipUnless(IS_BUILT, "there are no headers of Python")
    def test_extension(self):
        self.assertEqual(self.check()._call.func, _invoke.native().invoke)

    def test_ctypes(self):
        with unittest.mock.patch.object(_invoke, "native", return_value=None):
            self.assertFalse(hasattr(self.check()._call, "func"))

    def test_arrays_without_known_fields(self):
        with unittest.mock.patch.object(_invoke, "_HAS_FIELDS", False):
            self.assertIsNone(self.check()._call)


@unittest.skipUnless(IS_BUILT, "there are no headers of Python")
class Refused(unittest.TestCase):
    def test_arguments(self):
        invoke, x = _invoke.native().invoke, numpy.ones(1)
        for arguments, error, words in (
            ((), TypeError, "expected 3 arguments, got 0"),
            (("text", (x,), x), TypeError, "bytes"),
            ((b"", (x,), x), ValueError, "expected the address of a function, got 0 bytes"),
            ((bytes(8), 5, x), TypeError, "iterable"),
            ((bytes(8 * 32), (x,), x), ValueError, "expected at most 32 arguments, got 33"),
        ):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                invoke(*arguments)

    def test_an_extension_that_does_not_load(self):
        path = _tools.find_runtime(None)
        _invoke.native.cache_clear()
        with unittest.mock.patch.object(_tools, "find_runtime", return_value=path.parent / "no" / "x"):
            self.assertIsNone(_invoke.native())
        _invoke.native.cache_clear()


if __name__ == "__main__":
    unittest.main()
