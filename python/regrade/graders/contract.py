"""What the built-in graders share: their shapes, and how they read an answer, a target and their options."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Protocol, TypedDict

Sample = Mapping[str, object]
Item = Mapping[str, object]
#: JSON Schema of each option, by its name: ``type``, ``description``, and where they apply ``default`` (without one the
#: option is required), ``enum``, ``minimum``, ``maximum``, ``minLength``, for lists ``minItems``,
#: ``maxItems`` and ``items``, and for objects of numbers or texts ``minProperties``,
#: ``maxProperties``, ``propertyNames`` and ``additionalProperties``.
Options = Mapping[str, Mapping[str, object]]


if TYPE_CHECKING:

    class Graded(TypedDict, total=False):
        """What ``grade`` returns. ``scores`` is always there."""

        scores: dict[str, float]
        judge: dict[str, object]

    class Models(Protocol):
        """What a grader that asks models needs of its ``ctx``."""

        def responses_create(self, **request: object) -> Mapping[str, object]:
            """Return a model's answer, in the shape of the Responses API."""

        def embeddings_create(self, **request: object) -> Mapping[str, object]:
            """Return vectors, in the shape of the Embeddings API."""

else:  # Names for annotations: importing typing and dataclasses takes as long as starting Python itself.
    Graded = dict
    Models = object

Grade = Callable[[Sample, Item], Graded]


class Metric:
    """A metric that a grader scores: the mean over the cases.

    ``scale`` None: as its options make it; then a run's scores tell.
    """

    aggregation = "mean"

    def __init__(
        self,
        id: str,
        description: str,
        *,
        higher_is_better: bool = True,
        range: tuple[float, float] | None = (0, 1),
        scale: Literal["binary", "graded"] | None = "binary",
    ) -> None:
        self.id = id
        self.description = description
        self.higher_is_better = higher_is_better
        self.range = range
        self.scale = scale


def read_answer(sample: Sample) -> str | None:
    """Return the extracted output, in NFC and stripped; None where the extraction found nothing.

    Without an ``output_extraction`` of the task's own it is the answer without the noise around it. A sample that was
    never extracted has its ``output_text`` read.
    """
    found = sample["extracted_output"] if "extracted_output" in sample else sample.get("output_text")
    return normal(found) if isinstance(found, str) else None


def read_target(item: Item) -> str:
    """Return the target, in NFC and stripped. Raises ValueError where the task has none."""
    target = item.get("target")
    if not isinstance(target, str):
        raise ValueError("this case has no target to compare with; give the task a target_template")
    return normal(target)


def normal(text: str) -> str:
    """Return ``text`` with LF newlines, in Unicode's form NFC, without white space or byte order marks around it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return unicodedata.normalize("NFC", lines).strip("\ufeff" + _SPACE)


#: What ``str.strip`` takes away by itself, so that a byte order mark goes too, in whatever order they stand.
_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0"
    "\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)

#: Scripts that put no spaces between words: Thai, Lao, Myanmar, Khmer, Kana, Han.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = rf"[^\W{_UNSPACED}]"


def as_word(text: str) -> str:
    """Return a pattern that finds ``text`` as whole words and numbers; in scripts without spaces, anywhere."""
    import re  # Here: importing it takes half as long as Python's start, and few graders need it.

    before = rf"(?<!{_WORD})" if re.match(_WORD, text) else ""
    after = rf"(?!{_WORD})" if re.search(rf"{_WORD}\Z", text) else ""
    if text[:1].isdigit():
        before += r"(?<!\d[.,])"
    if text[-1:].isdigit():
        after += r"(?![.,]\d)"
    return before + re.escape(text) + after


def read_options(given: Mapping[str, object], options: Options) -> dict[str, object]:
    """Return every option with its value, given or default. Raises ValueError for an unknown, unfit or missing one."""
    for name, value in given.items():
        if name not in options:
            raise ValueError(f"the option {name!r} is unknown; there are {', '.join(options) or 'no options'}")
        if not _fits(value, options[name]):
            raise ValueError(f"the option {name} can't be {value!r}: {options[name]['description']}")
    for name, schema in options.items():
        if name not in given and "default" not in schema:
            raise ValueError(f"the option {name} is missing: {schema['description']}")
    return {name: given[name] if name in given else schema["default"] for name, schema in options.items()}


def _fits(value: object, schema: Mapping[str, object]) -> bool:
    types = schema["type"]
    allowed = types if isinstance(types, list) else [types]
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        return False
    return any(_is_a(kind, value, schema) for kind in allowed)


def _is_a(kind: object, value: object, schema: Mapping[str, object]) -> bool:
    if isinstance(value, bool) or value is None:
        return kind == ("null" if value is None else "boolean")
    if isinstance(value, (int, float)):
        whole = isinstance(value, int) or value.is_integer()
        return (kind == "number" or (kind == "integer" and whole)) and _in_range(value, schema)
    if isinstance(value, str):
        return kind == "string" and len(value) >= _bound(schema, "minLength", 0)
    if isinstance(value, list):
        return kind == "array" and _has_fitting_items(value, schema)
    return kind == "object" and isinstance(value, dict) and _has_fitting_parts(value, schema)


def _in_range(value: float, schema: Mapping[str, object]) -> bool:
    least, most = _bound(schema, "minimum", float("-inf")), _bound(schema, "maximum", float("inf"))
    return least <= value <= most and abs(value) < float("inf")


def _has_fitting_items(value: list[object], schema: Mapping[str, object]) -> bool:
    if not _bound(schema, "minItems", 0) <= len(value) <= _bound(schema, "maxItems", float("inf")):
        return False
    items = schema.get("items")
    # What a reference stands for, the grader reads itself.
    return not isinstance(items, dict) or "type" not in items or all(_fits(item, items) for item in value)


def _has_fitting_parts(value: dict[object, object], schema: Mapping[str, object]) -> bool:
    if not _bound(schema, "minProperties", 0) <= len(value) <= _bound(schema, "maxProperties", float("inf")):
        return False
    import re

    names, parts = schema.get("propertyNames"), schema.get("additionalProperties")
    pattern = str(names["pattern"]) if isinstance(names, dict) else "(?s).*"
    return all(
        isinstance(name, str) and re.fullmatch(pattern, name) and (not isinstance(parts, dict) or _fits(part, parts))
        for name, part in value.items()
    )


def _bound(schema: Mapping[str, object], keyword: str, default: float) -> float:
    bound = schema.get(keyword, default)
    return bound if isinstance(bound, (int, float)) else default
