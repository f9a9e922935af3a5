"""The keywords of JSON Schema that combine schemas for one value."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.graders.schema_basics import Check, Keyword, Reader, escaped, first, named, schemas, spoken


def _all_of(given: object, _schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    checks = _in_place(given, at, reader)
    return lambda value, where: first(each(value, where) for each in checks)


def _any_of(given: object, _schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    checks = _in_place(given, at, reader)

    def check(value: object, where: str) -> str | None:
        problems = [each(value, where) for each in checks]
        if None in problems:
            return None
        return f"{spoken(where)} fits none of {len(checks)} alternatives (the first: {problems[0]})"

    return check


def _one_of(given: object, _schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    checks = _in_place(given, at, reader)

    def check(value: object, where: str) -> str | None:
        problems = [each(value, where) for each in checks]
        fitting = problems.count(None)
        if fitting == 1:
            return None
        if fitting == 0:
            return f"{spoken(where)} fits none of {len(checks)} alternatives (the first: {problems[0]})"
        return f"{spoken(where)} fits {fitting} of {len(checks)} alternatives, not exactly one"

    return check


def _not(given: object, _schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    each = reader.in_place(given, at)
    return lambda value, where: f"{spoken(where)} fits what `not` excludes" if each(value, where) is None else None


def _if(given: object, schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    condition = reader.in_place(given, at)
    base = at.removesuffix("/if")
    then = reader.in_place(schema.get("then", True), f"{base}/then")
    otherwise = reader.in_place(schema.get("else", True), f"{base}/else")
    return lambda value, where: (then if condition(value, where) is None else otherwise)(value, where)


def _beside_if(given: object, _schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    """then and else: applied by ``if``; without it they mean nothing, by the draft. A mistake in them is told."""
    reader.in_place(given, at)
    return lambda _value, _where: None


def _in_place(given: object, at: str, reader: Reader) -> list[Check]:
    return [reader.in_place(each, f"{at}/{index}") for index, each in enumerate(schemas(given, at))]


def _dependent_schemas(given: object, _schema: Mapping[str, object], at: str, reader: Reader) -> Check:
    checks = {key: reader.in_place(each, f"{at}/{escaped(key)}") for key, each in named(given, at).items()}

    def check(value: object, where: str) -> str | None:
        if not isinstance(value, dict):
            return None
        return first(each(value, where) for key, each in checks.items() if key in value)

    return check


COMBINED: Mapping[str, Keyword] = {
    "dependentSchemas": _dependent_schemas,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "then": _beside_if,
    "else": _beside_if,
}
