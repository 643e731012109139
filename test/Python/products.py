# RUN: env TC_CACHE_DIR=%t PYTHONPATH=%tc_source/python %python %s
"""`tc.tensordot`, `tc.transpose` and `tc.einsum_path`: what NumPy's give, and what a
library that orders contractions asks of a backend by name."""

import importlib
import importlib.util
import random
import unittest

import numpy
import tc

DICE = random.Random(7)


def draw(shape, dtype="f8"):
    numbers = numpy.random.default_rng(DICE.randrange(1 << 30))
    real, imaginary = numbers.integers(-4, 5, (2, *shape))
    return (real + 1j * imaginary if dtype == "c16" else real).astype(dtype)


class Tensordot(unittest.TestCase):
    def test_random(self):
        for _ in range(40):
            common = [DICE.choice([1, 2, 3, 5]) for _ in range(DICE.randrange(3))]
            ranks = [len(common) + DICE.randrange(3) for _ in "ab"]
            axes = [DICE.sample(range(rank), len(common)) for rank in ranks]
            shapes = [[DICE.choice([1, 2, 4, 7]) for _ in range(rank)] for rank in ranks]
            for own, shape in zip(axes, shapes):
                for axis, extent in zip(own, common):
                    shape[axis] = extent
            a, b = (draw(shape, DICE.choice(["f8", "f4", "i4", "c16"])) for shape in shapes)
            negative = [[i - rank for i in own] for own, rank in zip(axes, ranks)]
            for given in (axes, negative):
                wanted, got = numpy.tensordot(a, b, given), tc.tensordot(a, b, given)
                numpy.testing.assert_array_equal(got, wanted)
                if a.ndim and b.ndim:  # einsum has rules of its own for single numbers
                    self.assertEqual(got.dtype, wanted.dtype)

    def test_counts_and_single_axes(self):
        a, b = draw((2, 3, 4)), draw((3, 4, 5))
        for axes in (2, (1, 0), ([1, 2], [0, 1]), ((2,), (-2,))):
            numpy.testing.assert_array_equal(tc.tensordot(a, b, axes), numpy.tensordot(a, b, axes))
        wanted = numpy.tensordot(a, b, 0)
        numpy.testing.assert_array_equal(tc.tensordot(a, b, axes=0), wanted)
        numpy.testing.assert_array_equal(tc.tensordot(a.tolist(), b), numpy.tensordot(a, b))

    def test_empty(self):
        a, b = draw((2, 0)), draw((0, 3))
        numpy.testing.assert_array_equal(tc.tensordot(a, b, 1), numpy.zeros((2, 3)))

    def test_errors(self):
        a, b = draw((2, 3)), draw((1, 4))
        for axes, message in (
            (1, r"expected equal extents along axes, got \(3,\) and \(1,\)"),
            (3, "expected at most 2 axes for arrays of 2 and 2 dimensions, got 3"),
            (-1, "expected at most 2 axes"),
            (([0],), "expected axes of two arrays, got 1"),
            (([0, 1], [0]), "expected as many different axes of each array"),
            (([0, 0], [0, 1]), "expected as many different axes of each array"),
            (([2], [0]), "expected an axis of an array of 2 dimensions, got 2"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                tc.tensordot(a, b, axes)
        with self.assertRaises(TypeError):
            tc.tensordot(a, b, 1.5)

    def test_errors_are_of_numpys_classes(self):
        a, b = draw((2, 3)), draw((1, 4))
        for axes in (1, 3, ([0, 1], [0]), ([2], [0]), ([0], [-3]), ([0], ["x"])):
            with self.assertRaises(Exception) as wanted:
                numpy.tensordot(a, b, axes)
            with self.assertRaises(type(wanted.exception)):
                tc.tensordot(a, b, axes)


class Foreign:
    """An array of a library of its own, which has no transposition."""

    def __init__(self, array):
        self._array, self.shape = array, array.shape

    def __dlpack__(self, **options):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Transpose(unittest.TestCase):
    def test_views(self):
        a = draw((2, 3, 4))
        for axes in (None, (1, 2, 0), [-1, 0, 1]):
            got = tc.transpose(a, axes)
            numpy.testing.assert_array_equal(got, numpy.transpose(a, axes))
            self.assertIs(got.base, a)
        numpy.testing.assert_array_equal(tc.transpose([[1, 2], [3, 4]]), [[1, 3], [2, 4]])

    def test_copies_where_a_library_makes_no_view(self):
        a = draw((2, 3, 4))
        got = numpy.from_dlpack(tc.transpose(Foreign(a), (2, 0, 1)))
        numpy.testing.assert_array_equal(got, numpy.transpose(a, (2, 0, 1)))

    def test_errors(self):
        for axes in ((0,), (0, 0), (0, 2), (0, 1, 2)):
            with self.assertRaises(Exception) as wanted:
                numpy.transpose(draw((2, 3)), axes)
            with self.assertRaises(type(wanted.exception)):
                tc.transpose(draw((2, 3)).tolist(), axes)
            with self.assertRaises(type(wanted.exception)):
                tc.transpose(draw((2, 3)), axes)


class Paths(unittest.TestCase):
    def test_path_is_one_of_einsum(self):
        a, b, c = draw((3, 40)), draw((40, 50)), draw((50, 2))
        path, text = tc.einsum_path("ij,jk,kl->il", a, b, Foreign(c))
        self.assertEqual(path, ["einsum_path", (1, 2), (0, 1)])
        self.assertIn("Optimized", text)
        wanted = a @ b @ c
        numpy.testing.assert_array_equal(tc.einsum("ij,jk,kl", a, b, c, optimize=path), wanted)
        lists, _ = tc.einsum_path(a, [0, 1], b, [1, 2], c, [2, 3], [0, 3])
        self.assertEqual(lists, path)


class Backend(unittest.TestCase):
    def test_by_name(self):
        backend = importlib.import_module("tc")
        for name in ("einsum", "tensordot", "transpose"):
            self.assertTrue(callable(getattr(backend, name)))

    @unittest.skipUnless(importlib.util.find_spec("opt_einsum"), "opt_einsum is not installed")
    def test_opt_einsum(self):
        import opt_einsum

        a, b, c = draw((3, 4, 5)), draw((5, 6)), draw((6, 4, 2))
        wanted = numpy.einsum("ija,ak,kjl->li", a, b, c)
        got = opt_einsum.contract("ija,ak,kjl->li", a, b, c, backend="tc")
        numpy.testing.assert_array_equal(got, wanted)

    @unittest.skipUnless(importlib.util.find_spec("autoray"), "autoray is not installed")
    def test_autoray(self):
        import autoray

        a, b = draw((3, 4)), draw((4, 5))
        got = autoray.do("einsum", "ij,jk->ki", a, b, like="tc")
        numpy.testing.assert_array_equal(got, (a @ b).T)
        got = autoray.do("tensordot", a, b, axes=1, like="tc")
        numpy.testing.assert_array_equal(autoray.do("transpose", got, like="tc"), (a @ b).T)

    @unittest.skipUnless(importlib.util.find_spec("cotengra"), "cotengra is not installed")
    def test_cotengra(self):
        import cotengra

        a, b, c = draw((3, 4, 5)), draw((5, 6)), draw((6, 4, 2))
        got = cotengra.einsum("ija,ak,kjl->li", a, b, c, implementation=(tc.einsum, tc.tensordot))
        numpy.testing.assert_array_equal(got, numpy.einsum("ija,ak,kjl->li", a, b, c))


if __name__ == "__main__":
    unittest.main()
