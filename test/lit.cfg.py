"""How lit finds and runs the tests in this folder.

Parameters: `tests=fast|slow|all` (default all) selects by the line
`REQUIRES: slow`; tests that are not selected are not counted at all.

Features: `slow` always; `compiler` unless the emulator was built alone; `ptxas` and `nvcc` when CUDA's assembler and compiler are
found; `chromium` when a browser without a window is; `qemu-aarch64` with a compiler for that architecture; `pkg-config`, `rustc` and `zsh` when that tool, Rust's compiler and that shell are; `cuda-device` when TC_TEST_CUDA=1 is set and the driver reports a device;
`jax`, `matplotlib` and `pytest` when Python has them; `wheels` when `./dev` has fetched what `pip install .` needs; `torch` and `tvm-ffi` when there is a Python with PyTorch, and with TVM-FFI.
"""

import importlib.util
import os
import shutil
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.tc_source_dir, "test"))
import tc_lit  # noqa: E402  (this folder's own module)

config.name = "tc"
config.test_format = tc_lit.SelectiveShTest(
    execute_external=False, tests=lit_config.params.get("tests", "all")
)
config.suffixes = [".mlir", ".ptx", ".test", ".py"]
config.excludes = ["Inputs", "Unit", "lit.cfg.py", "lit.site.cfg.py", "tc_lit.py"]
if config.has_compiler:
    config.available_features.add("compiler")
else:  # The emulator alone: its own tests, but for those of programs in MLIR.
    config.suffixes.remove(".mlir")
    tests = os.path.join(config.tc_source_dir, "test")
    config.excludes += [name for name in os.listdir(tests) if name != "Emulator"]
config.test_source_root = os.path.join(config.tc_source_dir, "test")
config.test_exec_root = os.path.join(config.tc_build_dir, "test")

cuda_tools = tc_lit.set_environment(config)
config.substitutions += [
    ("%tc_source", config.tc_source_dir),
    ("%tc_build", config.tc_build_dir),
    ("%tc_libs", os.path.join(config.tc_build_dir, "lib")),
    ("%mlir_libs", config.llvm_lib_dir),
    ("%cxx", config.cxx_compiler),
    ("%cc", config.c_compiler),
    ("%python", config.python_executable),
]
for feature, module, variable in (
    ("torch", "torch", "TC_TORCH_PYTHON"),
    ("tvm-ffi", "tvm_ffi", "TC_TVM_FFI_PYTHON"),
):
    python = tc_lit.find_python(module, variable, config.python_executable)
    config.substitutions.insert(0, (f"%{module}_python", python or "false"))
    if python:
        config.available_features.add(feature)

# Programs before and after passes, run on the CPU, and the passes up to gpu.
config.substitutions += [
    (
        "%check_phases",
        f"{config.python_executable} {config.test_source_root}/Phases/Inputs/compare.py"
        f" --libraries={config.llvm_lib_dir}",
    ),
    (
        "%phases",
        "convert-linalg-to-tc tc-normalize tc-schedule tc-split tc-tile tc-bind tc-promote"
        " tc-map tc-sync tc-lower-microkernel",
    ),
]

# The same of par/seq programs, and their PTX on the emulator in adversarial orders.
config.substitutions += [
    (
        f"%{name}",
        f"{config.python_executable}"
        f" {config.test_source_root}/Programs/Inputs/{name}.py"
        f" --libraries={config.llvm_lib_dir}"
        " --passes='tc-lower-with tc-serialize-host convert-scf-to-tc tc-check-nests tc-fuse-nests tc-flatten tc-bind tc-lower-reductions"
        " tc-cache tc-promote tc-unroll tc-map tc-sync tc-lower-microkernel'",
    )
    for name in ("run_program", "check_random_nests", "check_random_scripts")
]
config.substitutions.append(
    (
        "%check_random_graphs",
        f"{config.python_executable} {config.test_source_root}/Programs/Inputs/check_random_graphs.py",
    )
)

config.available_features.add("slow")
config.available_features.update(cuda_tools)
config.available_features.update(tool for tool in ("pkg-config", "rustc", "zsh") if shutil.which(tool))
if shutil.which("chromium-headless-shell") or shutil.which("chromium"):
    config.available_features.add("chromium")
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-g++"):
    config.available_features.add("qemu-aarch64")
for module in ("jax", "jsonschema", "matplotlib", "pytest"):
    if importlib.util.find_spec(module):
        config.available_features.add(module)
if tc_lit.has_wheels(config.tc_build_dir, config.python_executable):
    config.available_features.add("wheels")
if os.environ.get("TC_TEST_CUDA") == "1" and tc_lit.has_cuda_device():
    config.available_features.add("cuda-device")
