# RUN: env TC_CACHE_DIR=%t PYTHONPATH=%tc_source/python %python %s
"""`tc.einsum` on NumPy arrays: what random_einsums.py does not look at."""

import contextlib
import threading
import unittest
import unittest.mock

import numpy
import tc
from tc import _einsum
from tc._einsum._host import calls
from tc._einsum._kernels import LARGE, SMALL, request_of
from tc._einsum._problem import Problem
from tc._kernel import Kernel
from tc._recent import recent

A = numpy.arange(6.0).reshape(2, 3)
B = numpy.arange(12.0).reshape(3, 4)


@contextlib.contextmanager
def counted(**wanted):
    """Expects that so many einsums go these ways within."""
    before = dict(calls)
    yield
    got = {way: count - before.get(way, 0) for way, count in calls.items()}
    got = {way.replace(": ", "_"): count for way, count in got.items() if count}
    if got != wanted:
        raise AssertionError(f"expected {wanted}, got {got}")


def kernels():
    """How many kernels the process has."""
    return len({id(value) for value in recent.values() if isinstance(value, Kernel)})


class Ways(unittest.TestCase):
    """Which einsums are computed by kernels."""

    def test_kernels(self):
        with counted(kernel=5):
            for subscripts in ("ij,jk", "ij,jk->ki", "ij,lk->", "...j,jk->...k", " i j , j k "):
                wanted = numpy.einsum(subscripts, A, B)
                numpy.testing.assert_array_equal(tc.einsum(subscripts, A, B), wanted)

    def test_the_second_call_has_nothing_to_find_out(self):
        tc.einsum("ab,bc->ac", A, B)
        tc.einsum(A, [0, 1], B, [1, 2])
        known = len(recent)
        with unittest.mock.patch.object(_einsum, "_contract", side_effect=AssertionError):
            numpy.testing.assert_array_equal(tc.einsum("ab,bc->ac", A + 1, B), (A + 1) @ B)
            numpy.testing.assert_array_equal(tc.einsum(A, [0, 1], B + 1, [1, 2]), A @ (B + 1))
        self.assertEqual(len(recent), known)

    def test_copies_are_made_anew(self):
        for shift in range(3):
            x, y = A[:, ::-2] + shift, numpy.broadcast_to(B[:2, :1] - shift, (2, 2))
            wanted = numpy.einsum("ij,jk,kk->ik", x, y, y)
            numpy.testing.assert_array_equal(tc.einsum("ij,jk,kk->ik", x, y, y), wanted)
            wanted = numpy.einsum("ij,jk", x.astype("i4"), y)
            numpy.testing.assert_array_equal(tc.einsum("ij,jk", x.astype("i4"), y), wanted)

    def test_sizes_share_a_kernel(self):
        tc.einsum("ij,jk", A, B)
        known = kernels()
        for n in (1, 2, 5, 11):
            a, b = numpy.ones((n, n + 2)), numpy.ones((n + 2, 3))
            numpy.testing.assert_array_equal(tc.einsum("xy,yz->xz", a, b), a @ b)
        # An extent of 1 is no dimension, which is another kernel.
        self.assertLessEqual(kernels(), known + 1)

    def test_sizes_of_large_problems(self):
        known = kernels()
        for n in (64, 100, 3):
            a = numpy.arange(n * 400.0).reshape(n, 400) % 7
            b = numpy.arange(400.0 * 500).reshape(400, 500) % 5
            self.assertGreater(n * 400 * 500, SMALL)
            numpy.testing.assert_array_equal(tc.einsum("ij,jk", a, b), a @ b)
        # Only the short loop of the last one is compiled in.
        self.assertLessEqual(kernels(), known + 2)

    def test_extents_of_the_largest_are_compiled_in(self):
        def request(n):
            return request_of(Problem("ab,bc->ac", (n, 512, 1024), "f32"), optimize=False)

        self.assertGreaterEqual(513 * 512 * 1024, LARGE)
        self.assertNotEqual(request(513), request(514))
        self.assertEqual(request(100), request(101))

    def test_unsigned_numbers(self):
        for dtype in ("u1", "u2", "u4", "u8"):
            x = numpy.array([3, 250], "u1").astype(dtype) * numpy.array(251, dtype)
            with counted(kernel=1):
                got = tc.einsum("i,i", x, x)
            self.assertEqual(got.dtype, dtype)
            self.assertEqual(got, numpy.einsum("i,i", x, x))

    def test_views_and_empty_sums(self):
        with counted(view=1, empty=2):
            tc.einsum("ij->ji", A)
            self.assertEqual(tc.einsum("i->", numpy.ones(0)), 0)
            self.assertEqual(tc.einsum("ij,jk", numpy.ones((2, 0)), numpy.ones((0, 3))).sum(), 0)

    def test_types_that_only_numpy_has(self):
        x = numpy.arange(3, dtype="g")
        with counted(**{f"numpy_{x.dtype.name}": 1}):
            self.assertEqual(tc.einsum("i,i", x, x), 5)
        # A type of kernels is asked for.
        with counted(kernel=1):
            self.assertEqual(tc.einsum("i,i", x, x, dtype="f4", casting="unsafe"), 5)
        with self.assertRaises(TypeError):
            tc.einsum("i->", numpy.array(["2001-01-01"], "M8[D]"))


