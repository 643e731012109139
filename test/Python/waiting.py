# RUN: rm -rf %t && env PYTHONPATH=%tc_source/python %python %s %t
"""While kernels compile: Ctrl-C acts at once, the steps of a path compile side by side, and
a terminal says what is being waited for."""

import contextlib
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import numpy
import tc
from tc import _tools
from tc._recent import recent

WORK = pathlib.Path(sys.argv.pop())
PATH = 'tc.einsum("ij,jk,kl->il", x, x[:, :2], x[:2], optimize=["einsum_path", (0, 1), (0, 1)])'
KERNEL = 'tc.einsum("ij,jk->ik", x, x)'
# What SIGINT does by default, also where a shell started this in the background.
BEGIN = "import logging, signal, numpy, tc; x = numpy.ones((3, 3)); "
BEGIN += "signal.signal(signal.SIGINT, signal.default_int_handler); "


class Case(unittest.TestCase):
    """Each test has a cache of its own, and a compiler that can be slow."""

    def setUp(self):
        self.root = WORK / self.id().rpartition(".")[2]
        self.cache = self.root / "cache"
        self.marks = self.root / "marks"
        self.marks.mkdir(parents=True)
        self.compiler = _tools.find_compiler()
        recent.clear()

    def compile_by(self, script):
        """An environment in which tc-compile is a script, where $real is the program and
        $marks a folder."""
        path = self.root / "tc-compile"
        path.write_text(f"#!/bin/sh\nreal={self.compiler}\nmarks={self.marks}\n{script}")
        path.chmod(0o755)
        return {"TC_COMPILE": str(path), "TC_CACHE_DIR": str(self.cache)}

    def wait_for_marks(self, count):
        end = time.monotonic() + 60
        while len(list(self.marks.iterdir())) < count:
            self.assertLess(time.monotonic(), end, "no compiler was started")
            time.sleep(0.01)


class Interrupt(Case):
    # The package is written, but not in its place.
    SLOW = '"$real" "$@"; sleep 60 & echo $! > $marks/$$; wait'

    def interrupt(self, program, compilers):
        environment = {**os.environ, **self.compile_by(self.SLOW)}
        command = [sys.executable, "-c", BEGIN + program]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
            self.wait_for_marks(compilers)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            notes = process.communicate()[1].decode()
        self.assertLess(time.monotonic() - start, 2)
        self.assertTrue(notes.endswith("KeyboardInterrupt\n"), notes)
        self.assertEqual([path for path in self.cache.rglob("*") if path.is_file()], [])
        self.assertEqual([path.name for path in self.cache.iterdir()], ["kernels"])
        for mark in self.marks.iterdir():  # And what the compiler had started is gone.
            self.assertFalse(self.runs(int(mark.read_text())))

    def runs(self, process):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            return pathlib.Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
        return False

    def test_one_kernel(self):
        self.interrupt(KERNEL, 1)

    def test_several_kernels(self):
        self.interrupt(PATH, min(2, len(os.sched_getaffinity(0))))


class SideBySide(Case):
    def contract(self):
        x = numpy.arange(9.0).reshape(3, 3)
        path = ["einsum_path", (0, 1), (0, 1)]
        return x, tc.einsum("ij,jk,kl->il", x, x[:, :2], x[:2], optimize=path)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one CPU compiles one kernel at a time")
    def test_steps_of_a_path(self):
        # None goes on before there are two.
        script = "touch $marks/$$; for i in $(seq 300); do [ $(ls $marks | wc -l) -ge 2 ] &&"
        script += ' exec "$real" "$@"; sleep 0.1; done; exit 3'
        with mock.patch.dict(os.environ, self.compile_by(script)):
            x, got = self.contract()
        numpy.testing.assert_array_equal(got, x @ x[:, :2] @ x[:2])

    def test_what_fails_ends_the_others(self):
        script = 'mkdir $marks/first 2>/dev/null && exec sleep 60; echo no >&2; exit 1'
        start = time.monotonic()
        with mock.patch.dict(os.environ, self.compile_by(script)):
            with mock.patch.object(os, "sched_getaffinity", return_value={0, 1}):
                with self.assertRaisesRegex(tc.Error, "^no$"):
                    self.contract()
        self.assertLess(time.monotonic() - start, 30)


class Says(Case):
    def run_on_terminal(self, program):
        """What a process writes to a terminal."""
        environment = {**os.environ, **self.compile_by('sleep 1; exec "$real" "$@"')}
        near, far = pty.openpty()
        command = [sys.executable, "-c", BEGIN + program]
        with subprocess.Popen(command, env=environment, stderr=far) as process:
            os.close(far)
            text = b""
            with contextlib.suppress(OSError):  # It is closed.
                while select.select([near], [], [], 60)[0] and (more := os.read(near, 4096)):
                    text += more
        os.close(near)
        self.assertEqual(process.returncode, 0, text)
        return text.decode()

    def test_a_line_that_goes_again(self):
        text = self.run_on_terminal(KERNEL)
        self.assertIn("\rtc: compiling ab,bc->ac for the CPU, 1 s\x1b[K", text)
        self.assertTrue(text.endswith("\r\x1b[K"), text)
        self.assertNotIn("\n", text)

    def test_nothing_where_the_logger_is_quiet(self):
        quiet = "logging.getLogger('tc').setLevel('ERROR'); "
        self.assertEqual(self.run_on_terminal(quiet + KERNEL), "")

    def test_nothing_in_a_pipe(self):
        environment = {**os.environ, **self.compile_by('sleep 1; exec "$real" "$@"')}
        command = [sys.executable, "-c", BEGIN + KERNEL]
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        self.assertEqual((done.stdout, done.stderr), (b"", b""))

    def test_a_message_for_those_who_listen(self):
        x = numpy.ones((3, 3))
        with mock.patch.dict(os.environ, {"TC_CACHE_DIR": str(self.cache)}):
            with self.assertLogs("tc", "INFO") as caught:
                tc.einsum("ij,jk->ik", x, x)
                tc.einsum("ij,jk->ik", x[:2], x)
        (line,) = caught.output
        self.assertRegex(line, r"^INFO:tc:compiled ab,bc->ac for the CPU in \d+\.\d\d s$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
