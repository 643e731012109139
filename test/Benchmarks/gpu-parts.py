# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""The parts of benchmarks/gpu: data that host and device agree on, the reference, the
verdict on each element, what is rotated, which problem comes first."""

import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy
from gpu_case import DRIVER
from harness import bundle, ceilings, data, reference, results, session, timing, verify
from harness.arithmetic import TYPES
from harness.driver import Driver, DriverError
from harness.problem import Problem

SIZES = {"a": 3, "b": 4, "c": 5, "d": 2, "e": 7}


def to_memory(values, dtype):
    """Numbers in f64 as they lie in memory, rounded to nearest."""
    if dtype != "bf16":
        return values.astype(TYPES[dtype].numpy)
    bits = values.astype("f4").view("u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("u2")


def from_memory(values, dtype):
    return (values.astype("u4") << 16).view("f4") if dtype == "bf16" else values


def make(einsum, dtype="f64"):
    used = {label: SIZES[label] for label in SIZES if label in einsum}
    return Problem.make("x", einsum, used, dtype)


class OnDevice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver(DRIVER)
        cls.filler = data.Filler(cls.driver)

    def place(self, array):
        address = self.driver.allocate(array.nbytes)
        self.driver.write(address, array)
        return address

    def fill(self, problem):
        """Inputs on the device and here, and their keys."""
        keys = [data.make_key(1, i) for i in range(len(problem.inputs))]
        places, arrays = [], []
        for labels, key in zip(problem.inputs, keys):
            count = problem.count(labels)
            places.append(self.driver.allocate(count * problem.item_bytes))
            self.filler.fill(places[-1], count, key, problem.dtype)
            values = data.values(key, numpy.arange(count), problem.dtype)
            arrays.append(values.reshape(problem.shape(labels)))
        self.driver.synchronize()
        return places, arrays, keys

    def judge(self, problem, change=lambda result: None, limit=reference.CHUNK):
        """The verdict on NumPy's result, changed."""
        places, arrays, keys = self.fill(problem)
        result = numpy.einsum(problem.einsum, *arrays)
        result = numpy.ascontiguousarray(result)
        change(result.reshape(-1))
        result = to_memory(result, problem.dtype)
        with unittest.mock.patch.object(reference, "CHUNK", limit):
            wanted = reference.Reference(self.driver, problem, places)
        wanted.check(keys, numpy.random.default_rng(0))
        verifier = verify.Verifier(self.driver, problem, wanted)
        return verifier.verify(self.place(result))


class Data(OnDevice):
    def test_host_and_device_agree(self):
        for dtype in TYPES:
            problem = make("abcde->abcde", dtype)
            (place,), (array,), _ = self.fill(problem)
            got = from_memory(self.driver.read(place, array.size, TYPES[dtype].numpy), dtype)
            numpy.testing.assert_array_equal(got, array.reshape(-1))
            self.assertTrue(-1 <= array.min() and array.max() < 1)
            self.assertAlmostEqual(array.mean(), 0, delta=0.1)
            if TYPES[dtype].digits > 20:
                self.assertEqual(len(numpy.unique(array)), array.size)

    def test_all_bits_are_used(self):
        for dtype, arithmetic in TYPES.items():
            values = data.values(3, numpy.arange(64), dtype) * 2.0 ** (arithmetic.digits - 1)
            self.assertTrue((values != numpy.floor(values)).any())

    def test_keys_differ(self):
        self.assertEqual(len({data.make_key(s, a) for s in range(4) for a in range(4)}), 16)


