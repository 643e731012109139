"""Loads a package with another manifest and calls its kernel: load_manifest.py MANIFEST,
or --make FILE to write the manifest that is right. What is refused is refused by an
exception of tc, and says so."""

import os
import pathlib
import shutil
import sys
import tempfile

import numpy
import tc

A = numpy.arange(12, dtype="f4").reshape(3, 4)
B = numpy.arange(20, dtype="f4").reshape(4, 5)


def main(path):
    kernel = tc.compile("ik,kj->ij", A, B, chips=())
    if path == "--make":
        shutil.copy(pathlib.Path(kernel.folder, "manifest.json"), sys.argv[2])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        package = kernel.save(os.path.join(folder, "package"))
        shutil.copy(path, package / "manifest.json")
        try:
            result = tc.load(package)(A, B)
        except tc.Error as error:
            print(f"refused: {error}")
            return 0
        except (TypeError, ValueError) as error:
            # The arrays are not those of the manifest; Python's own errors expect nothing.
            return 0 if "expected" in str(error) else f"{type(error).__name__}: {error}"
    # Some members of a manifest say nothing of the kernel.
    return 0 if numpy.array_equal(result, A @ B) else "wrong result"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
