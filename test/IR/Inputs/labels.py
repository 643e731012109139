"""Compares the labels of the verifiers with the cases of invalid.mlir:
labels.py SOURCE_FOLDER INVALID_MLIR.

A label is a comment `// <subject>_<words>` beside a check, a case a function of
that name.
"""

import pathlib
import re
import sys

SUBJECTS = "host_schedule|argument|nominal|contract|law|neutral|sum|nest|par|seq|reduce|scan|with|partition|view|cache|ptx|new|stage|staging|lmad|schedule|machine|map|mma|variant|vectors|versions|distinct|resident|overrun|threshold|programmatic|product|flatten|independent"
LABEL = re.compile(rf"//+ (?:.*\s)?((?:{SUBJECTS})_[a-z_]+)\b")


def main():
    folder, invalid = sys.argv[1:]
    labels = set()
    for source in pathlib.Path(folder).glob("*.cpp"):
        labels.update(LABEL.findall(source.read_text()))
    cases = set(re.findall(r"func\.func (?:private )?@(\w+)", pathlib.Path(invalid).read_text()))
    print(f"{len(labels)} labels, {len(cases)} cases")
    for label in sorted(labels - cases):
        print(f"error: expected a case for {label}")
    for case in sorted(cases - labels):
        print(f"error: expected a label for the case {case}")
    return 1 if labels != cases or not labels else 0


if __name__ == "__main__":
    sys.exit(main())
