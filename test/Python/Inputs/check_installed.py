"""Whether the installed package tc stands alone: no file of it names a folder of what
was built, and no library that it loads, or that its programs load, lies there.

    check_installed.py BUILD"""

import importlib.metadata
import os
import pathlib
import subprocess
import sys

import numpy
import tc

folder = pathlib.Path(tc.__file__).resolve().parent
built = [os.path.join(os.path.realpath(sys.argv[1]), name) for name in ("bin", "lib", "include")]
faults = []


def is_astray(line):
    return any(place in line for place in built)


files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
for path in files:
    content = path.read_bytes()
    faults += [f"{path} names {place}" for place in built if place.encode() in content]
    if content.startswith(b"\x7fELF") and (path.parent.name == "bin" or path.suffix == ".so"):
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        faults += [f"{path}: {line.strip()}" for line in listed.splitlines()
                   if is_astray(line) or "not found" in line]  # fmt: skip
assert tc.__version__ == importlib.metadata.version("tensor-contractions")
# Compiling and running once loads what there is to load.
x = numpy.ones((4, 4))
assert (tc.compile("ij,jk->ik", x, x)(x, x) == 4).all()
with open("/proc/self/maps", encoding="utf-8") as maps:
    faults += [f"loaded: {line.strip()}" for line in maps if is_astray(line)]
print("\n".join(faults))
names = [str(path.relative_to(folder)) for path in files]
print("holds:", *(name for name in names if name.split("/")[0] in ("bin", "lib")))
sys.exit(bool(faults))
