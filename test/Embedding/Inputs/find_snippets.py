"""Finds the code blocks of a Markdown file in the files of a folder.

    find_snippets.py FILE.md FOLDER LANGUAGE...

Each ```LANGUAGE block must be in one of the files, line by line and with the same
indentation among its lines."""

import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def is_inside(block, text):
    """Whether the lines of `block` stand in `text`, indented by any one amount."""
    block = textwrap.dedent(block).splitlines()
    lines = text.splitlines()
    for start in range(len(lines) - len(block) + 1):
        part = textwrap.dedent("\n".join(lines[start : start + len(block)])).splitlines()
        if [line.rstrip() for line in part] == block:
            return True
    return False


def main(document, folder, *languages):
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    text = pathlib.Path(document).read_text(encoding="utf-8")
    blocks = [m for m in BLOCK.finditer(text) if m.group(1) in languages]
    failures = 0
    for match in blocks:
        if not any(is_inside(match.group(2), text) for text in texts):
            failures += 1
            line = text.count("\n", 0, match.start()) + 1
            print(f"{document}:{line}: expected these lines in a file of {folder}")
    print(f"{failures} of {len(blocks)} blocks are in no file")
    return 1 if failures or not blocks else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
