"""Finds patterns whose search time doubles with each letter: ``(a+)+$`` takes minutes on thirty letters.

For each repetition of a pattern a text is searched that repeats what it matches, and then does not fit. The caller has
a timer running (``regrade.timer``): a harmless pattern is done within milliseconds, and one that explodes is
interrupted. A pattern that passes may still be slow on other texts.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator

if sys.version_info >= (3, 11):
    from re import _constants as _codes
    from re import _parser
else:
    import sre_constants as _codes
    import sre_parse as _parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Number of repeats. Two to this power steps take minutes, and its third power takes a millisecond.
_TIMES = 30
#: Smallest count from which a counted repetition, such as ``(.*?,){20}``, is tried. The text repeats its body twice as
#: often, so that there are as many ways to match as to choose 20 of 40.
_MANY = 10
#: Limit of texts for one pattern.
_TEXTS = 60
#: Ends of the texts, which a pattern is unlikely to match.
_ENDS = ("\x00", "!\n\x00")
#: Letters to try in a character class; those that several classes share come first.
_LETTERS = "0a_A -.,;:/\"'<>()[]{}=\t\n\\"

_REPEATS = {_codes.MAX_REPEAT, _codes.MIN_REPEAT}


def probe(pattern: re.Pattern[str]) -> None:
    """Search the pattern in texts that would make it explode. It returns soon or never; in the latter case the timer
    ends it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed: Any = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    for count, text in enumerate(_texts(list(parsed), "")):
        if count >= _TEXTS:
            return
        for end in _ENDS:
            pattern.search(text + end)


def _texts(nodes: list[Any], before: str) -> Iterator[str]:
    """Yield a text for each repetition among ``nodes``: what leads to it, followed by its body many times."""
    for op, value in nodes:
        if op in _REPEATS:
            _, most, body = value
            inner = list(body)
            if most is _codes.MAXREPEAT or most >= _MANY:
                times = _TIMES if most is _codes.MAXREPEAT else max(_TIMES, 2 * min(most, _TIMES))
                for sample in _samples(inner):
                    yield before + sample * times
            yield from _texts(inner, before)
        else:
            for part in _parts(op, value):
                yield from _texts(part, before)
        before += next(_samples([(op, value)]))


def _parts(op: Any, value: Any) -> list[list[Any]]:
    """Return the sequences within a node that is no repetition."""
    if op is _codes.SUBPATTERN:
        return [list(value[-1])]
    if op is _codes.BRANCH:
        return [list(branch) for branch in value[1]]
    if op in (_codes.ASSERT, _codes.ASSERT_NOT):
        return [list(value[1])]
    if str(op) == "ATOMIC_GROUP":
        return [list(value)]
    if str(op) == "POSSESSIVE_REPEAT":
        return [list(value[2])]
    return []


def _samples(nodes: list[Any]) -> Iterator[str]:
    """Yield texts that ``nodes`` match, at least one; of alternatives only the first six are used."""
    texts = [""]
    for op, value in nodes:
        texts = [text + more for text in texts for more in _matched(op, value)][:6]
    yield from texts


def _matched(op: Any, value: Any) -> list[str]:
    if op is _codes.LITERAL:
        return [chr(value)]
    if op is _codes.ANY:
        return ["a"]
    if op is _codes.NOT_LITERAL:
        return [_outside([(_codes.LITERAL, value)])]
    if op is _codes.IN:
        return [_inside(value)]
    if op in _REPEATS or str(op) == "POSSESSIVE_REPEAT":
        least, _, body = value
        return [sample * max(1, min(least, 3)) for sample in _samples(list(body))]
    if op is _codes.BRANCH:
        return [sample for branch in _parts(op, value) for sample in _samples(branch)]
    if op is _codes.SUBPATTERN or str(op) == "ATOMIC_GROUP":
        return list(_samples(_parts(op, value)[0]))
    return [""]


def _inside(members: list[Any]) -> str:
    """Return a letter that the character class matches."""
    if members and members[0][0] is _codes.NEGATE:
        return _outside(members[1:])
    for letter in _LETTERS:
        if any(_has(member, letter) for member in members):
            return letter
    op, value = members[0]
    return chr(value[0] if op is _codes.RANGE else value) if op in (_codes.RANGE, _codes.LITERAL) else "a"


def _outside(members: list[Any]) -> str:
    return next((letter for letter in _LETTERS if not any(_has(member, letter) for member in members)), "é")


def _has(member: tuple[Any, Any], letter: str) -> bool:
    op, value = member
    if op is _codes.LITERAL:
        return bool(ord(letter) == value)
    if op is _codes.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    return bool(op is _codes.CATEGORY and _CATEGORIES[str(value)](letter))


_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_NOT_DIGIT": lambda letter: not letter.isdigit(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda letter: not letter.isspace(),
    "CATEGORY_WORD": lambda letter: letter.isalnum() or letter == "_",
    "CATEGORY_NOT_WORD": lambda letter: not (letter.isalnum() or letter == "_"),
}
