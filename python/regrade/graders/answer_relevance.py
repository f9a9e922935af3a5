"""How well the answer fits its question, whether it is right or not.

Definition: Es et al., RAGAS, 2023 (arXiv:2309.15217), section 3: a model writes questions that the answer would
answer, and the score is the mean cosine between the embeddings of these and of the question that was asked. As in
the authors' library an answer that commits to nothing scores 0. A cosine below 0 counts as 0. The prompts are our
own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from regrade.graders.asking import model_options
from regrade.graders.contract import Graded, Item, Metric, Models, Options, Sample, read_options
from regrade.graders.rag_input import QUESTION, answer_of, read_question, shortened
from regrade.graders.rag_judge import Judge
from regrade.recipes import cosine
from regrade.timer import TimeUp
from regrade.ungraded import Ungraded

METRICS = (
    Metric(
        id="answer_relevance",
        description="The mean cosine between the question and questions that a model wrote from the answer.",
        scale="graded",
    ),
)

OPTIONS: Options = {
    **QUESTION,
    "questions": {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
        "default": 3,
        "description": "How many questions the judge writes from the answer.",
    },
    "embedding_model": {
        "type": "string",
        "minLength": 1,
        "default": "auto",
        "description": "The model for embeddings, `provider:model`; auto is run.embedding_model.",
    },
    **model_options(2048),
}

_TASK = """\
You guess what was asked. ANSWER is the answer to a question that you do not see.
questions: write {count} different questions, each of which the ANSWER would answer in full. Use its language, and
what it says; add nothing.
noncommittal: yes where the ANSWER commits to nothing, as "I don't know" or "it depends" do; else no."""


def create(options: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    """Return the grader: a request to the judge and one for embeddings a sample. Without an answer the score is 0."""
    chosen = read_options(options, OPTIONS)
    count = int(str(chosen["questions"]))

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        answer, question = answer_of(sample), read_question(sample, item, chosen)
        if answer is None:
            return {"scores": {"answer_relevance": 0.0}, "judge": {"questions": []}}
        questions, noncommittal = _questions(Judge(ctx, chosen), answer, count)
        details: dict[str, object] = {"questions": questions, "noncommittal": noncommittal}
        details.update(shortened({"answer": answer}))
        if noncommittal:
            return {"scores": {"answer_relevance": 0.0}, "judge": details}
        asked, *guessed = _vectors(ctx, [question, *questions], str(chosen["embedding_model"]))
        cosines = [max(0.0, cosine(asked, each)) for each in guessed]
        return {"scores": {"answer_relevance": sum(cosines) / count}, "judge": {**details, "cosines": cosines}}

    return grade


def _questions(judge: Judge, answer: str, count: int) -> tuple[list[str], bool]:
    properties = {
        "questions": {"type": "array", "items": {"type": "string"}},
        "noncommittal": {"type": "string", "enum": ["yes", "no"]},
    }
    found = judge.ask(_TASK.format(count=count), [("ANSWER", answer)], properties)
    given, noncommittal = found.get("questions"), found.get("noncommittal")
    questions = [each for each in given if isinstance(each, str) and each.strip()] if isinstance(given, list) else []
    if noncommittal not in ("yes", "no") or (noncommittal == "no" and len(questions) != count):
        said = f"the judge wrote {len(questions)} questions and not {count}, or not whether the answer is noncommittal"
        raise Ungraded("judge_off_menu", said)
    return questions, noncommittal == "yes"


def _vectors(ctx: Models, texts: list[str], model: str) -> list[list[float]]:
    try:
        response = ctx.embeddings_create(model=model, input=texts)
    except TimeUp:
        raise Ungraded("judge_timeout", "the embeddings had not come when the grader's time was over") from None
    except Exception as error:
        raise Ungraded("judge_unreachable", f"there are no embeddings: {error}") from None
    data = response.get("data")
    vectors = [each["embedding"] for each in data if isinstance(each, dict)] if isinstance(data, list) else []
    if len(vectors) != len(texts):
        raise Ungraded("judge_off_menu", f"there are {len(vectors)} embeddings for {len(texts)} texts")
    return vectors
