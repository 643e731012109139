"""What there is to say of a kernel: PTX, and the compiler's report."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from . import _tools
from ._errors import Error


def read_ptx(package: pathlib.Path, variant: dict[str, Any]) -> str:
    """The PTX text for one chip."""
    return "\n".join(
        (package / image["ptx"]).read_text(encoding="utf-8") for image in variant["images"]
    )


def make(entry: dict[str, Any], variant: dict[str, Any]) -> dict[str, Any]:
    """The report of the compiler on one chip's kernels."""
    if entry["input"]["einsum"] is None:
        raise Error(f"{entry['name']}: expected an einsum; a package does not keep other programs")
    arguments = [*_program(entry), f"--chip={variant['chip']}", "--report=json"]
    if len(variant["schedules"]) == 1:
        arguments.append(f"--schedule={variant['schedules'][0]}")
    else:
        arguments.append("--order=optimal")
    report, _ = _tools.run_compiler(arguments)
    return json.loads(report)


def without_chip(manifest: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """The same, of a kernel for the CPU alone: what the manifest knows."""
    program = {key: entry["input"][key] for key in ("einsum", "sizes", "dtype")}
    return {**program, "chip": None, "host": manifest["host"]}


def _program(entry: dict[str, Any]) -> list[str]:
    """The einsum of a package as arguments of tc-compile."""
    known = entry["input"]
    arguments = [
        f"--einsum={known['einsum']}",
        f"--dtype={known['dtype']}",
        f"--name={entry['name']}",
    ]
    if known.get("accumulate") is not None:
        arguments.append(f"--accumulate={known['accumulate']}")
    if known.get("precision") is not None:
        arguments.append(f"--precision={known['precision']}")
    if "?" in known["sizes"]:
        return [*arguments, f"--sizes={known['sizes']}"]
    views = [
        view or {"shape": argument["shape"]}
        for view, argument in zip(known["operands"], entry["arguments"])
    ]
    operands = {"inputs": views[:-1], "result": views[-1]}
    return [*arguments, f"--operands={json.dumps(operands)}"]