class Verdict(OnDevice):
    def test_any_contraction(self):
        for einsum in (
            "ab,bc->ac", "abcd,be->dcea", "abd,abd->", "a,b->ab", "aab,b->a",
            "abc->b", "ab,bc,cd->ad", "abc,dbe->adce",
        ):  # fmt: skip
            for dtype in TYPES:
                verdict = self.judge(make(einsum, dtype))
                self.assertTrue(verdict.is_right, (einsum, dtype, verdict))

    def test_one_wrong_element_is_found(self):
        for dtype, arithmetic in TYPES.items():

            def change(result, by=max(1e-3, 8 * arithmetic.result_unit)):
                result[17] += by

            verdict = self.judge(make("abcd,be->dcea", dtype), change)
            self.assertFalse(verdict.is_right)

    def test_a_small_error_of_one_element_is_found_by_its_magnitude(self):
        problem = Problem.make("x", "ab,bc->ac", {"a": 64, "b": 4, "c": 64}, "f64")

        def change(result):
            result[17] += 1e-14

        verdict = self.judge(problem, change)
        self.assertLess(verdict.error, verdict.tolerance)
        self.assertFalse(verdict.is_right)
        self.assertIn("in each element", verdict.explain())

    def test_what_is_not_finite_is_counted(self):
        def change(result):
            result[3:6] = numpy.nan, numpy.inf, -numpy.inf

        verdict = self.judge(make("ab,bc->ac"), change)
        self.assertEqual(verdict.wrong, 3)
        self.assertIn("got 3 of 15 that are not", verdict.explain())

    def test_large_results_are_judged_in_parts(self):
        def change(result):
            result[-1] += 1

        problem = make("abcd,be->dcea")
        self.assertTrue(self.judge(problem, limit=64).is_right)
        self.assertFalse(self.judge(problem, change, limit=64).is_right)

    def test_a_wrong_reference_is_found(self):
        problem = make("ab,bc->ac")
        places, _, keys = self.fill(problem)
        wanted = reference.Reference(self.driver, problem, places)
        with self.assertRaisesRegex(reference.WrongReference, "x f64: expected .* at 0 of"):
            wanted.check(keys[::-1], numpy.random.default_rng(0))


class Driving(OnDevice):
    def test_errors_have_names(self):
        with self.assertRaisesRegex(DriverError, "CUDA_ERROR_INVALID_PTX .*'.version'"):
            self.driver.load("nothing")
        with self.assertRaisesRegex(DriverError, "CUDA_ERROR_NOT_FOUND"):
            self.driver.load(data.read_kernels("device.ptx")).kernel("nothing")

    def test_ceilings_are_measured(self):
        found = ceilings.measure(timing.Clock(self.driver, timing.Effort.least()))
        for name in ("copy_bytes_per_second", "f32_flops", "f64_flops"):
            self.assertGreater(found[name], 0)
        self.assertGreater(found["launch"]["device_us"], 0)

    def test_contenders_take_turns(self):
        clock = timing.Clock(self.driver, timing.Effort(0, 0, 0, 3))
        calls = []
        launches = [lambda i, name=name: calls.append((name, i)) for name in "ab"]
        timings = clock.compare(launches, sets=2)
        self.assertEqual([len(t.samples) for t in timings], [2, 2])
        # Four launches to warm up, then samples in turns, each on the next set.
        self.assertEqual(calls[:4], [("a", 0), ("a", 1), ("a", 0), ("a", 1)])
        self.assertEqual([name for name, _ in calls[8:]], list("ab" * 2))
        self.assertEqual([i for name, i in calls if name == "b"], [0, 1, 0, 1, 0, 1])


@unittest.skipUnless(shutil.which("ptxas"), "ptxas is not found")
class Assembled(unittest.TestCase):
    def test_the_assembler_takes_our_own_kernels(self):
        texts = [data.read_kernels("device.ptx")]
        writers = data.write_fill, data.write_compare
        texts += [write(kind) for write in writers for kind in TYPES.values()]
        texts += [ceilings._fma_text(dtype) for dtype in ("f32", "f64")]
        texts += [reference.write_ptx(make(e, "f32")) for e in ("aab,bcd->ca", "a,b->ab")]
        for text in texts:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                file.write(text)
                file.flush()
                command = ["ptxas", "-arch=sm_90a", file.name, "-o", os.devnull]
                run = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


class WithoutNumPy(unittest.TestCase):
    def test_says_what_is_missing(self):
        folder = os.path.join(os.environ["TC_SOURCE"], "benchmarks", "gpu")
        for name in ("run", "bundle.py", "compare.py", "performance.py", "rank.py", "tune.py"):
            # -S: only the modules that are Python's own.
            command = [sys.executable, "-S", os.path.join(folder, name)]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(
                f"{name}: error: expected the Python module 'numpy', found none", run.stderr
            )


