"""Checks the picture of a block's tile against the kernel: which thread has which result.

    check_tile.py EXTENT DTYPE [OPTION...]

Compiles C = A B of square matrices, with further options of tc-compile, and has each thread
store its number instead of its results. What the first block stores is then what the corner
of the picture says.
"""

import json
import re
import subprocess
import sys

import numpy

CELL = re.compile(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(\d+):\d+</text>')
STORE = re.compile(r"(st\.global\S*\.[bf](32|64)\s+\[[^\]]+\],\s*)(\{[^}]*\}|%\w+);")


def read_corner(page):
    """The numbers of threads in the corner, by row and column."""
    cells = [(float(y), float(x), int(thread)) for x, y, thread in CELL.findall(page)]
    heights = sorted({y for y, _, _ in cells})
    return numpy.array([[t for y, _, t in sorted(cells) if y == height] for height in heights])


def store_threads(ptx):
    """The PTX whose stores to global memory write the number of the thread."""

    def store(match):
        head, bits, values = match.groups()
        name = f"%thread{bits}"
        return head + re.sub(r"%\w+", name, values) + ";"

    ptx, count = STORE.subn(store, ptx)
    if count == 0:
        sys.exit("error: expected stores to global memory, found none")
    declare = (".reg .b32 %thread32;\n.reg .b64 %thread64;\n"
               "mov.u32 %thread32, %tid.x;\ncvt.u64.u32 %thread64, %thread32;\n")
    return re.sub(r"\.entry[^{]*\{\n", lambda match: match.group() + declare, ptx)


def main():
    extent, dtype, *options = sys.argv[1:]
    command = ["tc-compile", "--einsum=ik,kj->ij", f"--sizes=i={extent},k={extent},j={extent}",
               f"--dtype={dtype}", *options]
    page = subprocess.run([*command, "--report=html", "-o", "tile.ptx"], check=True,
                          capture_output=True, text=True).stdout
    report = json.loads(subprocess.run([*command, "--report=json"], check=True,
                                       capture_output=True, text=True).stdout)
    with open("tile.ptx", encoding="utf-8") as file:
        ptx = store_threads(file.read())
    with open("threads.ptx", "w", encoding="utf-8") as file:
        file.write(ptx)
    blocks, threads = report["grid"][0], report["block"][0]
    array = f"{dtype}[{extent}x{extent}]"
    # More than a kernel may declare is given by the launch.
    shared = report["shared_bytes"] if ".extern .shared" in ptx else 0
    subprocess.run(["tc-emu", "kernel", "threads.ptx", f"--launch={report['kernel']}<<<{blocks}, "
                    f"{threads}, {shared}>>>({array}=ones, {array}=ones, {array}=zeros -> stored.npy)"],
                   check=True, capture_output=True)
    drawn = read_corner(page)
    stored = numpy.load("stored.npy").view({"f32": "i4", "f64": "i8"}[dtype])
    stored = stored[: drawn.shape[0], : drawn.shape[1]]
    if not numpy.array_equal(drawn, stored):
        sys.exit(f"error: expected threads\n{stored}\nas stored, got the picture's\n{drawn}")
    print(f"{drawn.size} results of {len(numpy.unique(drawn))} threads as drawn")


if __name__ == "__main__":
    main()
