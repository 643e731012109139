"""Element types by their names here, in NumPy and in other libraries."""

from __future__ import annotations

from typing import Any

import numpy

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
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
ITEM_BYTES = {
    name: 1 if name == "i1" else int(name.lstrip("iubfc")) // 8 for name in NAMES.values()
}
_LONG = {name: long for long, name in NAMES.items()}
_BY_DTYPE = {numpy.dtype(long): name for long, name in NAMES.items() if long != "bfloat16"}


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
    """NumPy's type of that name. bf16 is that of ml_dtypes."""
    if name != "bf16":
        return numpy.dtype(_LONG[name])
    try:
        import ml_dtypes  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise TypeError("expected the package ml_dtypes, for NumPy arrays of bf16") from None
    return numpy.dtype(ml_dtypes.bfloat16)


def long_name(name: str) -> str:
    """The name that NumPy and most libraries have for it."""
    return _LONG[name]
