"""Checks of what code may not do, and of what a pass must come with.

A line is let through by `// lint: allow NAME, because ...` on it or before it."""

import re

from .tree import Finding

# (name, folders, pattern, message)
FORBIDDEN = (
    (
        "options",
        ("lib", "include"),
        # A pointer is to an option of somebody else.
        r"\bcl::(opt|list|alias|bits)\b(?!<\w+> \*)",
        "expected no command-line option outside tools/",
    ),
    (
        "attributes",
        ("lib", "include", "tools"),
        r"\b(get|set|has|remove)(Inherent|Discardable)?Attr(OfType<[^>]*>)?\(\s*\"",
        "expected an attribute accessor, got a string literal",
    ),
    (
        "exits",
        ("lib", "include"),
        r"(?<!void )\b(std::)?(exit|abort|_Exit)\(|\breport_fatal_error\(|\bexitOnErr\b",
        "expected an error to be returned, got an end of the process",
    ),
    (
        "prints",
        ("lib", "include"),
        r"\bllvm::(outs|errs)\(\)|\bstd::(cout|cerr)\b|\b(std::)?f?printf\(",
        "expected a library that prints nothing",
    ),
    (
        "discards",
        ("lib", "include", "tools"),
        r"\(void\)\s*(mlir::)?(apply|verify|run)\w*\(",
        "expected the result to be propagated",
    ),
    (
        "registers",
        ("lib", "include"),
        r"\bregisterAll(Dialects|Passes|Extensions)\(|InitAll\w+\.h",
        "expected the dialects and passes in use, got all of them",
    ),
)


def _strip_comment(line):
    return re.sub(r"(^|\s)//.*", "", line)


def _forbid(name, folders, pattern, message):
    expression = re.compile(pattern)
    allowed = f"lint: allow {name}"

    def check(tree):
        for path in tree.select("*.h", "*.cpp", "*.c", "*.td", under=folders):
            previous = ""
            for number, line in tree.lines(path):
                if expression.search(_strip_comment(line)):
                    if allowed not in line and allowed not in previous:
                        yield Finding(path, number, message)
                previous = line

    check.__name__ = name
    check.__doc__ = message.replace("expected", "code has", 1)
    return check


PASS = re.compile(r'^def\s+\w+\s*:\s*(?:Interface)?Pass<\s*"([^"]+)"')
EXAMPLE = re.compile(r"\btest/Docs/[\w.-]+\.mlir\b")


def passes(tree):
    """every pass has a description and an example that is a test"""
    for path in tree.select("*.td", under=("include",)):
        text = tree.text(path)
        starts = [m.start() for m in re.finditer(r"^def\s", text, re.M)] + [len(text)]
        for start, end in zip(starts, starts[1:]):
            body = text[start:end]
            if not (match := PASS.match(body)):
                continue
            line = text.count("\n", 0, start) + 1
            name = match.group(1)
            for message in _pass_faults(tree, name, body):
                yield Finding(path, line, message)


def _pass_faults(tree, name, body):
    for field in ("summary", "description"):
        if f"let {field}" not in body:
            yield f"expected pass '{name}' to have a {field}"
    example = EXAMPLE.search(body)
    if not example:
        yield f"expected pass '{name}' to name an example, test/Docs/{name}.mlir"
    elif not (tree.root / example.group()).exists():
        yield f"expected the example '{example.group()}' of pass '{name}' to exist"


CHECKS = (*(_forbid(*row) for row in FORBIDDEN), passes)