class Plans(unittest.TestCase):
    def sets(self, footprint, free):
        driver = types.SimpleNamespace(attributes={"l2_bytes": 50 << 20}, is_emulator=False)
        clock = types.SimpleNamespace(driver=driver, effort=timing.Effort())
        return timing.Clock.sets_for(clock, footprint, free)

    def test_sets_leave_l2_before_they_come_again(self):
        self.assertEqual(self.sets(64 << 20, 64 << 30), 4)
        self.assertEqual(self.sets(1 << 30, 64 << 30), 2)
        for footprint in (1 << 10, 1 << 20, 30 << 20, 60 << 20):
            sets = self.sets(footprint, 64 << 30)
            self.assertTrue(sets == 4096 or (sets - 1) * footprint >= 3 * (50 << 20))
        # Without room, L2 is overwritten instead.
        self.assertEqual(self.sets(1 << 30, 3 << 30), 1)

    def test_the_most_telling_come_first(self):
        def problem(name, group, dtype):
            return Problem.make(name, "a->a", {"a": 2}, dtype, group)

        names = [("x", "g"), ("y", "g"), ("z", "h")]
        problems = [problem(name, group, d) for name, group in names for d in ("f32", "f64")]
        ordered = session.order_by_telling(problems, {"y f32": 3, "x f32": 2, "x f64": 1.5})
        expected = ["y f32", "x f64", "z f32", "z f64", "x f32", "y f64"]
        self.assertEqual([p.key for p in ordered], expected)

    def test_chips_that_fit(self):
        ranks = [bundle.rank_chip(chip, 90) for chip in ("sm_80", "sm_90", "sm_90a", "sm_100a")]
        self.assertEqual(ranks, sorted(ranks[:3]) + [0])
        self.assertEqual(bundle.rank_chip("sm_90a", 100), 0)
        self.assertTrue(bundle.takes_cubin("sm_80", 86))
        self.assertFalse(bundle.takes_cubin("sm_80", 90))
        self.assertFalse(bundle.takes_cubin("sm_90a", 100))
        with self.assertRaisesRegex(bundle.BundleError, "expected a chip such as sm_90a"):
            bundle.rank_chip("ampere", 90)

    def test_floors(self):
        problem = Problem.make("x", "ab,bc->ac", {"a": 100, "b": 100, "c": 100}, "f32")
        self.assertEqual((problem.bytes, problem.flops), (120000, 2000000))
        rates = {"copy": 1e9, "f32_flops": 1e12}
        self.assertEqual(ceilings.find_floor(problem, rates, "copy"), (120.0, "dram"))
        rates["f32_flops"] = 1e9
        self.assertEqual(ceilings.find_floor(problem, rates, "copy"), (2000.0, "f32"))
        rates |= {"f64_flops": 1e9, "mma_f64_flops": 2e9, "mma_tf32_flops": 9e9}
        # Tensor units where the type may use them, three products for one.
        self.assertEqual(ceilings.find_rate("f64", rates), 2e9)
        self.assertEqual(ceilings.find_rate("tf32x3", rates), 3e9)
        self.assertEqual(ceilings.find_rate("f32", rates), 1e9)

    def test_data_sheets_are_found_by_name(self):
        for name, product in (
            ("NVIDIA H200", "H200 SXM"),
            ("NVIDIA H100 80GB HBM3", "H100 SXM"),
            ("NVIDIA H100 PCIe", "H100 PCIe"),
            ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"),
        ):
            self.assertEqual(ceilings.find_datasheet(name)["product"], product)
        self.assertIsNone(ceilings.find_datasheet("tc emulator (sm_90)"))

    def test_problems_are_checked(self):
        with self.assertRaisesRegex(ValueError, "expected sizes of a,b, got a"):
            Problem.make("x", "ab->a", {"a": 2}, "f32")
        with self.assertRaisesRegex(ValueError, "expected a type of f32, f64, .*, got 'f8'"):
            Problem.make("x", "a->a", {"a": 2}, "f8")

    def test_result_files_are_checked(self):
        with self.assertRaisesRegex(results.ResultsError, "expected a result file at '/nowhere'"):
            results.load("/nowhere")


if __name__ == "__main__":
    unittest.main()
