"""Compiles every installed header by itself.

    check_headers.py COMPILER PREFIX MLIR_INCLUDE

C++ headers as C++17 with what find_package(TC) gives; headers of C interfaces, which
say `extern "C"`, as C11 with nothing but the prefix. Prints what does not compile, then
one line that counts."""

import concurrent.futures
import pathlib
import subprocess
import sys


def compile_header(compiler, prefix, mlir, header):
    """What the compiler says of a file that includes this header alone, twice."""
    if 'extern "C"' in (prefix / "include" / header).read_text():
        flags = ["-x", "c", "-std=c11", "-pedantic-errors"]
    else:
        flags = ["-x", "c++", "-std=c++17", "-isystem", mlir]
    text = f'#include "{header}"\n' * 2
    command = [compiler, "-fsyntax-only", "-Wall", "-Werror", *flags, f"-I{prefix}/include", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main(compiler, prefix, mlir):
    prefix = pathlib.Path(prefix)
    include = prefix / "include"
    headers = sorted(path.relative_to(include) for path in include.rglob("*.h"))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        messages = list(
            pool.map(lambda header: compile_header(compiler, prefix, mlir, header), headers)
        )
    for header, message in zip(headers, messages):
        if message:
            print(f"{header}: expected to compile by itself\n{message}")
    failed = sum(1 for message in messages if message)
    print(f"{len(headers)} headers, {failed} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
