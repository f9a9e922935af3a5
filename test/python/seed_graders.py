"""The example graders of the hosted product's documentation, as it has them; as a program, a JSON list of them."""

from __future__ import annotations

import json
from pathlib import Path

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"
PAGES = sorted(SEEDS.glob("000*")) if SEEDS.is_dir() else []

#: Longer than any of them, in lines.
_LONGEST = 80


def sources() -> list[str]:
    """Return every example that defines ``grade`` or ``grade_batch``, but for those without a body."""
    found: list[str] = []
    for page in PAGES:
        lines = page.read_text("utf-8").splitlines()
        start = 0
        while start < len(lines):
            size = (
                _block(lines[start : start + _LONGEST]) if lines[start].startswith(("import ", "from ", "def ")) else 0
            )
            text = "\n".join(lines[start : start + size])
            if "def grade" in text and "\n    ..." not in text:
                found.append(f"{text}\n")
            start += max(1, size)
    return found


def _block(lines: list[str]) -> int:
    """How many of the lines are Python together: the page has no marks around its examples."""
    size = 0
    for end in range(1, len(lines) + 1):
        try:
            compile("\n".join(lines[:end]), "<example>", "exec")
        except SyntaxError:
            continue
        size = end
    return size


if __name__ == "__main__":
    print(json.dumps(sources()))
