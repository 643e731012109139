"""What the process keeps of what it found out: kernels by what they were compiled from, and
calls with nothing left to find out by the arrays that they are for."""

from __future__ import annotations

from typing import Any, Optional

__all__ = ["Recent", "recent"]


class Recent(dict[Any, Any]):
    """Values by keys, none of which is None; `recent[key]` is None where there is none.

    What is asked for at least once while `size` other values come in stays, and there are
    never more than twice `size`. The dictionary itself has the young values, so that what is
    in use is one look-up away; all that were not asked for go at once. Any threads may use
    it at once: what one of them loses it finds out again."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._old: dict[Any, Any] = {}

    def __missing__(self, key: Any) -> Optional[Any]:
        value = self._old.get(key)
        if value is not None:
            self[key] = value
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        if super().__len__() >= self._size:
            self._old = dict(self)
            super().clear()
        super().__setitem__(key, value)

    def __len__(self) -> int:
        return len(self.keys() | self._old.keys())

    def values(self) -> Any:
        return {**self._old, **self}.values()

    def clear(self) -> None:
        super().clear()
        self._old = {}


recent = Recent(4096)
