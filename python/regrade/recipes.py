"""Common scores, ready to use in a grader: ``import regrade; regrade.token_f1(output, target)``.

Each takes what ``sample`` and ``item`` hold as it is: None, for "nothing was found", is an empty text. Each returns a
plain float, a score from 0 to 1 unless its docstring says otherwise.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from regrade.graders.numeric import parse


def exact_match(output: str | None, target: str | None, *, case_sensitive: bool = True) -> float:
    """Return 1.0 where both texts are equal but for the white space around them, else 0.0."""
    left, right = (output or "").strip(), (target or "").strip()
    if not case_sensitive:
        left, right = left.casefold(), right.casefold()
    return 1.0 if left == right else 0.0


def numeric_match(
    output: str | float | None,
    target: str | float | None,
    *,
    tolerance: float = 0.0,
    relative_tolerance: float = 0.0,
) -> float:
    """Return 1.0 where both are numbers, at most ``tolerance`` or ``relative_tolerance × |target|`` apart, else 0.0.

    The wider of the two tolerances holds. Numbers are compared exactly: 1.01 is within 0.01 of 1, which floats deny.
    A text may have a currency sign, commas between groups of three and a percent sign; it must be one number as a
    whole.
    """
    left, right = _number(output), _number(target)
    if left is None or right is None:
        return 0.0
    allowed = max(_exactly(tolerance), _exactly(relative_tolerance) * abs(right))
    return 1.0 if abs(left - right) <= allowed else 0.0


def absolute_error(output: str | float | None, target: str | float | None) -> float | None:
    """Return how far apart two numbers are, from 0 up; None where one of them is no number. Lower is better."""
    left, right = _number(output), _number(target)
    return None if left is None or right is None else float(abs(left - right))


def _number(value: str | float | None) -> Fraction | None:
    if isinstance(value, str):
        return parse(value)
    if value is None or isinstance(value, bool) or not math.isfinite(value):
        return None
    return _exactly(value)


def _exactly(value: float) -> Fraction:
    """Return the number as it is written: 0.01 is one hundredth."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def token_f1(output: str | None, target: str | None, *, case_sensitive: bool = False) -> float:
    """Return the F1 of the words of both texts: the harmonic mean of precision and recall.

    A word is a run of letters, digits and underscores, and counts as often as it occurs. Two texts without a word
    agree (1.0); one without and one with do not (0.0).
    """
    predicted, wanted = _words(output, case_sensitive), _words(target, case_sensitive)
    if not predicted and not wanted:
        return 1.0
    common = sum((predicted & wanted).values())
    if common == 0:
        return 0.0
    precision, recall = common / sum(predicted.values()), common / sum(wanted.values())
    return 2 * precision * recall / (precision + recall)


def _words(text: str | None, case_sensitive: bool) -> Counter[str]:
    given = text or ""
    return Counter(re.findall(r"\w+", given if case_sensitive else given.lower()))


def macro_f1(pairs: Iterable[tuple[str | None, str | None]]) -> float:
    """Return the mean of the F1 of every label, whatever its frequency, over pairs of (prediction, target).

    The labels are the targets that occur, None excepted; a prediction that is no label counts against the target that
    it missed. A label that nobody predicted has an F1 of 0. Without any label: 0.0. For ``grade_batch``:
    ``macro_f1((sample["extracted_output"], sample["target"]) for sample in samples)``.
    """
    found: Counter[str] = Counter()
    predicted: Counter[str | None] = Counter()
    wanted: Counter[str] = Counter()
    for prediction, target in pairs:
        predicted[prediction] += 1
        if target is not None:
            wanted[target] += 1
            found[target] += prediction == target
    # F1 = 2·tp / (2·tp + fp + fn), and tp + fp is what was predicted, tp + fn what was wanted.
    scores = [2 * found[label] / (predicted[label] + wanted[label]) for label in sorted(wanted)]
    return math.fsum(scores) / len(scores) if scores else 0.0


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors, from -1 to 1; 0.0 where one of them is all zeros.

    Raises ValueError where their lengths differ: embeddings of two models can't be compared.
    """
    if len(a) != len(b):
        raise ValueError(f"the vectors have {len(a)} and {len(b)} numbers; they must come from the same model")
    left, right = math.hypot(*a), math.hypot(*b)
    if left == 0 or right == 0:
        return 0.0
    return max(-1.0, min(1.0, math.fsum((x / left) * (y / right) for x, y in zip(a, b, strict=True))))
