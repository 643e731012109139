#!/usr/bin/env python3
"""Takes ptxas out of NVIDIA's Python package: WHEEL_DIR BIN_DIR."""

import pathlib
import sys
import zipfile


def unpack(wheel_dir, bin_dir):
    for wheel in sorted(pathlib.Path(wheel_dir).glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith("/bin/ptxas"):
                    target = pathlib.Path(bin_dir, "ptxas")
                    target.write_bytes(archive.read(name))
                    target.chmod(0o755)
                    return True
    return False


if __name__ == "__main__":
    sys.exit(0 if unpack(*sys.argv[1:]) else f"no bin/ptxas in {sys.argv[1]}")
