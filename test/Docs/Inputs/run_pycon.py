"""Runs the ```pycon blocks of a Markdown file as one session of Python, and compares
what they print as doctest does; `...` stands for any text.

    run_pycon.py FILE [WORD...]

A block whose first line has a further word (```pycon torch) runs where that word is
given. The exit status is 1 where something differs, or there is no block to run."""

import doctest
import sys


def read_blocks(path, words):
    """The blocks as one text, every line where it is in the file."""
    text, inside = [], False
    for line in open(path, encoding="utf-8"):
        if line.startswith("```"):
            fields = line[3:].split()
            inside = not inside and fields[:1] == ["pycon"] and set(fields[1:]) <= set(words)
            line = "\n"
        text.append(line if inside else "\n")
    return "".join(text)


def main(path, *words):
    parsed = doctest.DocTestParser().get_doctest(
        read_blocks(path, words), {"__name__": "__main__"}, path, path, 0
    )
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(parsed)
    print(f"{result.failed} of {result.attempted} examples differ")
    return 1 if result.failed or not result.attempted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
