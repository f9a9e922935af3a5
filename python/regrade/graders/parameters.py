"""Parameters as a mapping of YAML has them, read leniently: ``"0.5"`` is a number, ``"yes"`` a boolean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

_TRUE = ("1", "on", "t", "true", "y", "yes")
_FALSE = ("0", "off", "f", "false", "n", "no")


class ParameterError(ValueError):
    """A parameter that is missing or can't be what it is."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the parameter {name} {reason}")
        self.name = name


@dataclass(frozen=True)
class Parameter:
    """``read`` turns what is given into what the metric needs, or raises ValueError with the rest of the sentence
    "the parameter NAME …"."""

    read: Callable[[object], object]
    required: bool = False
    default: object = None


Parameters = Mapping[str, Parameter]


def read_parameters(given: Mapping[str, object], parameters: Parameters) -> dict[str, object]:
    """Return a value for each of ``parameters``. What else is given is left alone: the manifest's side looks at it."""
    values: dict[str, object] = {}
    for name, parameter in parameters.items():
        if name not in given:
            if parameter.required:
                raise ParameterError(name, "is missing")
            values[name] = parameter.default
            continue
        try:
            values[name] = parameter.read(given[name])
        except ValueError as error:
            raise ParameterError(name, str(error)) from None
    return values


def boolean(default: bool) -> Parameter:
    """Return a parameter that is true or false."""

    def read(value: object) -> bool:
        word = value.strip().lower() if isinstance(value, str) else value
        if isinstance(word, (bool, int, float)) and word in (0, 1):
            return bool(word)
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise ValueError(f"is true or false, not {value!r}")

    return Parameter(read, default=default)


def text(default: str | None = None, required: bool = False, nullable: bool = False) -> Parameter:
    """Return a parameter that is text; a required one is not empty."""

    def read(value: object) -> str | None:
        if value is None and nullable:
            return None
        if not isinstance(value, str) or (required and value == ""):
            raise ValueError(f"is a text{' of at least one character' if required else ''}, not {value!r}")
        return value

    return Parameter(read, required, default)


def number(default: float, least: float = 0, most: float = float("inf")) -> Parameter:
    """Return a parameter that is a number between two limits."""

    def read(value: object) -> float:
        found = _as_float(value)
        if found is None or not least <= found <= most:
            limits = f"a number from {least:g}" + ("" if most == float("inf") else f" to {most:g}")
            raise ValueError(f"is {limits}, not {value!r}")
        return found

    return Parameter(read, default=default)


def count() -> Parameter:
    """Return a required parameter that is a whole number from 0."""

    def read(value: object) -> int:
        found = _as_float(value)
        if found is None or found < 0 or not found.is_integer():
            raise ValueError(f"is a whole number from 0, not {value!r}")
        return int(found)

    return Parameter(read, required=True)


def _as_float(value: object) -> float | None:
    if not isinstance(value, (bool, int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < float("inf") else None
