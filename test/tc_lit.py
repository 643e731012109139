"""What lit.cfg.py needs as a module: lit pickles test formats by their module."""

import ctypes
import glob
import os
import re
import shutil
import subprocess

import lit.formats

# Each is a feature of the tests where it is found.
CUDA_TOOLS = ("ptxas", "nvcc")
_SLOW = re.compile(rb"REQUIRES:.*\bslow\b")


def is_slow(path):
    """Whether the test at `path` has `slow` in a REQUIRES line."""
    with open(path, "rb") as file:
        return _SLOW.search(file.read()) is not None


class SelectiveShTest(lit.formats.ShTest):
    """ShTest over the fast tests, the slow ones, or all."""

    def __init__(self, execute_external, tests):
        super().__init__(execute_external)
        if tests not in ("fast", "slow", "all"):
            raise ValueError(f"expected tests=fast|slow|all, got tests={tests}")
        self.tests = tests

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        for test in super().getTestsInDirectory(
            suite, path_in_suite, lit_config, local_config
        ):
            if self.tests == "all":
                yield test
            elif is_slow(test.getSourcePath()) == (self.tests == "slow"):
                yield test


def find_cuda_tool(name, build_dir):
    """The path of a program of CUDA, or None. `./dev` may have put CUDA's compiler into
    the build folder; CUDA's own places come first."""
    on_path = shutil.which(name)
    if on_path:
        return on_path
    places = [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")]
    places += sorted(glob.glob("/usr/local/cuda*/bin"), reverse=True)
    places += [os.path.join(build_dir, "cuda", "bin")]
    for place in places:
        candidate = os.path.join(place, name)
        if os.access(candidate, os.X_OK):
            return candidate
    return None


def set_environment(config):
    """Gives the tests of a suite the tools of the build on PATH, and those variables
    of the caller that mean something to them. Returns which of CUDA's programs there
    are."""
    found = {name: find_cuda_tool(name, config.tc_build_dir) for name in CUDA_TOOLS}
    path = [os.path.join(config.tc_build_dir, "bin"), config.llvm_tools_dir]
    path += sorted({os.path.dirname(tool) for tool in found.values() if tool})
    config.environment["PATH"] = os.pathsep.join(path + [os.environ["PATH"]])
    for name in ("CUDA_HOME", "LD_LIBRARY_PATH", "TC_TEST_CUDA", "TC_TEST_SEED"):
        if name in os.environ:
            config.environment[name] = os.environ[name]
    # MLIR looks for libdevice by CUDA_HOME, or in one place.
    if "CUDA_HOME" not in os.environ and found["ptxas"] and not os.path.exists("/usr/local/cuda"):
        config.environment["CUDA_HOME"] = os.path.dirname(os.path.dirname(found["ptxas"]))
    return [name for name, tool in found.items() if tool]


def find_python(module, variable, default):
    """The Python that `variable` of the environment names, else `default` where it has
    the module, else None. Modules are looked for, not imported: PyTorch takes seconds."""
    chosen = os.environ.get(variable)
    return chosen or (default if _has_module(default, module) else None)


def has_wheels(build_dir, python):
    """Whether `./dev` has fetched what builds a wheel, and Python can make a venv."""
    fetched = glob.glob(os.path.join(build_dir, "wheels", "scikit_build_core-*.whl"))
    return bool(fetched) and _has_module(python, "ensurepip")


def _has_module(python, name):
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is None)"
    return subprocess.run([python, "-c", look], check=False).returncode == 0


def has_cuda_device():
    """Whether the CUDA driver can be opened and reports at least one device."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return (
        cuda.cuInit(0) == 0
        and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )
