"""Compares what a shell completes for a tool with the tool's own list of options.

    check_completion.py bash|zsh FOLDER_OF_COMPLETIONS TOOL [LINE=>WORD,WORD... ...]

Every option of --help-list is completed, and nothing else. For each LINE, a command
line without the tool, exactly these words."""

import os
import re
import subprocess
import sys

# COMP_WORDBREAKS has the `=`, so bash splits there; the last word is the one at the cursor.
DRIVER = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"_${1//-/_}"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(shell, folder, tool, line):
    if shell == "bash":
        return complete_in_bash(os.path.join(folder, tool), tool, line)
    driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "complete.zsh")
    done = subprocess.run(
        ["zsh", "-f", driver, folder, f"{tool} {line}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.split())


def complete_in_bash(file, tool, line):
    words = [word for word in re.split(r"\s+|(=)", line) if word]
    if not line or line.endswith(" "):  # behind a `=`, that is the last word
        words.append("")
    done = subprocess.run(
        ["bash", "-c", DRIVER, "bash", file, tool, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def listed(*command):
    """The options of --help-list: the columns of options and of passes, not of the
    options of passes; and those of the tool's commands."""
    done = subprocess.run([*command, "--help-list"], capture_output=True, text=True, check=True)
    found = re.findall(r"^(?: {2}| {6})(--?[a-zA-Z][\w-]*)", done.stdout, re.M)
    names = re.findall(r"^  (\w+) +- ", done.stdout, re.M)
    inner = [listed(*command, name) for name in names]
    return {*found, "--help-list"}.union(*inner)  # which does not list itself


def main(shell, folder, tool, *lines):
    expected = listed(tool)
    found = {word.rstrip("=") for word in complete(shell, folder, tool, "-")}
    failures = 0
    for word in sorted(expected ^ found):
        failures += 1
        print(f"{word}: {'not completed' if word in expected else 'no option'}")
    for line in lines:
        line, words = re.fullmatch(r"(.*?)=>(.*)", line).groups()
        expected = set(filter(None, words.split(",")))
        found = complete(shell, folder, tool, line)
        if found != expected:
            failures += 1
            print(f"'{line}': expected {sorted(expected)}, got {sorted(found)}")
    print(f"{tool}: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
