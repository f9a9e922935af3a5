"""The keywords of JSON Schema that look at a value as a whole: its type, numbers, texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from regrade.graders.schema_basics import (
    Check,
    Keyword,
    Reader,
    amount,
    identity,
    is_number,
    refused,
    shown,
    spoken,
)

#: Beyond so many digits a number is not divided: the quotient could fill the memory.
_DIGITS = 1_000

_TYPES: Mapping[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": lambda value: is_number(value) and _is_whole(value),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _is_whole(value: object) -> bool:
    if not isinstance(value, Decimal):
        return True
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):  # Infinity: an exponent of 19 digits
        return True
    return exponent >= 0 or not any(digits[max(0, len(digits) + exponent) :])


def _type(given: object, _schema: Mapping[str, object], at: str, _reader: Reader) -> Check:
    names = [str(name) for name in given] if isinstance(given, list) else [str(given)]
    for name in names:
        if name not in _TYPES:
            raise refused(at, f"names the type {name!r}; there are {', '.join(_TYPES)}")
    tests = [_TYPES[name] for name in names]
    wanted = " or ".join(names)

    def check(value: object, where: str) -> str | None:
        if any(test(value) for test in tests):
            return None
        return f"{spoken(where)} is {shown(value)}, not of type {wanted}"

    return check


def _enum(given: object, _schema: Mapping[str, object], at: str, _reader: Reader) -> Check:
    if not isinstance(given, list):
        raise refused(at, "must be a list")
    allowed = {identity(each) for each in given}
    listed = ", ".join(shown(each) for each in given[:10]) + (", …" if len(given) > 10 else "")

    def check(value: object, where: str) -> str | None:
        return None if identity(value) in allowed else f"{spoken(where)} is {shown(value)}, not one of {listed}"

    return check


def _const(given: object, _schema: Mapping[str, object], _at: str, _reader: Reader) -> Check:
    wanted = identity(given)

    def check(value: object, where: str) -> str | None:
        return None if identity(value) == wanted else f"{spoken(where)} is {shown(value)}, not {shown(given)}"

    return check


def _bound(words: str, holds: Callable[[Decimal | int, Decimal | int], bool]) -> Keyword:
    def keyword(given: object, _schema: Mapping[str, object], at: str, _reader: Reader) -> Check:
        if not isinstance(given, (int, Decimal)) or isinstance(given, bool):
            raise refused(at, "must be a number")
        limit = given

        def check(value: object, where: str) -> str | None:
            if not isinstance(value, (int, Decimal)) or isinstance(value, bool) or holds(value, limit):
                return None
            return f"{spoken(where)} is {shown(value)}, not {words} {limit}"

        return check

    return keyword


def _multiple_of(given: object, _schema: Mapping[str, object], at: str, _reader: Reader) -> Check:
    if not isinstance(given, (int, Decimal)) or isinstance(given, bool) or given <= 0:
        raise refused(at, "must be a number above 0")
    step = Fraction(given)

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, (int, Decimal)) or isinstance(value, bool):
            return None
        number = Decimal(value)
        if not number.is_finite() or abs(number.adjusted()) > _DIGITS:
            return f"{spoken(where)} is {shown(value)}, too large or too small to be divided by {given}"
        if (Fraction(number) / step).denominator == 1:
            return None
        return f"{spoken(where)} is {shown(value)}, no multiple of {given}"

    return check


def _length(words: str, holds: Callable[[int, int], bool]) -> Keyword:
    def keyword(given: object, _schema: Mapping[str, object], at: str, _reader: Reader) -> Check:
        limit = amount(given, at)

        def check(value: object, where: str) -> str | None:
            if not isinstance(value, str) or holds(len(value), limit):
                return None
            return f"{spoken(where)} has {len(value)} characters, not {words} {limit}"

        return check

    return keyword


def _pattern(given: object, _schema: Mapping[str, object], at: str, _reader: Reader) -> Check:
    pattern = read_pattern(given, at)

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, str) or pattern.search(value):
            return None
        return f"{spoken(where)} is {shown(value)}, which does not match {given}"

    return check


def read_pattern(given: object, at: str) -> re.Pattern[str]:
    """Return a schema's pattern, which is of ECMA-262, as Python's."""
    if not isinstance(given, str):
        raise refused(at, "must be a text")
    try:
        return re.compile(_PART.sub(_translated, given), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise refused(at, f"has a pattern that can't be used here, {given!r}: {error}") from None


#: An escape, a character class as a whole, a named group, an end. Python's ``$`` would match before a last newline too.
_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?<(?=[A-Za-z_])|\$", re.DOTALL)
_SPACES = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def _translated(match: re.Match[str]) -> str:
    part = match[0]
    if part == "$":
        return r"\Z"
    if part.startswith("(?<"):
        return "(?P<"
    if part.startswith("["):
        return re.sub(r"\\.", lambda escape: _SPACES if escape[0] == r"\s" else escape[0], part)
    return {r"\s": f"[{_SPACES}]", r"\S": f"[^{_SPACES}]"}.get(part, part)


VALUES: Mapping[str, Keyword] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple_of,
    "minimum": _bound("at least", lambda value, limit: value >= limit),
    "maximum": _bound("at most", lambda value, limit: value <= limit),
    "exclusiveMinimum": _bound("above", lambda value, limit: value > limit),
    "exclusiveMaximum": _bound("below", lambda value, limit: value < limit),
    "minLength": _length("at least", lambda length, limit: length >= limit),
    "maxLength": _length("at most", lambda length, limit: length <= limit),
    "pattern": _pattern,
}
