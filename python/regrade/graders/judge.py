"""A model judges the answer by a rubric: with a verdict off a menu, or on scales."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from regrade.graders.asking import ask, model_options
from regrade.graders.contract import Graded, Item, Metric, Models, Options, Sample, read_options
from regrade.graders.judge_answer import Verdict, read_verdict
from regrade.graders.judge_request import Material, judge_request
from regrade.graders.judge_scales import SCALES_OPTIONS, Scale, Scoring, read_scales, score_on_scales

METRICS = (Metric(id="judge_score", description="The score of the verdict that the judge chose.", scale=None),)

OPTIONS: Options = {
    "rubric": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "What to judge by, in words for the judge. Needed without `scales`; beside them, what holds for "
        "all of them.",
    },
    "verdicts": {
        "type": "object",
        "minProperties": 2,
        "maxProperties": 20,
        "propertyNames": {
            "pattern": "^[A-Za-z0-9][A-Za-z0-9_ -]{0,63}$",
            "patternErrorMessage": "letters, digits, _, - and spaces, at most 64",
        },
        "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
        "default": {"correct": 1, "incorrect": 0},
        "description": "What the judge may answer, and what each scores: a number from 0 to 1.",
    },
    **SCALES_OPTIONS,
    "answer": {
        "type": "string",
        "enum": ["extracted", "whole"],
        "default": "extracted",
        "description": "Whether the judge reads the extracted output, or the answer as it came (output_text).",
    },
    "include_prompt": {
        "type": "boolean",
        "default": True,
        "description": "Whether the judge reads the prompt too.",
    },
    "include_target": {
        "type": "boolean",
        "default": True,
        "description": "Whether the judge reads the target too, where the task has one.",
    },
    "include_tool_calls": {
        "type": "boolean",
        "default": False,
        "description": "Whether the judge reads the calls of tools too, with what the tools gave.",
    },
    "fields": {
        "type": "array",
        "maxItems": 50,
        "items": {"type": "string", "minLength": 1, "description": "The name of one."},
        "default": [],
        "description": "Names in output_extraction.fields that the judge reads beside the answer.",
    },
    **model_options(2048),
}


def create(options: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    """Return the grader: ``grade(sample, item, ctx)``, one request to a model a sample.

    The verdict's score is ``judge_score``; on scales each has its own. The verdict, the judge's reasons and what it
    answered with are kept in the sample. A judge that can't be reached, declines, or says something off its menu has
    judged nothing: the sample is ungraded, never a 0. On scales an answer that can't be read is asked for again.
    """
    chosen = read_options(options, OPTIONS)
    scales = read_scales(chosen["scales"])
    if scales:
        return _on_scales(scales, chosen, options)
    if chosen["rubric"] is None:
        raise ValueError("the judge has neither a rubric nor scales to judge by")
    if "claims" in options:
        raise ValueError("claims are listed where the judge has scales")
    return _on_menu(chosen)


def _on_menu(chosen: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    scores = _scores(chosen["verdicts"])

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        material = _material(chosen, sample, item)
        request = judge_request(str(chosen["rubric"]), list(scores), material)
        response = ask(ctx, request, chosen)
        verdict = read_verdict(response, list(scores))
        return {"scores": {"judge_score": scores[verdict.verdict]}, "judge": _details(verdict, response, material)}

    return grade


def _on_scales(
    scales: Sequence[Scale], chosen: Mapping[str, object], options: Mapping[str, object]
) -> Callable[[Sample, Item, Models], Graded]:
    if "verdicts" in options:
        raise ValueError("a judge has either verdicts or scales")
    asked = Scoring(tuple(scales), _text(chosen["rubric"]), chosen["claims"] is True)

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        material = _material(chosen, sample, item)
        found, response = score_on_scales(asked, material, lambda request: ask(ctx, request, chosen))
        return {"scores": found.metrics(), "judge": {**found.details(), **_about(response, material)}}

    return grade


def _scores(verdicts: object) -> dict[str, float]:
    scores = {name: float(score) for name, score in verdicts.items()} if isinstance(verdicts, dict) else {}
    folded = {name.casefold() for name in scores}
    if len(folded) < len(scores):
        raise ValueError("two of the verdicts differ in upper and lower case only, which a judge confuses")
    if len(set(scores.values())) < 2:
        raise ValueError("all verdicts score the same, so that the judge decides nothing")
    return scores


def _material(chosen: Mapping[str, object], sample: Sample, item: Item) -> Material:
    extracted = chosen["answer"] == "extracted" and "extracted_output" in sample
    answer = sample.get("extracted_output" if extracted else "output_text")
    return Material(
        answer=answer if isinstance(answer, str) else None,
        prompt=_text(sample.get("prompt")) if chosen["include_prompt"] else None,
        target=_text(item.get("target")) if chosen["include_target"] else None,
        tool_calls=_calls(sample) if chosen["include_tool_calls"] else None,
        fields=_fields(chosen["fields"], sample),
    )


def _fields(names: object, sample: Sample) -> tuple[tuple[str, str | None], ...]:
    found = sample.get("extracted_fields")
    texts = found if isinstance(found, dict) else {}
    return tuple((str(name), _text(texts.get(name))) for name in names) if isinstance(names, list) else ()


def _calls(sample: Sample) -> str:
    calls = sample.get("tool_calls")
    return json.dumps(calls if isinstance(calls, list) else [], ensure_ascii=False)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _details(verdict: Verdict, response: Mapping[str, object], material: Material) -> dict[str, object]:
    return {"verdict": verdict.verdict, "rationale": verdict.rationale, **_about(response, material)}


def _about(response: Mapping[str, object], material: Material) -> dict[str, object]:
    details: dict[str, object] = {}
    for key, name in (("model", "model"), ("id", "response_id")):
        if isinstance(response.get(key), str):
            details[name] = response[key]
    if material.shortened():
        details["shortened"] = material.shortened()
    return details
