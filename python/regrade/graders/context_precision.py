"""Whether the contexts that are useful stand before those that are not.

Definition: context precision of Ragas (docs.ragas.io, "Context Precision", with a reference): the mean of
precision@k over the ranks k of the useful contexts, sum(precision@k * v_k) / sum(v_k), with v_k 1 where the context
at rank k is useful and else 0; 0 where none is. That is the average precision of information retrieval. The prompts
are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from regrade.graders.asking import model_options
from regrade.graders.contract import Graded, Item, Metric, Models, Options, Sample, read_options, read_target
from regrade.graders.rag_input import CONTEXTS, QUESTION, read_contexts, read_question, shortened
from regrade.graders.rag_judge import Judge, judge_each

METRICS = (
    Metric(
        id="context_precision",
        description="The average precision of the contexts, in their order: whether the useful ones come first.",
        scale="graded",
    ),
)

OPTIONS: Options = {**CONTEXTS, **QUESTION, **model_options(4096)}

_TASK = """\
You check what was retrieved. PROMPT is a question, REFERENCE the right answer to it, the blocks CONTEXT 1, CONTEXT
2, … are what was retrieved.
For the number of each CONTEXT: the verdict is yes where this context is of use for arriving at the REFERENCE, by
itself or with others; else no. The reason is one sentence."""


def create(options: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    """Return the grader: one request to a model a sample. Without contexts the score is 0."""
    chosen = read_options(options, OPTIONS)

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        contexts, reference = read_contexts(sample, item, chosen), read_target(item)
        question = read_question(sample, item, chosen)
        if not contexts:
            return {"scores": {"context_precision": 0.0}, "judge": {"contexts": []}}
        shown = [(f"CONTEXT {i}", text) for i, text in enumerate(contexts, 1)]
        blocks = [("PROMPT", question), ("REFERENCE", reference), *shown]
        findings = judge_each(Judge(ctx, chosen), _TASK, blocks, len(contexts))
        score = average_precision([found.holds for found in findings])
        told = [{"useful": found.holds, "reason": found.reason} for found in findings]
        return {"scores": {"context_precision": score}, "judge": {"contexts": told, **shortened(dict(blocks))}}

    return grade


def average_precision(useful: Sequence[bool]) -> float:
    """Return the mean of precision@k over the ranks of what is useful; 0 where nothing is."""
    ranks = [k for k, each in enumerate(useful, 1) if each]
    return sum(count / rank for count, rank in enumerate(ranks, 1)) / len(ranks) if ranks else 0.0
