"""The files that a check looks at, and what it finds."""

import pathlib
import subprocess
from typing import NamedTuple


class Finding(NamedTuple):
    """One fault: a path relative to the root, a line from 1, and a sentence."""

    path: pathlib.Path
    line: int
    message: str


class Tree:
    """The files under `root`: those git knows or would add, or else all."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = sorted(self._git_files() or self._all_files())

    def _git_files(self):
        command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        if not (self.root / ".git").exists():
            return []
        listed = subprocess.run(command, cwd=self.root, capture_output=True, check=True)
        names = [name for name in listed.stdout.decode().split("\0") if name]
        return [pathlib.Path(n) for n in names if (self.root / n).is_file()]

    def _all_files(self):
        found = (path for path in self.root.rglob("*") if path.is_file())
        return [path.relative_to(self.root) for path in found]

    def select(self, *patterns, under=()):
        """The files whose name matches a pattern, in one of the top folders `under`
        when any is given."""
        for path in self.files:
            if under and path.parts[0] not in under:
                continue
            if any(path.match(pattern) for pattern in patterns):
                yield path

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        """(number from 1, line) of each line."""
        return enumerate(self.text(path).splitlines(), 1)
