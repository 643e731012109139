"""The faults that are planted: each takes an instruction and gives what may stand in
its place, None for nothing at all.

None of them makes an equivalent program by its form: no operands of a commutative
operation are swapped, no comparison becomes one that a counter cannot tell from it,
and fills become NaN, since another number times the zero of the other operand's fill
would still be zero. That the values at hand make no difference is found by running
(rules.py)."""

import re

NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}
NAN = {"0f00000000": "0f7FC00000", "0d0000000000000000": "0d7FF8000000000000"}


def _number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _opcode_word(instruction, words):
    """The opcode with one of its words changed by a table, or None."""
    parts = instruction.opcode.split(".")
    for index, part in enumerate(parts[1:], 1):
        if part in words:
            parts[index] = words[part]
            return ".".join(parts)
    return None


def drop_barrier(i, text):
    if i.opcode.startswith(("bar.sync", "barrier.sync", "cp.async.wait")):
        yield None


def drop_store(i, text):
    if i.root == "st":
        yield None


def shift_access(i, text):
    """An offset that is one element off."""
    if i.root not in ("ld", "st") or ".param" in i.opcode:
        return
    at = 0 if i.root == "st" else 1
    name, offset = re.fullmatch(r"\[([\w%$]+)(?:\+(-?\d+))?\]", i.operands[at]).groups()
    size = 8 if i.opcode.endswith("64") else 4
    for by in (size, -size):
        yield i.with_operand(at, f"[{name}+{int(offset or 0) + by}]")


def shift_index(i, text):
    """A constant that is added is one element off; one of a minimum is one less."""
    number = _number(i.operands[-1]) if i.root in ("add", "min") else None
    if number is not None:
        step = 1 if i.root == "min" else 8 if i.opcode.endswith("64") else 1
        yield i.with_operand(-1, str(number - step))


def change_stride(i, text):
    """A factor that is one more, or a shift that doubles."""
    if i.root in ("mul", "mad", "shl"):
        at = 2
        number = _number(i.operands[at])
        if number is not None:
            step = 1 if i.root == "shl" else 8 if "wide" in i.opcode else 1
            yield i.with_operand(at, str(number + step))


def halve_tile(i, text):
    """A bound of a loop, or of what is copied to a tile, is half of what it was."""
    number = _number(i.operands[-1]) if i.root == "setp" else None
    if number is not None and number > 1:
        yield i.with_operand(len(i.operands) - 1, str(number // 2))


def narrow_mask(i, text):
    """A mask or a width that has one bit less."""
    number = _number(i.operands[-1]) if i.root in ("and", "bfe") else None
    if number is not None and number > 1:
        narrow = number - 1 if i.root == "bfe" else number >> 1
        yield i.with_operand(-1, str(narrow))


def negate_guard(i, text):
    if i.guard and not i.guard.startswith("@!"):
        yield i.with_(guard=i.guard.replace("@", "@!"))


def drop_guard(i, text):
    """A branch round an access is never taken."""
    if i.guard and i.root == "bra" and i.operands[0] not in text.backward:
        yield None


def negate_comparison(i, text):
    """Not what selects a block's tile: it would give each block the tile of another."""
    if i.root == "setp" and i.destination in text.selecting:
        return
    if i.root == "setp" and (opcode := _opcode_word(i, NEGATED)):
        yield i.with_(opcode=opcode)


def swap_logic(i, text):
    if i.opcode in ("or.pred", "and.pred"):
        yield i.with_(opcode="and.pred" if i.root == "or" else "or.pred")


def spoil_fill(i, text):
    """A register that begins as zero, of a sum or of what lies outside, is NaN."""
    if i.root == "mov" and i.operands[-1] in NAN:
        yield i.with_operand(1, NAN[i.operands[-1]])


def swap_operands(i, text):
    """Of what does not commute."""
    if i.root in ("sub", "selp"):
        a, b = i.operands[1], i.operands[2]
        yield i.with_operand(1, b).with_operand(2, a)
    if i.root == "fma":
        # b * a + c becomes c * a + b.
        yield i.with_operand(2, i.operands[3]).with_operand(3, i.operands[2])


def other_operand(i, text):
    """The element before it in the same operand's row."""
    if i.root == "fma":
        for at in (1, 2):
            number = int(i.operands[at].lstrip("%rdf"))
            prefix = i.operands[at].rstrip("0123456789")
            yield i.with_operand(at, f"{prefix}{number - 1}")


def other_tile(i, text):
    """The address of another variable in shared memory."""
    if i.root == "mov" and i.operands[1] in text.shared:
        tiles = text.shared
        other = tiles[(tiles.index(i.operands[1]) + 1) % len(tiles)]
        if other != i.operands[1]:
            yield i.with_operand(1, other)


def other_id(i, text):
    """The id of another thread, or of another block."""
    others = {"%tid.x": "%tid.y", "%ctaid.x": "%ctaid.y"}
    if i.root == "mov" and i.operands[1] in others:
        yield i.with_operand(1, others[i.operands[1]])


def other_argument(i, text):
    if i.opcode.startswith("ld.param"):
        number = int(re.search(r"_(\d+)\]$", i.operands[1]).group(1))
        other = re.sub(r"_\d+\]$", f"_{1 - number if number < 2 else 0}]", i.operands[1])
        yield i.with_operand(1, other)


OPERATORS = (
    drop_barrier,
    drop_store,
    shift_access,
    shift_index,
    change_stride,
    halve_tile,
    narrow_mask,
    negate_guard,
    drop_guard,
    negate_comparison,
    swap_logic,
    spoil_fill,
    swap_operands,
    other_operand,
    other_tile,
    other_id,
    other_argument,
)
