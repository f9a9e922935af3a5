"""Checks that a row carries: a case's own expectations, each a built-in grader with its options."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from regrade.graders import (
    choice,
    code,
    contains,
    exact_match,
    json_schema,
    json_valid,
    numeric,
    regex,
    token_f1,
    tool_calls,
    unit_metric,
)
from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_options

METRICS = (
    Metric(id="score", description="The weighted mean of the checks' scores.", scale="graded"),
    Metric(id="passed", description="1 when all checks pass."),
)

OPTIONS: Options = {
    "field": {
        "type": "string",
        "minLength": 1,
        "pattern": '^[^{}"\\n]+$',
        "patternErrorMessage": "the name of a field, without braces and quotes",
        "description": "The row's field that holds its checks: a list.",
    },
    "also": {
        "type": "array",
        "maxItems": 100,
        "items": {"$ref": "#/$defs/rowCheck"},
        "default": [],
        "description": "Checks of every row, beside its own. With them a row may have none of its own.",
    },
    "judge_calls": {
        "type": "integer",
        "minimum": 0,
        "maximum": 1000,
        "default": 0,
        "description": "How often the checks of one row may ask judges. Default: never.",
    },
    "judge_models": {
        "type": "array",
        "maxItems": 20,
        "items": {"type": "string", "minLength": 1, "description": "`provider:model`, or auto."},
        "default": ["auto"],
        "description": "With judge_calls: the judges that checks of rows may name; auto is run.judge_model.",
    },
}

#: What a check may be. Those that ask models are graders of their own.
CHECKS: Mapping[str, ModuleType] = {
    "exact_match": exact_match,
    "contains": contains,
    "regex": regex,
    "numeric": numeric,
    "token_f1": token_f1,
    "json_valid": json_valid,
    "json_schema": json_schema,
    "choice": choice,
    "code": code,
    "unit_metric": unit_metric,
    "tool_calls": tool_calls,
}

#: Keys of a check beside the options of its grader.
_COMMON = ("type", "name", "weight", "target", "extracted_field", "not", "min")

#: Scores are sums of fractions: 0.1 + 0.2 reaches 0.3.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Check:
    label: str
    kind: str
    name: str | None
    weight: float
    target: str | None
    field: str | None
    inverted: bool
    least: float
    metric: str
    grade: Grade


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. A check that can't be used, and a row without any, raise ValueError: they never pass.

    ``score`` is the weighted mean of the checks' scores, ``passed`` is 1 when each reaches its ``min``, and a check
    with a ``name`` gives its score under it.
    """
    chosen = read_options(options, OPTIONS)
    field = str(chosen["field"])
    also = _read_checks(chosen["also"], "also")

    def grade(sample: Sample, item: Item) -> Graded:
        checks = [*_own_checks(item, field), *also]
        if not checks:
            raise ValueError(f"this row has no checks in {field!r}")
        _refuse_repeated(checks)
        return _graded([(check, *_run(check, sample, item)) for check in checks])

    return grade


def _own_checks(item: Item, field: str) -> list[_Check]:
    value = item.get(field)
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)  # a column of a CSV file
        except ValueError as error:
            raise ValueError(f"{field!r} is no JSON: {error}") from None
    return [] if value is None or value == "" else _read_checks(value, field)


def _read_checks(value: object, where: str) -> list[_Check]:
    if not isinstance(value, list):
        raise ValueError(f"{where!r} must be a list of checks")
    return [_read_check(check, f"{where}[{i}]") for i, check in enumerate(value)]


def _read_check(given: object, label: str) -> _Check:
    if not isinstance(given, dict):
        raise ValueError(f"{label} must be an object with a type")
    kind = given.get("type")
    module = CHECKS.get(kind) if isinstance(kind, str) else None
    if module is None:
        raise ValueError(f"{label}: the type {kind!r} is none of {', '.join(CHECKS)}")
    options = {key: value for key, value in given.items() if key not in _COMMON}
    try:
        grade: Callable[[Sample, Item], Graded] = module.create(options)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{label}: {error}") from None
    name, target = given.get("name"), given.get("target")
    return _Check(
        label=f"{label} {kind}",
        kind=str(kind),
        name=str(name) if name is not None else None,
        weight=_number(given, "weight", 1.0, label),
        target=None if target is None else target if isinstance(target, str) else json.dumps(target),
        field=str(given["extracted_field"]) if "extracted_field" in given else None,
        inverted=given.get("not") is True,
        least=_number(given, "min", 1.0, label),
        metric=module.METRICS[0].id,
        grade=grade,
    )


def _number(given: Mapping[str, object], key: str, default: float, label: str) -> float:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise ValueError(f"{label}: {key} must be a number of 0 or more")
    return float(value)


def _refuse_repeated(checks: list[_Check]) -> None:
    names = [check.name for check in checks if check.name is not None]
    for name in names:
        if names.count(name) > 1 or name in ("score", "passed"):
            raise ValueError(f"two scores of this row would be called {name!r}")


def _run(check: _Check, sample: Sample, item: Item) -> tuple[float, object]:
    if check.field is not None:
        fields = sample.get("extracted_fields")
        if not isinstance(fields, dict) or check.field not in fields:
            raise ValueError(f"{check.label}: output_extraction has no field {check.field!r}")
        sample = {**sample, "extracted_output": fields[check.field]}
    if check.target is not None:
        item = {**item, "target": check.target}
    try:
        graded = check.grade(sample, item)
    except ValueError as error:
        raise ValueError(f"{check.label}: {error}") from None
    score = graded["scores"][check.metric]
    return (1.0 - score if check.inverted else score), graded.get("judge")


def _graded(results: list[tuple[_Check, float, object]]) -> Graded:
    total = sum(check.weight for check, _, _ in results)
    if total <= 0:
        raise ValueError("all checks of this row weigh 0")
    scores = {"score": sum(check.weight * score for check, score, _ in results) / total}
    scores["passed"] = 1.0 if all(_passes(check, score) for check, score, _ in results) else 0.0
    scores.update({check.name: score for check, score, _ in results if check.name is not None})
    told = [
        {
            "check": check.name or check.label,
            "type": check.kind,
            "weight": check.weight,
            "score": score,
            "passed": _passes(check, score),
            **({} if judge is None else {"judge": judge}),
        }
        for check, score, judge in results
    ]
    return {"scores": scores, "judge": {"checks": told}}


def _passes(check: _Check, score: float) -> bool:
    return score >= check.least - _ROUNDING
