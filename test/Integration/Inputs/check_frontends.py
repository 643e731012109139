"""Runs models as frontends print them: check_frontends.py FILE...

Each file has one function of tensors. Its arguments are made up, with 3 for each dynamic
extent, and tc-run verifies it on the emulator. Prints a line for each."""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np


MAKERS = {
    "f32": lambda source, shape: source.standard_normal(shape).astype(np.float32),
    "f16": lambda source, shape: source.standard_normal(shape).astype(np.float16),
    "i8": lambda source, shape: source.integers(-9, 9, shape).astype(np.int8),
    "i64": lambda source, shape: source.integers(0, 64, shape),  # positions
}


def make_arguments(path, folder):
    """The paths of arrays of the types in the signature."""
    with open(path, encoding="utf-8") as file:
        signature = re.search(r"func\.func @\w+\((.*?)\) ->", file.read(), re.S).group(1)
    source, paths = np.random.default_rng(1), []
    for number, text in enumerate(re.findall(r"tensor<([^>]*)>", signature)):
        *extents, element = text.split("x")
        shape = [3 if extent == "?" else int(extent) for extent in extents]
        paths.append(os.path.join(folder, f"{number}.npy"))
        np.save(paths[-1], MAKERS[element](source, shape))
    return paths


def main(files):
    failed = False
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            inputs = ",".join(make_arguments(path, folder))
            command = ["tc-run", path, "--verify", "--device=emulator", "--checks=all"]
            done = subprocess.run(
                [*command, f"--inputs={inputs}"], capture_output=True, text=True
            )
        failed |= done.returncode != 0
        lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
        print(f"{os.path.basename(path)}: {lines[-1] if done.returncode == 0 else lines[0]}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
