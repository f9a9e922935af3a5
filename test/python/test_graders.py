"""The built-in graders: what they count as right, and what they refuse to judge."""

from __future__ import annotations

import ast
import math
import time
import unittest
from collections.abc import Mapping
from pathlib import Path

from regrade.graders import choice, contains, exact_match, numeric, token_f1
from regrade.graders.contract import Grade, Graded


def graded(grade: Grade, answer: str | None, target: str | None, choices: list[str] | None = None) -> Graded:
    sample = {"output_text": "not read", "extracted_output": answer}
    return grade(sample, {"target": target, "choices": choices or []})


def score(grade: Grade, answer: str | None, target: str | None) -> float:
    return next(iter(graded(grade, answer, target)["scores"].values()))


class ExactMatch(unittest.TestCase):
    def test_by_default_the_texts_are_equal(self) -> None:
        grade = exact_match.create({})
        cases = [
            ("Paris", " Paris\n", 1),
            ("paris", "Paris", 0),
            ("Paris.", "Paris", 0),
            ("a\nb", "a\r\nb", 1),
            ("\ufeff\u00a0ok", "ok", 1),
            ("caf\u00e9", "cafe\u0301", 1),
            (None, "Paris", 0),
            (None, "", 1),
            ("x", "", 0),
        ]
        for answer, target, expected in cases:
            with self.subTest(answer=answer, target=target):
                self.assertEqual(score(grade, answer, target), expected)

    def test_no_white_space_around_a_text_counts_beside_a_byte_order_mark(self) -> None:
        grade = exact_match.create({})
        for space in filter(str.isspace, map(chr, range(0x110000))):
            with self.subTest(space=ascii(space)):
                self.assertEqual(score(grade, f"{space}\ufeff{space}ok{space}\ufeff", "ok"), 1)

    def test_options_loosen_it(self) -> None:
        cases: list[tuple[Mapping[str, object], str | None, str, int]] = [
            ({"case_sensitive": False}, "STRASSE", "straße", 1),
            ({"ignore_punctuation": True}, "«Paris».", "Paris", 1),
            ({"ignore_punctuation": True}, None, "?", 0),
            ({"ignore_punctuation": True}, "Paris", "Rome", 0),
            ({"collapse_whitespace": True}, "New\n  York", "New York", 1),
            ({"collapse_whitespace": True}, "NewYork", "New York", 0),
        ]
        for options, answer, target, expected in cases:
            with self.subTest(options, answer=answer):
                self.assertEqual(score(exact_match.create(options), answer, target), expected)


class Contains(unittest.TestCase):
    def test_the_target_stands_in_the_answer(self) -> None:
        cases: list[tuple[Mapping[str, object], str | None, str, int]] = [
            ({}, "It is Paris.", "paris", 1),
            ({}, "category", "cat", 1),
            ({}, None, "cat", 0),
            ({"case_sensitive": True}, "It is Paris.", "paris", 0),
            ({"whole_words": True}, "category", "cat", 0),
            ({"whole_words": True}, "a cat!", "Cat", 1),
            ({"whole_words": True}, "1.5 km", "1", 0),
            ({"whole_words": True}, "首都是北京。", "北京", 1),
            ({"whole_words": True}, "C++", "C++", 1),
        ]
        for options, answer, target, expected in cases:
            with self.subTest(options, answer=answer, target=target):
                self.assertEqual(score(contains.create(options), answer, target), expected)

    def test_an_empty_target_is_refused_as_every_answer_contains_it(self) -> None:
        with self.assertRaisesRegex(ValueError, "empty"):
            graded(contains.create({}), "x", " ")


