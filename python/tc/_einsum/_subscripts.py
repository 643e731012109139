"""Reads the subscripts of an einsum, as a string or as lists, and says which
label each dimension of each operand has. The words of the errors are NumPy's."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple, Sequence

__all__ = ["Terms", "ResolvedTerms", "parse_string", "parse_lists", "resolve"]

# Stands for an ellipsis within a term.
DOTS = "."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SUBSCRIPTS = "einstein sum subscripts string"


class Terms(NamedTuple):
    """What is written: a label a character, and DOTS for an ellipsis."""

    inputs: tuple[str, ...]
    output: str


class ResolvedTerms(NamedTuple):
    """A label for each dimension; those of an ellipsis have letters that nothing
    else has."""

    inputs: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return ",".join(self.inputs) + "->" + self.output


def parse_string(subscripts: str) -> Terms:
    """Reads "ij,jk->ik". Raises ValueError where NumPy does."""
    left, arrow, right = subscripts.partition("->")
    if "-" in left:
        raise ValueError(
            "einstein sum subscript string does not contain proper '->' output specified"
        )
    inputs = tuple(
        _clean(term, f"operand {number}") for number, term in enumerate(left.split(","))
    )
    if arrow:
        output = _clean(right, "the output")
        _check_output(output, inputs)
    else:
        output = _implicit_output(inputs)
    return Terms(inputs, output)


def parse_lists(arguments: Sequence[Any]) -> tuple[Terms, list[Any]]:
    """Reads `x, [0, 1], y, [1, 2], [0, 2]`: numbers below 52 and `...` are the
    subscripts of the operand before them, a list without one is the output's.
    Gives the operands, too. Raises TypeError and ValueError where NumPy does."""
    operands = list(arguments[: len(arguments) // 2 * 2 : 2])
    inputs = tuple(_term_of(item) for item in arguments[1::2])
    if len(arguments) % 2:
        output = _term_of(arguments[-1])
        _check_output(output, inputs)
    else:
        output = _implicit_output(inputs)
    return Terms(inputs, output), operands


def resolve(terms: Terms, ranks: Sequence[int]) -> ResolvedTerms:
    """Gives the dimensions of each ellipsis letters, matched from the last one.
    `ranks` are those of the operands."""
    given, wanted = len(ranks), len(terms.inputs)
    if given != wanted:
        raise ValueError(
            f"{'fewer' if given < wanted else 'more'} operands provided to einstein "
            "sum function than specified in the subscripts string"
        )
    hidden = [
        _hidden_rank(term, rank, number)
        for number, (term, rank) in enumerate(zip(terms.inputs, ranks))
    ]
    most = max(hidden, default=0)
    if most and DOTS not in terms.output:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no "
            "'...' ellipsis provided to broadcast the extra dimensions."
        )
    used = set("".join(terms.inputs))
    unused = [letter for letter in LETTERS if letter not in used]
    if most > len(unused):
        raise ValueError("too many subscripts in einsum")
    broadcast = "".join(unused[:most])
    inputs = tuple(
        term.replace(DOTS, broadcast[most - count :])
        for term, count in zip(terms.inputs, hidden)
    )
    return ResolvedTerms(inputs, terms.output.replace(DOTS, broadcast))


def _hidden_rank(term: str, rank: int, number: int) -> int:
    """How many dimensions an operand has beyond its labels."""
    hidden = rank - len(term) + (DOTS in term)
    if hidden < 0:
        raise ValueError(
            f"{_SUBSCRIPTS} contains too many subscripts for operand {number}"
        )
    if hidden and DOTS not in term:
        raise ValueError(
            "operand has more dimensions than subscripts given in einstein sum, but no "
            "'...' ellipsis provided to broadcast the extra dimensions."
        )
    return hidden


def _clean(term: str, what: str) -> str:
    """A term without its spaces, and with DOTS for its ellipsis."""
    before, dots, after = term.partition("...")
    if "." in before + after:
        raise ValueError(
            f"{_SUBSCRIPTS} contains a '.' that is not part of an ellipsis ('...') "
            f"in {what}"
        )
    labels = (before + DOTS * bool(dots) + after).replace(" ", "")
    for label in labels:
        if label not in LETTERS and label != DOTS:
            raise ValueError(
                f"invalid subscript '{label}' in {_SUBSCRIPTS}, subscripts must be "
                "letters"
            )
    return labels


def _check_output(output: str, inputs: tuple[str, ...]) -> None:
    for label in output.replace(DOTS, ""):
        if output.count(label) > 1:
            raise ValueError(
                f"{_SUBSCRIPTS} includes output subscript '{label}' multiple times"
            )
        if not any(label in term for term in inputs):
            raise ValueError(
                f"{_SUBSCRIPTS} included output subscript '{label}' which never "
                "appeared in an input"
            )


def _implicit_output(inputs: tuple[str, ...]) -> str:
    """The labels that occur once, in order of their codes, after the ellipsis."""
    text = "".join(inputs)
    once = sorted(label for label in set(text) - {DOTS} if text.count(label) == 1)
    return DOTS * (DOTS in text) + "".join(once)


def _term_of(item: Any) -> str:
    """The term that a list of numbers and ellipses is."""
    if isinstance(item, (str, bytes)) or not hasattr(item, "__iter__"):
        raise TypeError("the subscripts for each operand must be a list or a tuple")
    term = "".join(DOTS if part is Ellipsis else _label_of(part) for part in item)
    if term.count(DOTS) > 1:
        raise ValueError("subscripts list must not have more than one ellipsis")
    return term


def _label_of(part: Any) -> str:
    try:
        number = operator.index(part)
    except TypeError:
        raise TypeError("each subscript must be either an integer or an ellipsis") from None
    if not 0 <= number < len(LETTERS):
        raise ValueError(f"subscript is not within the valid range [0, {len(LETTERS)})")
    return LETTERS[number]
