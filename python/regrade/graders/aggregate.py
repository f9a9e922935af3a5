"""The batch grader `aggregate`: accuracy, precision, recall, F1, pass@k and others over a unit metric's results."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from regrade.graders.aggregators import AGGREGATORS, Aggregator, Estimate, label_of
from regrade.graders.contract import Metric, Options, Sample, read_options
from regrade.graders.unit_metrics import UnitResult

METRICS = (
    Metric(
        id="value",
        description="The aggregator's value; of precision, recall and F1, that of all classes.",
        scale="graded",
    ),
)

OPTIONS: Options = {
    "aggregator": {
        "type": "string",
        "enum": list(AGGREGATORS),
        "description": "What is computed.",
    },
    "source": {
        "type": "string",
        "minLength": 1,
        "description": "The name of the grader whose results are read: a `unit_metric`, or one that gives the same.",
    },
    "predicted_key": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "precision, f1_score: the key of the class in the predicted object.",
    },
    "golden_key": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "recall, f1_score: the key of the class in the golden object.",
    },
    "k": {
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": 100,
        "default": None,
        "description": "pass@k, pass^k: the largest number of results that are drawn.",
    },
    "penalty_per_retry": {
        "type": ["number", "null"],
        "minimum": 0,
        "maximum": 1,
        "default": None,
        "description": "step_efficiency: what a retry costs; default 0.2.",
    },
    "metadata": {
        "type": ["object", "null"],
        "additionalProperties": {"type": "string", "minLength": 1, "description": "A field of the row."},
        "default": None,
        "description": "Fields of the row that metadata of results get, by their names there; step_efficiency reads "
        "mission_id, step_id, retry_id and retry_number.",
    },
}

#: Classes that are metrics of their own, the first by name; a text that is free has as many as there are samples.
_MOST_CLASSES = 100
#: Different pairs of classes that a confusion matrix may have.
_MOST_PAIRS = 10_000
_MATRIX_CLASSES = 25
#: Characters of a class in the name of its metric.
_LONGEST_NAME = 60


def create(options: Mapping[str, object]) -> Callable[[Iterable[Sample]], dict[str, object]]:
    """Return the grader. It counts the samples as they come.

    A sample without a result of the source, as its candidate failed or its grader raised, counts as a wrong one whose
    golden object has the target under ``golden_key``.
    """
    chosen = {name: value for name, value in read_options(options, OPTIONS).items() if value is not None}
    kind, source = AGGREGATORS[str(chosen.pop("aggregator"))], str(chosen.pop("source"))
    metadata = chosen.pop("metadata", {})
    for name in chosen:
        if name not in kind.parameters:
            raise ValueError(f"the option {name} is none of {kind.name}, which has {_listed(kind)}")
    kind(chosen)
    fields = {str(name): str(field) for name, field in metadata.items()} if isinstance(metadata, dict) else {}

    def grade_batch(samples: Iterable[Sample]) -> dict[str, object]:
        aggregator = kind(chosen)
        matrix = Matrix(chosen) if {"predicted_key", "golden_key"} & kind.parameters.keys() else None
        total = missing = 0
        for sample in samples:
            total += 1
            result = result_of(sample, source)
            if result is None:
                missing += 1
                result = _wrong(sample, chosen)
            if fields:
                result["metadata"] = {**result["metadata"], **_fields_of(sample, fields)}
            aggregator.add(result)
            if matrix is not None:
                matrix.add(result)
        counted = {"records": total, "without_result": missing}
        return _returned(aggregator, {"aggregator": kind.name, "source": source, **counted}, matrix)

    return grade_batch


def _listed(kind: type[Aggregator]) -> str:
    return ", ".join(kind.parameters) or "none"


def result_of(sample: Mapping[str, object], source: str) -> UnitResult | None:
    """Return a sample's result of a unit metric, from what its graders said; None where there is none."""
    judge = sample.get("judge")
    found = judge.get(source) if isinstance(judge, Mapping) else None
    if not isinstance(found, Mapping) or found.get("invalid") is True or "correct" not in found:
        return None
    golden, predicted, metadata = (found.get(name) for name in ("golden", "predicted", "metadata"))
    return {
        "correct": bool(found["correct"]),
        "golden": golden if isinstance(golden, Mapping) else {"value": golden},
        "predicted": predicted if isinstance(predicted, Mapping) else {"value": predicted},
        "metadata": dict(metadata) if isinstance(metadata, Mapping) else {},
    }


