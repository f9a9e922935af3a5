"""1 where the target stands somewhere in the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from regrade.graders.contract import (
    Grade,
    Graded,
    Item,
    Metric,
    Options,
    Sample,
    as_word,
    read_answer,
    read_options,
    read_target,
)

METRICS = (Metric(id="contains", description="1 when the extracted output contains the target."),)

OPTIONS: Options = {
    "case_sensitive": {
        "type": "boolean",
        "default": False,
        "description": "Whether upper and lower case differ.",
    },
    "whole_words": {
        "type": "boolean",
        "default": False,
        "description": "Look for whole words only: 'cat' isn't in 'category'.",
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. Nothing found is wrong. An empty target raises ValueError: every answer would contain it."""
    chosen = read_options(options, OPTIONS)

    def grade(sample: Sample, item: Item) -> Graded:
        answer = read_answer(sample) or ""
        target = read_target(item)
        if target == "":
            raise ValueError("the target of this case is empty, and every answer contains an empty text")
        if not chosen["case_sensitive"]:
            answer, target = answer.casefold(), target.casefold()
        found = re.search(as_word(target), answer) if chosen["whole_words"] else target in answer
        return {"scores": {"contains": 1.0 if found else 0.0}}

    return grade
