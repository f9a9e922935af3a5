"""1 where the answer is the target, character for character."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from regrade.graders.contract import (
    Grade,
    Graded,
    Item,
    Metric,
    Options,
    Sample,
    read_answer,
    read_options,
    read_target,
)

METRICS = (Metric(id="exact_match", description="1 when the extracted output equals the target."),)

OPTIONS: Options = {
    "case_sensitive": {
        "type": "boolean",
        "default": True,
        "description": "Whether upper and lower case differ.",
    },
    "ignore_punctuation": {
        "type": "boolean",
        "default": False,
        "description": "Leave punctuation out of the comparison: 'Paris.' equals 'Paris'.",
    },
    "collapse_whitespace": {
        "type": "boolean",
        "default": False,
        "description": "Count any white space between words, newlines too, as one space.",
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. White space around the texts never counts, nor how Unicode composes a letter.

    Nothing found is wrong, unless the target is empty: then nothing is what was asked for.
    """
    chosen = read_options(options, OPTIONS)

    def simplify(text: str) -> str:
        if not chosen["case_sensitive"]:
            text = text.casefold()
        if chosen["ignore_punctuation"]:
            # A text of nothing else keeps it, so that "?" isn't the same as nothing.
            text = _without_punctuation(text) or text
        if chosen["collapse_whitespace"]:
            text = " ".join(text.split())
        return text.strip()

    def grade(sample: Sample, item: Item) -> Graded:
        answer = simplify(read_answer(sample) or "")
        return {"scores": {"exact_match": 1.0 if answer == simplify(read_target(item)) else 0.0}}

    return grade


def _without_punctuation(text: str) -> str:
    return "".join(char for char in text if not unicodedata.category(char).startswith("P")).strip()
