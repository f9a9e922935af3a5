"""Unit metrics and aggregators: the recorded vectors of SyGra, and what differs from it on purpose."""

from __future__ import annotations

import json
import math
import os
import tracemalloc
import unittest
from collections.abc import Mapping
from typing import Any

from regrade.graders import aggregate, unit_metric
from regrade.graders.aggregators import AGGREGATORS
from regrade.graders.parameters import ParameterError
from regrade.graders.unit_metrics import UNIT_METRICS, ExactMatchMetric, UnitMetric

_VECTORS = os.path.join("..", "shared", "vectors", "sygra.json")
#: Documented parameters that SyGra takes and ignores; here they work.
_BETTER = {"sygra-248": "typed_value_match has case_sensitive", "sygra-279": "action_within_bbox has tolerance"}

Vector = Mapping[str, Any]


def vectors(*kinds: str) -> list[Vector]:
    with open(_VECTORS, encoding="utf-8") as file:
        found: list[Vector] = json.load(file)
    return [each for each in found if each["kind"] in kinds]


def plain(value: Any) -> Any:
    """Numbers that JSON has no word for stand in the file as ``{"$nonfinite": "inf"}``."""
    if isinstance(value, dict):
        if set(value) == {"$nonfinite"}:
            return float(value["$nonfinite"])
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def evaluated(metric: UnitMetric, given: Any) -> Any:
    try:
        return metric.evaluate(given["golden"], given["predicted"])
    except ValueError as error:
        return {"error": type(error).__name__, "message": str(error)}


@unittest.skipUnless(os.path.exists(_VECTORS), "needs ../shared/vectors, which is not part of the repository")
class RecordedVectors(unittest.TestCase):
    def test_every_unit_metric_says_what_sygra_says_but_where_its_documented_parameters_work(self) -> None:
        for vector in vectors("unit"):
            given, expected = plain(vector["input"]), plain(vector["expected"])
            metric = UNIT_METRICS[vector["metric"]](vector["params"])
            got = evaluated(metric, given)
            with self.subTest(vector["id"], metric=vector["metric"], about=vector["source_test"]):
                if vector["id"] in _BETTER:
                    self.assertNotEqual(got[0]["correct"], expected[0]["correct"])
                else:
                    self.assertEqual(got, expected)

    def test_every_aggregator_comes_to_the_same(self) -> None:
        for vector in vectors("aggregator"):
            aggregator = AGGREGATORS[vector["metric"]](vector["params"])
            for result in vector["input"]:
                aggregator.add(plain(result))
            with self.subTest(vector["id"], metric=vector["metric"], about=vector["source_test"]):
                self.assert_close(aggregator.report(), vector["expected"])
                self.assertTrue(math.isfinite(aggregator.values().main[0]))

    def test_parameters_are_read_and_refused_as_there(self) -> None:
        for vector in vectors("unit_init", "aggregator_init"):
            known: Mapping[str, Any] = UNIT_METRICS if vector["kind"] == "unit_init" else AGGREGATORS
            expected = vector["expected"]
            with self.subTest(vector["id"], metric=vector["metric"], params=vector["params"]):
                if "error" in expected:
                    with self.assertRaises(ParameterError) as caught:
                        known[vector["metric"]](vector["params"])
                    self.assertEqual([caught.exception.name], expected["details"][0]["loc"])
                else:
                    read = known[vector["metric"]](vector["params"]).values
                    values = read if isinstance(read, dict) else known[vector["metric"]](vector["params"]).given
                    self.assertEqual({name: values[name] for name in expected["attributes"]}, expected["attributes"])

    def test_texts_are_normalised_and_catalogued_as_there(self) -> None:
        for vector in vectors("helper", "metadata"):
            expected, name = vector["expected"], vector["metric"]
            with self.subTest(vector["id"], metric=name):
                if name == "exact_match._normalize_text":
                    self.assertEqual(ExactMatchMetric(vector["params"]).normalize(*vector["input"]), expected)
                elif name == "exact_match._compare_text":
                    one, other = (ExactMatchMetric(vector["params"]).normalize(text) for text in vector["input"])
                    self.assertEqual(one == other, expected)
                elif vector["kind"] == "metadata":
                    known: Mapping[str, Any] = {**UNIT_METRICS, **AGGREGATORS}
                    self.assertEqual(known[name].title, expected["display_name"])

    def test_the_collator_s_reports_are_the_same_but_for_records_without_a_result(self) -> None:
        # SyGra leaves records without a result out. An unfit result ends its report; a field that is not there is NaN.
        better = {"sygra-415": 1 / 3, "sygra-422": 1.0, "sygra-423": 0.0, "sygra-424": 1.0}
        for vector in vectors("collator"):
            rows, [report] = vector["input"], vector["expected"]
            for entry in vector["params"]["aggregator_metrics_map"] or []:
                if not rows or "name" not in entry or not entry["unit_metrics_results"]:
                    continue  # told before a run: no rows, a missing name, no field
                [source] = entry["unit_metrics_results"]
                params = {key: value for key, value in entry.get("params", {}).items() if key != "key"}
                options = {"aggregator": entry["name"], "source": source, **params}
                options |= {"metadata": entry["metadata"]} if "metadata" in entry else {}
                grade = aggregate.create(options)
                found = grade(iter({"judge": row, "target": "A", "dataset_row": row} for row in rows))
                with self.subTest(vector["id"], aggregator=entry["name"]):
                    if vector["id"] in better:
                        self.assertAlmostEqual(found["metrics"]["value"], better[vector["id"]])  # type: ignore[index]
                    elif report["results"]:
                        self.assert_close(
                            found["details"]["report"],  # type: ignore[index]
                            report["results"][f"{source}-{entry['name']}"],
                        )

    def test_steps_of_web_agents_are_judged_as_there(self) -> None:
        kinds = {"click": "action_within_bbox", "typing": "typed_value_match", "scroll": "scroll_direction"}
        for vector in vectors("web_agent_inline_eval"):
            tool, step = (vector["expected"][name]["retry_0"] for name in ("tool_match", "step_match"))
            with self.subTest(vector["id"]):
                match = UNIT_METRICS["exact_match"]({"key": "tool"})
                self.assertEqual(match.compare(tool["golden"], tool["predicted"]), tool)
                kind = kinds.get(step["predicted"]["tool"], "exact_match")
                metric = UNIT_METRICS[kind]({"key": "tool"} if kind == "exact_match" else {})
                self.assertEqual(metric.compare(step["golden"], step["predicted"]), step)

    def assert_close(self, got: Any, expected: Any) -> None:
        if isinstance(expected, dict):
            self.assertEqual(got.keys(), expected.keys())
            for key, value in expected.items():
                self.assert_close(got[key], value)
        else:
            self.assertAlmostEqual(got, expected, delta=1e-12)


