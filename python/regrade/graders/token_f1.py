"""How much of the target's words the answer has, and no others: the F1 of two bags of words."""

from __future__ import annotations

import re
from collections import Counter
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

METRICS = (
    Metric(
        id="token_f1",
        description="Harmonic mean of precision and recall over the words of output and target.",
        scale="graded",
    ),
)

OPTIONS: Options = {
    "case_sensitive": {
        "type": "boolean",
        "default": False,
        "description": "Whether upper and lower case differ.",
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. Words are runs of letters, digits and underscores; a word counts as often as it occurs.

    Both without a word: 1. One of them without a word: 0, so that nothing found is wrong.
    """
    case_sensitive = read_options(options, OPTIONS)["case_sensitive"]

    def words(text: str) -> Counter[str]:
        return Counter(re.findall(r"\w+", text if case_sensitive else text.lower()))

    def grade(sample: Sample, item: Item) -> Graded:
        predicted = words(read_answer(sample) or "")
        wanted = words(read_target(item))
        if not predicted and not wanted:
            return {"scores": {"token_f1": 1.0}}
        common = sum((predicted & wanted).values())
        precision = common / max(1, sum(predicted.values()))
        recall = common / max(1, sum(wanted.values()))
        f1 = 2 * precision * recall / (precision + recall) if common else 0.0
        return {"scores": {"token_f1": f1}, "judge": {"precision": precision, "recall": recall}}

    return grade
