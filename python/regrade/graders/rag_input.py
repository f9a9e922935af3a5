"""What the graders of retrieval read: the question, the contexts and the answer, of the row or of the extracted
fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from regrade.graders.contract import Item, Options, Sample, read_answer
from regrade.graders.judge_request import TEXT_LIMIT

#: Contexts of one sample.
CONTEXTS_LIMIT = 100

CONTEXTS: Options = {
    "contexts": {
        "type": "string",
        "minLength": 1,
        "default": "contexts",
        "description": "Where the retrieved contexts are: a field of the row, or extracted.NAME, one of "
        "output_extraction.fields. A list of texts, or of objects with a text.",
    },
}

QUESTION: Options = {
    "question": {
        "type": "string",
        "minLength": 1,
        "default": "prompt",
        "description": "Where the question is: a field of the row, or extracted.NAME. prompt is the prompt as it was "
        "asked.",
    },
}

_EXTRACTED = "extracted."


def read_contexts(sample: Sample, item: Item, chosen: Mapping[str, object]) -> list[str]:
    """Return the contexts in their order. An answer that names none has none; a row that lacks them raises
    ValueError.
    """
    where = str(chosen["contexts"])
    value = _value(sample, item, where)
    if value is None and not where.startswith(_EXTRACTED):
        raise ValueError(f"this row has no {where!r}: contexts names the field with what was retrieved")
    contexts = [] if value is None or value == "" else [_context(each, where) for each in _listed(value)]
    if len(contexts) > CONTEXTS_LIMIT:
        raise ValueError(f"{where!r} has {len(contexts)} contexts, and {CONTEXTS_LIMIT} can be judged")
    return contexts


def read_question(sample: Sample, item: Item, chosen: Mapping[str, object]) -> str:
    """Return the question. Raises ValueError where there is none."""
    where = str(chosen["question"])
    value = sample.get("prompt") if where == "prompt" else _value(sample, item, where)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"there is no question in {where!r}")
    return value


def answer_of(sample: Sample) -> str | None:
    """Return the extracted output; None where nothing was found."""
    return read_answer(sample) or None


def shortened(texts: Mapping[str, str | None]) -> dict[str, object]:
    """Return the names of texts whose middle the judge does not read, for the details of a sample."""
    long = [name for name, text in texts.items() if text is not None and len(text) > TEXT_LIMIT]
    return {"shortened": long} if long else {}


def _value(sample: Sample, item: Item, where: str) -> object:
    if not where.startswith(_EXTRACTED):
        return item.get(where)
    fields = sample.get("extracted_fields")
    return fields.get(where.removeprefix(_EXTRACTED)) if isinstance(fields, dict) else None


def _listed(value: object) -> list[object]:
    """Extracted fields and columns of a CSV file hold a list as JSON."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    return value if isinstance(value, list) else [value]


def _context(value: object, where: str) -> str:
    text = value.get("text") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise ValueError(f"a context in {where!r} is no text: {json.dumps(value)[:100]}")
    return text
