"""Converts any Python value to plain JSON that Node can read. It never fails, and marks what is lost."""

from __future__ import annotations

import math

from regrade.codec import encode

#: Limit of one value (a judge object, an invalid payload) in a sample, in characters of JSON.
VALUE_LIMIT = 256 * 1024
_REPR_LIMIT = 2_000
_BRIEF_LIMIT = 100
_START_LIMIT = 16 * 1024
_DEPTH_LIMIT = 50
_PARTS_LIMIT = 100_000
#: Whole numbers with more digits become Infinity in Node, which JSON does not have.
_HUGE = b"0" * 309
_ALL_ZERO = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))
#: Beyond this, Node's numbers lose digits.
_EXACT = 2**53


def encode_any(value: object) -> str:
    """Return ``value`` as JSON text (ASCII).

    A value that JSON does not have becomes the text of its ``repr`` (NaN becomes ``"nan"``). A value whose JSON is
    longer than VALUE_LIMIT becomes ``{"truncated": true, "characters": n, "start": "…"}``.
    """
    try:
        text = encode(value)
        if len(text) <= VALUE_LIMIT and (_may_be_deep(text) or _may_be_huge(text)):
            text = encode(_Plain()(value))
    except (TypeError, ValueError, RecursionError, OverflowError):
        text = encode(_Plain()(value))
    if len(text) <= VALUE_LIMIT:
        return text
    return encode({"truncated": True, "characters": len(text), "start": text[:_START_LIMIT]})


def _may_be_deep(text: str) -> bool:
    """True if the value may be nested too deeply for Node's JSON, or for ours when it is read again; Python can write
    deeper values."""
    return text.count("[") + text.count("{") > 4 * _DEPTH_LIMIT


def _may_be_huge(text: str) -> bool:
    return len(text) >= len(_HUGE) and _HUGE in text.encode("ascii").translate(_ALL_ZERO)


def shown(value: object) -> str:
    """Return ``repr(value)``, shortened; never raises, whatever the object's own code does."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    if len(text) <= _REPR_LIMIT:
        return text
    return f"{text[:_REPR_LIMIT]}… ({len(text)} characters)"


def brief(value: object) -> str:
    """Return the beginning of ``shown(value)``, for use in a sentence."""
    text = shown(value)
    return text if len(text) <= _BRIEF_LIMIT else f"{text[:_BRIEF_LIMIT]}…"


class _Plain:
    """One conversion. It counts what it creates, because lists that contain themselves twice would grow without end."""

    def __init__(self) -> None:
        self._left = _PARTS_LIMIT

    def __call__(self, value: object, depth: int = 0) -> object:
        self._left -= 1
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return int(value) if -_EXACT <= value <= _EXACT else _digits(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(float(value))
        if depth >= _DEPTH_LIMIT or self._left <= 0:
            return "… (more than is kept)"
        if isinstance(value, dict):
            return {key if isinstance(key, str) else shown(key): self(part, depth + 1) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self(part, depth + 1) for part in value]
        return shown(value)


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to write more than 4,300 digits
        return hex(value)[:_REPR_LIMIT]
