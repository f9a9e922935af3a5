"""Regular expressions as Python's ``re`` defines them: checks a manifest's pattern, and searches one text for it.

Some patterns take longer than anyone can wait. ``re`` looks for signals while it matches, so a signal handler that
raises (``regrade.timer``) ends a search; nothing here catches that exception.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import TypedDict

#: Limit of a pattern, in characters. The longest of 75 patterns in 14,341 published task files has fewer than 300.
PATTERN_LIMIT = 1_000
#: Limit of a text, in characters; of a longer one, the beginning and the end are searched, half each.
TEXT_LIMIT = 100_000

_FLAGS = {
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "x": re.VERBOSE,
    "a": re.ASCII,
    "u": re.UNICODE,
}


class Found(TypedDict, total=False):
    """Either ``found`` or ``no_match``; ``truncated`` if the middle of the text was left out."""

    found: str
    no_match: bool
    truncated: bool


def check(spec: Mapping[str, object]) -> str | None:
    """Return why the pattern, the flags or the group can't be used, as the end of a sentence; None if they can."""
    try:
        _group(spec, compiled(spec))
    except ValueError as refused:
        return str(refused)
    return None


def search(spec: Mapping[str, object], text: str) -> Found:
    """Search ``text`` for ``spec``: ``type`` (regex, regex_last), ``pattern``, and optionally ``group`` and ``flags``.

    ``regex`` takes the first match, ``regex_last`` the last one. An empty match does not count: ``regex_last`` skips
    it, because ``re`` adds one at the end of a text (``.*`` in "a" matches "a", then ""). The default group is 1 if the
    pattern has one, else the whole match. A group that is empty or took no part is no match. Of a text with more than
    100,000 characters the first and the last 50,000 are searched, with a newline between them. Raises ValueError for
    what ``check`` refuses.
    """
    pattern = compiled(spec)
    group = _group(spec, pattern)
    kept = _capped(text)
    match = _last(pattern, kept, group) if spec.get("type") == "regex_last" else pattern.search(kept)
    found = match.group(group) if match else None
    result: Found = {"found": found} if found else {"no_match": True}
    if kept is not text:
        result["truncated"] = True
    return result


def _last(pattern: re.Pattern[str], text: str, group: int | str) -> re.Match[str] | None:
    """Return the last match. All matches are visited and one is kept. The text's limit bounds their number; a separate
    bound would make some other match the last."""
    last = None
    for match in pattern.finditer(text):
        # An empty match whose group has text is a look-ahead that found something.
        if match.end() > match.start() or match.group(group):
            last = match
    return last


def _capped(text: str) -> str:
    if len(text) <= TEXT_LIMIT:
        return text
    half = TEXT_LIMIT // 2
    return f"{text[:half]}\n{text[-half:]}"


def compiled(spec: Mapping[str, object]) -> re.Pattern[str]:
    """Return the compiled pattern of ``spec`` with its ``flags``. Raises ValueError for what ``check`` refuses about
    them."""
    pattern = spec.get("pattern")
    flags = spec.get("flags") or ""
    if not isinstance(pattern, str) or not isinstance(flags, str):
        raise ValueError("the pattern and the flags must be text")
    if len(pattern) > PATTERN_LIMIT:
        raise ValueError(f"it has {len(pattern):,} characters; at most {PATTERN_LIMIT:,} are allowed")
    return _compile(pattern, _read_flags(flags))


def _read_flags(letters: str) -> re.RegexFlag:
    flags = re.RegexFlag(0)
    for letter in letters:
        if letter not in _FLAGS:
            raise ValueError(f"the flag {letter!r} is unknown; allowed are {', '.join(_FLAGS)}{_about(letter)}")
        flags |= _FLAGS[letter]
    if flags & re.ASCII and flags & re.UNICODE:
        raise ValueError("the flags 'a' and 'u' exclude each other; 'u' is the default and can be left out")
    return flags


def _about(letter: str) -> str:
    """A hint about a flag that other languages have."""
    if letter == "g":
        return " (type regex takes the first match, regex_last the last one)"
    if letter.lower() in _FLAGS:
        return f" (in lower case: {letter.lower()})"
    return ""


@lru_cache(maxsize=256)
def _compile(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            # Ignore warnings about syntax that a later Python may read differently.
            warnings.simplefilter("ignore")
            return re.compile(pattern, flags)
    except re.error as error:
        raise ValueError(f"{error.msg}{_at(error)}") from error
    except (OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _at(error: re.error) -> str:
    if error.pos is None:
        return ""
    if error.lineno is not None and error.lineno > 1:
        return f" at line {error.lineno}, column {error.colno}"
    return f" at character {error.pos + 1}"


def _group(spec: Mapping[str, object], pattern: re.Pattern[str]) -> int | str:
    group = spec.get("group")
    if group is None:
        return 1 if pattern.groups else 0
    if isinstance(group, str):
        if group not in pattern.groupindex:
            raise ValueError(f"it has no group named {group!r}; {_named_groups(pattern)}")
        return group
    if isinstance(group, bool) or not isinstance(group, int):
        raise ValueError("the group must be a whole number or a name")
    if not 0 <= group <= pattern.groups:
        count = "no group" if pattern.groups == 0 else f"groups 1 to {pattern.groups}"
        raise ValueError(f"it has no group {group}; it has {count}, and 0 is the whole match")
    return group


def _named_groups(pattern: re.Pattern[str]) -> str:
    if not pattern.groupindex:
        return "a named group is written (?P<name>…), and a numbered one is named by a number without quotes"
    return f"its named groups are {', '.join(pattern.groupindex)}"
