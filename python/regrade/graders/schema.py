"""JSON Schema, draft 2020-12: a schema read once, into functions that check values.

Checked: type, enum, const; multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum; minLength, maxLength,
pattern; prefixItems, items, contains, minContains, maxContains, minItems, maxItems, uniqueItems; properties,
patternProperties, additionalProperties, propertyNames, required, minProperties, maxProperties, dependentRequired,
dependentSchemas; allOf, anyOf, oneOf, not, if, then, else; $ref to ``#``, ``#/…`` and ``#anchor``, $defs, $anchor.
Annotations, as the draft has them: format, title, description, default, examples, deprecated, readOnly, writeOnly,
$comment, contentEncoding, contentMediaType, contentSchema. Anything else is refused when the schema is read, never
passed over: unevaluatedProperties, unevaluatedItems, dynamic references, references to other documents, vocabularies.
Schemas of the drafts 06 to 2019-09 are taken where they mean the same. Patterns are Python's, translated where ECMA-262
differs in what people write (``\\d``, ``\\s``, ``$``, named groups).
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from regrade.graders.schema_basics import Check, escaped, exact, refused
from regrade.graders.schema_combined import COMBINED
from regrade.graders.schema_parts import PARTS
from regrade.graders.schema_values import VALUES

_KEYWORDS = {**VALUES, **PARTS, **COMBINED}

_ANNOTATIONS = frozenset(
    {
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"),
        *("format", "contentEncoding", "contentMediaType", "contentSchema"),
    }
)
_DRAFTS = ("draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema")
_WAYS_OUT = {
    "dependencies": "write dependentRequired or dependentSchemas",
    "additionalItems": "write prefixItems and items",
    "id": "it is of draft 04; write $id",
}


def read_schema(schema: object) -> Check:
    """Return what checks a value: ``check(value, "")`` is None, or the first thing that is wrong, with its place.

    Raises ValueError for a schema that is malformed, that has a keyword not listed above, or that refers to itself
    without end; the message names the place in the schema.
    """
    root = exact(schema)
    reader = _Reader(root)
    check = reader.read(root, "#")
    reader.refuse_loops()
    return check


class _Reader:
    """One schema being read. Subschemas are kept by pointer, so that references may go round."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._lone_references = _read_draft(root)
        self._read: dict[str, Check] = {}
        self._anchors = dict(_anchors(root, "#"))
        #: Which subschemas apply to the very same value as another, by pointer.
        self._same: dict[str, list[str]] = {}
        self._around = ""

    def read(self, schema: object, at: str) -> Check:
        """Read a subschema that applies to a part of the value."""
        around, self._around = self._around, ""
        check = self.in_place(schema, at)
        self._around = around
        return check

    def in_place(self, schema: object, at: str) -> Check:
        """Read a subschema that applies to the same value as the one that it stands in."""
        self._same.setdefault(self._around, []).append(at)
        if at not in self._read:
            # What refers to this one while it is read finds it through here.
            self._read[at] = self._later(at)
            around, self._around = self._around, at
            self._read[at] = self._make(schema, at)
            self._around = around
        return self._read[at]

    def _later(self, at: str) -> Check:
        def check(value: object, where: str) -> str | None:
            return self._read[at](value, where)

        return check

    def refuse_loops(self) -> None:
        """Refuse subschemas that come back to themselves without a step into the value."""
        done: set[str] = set()
        for start in self._same:
            path: list[tuple[str, Iterator[str]]] = [("", iter([start] if start else []))]
            while path:
                for at in path[-1][1]:
                    if any(at == each for each, _ in path):
                        raise refused(at, "refers to itself without end")
                    if at not in done:
                        path.append((at, iter(self._same.get(at, []))))
                        break
                else:
                    done.add(path.pop()[0])

    def _make(self, schema: object, at: str) -> Check:
        if isinstance(schema, bool):
            return _anything if schema else _nothing
        if not isinstance(schema, dict):
            raise refused(at, f"must be an object or a bool, not {type(schema).__name__}")
        if self._lone_references and "$ref" in schema:
            _refuse_siblings(schema, at)
        checks = [check for keyword, given in schema.items() for check in self._keyword(keyword, schema, at, given)]
        return checks[0] if len(checks) == 1 else _all(checks)

    def _keyword(self, keyword: str, schema: dict[str, object], at: str, given: object) -> Iterator[Check]:
        place = f"{at}/{escaped(keyword)}"
        if keyword == "$ref":
            yield self._reference(given, at)
        elif keyword in _KEYWORDS:
            yield _KEYWORDS[keyword](given, schema, place, self)
        elif keyword in ("$defs", "definitions"):
            self._definitions(given, place)
        elif keyword in ("$schema", "$id"):
            if at != "#":
                raise refused(at, f"has the keyword {keyword}, which is supported at the top only")
        elif keyword == "$anchor":
            pass  # found before
        elif keyword not in _ANNOTATIONS:
            way_out = _WAYS_OUT.get(keyword, "remove it, or check it in a grader of your own")
            raise refused(at, f"has the keyword {keyword!r}, which is not supported: {way_out}")

    def _definitions(self, given: object, place: str) -> None:
        """Read them all, used or not: a mistake in one is told."""
        if not isinstance(given, dict):
            raise refused(place, "must be an object")
        for name, each in given.items():
            self.read(each, f"{place}/{escaped(name)}")

    def _reference(self, given: object, at: str) -> Check:
        if not isinstance(given, str) or not given.startswith("#"):
            raise refused(
                at, f"refers to {given!r}; only '#', '#/…' and '#anchor' within the same schema are supported"
            )
        given = unquote(given)
        pointer = self._anchors.get(given[1:], given)
        return self.in_place(self._find(pointer, at), pointer)

    def _find(self, pointer: str, at: str) -> object:
        found = self._root
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and key in found:
                found = found[key]
            elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            else:
                raise refused(at, f"refers to {pointer!r}, which is not there")
        if pointer != "#" and not pointer.startswith("#/"):
            raise refused(at, f"refers to {pointer!r}, which is not there")
        return found


