"""1 where a pattern matches the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_answer, read_options
from regrade.regex import check, compiled
from regrade.timer import TimeUp
from regrade.ungraded import Ungraded

METRICS = (Metric(id="regex_match", description="1 when the pattern matches the extracted output."),)

OPTIONS: Options = {
    "pattern": {
        "type": "string",
        "minLength": 1,
        "description": "A regular expression in Python's syntax, of at most 1,000 characters.",
    },
    "flags": {
        "type": "string",
        "default": "",
        "description": "Letters of Python's inline flags: i, m, s, x, a, u.",
    },
    "match": {
        "type": "string",
        "enum": ["search", "whole"],
        "default": "search",
        "description": "search: the pattern is found somewhere in the answer; whole: it is the whole answer.",
    },
}

#: Characters of the matched text that are kept.
_KEPT = 500


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. Nothing extracted is no match; without a match the score is 0.

    Raises ValueError for a pattern that Python's ``re`` refuses. A search that takes too long is no result: the sample
    is ungraded, as the pattern is to blame, and the answer may be right.
    """
    chosen = read_options(options, OPTIONS)
    problem = check(chosen)
    if problem is not None:
        raise ValueError(f"the pattern {chosen['pattern']!r} can't be used: {problem}")
    pattern = compiled(chosen)

    def grade(sample: Sample, item: Item) -> Graded:
        answer = read_answer(sample)
        if answer is None:
            return {"scores": {"regex_match": 0.0}, "judge": {"found": None}}
        match = _match(pattern, answer, chosen["match"] == "whole")
        found = match[0][:_KEPT] if match else None
        return {"scores": {"regex_match": 1.0 if match else 0.0}, "judge": {"found": found}}

    return grade


def _match(pattern: re.Pattern[str], answer: str, whole: bool) -> re.Match[str] | None:
    try:
        return pattern.fullmatch(answer) if whole else pattern.search(answer)
    except TimeUp:
        raise Ungraded(
            "regex_timeout",
            f"the search for the pattern {pattern.pattern!r} took too long on this answer; "
            "nested repetitions such as (a+)+ do, write it without them",
        ) from None
