"""The texts that mutants are made of: those of the repository, and PTX of its compiler."""

import functools
import io
import json
import pathlib
import re
import subprocess
import sys

import numpy

COMMENT = re.compile(rb"^\s*//.*\n|// expected-.*$", re.M)
SPLIT = re.compile(rb"^// -----.*$", re.M)
MOST_BYTES = 6000

EINSUMS = [
    ("ij,jk->ik", "i=5,j=4,k=3"),
    ("ij->j", "i=5,j=4"),
    ("bij,bkj->bik", "b=2,i=3,j=4,k=5"),
    ("i,i->", "i=9"),
    ("ijkl,lm->mkji", "i=2,j=3,k=2,l=3,m=4"),
    ("ij,jk,kl->il", "i=2,j=3,k=4,l=5"),
    ("i,j->ij", "i=7,j=3"),
    ("(2i+k),k->i", "i=4,k=3"),
]
SCHEDULES = [
    ("ij,jk->ik", "i=16,j=16,k=16", "#tc.schedule<thread = [i = 4, k = 4], register = [i = 2,"
     " k = 2], step = [j = 8], vector = [k = 2], stages = 2, kernel = fma>"),
    ("ij,jk->ik", "i=12,j=24,k=8", "#tc.schedule<thread = [i = 2, k = 4, i = 2], register ="
     " [i = 3, k = 2], step = [j = 4], split = [j = 3], kernel = fma>"),
    ("ij->j", "i=64,j=3", "#tc.schedule<thread = [j = 3, i = 8], step = [i = 16], kernel = fma>"),
]  # fmt: skip
OPERANDS = [
    ("ij,jk->ik", '[{"shape": [5, 4], "strides": [4, 1], "dtype": "f32"}, [4, 3]]'),
    ("ij,jk->ik", '{"inputs": [{"shape": [5, 4], "strides": [1, 5], "offset": 3, "align": 16},'
     ' {"shape": [4, 3]}], "result": {"strides": [1, 5]}}'),
]  # fmt: skip
TUNING = (
    '{"format": "tc-tuning", "entries": [{"machine": "sm_90a", "contraction": "5,3,4+'
    ' f32<4,0,1> f32<0,1,3> -> f32<3,1,0> overwrite", "version": 1, "schedule":'
    ' "#tc.schedule<thread = [i0 = 4], kernel = fma>", "found": "counted", "rank": 1}]}'
)
AXPY = '{"kernel": "axpy", "grid": [3], "block": [4, 1, 1], "cluster": 1, "shared": 0,' \
    ' "arguments": ["u32:10", "f32:2.0", "f32[10]=arange", "f32[2x5]=ones -> out"]}'  # fmt: skip
LAUNCH_TEXT = "axpy<<<3, 4x1, 0>>>(u32:10, f32:-1e3, f32[10]=random:7, f32[2x5]=full:3 -> out)"


@functools.lru_cache
def mlir(source, *folders):
    """Parts of the MLIR files of the repository, without comments."""
    texts = []
    for folder in folders or ("test", "examples"):
        for path in sorted(pathlib.Path(source, folder).rglob("*.mlir")):
            for part in SPLIT.split(path.read_bytes()):
                text = COMMENT.sub(b"", part).strip() + b"\n"
                if 20 < len(text) < MOST_BYTES:
                    texts.append(text)
    return texts


@functools.lru_cache
def ptx(source, build):
    """(text, launch) pairs."""
    axpy = pathlib.Path(source, "test/Python/Inputs/axpy.ptx").read_bytes()
    pairs = [(axpy, AXPY.encode())]
    for path in sorted(pathlib.Path(source, "test/Unit/Emulator/Inputs").glob("*.ptx")):
        pairs.append((path.read_bytes(), AXPY.encode()))
    for einsum, sizes in EINSUMS[:5]:
        pairs.append(_compile(build, einsum, sizes))
    return [pair for pair in pairs if len(pair[0]) < 60000]


def _compile(build, einsum, sizes):
    """The PTX of an einsum with its last launch."""
    problem = [f"--einsum={einsum}", f"--sizes={sizes}"]
    compiling = [f"{build}/bin/tc-compile", *problem, "--emit=ptx", "-o", "-"]
    text = subprocess.run(compiling, check=True, capture_output=True)
    counting = [f"{build}/bin/tc-run", *problem, "--count", "--report=json"]
    report = json.loads(subprocess.run(counting, check=True, capture_output=True).stdout)
    launch = report["counted"][-1]
    arguments = []
    for pointer in launch["arguments"]:
        shape = [64]
        if "argument" in pointer:
            shape = report["arguments"][pointer["argument"]]["shape"] or [1]
        arguments.append(f"f32[{'x'.join(map(str, shape))}]=ones")
    described = {
        "kernel": launch["kernel"],
        "grid": launch["grid"],
        "block": launch["block"],
        "shared": launch["dynamic_shared_bytes"],
        "arguments": arguments,
    }
    return text.stdout, json.dumps(described).encode()


@functools.lru_cache
def manifest(tools):
    """The manifest of a package."""
    command = [sys.executable, f"{tools.source}/scripts/soak/load_manifest.py", "--make", "right"]
    with tools.temporary() as folder:
        subprocess.run(command, check=True, cwd=folder, env=tools.environment())
        return pathlib.Path(folder, "right").read_bytes()


def array_file(shape, dtype="f4", fortran=False):
    """A .npy file of whole numbers."""
    array = numpy.arange(int(numpy.prod(shape))).reshape(shape).astype(dtype)
    file = io.BytesIO()
    numpy.save(file, numpy.asfortranarray(array) if fortran else array)
    return file.getvalue()
