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
    "decimal": {
        "type": "string",
        "enum": ["plain", ".", ","],
        "default": "plain",
        "description": "How target and answer are written: plain is 1234.5 or 1,234.5; with . also 1 234.5 and "
        "1'234.5; with , it is 1.234,5 or 1 234,5.",
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
    style = _STYLES[str(chosen["decimal"])]

    def grade(sample: Sample, item: Item) -> Graded:
        text = read_target(item)
        target = parse(text, style)
        if target is None:
            raise ValueError(f"the target {text[:100]!r} is no number; numeric needs a number to compare with")
        answer = parse(read_answer(sample) or "", style)
        if answer is None:
            return {"scores": {"numeric_match": 0.0}}
        error = abs(answer - target)
        close = error <= max(tolerance, relative * abs(target))
        return {"scores": {"numeric_match": 1.0 if close else 0.0, "absolute_error": float(error)}}

    return grade


#: Between groups of three, beside the mark that is not the decimal one: kinds of spaces, and apostrophes.
_GAPS = " \u00a0\u2009\u202f'\u2019"


class Style:
    """How numbers are written: ``gaps`` may stand between groups of three, ``mark`` before the fraction."""

    def __init__(self, gaps: str, mark: str) -> None:
        point = re.escape(mark)
        self.gaps = gaps
        self.mark = mark
        self.number = re.compile(
            rf"(?P<sign>[-+]?)[$€£¥₹]?(?P<inner>-?)"
            rf"(?P<digits>\d{{1,3}}(?P<gap>[{gaps}])\d{{3}}(?:(?P=gap)\d{{3}})*(?:{point}\d*)?"
            rf"|\d+{point}?\d*|{point}\d+)(?P<power>[eE][-+]?\d{{1,4}})?\s*%?",
            re.ASCII,
        )


_STYLES = {"plain": Style(",", "."), ".": Style(f",{_GAPS}", "."), ",": Style(f".{_GAPS}", ",")}
_PLAIN = _STYLES["plain"]
#: Digits before or after the point: more is beyond any float, and slow to compute with.
_SIZE_LIMIT = 300


def parse(text: str, style: Style = _PLAIN) -> Fraction | None:
    """Return the number that ``text`` is as a whole, or None.

    Taken away: a currency sign, commas between groups of three, a percent sign (``5%`` is 5, as in the extraction).
    U+2212 is a minus. What is not written in the style is read plainly, if it can be. Not taken: ``nan``,
    infinities, ``1/2``, numbers of more than 300 digits.
    """
    if len(text) > 2 * _SIZE_LIMIT:
        return None
    bare = text.strip().replace("\u2212", "-")
    match = style.number.fullmatch(bare)
    if match is None and style is not _PLAIN:
        # A number of the data set that is no text: 12.5, whatever people write.
        return parse(text)
    if match is None or (match["sign"] and match["inner"]):
        return None
    whole = match["digits"].translate({ord(gap): None for gap in style.gaps})
    digits = whole.replace(style.mark, ".")
    number = Decimal(f"{match['sign']}{match['inner']}{digits}{match['power'] or ''}")
    exponent = number.as_tuple().exponent
    if number and (abs(number.adjusted()) > _SIZE_LIMIT or abs(int(exponent)) > 2 * _SIZE_LIMIT):
        return None
    return Fraction(number) if number else Fraction(0)
