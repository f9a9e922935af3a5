"""The judge on scales: what it asks, what counts as an answer, and that what does not is asked for again."""

from __future__ import annotations

import json
import unittest
from collections.abc import Mapping
from pathlib import Path

from regrade.graders import judge
from regrade.ungraded import Ungraded

SCALES = [
    {"id": "facts", "question": "Are the facts right?", "levels": ["wrong", "bad", "fair", "good", "right"]},
    {"id": "tone", "question": "Is it polite?", "levels": ["rude", "polite"]},
]
GOOD = {
    "facts_reasoning": "All right.",
    "facts": 4,
    "tone_reasoning": "",
    "tone": 2,
    "unverified_claims": ["It rains."],
}


VECTORS = Path(__file__).parents[3] / "shared/vectors/keval.json"


class Judge:
    """Answers one text after the other, and the last one from then on."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, object]] = []

    def responses_create(self, **request: object) -> Mapping[str, object]:
        self.asked.append(request)
        text = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return {"id": "resp_1", "model": "m", "status": "completed", "output_text": text}

    def embeddings_create(self, **request: object) -> Mapping[str, object]:
        raise NotImplementedError


def grade(model: Judge, **options: object) -> Mapping[str, object]:
    sample = {"output_text": "Paris", "extracted_output": "Paris", "prompt": "Capital of France?"}
    return judge.create({"scales": SCALES, **options})(sample, {"target": "Paris"}, model)


def with_changes(**changes: object) -> str:
    return json.dumps({key: value for key, value in {**GOOD, **changes}.items() if value != "left out"})


class OnScales(unittest.TestCase):
    def test_scores_reasons_and_claims(self) -> None:
        model = Judge(json.dumps(GOOD))
        graded = grade(model)
        self.assertEqual(graded["scores"], {"facts": 4.0, "tone": 2.0, "unverified_claims": 1.0})
        self.assertEqual(
            graded["judge"],
            {
                "facts_reasoning": "All right.",
                "tone_reasoning": "",
                "unverified_claims": ["It rains."],
                "model": "m",
                "response_id": "resp_1",
            },
        )
        self.assertEqual(len(model.asked), 1)

    def test_the_judge_reads_every_level_and_gives_a_reason_before_each_score(self) -> None:
        model = Judge(json.dumps(GOOD))
        grade(model, rubric="Be strict.")
        instructions = str(model.asked[0]["instructions"])
        self.assertIn('The scale "facts": Are the facts right?\n1: wrong\n2: bad\n', instructions)
        self.assertIn("Be strict.", instructions)
        text = model.asked[0]["text"]
        assert isinstance(text, dict)
        keys = ["facts_reasoning", "facts", "tone_reasoning", "tone", "unverified_claims"]
        self.assertEqual(list(text["format"]["schema"]["properties"]), keys)

    def test_without_claims_none_are_asked_for_nor_counted(self) -> None:
        model = Judge(with_changes(unverified_claims="left out"))
        graded = grade(model, claims=False)
        self.assertEqual(graded["scores"], {"facts": 4.0, "tone": 2.0})
        self.assertNotIn("unverified_claims", json.dumps(model.asked[0]))

    def test_an_answer_off_the_scales_is_asked_for_again_in_words_of_ours(self) -> None:
        cases = [
            with_changes(facts=7),
            with_changes(facts=0),
            with_changes(facts=4.5),
            with_changes(facts=True),
            with_changes(facts=None),
            with_changes(facts="four"),
            with_changes(facts="left out"),
            with_changes(tone=3),
            with_changes(tone_reasoning="left out"),
            with_changes(unverified_claims=None),
            with_changes(unverified_claims=[1]),
            with_changes(facts=float("inf")),
            "The facts are fine: 4. SECRET",
            '{"facts": 4, "fac',
            "[4, 2]",
            "",
        ]
        for bad in cases:
            with self.subTest(bad):
                model = Judge(bad, json.dumps(GOOD))
                graded = grade(model)
                self.assertEqual(graded["scores"]["facts"], 4.0)
                self.assertEqual(graded["judge"]["answers"], 2)
                self.assertIn("Your last reply could not be used.", str(model.asked[1]["input"]))
                self.assertNotIn("SECRET", str(model.asked[1]["input"]))

    def test_an_answer_that_stays_off_the_scales_is_no_score(self) -> None:
        for bad, kind in [(with_changes(facts=7), "judge_off_scale"), ("prose", "judge_unreadable")]:
            model = Judge(bad)
            with self.assertRaises(Ungraded) as raised:
                grade(model)
            self.assertEqual(raised.exception.type, kind)
            self.assertEqual(len(model.asked), 3)

    def test_spellings_of_a_whole_number_count(self) -> None:
        for value in ("4", 4.0):
            self.assertEqual(grade(Judge(with_changes(facts=value)))["scores"]["facts"], 4.0)

    def test_options_that_can_not_be_used_are_refused(self) -> None:
        cases: list[tuple[Mapping[str, object], str]] = [
            ({"verdicts": {"a": 1, "b": 0}}, "either verdicts or scales"),
            ({"scales": [{"id": "a", "question": "?"}]}, "an id, a question and levels"),
            ({"scales": [{"id": "a", "question": "?", "levels": ["x"]}]}, "2 to 10 levels"),
            ({"scales": [SCALES[0], SCALES[0]]}, "must differ"),
            ({"scales": [{**SCALES[0], "id": "unverified_claims"}]}, "must differ"),
            ({"scales": [SCALES[0], {**SCALES[1], "id": "facts_reasoning"}]}, "must differ"),
            ({"scales": []}, "neither a rubric nor scales"),
            ({"scales": [], "rubric": "r", "claims": True}, "claims are listed where the judge has scales"),
        ]
        for options, reason in cases:
            with self.subTest(options), self.assertRaisesRegex(ValueError, reason):
                judge.create({"scales": SCALES, **options})

    @unittest.skipUnless(VECTORS.exists(), "needs ../shared/vectors, which is not part of the repository")
    def test_answers_of_k_evals_own_tests_are_read_as_k_eval_reads_them(self) -> None:
        names = ("factual_adherence", "completeness", "helpfulness_and_clarity")
        scales = [{"id": name, "question": "?", "levels": list("abcde")} for name in names]
        vectors = [each for each in json.loads(VECTORS.read_text("utf-8")) if answer_of(each) is not None]
        self.assertGreaterEqual(len(vectors), 24)
        for vector in vectors:
            with self.subTest(vector["id"]):
                model, expected = Judge(str(answer_of(vector))), vector["expected"]
                if "error" in expected:
                    with self.assertRaises(Ungraded):
                        grade(model, scales=scales)
                    continue
                expected = expected.get("value", expected)
                graded = grade(model, scales=scales)
                self.assertEqual([graded["scores"][name] for name in names], [expected[name] for name in names])
                for key in [*(f"{name}_reasoning" for name in names), "unverified_claims"]:
                    self.assertEqual(graded["judge"][key], expected[key])


def answer_of(vector: Mapping[str, object]) -> str | None:
    """Return the judge's answer in a vector. None: the vector is about something else."""
    given = vector["input"]
    if vector["kind"] == "judge_parse":
        return str(given)
    if vector["kind"] == "judge" and isinstance(given, dict):
        return given.get("content")
    return json.dumps(given) if vector["metric"] == "JudgeResult" else None


if __name__ == "__main__":
    unittest.main()