def graded(options: Mapping[str, object], answer: str | None, target: str) -> dict[str, Any]:
    return dict(unit_metric.create(options)({"extracted_output": answer}, {"target": target}))


class UnitMetricGrader(unittest.TestCase):
    def test_the_result_stands_in_the_sample_with_golden_predicted_and_metadata(self) -> None:
        found = graded({"metric": "exact_match", "key": "text"}, "paris", "Paris")
        self.assertEqual(found["scores"], {"correct": 1.0})
        self.assertEqual(found["judge"]["golden"], {"text": "Paris"})
        self.assertEqual(found["judge"]["predicted"], {"text": "paris"})
        self.assertEqual(found["judge"]["metadata"]["validator"], "exact_match")

    def test_texts_count_as_their_keys_say(self) -> None:
        fuzzy: dict[str, object] = {"metric": "fuzzy_match", "key": "text"}
        box = '{"bbox": {"x": 0, "y": 0, "width": 10, "height": 10}}'
        cases: list[tuple[dict[str, object], str | None, str, float]] = [
            ({"metric": "exact_match", "key": "answer"}, "a", "b", 0),
            ({"metric": "exact_match", "key": "text"}, '{"text": "Paris"}', "Paris", 1),
            ({"metric": "exact_match", "key": "text"}, "Paris", '{"text": "Paris"}', 1),
            ({"metric": "exact_match", "key": "text"}, None, "Paris", 0),
            ({"metric": "exact_match", "key": "text", "case_sensitive": True}, "paris", "Paris", 0),
            (fuzzy, "hello wurld", "hello world", 1),
            ({**fuzzy, "threshold": 0.99}, "hello wurld", "hello world", 0),
            ({**fuzzy, "case_sensitive": True}, "PARIS", "paris", 0),
            (fuzzy, "b" + "ab" * 99 + "a", "ab" * 100, 1),
            ({"metric": "action_within_bbox"}, '{"x": 12, "y": 5}', box, 0),
            ({"metric": "action_within_bbox", "tolerance": 2}, '{"x": 12, "y": 5}', box, 1),
            ({"metric": "action_within_bbox"}, "no object", box, 0),
            ({"metric": "scroll_direction"}, '{"direction": "down"}', '{"direction": "down"}', 1),
            ({"metric": "scroll_amount"}, '{"amount": 120}', '{"amount": 100}', 1),
            ({"metric": "typed_value_match", "case_sensitive": True}, "AB", "ab", 0),
        ]
        for options, answer, target, expected in cases:
            with self.subTest(options, answer=answer):
                self.assertEqual(graded(options, answer, target)["scores"], {"correct": expected})

    def test_an_option_of_another_metric_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "threshold is none of exact_match"):
            unit_metric.create({"metric": "exact_match", "threshold": 0.5})

    def test_a_target_that_no_box_stands_in_is_no_wrong_answer(self) -> None:
        with self.assertRaisesRegex(ValueError, "no JSON object"):
            graded({"metric": "action_within_bbox"}, '{"x": 1, "y": 1}', "a box")


def sample(golden: str, predicted: str | None) -> dict[str, object]:
    result = graded({"metric": "exact_match", "key": "text"}, predicted, golden)
    return {"judge": {"match": result["judge"]}, "target": golden, "dataset_row": {"step": golden}}