def _wrong(sample: Mapping[str, object], chosen: Mapping[str, object]) -> UnitResult:
    key = chosen.get("golden_key")
    golden = {} if key is None else {str(key): sample.get("target")}
    return {"correct": False, "golden": golden, "predicted": {}, "metadata": {}}


def _fields_of(sample: Mapping[str, object], fields: Mapping[str, str]) -> dict[str, object]:
    row = sample.get("dataset_row")
    found = row if isinstance(row, Mapping) else {}
    return {name: found.get(field, "unknown") for name, field in fields.items()}


class Matrix:
    """Which golden class was predicted as which."""

    def __init__(self, keys: Mapping[str, object]) -> None:
        self._golden = keys.get("golden_key", keys.get("predicted_key"))
        self._predicted = keys.get("predicted_key", keys.get("golden_key"))
        self._pairs: Counter[tuple[str, str | None]] = Counter()
        #: The classes that targets have.
        self.golden: set[str] = set()

    def add(self, result: UnitResult) -> None:
        """Count one result that has a golden class."""
        golden = label_of(result["golden"], self._golden)
        if golden is None:
            return
        self.golden.add(golden)
        if len(self._pairs) <= _MOST_PAIRS:
            self._pairs[golden, label_of(result["predicted"], self._predicted)] += 1

    def told(self) -> dict[str, object] | None:
        """Return the matrix: a row for each golden class, and columns of the same classes, then those of other
        predictions and of none. None where there are more classes than a reader can take in."""
        labels = sorted({golden for golden, _ in self._pairs})
        if not labels or len(labels) > _MATRIX_CLASSES or len(self._pairs) > _MOST_PAIRS:
            return None
        places = {label: place for place, label in enumerate(labels)}
        rows = [[0] * (len(labels) + 2) for _ in labels]
        for (golden, predicted), count in self._pairs.items():
            place = len(labels) + 1 if predicted is None else places.get(predicted, len(labels))
            rows[places[golden]][place] += count
        return {"labels": labels, "rows": rows}


def _returned(aggregator: Aggregator, about: Mapping[str, object], matrix: Matrix | None) -> dict[str, object]:
    values = aggregator.values()
    named = {"value": values.main, **name_parts(_kept(values.parts, matrix))}
    left_out = len(values.parts) - len(named) + 1
    notes = [f"of {len(values.parts)} classes {len(named) - 1} are metrics"] if left_out > 0 else []
    return {
        "metrics": {name: value for name, (value, _) in named.items()},
        "intervals": {name: interval for name, (_, interval) in named.items() if interval is not None},
        "details": {
            **about,
            "report": aggregator.report(),
            "confusion": None if matrix is None else matrix.told(),
            **({"notes": notes} if notes else {}),
        },
    }


def _kept(parts: Mapping[str, Estimate], matrix: Matrix | None) -> dict[str, Estimate]:
    """Return the parts that are metrics: of classes those that targets have. A name of a metric stands in every report,
    and a predicted class may be any text of an answer."""
    known = {label: each for label, each in parts.items() if matrix is None or label in matrix.golden}
    return dict(list(known.items())[:_MOST_CLASSES])


def name_parts(parts: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Return the parts by names that metrics may have. A label that such a name does not tell from another one, or that
    has no letter or digit of ASCII, has some digits of its hash behind it."""
    slugs = {label: re.sub(r"[^A-Za-z0-9_.-]+", "_", label).strip("_")[:_LONGEST_NAME] for label in parts}
    often = Counter([*slugs.values(), "value"])
    plain = {label for label, slug in slugs.items() if often[slug] == 1 and re.search("[A-Za-z0-9]", slug)}
    return {
        slug if label in plain else f"{slug or 'class'}-{_digits_of(label)}": parts[label]
        for label, slug in slugs.items()
    }


def _digits_of(label: str) -> str:
    return hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:6]
