"""When a mutant is left out: texts that trap, or give another result, unless nobody
could tell the mutant from its kernel with these extents and inputs.

  unreached      no thread executes the changed instruction
  same effect    what is computed from its result differs nowhere that counts: every
                 address, stored value and branch is what it was
  unused value   a weaker guard lets elements be read, inside their array, on which
                 no result depends: NaN in their place changes none. Or a zero, that
                 the mutant makes NaN, may as well be a huge number.
"""

import re

NAN = {".b32": "0f7FC00000", ".b64": "0d7FF8000000000000"}
HUGE = {"0f00000000": "0f71C9F2CA", "0d0000000000000000": "0d46293E5939A08CEA"}
IMPURE = ("ld", "st", "bar", "barrier", "bra", "ret", "cp", "atom", "red", "call")


def registers(text):
    return re.findall(r"%[a-z]+\d+", text)


def class_of(text, register):
    return text.classes[register.strip("%0123456789")]


def results(i):
    """The registers an instruction defines."""
    if i.root in ("st", "bra", "ret", "bar", "cp") or not i.operands:
        return []
    return registers(i.operands[0])


def sources(i):
    operands = i.operands[1:] if results(i) else i.operands
    return [r for operand in operands for r in registers(operand)]


def shadow(register):
    return "%shadow_" + register[1:]


def compare(text, register):
    """Traps where a register differs from its shadow."""
    kind, other = class_of(text, register), shadow(register)
    if kind == ".pred":
        yield f"\txor.pred %differs, {register}, {other};"
    else:
        yield f"\tsetp.ne.b{kind[2:]} %differs, {register}, {other};"
    yield "\t@%differs trap;"


def twin(i, shadowed):
    """The instruction over the shadows of its registers."""

    def rename(operand):
        replace = lambda m: shadow(m.group()) if m.group() in shadowed else m.group()
        return re.sub(r"%[a-z]+\d+", replace, operand)

    return str(i.with_(operands=[rename(operand) for operand in i.operands]))


def slice_from(text, start):
    """The registers that a register's value flows into by pure instructions."""
    shadowed = {start}
    while True:
        size = len(shadowed)
        for i in text.instructions:
            if i.root not in IMPURE and shadowed.intersection(sources(i)):
                shadowed.update(results(i))
        if len(shadowed) == size:
            return shadowed


def loads_skipped_by(text, branch):
    """The loads that a branch jumps over, if it jumps over no other effect."""
    label = branch.operands[0] + ":"
    end = next(n for n, line in enumerate(text.lines) if line.startswith(label))
    skipped = [i for i in text.instructions if branch.line < i.line < end]
    effects = [i for i in skipped if i.root in IMPURE]
    return effects if all(i.root == "ld" for i in effects) else []


def spoil(text, load, skips):
    """A load whose result is NaN where a predicate holds."""
    kind = class_of(text, load.destination)
    return [str(load), f"\t@{skips} mov{kind} {load.destination}, {NAN[kind]};"]


def side_by_side(text, original, runs, shadows, may_read_more):
    """The kernel with one of two instructions, and beside it, in shadow registers,
    what the other would compute. Traps where they differ in an address, a stored value
    or a branch. With `may_read_more`, a branch may not jump over loads that it jumped
    over in the shadow: they then give NaN."""
    shadowed = slice_from(text, original.destination)
    edits, spoilt, predicates = {}, {}, ["%differs"]
    for i in text.instructions:
        lines = []
        guard = registers(i.guard)
        loads = loads_skipped_by(text, i) if i.root == "bra" and guard else []
        if may_read_more and loads and guard[0] in shadowed:
            # Where the shadow jumps; to jump in spite of the shadow is a difference.
            jumps = f"%jumps{i.line}"
            predicates.append(jumps)
            is_negated = i.guard.startswith("@!")
            lines.append(f"\t{'not' if is_negated else 'mov'}.pred {jumps}, {shadow(guard[0])};")
            lines.append(f"\tnot.pred %differs, {jumps};")
            lines.append(f"\t@!%differs bra $go{i.line};")
            lines.append(f"\t{i.guard}trap;")
            lines.append(f"$go{i.line}:")
            spoilt.update({load.line: jumps for load in loads})
        else:
            for register in sources(i) + guard:
                if register in shadowed and (i.root in IMPURE or register in guard):
                    lines += compare(text, register)
        defined = shadowed.intersection(results(i))
        if defined and i.root not in IMPURE:
            lines.append(twin(shadows if i is original else i, shadowed))
        if i.line in spoilt:
            lines += spoil(text, i, spoilt[i.line])
        else:
            lines.append(str(runs if i is original else i))
        if i.root in IMPURE:
            for register in defined:
                kind = class_of(text, register)
                lines.append(f"\t{i.guard}mov{kind} {shadow(register)}, {register};")
        edits[i.line] = lines
    declared = [f"\t.reg {class_of(text, r)} {shadow(r)};" for r in sorted(shadowed)]
    declared += [f"\t.reg .pred {name};" for name in predicates]
    return text.edit(edits, declared)


def without_guard(text, branch):
    """The kernel without a branch round loads, which give NaN where it jumped."""
    loads = loads_skipped_by(text, branch)
    if not loads or branch.guard.startswith("@!"):
        return None
    edits = {load.line: spoil(text, load, "%skips") for load in loads}
    edits[branch.line] = [f"\tmov.pred %skips, {registers(branch.guard)[0]};"]
    return text.edit(edits, ["\t.reg .pred %skips;"])


def probes(text, original, changed):
    """(rule, text): the rule holds if the text runs to its end with the right result."""
    if original.root in IMPURE or changed is None:
        # A guard that is another one counts where it is not true, too.
        is_same = changed is None or changed.guard == original.guard
        trap = f"\t{original.guard if is_same else ''}trap;"
        yield "unreached", text.edit({original.line: [trap, str(original)]})
        if original.root == "bra" and changed is None:
            if probe := without_guard(text, original):
                yield "unused value", probe
        return
    yield "same effect", side_by_side(text, original, original, changed, False)
    if original.root == "mov" and original.operands[-1] in HUGE:
        huge = original.with_operand(1, HUGE[original.operands[-1]])
        yield "unused value", text.edit({original.line: [str(huge)]})
    else:
        yield "unused value", side_by_side(text, original, changed, original, True)
