# RUN: rm -rf %t && env PYTHONPATH=%tc_source/python %python %s %t
"""The cache of compiled kernels: what it goes by, and that it stays whole."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import unittest
from unittest import mock

import numpy
import tc
from tc import _cache, _compile, _tools
from tc._recent import Recent, recent

WORK = pathlib.Path(sys.argv.pop())
X = numpy.arange(6, dtype="f4").reshape(2, 3)


class Case(unittest.TestCase):
    """Each test has a folder of its own, and no kernels in memory."""

    def setUp(self):
        self.root = WORK / self.id().rpartition(".")[2]
        self.environment({"TC_CACHE_DIR": str(self.root)})
        self.forget()

    def environment(self, values):
        patch = mock.patch.dict(os.environ, values)
        patch.start()
        self.addCleanup(patch.stop)

    def forget(self):
        recent.clear()

    def compiled(self, *arguments, **options):
        """A kernel, and whether it was compiled for this."""
        stages = []
        self.forget()
        kernel = tc.compile(*arguments, progress=stages.append, **options)
        return kernel, "compile" in stages


class Remembers(Case):
    """What the process keeps in memory."""

    def test_what_is_asked_for_stays(self):
        kept = Recent(10)
        for number in range(100):
            kept[number] = number
            self.assertEqual(kept[0], 0)
            self.assertEqual(kept[number], number)
            self.assertLessEqual(len(kept), 20)
        self.assertEqual([kept[number] for number in (1, 50, 99)], [None, None, 99])

    def test_a_call_whose_kernel_was_forgotten(self):
        with mock.patch.object(recent, "_size", 2):
            for extent in range(2, 9):
                x = numpy.arange(3.0 * extent).reshape(3, extent)
                for _ in range(2):
                    numpy.testing.assert_array_equal(tc.einsum("ij->i", x), x.sum(1))
            self.assertLessEqual(len(recent), 4)


class Finds(Case):
    def test_the_same_in_memory_and_on_disk(self):
        kernel, was_compiled = self.compiled("ij->i", X)
        self.assertTrue(was_compiled)
        self.assertIs(tc.compile("ij->i", X + 1), kernel)
        again, was_compiled = self.compiled("ij->i", (2, 3), chips=())
        self.assertFalse(was_compiled)
        self.assertEqual(again.folder, kernel.folder)
        numpy.testing.assert_array_equal(again(X), X.sum(1))

    def test_all_that_matters(self):
        given = [
            (("ij->i", X), {}),
            (("ij->j", X), {}),
            (("ij->i", X[:1]), {}),
            (("ij->i", X[:, ::-1]), {}),
            (("ij->i", X.astype("f8")), {}),
            (("ij->i", X), {"accumulate": "f64"}),
            (("ij->i", X), {"result_dtype": "f64"}),
            (("ij->i", X), {"order": "as-written"}),
            (("ij->i", X), {"name": "other"}),
            (("ij->i", (None, 3)), {"chips": ()}),
            (("ij->i", (2, 3)), {"chips": "sm_80"}),
            (("ij->i", (2, 3)), {"chips": "sm_90a"}),
        ]
        folders = {self.compiled(*arguments, **options)[0].folder for arguments, options in given}
        self.assertEqual(len(folders), len(given))
        for arguments, options in given:
            self.assertFalse(self.compiled(*arguments, **options)[1], (arguments, options))

    def test_another_compiler_or_machine(self):
        self.compiled("ij->i", X)
        for name in ("fingerprint", "which_ptxas"):
            with mock.patch.object(_tools, name, return_value=["another"]):
                is_new = self.compiled("ij->i", X)[1]
            self.assertEqual(is_new, name == "fingerprint")  # No ptxas for the CPU alone.
        with mock.patch.object(_cache, "_host", return_value=["another"]):
            self.assertTrue(self.compiled("ij->i", X)[1])

    def test_places(self):
        with mock.patch.dict(os.environ):
            del os.environ["TC_CACHE_DIR"]
            os.environ["XDG_CACHE_HOME"] = str(WORK)
            self.assertEqual(_cache.folder(), WORK / "tc")
            os.environ["XDG_CACHE_HOME"] = "relative"
            os.environ["HOME"] = "/home/someone"
            self.assertEqual(_cache.folder(), pathlib.Path("/home/someone/.cache/tc"))

    def test_the_runtime_is_kept_once(self):
        paths = [
            self.compiled(text, X)[0].folder / "lib" / "libtc-runtime.so"
            for text in ("ij->i", "ij->j")
        ]
        self.assertEqual(*(path.stat().st_ino for path in paths))


class Mends(Case):
    def damaged(self, change):
        """Is a kernel made anew, and sound, after a change to its entry?"""
        kernel, _ = self.compiled("ij->i", X)
        change(kernel.folder)
        again, was_compiled = self.compiled("ij->i", X)
        self.assertTrue(was_compiled)
        self.assertTrue(_cache.is_sound(again.folder))
        numpy.testing.assert_array_equal(again(X), X.sum(1))
        self.assertEqual(
            [path.name for path in self.root.iterdir() if path.name.startswith("new-")], []
        )
        self.assertFalse(self.compiled("ij->i", X)[1])

    def replace(self, path, data):
        path.unlink()  # Its bytes may be those of a library that is in use.
        path.write_bytes(data)

    def test_a_library_cut_short(self):
        self.damaged(lambda p: self.replace(p / "lib" / "libtc_contraction.so", b"\x7fELF"))

    def test_files_that_were_written_by_halves(self):
        """By a linker or assembler that found a disk full, so that the manifest agrees."""

        def halve(package, name):
            path = package / name
            data = path.read_bytes()
            self.replace(path, data[: len(data) // 2])
            manifest = json.loads((package / "manifest.json").read_text())
            manifest["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()
            self.replace(package / "manifest.json", json.dumps(manifest).encode())

        self.damaged(lambda p: halve(p, "lib/libtc_contraction.so"))

    def test_nothing_unsound_is_kept(self):
        self.environment({"TC_LINKER": shutil.which("true")})
        with self.assertRaises(tc.Error):
            tc.compile("ij->i", X)
        self.assertEqual([p for p in self.root.rglob("*") if p.is_file()], [])

    def test_a_runtime_of_others(self):
        self.damaged(lambda p: self.replace(p / "lib" / "libtc-runtime.so", b"nothing"))

    def test_a_manifest_that_is_none(self):
        for data in (b"", b"[1]", b'{"files": 3}', b"\xff"):
            self.damaged(lambda p, data=data: self.replace(p / "manifest.json", data))

    def test_a_file_that_is_gone(self):
        self.damaged(lambda p: (p / "include" / "tc_contraction.h").unlink())

    def test_an_entry_that_is_gone_or_empty(self):
        self.damaged(lambda p: shutil.rmtree(p.parent))
        self.damaged(shutil.rmtree)

    def test_a_runtime_that_all_share(self):
        self.compiled("ij->i", X)
        for path in (self.root / "runtime").iterdir():
            self.replace(path, b"nothing")
        kernel, _ = self.compiled("ij->j", X)
        self.assertTrue(_cache.is_sound(kernel.folder))

    def test_a_failure_leaves_nothing(self):
        with self.assertRaises(tc.CompileError):
            tc.compile("ij->k", X)
        self.assertEqual([p for p in self.root.rglob("*") if p.is_file()], [])
        self.assertEqual([p.name for p in self.root.iterdir() if p.name.startswith("new-")], [])

    def test_what_others_left_is_removed(self):
        old, young = self.root / "new-old", self.root / "new-young"
        for path in (old, young):
            (path / "entry").mkdir(parents=True)
        os.utime(old, (0, 0))
        self.compiled("ij->i", X)
        self.assertEqual((old.exists(), young.exists()), (False, True))

    def forget_private(self):
        shutil.rmtree(_cache._private)
        _cache._private = None

    def test_a_folder_that_cannot_be(self):
        (WORK / "file").touch()
        self.environment({"TC_CACHE_DIR": str(WORK / "file" / "below")})
        self.addCleanup(self.forget_private)
        with self.assertLogs("tc", "WARNING") as caught:
            kernel, _ = self.compiled("ij->i", X)
            self.compiled("ij->j", X)
        (line,) = caught.output
        self.assertIn("kernels are compiled for this process alone", line)
        numpy.testing.assert_array_equal(kernel(X), X.sum(1))


    def is_private(self, why):
        with self.assertLogs("tc", "WARNING") as caught:
            kernel, was_compiled = self.compiled("ij->i", X)
        self.assertRegex(caught.output[0], f"a folder for them at .* \\({why}")
        self.assertTrue(was_compiled)
        self.assertNotIn(self.root, kernel.folder.parents)
        numpy.testing.assert_array_equal(kernel(X), X.sum(1))
        self.forget_private()

    def test_a_folder_that_anybody_may_write(self):
        for below in ("", "kernels"):
            self.compiled("ij->i", X)
            mode = (self.root / below).stat().st_mode
            (self.root / below).chmod(0o777)
            self.is_private("anybody may write it")
            (self.root / below).chmod(mode)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives folders away")
    def test_a_folder_of_another_user(self):
        self.compiled("ij->i", X)
        os.chown(self.root, 12345, -1)
        self.is_private("it belongs to the user 12345")

    def test_an_entry_that_anybody_may_write(self):
        self.damaged(lambda p: p.parent.chmod(0o777))
        self.damaged(lambda p: (p / "lib" / "libtc_contraction.so").chmod(0o666))

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_a_library_of_another_user(self):
        self.damaged(lambda p: os.chown(p / "lib" / "libtc_contraction.so", 12345, -1))


class Shares(Case):
    def test_threads_compile_once(self):
        calls, kernels = [], []
        real = _tools.run_compiler
        barrier = threading.Barrier(6)

        def count(arguments, *others):
            calls.append(arguments)
            return real(arguments, *others)

        def work():
            barrier.wait()
            kernels.append(tc.compile("ij->i", X))

        with mock.patch.object(_tools, "run_compiler", count):
            threads = [threading.Thread(target=work) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(calls), 1)
        self.assertEqual(len(set(map(id, kernels))), 1)

    def test_processes_compile_the_same(self):
        program = (
            "import sys, numpy, tc; sys.stdin.read(1);"
            "x = numpy.arange(6, dtype='f4').reshape(2, 3);"
            "k = tc.compile('ij->i', x); print(k.folder, k(x))"
        )
        start = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        processes = [subprocess.Popen([sys.executable, "-c", program], **start) for _ in range(4)]
        for process in processes:  # All of them are ready before the first begins.
            process.stdin.write("go")
            process.stdin.flush()
        outputs = {process.communicate()[0] for process in processes}
        self.assertEqual(len(outputs), 1)
        self.assertIn("[ 3. 12.]", outputs.pop())
        self.assertEqual(len(list((self.root / "kernels").iterdir())), 1)
        self.assertEqual({p.name for p in self.root.iterdir()}, {"kernels", "runtime"})

    def test_whoever_comes_second_takes_what_is_there(self):
        real = _tools.run_compiler

        def overtaken(arguments, *others):
            with mock.patch.object(_tools, "run_compiler", real):
                _cache.find_or_make(arguments[: arguments.index("-o")])
            return real(arguments, *others)

        with mock.patch.object(_tools, "run_compiler", overtaken):
            kernel, _ = self.compiled("ij->i", X)
        numpy.testing.assert_array_equal(kernel(X), X.sum(1))
        self.assertEqual(len(list((self.root / "kernels").iterdir())), 1)

    def test_a_fork(self):
        with _compile._lock:  # Another thread would hold it.
            child = os.fork()
            if child == 0:
                os._exit(0 if (tc.compile("ij->i", X)(X) == X.sum(1)).all() else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Tools(Case):
    def with_compiler(self, path):
        recent.clear()
        return mock.patch.dict(os.environ, {"TC_COMPILE": str(path)})

    def program(self, text):
        path = self.root / "tc-compile"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def test_none(self):
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            with self.assertRaisesRegex(tc.ToolError, "expected the program tc-compile: install"):
                tc.compile("ij->i", X)

    def test_no_runtime(self):
        (self.root / "lib").mkdir(parents=True)
        (self.root / "lib" / "libtc-runtime.so").touch()  # Of the current folder.
        program = "import tc; tc.get_num_threads()"
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={"PATH": "/nowhere", "PYTHONPATH": str(pathlib.Path(tc.__file__).parents[1])},
            cwd=self.root,
            capture_output=True,
            text=True,
        )
        self.assertIn("ToolError: expected libtc-runtime.so in ", done.stderr)

    def test_one_that_is_none(self):
        for path in ("/nowhere/tc-compile", "/tmp", __file__ + ".none"):
            with self.with_compiler(path):
                with self.assertRaisesRegex(
                    tc.ToolError, "expected TC_COMPILE to name the program"
                ):
                    tc.compile("ij->i", X)

    def test_one_that_fails(self):
        for text, words in (
            ("kill -9 $$", "ended by signal 9"),
            ("echo lost >&2; exit 127", "status 127:\nlost"),
        ):
            with self.with_compiler(self.program(text)):
                with self.assertRaisesRegex(tc.ToolError, words):
                    tc.compile("ij->i", X)

    def test_one_that_writes_nothing(self):
        with self.with_compiler(self.program("exit 0")):
            with self.assertRaisesRegex(tc.Error, "expected a package of tc-compile"):
                tc.compile("ij->i", X)

    def test_notes_are_kept(self):
        kernel, _ = self.compiled("ij->i", (2, 3), chips="sm_90a")
        request = json.loads((kernel.folder.parent / "request.json").read_text())
        self.assertIn("the package is for sm_90a alone", request["notes"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
