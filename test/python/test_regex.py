"""Regexes as a manifest writes them: what is refused before a run, what is found, and that a search can be ended."""

from __future__ import annotations

import signal
import time
import unittest

from regrade import regex


def spec(pattern: str, **more: object) -> dict[str, object]:
    return {"type": "regex", "pattern": pattern, **more}


class Check(unittest.TestCase):
    def test_takes_what_python_takes(self) -> None:
        for good in (
            spec(r"(?<=b)(\d+)", flags="imsx", group=1),
            spec(r"(?P<v>\w)", group="v", flags="a"),
            spec("x", group=0, flags=""),
            spec("x", flags="u", group=None),
            spec("[[a]"),
        ):
            with self.subTest(good):
                self.assertIsNone(regex.check(good))

    def test_says_what_is_wrong_and_where(self) -> None:
        cases: list[tuple[dict[str, object], str]] = [
            (spec("ab(c"), "missing ), unterminated subpattern at character 3"),
            (spec("a\n)", flags="x"), "unbalanced parenthesis at line 2, column 1"),
            (spec("a{99999999999}"), "the repetition number is too large"),
            (spec("x" * 1001), "it has 1,001 characters; at most 1,000 are allowed"),
            (
                spec("x", flags="ig"),
                "the flag 'g' is unknown; allowed are i, m, s, x, a, u (type regex takes the first",
            ),
            (spec("x", flags="I"), "the flag 'I' is unknown; allowed are i, m, s, x, a, u (in lower case: i)"),
            (spec("x", flags="L"), "the flag 'L' is unknown; allowed are i, m, s, x, a, u"),
            (spec("x", flags="au"), "the flags 'a' and 'u' exclude each other"),
            (spec("(a)(b)", group=3), "it has no group 3; it has groups 1 to 2, and 0 is the whole match"),
            (spec("a", group=1), "it has no group 1; it has no group, and 0 is the whole match"),
            (spec("a", group=-1), "it has no group -1"),
            (spec("(?P<a>.)(?P<b>.)", group="c"), "it has no group named 'c'; its named groups are a, b"),
            (spec("(a)", group="1"), "it has no group named '1'; a named group is written (?P<name>…)"),
            (spec("(a)", group=True), "the group must be a whole number or a name"),
            ({"pattern": None}, "the pattern and the flags must be text"),
        ]
        for bad, reason in cases:
            with self.subTest(bad):
                self.assertIn(reason, regex.check(bad) or "")


class Search(unittest.TestCase):
    def test_first_and_last_match(self) -> None:
        self.assertEqual(regex.search(spec(r"\d+"), "a 12 b 34"), {"found": "12"})
        self.assertEqual(regex.search(spec(r"\d+", type="regex_last"), "a 12 b 34"), {"found": "34"})

    def test_the_default_group_is_the_first_where_there_is_one(self) -> None:
        self.assertEqual(regex.search(spec("a(b)c"), "abc"), {"found": "b"})
        self.assertEqual(regex.search(spec("a(b)c", group=0), "abc"), {"found": "abc"})
        self.assertEqual(regex.search(spec("(?P<x>a)(?P<y>b)", group="y"), "ab"), {"found": "b"})

    def test_an_empty_match_is_none(self) -> None:
        cases = [
            (spec("(x*)"), "abcx"),
            (spec("(a)|(b)"), "b"),
            (spec("(a)|(b)", type="regex_last"), "ab"),
            (spec(r"Answer:\s*(\w*)", type="regex_last"), "Answer: B\nAnswer:"),
            (spec("x*", type="regex_last"), "abc"),
            (spec("x"), ""),
        ]
        for given, text in cases:
            with self.subTest(given):
                self.assertEqual(regex.search(given, text), {"no_match": True})

    def test_the_empty_match_at_the_end_does_not_hide_the_last_one(self) -> None:
        self.assertEqual(regex.search(spec(".*", type="regex_last"), "a\nb"), {"found": "b"})
        self.assertEqual(regex.search(spec(r"(?=(\d))", type="regex_last"), "a1b2c"), {"found": "2"})

    def test_the_last_of_very_many_matches_is_the_last(self) -> None:
        text = "1 " * 40_000 + "2"
        self.assertEqual(regex.search(spec(r"\d", type="regex_last"), text), {"found": "2"})

    def test_head_and_tail_of_a_long_text_are_searched_and_it_is_said(self) -> None:
        text = "head " + "x" * 200_000 + " tail"
        self.assertEqual(regex.search(spec(r"^\w+ "), text), {"found": "head ", "truncated": True})
        self.assertEqual(regex.search(spec(r" \w+$"), text), {"found": " tail", "truncated": True})
        self.assertEqual(regex.search(spec("q"), text), {"no_match": True, "truncated": True})

    def test_a_refused_pattern_is_not_searched_for(self) -> None:
        with self.assertRaisesRegex(ValueError, "unterminated"):
            regex.search(spec("("), "text")


class Late(BaseException):
    pass


@unittest.skipUnless(hasattr(signal, "setitimer"), "this system has no timer signals")
class Interruption(unittest.TestCase):
    def test_a_signal_ends_a_search_that_would_take_for_ever(self) -> None:
        def ring(*_: object) -> None:
            raise Late

        before = signal.signal(signal.SIGALRM, ring)
        started = time.monotonic()
        try:
            for kind in ("regex", "regex_last"):
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                with self.subTest(kind), self.assertRaises(Late):
                    regex.search(spec(r"^(a+)+$", type=kind), "a" * 60 + "!")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertLess(time.monotonic() - started, 20)


if __name__ == "__main__":
    unittest.main()
