"""Results of ``grade_batch``: what is stored, what is dropped and said, what is invalid."""

import json
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from regrade.batch import read_batch


def read(value: object, known: set[str] | None = None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    head, *updates = read_batch(value, "score", known or {"s1", "s2"})
    return json.loads(head), [json.loads(update) for update in updates]


class StoredTest(unittest.TestCase):
    def test_metrics_and_updates(self) -> None:
        head, updates = read(
            {
                "metrics": {"macro_f1": 0.5, "n": 2},
                "samples": [
                    {"sample_id": "s1", "scores": {"correct": 1}, "judge": None},
                    {"sample_id": "s2", "extracted_output": None, "judge": {"why": float("nan")}},
                ],
            }
        )
        self.assertEqual(head, {"kind": "graded", "metrics": {"macro_f1": 0.5, "n": 2.0}, "notes": []})
        self.assertEqual(updates[0], {"sample_id": "s1", "scores": {"correct": 1.0}, "judge": None})
        self.assertEqual(updates[1], {"sample_id": "s2", "judge": {"why": "nan"}, "extracted_output": None})

    def test_a_number_is_the_metric(self) -> None:
        self.assertEqual(read(0.25)[0]["metrics"], {"score": 0.25})

    def test_updates_alone(self) -> None:
        head, updates = read({"samples": [{"sample_id": "s1", "scores": {"a": 0}}]})
        self.assertEqual((head["metrics"], len(updates)), ({}, 1))


class NotedTest(unittest.TestCase):
    def check(self, value: object, *expected: str) -> list[dict[str, Any]]:
        head, updates = read(value)
        self.assertEqual(head["kind"], "graded", head)
        self.assertEqual(len(head["notes"]), len(expected), head["notes"])
        for note, words in zip(head["notes"], expected, strict=True):
            self.assertIn(words, note)
        return updates

    def test_metrics_that_are_no_numbers(self) -> None:
        self.check(
            {"metrics": {"a": 1, "b": float("nan"), "c": True, "d": "0.5", 3: 1.0}},
            "the metric b was not stored: it is NaN",
            "the metric c was not stored: it is the bool True",
            "the metric d was not stored: it is the str '0.5'",
            "its name is no text",
        )

    def test_unknown_samples(self) -> None:
        updates = self.check(
            {"metrics": {"a": 1}, "samples": [{"sample_id": "s9"}, {"scores": {}}, 3]},
            "no sample of this task and candidate has the sample_id 's9'",
            "update 2 was not used: it has no sample_id",
            "update 3 was not used: it is the int 3",
        )
        self.assertEqual(updates, [])

    def test_updated_twice(self) -> None:
        updates = self.check(
            {
                "samples": [
                    {"sample_id": "s1", "scores": {"a": 0, "b": 1}},
                    {"sample_id": "s1", "scores": {"a": 1}},
                    {"sample_id": "s1", "judge": {}},
                ]
            },
            "the sample s1 was updated more than once",
        )
        self.assertEqual(updates, [{"sample_id": "s1", "scores": {"a": 1.0, "b": 1.0}, "judge": {}}])

    def test_parts_of_an_update(self) -> None:
        updates = self.check(
            {"samples": [{"sample_id": "s1", "scores": {"a": None, "b": 1}, "extracted_output": 4, "score": 1}]},
            "the update of s1 has 'score', which is not read",
            "the score 'a' of s1 was not stored: it is None",
            "the extracted_output of s1 was not replaced: it is the int 4",
        )
        self.assertEqual(updates, [{"sample_id": "s1", "scores": {"b": 1.0}}])

    def test_many_notes_are_counted(self) -> None:
        head, _ = read({"metrics": {"a": 1}, "samples": [{"sample_id": str(n)} for n in range(100)]})
        self.assertEqual(len(head["notes"]), 21)
        self.assertEqual(head["notes"][-1], "… and 80 more of this kind")


class InvalidTest(unittest.TestCase):
    def test_each_mistake_has_a_sentence(self) -> None:
        async def asynchronous() -> None: ...

        cases: list[tuple[object, str]] = [
            (None, "every path through grade_batch needs a return"),
            (True, "the bool True"),
            (float("nan"), "NaN"),
            ([], 'return {"samples": […]}'),
            ("0.5", "the str '0.5'"),
            ({}, 'return {"metrics": {"<metric>": number}}'),
            ({"accuracy": 0.5}, "put accuracy inside it"),
            ({"scores": {"a": 1}}, "which is what grade returns"),
            ({"metrics": [1]}, "not a dict of numbers"),
            ({"samples": {}}, "not a list of updates"),
            ({"metrics": {"a": None}}, "the metric a was not stored: it is None"),
            ({"metrics": {}}, "metrics and samples are empty"),
            (asynchronous(), "grade_batch is async"),
        ]
        for value, expected in cases:
            with self.subTest(value=value):
                head, updates = read(value)
                self.assertEqual((head["kind"], head["type"], updates), ("invalid", "bad_result", []))
                self.assertIn(expected, head["message"])
                self.assertTrue(head["judge"]["invalid"])


if __name__ == "__main__":
    unittest.main()
