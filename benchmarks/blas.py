"""Which BLAS this process's NumPy multiplies with, and how many threads it takes.

NumPy says what it was built against, not what runs: Debian's is built against the
reference BLAS and takes whatever libblas.so.3 is. So the library is looked for
among those that are loaded."""

import ctypes
import os
import re

# Any of these is read by some BLAS when it is loaded.
THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS",
)  # fmt: skip
# What a loaded library's path says about its kind, most certain first.
_KINDS = (
    ("OpenBLAS", re.compile(r"openblas", re.I)),
    ("MKL", re.compile(r"mkl_(rt|core|intel)", re.I)),
    ("BLIS", re.compile(r"blis", re.I)),
    ("ATLAS", re.compile(r"atlas", re.I)),
    ("reference", re.compile(r"/libblas\.so")),
)
_PREFIXES, _SUFFIXES = ("scipy_openblas", "openblas"), ("64_", "")


def request_threads(count):
    """Asks any BLAS for `count` threads; only before NumPy is imported."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(count)


def find_blas():
    """(kind, description, path) of the BLAS that is loaded. `kind` is "unknown" and
    the path None when none is recognised. NumPy has to be imported."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        fields = (line.split(maxsplit=5) for line in file)
        paths = sorted({f[5].strip() for f in fields if len(f) == 6 and f[5].startswith("/")})
    kind, path = classify(paths)
    return kind, _describe(kind, path), path


def classify(paths):
    """(kind, path) of the BLAS among the paths of loaded libraries."""
    for kind, pattern in _KINDS:
        for path in paths:
            if pattern.search(path):
                return kind, path
    return "unknown", None


def threads(path):
    """How many threads the OpenBLAS at `path` takes; None for what cannot be asked."""
    get = _openblas_function(path, "get_num_threads") if path else None
    return get() if get else None


def _openblas_function(path, name):
    library = ctypes.CDLL(path)
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            function = getattr(library, f"{prefix}_{name}{suffix}", None)
            if function:
                return function
    return None


def _describe(kind, path):
    config = _openblas_function(path, "get_config") if kind == "OpenBLAS" else None
    if config:
        core = _openblas_function(path, "get_corename")
        config.restype = core.restype = ctypes.c_char_p
        return f"{' '.join(config().decode().split())}, kernels for {core().decode()}"
    if kind == "unknown":
        return "a BLAS that is not recognised"
    if kind == "reference":
        return f"reference BLAS ({os.path.basename(path)})"
    return f"{kind} ({os.path.basename(path)})"
