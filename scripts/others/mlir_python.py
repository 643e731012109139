#!/usr/bin/env python3
"""Runs a Python script that builds programs with MLIR's bindings and executes them.

The bindings of MLIR 22 come in no package. Those of jaxlib build the same operations
(pip install jaxlib==0.8.0: later ones have other signatures than MLIR's tests use), but
neither lower nor execute them. The tools of a release of LLVM do that for the script, and
compile kernels to PTX text."""

import argparse
import ctypes
import importlib
import pathlib
import runpy
import subprocess
import sys
import tempfile
import types

DIALECTS = "arith builtin func gpu llvm memref nvgpu nvvm scf vector".split()
LOWERING = "gpu-lower-to-nvvm-pipeline{"


class Tools:
    """Lowers the text of modules, and makes shared libraries of what they become."""

    def __init__(self, arguments):
        self.bin = arguments.llvm / "bin"
        self.mend = arguments.mend
        self.lowered = {}  # by the text of the module before
        self.scratch = tempfile.TemporaryDirectory()
        self.libraries = 0  # made so far

    def run(self, *command, text):
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{command[0]}: exit status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def lower(self, text, pipeline):
        pipeline = pipeline.replace(LOWERING, LOWERING + "cubin-format=isa ")
        lowered = self.run(self.bin / "mlir-opt", f"--pass-pipeline={pipeline}", text=text)
        self.lowered[text] = self.run("bash", "-c", self.mend, text=lowered)

    def make_library(self, text, level):
        """The path of a library with the functions of a module that was lowered."""
        translate = (self.bin / "mlir-translate", "--mlir-to-llvmir")
        code = self.run(*translate, text=self.lowered[text])
        self.libraries += 1
        path = f"{self.scratch.name}/{self.libraries}.so"
        options = (f"-O{level}", "-shared", "-fPIC", "-x", "ir", "-", "-o", path)
        self.run(self.bin / "clang", "-Wno-override-module", *options, text=code)
        return path


def make_pass_manager(tools):
    class PassManager:
        """mlir.passmanager.PassManager. The module itself stays as it is."""

        def __init__(self, pipeline):
            self.pipeline = pipeline

        @classmethod
        def parse(cls, pipeline):
            return cls(pipeline)

        def run(self, operation):
            tools.lower(str(operation), self.pipeline)

    return PassManager


def make_execution_engine(tools):
    class ExecutionEngine:
        """mlir.execution_engine.ExecutionEngine, of a module that was lowered."""

        def __init__(self, module, opt_level=2, shared_libs=()):
            for path in shared_libs:
                ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
            self.library = ctypes.CDLL(tools.make_library(str(module.operation), opt_level))

        def invoke(self, name, *arguments):
            """Each argument is the address of a pointer to a descriptor."""
            getattr(self.library, f"_mlir_ciface_{name}")(*(one.contents for one in arguments))

    return ExecutionEngine


def get_ranked_memref_descriptor(array):
    """mlir.runtime's: a descriptor of an array of NumPy, which has to live as long."""

    class Descriptor(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("shape", ctypes.c_int64 * array.ndim),
            ("strides", ctypes.c_int64 * array.ndim),
        ]

    strides = (stride // array.itemsize for stride in array.strides)
    return Descriptor(array.ctypes.data, array.ctypes.data, 0, array.shape, tuple(strides))


def make_context(ir):
    """The Context of bindings that load the dialects of jaxlib only when asked to."""
    extension = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
    registry = ir.DialectRegistry()
    extension.register_dialects(registry)

    class Context(ir.Context):
        def __init__(self):
            super().__init__()
            self.append_dialect_registry(registry)
            self.load_all_available_dialects()

    return Context


def make_types(ir):
    """Names of mlir.extras.types that jaxlib 0.8.0 lacks."""
    integers = {"bool": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
    made = {
        name: lambda width=width: ir.IntegerType.get_signless(width)
        for name, width in integers.items()
    }
    floats = {"f16": ir.F16Type, "bf16": ir.BF16Type, "f32": ir.F32Type, "f64": ir.F64Type}
    return made | {name: kind.get for name, kind in (floats | {"index": ir.IndexType}).items()}


def make_module(name, **contents):
    module = types.ModuleType(name)
    module.__path__ = []
    vars(module).update(contents)
    sys.modules[name] = module
    return module


def install(tools):
    """Makes `import mlir` find these modules."""
    ir = importlib.import_module("jaxlib.mlir.ir")
    dialects = {name: importlib.import_module(f"jaxlib.mlir.dialects.{name}") for name in DIALECTS}
    ir.Context = make_context(ir)
    contents = {
        "ir": ir,
        "dialects": make_module("mlir.dialects", **dialects),
        "extras": make_module(
            "mlir.extras", types=make_module("mlir.extras.types", **make_types(ir))
        ),
        "passmanager": make_module("mlir.passmanager", PassManager=make_pass_manager(tools)),
        "execution_engine": make_module(
            "mlir.execution_engine", ExecutionEngine=make_execution_engine(tools)
        ),
        "runtime": make_module(
            "mlir.runtime", get_ranked_memref_descriptor=get_ranked_memref_descriptor
        ),
    }
    make_module("mlir", **contents)
    sys.modules["mlir.ir"] = ir


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", type=pathlib.Path)
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22")
    parser.add_argument("--mend", default="cat", help="a filter for lowered modules")
    arguments = parser.parse_args()
    install(Tools(arguments))
    sys.path.insert(0, str(arguments.script.parent))
    runpy.run_path(str(arguments.script), run_name="__main__")


if __name__ == "__main__":
    main()
