"""What the parts of the schema reader share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Protocol

#: What is wrong with a value at a JSON pointer, as a sentence; None where nothing is.
Check = Callable[[object, str], "str | None"]


class Reader(Protocol):
    """Reads subschemas: ``read`` those of a part of the value, ``in_place`` those of the value itself."""

    def read(self, schema: object, at: str) -> Check:
        """Return the check of the subschema at the pointer ``at``."""

    def in_place(self, schema: object, at: str) -> Check:
        """Return the check of the subschema at the pointer ``at``."""


#: Reads one keyword: what it is given, the schema that it stands in, its own pointer, and who reads subschemas.
Keyword = Callable[[object, Mapping[str, object], str, Reader], Check]


def refused(at: str, sentence: str) -> ValueError:
    """Return the error that says what is wrong with the schema itself."""
    return ValueError(f"the schema at {at} {sentence}")


def exact(schema: object) -> object:
    """Return ``schema`` with its floats as Decimals: 0.1 is then a tenth, as in the answers."""
    if isinstance(schema, float):
        return Decimal(repr(schema))
    if isinstance(schema, dict):
        return {str(key): exact(part) for key, part in schema.items()}
    return [exact(part) for part in schema] if isinstance(schema, list) else schema


def escaped(key: str) -> str:
    """Return a key as a step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def schemas(given: object, at: str) -> list[object]:
    """Return a keyword's list of schemas."""
    if isinstance(given, list) and given:
        return given
    raise refused(at, "must be a list of at least one schema")


def named(given: object, at: str) -> dict[str, object]:
    """Return a keyword's schemas by name."""
    if isinstance(given, dict):
        return given
    raise refused(at, "must be an object of schemas")


def first(problems: Iterator[str | None]) -> str | None:
    """Return the first problem, or None where there is none."""
    return next((problem for problem in problems if problem is not None), None)


def is_number(value: object) -> bool:
    """True for JSON's numbers: a bool is none."""
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def amount(given: object, at: str) -> int:
    """Return a keyword's whole number from 0."""
    if is_number(given) and given >= 0 and given == int(given):  # type: ignore[operator, call-overload]
        return int(given)  # type: ignore[call-overload, no-any-return]
    raise refused(at, "must be a whole number from 0")


def identity(value: object) -> object:
    """Return something to compare and hash that is equal where JSON's values are: 1 is 1.0, and true is not 1."""
    if isinstance(value, list):
        return ("list", tuple(identity(part) for part in value))
    if isinstance(value, dict):
        return ("dict", frozenset((key, identity(part)) for key, part in value.items()))
    return (type(value).__name__ if isinstance(value, (bool, str)) else "", value)


def spoken(where: str) -> str:
    """Return a pointer as the subject of a sentence."""
    return where or "the value"


def shown(value: object) -> str:
    """Return a value of an answer for a sentence, short."""
    if isinstance(value, Decimal):
        return str(value)[:60]
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    names = {True: "true", False: "false", None: "null"}
    if value is None or isinstance(value, bool):
        return names[value]
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
