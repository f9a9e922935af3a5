"""1 where the answer is JSON that a schema accepts."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_answer, read_options
from regrade.graders.json_text import parse
from regrade.graders.schema import read_schema
from regrade.graders.schema_basics import Check
from regrade.timer import TimeUp
from regrade.ungraded import Ungraded

METRICS = (Metric(id="schema_match", description="1 when the extracted output is JSON that the schema accepts."),)

OPTIONS: Options = {
    "schema": {
        "type": ["string", "object"],
        "minLength": 1,
        "description": "A JSON Schema (draft 2020-12), or the path of a JSON file that has one, relative to the "
        "manifest.",
    },
    "answer": {
        "type": "string",
        "enum": ["extracted", "whole"],
        "default": "extracted",
        "description": "Whether the extracted output is read, or the answer as it came (output_text): a fence around "
        "it is then no JSON.",
    },
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. ``schema`` is the schema itself: Regrade has read the file before.

    An answer that is no JSON is wrong. Raises ValueError for a schema that can't be used; ``regrade.graders.schema``
    lists the keywords that there are. A pattern that takes too long is no result: the sample is ungraded.
    """
    chosen = read_options(options, OPTIONS)
    schema, whole = chosen["schema"], chosen["answer"] == "whole"
    if not isinstance(schema, dict):
        raise ValueError("the option schema must be a JSON Schema: an object")
    check = read_schema(schema)

    def grade(sample: Sample, item: Item) -> Graded:
        read = {"output_text": sample.get("output_text")} if whole else sample
        problem = _problem(read_answer(read) or "", check)
        if problem is None:
            return {"scores": {"schema_match": 1.0}}
        return {"scores": {"schema_match": 0.0}, "judge": {"problem": problem}}

    return grade


def _problem(answer: str, check: Check) -> str | None:
    try:
        return check(parse(answer), "")
    except ValueError as error:
        return f"the answer is no JSON: {error}"
    except RecursionError:
        return "the answer is nested too deeply"
    except TimeUp:
        message = "a pattern of the schema took too long on this answer; nested repetitions such as (a+)+ do"
        raise Ungraded("regex_timeout", message) from None
