"""An answer read as JSON, by the letter of RFC 8259: numbers keep their exact value."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import NoReturn

#: Digits of a whole number that is computed with as one; Python refuses to read more than 4,300.
_DIGITS = 300


def parse(text: str) -> object:
    """Return the one JSON value that ``text`` is. Raises ValueError, with the place, for what is no JSON.

    Refused beside what is malformed: ``NaN`` and ``Infinity``, which Python's own reader takes, and lists or objects
    nested hundreds deep. A fraction is a Decimal, so that 0.1 is 0.1. Of a repeated key the last value counts, as for
    most readers.
    """
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ValueError("it is empty") from None
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _whole(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _DIGITS else Decimal(digits)


def _fraction(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond Decimal's own 18 digits: valid JSON, and as good as infinite or 0
        sign = "-" if text.startswith("-") else ""
        mantissa, _, exponent = text.lower().partition("e")
        vanishes = exponent.startswith("-") or not mantissa.strip("-0.")
        return Decimal(f"{sign}0" if vanishes else f"{sign}Infinity")


_decoder = json.JSONDecoder(parse_constant=_refuse, parse_int=_whole, parse_float=_fraction)
