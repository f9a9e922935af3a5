"""Unit metrics: is one prediction right? Each gives ``{correct, golden, predicted, metadata}`` of two objects."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, TypedDict

from regrade.graders.parameters import Parameters, boolean, number, read_parameters, text

Side = Mapping[str, object]


class UnitResult(TypedDict):
    """What a unit metric says of a pair. ``correct`` is what the metric's own code says, read by its truth."""

    correct: bool
    golden: Side
    predicted: Side
    metadata: dict[str, object]


class UnitMetric:
    """One unit metric with its parameters. A subclass has ``check``."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    parameters: ClassVar[Parameters]
    #: The parameters that name the key of a text in the golden and the predicted object; None: it compares no texts.
    text_keys: ClassVar[tuple[str, str] | None] = None
    #: Whether anything but an object is taken as one that has it under ``value``.
    wraps: ClassVar[bool] = True

    def __init__(self, given: Mapping[str, object]) -> None:
        self.values = read_parameters(given, self.parameters)

    def evaluate(self, golden: Sequence[object], predicted: Sequence[object]) -> list[UnitResult]:
        """Compare pairs. Raises ValueError where there are not as many of one as of the other."""
        if len(golden) != len(predicted):
            counts = f"got {len(golden)} and {len(predicted)}"
            raise ValueError(f"{type(self).__name__}: golden and predicted must have same length ({counts})")
        return [
            self.compare(self._object(wanted, "golden"), self._object(found, "predicted"))
            for wanted, found in zip(golden, predicted, strict=True)
        ]

    def _object(self, value: object, side: str) -> Side:
        if isinstance(value, Mapping):
            return value
        if not self.wraps:
            raise ValueError(f"{side} must be a dictionary")
        return {"value": value}

    def compare(self, golden: Side, predicted: Side) -> UnitResult:
        """Compare one pair. What goes wrong makes it wrong, and its metadata say why."""
        try:
            correct, metadata = self.check(golden, predicted)
        except Exception as error:
            correct, metadata = False, {"error": str(error)}
        return {
            "correct": correct,
            "golden": golden,
            "predicted": predicted,
            "metadata": {"validator": self.name, **metadata},
        }

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """Return whether it is right, and what of the comparison is worth keeping."""
        raise NotImplementedError

    def _text(self, name: str) -> str:
        return str(self.values[name])

    def _number(self, name: str) -> float:
        value = self.values[name]
        return value if isinstance(value, float) else 0.0


class ExactMatchMetric(UnitMetric):
    """The texts are equal."""

    name = "exact_match"
    title = "Exact Match"
    description = "Whether the texts are equal; case and white space don't count, unless the parameters say otherwise."
    parameters: ClassVar[Parameters] = {
        "case_sensitive": boolean(False),
        "normalize_whitespace": boolean(True),
        "key": text(nullable=True),
    }
    text_keys = ("key", "key")
    wraps = False

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """Without a key the objects are compared as Python writes them."""
        key = self.values["key"]
        one = golden.get(str(key), "") if key else str(golden)
        other = predicted.get(str(key), "") if key else str(predicted)
        shown = {"golden_text": one, "predicted_text": other}
        settings = {name: self.values[name] for name in ("case_sensitive", "normalize_whitespace")}
        return self.normalize(str(one)) == self.normalize(str(other)), {**shown, **settings}

    def normalize(self, value: str) -> str:
        """Return the text that is compared."""
        if self.values["normalize_whitespace"]:
            value = " ".join(value.split())
        return value if self.values["case_sensitive"] else value.lower()


class FuzzyMatchMetric(UnitMetric):
    """The texts are alike enough.

    Similarity is difflib's ratio, 2·M/T: M characters that both have in the same order by its longest blocks, of T in
    both together. No character is left out of it for being frequent, so that long texts count as short ones do.
    """

    name = "fuzzy_match"
    title = "Fuzzy Match"
    description = "Whether the similarity of the texts reaches the threshold."
    parameters: ClassVar[Parameters] = {
        "key": text("text", nullable=True),
        "threshold": number(0.8, 0, 1),
        "case_sensitive": boolean(False),
        "normalize_whitespace": boolean(True),
    }
    text_keys = ("key", "key")

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """Compare the texts under ``key``."""
        key = self._text("key") if self.values["key"] else "text"
        similarity = similar(*(self._normalize(str(side.get(key, ""))) for side in (golden, predicted)))
        threshold = self._number("threshold")
        return similarity >= threshold, {"similarity": similarity, "threshold": threshold}

    def _normalize(self, value: str) -> str:
        if self.values["normalize_whitespace"]:
            value = " ".join(value.split())
        return value if self.values["case_sensitive"] else value.lower()


#: Characters of a text whose similarity is computed exactly; it takes their product in time.
_EXACT_LENGTH = 20_000


def similar(one: str, other: str) -> float:
    """Return how alike two texts are, from 0 to 1. Whose beginning and end they share is taken as shared."""
    if one == other:
        return 1.0
    short = max(len(one), len(other)) <= _EXACT_LENGTH
    return difflib.SequenceMatcher(None, one, other, autojunk=not short).ratio()


class TypedValueMatchMetric(UnitMetric):
    """A typed text is the wanted one, or near enough."""

    name = "typed_value_match"
    title = "Typed Value Match"
    description = "Whether a typed text is the wanted one, or its similarity reaches the threshold."
    parameters: ClassVar[Parameters] = {
        "golden_text_key": text("text"),
        "predicted_text_key": text("text"),
        "fuzzy_match_threshold": number(0.8, 0, 1),
        "case_sensitive": boolean(False),
        "normalize_whitespace": boolean(True),
    }
    text_keys = ("golden_text_key", "predicted_text_key")

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """Equal, or similar as difflib has it with its rule for long texts."""
        wanted = str(golden.get(self._text("golden_text_key"), ""))
        typed = str(predicted.get(self._text("predicted_text_key"), ""))
        one, other = self._normalize(wanted), self._normalize(typed)
        matcher = difflib.SequenceMatcher(None, one, other)
        exact = one == other
        ratio = matcher.ratio()
        fuzzy = ratio >= self._number("fuzzy_match_threshold")
        shown = {"golden_text": wanted, "predicted_text": typed, "exact_match": exact}
        differences = [] if exact else _differences(one, other, matcher)
        return exact or fuzzy, {**shown, "similarity_score": ratio, "fuzzy_match": fuzzy, "differences": differences}

    def _normalize(self, value: str) -> str:
        if self.values["normalize_whitespace"]:
            value = re.sub(r"\s+", " ", value.strip())
        return value if self.values["case_sensitive"] else value.lower()


def _differences(one: str, other: str, matcher: difflib.SequenceMatcher[str]) -> list[dict[str, object]]:
    return [
        {"operation": operation, "golden": one[start:end], "predicted": other[low:high]}
        for operation, start, end, low, high in matcher.get_opcodes()
        if operation != "equal"
    ]


class ActionWithinBboxMetric(UnitMetric):
    """A point lies in a box."""

    name = "action_within_bbox"
    title = "Action Within BBox"
    description = "Whether the predicted point lies in the wanted box, or within the tolerance of it."
    parameters: ClassVar[Parameters] = {
        "predicted_x_key": text("x"),
        "predicted_y_key": text("y"),
        "golden_bbox_key": text("bbox"),
        "tolerance": number(0.0),
    }

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """Edges are inside. What is missing, or no number, is outside."""
        names = ("predicted_x_key", "predicted_y_key", "golden_bbox_key")
        metadata: dict[str, object] = {name: self.values[name] for name in names}
        tolerance = self._number("tolerance")
        if tolerance > 0:
            metadata["tolerance"] = tolerance
        box = golden.get(self._text("golden_bbox_key"))
        point = (predicted.get(self._text("predicted_x_key")), predicted.get(self._text("predicted_y_key")))
        return _lies_within(point, box, tolerance), metadata


def _lies_within(point: tuple[object, object], box: object, tolerance: float) -> bool:
    if not isinstance(box, Mapping):
        return False
    try:
        x, y, left, top, width, height = (
            _float(value) for value in (*point, *(box[key] for key in ("x", "y", "width", "height")))
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
    across = left - tolerance <= x <= left + width + tolerance
    return width >= 0 and height >= 0 and across and top - tolerance <= y <= top + height + tolerance


def _float(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


class ScrollDirectionMetric(UnitMetric):
    """It scrolls the right way."""

    name = "scroll_direction"
    title = "Scroll Direction"
    description = "Whether the direction is the wanted one: up, down, left or right."
    parameters: ClassVar[Parameters] = {
        "golden_direction_key": text("direction"),
        "predicted_direction_key": text("direction"),
    }

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """Compare as they stand, without regard to nothing."""
        wanted = golden.get(self._text("golden_direction_key"))
        found = predicted.get(self._text("predicted_direction_key"))
        known = isinstance(found, str) and found in ("up", "down", "left", "right")
        return wanted == found and known, {"golden_direction": wanted, "predicted_direction": found}


class ScrollAmountMetric(UnitMetric):
    """It scrolls about as far as it should."""

    name = "scroll_amount"
    title = "Scroll Amount"
    description = "Whether the amount is within a percentage of the wanted one; of none, within a threshold."
    parameters: ClassVar[Parameters] = {
        "golden_amount_key": text("amount"),
        "predicted_amount_key": text("amount"),
        "tolerance_percent": number(20.0),
        "scroll_threshold": number(10.0),
    }

    def check(self, golden: Side, predicted: Side) -> tuple[bool, dict[str, object]]:
        """The sign counts: 100 down is not 100 up."""
        wanted = _float(golden.get(self._text("golden_amount_key"), 0.0))
        found = _float(predicted.get(self._text("predicted_amount_key"), 0.0))
        tolerance, threshold = self._number("tolerance_percent"), self._number("scroll_threshold")
        if wanted == 0:
            difference = abs(found)
            percent = 0.0 if found == 0 else float("inf")
            valid = difference <= threshold
        else:
            difference = abs(wanted - found)
            percent = difference / abs(wanted) * 100
            valid = percent <= tolerance
        return valid, {
            "is_valid": valid,
            "difference": difference,
            "difference_percent": percent,
            "tolerance_used": tolerance,
            "scroll_threshold": threshold,
            "golden_scroll_amount": wanted,
            "predicted_scroll_amount": found,
        }


_METRICS = (
    ActionWithinBboxMetric,
    ExactMatchMetric,
    FuzzyMatchMetric,
    ScrollAmountMetric,
    ScrollDirectionMetric,
    TypedValueMatchMetric,
)
#: The unit metrics by name.
UNIT_METRICS: Mapping[str, type[UnitMetric]] = {metric.name: metric for metric in _METRICS}
