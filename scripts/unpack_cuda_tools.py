#!/usr/bin/env python3
"""Takes CUDA's compiler out of NVIDIA's Python packages: WHEEL_DIR CUDA_DIR."""

import pathlib
import stat
import sys
import zipfile

NEEDED = ("bin/ptxas", "bin/fatbinary", "bin/nvcc", "bin/cudafe++", "nvvm/bin/cicc")
FOLDERS = ("bin", "nvvm", "include")
# Large, and of no use where nothing is linked.
UNUSED = ("bin/nvlink",)


def unpack(wheel_dir, cuda_dir):
    """The names of the programs that were found."""
    found = set()
    for wheel in sorted(pathlib.Path(wheel_dir).glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                # nvidia/cu13/bin/ptxas
                parts = pathlib.PurePosixPath(entry.filename).parts[2:]
                name = "/".join(parts)
                if entry.is_dir() or not parts or parts[0] not in FOLDERS:
                    continue
                if name in UNUSED or ".." in parts:
                    continue
                target = pathlib.Path(cuda_dir, *parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(entry))
                if "bin" in parts[:-1]:
                    target.chmod(target.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP)
                found.add(name)
    return found


if __name__ == "__main__":
    missing = set(NEEDED) - unpack(*sys.argv[1:])
    sys.exit(f"not in {sys.argv[1]}: {', '.join(sorted(missing))}" if missing else 0)
