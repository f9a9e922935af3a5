"""Classes for SyGra: the registries and results that they know, and the answers that its tasks read."""

from __future__ import annotations

import json
import os
import unittest
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from regrade.foreign import classes
from regrade.foreign.adapt import NotUsable, adapt, numbers_of
from regrade.graders.answer_json import parse_answer

_VECTORS = os.path.join("..", "shared", "vectors", "sygra.json")


def vectors(kind: str) -> list[Mapping[str, Any]]:
    with open(_VECTORS, encoding="utf-8") as file:
        return [each for each in json.load(file) if each["kind"] == kind]


class SampleMetric(classes.BaseAggregatorMetric):
    pass


class AlternativeMetric(classes.BaseAggregatorMetric):
    pass


class NotAMetric:
    pass


_CLASSES: Mapping[str, type] = {each.__name__: each for each in (SampleMetric, AlternativeMetric, NotAMetric)}


def operate(registry: Any, operation: list[Any]) -> Any:
    """One step of the recorded lists of operations on a registry."""
    word, *rest = operation
    try:
        if word in ("register", "decorate"):
            name, chosen = rest[0], _CLASSES[rest[1]]
            if word == "register":
                registry.register(name, chosen)
            else:
                classes.aggregator_metric(name)(chosen)
            return "ok"
        if word == "get":
            found = registry.get_metric(rest[0])
            return {"class": type(found).__name__, "config": found.config}
        names = {
            "has": "has_metric",
            "list": "list_metrics",
            "get_class": "get_metric_class",
            "info": "get_metrics_info",
        }
        found = getattr(registry, names.get(word, word))(*rest)
        return found.__name__ if isinstance(found, type) else found
    except (ValueError, TypeError, KeyError) as error:
        return {"error": type(error).__name__, "message": str(error)}


@unittest.skipUnless(os.path.exists(_VECTORS), "needs ../shared/vectors, which is not part of the repository")
class RecordedVectors(unittest.TestCase):
    def test_registries_do_what_sygra_s_do(self) -> None:
        registry = classes.AggregatorMetricRegistry
        before = dict(registry._metrics)
        try:
            for vector in vectors("registry"):
                if vector["metric"] != "ops":
                    continue
                registry.clear()
                with self.subTest(vector["id"]):
                    got = [operate(registry, operation) for operation in vector["input"]]
                    self.assertEqual(got, vector["expected"])
        finally:
            registry._metrics.update(before)

    def test_results_are_made_of_plain_data(self) -> None:
        for vector in vectors("result"):
            with self.subTest(vector["id"]):
                try:
                    got: Any = classes.UnitMetricResult.from_dict(vector["input"]).to_dict()
                except ValueError as error:
                    got = {"error": "ValueError", "message": str(error)}
                self.assertEqual(got, vector["expected"])

    def test_the_object_in_an_answer_is_the_one_that_sygra_s_tasks_find(self) -> None:
        for vector in vectors("parse"):
            with self.subTest(vector["id"], text=vector["input"]):
                self.assertEqual(parse_answer(vector["input"]), vector["expected"])

    def test_the_registry_has_what_sygra_s_has_and_fuzzy_match(self) -> None:
        expected = {vector["metric"]: vector["expected"] for vector in vectors("registry") if vector["metric"] != "ops"}
        listed = classes.UnitMetricRegistry.list_metrics()
        self.assertEqual(listed, sorted([*expected["list_metrics"], "fuzzy_match"]))
        self.assertEqual(expected["get_metric"]["error"], "KeyError")
        self.assertEqual(classes.UnitMetricRegistry.get_metric("fuzzy_match").get_metric_name(), "fuzzy_match")

    def test_a_class_s_helpers_count_and_divide_as_there(self) -> None:
        metric = SampleMetric()
        for vector in vectors("helper"):
            with self.subTest(vector["id"]):
                if vector["metric"] == "count_correct":
                    results = [classes.UnitMetricResult(**each) for each in vector["input"]]
                    self.assertEqual(metric._count_correct(results), vector["expected"])
                elif vector["metric"] == "safe_divide":
                    self.assertEqual(metric._safe_divide(*vector["input"]), vector["expected"])

    def test_the_node_of_unit_metrics_gives_these_results(self) -> None:
        for vector in vectors("unit_metrics_lambda"):
            state, params = vector["input"], vector["params"]
            for entry in params.get("unit_metrics_map", []):
                if entry["name"] not in vector["expected"]:
                    self.assertEqual(vector["expected"]["error"], "KeyError")  # it has no fuzzy_match
                    metric = classes.UnitMetricRegistry.get_metric(entry["name"], **entry["params"])
                    [found] = metric.evaluate([{"text": state["answer"]}], [{"text": state["pred"]}])
                    self.assertTrue(found.correct)
                    continue
                with self.subTest(vector["id"]):
                    metric = classes.UnitMetricRegistry.get_metric(entry["name"], **entry.get("params", {}))
                    golden, predicted = ([{"text": state[params[key]]}] for key in ("golden_key", "predicted_key"))
                    [got] = metric.evaluate(golden, predicted)
                    self.assertEqual(got.to_dict(), vector["expected"][entry["name"]])


class AsLambda:
    @staticmethod
    def apply(node: Mapping[str, Any], state: dict[str, Any]) -> dict[str, Any]:
        correct = state[node["golden_key"]] == state["predicted"]
        state["found"] = {"correct": correct, "golden": {}, "predicted": {}, "metadata": {}}
        return state


class Wordless:
    pass


def module_of(*found: type) -> ModuleType:
    module = ModuleType("users")
    for each in found:
        setattr(module, each.__name__, each)
    return module


class Adapted(unittest.TestCase):
    def test_a_lambda_with_apply_is_given_its_node_and_the_state(self) -> None:
        spec = {"as": "lambda", "name": "AsLambda", "result": "found", "predicted": "predicted"}
        grade = adapt(module_of(AsLambda), {**spec, "params": {"golden_key": "answer"}})
        found = grade({"extracted_output": "a"}, {"answer": "a", "target": "a"})
        self.assertEqual(found["scores"], {"score": 1.0})
        with self.assertRaisesRegex(ValueError, "which output_keys names"):
            adapt(module_of(AsLambda), {**spec, "result": "other", "params": {"golden_key": "answer"}})(
                {"extracted_output": "a"}, {"answer": "a"}
            )

    def test_what_can_t_be_used_is_said_before_the_first_sample(self) -> None:
        for spec, words in (
            ({"as": "lambda", "name": "Missing"}, "no class Missing; there are Wordless"),
            ({"as": "lambda", "name": "Wordless", "result": "x"}, "neither __call__"),
            ({"as": "post_processor", "name": "Wordless"}, "no process"),
            ({"as": "unit_metric", "name": "unknown"}, "there are action_within_bbox"),
            ({"as": "aggregator", "name": "unknown"}, "there are accuracy"),
        ):
            with self.subTest(spec), self.assertRaisesRegex(NotUsable, words):
                adapt(module_of(Wordless), spec)

    def test_numbers_of_a_report_are_found_wherever_they_stand(self) -> None:
        report = {"a": 1, "b": {"TV shows": 0.5, "text": "x", "flag": True}, "list": [1]}
        self.assertEqual(numbers_of(report), {"a": 1, "b.TV_shows": 0.5})
