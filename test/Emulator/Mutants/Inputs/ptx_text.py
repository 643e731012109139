"""PTX text as lines that can be changed one at a time."""

import re

_INSTRUCTION = re.compile(r"\s+(@!?%p\d+\s+)?([a-z][\w.:]*)\s*(.*);$")
_OPERAND = re.compile(r"(?:\{[^}]*\}|[^,{])+")
_DECLARATION = re.compile(r"\s*\.reg\s+(\.\w+)\s+%([a-z]+)<(\d+)>;")


class Instruction:
    """One instruction: its guard ("@%p1 " or ""), opcode and operands."""

    def __init__(self, line, guard, opcode, operands):
        self.line, self.guard, self.opcode = line, guard, opcode
        self.operands = operands

    @property
    def root(self):
        return self.opcode.split(".")[0]

    @property
    def destination(self):
        return self.operands[0]

    def with_(self, **changes):
        values = {"guard": self.guard, "opcode": self.opcode, "operands": self.operands}
        return Instruction(self.line, **{**values, **changes})

    def with_operand(self, index, text):
        operands = list(self.operands)
        operands[index] = text
        return self.with_(operands=operands)

    def __str__(self):
        return f"\t{self.guard}{self.opcode} \t{', '.join(self.operands)};"

    def __eq__(self, other):
        return str(self) == str(other)


class Text:
    """The lines of one kernel."""

    def __init__(self, ptx):
        self.lines = ptx.splitlines()
        self.instructions = []
        self.classes = {}  # "rd" -> ".b64"
        for number, line in enumerate(self.lines):
            if found := _DECLARATION.match(line):
                self.classes[found.group(2)] = found.group(1)
            if found := _INSTRUCTION.match(line):
                guard, opcode, operands = found.groups()
                parts = [o.strip() for o in _OPERAND.findall(operands)]
                self.instructions.append(
                    Instruction(number, guard.strip() + " " if guard else "", opcode, parts)
                )

    def edit(self, changes, declared=()):
        """The whole text with other lines in place of those that `changes` has, and
        more declarations."""
        first = next(n for n, line in enumerate(self.lines) if ".reg" in line)
        lines = []
        for number, line in enumerate(self.lines):
            if number == first:
                lines += declared
            lines += changes.get(number, [line])
        return "\n".join(lines) + "\n"