class Arguments(unittest.TestCase):
    def test_lists(self):
        wanted = numpy.einsum(A, [0, 51], B, (51, 2), [2, 0])
        numpy.testing.assert_array_equal(tc.einsum(A, [0, 51], B, (51, 2), [2, 0]), wanted)
        wanted = numpy.einsum(A, [..., 1], B, [1, 2], [2, ...])
        got = tc.einsum(A, numpy.array([..., 1]), B, [1, 2], [2, ...])
        numpy.testing.assert_array_equal(got, wanted)

    def test_what_is_no_array(self):
        self.assertEqual(tc.einsum("i,i", [1, 2], (3, 4)), 11)
        self.assertEqual(tc.einsum(",i->", 2, [1, 2]), 6)
        self.assertIs(type(tc.einsum("ij->ji", numpy.matrix([[1, 2]]))), numpy.ndarray)

    def test_bytes(self):
        numpy.testing.assert_array_equal(tc.einsum(b"ij->i", A), A.sum(1))

    def test_out(self):
        for out in (numpy.ones((2, 4)), numpy.ones((4, 2)).T, numpy.ones((2, 8))[:, ::-2]):
            self.assertIs(tc.einsum("ij,jk", A, B, out=out), out)
            numpy.testing.assert_array_equal(out, A @ B)

    def test_out_that_is_an_operand(self):
        x = numpy.arange(9.0).reshape(3, 3)
        wanted = x @ x
        self.assertIs(tc.einsum("ij,jk", x, x, out=x), x)
        numpy.testing.assert_array_equal(x, wanted)

    def test_paths(self):
        arrays = [numpy.ones((2, 3)), numpy.ones((3, 4)), numpy.ones((4, 5))]
        for optimize in (True, "greedy", "optimal", ("greedy", 10), ["einsum_path", (1, 2), (0, 1)]):
            with self.subTest(optimize=optimize):
                got = tc.einsum("ij,jk,kl->il", *arrays, optimize=optimize)
                numpy.testing.assert_array_equal(got, numpy.full((2, 5), 12))
        path = ["einsum_path", (1, 2), (0, 1)]
        with counted(kernel=2):
            tc.einsum("ij,jk,kl->il", *arrays, optimize=path)
        for wrong in (["einsum_path", (0, 1)], ["einsum_path", (0, 9), (0, 1)]):
            with self.assertRaises((RuntimeError, IndexError)):
                tc.einsum("ij,jk,kl->il", *arrays, optimize=wrong)

    def test_many_operands_in_the_best_order(self):
        # As one nest this has 60^5 points.
        a = numpy.ones((60, 60))
        got = tc.einsum("ij,jk,kl,lm->im", a, a, a, a, optimize=True)
        numpy.testing.assert_array_equal(got, numpy.full((60, 60), 60.0**3))

    def test_sums_wrap_and_truth_values_do_not(self):
        x = numpy.full(3, 100, "i1")
        self.assertEqual(tc.einsum("i->", x), numpy.int8(44))
        self.assertEqual(tc.einsum("i->", numpy.ones(3, bool)), numpy.True_)

    def test_f16_is_summed_without_rounding_each_time(self):
        x = numpy.ones(4000, "f2")
        self.assertEqual(tc.einsum("i->", x), 4000)


