#!/usr/bin/env python3
"""Takes ptxas and fatbinary out of NVIDIA's Python package: WHEEL_DIR BIN_DIR."""

import pathlib
import sys
import zipfile

TOOLS = ("ptxas", "fatbinary")


def unpack(wheel_dir, bin_dir):
    """The names of the tools that were found."""
    found = set()
    for wheel in sorted(pathlib.Path(wheel_dir).glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                tool = pathlib.PurePosixPath(name)
                if tool.parent.name == "bin" and tool.name in TOOLS:
                    target = pathlib.Path(bin_dir, tool.name)
                    target.write_bytes(archive.read(name))
                    target.chmod(0o755)
                    found.add(tool.name)
    return found


if __name__ == "__main__":
    missing = set(TOOLS) - unpack(*sys.argv[1:])
    sys.exit(f"not in {sys.argv[1]}: {', '.join(sorted(missing))}" if missing else 0)