class Numeric(unittest.TestCase):
    def test_numbers_are_compared_by_value(self) -> None:
        cases: list[tuple[Mapping[str, object], str | None, str, int]] = [
            ({}, "51", "51.0", 1),
            ({}, "1e3", "1,000", 1),
            ({}, "$1,234.50", "1234.5", 1),
            ({}, "-$5", "\u22125", 1),
            ({}, "5 %", "5", 1),
            ({}, "12345678901234567890", "12345678901234567891", 0),
            ({}, "42.", "42", 1),
            ({"tolerance": 0.01}, "1.01", "1", 1),
            ({"tolerance": 0.01}, "1.0101", "1", 0),
            ({"relative_tolerance": 0.01}, "101", "100", 1),
            ({"relative_tolerance": 0.01}, "-101.1", "-100", 0),
            ({"tolerance": 5, "relative_tolerance": 0.01}, "104", "100", 1),
        ]
        for options, answer, target, expected in cases:
            with self.subTest(options, answer=answer, target=target):
                self.assertEqual(score(numeric.create(options), answer, target), expected)

    def test_numbers_are_read_as_people_write_them(self) -> None:
        cases = [
            (",", "12,5", "12.5", 1),
            (",", "12,50 €", "12,5", 0),
            (",", "1.234,5", "1 234,5", 1),
            (",", "1\u202f000", "1000", 1),
            (",", "1,234", "1.234", 0),
            (".", "1 000", "1,000", 1),
            (".", "1'000.5", "1000.5", 1),
            ("plain", "1 000", "1000", 0),
        ]
        for decimal, answer, target, expected in cases:
            with self.subTest(decimal, answer=answer, target=target):
                self.assertEqual(score(numeric.create({"decimal": decimal}), answer, target), expected)

    def test_an_answer_without_a_number_is_wrong(self) -> None:
        grade = numeric.create({"tolerance": 1e300})
        for answer in (None, "", "none", "about 5", "1/2", "nan", "inf", "1,23", "--5", "1e9999", "9" * 5000, "1_0"):
            with self.subTest(answer):
                self.assertEqual(graded(grade, answer, "5"), {"scores": {"numeric_match": 0.0}})

    def test_the_error_is_told(self) -> None:
        self.assertEqual(
            graded(numeric.create({}), "7", "9.5")["scores"], {"numeric_match": 0.0, "absolute_error": 2.5}
        )
        far = graded(numeric.create({}), "1e300", "-1e300")["scores"]["absolute_error"]
        self.assertTrue(math.isfinite(far))

    def test_a_target_that_is_no_number_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "'five' is no number"):
            graded(numeric.create({}), "5", "five")


class TokenF1(unittest.TestCase):
    def test_shared_words(self) -> None:
        grade = token_f1.create({})
        cases = [
            ("The cat sat", "the cat", 0.8),
            ("a a b", "a b b", 2 / 3),
            ("x", "y", 0),
            ("", "", 1),
            (None, "y", 0),
            ("x", "", 0),
        ]
        for answer, target, expected in cases:
            with self.subTest(answer=answer, target=target):
                self.assertAlmostEqual(score(grade, answer, target), expected)
        self.assertEqual(score(token_f1.create({"case_sensitive": True}), "The", "the"), 0)


