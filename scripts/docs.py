#!/usr/bin/env python3
"""Makes the reference pages: from TableGen, with every example run, and from the schemas
that the tools print.

A line `Example: test/Docs/NAME.mlir.` in a description becomes the test's input, its
command, and what the command prints now. Pages are written to the output folder
and never committed."""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

import schema_page

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")
EXAMPLE = re.compile(r"^\s*Example: `?(test/Docs/[\w.-]+\.mlir)`?\.?\s*$", re.M)
DIRECTIVE = re.compile(r"^\s*// *(RUN|REQUIRES|UNSUPPORTED|XFAIL|[A-Z0-9-]*CHECK[A-Z0-9-]*):")

INDEX = """# Reference

Made from the sources by `./dev docs`; each example was run to make its page.

"""


class Failure(Exception):
    """A page that cannot be made, and why."""


def read_example(path):
    """(command, input): the first RUN line up to FileCheck, and the text without
    the lines that are for lit and FileCheck."""
    if not path.exists():
        raise Failure(f"{path}: expected the example to exist")
    runs, kept = [], []
    for line in path.read_text().splitlines():
        if run := re.match(r"^\s*// *RUN: *(.*)", line):
            runs.append(run.group(1))
        elif not DIRECTIVE.match(line):
            kept.append(line)
    command = re.split(r"(?<!\\)\n", "\n".join(runs))[0] if runs else ""
    command = re.split(r"\|\s*FileCheck", command.replace("\\\n", " "))[0]
    if "%s" not in command:
        raise Failure(f"{path}: expected a RUN line that reads %s")
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return " ".join(command.split()), text


def run_example(path, command, build):
    """What `command` prints for the file at `path`."""
    environment = dict(os.environ)
    places = [str(build / "bin"), str(LLVM / "bin"), environment["PATH"]]
    environment["PATH"] = os.pathsep.join(places)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("%s", shlex.quote(str(path)))],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        raise Failure(f"{path}: '{command}' failed:\n{done.stderr}")
    return done.stdout.strip()


def inline_examples(page, build):
    """The page with every `Example:` line replaced by the example itself."""

    def replace(match):
        path = ROOT / match.group(1)
        command, text = read_example(path)
        output = run_example(path, command, build)
        shown = command.replace("%s", path.name)
        return (
            f"\n**Example** (`{match.group(1)}`)\n\n```mlir\n{text}\n```\n\n"
            f"`{shown}` prints\n\n```mlir\n{output}\n```\n"
        )

    return EXAMPLE.sub(replace, page)


def tablegen(source, *arguments):
    """What mlir-tblgen prints for a .td file."""
    program = LLVM / "bin" / "mlir-tblgen"
    includes = ["-I", str(ROOT / "include"), "-I", str(LLVM / "include")]
    done = subprocess.run(
        [program, str(source), *arguments, *includes], capture_output=True, text=True
    )
    if done.returncode:
        raise Failure(f"{source}: {done.stderr}")
    return re.sub(r"<!-- Auto.*?-->\n+|\[TOC\]\n+", "", done.stdout)


def pages(build):
    """(file name, title, text) of each page."""
    text = tablegen(
        ROOT / "include/tc/IR/TCOps.td", "-gen-dialect-doc", "-dialect=tc"
    )
    yield "Dialect.md", "The dialect `tc`", inline_examples(text, build)
    text = "# Steps of transform scripts\n\n" + tablegen(
        ROOT / "include/tc/TransformOps/NestTransformOps.td", "-gen-op-doc"
    )
    yield "Steps.md", "Steps of transform scripts", inline_examples(text, build)
    for source in sorted(ROOT.glob("include/tc/*/Passes.td")):
        layer = source.parent.name
        text = f"# Passes of {layer}\n\n" + tablegen(source, "-gen-pass-doc")
        yield f"{layer}Passes.md", f"Passes of {layer}", inline_examples(text, build)
    yield "Schemas.md", "Documents in JSON", schema_page.make_page(build / "bin/tc-compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--output", default="build/docs", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    index = INDEX
    try:
        for name, title, text in pages(arguments.build.resolve()):
            (arguments.output / name).write_text(text)
            print(arguments.output / name)
            index += f"- [{title}]({name})\n"
    except Failure as failure:
        return f"docs: error: {failure}"
    (arguments.output / "index.md").write_text(index)
    return 0


if __name__ == "__main__":
    sys.exit(main())
