"""Runs the examples of a tool's --help that work on `matmul.mlir`, or on an einsum of
few elements, with another file in its place; all must succeed.

    run_examples.py FILE.mlir TOOL..."""

import os
import re
import subprocess
import sys
import tempfile


def examples(tool):
    done = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True)
    _, _, text = done.stdout.partition("EXAMPLES:")
    return re.findall(rf"^  ({tool} .*?)(?: +# .*)?$", text, re.M)


def main(file, *tools):
    file = os.path.abspath(file)
    failures = ran = 0
    for tool in tools:
        for example in examples(tool):
            if re.search(r"\w\.(npy|ptx) |\.npy$|cubin|--kernel", example):
                continue  # needs files, or ptxas
            ran += 1
            with tempfile.TemporaryDirectory() as folder:
                command = example.replace("matmul.mlir", file)
                done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True)
            if done.returncode:
                failures += 1
                print(f"{example}\n{done.stderr.decode()}")
    print(f"{ran} examples, {failures} failed")
    return 1 if failures or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
