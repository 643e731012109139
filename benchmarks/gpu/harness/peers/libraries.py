"""Finds NVIDIA's libraries: where the caller says, on the linker's path, in CUDA's
folders, in Python packages."""

import ctypes
import glob
import os
import sys

from ..contenders import Missing


# What a library needs, and does not say where to find.
_NEEDS = {"cublas": ["cublasLt"], "cutensor": ["cublasLt"]}


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


def _open_first(name, places):
    why = f"lib{name}.so is not found"
    for place in places:
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            if os.path.exists(place):  # It is there, and something else is not.
                why = str(error)
    raise Missing(why)


def open_library(name, libraries):
    """lib`name`; raises Missing."""
    places = [os.path.abspath(libraries[name])] if name in libraries else list(_places(name))
    try:
        return _open_first(name, places)
    except Missing:
        for needed in _NEEDS.get(name, []):
            for place in _places(needed):  # All versions: one of them fits.
                try:
                    ctypes.CDLL(place, ctypes.RTLD_GLOBAL)
                except OSError:
                    continue
        return _open_first(name, places)


def get_function(library, name, *types):
    """A function that returns a status; raises Missing."""
    try:
        function = getattr(library, name)
    except AttributeError as error:
        raise Missing(f"the library has no {name}") from error
    function.argtypes, function.restype = types, ctypes.c_int
    return function
