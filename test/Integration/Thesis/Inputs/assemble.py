"""Assembles every kernel of the gpu.binary ops on standard input with `ptxas -v`.

Prints what ptxas says of each: registers, spills, shared memory. Fails when there is
no kernel, or when one does not assemble."""

import re
import subprocess
import sys

BINARY = re.compile(
    r'gpu\.binary @"?(\w+)"? .*?chip = "(\w+)".*?assembly = "((?:[^"\\]|\\.)*)"'
)


def unescape(text):
    """MLIR writes a backslash and two hex digits for what is not printable."""
    return re.sub(
        r"\\(\\|\"|[0-9A-F]{2})",
        lambda m: m[1] if len(m[1]) == 1 else chr(int(m[1], 16)),
        text,
    )


def main():
    binaries = BINARY.findall(sys.stdin.read())
    for name, chip, text in binaries:
        done = subprocess.run(
            ["ptxas", "-v", f"--gpu-name={chip}", "--output-file=/dev/null", "/dev/stdin"],
            input=unescape(text).rstrip("\0"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        print(f"{name} on {chip}:")
        print(done.stdout)
        if done.returncode:
            return f"{name}: ptxas failed"
    return 0 if binaries else "expected a gpu.binary with an assembly"


if __name__ == "__main__":
    sys.exit(main())
