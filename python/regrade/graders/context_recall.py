"""The part of the reference's claims that the contexts hold: whether enough was retrieved.

Definition: context recall of Ragas (docs.ragas.io, "Context Recall", with a reference): the number of claims of the
reference that can be attributed to the retrieved contexts over all of them. The prompts are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from regrade.graders.asking import model_options
from regrade.graders.contract import Graded, Item, Metric, Models, Options, Sample, read_options, read_target
from regrade.graders.rag_input import CONTEXTS, read_contexts, shortened
from regrade.graders.rag_judge import Judge, judge_claims, share

METRICS = (
    Metric(
        id="context_recall",
        description="The part of the target's claims that can be attributed to the contexts.",
        scale="graded",
    ),
)

OPTIONS: Options = {**CONTEXTS, **model_options(4096)}

_TASK = """\
You check what was retrieved. REFERENCE is the right answer to a question, the blocks CONTEXT 1, CONTEXT 2, … are
what was retrieved to answer it.
List the claims of the REFERENCE: short sentences that each state one fact, and that can be understood without the
others. For each the verdict is yes where it can be attributed to the contexts, taken together; it is no where they
contradict it or don't say. The reason is one sentence."""


def create(options: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    """Return the grader: one request to a model a sample. Without contexts the score is 0."""
    chosen = read_options(options, OPTIONS)

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        contexts, reference = read_contexts(sample, item, chosen), read_target(item)
        if not contexts:
            return {"scores": {"context_recall": 0.0}, "judge": {"claims": [], "contexts": 0}}
        blocks = [("REFERENCE", reference), *((f"CONTEXT {i}", text) for i, text in enumerate(contexts, 1))]
        claims = judge_claims(Judge(ctx, chosen), _TASK, blocks)
        told = [{"claim": each.claim, "attributed": each.holds, "reason": each.reason} for each in claims]
        return {"scores": {"context_recall": share(claims)}, "judge": {"claims": told, **shortened(dict(blocks))}}

    return grade
