"""The part of an answer's claims that the contexts support.

Definition: Es et al., RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2023 (arXiv:2309.15217),
section 3: the answer is broken down into statements, and the score is the number of those that can be inferred from
the context over all of them. The prompts are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from regrade.graders.asking import model_options
from regrade.graders.contract import Graded, Item, Metric, Models, Options, Sample, read_options
from regrade.graders.rag_input import CONTEXTS, QUESTION, answer_of, read_contexts, read_question, shortened
from regrade.graders.rag_judge import Judge, judge_each, list_claims, share

METRICS = (
    Metric(
        id="faithfulness",
        description="The part of the answer's claims that can be inferred from the contexts.",
        scale="graded",
    ),
)

OPTIONS: Options = {**CONTEXTS, **QUESTION, **model_options(4096)}

_CLAIMS = """\
You take an answer apart. PROMPT is a question, ANSWER the answer that was given to it.
List the claims of the ANSWER: short sentences that each state one fact, and that can be understood without the
others (write names for pronouns). Take what the answer states, whether it is right or not, and add nothing. Leave
out greetings, questions and what states nothing."""

_SUPPORT = """\
You check claims against contexts. The blocks CONTEXT 1, CONTEXT 2, … are what is known, the blocks CLAIM 1, CLAIM 2,
… are what is to be checked.
For the number of each CLAIM: the verdict is yes where the claim can be inferred from the contexts, taken together,
and from nothing else; it is no where they contradict it or don't say. The reason is one sentence."""


def create(options: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    """Return the grader: two requests to a model a sample. Without an answer or without contexts the score is 0."""
    chosen = read_options(options, OPTIONS)

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        contexts = read_contexts(sample, item, chosen)
        answer, question = answer_of(sample), read_question(sample, item, chosen)
        if answer is None or not contexts:
            return {"scores": {"faithfulness": 0.0}, "judge": {"claims": [], "contexts": len(contexts)}}
        judge = Judge(ctx, chosen)
        claims = list_claims(judge, _CLAIMS, [("PROMPT", question), ("ANSWER", answer)])
        shown = [(f"CONTEXT {i}", text) for i, text in enumerate(contexts, 1)]
        asked = [(f"CLAIM {i}", text) for i, text in enumerate(claims, 1)]
        findings = judge_each(judge, _SUPPORT, [*shown, *asked], len(claims))
        told = [
            {"claim": claim, "supported": found.holds, "reason": found.reason}
            for claim, found in zip(claims, findings, strict=True)
        ]
        cut = shortened({"answer": answer, "prompt": question, **dict(shown)})
        return {"scores": {"faithfulness": share(findings)}, "judge": {"claims": told, **cut}}

    return grade
