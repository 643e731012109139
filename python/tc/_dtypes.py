"""Element types by their names here, in NumPy and in other libraries."""

from __future__ import annotations

from typing import Any

import numpy


def is_f8(name: str) -> bool:
    """Is it a float of 8 bits?"""
    return name.startswith("f8")


# The name in tc of each type, by NumPy's, which most libraries share.
NAMES = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
FLOATS = ("f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64")
# Those that NumPy does not have, but its extension ml_dtypes.
EXTENSIONS = ("f8e4m3", "f8e5m2", "bf16")
ITEM_BYTES = {
    name: 1 if name == "i1" or is_f8(name) else int(name.lstrip("iubfc")) // 8
    for name in NAMES.values()
}
_LONG = {name: long for long, name in NAMES.items()}
_BY_DTYPE = {
    numpy.dtype(long): name for long, name in NAMES.items() if name not in EXTENSIONS
}


def of_numpy(dtype: numpy.dtype) -> str:
    """The name of a NumPy type. Raises TypeError for one that tc does not have."""
    name = _BY_DTYPE.get(dtype) or (NAMES.get(dtype.name) if dtype.isnative else None)
    if name is None:
        raise TypeError(f"expected an element type of {', '.join(NAMES)}, got {dtype}")
    return name


def parse(value: Any) -> str:
    """The name of what a caller gives as a type: a name of tc's ("f32", "bf16"), a
    type or name of NumPy's, or a type of torch."""
    if isinstance(value, str) and value in ITEM_BYTES:
        return value
    text = value if isinstance(value, str) else str(value)
    name = NAMES.get(text.rpartition(".")[2])
    if name is not None:
        return name
    try:
        dtype = numpy.dtype(value)
    except TypeError:
        raise TypeError(f"expected an element type of {', '.join(NAMES)}, got {value}") from None
    return of_numpy(dtype)


def to_numpy(name: str) -> numpy.dtype:
    """NumPy's type of that name. bf16 and floats of 8 bits are those of ml_dtypes."""
    if name not in EXTENSIONS:
        return numpy.dtype(_LONG[name])
    try:
        import ml_dtypes  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise TypeError(f"expected the package ml_dtypes, for NumPy arrays of {name}") from None
    return numpy.dtype(getattr(ml_dtypes, _LONG[name]))


def long_name(name: str) -> str:
    """The name that NumPy and most libraries have for it."""
    return _LONG[name]
