"""The object in a model's answer, as SyGra's tasks find it."""

from __future__ import annotations

import json


def parse_answer(text: str | None) -> dict[str, object] | None:
    """Return the object that the whole text is, else its first block of balanced braces; other JSON stands under
    ``value``. None where there is none: braces in texts count as others do, and a second block is not looked at.
    """
    if text is None:
        return None
    for part in (text, _first_block(text)):
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {"value": found}
    return None


def _first_block(text: str) -> str:
    """The leftmost brace that is closed again, with what it closes. A brace that stays open is passed over."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for place, character in enumerate(text):
        if character == "{":
            opened.append(place)
        elif character == "}" and opened:
            closed[opened.pop()] = place
    if not closed:
        return ""
    start = min(closed)
    return text[start : closed[start] + 1]
