"""What a grader may return, and what becomes of everything else."""

import json
import sys
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from regrade.plain import VALUE_LIMIT, encode_any
from regrade.result import Invalid, Scored, read_result


class Array:
    """As numpy's and torch's arrays look."""

    dtype = "float32"

    def __init__(self, *values: object) -> None:
        self._values = values

    def item(self) -> object:
        if len(self._values) != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._values[0]


class Float(float):
    pass


class ScoresTest(unittest.TestCase):
    def test_numbers_are_scores(self) -> None:
        for value, expected in [
            (1.0, 1.0),
            (0, 0.0),
            (-2, -2.0),
            (10**30, 1e30),
            (Float(0.5), 0.5),
            (Fraction(1, 4), 0.25),
            (Decimal("0.25"), 0.25),
            (Array(0.5), 0.5),
            (Array(1), 1.0),
        ]:
            with self.subTest(value=value):
                result = read_result(value, "f1")
                self.assertEqual(result.encoded(), Scored({"f1": expected}, None).encoded())
                self.assertEqual(json.loads(result.encoded())["scores"], {"f1": expected})

    def test_a_score_under_a_key_that_is_no_text_says_so(self) -> None:
        result = read_result({"scores": {1: 1.0}}, "score")
        assert isinstance(result, Invalid)
        self.assertIn("the key 1 is no text: a score stands under its metric's id", result.reason)

    def test_a_dict_keeps_its_finite_scores_and_tells_of_the_others(self) -> None:
        given = {"a": 1, "b": float("nan"), "c": True, "d": "1", 5: 0.5}
        result = read_result({"scores": given, "judge": {"why": "x"}}, "score")
        assert isinstance(result, Scored)
        self.assertEqual(result.scores, {"a": 1.0})
        assert result.judge is not None
        self.assertEqual(result.judge["why"], "x")
        self.assertEqual(
            result.judge["dropped_scores"],
            {
                "b": "not stored: NaN",
                "c": "not stored: the bool True",
                "d": "not stored: the str '1'",
                "5": "not stored: its name is not text",
            },
        )

    def test_judge(self) -> None:
        for judge, expected in [
            ({"a": [1]}, {"a": [1]}),
            (None, None),
            ("because", {"value": "because"}),
            ([1], {"value": [1]}),
        ]:
            with self.subTest(judge=judge):
                result = read_result({"scores": {"a": 1}, "judge": judge}, "score")
                self.assertEqual(json.loads(result.encoded())["judge"], expected)

    def test_names_are_written_as_json(self) -> None:
        result = read_result({"scores": {'a"\n\ud800é': 1.5}}, "score")
        self.assertEqual(json.loads(result.encoded())["scores"], {'a"\n\ud800é': 1.5})


class InvalidTest(unittest.TestCase):
    def test_everything_else_is_invalid(self) -> None:
        def generator() -> object:
            yield 1.0

        for value, reason in [
            (float("nan"), "grade returned NaN"),
            (float("inf"), "grade returned Infinity"),
            (float("-inf"), "grade returned -Infinity"),
            (10**400, "grade returned an int too large for a float"),
            (True, "grade returned the bool True: return 1.0 or 0.0"),
            (None, "grade returned None: every path through grade needs a return"),
            ("1.0", "grade returned the str '1.0'"),
            ([1.0], "grade returned the list [1.0]"),
            ((1.0,), "grade returned the tuple (1.0,)"),
            (1j, "grade returned the complex 1j"),
            (Array(1.0, 2.0), "grade returned the Array"),
            (Array(True), "grade returned the Array"),
            (generator(), "grade has a yield; use return"),
            ({}, 'grade returned a dict without "scores"'),
            ({"exact_match": 1.0}, "put exact_match inside it"),
            ({"scores": 1.0}, "not a dict of numbers"),
            ({"scores": {}}, "scores is empty"),
            ({"scores": {"a": float("nan"), "b": None}}, "a is NaN; b is None"),
        ]:
            with self.subTest(value=value):
                result = read_result(value, "score")
                assert isinstance(result, Invalid)
                self.assertEqual(result.type, "bad_result")
                self.assertIn(reason, result.reason)
                judge = json.loads(result.encoded())["judge"]
                self.assertIs(judge["invalid"], True)
                self.assertEqual(judge["reason"], result.reason)

    def test_the_payload_is_kept(self) -> None:
        for value, payload in [
            ("yes", "yes"),
            (True, True),
            (float("nan"), "nan"),
            ({"scores": {"a": float("inf")}, "judge": {"b": 1}}, {"scores": {"a": "inf"}, "judge": {"b": 1}}),
            ({1}, "{1}"),
        ]:
            with self.subTest(value=value):
                self.assertEqual(json.loads(read_result(value, "s").encoded())["judge"]["payload"], payload)


class PlainTest(unittest.TestCase):
    def test_what_json_has_no_word_for(self) -> None:
        class Silent:
            def __repr__(self) -> str:
                raise KeyError("no")

        around: list[object] = []
        around += [around, around]
        deep: object = 1
        for _ in range(5_000):
            deep = [deep]
        for value, expected in [
            ({(1, 2): 1}, '{"(1, 2)":1}'),
            ({"a": (1, {2})}, '{"a":[1,"{2}"]}'),
            (10**400, f'"1{"0" * 400}"'),
            ([2**60, float("nan")], '["1152921504606846976","nan"]'),
            (Silent(), '"<Silent whose repr raised KeyError>"'),
        ]:
            with self.subTest(expected=expected):
                self.assertEqual(encode_any(value), expected)
        for endless in (around, deep, 10**10_000):
            json.loads(encode_any(endless))

    def test_large_values_are_cut(self) -> None:
        cut = json.loads(encode_any({"text": "x" * VALUE_LIMIT}))
        self.assertEqual(cut["truncated"], True)
        self.assertEqual(cut["characters"], VALUE_LIMIT + 11)
        self.assertTrue(cut["start"].startswith('{"text":"xxx'))


if __name__ == "__main__":
    unittest.main()
