"""1 where the answer is the target's number, within a tolerance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

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
        id="numeric_match",
        description="1 when the extracted output is a number within the tolerance of the target.",
    ),
    Metric(
        id="absolute_error",
        description="How far the extracted number is from the target; an answer without one counts as the worst seen.",
        higher_is_better=False,
        range=None,
        scale="graded",
    ),
)

OPTIONS: Options = {
    "tolerance": {
        "type": "number",
        "minimum": 0,
        "default": 0,
        "description": "How far from the target a right answer may be: a number from 0.",
    },
    "relative_tolerance": {
        "type": "number",
        "minimum": 0,
        "default": 0,
        "description": "The same as a part of the target: 0.01 is 1 %. The wider of the two tolerances holds.",
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. Numbers are compared exactly: 1.01 is within 0.01 of 1, which floats deny.

    An answer that is no number as a whole is wrong (``output_extraction: {type: number}`` finds one in a sentence). A
    target that is no number raises ValueError.
    """
    chosen = read_options(options, OPTIONS)
    tolerance = Fraction(str(chosen["tolerance"]))
    relative = Fraction(str(chosen["relative_tolerance"]))

    def grade(sample: Sample, item: Item) -> Graded:
        text = read_target(item)
        target = parse(text)
        if target is None:
            raise ValueError(f"the target {text[:100]!r} is no number; numeric needs a number to compare with")
        answer = parse(read_answer(sample) or "")
        if answer is None:
            return {"scores": {"numeric_match": 0.0}}
        error = abs(answer - target)
        close = error <= max(tolerance, relative * abs(target))
        return {"scores": {"numeric_match": 1.0 if close else 0.0, "absolute_error": float(error)}}

    return grade


_NUMBER = re.compile(
    r"(?P<sign>[-+]?)[$€£¥₹]?(?P<inner>-?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+)"
    r"(?P<power>[eE][-+]?\d{1,4})?\s*%?",
    re.ASCII,
)
#: Digits before or after the point: more is beyond any float, and slow to compute with.
_SIZE_LIMIT = 300


def parse(text: str) -> Fraction | None:
    """Return the number that ``text`` is as a whole, or None.

    Taken away: a currency sign, commas between groups of three, a percent sign (``5%`` is 5, as in the extraction).
    U+2212 is a minus. Not taken: ``nan``, infinities, ``1/2``, numbers of more than 300 digits.
    """
    if len(text) > 2 * _SIZE_LIMIT:
        return None
    match = _NUMBER.fullmatch(text.strip().replace("\u2212", "-"))
    if match is None or (match["sign"] and match["inner"]):
        return None
    digits = match["digits"].replace(",", "")
    number = Decimal(f"{match['sign']}{match['inner']}{digits}{match['power'] or ''}")
    exponent = number.as_tuple().exponent
    if number and (abs(number.adjusted()) > _SIZE_LIMIT or abs(int(exponent)) > 2 * _SIZE_LIMIT):
        return None
    return Fraction(number) if number else Fraction(0)
