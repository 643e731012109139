"""Packages on disk: the manifest, and whether the files are those that it lists.

Manifests are read as what somebody may have edited or cut short. What a function takes is
compared with what its library says (`compare`), since a call goes by it.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import tempfile
from typing import Any

from . import _tools
from ._errors import Error

MANIFEST = "manifest.json"
_MOST_BYTES = 1 << 28  # of a manifest; those of thousands of kernels have less

# What Python looks at. A key's value is a type, a list of one kind, or an object.
_TEXT, _HASH, _NAME = "text", "a SHA-256 in hexadecimal", "a name as C has them"
_PATTERNS = {_TEXT: r"(?s).*", _HASH: r"[0-9a-f]{64}", _NAME: r"[A-Za-z_][A-Za-z0-9_]*"}
_VARIANT = {"chip": _TEXT, "schedules": [_TEXT], "images": [{"ptx": _TEXT}]}
_ENTRY = {"name": _NAME, "symbol": _NAME, "input": {}, "variants": [_VARIANT]}
_SHAPE = {"package": _NAME, "host": {}, "files": {}, "entries": [_ENTRY]}


class _Unexpected(Exception):
    """What is wrong with a manifest, with the field."""


def read(folder: pathlib.Path) -> dict[str, Any]:
    """The manifest of a package. Raises Error where there is none, or it is damaged."""
    path = folder / MANIFEST
    try:
        if not path.is_file():
            raise _Unexpected("expected a file, found none")
        if path.stat().st_size > _MOST_BYTES:
            raise _Unexpected(f"expected at most {_MOST_BYTES} bytes, got {path.stat().st_size}")
        manifest = json.loads(path.read_text(encoding="utf-8"))
        _check(manifest, _SHAPE, "")
        _check_files(manifest)
    except RecursionError:
        why = "expected JSON, got brackets that are nested too deep"
    except (OSError, ValueError, MemoryError, _Unexpected) as error:
        why = str(error) or type(error).__name__
    else:
        return manifest
    raise Error(f"expected a package of tc-compile in {folder}: {MANIFEST}: {why}")


def _check(value: Any, wanted: Any, where: str) -> None:
    if isinstance(wanted, str):
        if not isinstance(value, str) or re.fullmatch(_PATTERNS[wanted], value) is None:
            raise _Unexpected(f"{where}: expected {wanted}, got {_text(value)}")
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            raise _Unexpected(f"{where}: expected a list, got {_text(value)}")
        for number, one in enumerate(value):
            _check(one, wanted[0], f"{where}[{number}]")
    else:
        if not isinstance(value, dict):
            raise _Unexpected(f"{where or 'all of it'}: expected an object, got {_text(value)}")
        for key, kind in wanted.items():
            field = f"{where}.{key}" if where else key
            if key not in value:
                raise _Unexpected(f"{field}: expected it to be there")
            _check(value[key], kind, field)


def _check_files(manifest: dict[str, Any]) -> None:
    for path, digest in manifest["files"].items():
        parts = path.split("/")
        if "\0" in path or any(part in ("", ".", "..") for part in parts) or path == MANIFEST:
            raise _Unexpected(f"files: expected paths inside of the package, got {path!r}")
        _check(digest, _HASH, f"files[{path!r}]")
    if not manifest["entries"]:
        raise _Unexpected("entries: expected one or more, got none")
    for entry in manifest["entries"]:
        for variant in entry["variants"]:
            for image in variant["images"]:
                if image["ptx"] not in manifest["files"]:
                    raise _Unexpected(f"expected {image['ptx']!r} among files, as an image has it")


def _text(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def compare(folder: pathlib.Path, number: int, entry: dict[str, Any], own: Any) -> None:
    """Raises Error where an entry of the manifest is not what its library says of itself."""
    if not isinstance(own, dict):
        raise Error(f"expected the library of {folder} to describe its functions, got {_text(own)}")
    for key, value in own.items():
        _compare(folder, f"entries[{number}].{key}", entry.get(key), value)


def _compare(folder: pathlib.Path, where: str, got: Any, wanted: Any) -> None:
    if isinstance(got, dict) and isinstance(wanted, dict):
        for key in (*wanted, *(key for key in got if key not in wanted)):
            _compare(folder, f"{where}.{key}", got.get(key), wanted.get(key))
    elif isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        for number, pair in enumerate(zip(got, wanted)):
            _compare(folder, f"{where}[{number}]", *pair)
    elif type(got) is not type(wanted) or got != wanted:
        raise Error(
            f"{folder / MANIFEST}: {where}: expected {_text(wanted)}, as its library has it, "
            f"got {_text(got)}"
        )


def verify_files(folder: pathlib.Path, manifest: dict[str, Any]) -> None:
    """Raises Error where a file is not there, or is not the one that was written."""
    for name, digest in manifest["files"].items():
        path = folder / name
        try:
            got = _tools.hash_file(str(path)) if path.is_file() else "no file"
        except OSError as error:
            got = str(error)
        if got != digest:
            raise Error(f"{path}: expected a file of SHA-256 {digest}, as {MANIFEST} says, got {got}")


# ------------------------------------------------------------------------------
# Written
# ------------------------------------------------------------------------------


def copy(source: pathlib.Path, manifest: dict[str, Any], target: pathlib.Path) -> None:
    """Makes `target` a copy of a package, whole or not at all. A symbolic link stays one,
    and the copy is where it leads.

    Raises Error where something is there that is neither an empty folder nor a package as
    it was written: what is in that is taken away, and nothing else ever is.
    """
    if target.is_symlink() and target.exists():
        target = target.resolve()
    _check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    fresh, old = work / "new", work / "old"
    try:
        for name in (*manifest["files"], MANIFEST):
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, fresh / name)
        verify_files(fresh, manifest)
        _check_target(target)
        _exchange(target, fresh, old)
        _remove(old)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            work.rmdir()
        except OSError:
            raise Error(f"{old} was kept: it has what was not there when it was replaced") from None


def _check_target(target: pathlib.Path) -> None:
    """Raises Error unless the folder may be replaced."""
    wanted = f"expected {target} to be a package, an empty folder, or nothing"
    if target.is_symlink():
        raise Error(f"{wanted}, got a symbolic link to nothing")
    if not target.exists():
        return
    if not target.is_dir():
        raise Error(f"{wanted}, got a file")
    found = _list(target)
    if not found:
        return
    try:
        manifest = read(target)
        verify_files(target, manifest)
    except Error as error:
        raise Error(f"{wanted}; {error}") from None
    known = {MANIFEST, *manifest["files"]}
    known |= {str(parent) for name in known for parent in pathlib.PurePosixPath(name).parents}
    for name in found:
        if name not in known or (target / name).is_symlink():
            raise Error(f"{wanted}, got one that has {name!r}, which its {MANIFEST} does not list")


def _list(folder: pathlib.Path) -> list[str]:
    """All that is in a folder and in those below, which links are not."""
    found = []
    for root, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(root, name), folder) for name in folders + files]
    return sorted(found)


def _exchange(target: pathlib.Path, fresh: pathlib.Path, old: pathlib.Path) -> None:
    was_there = target.exists()
    if was_there:
        os.rename(target, old)
    try:
        os.rename(fresh, target)
    except OSError:
        if was_there:
            os.rename(old, target)
        raise


def _remove(old: pathlib.Path) -> None:
    """Removes the files of a package that has been replaced, and the folders that they
    leave empty."""
    if not old.exists():
        return
    if (old / MANIFEST).exists():
        for name in (*read(old)["files"], MANIFEST):
            (old / name).unlink()
    for root, _, _ in os.walk(old, topdown=False):
        if not os.listdir(root):
            os.rmdir(root)
