"""Finds NVIDIA's libraries: where the caller says, on the linker's path, in CUDA's
folders, in Python packages."""

import ctypes
import glob
import os
import sys

from ..contenders import Missing


def _places(name):
    yield f"lib{name}.so"
    for pattern in (
        f"/usr/local/cuda*/lib64/lib{name}.so*",
        f"/usr/lib/x86_64-linux-gnu/lib{name}.so*",
        f"/usr/lib/x86_64-linux-gnu/lib{name}/*/lib{name}.so*",
    ):
        yield from sorted(glob.glob(pattern), reverse=True)
    for folder in sys.path:
        for pattern in (f"nvidia/*/lib/lib{name}.so*", f"cutensor/lib/lib{name}.so*"):
            yield from sorted(glob.glob(os.path.join(folder, pattern)), reverse=True)


def open_library(name, libraries):
    """lib`name`; raises Missing."""
    if name in libraries:
        try:
            return ctypes.CDLL(libraries[name])
        except OSError as error:
            raise Missing(str(error)) from error
    for place in _places(name):
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    raise Missing(f"lib{name}.so is not found")


def get_function(library, name, *types):
    """A function that returns a status; raises Missing."""
    try:
        function = getattr(library, name)
    except AttributeError as error:
        raise Missing(f"the library has no {name}") from error
    function.argtypes, function.restype = types, ctypes.c_int
    return function
