"""Types of a grader's arguments and return value, for graders that a type checker checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypedDict

#: A row of the dataset with all its fields, and ``prompt``, ``target``, ``reference_answer``, ``choices``, ``task_id``.
Item = Mapping[str, Any]


class _Call(TypedDict):
    id: str | None
    name: str
    arguments: Any


class ToolCall(_Call, total=False):
    """A tool call. ``arguments`` is None if what the model wrote is no JSON; ``arguments_text`` has it then.

    ``result`` exists if the tool gave one, ``is_error`` if it failed.
    """

    arguments_text: str
    result: str
    is_error: bool


class Sample(TypedDict):
    """An answer, as ``grade(sample, item)`` sees it. ``extracted_output`` is None if nothing was found in it.

    ``extracted_fields`` has the values that the ``fields`` of ``output_extraction`` name; ``messages`` has the
    conversation before the answer, in a task with ``messages_template``; ``transcript`` has what happened before the
    answer.
    """

    output_text: str
    extracted_output: str | None
    extracted_fields: dict[str, str | None]
    model: str
    prompt: str
    task_id: str
    run_id: str
    sample_id: str
    messages: list[dict[str, Any]] | None
    transcript: list[dict[str, Any]] | None
    tool_calls: list[ToolCall]


class BatchSample(TypedDict):
    """A sample as ``grade_batch(samples)`` sees it."""

    sample_id: str
    task_id: str
    model: str
    prompt: str
    target: str | None
    output_text: str
    extracted_output: str | None
    extracted_fields: dict[str, str | None]
    dataset_row: dict[str, Any]
    response_id: str | None
    scores: dict[str, float]
    judge: dict[str, Any] | None
    messages: list[dict[str, Any]] | None
    transcript: list[dict[str, Any]] | None
    tool_calls: list[ToolCall]


class Graded(TypedDict, total=False):
    """A return value of ``grade`` instead of a single number. ``scores`` is required."""

    scores: dict[str, float]
    judge: dict[str, Any]


class _Named(TypedDict):
    sample_id: str


class SampleUpdate(_Named, total=False):
    """A change that ``grade_batch`` makes to a sample. Scores are merged, other fields are replaced, and None clears
    them."""

    scores: dict[str, float]
    judge: dict[str, Any] | None
    extracted_output: str | None


class BatchResult(TypedDict, total=False):
    """The return value of ``grade_batch``."""

    metrics: dict[str, float]
    samples: list[SampleUpdate]


class Context(Protocol):
    """The ``ctx`` of a grader with access to models. The request is that of the Responses or the Embeddings API."""

    def responses_create(self, **request: Any) -> dict[str, Any]:
        """Return a model's response; ``output_text`` has its text. ``model="auto"`` is the run's judge_model."""

    def embeddings_create(self, **request: Any) -> dict[str, Any]:
        """Return embeddings, at ``["data"][i]["embedding"]``. ``model="auto"`` is the run's embedding_model."""
