"""What a judge answered: a verdict off the menu, or none at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regrade.ungraded import Ungraded

#: Characters of the judge's words that a message quotes, and that the sample keeps of its reasons.
_QUOTED = 300
_KEPT = 8_000


@dataclass(frozen=True)
class Verdict:
    """One of the menu, letter for letter."""

    verdict: str
    rationale: str


def read_verdict(response: Mapping[str, object], menu: Sequence[str]) -> Verdict:
    """Read a response of the Responses API. Raises Ungraded for everything but a verdict off the menu.

    The whole answer must be one JSON object, at most in a code fence: of an answer that quotes what it judges, a
    verdict found somewhere in the middle might be the candidate's. Keys that are there twice are no verdict either.
    """
    answer = read_object(response)
    verdict, rationale = answer.get("verdict"), answer.get("rationale")
    if verdict not in menu:
        raise Ungraded(
            "judge_off_menu",
            f"the judge's verdict {quoted(json.dumps(verdict))} is none of {', '.join(menu)}",
        )
    return Verdict(str(verdict), rationale[:_KEPT] if isinstance(rationale, str) else "")


def read_object(response: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON object that is the whole of a response. Raises Ungraded for everything else."""
    text = response.get("output_text")
    _refuse_incomplete(response)
    if not isinstance(text, str) or not text.strip():
        raise Ungraded("judge_silent", "the judge gave no answer")
    return _read_object(text)


def _refuse_incomplete(response: Mapping[str, object]) -> None:
    refusal = _refusal(response.get("output"))
    if refusal is not None:
        raise Ungraded("judge_refused", f"the judge declined to judge: {quoted(refusal)}")
    if response.get("status") in (None, "completed"):
        return
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    if reason == "max_output_tokens":
        message = "the judge's answer was cut off; raise the judge's option max_output_tokens"
        raise Ungraded("judge_incomplete", message)
    raise Ungraded(
        "judge_incomplete", f"the judge's answer is not complete: {quoted(str(reason or response['status']))}"
    )


def _refusal(output: object) -> str | None:
    """A model that declines says so in a part of its own."""
    for item in output if isinstance(output, list) else []:
        content = item.get("content") if isinstance(item, dict) else None
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and part.get("type") == "refusal":
                return str(part.get("refusal"))
    return None


_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


def _read_object(text: str) -> dict[str, object]:
    bare = text.strip()
    fenced = _FENCE.fullmatch(bare)
    try:
        answer = json.loads(fenced[1] if fenced else bare, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        return answer
    raise Ungraded(
        "judge_unreadable", f"the judge's answer is not the JSON object that it was asked for: {quoted(text)}"
    )


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def quoted(text: str) -> str:
    """Return the beginning of a judge's words, for a message."""
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
