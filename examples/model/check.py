#!/usr/bin/env python3
"""Runs a model on the emulator and compares with NumPy.

    check.py {mlp|attention} PROGRAM.mlir [option of tc-run ...]

Arguments are random; the model here is written in NumPy, in double precision, and
shares nothing with the program. Needs tc-run on the path."""

import os
import subprocess
import sys
import tempfile

import numpy as np


def mlp(x, w1, b1, w2, b2):
    return np.maximum(x @ w1 + b1, 0) @ w2 + b2


def attention(x, wq, wk, wv, wo):
    q, k, v = (np.tensordot(x, w, 1) for w in (wq, wk, wv))  # token, head, number
    scores = np.einsum("shd,thd->hst", q, k) / np.sqrt(q.shape[-1])
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return x + np.tensordot(np.einsum("hst,thd->shd", p, v), wo, 2)


MODELS = {
    "mlp": (mlp, [(20, 48), (48, 64), (64,), (64, 24), (24,)]),
    "attention": (attention, [(24, 32), *[(32, 4, 8)] * 3, (4, 8, 32)]),
}
# Sums of at most 64 products of f32 in a row, a few times over.
TOLERANCE = 1e-5


def run(program, arguments, options, folder):
    """What the program gives for these arguments."""
    paths = [f"{folder}/{i}.npy" for i in range(len(arguments))]
    for path, argument in zip(paths, arguments):
        np.save(path, argument)
    command = ["tc-run", program, "--device=emulator", f"--inputs={','.join(paths)}"]
    command += [f"--output={folder}/out.npy", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(f"{folder}/out.npy")


def main(model, program, *options):
    evaluate, shapes = MODELS[model]
    random = np.random.default_rng(int(os.environ.get("TC_TEST_SEED", "0")))
    arguments = [random.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
    expected = evaluate(*(argument.astype(np.float64) for argument in arguments))
    with tempfile.TemporaryDirectory() as folder:
        found = run(program, arguments, options, folder)
    error = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{model}: largest error {error:.1e} of the largest value")
    return 0 if found.shape == expected.shape and error <= TOLERANCE else 1


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in MODELS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
