"""Asks SyGra's own metrics, as a released wheel has them, for what ours say: a second oracle.

    python -m venv /tmp/sygra && /tmp/sygra/bin/pip install pydantic && /tmp/sygra/bin/pip install --no-deps sygra==2.0.0.post1
    PYTHONPATH=python /tmp/sygra/bin/python scripts/compare-sygra.py

Only the modules of metrics are imported; what they log through is replaced. Exits with 1 where a difference is found that
docs/sygra.md does not name.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import random
import sys
from types import ModuleType

from regrade.graders.aggregators import AGGREGATORS
from regrade.graders.unit_metrics import UNIT_METRICS

#: Differences on purpose: docs/sygra.md says why.
NAMED = {"fuzzy_match", "pass@k", "pass^k", "step_efficiency"}
WORDS = ["Art", "art", " Art ", "TV shows", "tv  shows", "", "Straße", "STRASSE", None, 1, 1.0, True, "hello wurld", "hello world"]
UNITS = {
    "exact_match": ({"key": "text"}, lambda: {"text": random.choice(WORDS)}),
    "typed_value_match": ({}, lambda: {"text": random.choice(WORDS)}),
    "scroll_direction": ({}, lambda: {"direction": random.choice(["up", "down", "Up", "left", None])}),
    "scroll_amount": ({}, lambda: {"amount": random.choice([0, 5, 10, 11, 100, 120, 121, "7", None])}),
}
AGGREGATED = {
    "accuracy": {},
    "precision": {"predicted_key": "text"},
    "recall": {"golden_key": "text"},
    "f1_score": {"predicted_key": "text", "golden_key": "text"},
}


def package(name: str, path: str) -> None:
    """Stand in for a package whose own start would need all of SyGra."""
    module = ModuleType(name)
    module.__path__ = [path]
    sys.modules[name] = module


def load_theirs() -> tuple[object, object, object]:
    """Return the registries of the wheel, and its class of results."""
    spec = importlib.util.find_spec("sygra")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("sygra is not installed here: see the top of this file")
    root = spec.submodule_search_locations[0]
    for part in ("sygra", "sygra/core", "sygra/logger"):
        package(part.replace("/", "."), root + part.removeprefix("sygra"))
    log = ModuleType("sygra.logger.logger_config")
    log.logger = logging.getLogger("sygra")  # type: ignore[attr-defined]
    sys.modules["sygra.logger.logger_config"] = log
    logging.disable()
    home = "sygra.core.eval.metrics"
    units = importlib.import_module(f"{home}.unit_metrics.unit_metric_registry").UnitMetricRegistry
    aggregators = importlib.import_module(f"{home}.aggregator_metrics.aggregator_metric_registry").AggregatorMetricRegistry
    return units, aggregators, importlib.import_module(f"{home}.unit_metrics.unit_metric_result").UnitMetricResult


def main() -> int:
    """Compare on drawn inputs, always the same ones."""
    random.seed(7)
    units, aggregators, result = load_theirs()
    counts: dict[str, list[int]] = {}

    def count(name: str, same: bool) -> None:
        counts.setdefault(name, [0, 0])[0 if same else 1] += 1

    for name, (params, side) in UNITS.items():
        theirs, ours = units.get_metric(name, **params), UNIT_METRICS[name](params)  # type: ignore[attr-defined]
        for _ in range(2_000):
            golden, predicted = side(), side()
            [told] = theirs.evaluate([golden], [predicted])
            count(name, repr(told.to_dict()) == repr(dict(ours.compare(golden, predicted))))
    for name, params in AGGREGATED.items():
        for _ in range(300):
            drawn = [
                {
                    "correct": random.random() < 0.6,
                    "golden": {"text": random.choice(WORDS)} if random.random() < 0.9 else {},
                    "predicted": {"text": random.choice(WORDS)} if random.random() < 0.9 else {},
                    "metadata": {},
                }
                for _ in range(random.randrange(30))
            ]
            theirs = aggregators.get_metric(name, **params).calculate([result(**each) for each in drawn])  # type: ignore[attr-defined, operator]
            ours_of = AGGREGATORS[name](params)
            for each in drawn:
                ours_of.add(each)  # type: ignore[arg-type]
            count(name, _close(theirs, ours_of.report()))
    known = set(units.list_metrics()) | set(aggregators.list_metrics())  # type: ignore[attr-defined]
    for name, (same, other) in sorted(counts.items()):
        print(f"{name}: {same} equal, {other} different")
    print("only here:", ", ".join(sorted((UNIT_METRICS.keys() | AGGREGATORS.keys()) - known)) or "none")
    return 1 if any(other for name, (_, other) in counts.items() if name not in NAMED) else 0


def _close(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and abs(one - other) < 1e-12


if __name__ == "__main__":
    sys.exit(main())
