#!/usr/bin/env python3
"""Writes the bash completion of a tool, from what its --help says.

    completion.py TOOL > share/bash-completion/completions/TOOL

Completes options, the values of those that take one of a few, the options of passes,
and files everywhere else."""

import os
import re
import subprocess
import sys

# `  --emit=<value>  - What to write`; passes stand further in, their options further still.
OPTION = re.compile(r"^( {2,10})(--?[\w-]+)(\[?[= ]<(.*?)>\]?)?(?: +- |$)")
LITERAL = re.compile(r"^ +=([^\s<]+) ")
PASS_OPTION_INDENT = 8


def read_options(text):
    """name -> (does it need a value, [values]); a pass option is called PASS=NAME."""
    options = {}
    owner = last = None
    for line in text.splitlines():
        if match := OPTION.match(line):
            indent, name, value, meaning = match.groups()
            if len(indent) >= PASS_OPTION_INDENT:
                last = f"{owner}={name.lstrip('-')}"
            else:
                last = owner = name
            choices = (meaning or "").split("|")
            words = all(re.fullmatch(r"[a-z][\w-]*", choice) for choice in choices)
            needs_value = value is not None and value[0] != "["
            options[last] = needs_value, choices if words and len(choices) > 1 else []
        elif last and (match := LITERAL.match(line)):
            options[last][1].append(match.group(1))
    return options


def cases(options):
    """The branches of the `case` over the option whose value is completed."""
    lists = {name: values for name, (_, values) in options.items() if values}
    for name in options:
        if "=" in name:
            owner, option = name.split("=")
            lists.setdefault(owner, []).append(option + "=")
    return "".join(
        f"  {name}) words='{' '.join(values)}' ;;\n" for name, values in sorted(lists.items())
    )


def write_bash(tool, options):
    function = "_" + re.sub(r"\W", "_", tool)
    names = [name for name in sorted(options) if "=" not in name]
    words = " ".join(name + "=" * (options[name][0] and name[1] == "-") for name in names)
    return f"""\
# Completion of {tool}, made from its --help.
{function}() {{
  local at=$COMP_CWORD current=${{COMP_WORDS[COMP_CWORD]}} option= words=
  # "--option=value" is three words, "--pass=option=value" five.
  [ "$current" != = ] || {{ current= && at=$((at + 1)); }}
  if [ "$at" -gt 1 ] && [ "${{COMP_WORDS[at - 1]}}" = = ]; then
    option=${{COMP_WORDS[at - 2]}}
    if [ "$at" -gt 3 ] && [ "${{COMP_WORDS[at - 3]}}" = = ]; then
      option=${{COMP_WORDS[at - 4]}}=$option
    fi
  fi
  case $option in
  '') [[ $current != -* ]] || words='{words}' ;;
{cases(options)}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ ${{COMPREPLY[0]-}} != *= ]] || compopt -o nospace 2>/dev/null
  return 0
}}
complete -o bashdefault -o default -F {function} {tool}
"""


def main(path):
    done = subprocess.run([path, "--help"], check=True, capture_output=True, text=True)
    options = read_options(done.stdout)
    if not options:
        sys.exit(f"{path} --help: expected options")
    sys.stdout.write(write_bash(os.path.basename(path), options))


if __name__ == "__main__":
    main(*sys.argv[1:])
