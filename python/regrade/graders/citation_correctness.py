"""Whether an answer's citations support what it says, and all of them are needed.

Definition: Gao et al., Enabling Large Language Models to Generate Text with Citations (ALCE), 2023
(arXiv:2305.14627), section 3. Citation recall: the part of the statements that the contexts they cite, taken
together, support; a statement without a citation, or with one of a context that is not there, is not supported.
Citation precision: the part of the citations that are of use: their statement is supported, and either the context
supports it alone or the others without it don't. Statements are sentences. The paper asks a model of textual
entailment, we ask the judge; the prompts are our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from regrade.graders.asking import model_options
from regrade.graders.contract import Graded, Item, Metric, Models, Options, Sample, read_options
from regrade.graders.rag_input import CONTEXTS, answer_of, read_contexts, shortened
from regrade.graders.rag_judge import Judge, judge_each

METRICS = (
    Metric(
        id="citation_correctness",
        description="The harmonic mean of citation recall and citation precision.",
        scale="graded",
    ),
    Metric(
        id="citation_recall",
        description="The part of the answer's statements that the contexts they cite support.",
        scale="graded",
    ),
    Metric(
        id="citation_precision",
        description="The part of the citations that their statement needs.",
        scale="graded",
    ),
)

OPTIONS: Options = {**CONTEXTS, **model_options(4096)}

_TASK = """\
You check citations. The blocks CONTEXT <number> are sources, the blocks STATEMENT <number> sentences of an answer.
These are the pairs to be checked:
{pairs}
For the number of each pair: the verdict is yes where the contexts that are named, taken together and without any
other, fully support the statement; else no. The reason is one sentence."""

#: Pairs of a statement and contexts in one request.
_PAIRS_LIMIT = 200


@dataclass(frozen=True)
class Statement:
    """A sentence without its citations, and the numbers of the contexts that it cites."""

    text: str
    cited: tuple[int, ...]


@dataclass(frozen=True)
class _Pair:
    statement: int
    contexts: tuple[int, ...]


def create(options: Mapping[str, object]) -> Callable[[Sample, Item, Models], Graded]:
    """Return the grader: at most two requests to a model a sample. Without an answer, or a citation, the scores are
    0.
    """
    chosen = read_options(options, OPTIONS)

    def grade(sample: Sample, item: Item, ctx: Models) -> Graded:
        contexts = read_contexts(sample, item, chosen)
        answer = answer_of(sample)
        statements = split_statements(answer or "")
        check = _Checker(Judge(ctx, chosen), statements, contexts)
        supported = check.supported()
        needed = check.needed(supported)
        told = [
            {"statement": each.text, "cites": list(each.cited), "supported": supported[i], "needed": needed[i]}
            for i, each in enumerate(statements)
        ]
        return {"scores": _scores(supported, needed, statements), "judge": {"statements": told, **check.cut()}}

    return grade


def _scores(
    supported: Sequence[bool], needed: Sequence[Sequence[int]], statements: Sequence[Statement]
) -> dict[str, float]:
    cited = sum(len(each.cited) for each in statements)
    recall = sum(supported) / len(statements) if statements else 0.0
    precision = sum(len(each) for each in needed) / cited if cited else 0.0
    both = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return {"citation_correctness": both, "citation_recall": recall, "citation_precision": precision}


class _Checker:
    def __init__(self, judge: Judge, statements: Sequence[Statement], contexts: Sequence[str]) -> None:
        self._judge = judge
        self._statements = statements
        self._contexts = contexts

    def supported(self) -> list[bool]:
        """Whether each statement is supported by all that it cites. One request, where any cites what is there."""
        pairs = [_Pair(i, each.cited) for i, each in enumerate(self._statements) if self._are_there(each.cited)]
        holds = self._ask(pairs)
        return [holds.get(_Pair(i, each.cited), False) for i, each in enumerate(self._statements)]

    def needed(self, supported: Sequence[bool]) -> list[list[int]]:
        """The citations of each statement that are of use. One request, where a supported statement has several."""
        several = [(i, each) for i, each in enumerate(self._statements) if supported[i] and len(each.cited) > 1]
        pairs = [_Pair(i, part) for i, each in several for number in each.cited for part in _parts(each, number)]
        holds = self._ask(pairs)

        def is_needed(i: int, each: Statement, number: int) -> bool:
            alone, others = _parts(each, number)
            return holds[_Pair(i, alone)] or not holds[_Pair(i, others)]

        return [
            [number for number in each.cited if len(each.cited) == 1 or is_needed(i, each, number)]
            if supported[i]
            else []
            for i, each in enumerate(self._statements)
        ]

    def cut(self) -> dict[str, object]:
        return shortened({f"CONTEXT {i}": text for i, text in enumerate(self._contexts, 1)})

    def _are_there(self, cited: tuple[int, ...]) -> bool:
        return bool(cited) and all(1 <= number <= len(self._contexts) for number in cited)

    def _ask(self, pairs: Sequence[_Pair]) -> dict[_Pair, bool]:
        if not pairs:
            return {}
        if len(pairs) > _PAIRS_LIMIT:
            raise ValueError(f"the answer has more than {_PAIRS_LIMIT} citations to be checked")
        lines = [
            f"{n}. STATEMENT {pair.statement + 1}, by CONTEXT {' and '.join(map(str, pair.contexts))}"
            for n, pair in enumerate(pairs, 1)
        ]
        numbers = sorted({number for pair in pairs for number in pair.contexts})
        shown = [(f"CONTEXT {number}", self._contexts[number - 1]) for number in numbers]
        asked = sorted({pair.statement for pair in pairs})
        blocks = [*shown, *((f"STATEMENT {i + 1}", self._statements[i].text) for i in asked)]
        task = _TASK.format(pairs="\n".join(lines))
        findings = judge_each(self._judge, task, blocks, len(pairs))
        return {pair: found.holds for pair, found in zip(pairs, findings, strict=True)}


def _parts(statement: Statement, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A citation alone, and the others without it."""
    return (number,), tuple(each for each in statement.cited if each != number)


_CITATIONS = re.compile(r"\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]")
#: A sentence with the citations behind its end, or what is left of a line.
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?。！？]+[\"'”’)]*(?:\s*\[\d[\d,;\s]*\])*(?=\s|$)|(?=\n|$))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[Ee]\.g|[Ii]\.e|[Cc]f|vs|etc|approx|[Nn]o|[Ff]ig|Dr|Mr|Mrs|Ms|Prof|St|U\.S)|\b[A-Z])\.$",
)


def split_statements(answer: str) -> list[Statement]:
    """Return the sentences of an answer. An abbreviation ends none, and a line ends one."""
    statements: list[Statement] = []
    for line in answer.splitlines():
        begun = ""
        for found in _SENTENCE.finditer(line):
            begun += found[0]
            if _ABBREVIATION.search(begun) and found.end() < len(line):
                continue
            statements.extend(_statement(begun))
            begun = ""
        statements.extend(_statement(begun))
    return statements


def _statement(text: str) -> list[Statement]:
    bare = re.sub(r"\s+", " ", _CITATIONS.sub("", text)).strip()
    numbers = [int(each) for found in _CITATIONS.findall(text) for each in re.split(r"[,;]", found)]
    # A heading's marks, or a lone number of a list, state nothing.
    return [Statement(bare, tuple(dict.fromkeys(numbers)))] if re.search(r"[^\W\d_]", bare) else []
