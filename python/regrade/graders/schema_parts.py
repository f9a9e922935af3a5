"""The keywords of JSON Schema that look into lists and objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from regrade.graders.schema_basics import (
    Check,
    Keyword,
    Reader,
    amount,
    escaped,
    first,
    identity,
    named,
    refused,
    schemas,
    shown,
    spoken,
)
from regrade.graders.schema_values import read_pattern

_Schema = Mapping[str, object]


def _texts(given: object, at: str) -> list[str]:
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        return given
    raise refused(at, "must be a list of texts")


# Lists


def _prefix_items(given: object, _schema: _Schema, at: str, reader: Reader) -> Check:
    checks = [reader.read(each, f"{at}/{index}") for index, each in enumerate(schemas(given, at))]

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, list):
            return None
        pairs = enumerate(zip(checks, value, strict=False))
        return first(each(part, f"{where}/{index}") for index, (each, part) in pairs)

    return check


def _items(given: object, schema: _Schema, at: str, reader: Reader) -> Check:
    if isinstance(given, list):
        raise refused(at, "is a list, as in older drafts; write prefixItems")
    before = schema.get("prefixItems")
    start = len(before) if isinstance(before, list) else 0
    each = reader.read(given, at)

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, list):
            return None
        return first(each(value[index], f"{where}/{index}") for index in range(start, len(value)))

    return check


def _contains(given: object, schema: _Schema, at: str, reader: Reader) -> Check:
    each = reader.read(given, at)
    least = amount(schema["minContains"], at) if "minContains" in schema else 1
    most = amount(schema["maxContains"], at) if "maxContains" in schema else None

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, list):
            return None
        found = sum(each(part, "") is None for part in value)
        if found < least:
            return f"{spoken(where)} has {found} of the items that `contains` asks for, not at least {least}"
        if most is not None and found > most:
            return f"{spoken(where)} has {found} of the items that `contains` asks for, not at most {most}"
        return None

    return check


def _beside_contains(given: object, _schema: _Schema, at: str, _reader: Reader) -> Check:
    """minContains and maxContains: read by ``contains``; without it they mean nothing, by the draft."""
    amount(given, at)
    return lambda _value, _where: None


def _unique_items(given: object, _schema: _Schema, at: str, _reader: Reader) -> Check:
    if not isinstance(given, bool):
        raise refused(at, "must be a bool")

    def check(value: object, where: str) -> str | None:
        if not given or not isinstance(value, list):
            return None
        seen: set[object] = set()
        for index, part in enumerate(value):
            key = identity(part)
            if key in seen:
                return f"{where}/{index} is {shown(part)}, which the list has already"
            seen.add(key)
        return None

    return check


# Objects


def _properties(given: object, _schema: _Schema, at: str, reader: Reader) -> Check:
    checks = {key: reader.read(each, f"{at}/{escaped(key)}") for key, each in named(given, at).items()}

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        present = ((key, each) for key, each in checks.items() if key in value)
        return first(each(value[key], f"{where}/{escaped(key)}") for key, each in present)

    return check


def _pattern_properties(given: object, _schema: _Schema, at: str, reader: Reader) -> Check:
    checks = [
        (read_pattern(pattern, at), reader.read(each, f"{at}/{escaped(pattern)}"))
        for pattern, each in named(given, at).items()
    ]

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        return first(
            each(part, f"{where}/{escaped(key)}")
            for key, part in value.items()
            for pattern, each in checks
            if pattern.search(key)
        )

    return check


def _additional_properties(given: object, schema: _Schema, at: str, reader: Reader) -> Check:
    each = reader.read(given, at)
    known = frozenset(named(schema.get("properties", {}), at))
    patterns = [read_pattern(pattern, at) for pattern in named(schema.get("patternProperties", {}), at)]

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        others = (key for key in value if key not in known and not any(each.search(key) for each in patterns))
        if given is False:
            return next(
                (f"{spoken(where)} has the property {shown(key)}, which is not allowed" for key in others), None
            )
        return first(each(value[key], f"{where}/{escaped(key)}") for key in others)

    return check


def _property_names(given: object, _schema: _Schema, at: str, reader: Reader) -> Check:
    each = reader.read(given, at)

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        problem = first(each(key, "") for key in value)
        return problem and f"a property's name in {spoken(where)}: {problem}"

    return check


def _required(given: object, _schema: _Schema, at: str, _reader: Reader) -> Check:
    keys = _texts(given, at)

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        return next((f"{spoken(where)} lacks the property {shown(key)}" for key in keys if key not in value), None)

    return check


def _dependent_required(given: object, _schema: _Schema, at: str, _reader: Reader) -> Check:
    wanted = {key: _texts(keys, f"{at}/{escaped(key)}") for key, keys in named(given, at).items()}

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        missing = ((key, other) for key in wanted if key in value for other in wanted[key] if other not in value)
        return next(
            (f"{spoken(where)} has {shown(key)} without the property {shown(other)}" for key, other in missing), None
        )

    return check


def _count(kind: type, noun: str, words: str, holds: Callable[[int, int], bool]) -> Keyword:
    def keyword(given: object, _schema: _Schema, at: str, _reader: Reader) -> Check:
        limit = amount(given, at)

        def check(value: Any, where: str) -> str | None:
            if not isinstance(value, kind) or holds(len(value), limit):  # type: ignore[arg-type]
                return None
            return f"{spoken(where)} has {len(value)} {noun}, not {words} {limit}"  # type: ignore[arg-type]

        return check

    return keyword


PARTS: Mapping[str, Keyword] = {
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "minContains": _beside_contains,
    "maxContains": _beside_contains,
    "minItems": _count(list, "items", "at least", lambda length, limit: length >= limit),
    "maxItems": _count(list, "items", "at most", lambda length, limit: length <= limit),
    "uniqueItems": _unique_items,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "minProperties": _count(dict, "properties", "at least", lambda length, limit: length >= limit),
    "maxProperties": _count(dict, "properties", "at most", lambda length, limit: length <= limit),
    "dependentRequired": _dependent_required,
}
