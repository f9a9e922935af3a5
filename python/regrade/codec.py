"""Reads and writes JSON by the C code of Python's own ``json``, without importing that module.

The module imports ``re`` and ``enum``, which takes as long as starting Python. Values and texts are the same. The
functions are bound before user code runs, so that a grader that replaces ``json.dumps`` does not change the protocol.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_SPACE = " \t\n\r"


class _Reading:
    """The attributes that the C code expects of a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _decoder() -> Callable[[str], Any]:
    from _json import make_scanner

    scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Reading())  # type: ignore[arg-type]

    def decode(text: str) -> Any:
        """Return the value of a JSON text; raises ValueError if it is no JSON."""
        start = len(text) - len(text.lstrip(_SPACE))
        try:
            value, end = scan(text, start)
        except StopIteration as stop:
            raise _error("Expecting value", text, stop.value) from None
        if end != len(text) and text[end:].strip(_SPACE):
            rest = text[end:]
            raise _error("Extra data", text, end + len(rest) - len(rest.lstrip(_SPACE)))
        return value

    return decode


def _error(message: str, text: str, place: int) -> ValueError:
    from json import JSONDecodeError

    return JSONDecodeError(message, text, place)


def _encoder() -> tuple[Callable[[object], str], Callable[[str], str]]:
    from _json import encode_basestring_ascii, make_encoder

    def encode(value: object) -> str:
        """Return a value as JSON (ASCII, no spaces); raises ValueError or TypeError if JSON can't hold it."""
        if isinstance(value, str):
            return encode_basestring_ascii(value)
        parts = make_encoder({}, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)(value, 0)
        return "".join(parts)

    return encode, encode_basestring_ascii


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _bind() -> tuple[Callable[[str], Any], Callable[[object], str], Callable[[str], str]]:
    """Return the functions. The C code may change between versions of Python; if it does not fit, ``json`` itself is
    used."""
    try:
        decode, (encode, encode_text) = _decoder(), _encoder()
        if decode(' {"a":[1,-2.5e3,null,true,"\\u00e9"]}\n') == _SAMPLE and encode(_SAMPLE) == _SAMPLE_TEXT:
            return decode, encode, encode_text
    except Exception:
        pass
    import json

    encoding = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
    return json.JSONDecoder().decode, encoding.encode, json.encoder.encode_basestring_ascii


_SAMPLE = {"a": [1, -2500.0, None, True, "é"]}
_SAMPLE_TEXT = '{"a":[1,-2500.0,null,true,"\\u00e9"]}'
decode, encode, encode_text = _bind()
