# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%tc_source/python TC_COMPILE=%tc_build/bin/tc-compile \
# RUN:   TC_CACHE_DIR=%t/cache %python %s %t
"""Packages that were damaged or edited, and folders that `Kernel.save` may not replace."""

import contextlib
import copy
import json
import os
import pathlib
import sys
import unittest

import numpy
import tc

WORK = pathlib.Path(sys.argv.pop())
A = numpy.arange(12.0).reshape(4, 3)
B = numpy.arange(6.0).reshape(3, 2)
KERNEL = tc.compile("ik,kj->ij", (None, 3), (3, 2), dtype="f64", chips="sm_80", name="product")


def saved(test):
    return KERNEL.save(WORK / test.id().split(".")[-1])


class Manifests(unittest.TestCase):
    def setUp(self):
        self.folder = saved(self)
        self.path = self.folder / "manifest.json"
        self.manifest = json.loads(self.path.read_text())

    def refuses(self, message):
        with self.assertRaisesRegex(tc.Error, message):
            tc.load(self.folder)

    def test_a_field_that_the_library_has_otherwise(self):
        """Calls go by these: with them a kernel would write past an array."""
        view = {"shape": [1], "strides": [1], "offset": -99}
        for change, message in (
            (lambda e: e["arguments"][2].update(shape=["extent_i", 1]), r"arguments\[2\].shape\[1\]"),
            (lambda e: e["arguments"][0].update(dtype="f32"), r"arguments\[0\].dtype: expected 'f64'"),
            (lambda e: e["arguments"][0].pop("strides"), r"arguments\[0\].strides: .* got None"),
            (lambda e: e["arguments"].pop(), "arguments: expected"),
            (lambda e: e.update(parameters=[]), "parameters: expected"),
            (lambda e: e["input"].update(operands=[view, None, None]), r"input.operands\[0\]"),
            (lambda e: e["input"].pop("operands"), "input.operands: .* got None"),
            (lambda e: e.update(symbol="tc_product_cpu"), "undefined symbol"),
        ):
            with self.subTest(message):
                manifest = copy.deepcopy(self.manifest)
                change(manifest["entries"][0])
                self.path.write_text(json.dumps(manifest))
                self.refuses(message)

    def test_what_is_no_manifest(self):
        for text, message in (
            ("", "Expecting value"),
            ("[" * 100000, "brackets that are nested too deep"),
            ('{"a":' * 100000, "brackets that are nested too deep"),
            ("9" * 5000, "digits"),
            ("[1]", "all of it: expected an object, got"),
            ("{}", "package: expected it to be there"),
        ):
            with self.subTest(text[:20]):
                self.path.write_text(text)
                self.refuses(f"expected a package of tc-compile in .*: manifest.json: .*{message}")

    def test_what_is_no_path(self):
        for path in ("a\0b", "/" + "a" * 300):
            with self.assertRaisesRegex(tc.Error, "expected (the folder of )?a package"):
                tc.load(path)

    def test_a_pipe_and_an_endless_file(self):
        for make in (lambda: os.mkfifo(self.path), lambda: self.path.symlink_to("/dev/zero")):
            self.path.unlink()
            make()
            self.refuses("manifest.json: expected a file, found none")

    def test_any_field_of_another_kind(self):
        """Every one is refused by tc, or does not matter."""
        for place in _places(self.manifest):
            for value in (None, -1, 2**70, "x", [], {}):
                manifest = copy.deepcopy(self.manifest)
                parent = manifest
                for key in place[:-1]:
                    parent = parent[key]
                parent[place[-1]] = value
                self.path.write_text(json.dumps(manifest))
                with self.subTest(place=place, value=value):
                    try:
                        kernel = tc.load(self.folder)
                    except tc.Error:
                        continue
                    numpy.testing.assert_array_equal(kernel(A, B), A @ B)
                    with contextlib.suppress(tc.Error):
                        self.assertIsInstance(kernel.ptx, str)

    def test_files(self):
        hashes = self.manifest["files"]
        for change, message in (
            ({"../x": "0" * 64}, "files: expected paths inside of the package, got '../x'"),
            ({"/etc/passwd": "0" * 64}, "files: expected paths inside of the package"),
            ({"lib/libtc_product.so": 3}, r"files\['lib/libtc_product.so'\]: expected a SHA-256"),
        ):
            self.path.write_text(json.dumps({**self.manifest, "files": {**hashes, **change}}))
            self.refuses(message)

    def test_a_file_that_is_another(self):
        for name in ("lib/libtc_product.so", "include/tc_product.h"):
            path = self.folder / name
            data = path.read_bytes()
            path.unlink()
            self.refuses(f"{name}: expected a file of SHA-256 .*, got no file")
            path.write_bytes(data + b"\0")
            self.refuses(f"{name}: expected a file of SHA-256")
            path.write_bytes(data)
        numpy.testing.assert_array_equal(tc.load(self.folder)(A, B), A @ B)


def _places(value, place=()):
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        yield (*place, key)
        if isinstance(child, (dict, list)):
            yield from _places(child, (*place, key))


class Replaces(unittest.TestCase):
    """What tc wrote, and nothing else."""

    def setUp(self):
        self.folder = saved(self)

    def refuses(self, folder, message):
        before = _list(WORK)
        with self.assertRaisesRegex(tc.Error, f"an empty folder, or nothing.*{message}"):
            KERNEL.save(folder)
        self.assertEqual(_list(WORK), before)

    def test_a_package_and_an_empty_folder(self):
        empty = WORK / "empty"
        empty.mkdir()
        for folder in (self.folder, empty, WORK / "new" / "below"):
            KERNEL.save(folder)
            numpy.testing.assert_array_equal(tc.load(folder)(A, B), A @ B)
        self.assertEqual(list(WORK.glob(".*")), [])

    def test_itself(self):
        tc.load(self.folder).save(self.folder)
        numpy.testing.assert_array_equal(tc.load(self.folder)(A, B), A @ B)

    def test_the_manifest_of_another_program(self):
        other = WORK / "extension"
        (other / "src").mkdir(parents=True)
        (other / "manifest.json").write_text('{"manifest_version": 3}')
        (other / "src" / "main.js").write_text("precious")
        self.refuses(other, "package: expected it to be there")

    def test_a_package_with_files_of_somebody(self):
        for name in ("notes.txt", "lib/notes.txt"):
            (self.folder / name).write_text("precious")
            self.refuses(self.folder, f"got one that has '{name}'")
            (self.folder / name).unlink()
        (self.folder / "lib" / "link").symlink_to("/")
        self.refuses(self.folder, "got one that has 'lib/link'")

    def test_a_package_that_was_edited(self):
        header = self.folder / "include" / "tc_product.h"
        header.write_text(header.read_text() + "// precious")
        self.refuses(self.folder, "tc_product.h: expected a file of SHA-256")

    def test_links_and_files(self):
        """A link stays a link, and where it leads the same holds."""
        link, dangling = WORK / "link", WORK / "dangling"
        link.symlink_to(self.folder)
        dangling.symlink_to("nowhere")
        KERNEL.save(link)
        self.assertTrue(link.is_symlink())
        numpy.testing.assert_array_equal(tc.load(link)(A, B), A @ B)
        (self.folder / "notes.txt").write_text("precious")
        self.refuses(link, "got one that has 'notes.txt'")
        self.refuses(dangling, "got a symbolic link to nothing")
        self.refuses(self.folder / "manifest.json", "got a file")


def _list(folder):
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*") if "cache" not in path.parts}


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
