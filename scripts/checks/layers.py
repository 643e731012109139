"""Who may include whom: the table of docs/Architecture.md, enforced."""

import pathlib
import re

from .tree import Finding

TABLE = "docs/Architecture.md"
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)|^include\s+"([^"]+)"')
UPSTREAM = re.compile(r"^(llvm|llvm-c|mlir|mlir-c|clang|boost|tc-runtime)/")


def read_table(tree):
    """layer -> (layers it may include, itself among them; upstream prefixes)."""
    table = {}
    path = tree.root / TABLE
    if not path.exists():
        return table
    _, _, text = path.read_text().partition("## Layers")
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = re.fullmatch(r"`(\w+)`", cells[0])
        if name and len(cells) == 4:
            layer = name.group(1)
            names, prefixes = (re.findall(r"`([\w/-]+)`", cell) for cell in cells[1:3])
            table[layer] = {layer, *names}, tuple(prefixes)
    return table


def layer_of(path):
    """The layer a file belongs to, or None."""
    parts = path.parts
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "tc") and len(parts) > 3:
        return parts[2]
    if parts[:2] == ("include", "tc-runtime"):
        return "Runtime"
    return None


def fault(layer, layers, prefixes, header):
    """What is wrong with `header` in a file of `layer`, or None."""
    parts = header.split("/")
    if parts[0] == "tc":
        if parts[1] not in layers:
            allowed = ", ".join(sorted(layers))
            return f"expected {layer} to include only {allowed}, got '{header}'"
    elif UPSTREAM.match(header):
        allows = any(
            header.startswith(prefix + "/") or (header.startswith(prefix) and "/" in prefix)
            for prefix in prefixes
        )
        if not allows:
            allowed = " ".join(prefixes) or "no upstream header"
            return f"expected {layer} to include only {allowed}, got '{header}'"
    elif ".." in parts:
        return f"expected a header named from its folder or the root, got '{header}'"
    return None


def layers(tree):
    """includes follow the layer table of docs/Architecture.md"""
    table = read_table(tree)
    for path in tree.select("*.h", "*.cpp", "*.c", "*.td", under=("lib", "include")):
        layer = layer_of(path)
        if layer is None:
            continue
        if layer not in table:
            message = f"expected a row for layer '{layer}' in {TABLE}"
            yield Finding(path, 1, message)
            continue
        for number, line in tree.lines(path):
            if match := INCLUDE.match(line):
                header = next(group for group in match.groups() if group)
                if message := fault(layer, *table[layer], header):
                    yield Finding(path, number, message)


def rooms(tree):
    """the folders of layers are those that docs/Architecture.md lists"""
    path = tree.root / TABLE
    if not path.exists():
        return
    _, _, text = path.read_text().partition("### Rooms")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`(\w+(?:/\w+)+)`", row)}
    found = {}
    for source in tree.select("*.cpp", "*.h", under=("lib",)):
        room = source.parent.relative_to("lib")
        if len(room.parts) > 1:
            found.setdefault(room.as_posix(), source)
    for name in sorted(found.keys() - listed):
        yield Finding(found[name], 1, f"expected a row for '{name}' in {TABLE}")
    for name in sorted(listed - found.keys()):
        yield Finding(pathlib.Path(TABLE), 1, f"expected sources in 'lib/{name}', which it lists")


MOST_SOURCES = 25


def crowds(tree):
    """a folder has at most 25 sources of its own"""
    folders = {}
    compiled = tree.select("*.cpp", "*.h", "*.td", under=("lib", "include", "test"))
    for source in [*compiled, *tree.select("*.py", under=("python",))]:
        folders.setdefault(source.parent, []).append(source)
    for folder, sources in folders.items():
        if len(sources) > MOST_SOURCES:
            message = f"expected at most {MOST_SOURCES} sources in a folder, got {len(sources)}"
            yield Finding(folder, 1, message)


AT_THE_TOP = {
    ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore", "CHANGELOG.md",
    "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "dev",
    "pyproject.toml",
}  # fmt: skip


def top(tree):
    """no file at the top but these: commands of the docs, run there, leave others"""
    for path in tree.files:
        if path.parent == pathlib.Path() and path.name not in AT_THE_TOP:
            yield Finding(path, 1, "expected no such file at the top")


CHECKS = (layers, rooms, crowds, top)
