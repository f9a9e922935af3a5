"""One of the unit metrics: 1 where the answer is right by it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from regrade.graders.answer_json import parse_answer
from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_options
from regrade.graders.unit_metrics import UNIT_METRICS, UnitMetric

METRICS = (Metric(id="correct", description="1 when the answer is right by the unit metric."),)

_KEYS = {
    "golden_text_key": "typed_value_match: the key of the wanted text; default text.",
    "predicted_text_key": "typed_value_match: the key of the typed text; default text.",
    "golden_bbox_key": "action_within_bbox: the key of the wanted box, with x, y, width and height; default bbox.",
    "predicted_x_key": "action_within_bbox: the key of the point's x; default x.",
    "predicted_y_key": "action_within_bbox: the key of the point's y; default y.",
    "golden_direction_key": "scroll_direction: the key of the wanted direction; default direction.",
    "predicted_direction_key": "scroll_direction: the key of the predicted direction; default direction.",
    "golden_amount_key": "scroll_amount: the key of the wanted amount; default amount.",
    "predicted_amount_key": "scroll_amount: the key of the predicted amount; default amount.",
}
_NUMBERS = {
    "fuzzy_match_threshold": (1, "typed_value_match: the least similarity of a right answer, 0 to 1; default 0.8."),
    "tolerance": (None, "action_within_bbox: how far outside the box a right point may be; default 0."),
    "tolerance_percent": (None, "scroll_amount: how far off a right amount may be, in percent; default 20."),
    "scroll_threshold": (None, "scroll_amount: the largest right amount where none is wanted; default 10."),
}

OPTIONS: Options = {
    "metric": {
        "type": "string",
        "enum": list(UNIT_METRICS),
        "description": "The unit metric.",
    },
    "field": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "Where the answer is a JSON object, its field that is compared; without one, an empty text.",
    },
    "key": {
        "type": ["string", "null"],
        "default": None,
        "description": "exact_match, fuzzy_match: the key of the text in golden and predicted object.",
    },
    "threshold": {
        "type": ["number", "null"],
        "minimum": 0,
        "maximum": 1,
        "default": None,
        "description": "fuzzy_match: the least similarity of a right answer, 0 to 1; default 0.8.",
    },
    "case_sensitive": {
        "type": ["boolean", "null"],
        "default": None,
        "description": "Metrics of texts: whether upper and lower case differ; default false.",
    },
    "normalize_whitespace": {
        "type": ["boolean", "null"],
        "default": None,
        "description": "Metrics of texts: whether any white space counts as one space; default true.",
    },
    **{
        name: {"type": ["string", "null"], "minLength": 1, "default": None, "description": description}
        for name, description in _KEYS.items()
    },
    **{
        name: {
            "type": ["number", "null"],
            "minimum": 0,
            **({} if most is None else {"maximum": most}),
            "default": None,
            "description": description,
        }
        for name, (most, description) in _NUMBERS.items()
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. ``judge`` has ``correct``, ``golden``, ``predicted`` and ``metadata``.

    Golden is the target, predicted the extracted output; nothing found is an empty text. Where a text is the JSON of an
    object that has the metric's key, it is that object; else it is the text under that key.
    """
    chosen = {name: value for name, value in read_options(options, OPTIONS).items() if value is not None}
    kind, field = UNIT_METRICS[str(chosen.pop("metric"))], chosen.pop("field", None)
    for name in chosen:
        if name not in kind.parameters:
            raise ValueError(f"the option {name} is none of {kind.name}, which has {', '.join(kind.parameters)}")
    metric = kind(chosen)
    golden_key, predicted_key = _keys_of(metric)

    def grade(sample: Sample, item: Item) -> Graded:
        target = item.get("target")
        if not isinstance(target, str):
            raise ValueError("this case has no target to compare with; give the task a target_template")
        golden, predicted = read_side(target, golden_key), _predicted(sample, field, predicted_key)
        if metric.text_keys is None and "value" in golden and _json_object(target) is None:
            raise ValueError(f"the target is no JSON object, which {metric.name} compares with: {target[:100]!r}")
        result = metric.compare(golden, predicted)
        return {"scores": {"correct": 1.0 if result["correct"] else 0.0}, "judge": dict(result)}

    return grade


def read_side(text: str, key: str | None) -> Mapping[str, object]:
    """Return what a text stands for: its object, where it is one that has the key, else the text under the key."""
    found = _json_object(text)
    if found is not None and (key is None or key in found):
        return found
    return {key or "value": text}


def _predicted(sample: Sample, field: object, key: str | None) -> Mapping[str, object]:
    if field is None:
        return read_side(_answer(sample), key)
    found = (parse_answer(_answer(sample)) or {}).get(str(field), "")
    return found if isinstance(found, Mapping) and (key is None or key in found) else {key or "value": found}


def _keys_of(metric: UnitMetric) -> tuple[str | None, str | None]:
    if metric.text_keys is None:
        return None, None
    golden, predicted = (str(metric.values[name] or "text") for name in metric.text_keys)
    return golden, predicted


def _answer(sample: Sample) -> str:
    found = sample["extracted_output"] if "extracted_output" in sample else sample.get("output_text")
    return found if isinstance(found, str) else ""


def _json_object(text: str) -> dict[str, object] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