def _read_draft(root: object) -> bool:
    """True for the drafts in which a reference stands alone, and what is beside it is passed over."""
    draft = root.get("$schema") if isinstance(root, dict) else None
    if draft is None:
        return False
    if not isinstance(draft, str) or not draft.rstrip("#").endswith(_DRAFTS):
        raise refused(
            "#", f"has a $schema that is not known, {draft!r}; write https://json-schema.org/draft/2020-12/schema"
        )
    return "draft-0" in draft


def _refuse_siblings(schema: dict[str, object], at: str) -> None:
    beside = [keyword for keyword in schema if keyword in _KEYWORDS]
    if beside:
        raise refused(
            at, f"has {beside[0]} beside $ref, which its draft passes over; take 2020-12, or put them into allOf"
        )


def _anchors(schema: object, at: str) -> Iterator[tuple[str, str]]:
    """Every ``$anchor`` with the pointer that it stands for."""
    if isinstance(schema, dict):
        anchor = schema.get("$anchor")
        if isinstance(anchor, str):
            yield anchor, at
        for key, part in schema.items():
            if key not in ("const", "enum", "default", "examples"):
                yield from _anchors(part, f"{at}/{escaped(str(key))}")
    elif isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from _anchors(part, f"{at}/{index}")


def _anything(_value: object, _where: str) -> str | None:
    return None


def _nothing(_value: object, where: str) -> str | None:
    return f"{where or 'the value'} is not allowed"


def _all(checks: list[Check]) -> Check:
    def check(value: object, where: str) -> str | None:
        for each in checks:
            problem = each(value, where)
            if problem is not None:
                return problem
        return None

    return check
