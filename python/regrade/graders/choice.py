"""1 where the answer names the right one of several choices, by its letter or its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase

from regrade.graders.contract import (
    Grade,
    Graded,
    Item,
    Metric,
    Options,
    Sample,
    as_word,
    normal,
    read_answer,
    read_options,
    read_target,
)

METRICS = (
    Metric(id="choice_match", description="1 when the extracted output names the target's choice, and no other."),
)

OPTIONS: Options = {
    "target": {
        "type": "string",
        "enum": ["auto", "text", "letter", "index", "number"],
        "default": "auto",
        "description": "What the target is: a choice's text, its letter, its index (from 0) or its number (from 1). "
        "auto takes the first of text, letter and index that fits.",
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. The choices are the task's, the letters A to Z in their order; without choices, letters alone.

    The answer is read in five ways, and the first that finds something decides: it is a choice as a whole ("B", "(b)",
    "Paris."); it begins with one ("B. Paris"); it states one ("the answer is (B)"); it has one in brackets or bold; it
    names a choice's text. Two different choices found in the same way are no answer. No answer is wrong. A target that
    is none of the choices raises ValueError, and so does one with two meanings under ``auto``.
    """
    kind = str(read_options(options, OPTIONS)["target"])

    def grade(sample: Sample, item: Item) -> Graded:
        choices = _read_choices(item)
        target = _read_index(read_target(item), choices, kind)
        chosen = find_choice(read_answer(sample) or "", choices)
        named = None if chosen is None else _name(chosen, choices)
        return {
            "scores": {"choice_match": 1.0 if chosen == target else 0.0},
            "judge": {"chosen": named, "target": _name(target, choices)},
        }

    return grade


def find_choice(text: str, choices: Sequence[str]) -> int | None:
    """Return the index of the one choice that ``text`` names, or None."""
    patterns = _patterns(tuple(choices))
    whole = _as_whole(text, choices)
    if whole:
        return _only(whole)
    begins = patterns.begins.match(text)
    if begins:
        found = _of_label(begins, choices) | _as_whole(text[begins.end() :], choices)
        second = patterns.joins.match(text, begins.end())
        return _only(found | _of_label(second, choices) if second else found)
    for pattern in (patterns.states, patterns.marks):
        found = {index for match in pattern.finditer(text) for index in _of_label(match, choices)}
        if found:
            return _only(found)
    if patterns.names is None:
        return None
    return _only({index for match in patterns.names.finditer(text) for index in _of_text(match[0], choices)})


def _only(found: set[int]) -> int | None:
    return next(iter(found)) if len(found) == 1 else None


def _as_whole(text: str, choices: Sequence[str]) -> set[int]:
    found = _of_text(text, choices) or _of_text(text.strip(_AROUND), choices, _AROUND)
    if found:
        return found
    bare = text.strip(_AROUND).upper()
    return {ascii_uppercase.index(bare)} if len(bare) == 1 and bare in _letters(choices) else set()


#: What stands around a choice that is an answer as a whole: white space, emphasis, quotes, brackets, a full stop.
_AROUND = " \t\n*_`\"'“”‘’()[].:,;!"


def _of_text(text: str, choices: Sequence[str], around: str = " \t\n") -> set[int]:
    wanted = _plain(text, around)
    return {index for index, choice in enumerate(choices) if wanted and _plain(choice, around) == wanted}


def _plain(text: str, around: str) -> str:
    return " ".join(text.strip(around).casefold().split())


def _of_label(match: re.Match[str], choices: Sequence[str]) -> set[int]:
    letter, text = match["letter"], match["text"]
    return {ascii_uppercase.index(letter.upper())} if letter else _of_text(text, choices)


def _letters(choices: Sequence[str]) -> str:
    """A choice that is itself a letter goes by its text: of ``["B", "A"]``, A is the second."""
    return ascii_uppercase[: len(choices)] if choices else ascii_uppercase


