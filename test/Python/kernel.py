# RUN: rm -rf %t && env TC_CACHE_DIR=%t/cache PYTHONPATH=%tc_source/python %python %s %t
"""Kernels on NumPy arrays: results, refusals, and packages on disk."""

import hashlib
import json
import pathlib
import pickle
import struct
import subprocess
import sys
import threading
import unittest

import numpy
import tc

WORK = pathlib.Path(sys.argv.pop())
A = numpy.arange(12, dtype="f4").reshape(3, 4)
B = numpy.arange(20, dtype="f4").reshape(4, 5)


class Calls(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ik,kj->ij", A, B)
        self.any = tc.compile("ik,kj->ij", (None, None), (None, None), chips=())

    def test_out_is_written_and_returned(self):
        out = numpy.full((3, 5), numpy.nan, "f4")
        self.assertIs(self.kernel(A, B, out=out), out)
        numpy.testing.assert_array_equal(out, A @ B)

    def test_one_array_twice(self):
        a = A[:, :3].copy()
        numpy.testing.assert_array_equal(self.any(a, a), a @ a)

    def test_zero_extents(self):
        for i, k, j in ((0, 4, 5), (3, 0, 5), (3, 4, 0), (0, 0, 0)):
            a, b = numpy.ones((i, k), "f4"), numpy.ones((k, j), "f4")
            for kernel in (self.any, tc.compile("ik,kj->ij", a, b)):
                out = numpy.full((i, j), 7, "f4")
                numpy.testing.assert_array_equal(kernel(a, b, out=out), a @ b)

    def test_strides_of_single_steps_do_not_matter(self):
        a = numpy.lib.stride_tricks.as_strided(A, (1, 4), (400, 4))
        numpy.testing.assert_array_equal(self.any(a, B), a @ B)

    def test_all_types(self):
        for dtype in ("?", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"):
            x = (numpy.arange(12) % 3).reshape(3, 4).astype(dtype)
            y = (numpy.arange(20) % 2).reshape(4, 5).astype(dtype)
            result = tc.compile("ik,kj->ij", x, y)(x, y)
            numpy.testing.assert_array_equal(
                result, numpy.einsum("ik,kj->ij", x, y).astype(result.dtype)
            )

    def test_a_result_without_dimensions(self):
        result = tc.compile("ij->", A)(A)
        self.assertEqual((result.shape, float(result)), ((), 66.0))

    def test_scalars(self):
        x = numpy.float32(3)
        kernel = tc.compile(",i->i", x, B[0])
        numpy.testing.assert_array_equal(kernel(x, B[0]), 3 * B[0])
        with self.assertRaisesRegex(ValueError, "B: expected an array that may be written"):
            tc.compile("i->", B[0])(B[0], out=x)

    def test_workspace(self):
        # Three operands, two at a time: the first product is a temporary.
        c = numpy.ones((5, 6), "f4")
        kernel = tc.compile("ij,jk,kl->il", A, B, c)
        numpy.testing.assert_array_equal(kernel(A, B, c), A @ B @ c)

    def test_threads_at_once(self):
        results = [None] * 8

        def work(number):
            results[number] = self.kernel(A * number, B)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, result in enumerate(results):
            numpy.testing.assert_array_equal(result, (A * number) @ B)

    def test_number_of_threads(self):
        before = tc.get_num_threads()
        tc.set_num_threads(1)
        self.assertEqual(tc.get_num_threads(), 1)
        numpy.testing.assert_array_equal(self.kernel(A, B), A @ B)
        tc.set_num_threads(0)
        self.assertEqual(tc.get_num_threads(), before)
        with self.assertRaisesRegex(ValueError, "expected 0 or more threads, got -1"):
            tc.set_num_threads(-1)
        with self.assertRaises(TypeError):
            tc.set_num_threads(1.5)


class Refuses(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ik,kj->ij", A, B)
        self.any = tc.compile("ik,kj->ij", (None, None), (None, None), chips=())

    def refuses(self, error, words, *arguments, kernel=None, **options):
        with self.assertRaisesRegex(error, words) as caught:
            (kernel or self.kernel)(*arguments, **options)
        return caught.exception

    def test_number_of_operands(self):
        self.refuses(TypeError, "expected 2 operands, got 1", A)

    def test_what_is_no_array(self):
        self.refuses(TypeError, "B: expected an array, got list", A, [1.0])
        self.refuses(TypeError, "A: expected an array, got None", None, B)
        self.refuses(TypeError, "B: expected an array, got None", A, None, out=numpy.zeros((3, 5)))

    def test_shapes(self):
        self.refuses(
            ValueError, r"B: expected the shape \(4, 5\), got \(4, 4\): dimension 1", A, B[:, :4]
        )
        self.refuses(ValueError, r"A: expected \(3, 4\), of 2 dimensions, got \(3,\)", A[:, 0], B)
        self.refuses(
            ValueError, "dimension 0 has to be 4, as extent_k is elsewhere", A, A, kernel=self.any
        )
        self.refuses(
            ValueError, r"C: expected the shape \(3, 5\)", A, B, out=numpy.zeros((5, 3), "f4")
        )

    def test_types(self):
        self.refuses(TypeError, "A: expected elements of f32, got f64", A.astype("f8"), B)
        self.refuses(
            TypeError, "C: expected elements of f32, got i32", A, B, out=numpy.zeros((3, 5), "i4")
        )
        self.refuses(TypeError, "B: expected an element type of", A, numpy.full((4, 5), None))
        self.refuses(
            TypeError, "B: expected an array without a mask", A, numpy.ma.masked_less(B, 3)
        )

    def test_strides(self):
        wide = numpy.zeros((4, 10), "f4")
        words = "B: expected a stride of 1 elements in dimension 1, got 2: .* without gaps"
        self.refuses(ValueError, words, A, wide[:, ::2])
        self.refuses(ValueError, words, A, wide[:, ::2], kernel=self.any)
        reverse = tc.compile("ik,kj->ij", A[::-1], B)
        self.refuses(
            ValueError,
            "stride of -4 elements in dimension 0, got 4: .* these strides",
            A,
            B,
            kernel=reverse,
        )

    def test_results(self):
        out = numpy.zeros((3, 5), "f4")
        out.flags.writeable = False
        self.refuses(ValueError, "C: expected an array that may be written", A, B, out=out)
        a = A[:, :3].copy()
        error = self.refuses(
            tc.LaunchError,
            "C: expected a buffer that shares no bytes with",
            a,
            a,
            out=a,
            kernel=self.any,
        )
        self.assertEqual(error.code, 20)  # TC_OVERLAP
        both = numpy.zeros(40, "f4")
        a, out = both[:12].reshape(3, 4), both[6:21].reshape(3, 5)
        self.refuses(tc.LaunchError, "shares no bytes with A", a, B, out=out)

    def test_streams(self):
        self.refuses(ValueError, "expected no stream for arrays on the CPU", A, B, stream=0)

    def test_misaligned(self):
        odd = numpy.zeros(49, "u1")[1:].view("f4").reshape(3, 4)
        self.refuses(tc.LaunchError, "A: expected a multiple of 4", odd, B)


class Packages(unittest.TestCase):
    def test_save_and_load(self):
        kernel = tc.compile("ik,kj->ij", A, B, name="product")
        folder = kernel.save(WORK / "product")
        self.assertTrue((folder / "include" / "tc_product.h").exists())
        again = tc.load(folder)
        self.assertEqual(again.manifest, kernel.manifest)
        numpy.testing.assert_array_equal(again(A, B), A @ B)
        # A package that is there is replaced; anything else is not.
        tc.compile("ij->", A, name="product").save(folder)
        self.assertEqual(tc.load(folder).subscripts, "ij->")
        self.assertEqual(tc.load(folder)(A), A.sum())
        numpy.testing.assert_array_equal(again(A, B), A @ B)
        other = WORK / "other"
        other.mkdir()
        (other / "file").touch()
        with self.assertRaisesRegex(tc.Error, "to be a package, an empty folder, or nothing"):
            kernel.save(other)
        self.assertEqual([path.name for path in other.iterdir()], ["file"])
        self.assertEqual([path.name for path in WORK.glob(".*")], [])

    def test_other_processes_get_it_by_its_folder(self):
        kernel = tc.compile("ik,kj->ij", A, B)
        again = pickle.loads(pickle.dumps(kernel))
        self.assertEqual(again.folder, kernel.folder)
        numpy.testing.assert_array_equal(again(A, B), A @ B)

    def test_a_package_for_another_runtime(self):
        kernel = tc.compile("abc,cd->", (None,) * 3, (None,) * 2, chips=(), name="later")
        folder = kernel.save(WORK / "later")
        path = folder / "lib" / "libtc_later.so"
        manifest = json.loads((folder / "manifest.json").read_text())
        # The number of the interface is the first thing in the entry.
        library = path.read_bytes()
        entry = struct.pack("<IIII", manifest["interface"], 3, 4, 0)
        self.assertEqual(library.count(entry), 1)
        path.unlink()
        path.write_bytes(library.replace(entry, struct.pack("<IIII", 99, 3, 4, 0)))
        manifest["files"]["lib/libtc_later.so"] = hashlib.sha256(path.read_bytes()).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with self.assertRaisesRegex(tc.LaunchError, "expected a package of interface .*, got 99"):
            tc.load(folder)(numpy.ones((2, 2, 2), "f4"), numpy.ones((2, 2), "f4"))

    def test_load_needs_no_compiler(self):
        folder = tc.compile("ik,kj->ij", A, B).save(WORK / "alone")
        program = (
            "import sys, numpy, tc; k = tc.load(sys.argv[1]);"
            "print(k(numpy.ones((3, 4), 'f4'), numpy.ones((4, 5), 'f4')).sum())"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, folder],
            env={"PATH": "/nowhere", "PYTHONPATH": str(pathlib.Path(tc.__file__).parents[1])},
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.stdout, done.stderr), ("60.0\n", ""))

    def test_functions_of_a_file(self):
        source = WORK / "functions.mlir"
        source.write_text(
            """func.func @twice(%x: memref<?xf32>, %f: f32, %y: memref<?xf32>) {
                 linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                                 iterator_types = ["parallel"]}
                   ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
                 ^bb0(%a: f32, %b: f32):
                   %p = arith.mulf %a, %f : f32
                   %s = arith.addf %p, %b : f32
                   linalg.yield %s : f32 }
                 return }
               func.func @copy(%x: memref<4xf64, strided<[?], offset: ?>>, %y: memref<4xf64>) {
                 linalg.copy ins(%x : memref<4xf64, strided<[?], offset: ?>>)
                             outs(%y : memref<4xf64>)
                 return }"""
        )
        folder = WORK / "functions"
        subprocess.run(
            [
                "tc-compile",
                source,
                "--package-name=both",
                "--emit=package",
                "--chips=sm_80",
                "-o",
                folder,
            ],
            check=True,
        )
        with self.assertRaisesRegex(tc.Error, "the name of one of twice, copy, got None"):
            tc.load(folder)
        twice, copy = tc.load(folder, "twice"), tc.load(folder, name="copy")
        x, y = numpy.arange(5, dtype="f4"), numpy.ones(5, "f4")
        self.assertIs(twice(x, 2.0, y), y)
        numpy.testing.assert_array_equal(y, 2 * x + 1)
        with self.assertRaisesRegex(TypeError, "f: expected a number, got 'two'"):
            twice(x, "two", y)
        with self.assertRaisesRegex(TypeError, "expected the arguments of a function, got out="):
            twice(x, 2.0, y, out=y)
        source, result = numpy.arange(12.0), numpy.zeros(4)
        numpy.testing.assert_array_equal(copy(source[10:2:-2], result), [10, 8, 6, 4])
        with self.assertRaisesRegex(tc.Error, "twice: expected an einsum"):
            twice.report()

    def test_what_is_no_package(self):
        for folder in (WORK / "nothing", WORK):
            with self.assertRaisesRegex(tc.Error, "expected a package of tc-compile in"):
                tc.load(folder)
        folder = tc.compile("i->", numpy.ones(3)).save(WORK / "broken")
        path = folder / "lib" / "libtc_contraction.so"
        manifest = json.loads((folder / "manifest.json").read_text())
        path.write_bytes(b"nothing")
        manifest["files"]["lib/libtc_contraction.so"] = hashlib.sha256(b"nothing").hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with self.assertRaisesRegex(tc.Error, "expected a library of tc-compile at"):
            tc.load(folder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
