#!/usr/bin/env python3
"""Writes the completion of a tool for bash or zsh, from what its --help says.

    completion.py bash TOOL > share/bash-completion/completions/TOOL
    completion.py zsh TOOL > share/zsh/site-functions/_TOOL

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
BASH_FORM = "words='{}'"


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


def cases(options, form):
    """The branches of the `case` over the option whose value is completed. `form` is how
    the shell assigns words."""
    lists = {name: values for name, (_, values) in options.items() if values}
    for name in options:
        if "=" in name:
            owner, option = name.split("=")
            lists.setdefault(owner, []).append(option + "=")
    return "".join(
        f"  {name}) {form.format(' '.join(values))} ;;\n" for name, values in sorted(lists.items())
    )


def all_options(options):
    """The options themselves, with a `=` where they need a value."""
    names = [name for name in sorted(options) if "=" not in name]
    return " ".join(name + "=" * (options[name][0] and name[1] == "-") for name in names)


def write_zsh(tool, options):
    return f"""\
#compdef {tool}
# Completion of {tool}, made from its --help.
local option=
local -a list open
# "--option=value", and "--pass=option=value".
case $PREFIX in
-*=*=*) option=${{PREFIX%%=*}}=${{${{PREFIX#*=}}%%=*}} ;;
-*=*) option=${{PREFIX%%=*}} ;;
esac
[[ -z $option ]] || compset -P '*='
case $option in
'') [[ $PREFIX != -* ]] || list=({all_options(options)}) ;;
{cases(options, "list=({})")}esac
if (( ! $#list )); then
  _files
  return
fi
# After a `=` there is more to come.
open=(${{(M)list:#*=}})
list=(${{list:#*=}})
compadd -S '' -a open
compadd -a list
"""


def write_bash(tool, options):
    function = "_" + re.sub(r"\W", "_", tool)
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
  '') [[ $current != -* ]] || words='{all_options(options)}' ;;
{cases(options, BASH_FORM)}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ ${{COMPREPLY[0]-}} != *= ]] || compopt -o nospace 2>/dev/null
  return 0
}}
complete -o bashdefault -o default -F {function} {tool}
"""


def read_help(*command):
    """What a tool says of its options, those of its commands included."""
    done = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True)
    _, _, commands = done.stdout.partition("\nSUBCOMMANDS:\n")
    names = re.findall(r"^  (\w+) +- ", commands.partition("\nOPTIONS:")[0], re.M)
    return done.stdout + "".join(read_help(*command, name) for name in names)


def main(shell, path):
    options = read_options(read_help(path))
    if not options:
        sys.exit(f"{path} --help: expected options")
    write = {"bash": write_bash, "zsh": write_zsh}[shell]
    sys.stdout.write(write(os.path.basename(path), options))


if __name__ == "__main__":
    main(*sys.argv[1:])
