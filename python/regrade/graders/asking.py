"""One request of a built-in grader to the model that judges."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.graders.contract import Models, Options
from regrade.timer import TimeUp
from regrade.ungraded import Ungraded


def model_options(tokens: int) -> Options:
    """Return the options of a grader that asks a judge, with what the judge may write by default."""
    return {
        "model": {
            "type": "string",
            "minLength": 1,
            "default": "auto",
            "description": "The judge, `provider:model`; auto is run.judge_model.",
        },
        "temperature": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": 2,
            "default": 0,
            "description": "The judge's temperature; null leaves it out, as some models refuse it.",
        },
        "max_output_tokens": {
            "type": "integer",
            "minimum": 16,
            "maximum": 100000,
            "default": tokens,
            "description": "What the judge may write at most, its thoughts included.",
        },
    }


def ask(ctx: Models, request: Mapping[str, object], chosen: Mapping[str, object]) -> Mapping[str, object]:
    """Return the judge's response. Raises Ungraded where there is none: that says nothing about the candidate."""
    try:
        return ctx.responses_create(**request, **_settings(chosen))
    except TimeUp:
        raise Ungraded("judge_timeout", "the judge had not answered when the grader's time was over") from None
    except Exception as error:
        said = f"the judge could not be asked: {error}"
        if "temperature" in str(error):
            said += " (set the judge's option temperature to null, for models that take none)"
        raise Ungraded("judge_unreachable", said) from None


def _settings(chosen: Mapping[str, object]) -> dict[str, object]:
    settings = {"model": chosen["model"], "max_output_tokens": chosen["max_output_tokens"]}
    return settings if chosen["temperature"] is None else {**settings, "temperature": chosen["temperature"]}