class Refused(unittest.TestCase):
    """The words are NumPy's for optimize=False."""

    CASES = [
        (("ij",), ""),
        (("ijk", A), ""),
        (("i", A), ""),
        (("i..", A), ""),
        (("i%", A), ""),
        (("ij->&", A), ""),
        (("ij->ik", A), ""),
        (("ij->ii", A), ""),
        (("ij-", A), ""),
        (("ij>i", A), ""),
        (("...j->j", A), ""),
        (("ij,jk", A, A), ""),
        (("iij->j", numpy.ones((2, 3, 1))), "single "),
        ((A, [0, 52]), ""),
        ((A, [0, "a"]), ""),
        ((A, 0), ""),
        ((A, [0, 1], B), ""),
        ((A,), ""),
        ((), ""),
    ]

    def test_words(self):
        for arguments, instead in self.CASES:
            with self.subTest(arguments[:1]):
                with self.assertRaises(Exception) as wanted:
                    numpy.einsum(*arguments)
                text = str(wanted.exception)
                if instead:  # NumPy has other words where there is one operand.
                    text = text.replace("single operand", "operand 0")
                with self.assertRaises(type(wanted.exception)) as got:
                    tc.einsum(*arguments)
                self.assertEqual(str(got.exception), text)

    def test_number_of_operands(self):
        # NumPy has it the other way round.
        for arguments, words in ((("ij,jk", A), "fewer"), (("ij", A, B), "more")):
            with self.assertRaisesRegex(ValueError, f"^{words} operands provided to einstein"):
                tc.einsum(*arguments)

    def test_options(self):
        for options in (
            {"out": "text"},
            {"out": numpy.ones(3)},
            {"out": numpy.ones((2, 4), "f4")},
            {"out": numpy.ones((3, 4))},
            {"order": "W"},
            {"casting": "blah"},
            {"dtype": "f4"},
            {"dtype": "bad_data_type"},
        ):
            with self.subTest(options):
                with self.assertRaises(Exception) as wanted:
                    numpy.einsum("ij,jk", A, B, **options)
                with self.assertRaises(type(wanted.exception)) as got:
                    tc.einsum("ij,jk", A, B, **options)
                self.assertEqual(str(got.exception), str(wanted.exception))
        with self.assertRaises(TypeError):
            tc.einsum("ij,jk", A, B, nonsense=1)

    def test_out_stays_as_it_is(self):
        out = numpy.ones((2, 5))
        with self.assertRaises(ValueError):
            tc.einsum("ij,jk", A, B, out=out)
        numpy.testing.assert_array_equal(out, 1)


class Threads(unittest.TestCase):
    def test_einsums_at_once(self):
        failures = []

        def work(seed):
            x = numpy.random.default_rng(seed).integers(0, 9, (4, 5)).astype("f8")
            for n in range(50):
                y = x + n
                if not (tc.einsum("ij,kj->ik", x, y) == x @ y.T).all():
                    failures.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_thread_with_little_stack(self):
        x = numpy.arange(300.0 * 300).reshape(300, 300) % 7
        results = []
        self.addCleanup(threading.stack_size, threading.stack_size(256 << 10))
        thread = threading.Thread(target=lambda: results.append(tc.einsum("ij,jk->ik", x, x)))
        thread.start()
        thread.join()
        numpy.testing.assert_array_equal(results[0], x @ x)


if __name__ == "__main__":
    unittest.main()