def aggregated(options: Mapping[str, object], samples: list[dict[str, object]]) -> dict[str, Any]:
    return aggregate.create({"source": "match", **options})(iter(samples))


_FAILED: dict[str, object] = {"judge": None, "target": "A"}
_F1 = {"aggregator": "f1_score", "predicted_key": "text", "golden_key": "text"}


class AggregateGrader(unittest.TestCase):
    def test_each_class_is_a_metric_with_an_interval(self) -> None:
        samples = [sample("TV shows", "TV shows"), sample("TV shows", "Art"), sample("Art", "Art")]
        found = aggregated({"aggregator": "recall", "golden_key": "text"}, samples)
        self.assertEqual(found["metrics"], {"value": 0.75, "Art": 1.0, "TV_shows": 0.5})
        low, high = found["intervals"]["TV_shows"]
        self.assertTrue(0 < low < 0.5 < high < 1)
        self.assertEqual(found["details"]["report"]["recall_per_class"], {"Art": 1.0, "TV shows": 0.5})

    def test_a_sample_without_a_result_counts_as_wrong_and_is_told(self) -> None:
        raised: dict[str, object] = {"judge": {"match": {"invalid": True}}, "target": "B"}
        samples = [sample("A", "A"), _FAILED, raised]
        found = aggregated({"aggregator": "accuracy"}, samples)
        self.assertAlmostEqual(found["metrics"]["value"], 1 / 3)
        self.assertEqual((found["details"]["records"], found["details"]["without_result"]), (3, 2))
        self.assertEqual(aggregated({"aggregator": "recall", "golden_key": "text"}, samples)["metrics"]["B"], 0.0)

    def test_classes_whose_names_look_alike_stay_apart(self) -> None:
        samples = [sample(label, label) for label in ("a b", "a_b", "value", "日本", "")]
        names = list(aggregated({"aggregator": "recall", "golden_key": "text"}, samples)["metrics"])
        self.assertEqual(len(set(names)), 6)
        self.assertTrue(all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-.") for name in names), names)

    def test_a_text_that_is_free_makes_no_thousand_metrics(self) -> None:
        samples = [sample(f"answer {i}", f"answer {i}") for i in range(300)]
        found = aggregated(_F1, samples)
        self.assertEqual(len(found["metrics"]), 101)
        self.assertIsNone(found["details"]["confusion"])
        self.assertIn("300 classes", found["details"]["notes"][0])

    def test_a_predicted_text_that_no_target_has_names_no_metric(self) -> None:
        samples = [sample("Paris", "Paris"), sample("Paris", "my secret is 123")]
        for options in (_F1, {"aggregator": "precision", "predicted_key": "text"}):
            found = aggregated(options, samples)
            self.assertEqual(set(found["metrics"]), {"value", "Paris"})
            self.assertEqual(found["details"]["notes"], ["of 2 classes 1 are metrics"])
            self.assertIn("my secret is 123", str(found["details"]["report"]))

    def test_the_confusion_matrix_has_other_predictions_and_none_apart(self) -> None:
        samples = [sample("A", "A"), sample("A", "B"), sample("B", "C"), {**_FAILED, "target": "B"}]
        matrix = aggregated(_F1, samples)["details"]["confusion"]
        self.assertEqual(matrix, {"labels": ["A", "B"], "rows": [[1, 1, 0, 0], [0, 0, 1, 1]]})

    def test_pass_at_k_names_each_size(self) -> None:
        samples = [sample("A", "A"), sample("A", "A"), sample("A", "A"), sample("A", "B")]
        self.assertEqual(
            aggregated({"aggregator": "pass@k", "k": 2}, samples)["metrics"],
            {"value": 1.0, "pass_at_1": 0.75, "pass_at_2": 1.0},
        )

    def test_a_hundred_times_the_samples_take_no_more_memory(self) -> None:
        def peak(count: int) -> int:
            labels = ("Art", "Music", "Sports")
            grade = aggregate.create({"source": "match", **_F1})
            tracemalloc.start()
            grade(sample(labels[i % 3], labels[i % 2]) for i in range(count))
            found = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return found

        peak(10)
        self.assertLess(peak(5_000), 2 * peak(50))

    def test_fields_of_the_row_reach_the_metadata(self) -> None:
        options = {"aggregator": "step_efficiency", "metadata": {"step_id": "step", "mission_id": "no such field"}}
        found = aggregated(options, [sample("one", "one"), sample("two", "x")])
        self.assertEqual(found["details"]["report"]["total_steps"], 2)

    def test_what_it_needs_and_what_it_can_t_use_is_told(self) -> None:
        for options, expected in (
            ({"aggregator": "precision"}, "predicted_key is missing"),
            ({"aggregator": "accuracy", "k": 2}, "k is none of accuracy"),
        ):
            with self.subTest(options), self.assertRaisesRegex(ValueError, expected):
                aggregate.create({"source": "match", **options})
