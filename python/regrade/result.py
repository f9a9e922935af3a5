"""Reads a grader's return value as scores or as an invalid result."""

from __future__ import annotations

import math
import sys

from regrade.codec import encode, encode_text
from regrade.plain import brief, encode_any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Scored:
    """Finite scores by metric id, and the grader's own details."""

    def __init__(self, scores: dict[str, float], judge: dict[str, object] | None) -> None:
        self.scores = scores
        self.judge = judge

    def encoded(self) -> str:
        """Return the result's part of a frame, as JSON text."""
        judge = "null" if self.judge is None else encode_any(self.judge)
        # Setting up the encoder would cost more than these few numbers. They are finite floats, so their repr is JSON.
        scores = ",".join([f"{encode_text(name)}:{score!r}" for name, score in self.scores.items()])
        return f'{{"kind":"scored","scores":{{{scores}}},"judge":{judge}}}'


class Invalid:
    """A result that counts as a score of 0: the value that was returned, and what is wrong with it."""

    def __init__(self, type: str, reason: str, payload: object = None, traceback: str | None = None) -> None:
        self.type = type
        self.reason = reason
        self.payload = payload
        self.traceback = traceback

    def encoded(self) -> str:
        """Return the result's part of a frame, as JSON text: the judge payload that the sample keeps."""
        traceback = "" if self.traceback is None else f',"traceback":{encode(self.traceback)}'
        return (
            f'{{"kind":"invalid","type":{encode(self.type)},"message":{encode(self.reason)},'
            f'"judge":{{"invalid":true,"payload":{encode_any(self.payload)},'
            f'"reason":{encode(self.reason)}{traceback}}}}}'
        )


class NoScore:
    """There is no score, and nobody made a mistake. A built-in grader says so by raising
    ``regrade.ungraded.Ungraded``."""

    def __init__(self, type: str, reason: str) -> None:
        self.type = type
        self.reason = reason

    def encoded(self) -> str:
        """Return the result's part of a frame, as JSON text."""
        return f'{{"kind":"ungraded","type":{encode(self.type)},"message":{encode(self.reason)}}}'


def read_result(value: object, metric_id: str) -> Scored | Invalid:
    """Read what ``grade`` returned.

    A finite number is the score under ``metric_id``; a dict has ``scores`` and optionally ``judge``. A bool does not
    count as a number. Numbers of other libraries do (numpy, Decimal, Fraction, a tensor with one value).
    """
    if type(value) is float and math.isfinite(value):
        return Scored({metric_id: value}, None)
    if isinstance(value, dict):
        return _read_dict(value)
    score = finite(value)
    if score is not None:
        return Scored({metric_id: score}, None)
    return bad_result(value, f"grade returned {_named(value)}{_way_out(value)}")


def finite(value: object) -> float | None:
    """Return ``value`` as a finite float, or None if it is no finite number."""
    kind = type(value)
    if kind is bool:
        return None
    if kind is not float and kind is not int and not _is_real(value):
        # Zero-dimensional arrays of numpy and torch give their single value as a plain number.
        if not (hasattr(value, "dtype") and callable(getattr(value, "item", None))):
            return None
        return finite(_item(value))
    try:
        number = float(value)  # type: ignore[arg-type]
    except (OverflowError, ValueError):  # an int above 1.8e308; a signalling NaN
        return None
    return number if math.isfinite(number) else None


def _is_real(value: object) -> bool:
    """True for subclasses of float and int, and for numbers of modules that are imported already: a value of theirs
    can't exist otherwise."""
    if isinstance(value, (float, int)):
        return True
    for module, name in (("numbers", "Real"), ("decimal", "Decimal")):  # a Decimal is no numbers.Real
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type) and isinstance(value, kind):
            return True
    return False


def _item(value: object) -> object:
    try:
        plain: object = value.item()  # type: ignore[attr-defined]
    except (TypeError, ValueError, RuntimeError):  # more than one value
        return None
    return plain if type(plain) in (int, float) else None


def _read_dict(value: dict[object, object]) -> Scored | Invalid:
    given = value.get("scores")
    if not isinstance(given, dict):
        return bad_result(value, _why_no_scores(value))
    scores: dict[str, float] = {}
    dropped: dict[str, object] = {}
    for name, raw in given.items():
        score = finite(raw)
        if score is not None and isinstance(name, str):
            scores[name] = score
        else:
            dropped[str(name)] = f"not stored: {_named(raw) if score is None else 'its name is not text'}"
    if scores:
        return Scored(scores, _judge(value.get("judge"), dropped))
    details = "; ".join(_why_dropped(name, raw) for name, raw in _first(given))
    return bad_result(value, f"grade returned a dict without any finite score: {details or 'scores is empty'}")


def _why_dropped(name: object, raw: object) -> str:
    if finite(raw) is None:
        return f"{name} is {_named(raw)}"
    return f'the key {brief(name)} is no text: a score stands under its metric\'s id, such as "score"'


def _judge(judge: object, dropped: dict[str, object]) -> dict[str, object] | None:
    """The judge payload. One that is no object is kept under ``value``; scores that were dropped are listed beside
    it."""
    kept = judge if isinstance(judge, dict) or judge is None else {"value": judge}
    return {**(kept or {}), "dropped_scores": dropped} if dropped else kept


def _first(given: dict[object, object]) -> Iterator[tuple[object, object]]:
    return (entry for entry, _ in zip(given.items(), range(5), strict=False))


def _why_no_scores(value: dict[object, object]) -> str:
    if "scores" in value:
        return f"grade returned a dict whose scores is {_named(value['scores'])}, not a dict of numbers"
    found = [str(name) for name, raw in value.items() if finite(raw) is not None]
    if not found:
        return 'grade returned a dict without "scores": return {"scores": {"<metric>": number}}'
    return (
        f'grade returned a dict without "scores": put {", ".join(found[:5])} inside it, '
        f'as {{"scores": {{"{found[0]}": …}}}}'
    )


def bad_result(value: object, reason: str) -> Invalid:
    """Return the invalid result for a value; a coroutine or generator is closed."""
    close = getattr(value, "close", None)
    if callable(close) and type(value).__name__ in ("coroutine", "generator"):
        close()  # so that Python doesn't warn of a coroutine that was never awaited
    return Invalid("bad_result", reason, value)


def _named(value: object) -> str:
    """Name a value for a sentence: ``the bool True``, ``None``, ``NaN``."""
    if value is None:
        return "None"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and not isinstance(value, bool):
        return "an int too large for a float"
    return f"the {type(value).__name__} {brief(value)}"


def _way_out(value: object) -> str:
    if isinstance(value, bool):
        return ": return 1.0 or 0.0"
    if value is None:
        return ": every path through grade needs a return"
    if type(value).__name__ == "coroutine":
        return ": grade is async; define it with a plain def"
    if type(value).__name__ == "generator":
        return ": grade has a yield; use return"
    return ': return a finite number, or {"scores": {…}}'
