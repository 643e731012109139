"""Compiled packages, kept in a folder between runs.

An entry is a folder named by the hash of all that it depends on. It is made in a
folder of its own and then renamed, so that other threads and processes see all of it
or nothing; whoever comes second takes what is there. Files that are not what the
manifest says are made anew.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import platform
import shutil
import stat
import struct
import tempfile
import time
from functools import lru_cache
from typing import Any, Callable, Optional, Sequence, Union

from . import _package, _progress, _tools
from ._errors import Error, ToolError

_VERSION = 1  # of what an entry is
_ABANDONED = 24 * 3600  # seconds after which nobody can be compiling any more
_RUNTIME = ("lib/libtc-runtime.so", "lib/libtc-runtime.a")


def folder() -> pathlib.Path:
    """Where compiled kernels are kept: the environment's TC_CACHE_DIR, else `tc` in
    the user's cache folder. It may be deleted whenever nobody compiles."""
    chosen = os.environ.get("TC_CACHE_DIR")
    if chosen:
        return pathlib.Path(chosen).absolute()
    caches = os.environ.get("XDG_CACHE_HOME")
    if caches and os.path.isabs(caches):
        return pathlib.Path(caches) / "tc"
    return pathlib.Path.home() / ".cache" / "tc"


def find_or_make(
    arguments: list[str],
    progress: Optional[Callable[[str], None]] = None,
    files: Sequence[str] = (),
    tick: Callable[[], None] = _progress.tick,
) -> pathlib.Path:
    """The package that tc-compile makes of these arguments (all but `-o`). `progress` is
    called as "look up", "compile" and "load" begin; `files` are hashes of the files that
    the arguments name; `tick` is called while the compiler runs, which ends by what it
    raises."""
    say = progress or (lambda stage: None)
    say("look up")
    root = _writable(folder())
    entry = root / "kernels" / key_of(arguments, files)
    if not is_sound(entry / "package"):
        say("compile")
        with _progress.compiling(_name_of(arguments)):
            _make(root, entry, arguments, tick)
    say("load")
    return entry / "package"


def _name_of(arguments: list[str]) -> str:
    """What people call the kernel while they wait."""
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    chips = given.get("--chips", "none")
    return f"{given.get('--einsum')} for {'the CPU' if chips == 'none' else chips}"


def key_of(arguments: list[str], files: Sequence[str] = ()) -> str:
    """A hash of everything that the package depends on."""
    facts: list[Any] = [_VERSION, arguments, list(files), _tools.fingerprint(), _host()]
    if "--chips=none" not in arguments:
        names = ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH", "TC_LIBDEVICE")
        facts.append([_tools.which_ptxas(), *map(os.environ.get, names)])
    facts.append(os.environ.get("TC_LINKER"))
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def is_sound(package: pathlib.Path) -> bool:
    """Is there a package whose files are those of its manifest?"""
    try:
        _verify(package)
    except Error:
        return False
    return True


def _verify(package: pathlib.Path) -> None:
    """Raises Error for a package that is damaged, or that was written of damaged files: by
    a linker or an assembler, say, that found a disk full."""
    manifest = _package.read(package)
    for folder, _, names in os.walk(package.parent):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            stranger = _find_stranger(path)
            if stranger is not None:
                raise Error(f"expected {path} to be written by its user alone: {stranger}")
    _package.verify_files(package, manifest)
    if f"lib/lib{manifest['package']}.so" not in manifest["files"]:
        raise Error("expected a package with a shared library, got one without")
    for name in manifest["files"]:
        if name.endswith((".so", ".cubin")) and not _is_whole(package / name):
            raise Error(f"expected a whole ELF file as {name}, got a part of one")


def _is_whole(path: pathlib.Path) -> bool:
    """Has a 64-bit ELF file all of its headers? The table of sections is the last of it."""
    data = path.read_bytes()
    if len(data) < 64 or data[:5] != b"\x7fELF\x02":
        return False
    segments, sections = struct.unpack_from("<QQ", data, 0x20)
    segment_bytes, segment_count, section_bytes, section_count = struct.unpack_from("<4H", data, 0x36)
    ends = (segments + segment_bytes * segment_count, sections + section_bytes * section_count)
    return max(ends) <= len(data)


