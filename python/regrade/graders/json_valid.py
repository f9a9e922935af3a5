"""1 where the answer is JSON."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_answer, read_options
from regrade.graders.json_text import parse

METRICS = (Metric(id="json_valid", description="1 when the extracted output is one JSON value and nothing else."),)

OPTIONS: Options = {}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. Nothing extracted is no JSON; words before or after the value are none either.

    Without an ``output_extraction`` of the task's own, a code fence around the whole answer is taken off before.
    """
    read_options(options, OPTIONS)

    def grade(sample: Sample, item: Item) -> Graded:
        try:
            parse(read_answer(sample) or "")
        except ValueError as error:
            return {"scores": {"json_valid": 0.0}, "judge": {"problem": str(error)}}
        return {"scores": {"json_valid": 1.0}}

    return grade
