"""Assertions in Python over an answer and what an agent did, each a short expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import CodeType

from regrade.graders.code_names import names_of
from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_options

METRICS = (
    Metric(id="code", description="The share of the assertions that hold.", scale="graded"),
    Metric(id="passed", description="1 where all assertions hold."),
)

OPTIONS: Options = {
    "assertions": {
        "type": "array",
        "minItems": 1,
        "maxItems": 1000,
        "items": {"type": "string", "minLength": 1, "description": "An expression."},
        "description": "Expressions of Python that must be true: over output, outcome, transcript, tool_calls, errors "
        "and duration_ms, with len, any, all, re, str, int, float, bool, list and dict.",
    },
    "language": {
        "type": "string",
        "enum": ["python", "javascript"],
        "default": "python",
        "description": "Their language; javascript is run by the Node that runs Regrade.",
    },
}

#: All that an assertion may call.
_ALLOWED: Mapping[str, object] = {
    "len": len,
    "any": any,
    "all": all,
    "re": re,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "dict": dict,
    "True": True,
    "False": False,
}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. An assertion that is no expression does not hold, as one that raises does not."""
    chosen = read_options(options, OPTIONS)
    if chosen["language"] != "python":
        raise ValueError("assertions in JavaScript are evaluated by Node")
    assertions = chosen["assertions"]
    written = [str(each) for each in assertions] if isinstance(assertions, list) else []
    compiled = [(text, _compiled(text)) for text in written]

    def grade(sample: Sample, item: Item) -> Graded:
        # One set of names for all: what one assertion names by := is there in the next.
        names = {**names_of(sample), **_ALLOWED}
        failures = [failure for text, code in compiled if (failure := _failure(text, code, names)) is not None]
        held = len(compiled) - len(failures)
        scores = {"code": held / len(compiled), "passed": 0.0 if failures else 1.0}
        feedback = "; ".join(failures) if failures else "All assertions passed"
        judge: dict[str, object] = {
            "feedback": feedback,
            "total_assertions": len(compiled),
            "passed_assertions": held,
            "failures": failures,
        }
        return {"scores": scores, "judge": judge}

    return grade


def _compiled(text: str) -> CodeType | str:
    try:
        return compile(text.strip(), "<string>", "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return _words(error)


def _failure(text: str, code: CodeType | str, names: dict[str, object]) -> str | None:
    if isinstance(code, str):
        return f"Failed: {text}: {code}"
    try:
        # No protection: the sandbox around the process is one.
        holds = bool(eval(code, {"__builtins__": {}}, names))
    except Exception as error:
        return f"Failed: {text}: {_words(error)}"
    return None if holds else f"Failed: {text}"


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