def _find_stranger(path: Union[str, pathlib.Path]) -> Optional[str]:
    """Who else may write a file or folder, whose libraries are executed; None: nobody but
    the user and root."""
    status = os.stat(path)
    if status.st_uid not in (os.geteuid(), 0):
        return f"it belongs to the user {status.st_uid}"
    return "anybody may write it" if status.st_mode & stat.S_IWOTH else None


@lru_cache(maxsize=1)
def _host() -> list[str]:
    """What --host-cpu=native goes by; the folder may belong to several machines."""
    facts = [platform.machine(), platform.processor()]
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        wanted = ("model name", "flags", "Features", "CPU part")
        facts += sorted({line.strip() for line in file if line.startswith(wanted)})
    return facts


def _make(
    root: pathlib.Path, entry: pathlib.Path, arguments: list[str], tick: Callable[[], None]
) -> None:
    (root / "kernels").mkdir(exist_ok=True)
    _sweep(root)
    work = pathlib.Path(tempfile.mkdtemp(prefix="new-", dir=root))
    try:
        fresh = work / "entry"
        fresh.mkdir()
        _, notes = _tools.run_compiler([*arguments, "-o", str(fresh / "package")], work, tick)
        try:
            _verify(fresh / "package")
        except Error as error:
            raise ToolError(f"tc-compile wrote no sound package: {error}\n{notes}".rstrip()) from None
        request = {"arguments": arguments, "notes": notes}
        (fresh / "request.json").write_text(json.dumps(request), encoding="utf-8")
        _share_runtime(root, fresh / "package")
        _put(fresh, entry, work / "old")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _sweep(root: pathlib.Path) -> None:
    """Removes what processes left that were ended while they compiled."""
    with contextlib.suppress(OSError):
        for path in root.glob("new-*"):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                shutil.rmtree(path, ignore_errors=True)


def _put(fresh: pathlib.Path, entry: pathlib.Path, old: pathlib.Path) -> None:
    """Renames `fresh` to `entry`, unless a sound one has come there meanwhile."""
    for _ in range(8):
        try:
            os.rename(fresh, entry)
            return
        except OSError:
            if is_sound(entry / "package"):
                return
        with contextlib.suppress(OSError):  # Another process may have been faster.
            os.rename(entry, old)
        shutil.rmtree(old, ignore_errors=True)
    raise Error(f"expected to make the folder {entry}; something keeps changing it")


def _share_runtime(root: pathlib.Path, package: pathlib.Path) -> None:
    """All packages have the same libtc-runtime: one file with many names."""
    shared = root / "runtime"
    shared.mkdir(exist_ok=True)
    for name in _RUNTIME:
        own = package / name
        with contextlib.suppress(OSError):  # It is only about space.
            data = own.read_bytes()
            common = shared / hashlib.sha256(data).hexdigest()
            if not common.exists():
                os.link(own, common)
            elif common.read_bytes() == data:
                linked = own.with_suffix(".linked")
                os.link(common, linked)
                os.replace(linked, own)
            else:
                common.unlink()


_private: Optional[pathlib.Path] = None


def _remove_private(path: pathlib.Path, owner: int) -> None:
    if os.getpid() == owner:  # And no child of it.
        shutil.rmtree(path, ignore_errors=True)


def _writable(root: pathlib.Path) -> pathlib.Path:
    """`root`, made where it is not there; a folder of this process where it cannot be, or
    where others may write it, since what is in it is executed."""
    global _private
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        why = "it cannot be written"
        if os.access(root, os.W_OK | os.X_OK):
            folders = [path for path in (root, root / "kernels", root / "runtime") if path.exists()]
            strangers = [one for one in map(_find_stranger, folders) if one is not None]
            if not strangers:
                return root
            why = strangers[0]
    except OSError as error:
        why = str(error)
    if _private is None:
        _private = pathlib.Path(tempfile.mkdtemp(prefix="tc-"))
        atexit.register(_remove_private, _private, os.getpid())
        _progress.logger.warning(
            "kernels are compiled for this process alone: expected a folder for them at %s (%s); "
            "TC_CACHE_DIR names another",
            root,
            why,
        )
    return _private
