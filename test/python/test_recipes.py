"""The recipes that graders import: what they return at the edges."""

from __future__ import annotations

import math
import unittest

import regrade


class Recipes(unittest.TestCase):
    def test_exact_match(self) -> None:
        cases = [
            (" Paris\n", "Paris", True, 1.0),
            ("paris", "Paris", True, 0.0),
            ("STRASSE", "straße", False, 1.0),
            (None, "", True, 1.0),
            (None, "x", False, 0.0),
        ]
        for output, target, case_sensitive, expected in cases:
            with self.subTest(output=output, target=target):
                self.assertEqual(regrade.exact_match(output, target, case_sensitive=case_sensitive), expected)

    def test_numbers(self) -> None:
        self.assertEqual(regrade.numeric_match("1.01", "1", tolerance=0.01), 1.0)
        self.assertEqual(regrade.numeric_match("1.0101", "1", tolerance=0.01), 0.0)
        self.assertEqual(regrade.numeric_match(101, 100, relative_tolerance=0.01), 1.0)
        self.assertEqual(regrade.numeric_match("51", "51.0"), 1.0)
        for output in (None, "", "about 5", "nan", math.nan, math.inf, True):
            with self.subTest(output):
                self.assertEqual(regrade.numeric_match(output, "5", tolerance=1e9), 0.0)
                self.assertIsNone(regrade.absolute_error(output, "5"))
        self.assertEqual(regrade.absolute_error("7", 9.5), 2.5)

    def test_token_f1(self) -> None:
        self.assertAlmostEqual(regrade.token_f1("The cat sat", "the cat"), 0.8)
        self.assertEqual(regrade.token_f1(None, "!"), 1.0)
        self.assertEqual(regrade.token_f1("x", None), 0.0)
        self.assertEqual(regrade.token_f1("The", "the", case_sensitive=True), 0.0)

    def test_macro_f1(self) -> None:
        self.assertEqual(regrade.macro_f1([]), 0.0)
        self.assertEqual(regrade.macro_f1([("x", None)]), 0.0)
        self.assertEqual(regrade.macro_f1([("a", "a"), ("b", "b")]), 1.0)
        # a: 2·1 / (1 + 2) = 2/3; b: 2·1 / (2 + 1) = 2/3; c, never predicted: 0.
        pairs = [("a", "a"), ("b", "a"), ("b", "b"), (None, "c")]
        self.assertAlmostEqual(regrade.macro_f1(iter(pairs)), 4 / 9)

    def test_cosine(self) -> None:
        self.assertAlmostEqual(regrade.cosine([1, 0], [1, 1]), math.sqrt(0.5))
        self.assertEqual(regrade.cosine([0.0, 0.0], [1.0, 2.0]), 0.0)
        self.assertEqual(regrade.cosine([], []), 0.0)
        self.assertAlmostEqual(regrade.cosine([1e200, 1e200], [2e200, 2e200]), 1.0)
        with self.assertRaisesRegex(ValueError, "2 and 1 numbers"):
            regrade.cosine([1, 2], [1])

    def test_the_names_that_there_are(self) -> None:
        for name in regrade.__all__:
            self.assertTrue(hasattr(regrade, name), name)
        with self.assertRaisesRegex(AttributeError, "has no 'bleu'; it has .*token_f1"):
            getattr(regrade, "bleu")  # noqa: B009 - a type checker refuses it rightly


if __name__ == "__main__":
    unittest.main()
