"""Whether a skill is told to be used for its prompts, and for no others."""

from __future__ import annotations

import unittest

from regrade.graders.triggers import create


def _sample(name: str, wanted: bool, *, uses: bool | None, weight: float = 1.0) -> dict[str, object]:
    steps = None if uses is None else [{"type": "skill", "name": "s"}] if uses else [{"type": "end"}]
    return {"sample_id": name, "dataset_row": {"should_trigger": wanted, "w": weight}, "transcript": steps}


class Triggers(unittest.TestCase):
    def test_weighs_prompts_and_counts_a_failed_one_as_wrong(self) -> None:
        graded = create({"skill": "s", "weight_field": "w"})(
            [
                _sample("a", True, uses=True),
                _sample("b", True, uses=None, weight=0.5),
                _sample("c", False, uses=True, weight=0.5),
                _sample("d", False, uses=False),
            ]
        )
        self.assertEqual(graded["metrics"], {"accuracy": 2 / 3, "precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
        self.assertEqual(graded["details"], {"errors": 1, "tp": 1.0, "fp": 0.5, "tn": 1.0, "fn": 0.5})

    def test_has_no_precision_where_nothing_was_triggered(self) -> None:
        graded = create({"skill": "s"})([_sample("a", False, uses=False)])
        self.assertEqual(graded["metrics"], {"accuracy": 1.0, "precision": 0.0, "recall": 0.0, "f1": 0.0})

    def test_says_so_where_no_answer_tells_of_skills(self) -> None:
        with self.assertRaisesRegex(ValueError, "must be an agent"):
            create({"skill": "s"})([_sample("a", True, uses=None)])


if __name__ == "__main__":
    unittest.main()
