"""What an array says of itself in `__cuda_array_interface__`, which anybody may write."""

from __future__ import annotations

from typing import Any, Callable


def read(array: Any) -> dict[str, Any]:
    """The interface. Raises TypeError where a field is not what the protocol has."""
    interface = array.__cuda_array_interface__
    if not isinstance(interface, dict):
        raise TypeError(f"expected __cuda_array_interface__ to be a dict, got {interface!r}")
    for name, (what, fits) in _FIELDS.items():
        value = interface.get(name)
        if not fits(value):
            raise TypeError(
                f"expected {what} as {name!r} in __cuda_array_interface__, got {value!r}"
            )
    return interface


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) or hasattr(value, "__index__")


def _is_shape(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(_is_integer(e) and 0 <= e < 2**63 for e in value)


def _is_strides(value: Any) -> bool:
    is_some = isinstance(value, (tuple, list)) and all(map(_is_integer, value))
    return value is None or is_some


def _is_data(value: Any) -> bool:
    is_pair = isinstance(value, (tuple, list)) and len(value) == 2
    return is_pair and _is_integer(value[0]) and 0 <= value[0] < 2**64


_FIELDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "shape": ("extents of at least 0, below 2^63,", _is_shape),
    "typestr": ("a type such as '<f4'", lambda value: isinstance(value, str)),
    "data": ("a pointer and whether it is read-only", _is_data),
    "strides": ("None, or strides in bytes,", _is_strides),
}
