"""The batch grader `triggers`: whether a skill is used for the prompts that it is for, and for no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from regrade.graders.contract import Metric, Options, Sample, read_options

METRICS = (
    Metric(id="accuracy", description="The share of the prompts with the right decision.", scale="graded"),
    Metric(id="precision", description="Of the prompts that used the skill, the share that should.", scale="graded"),
    Metric(id="recall", description="Of the prompts that should use the skill, the share that did.", scale="graded"),
    Metric(id="f1", description="The harmonic mean of precision and recall.", scale="graded"),
)

OPTIONS: Options = {
    "skill": {
        "type": "string",
        "minLength": 1,
        "description": "The skill's name.",
    },
    "expected": {
        "type": "string",
        "minLength": 1,
        "default": "should_trigger",
        "description": "The row's field that is true where the skill should be used, and false where not.",
    },
    "weight_field": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "The row's field with what a prompt counts for: a number above 0. Default: each counts for 1.",
    },
}


def create(options: Mapping[str, object]) -> Callable[[Iterable[Sample]], dict[str, object]]:
    """Return the grader. A prompt that its candidate failed counts as told wrongly."""
    chosen = read_options(options, OPTIONS)
    skill, expected, weight = str(chosen["skill"]), str(chosen["expected"]), chosen["weight_field"]

    def grade_batch(samples: Iterable[Sample]) -> dict[str, object]:
        counts = {"tp": 0.0, "fp": 0.0, "tn": 0.0, "fn": 0.0}
        updates: list[dict[str, object]] = []
        errors = seen = 0
        for sample in samples:
            row = _row(sample)
            wanted, share = _wanted(row, expected), _weight(row, weight)
            found = _uses(sample, skill)
            seen += found is not None
            errors += found is None
            is_right = found is wanted
            counts[_kind(wanted, is_right)] += share
            scores = {"correct": 1.0 if is_right else 0.0, "triggered": 1.0 if found else 0.0}
            updates.append({"sample_id": sample["sample_id"], "scores": scores})
        if updates and not seen:
            raise ValueError("no answer tells which skills were used: the candidate must be an agent with a transcript")
        return {"metrics": metrics_of(counts), "details": {"errors": errors, **counts}, "samples": updates}

    return grade_batch


def metrics_of(counts: Mapping[str, float]) -> dict[str, float]:
    """Return accuracy, precision, recall and F1; 0 where there is nothing to divide by."""
    tp, fp, tn, fn = counts["tp"], counts["fp"], counts["tn"], counts["fn"]
    precision, recall = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
    return {
        "accuracy": _ratio(tp + tn, tp + fp + tn + fn),
        "precision": precision,
        "recall": recall,
        "f1": _ratio(2 * precision * recall, precision + recall),
    }


def _ratio(part: float, whole: float) -> float:
    return 0.0 if whole == 0 else part / whole


def _kind(wanted: bool, is_right: bool) -> str:
    if wanted:
        return "tp" if is_right else "fn"
    return "tn" if is_right else "fp"


def _row(sample: Sample) -> Mapping[str, object]:
    row = sample.get("dataset_row")
    return row if isinstance(row, dict) else {}


def _wanted(row: Mapping[str, object], field: str) -> bool:
    wanted = row.get(field)
    if not isinstance(wanted, bool):
        raise ValueError(f"the row's field {field!r} must be true or false, not {wanted!r}")
    return wanted


def _weight(row: Mapping[str, object], field: object) -> float:
    if field is None:
        return 1.0
    weight = row.get(str(field))
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < float("inf"):
        raise ValueError(f"the row's field {field!r} must be a number above 0, not {weight!r}")
    return float(weight)


def _uses(sample: Sample, skill: str) -> bool | None:
    """Return whether the skill was used; None where the candidate tells nothing of its way, or failed."""
    transcript = sample.get("transcript")
    if not isinstance(transcript, list):
        return None
    entries = [entry for entry in transcript if isinstance(entry, dict)]
    return any(entry.get("type") == "skill" and entry.get("name") == skill for entry in entries)