class _Patterns:
    """Where labels stand in an answer: groups ``letter`` and ``text``. Linear: no two repeats share a character."""

    def __init__(self, choices: Sequence[str]) -> None:
        letters = _letters(choices)
        # "A" as the first choice is its letter: found where a letter is, not where prose has the article "a".
        texts = [text for i, text in enumerate(choices) if text and text.upper() != letters[i : i + 1]]
        texts.sort(key=len, reverse=True)
        text = f"(?i:(?P<text>{'|'.join(map(_pattern, texts)) or '(?!)'}))"
        # A letter that is another choice's text is that text.
        own = "".join(letter for letter in letters if letter not in {one.upper() for one in texts})
        upper = f"(?P<letter>[{own}])" if own else "(?P<letter>(?!))"
        any_case = f"(?i:{upper})"
        after = r"(?![\w'’])"
        self.begins = re.compile(
            rf"[\s*_`\"“(\[]*(?:{any_case}|{text}){after}[\]*_`\"”)]*"
            r"(?:(?<=[)\]])(?!\w)|[^\S\n]*(?:[).:,–—-](?!\w)|\n))"
        )
        self.states = re.compile(rf"(?i:\banswer\s*(?:is|:|=))[\s:*_`\"“(\[]*(?:{upper}|{text}){after}")
        self.joins = re.compile(rf"(?:(?<=,)|[^\S\n]*(?:[,/&]|or\b|and\b))[\s*_`\"“(\[]*(?:{upper}|{text}){after}")
        self.marks = re.compile(rf"(?:[(\[{{]|\*\*)(?:{upper}|{text})(?:[)\]}}]|[.):]?\*\*)")
        words = "|".join(as_word(one) for one in texts)
        self.names = re.compile(words, re.IGNORECASE) if words else None


_patterns = lru_cache(maxsize=64)(_Patterns)


def _pattern(choice: str) -> str:
    return r"\s+".join(re.escape(word) for word in choice.split())


def _read_choices(item: Item) -> list[str]:
    choices = item.get("choices")
    given = choices if isinstance(choices, (list, tuple)) else []
    return [normal(str(choice)) for choice in given]


def _read_index(target: str, choices: Sequence[str], kind: str) -> int:
    readings = {
        "text": _of_text(target, choices),
        "letter": _read_letter(target, choices),
        "index": _read_number(target, choices, 0),
        "number": _read_number(target, choices, 1),
    }
    wanted = ["text", "letter", "index"] if kind == "auto" else [kind]
    found = [readings[name] for name in wanted if readings[name]]
    if not found:
        listed = ", ".join(repr(choice) for choice in choices[:26]) or "the letters A to Z (the task has no choices)"
        raise ValueError(f"the target {target[:100]!r} is none of the choices ({kind}): {listed}")
    if len(found[0]) > 1:
        raise ValueError(f"the target {target[:100]!r} is the text of {len(found[0])} choices of this case")
    if kind == "auto" and readings["text"] and readings["index"] - readings["text"] and not _count_up(choices):
        raise ValueError(
            f"the target {target!r} is the text of one choice and the index of another; "
            "set the grader's option target to text, index or number"
        )
    return next(iter(found[0]))


def _read_letter(target: str, choices: Sequence[str]) -> set[int]:
    bare = target.strip("().").upper()
    return {ascii_uppercase.index(bare)} if len(bare) == 1 and bare in _letters(choices) else set()


def _read_number(target: str, choices: Sequence[str], first: int) -> set[int]:
    if not re.fullmatch(r"\d{1,4}(?:\.0)?", target, re.ASCII):
        return set()
    index = int(float(target)) - first
    return {index} if 0 <= index < len(choices) else set()


def _count_up(choices: Sequence[str]) -> bool:
    """True for choices that number themselves (1, 2, 3, 4): such a target is meant by its text."""
    return any(list(choices) == [str(first + i) for i in range(len(choices))] for first in (0, 1))


def _name(index: int, choices: Sequence[str]) -> str:
    """``B: Paris``, or what there is of it."""
    letter = ascii_uppercase[index] if index < len(ascii_uppercase) else str(index)
    text = choices[index] if choices else letter
    return text if text.upper() == letter else f"{letter}: {text}"