class Choice(unittest.TestCase):
    cities = ("London", "Paris", "New York", "A Coruña")

    def test_an_answer_names_one_choice(self) -> None:
        for answer in (
            "B", "b", "(B)", "[b]", "B.", "**B**", "B. Paris", "B) Paris, not London", "(B) Paris", "B\nBecause",
            "B - Paris", "Paris", "paris.", '"Paris"', "Paris is the capital", "Answer: B", "The answer is (B).",
            "the answer is B, as", "ANSWER:\nB", "Final answer: **B. Paris**", "I pick (B).", r"$\boxed{B}$",
            "答案是Paris",
        ):  # fmt: skip
            with self.subTest(answer):
                self.assertEqual(choice.find_choice(answer, self.cities), 1)
        self.assertEqual(choice.find_choice("New\nYork", self.cities), 2)
        self.assertEqual(choice.find_choice("a coruña", self.cities), 3)

    def test_an_answer_that_names_none_or_two_is_no_answer(self) -> None:
        for answer in (
            "", "E", "5", "A. Paris", "A, B", "(A) or (B)", "A and B.", "London or Paris",
            "The answer is A. The answer is B.", "A-level",
            "this is a dog", "the answer is a dog", "Not (A), not (B)", "Parisian", "I", "Berlin",
        ):  # fmt: skip
            with self.subTest(answer):
                self.assertIsNone(choice.find_choice(answer, self.cities))

    def test_choices_that_are_their_own_labels(self) -> None:
        letters = ("A", "B", "C", "D")
        self.assertEqual(choice.find_choice("a", letters), 0)
        self.assertIsNone(choice.find_choice("this is a dog", letters))
        self.assertEqual(choice.find_choice("A", ("B", "A")), 1)
        numbers = ("1", "2", "3", "4")
        for answer in ("3", "3.", "(3)", "3) because 1 is wrong", "The answer is 3, since 1 is wrong", "C"):
            with self.subTest(answer):
                self.assertEqual(choice.find_choice(answer, numbers), 2)
        self.assertIsNone(choice.find_choice("1.5", numbers))
        self.assertEqual(choice.find_choice("Answer: D", ()), 3)

    def test_the_target_by_text_letter_index_and_number(self) -> None:
        cases: list[tuple[Mapping[str, object], str, list[str]]] = [
            ({}, "Paris", list(self.cities)),
            ({}, "paris", list(self.cities)),
            ({}, "b", list(self.cities)),
            ({}, "(B)", list(self.cities)),
            ({}, "1", list(self.cities)),
            ({}, "1.0", list(self.cities)),
            ({"target": "number"}, "2", list(self.cities)),
            ({"target": "index"}, "1", ["0", "2", "1"]),
            ({"target": "text"}, "1", ["0", "1"]),
            ({}, "2", ["1", "2", "3"]),
            ({}, "B", []),
        ]
        for options, target, choices in cases:
            with self.subTest(options, target=target, choices=choices):
                result = graded(choice.create(options), "B", target, choices)
                self.assertEqual(result["scores"], {"choice_match": 1.0})
        wrong = graded(choice.create({}), None, "B", list(self.cities))
        self.assertEqual(wrong, {"scores": {"choice_match": 0.0}, "judge": {"chosen": None, "target": "B: Paris"}})

    def test_a_target_that_can_not_be_read_is_refused(self) -> None:
        cases: list[tuple[Mapping[str, object], str, list[str], str]] = [
            ({}, "Berlin", ["London", "Paris"], "'Berlin' is none of the choices"),
            ({}, "C", ["London", "Paris"], "none of the choices"),
            ({}, "", ["London", "Paris"], "none of the choices"),
            ({}, "Paris", [], "the task has no choices"),
            ({}, "x", ["x", "X"], "the text of 2 choices"),
            ({}, "2", ["2", "4", "8"], "set the grader's option target"),
            ({"target": "letter"}, "1", ["London", "Paris"], "none of the choices"),
        ]
        for options, target, choices, reason in cases:
            with self.subTest(options, target=target), self.assertRaisesRegex(ValueError, reason):
                graded(choice.create(options), "A", target, choices)

    def test_a_hostile_answer_takes_time_in_proportion_to_its_length(self) -> None:
        for unit in ("(", " ", "*", "(A", "answer is ", "A)", "Paris ", "1.", "or "):
            with self.subTest(unit):
                short, long = (_seconds(unit * (size // len(unit)), self.cities) for size in (50_000, 400_000))
                # Eight times the text: 64 times the time if it were quadratic.
                self.assertLess(long / max(short, 0.01), 32)


def _seconds(text: str, choices: tuple[str, ...]) -> float:
    started = time.process_time()
    choice.find_choice(text, choices)
    choice.find_choice(f"A{text}x", choices)
    choice.find_choice(f"answer is{text}x", choices)
    return time.process_time() - started


class Common(unittest.TestCase):
    modules = (exact_match, contains, numeric, token_f1, choice)

    def test_a_missing_target_is_refused(self) -> None:
        for module in self.modules:
            with self.subTest(module.__name__), self.assertRaisesRegex(ValueError, "target_template"):
                graded(module.create({}), "x", None)

    def test_a_wrong_option_is_refused(self) -> None:
        for module in self.modules:
            with self.subTest(module.__name__), self.assertRaisesRegex(ValueError, "'colour' is unknown; there are"):
                module.create({"colour": 1})
        for options in ({"tolerance": -1}, {"tolerance": True}, {"tolerance": float("inf")}, {"tolerance": "1"}):
            with self.subTest(options), self.assertRaisesRegex(ValueError, "tolerance can't be"):
                numeric.create(options)
        with self.assertRaisesRegex(ValueError, "case_sensitive can't be 1"):
            exact_match.create({"case_sensitive": 1})
        with self.assertRaisesRegex(ValueError, "target can't be 'word'"):
            choice.create({"target": "word"})

    def test_a_sample_that_was_never_extracted_has_its_output_read(self) -> None:
        result = exact_match.create({})({"output_text": "Paris"}, {"target": "Paris"})
        self.assertEqual(result["scores"], {"exact_match": 1.0})

    def test_scores_are_the_declared_metrics(self) -> None:
        for module in self.modules:
            with self.subTest(module.__name__):
                result = graded(module.create({}), "1", "1", ["1", "2"])
                self.assertEqual(list(result["scores"]), [metric.id for metric in module.METRICS])

    def test_what_a_grader_is_made_of_is_imported_at_its_top(self) -> None:
        # So all of it is loaded when a run records its files.
        for path in Path(exact_match.__file__).parent.glob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            late = [ast.unparse(node) for node in imports if node not in tree.body]
            with self.subTest(path.name):
                self.assertEqual([text for text in late if "regrade" in text], [])


if __name__ == "__main__":
    unittest.main()
