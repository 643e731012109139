"""Mutants of a text, and the smallest of them that still does what was found.

A mutant is a text with a few faults: bytes, words or lines that are changed, left out,
repeated, exchanged, or taken from another text. All depends on the `rng` alone."""

import re

WORD = re.compile(rb"[A-Za-z_0-9.$%@#!]+|\s+|.", re.DOTALL)
# What parsers compare with, count with, and allocate.
STRANGE = (
    b"0 1 -1 2 7 63 64 127 255 256 65535 65536 2147483647 2147483648 4294967295 4294967296"
    b" 9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551615"
    b" 99999999999999999999999999 0x 0xffffffffffffffff 1e400 1e-400 1.5 nan inf -inf NaN"
    b" null true false ? * [] {} () <> \" ' \\ \\u0000 \\ud800 , : ; = -> => ... // /* #"
).split() + [b"", b" ", b"\n", b"\0", b"\xff", b"\xc3\x28", "λ".encode(), b"[" * 300, b"(" * 300]


def words(text):
    return WORD.findall(text)


def _place(rng, parts):
    return rng.randrange(len(parts)) if parts else 0


def _change_bytes(rng, text, _):
    data = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        at = _place(rng, data)
        kind = rng.randrange(4)
        if kind == 0 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = bytes([rng.randrange(256)])
        elif kind == 2:
            del data[at : at + rng.randint(1, 8)]
        else:
            del data[rng.choice((at, len(data))) :]
    return bytes(data)


def _change_parts(rng, parts, others):
    """Words or lines: `others` are those of another text."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, to = _place(rng, parts), _place(rng, parts)
        kind = rng.randrange(6)
        if not parts:
            break
        if kind == 0:
            del parts[at : at + rng.randint(1, 3)]
        elif kind == 1:
            parts[at:at] = parts[to : to + rng.randint(1, 3)]
        elif kind == 2:
            parts[at], parts[to] = parts[to], parts[at]
        elif kind == 3 and others:
            parts[at] = rng.choice(others)
        elif kind == 4:
            parts[at] = rng.choice(STRANGE)
        else:
            same = [n for n, part in enumerate(parts) if _kind(part) == _kind(parts[at])]
            parts[at] = parts[rng.choice(same)]
    return b"".join(parts)


def _kind(word):
    """Words of one kind may stand for each other."""
    return word[:1] if word[:1] in b"%@#!$." else word[:1].isdigit()


def _change_words(rng, text, other):
    return _change_parts(rng, words(text), words(other))


def _change_lines(rng, text, other):
    lines = text.splitlines(keepends=True)
    return _change_parts(rng, lines, other.splitlines(keepends=True))


def _change_number(rng, text, _):
    numbers = list(re.finditer(rb"-?\d+", text))
    if not numbers:
        return text
    number = rng.choice(numbers)
    value = int(number.group())
    strange = [word for word in STRANGE if word.lstrip(b"-").isdigit()]
    near = [b"%d" % n for n in (value + 1, value - 1, value * 2, -value, value * 1000)]
    return text[: number.start()] + rng.choice(strange + near) + text[number.end() :]


# Words that stand in the same places: one may be another.
ALIKE = [
    group.split()
    for group in (
        b"f8E4M3FN f8E5M2 f16 bf16 f32 f64 i1 i8 i16 i32 i64 index complex<f32>",
        b"arith.addf arith.subf arith.mulf arith.divf arith.maximumf arith.minimumf arith.maxnumf"
        b" arith.remf",
        b"arith.addi arith.subi arith.muli arith.divsi arith.remsi arith.andi arith.ori arith.xori"
        b" arith.maxsi arith.minui arith.shli arith.ceildivsi",
        b"parallel reduction",
        b"grid cluster block warp thread lane",
        b"#tc.global #tc.shared #tc.private #tc.cluster",
        b"add mul max min",
        b"eq ne slt sle sgt sge ult ule olt ogt oeq une",
        b"tc.par tc.seq scf.parallel scf.for scf.forall",
        b"memref.load memref.store",
        b".f16 .bf16 .f32 .f64 .s8 .u16 .s32 .u32 .b32 .u64 .s64 .b64 .pred",
        b"add sub mul.lo mad.lo div rem and or xor shl shr min max",
        b".global .shared .local .param .const",
        b".lt .le .gt .ge .eq .ne .ltu",
        b".rn .rz .rm .rp .sat .ftz .wide .hi .lo",
        b"%tid.x %tid.y %ctaid.x %ntid.x %nctaid.x %laneid",
    )
]
SMALL = (0, 1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 64, 100, 1000, 65536, 1 << 31, (1 << 63) - 1)


def _change_alike(rng, text, _):
    """One word, here or everywhere, by one that stands in the same places."""
    groups = [g for g in ALIKE if any(word in text for word in g)]
    if not groups:
        return text
    group = rng.choice(groups)
    word = rng.choice([word for word in group if word in text])
    places = list(re.finditer(rb"(?<![A-Za-z_])" + re.escape(word) + rb"(?![A-Za-z_0-9])", text))
    if not places:
        return text
    if rng.random() < 0.5:
        places = [rng.choice(places)]
    other = rng.choice(group)
    for place in reversed(places):
        text = text[: place.start()] + other + text[place.end() :]
    return text


def _change_extent(rng, text, _):
    """One number everywhere: an extent that stays the same in all its types."""
    whole = rb"(?<![A-Za-z_0-9.%#$])(\d+)(?=x|[,\s\])>}:;]|$)"
    numbers = sorted(set(re.findall(whole, text)))
    if not numbers:
        return text
    number = rng.choice(numbers)
    near = (int(number) + 1, int(number) - 1, 2 * int(number))
    other = b"%d" % rng.choice(SMALL + near * 2)
    return re.sub(whole, lambda m: other if m.group() == number else m.group(), text)


def _exchange_names(rng, text, _):
    """One value is used in place of another."""
    names = list(re.finditer(rb"%[A-Za-z_0-9]+", text))
    if not names:
        return text
    name = rng.choice(names)
    return text[: name.start()] + rng.choice(names).group() + text[name.end() :]


# Words keep more of a text legal than lines, and those more than bytes.
CHANGES = [_change_words] * 5 + [_change_number] * 3 + [_change_lines] * 2 + [_change_bytes] * 2
# These keep most texts legal, so that more than the parser is reached.
CAREFUL = [_change_alike, _change_extent, _exchange_names, _change_extent]


def mutate(rng, text, other):
    """`text` with a few changes, some of which put in parts of `other`."""
    if rng.random() < 0.6:
        for _ in range(rng.choice((1, 1, 2, 3))):
            text = rng.choice(CAREFUL)(rng, text, other)
        return text
    return rng.choice(CHANGES)(rng, text, other)


def without(parts, still, tries):
    """`parts` with as many left out as possible: delta debugging (Zeller, Hildebrandt:
    Simplifying and isolating failure-inducing input, 2002), in at most `tries` calls."""
    size = max(len(parts) // 2, 1)
    while parts and tries > 0:
        at, removed = 0, False
        while at < len(parts) and tries > 0:
            fewer = parts[:at] + parts[at + size :]
            tries -= 1
            if still(b"".join(fewer)):
                parts, removed = fewer, True
            else:
                at += size
        if size == 1 and not removed:
            break
        size = max(size // 2, 1)
    return parts


def shrink(text, still, tries=150):
    """A small text of which `still` is true as it is of `text`."""
    text = b"".join(without(text.splitlines(keepends=True), still, tries))
    return b"".join(without(words(text), still, tries))
