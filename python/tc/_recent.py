"""What the process keeps of what it found out: kernels by what they were compiled from, and
calls with nothing left to find out by the arrays that they are for."""

from __future__ import annotations

from typing import Any, Optional

__all__ = ["Recent", "recent"]


class Recent:
    """Values by keys. What is asked for at least once while `size` other values come in
    stays; there are never more than twice `size`. Any threads may use it at once: what one
    of them loses it finds out again."""

    __slots__ = ("_size", "_young", "_old")

    def __init__(self, size: int) -> None:
        self._size = size
        self.clear()

    def clear(self) -> None:
        self._young: dict[Any, Any] = {}
        self._old: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Any) -> Optional[Any]:
        """The value, which is never None; None where there is none."""
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: Any, value: Any) -> None:
        # One look-up finds what is in use, and all that is not goes at once: to order single
        # values by their last use would cost each call more.
        if len(self._young) >= self._size:
            self._old, self._young = self._young, {}
        self._young[key] = value


recent = Recent(4096)
