"""Measures kernels on a GPU: the parts of benchmarks/gpu/run.

Nothing here needs more than a CUDA driver (or the emulator's library of that
interface), Python and NumPy.
"""

import os
import sys

try:
    import numpy  # noqa: F401
except ModuleNotFoundError as error:
    text = f"expected the Python module '{error.name}', found none for {sys.executable}"
    print(f"{os.path.basename(sys.argv[0])}: error: {text}", file=sys.stderr)
    sys.exit(2)
