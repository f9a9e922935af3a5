"""The tasks that `inspect.sh` runs: capitals, asked of Inspect's mock model, on its good and bad days."""

import os

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Target, includes, match, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.tool import ToolChoice, ToolInfo

CAPITALS = {
    "France": "Paris",
    "Peru": "Lima",
    "Japan": "Tokyo",
    "Kenya": "Nairobi",
    "Norway": "Oslo",
    "Cuba": "Havana",
    "Ghana": "Accra",
    "Qatar": "Doha",
}

# Answers that the changed candidate gets wrong.
LARGEST = {
    "France": "Marseille",
    "Kenya": "Mombasa",
    "Norway": "Bergen",
    "Cuba": "Holguin",
    "Ghana": "Kumasi",
    "Japan": "Yokohama",
}

# Longer than 100 characters: Inspect stores it apart from the sample.
CONTEXT = "Answer with the name of one city and nothing else. " * 4

IS_HEAD = os.environ.get("CANDIDATE") == "head"


def answer(
    input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
) -> ModelOutput:
    text = input[-1].text
    country = text.rsplit(" ", 1)[-1].strip("?")
    if country == "Atlantis":
        raise ConnectionError("no route to host")
    known = {**CAPITALS, **LARGEST} if IS_HEAD else CAPITALS
    output = ModelOutput.from_content("mockllm/model", known.get(country, f"{country}."))
    # Inspect would count them with a table that it downloads.
    output.usage = ModelUsage(input_tokens=52, output_tokens=2, total_tokens=54, total_cost=0.00012)
    return output


@solver
def only_known() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if "Lemuria" in state.input_text:
            raise ValueError("Lemuria sank")
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def graded():
    """All four letter grades: correct, partial, incorrect, no answer."""

    async def score(state: TaskState, target: Target) -> Score:
        city = state.output.completion
        if city == target.text:
            return Score(value="C", answer=city, explanation="As asked.")
        if city.endswith("."):
            return Score(value="N", answer=city, explanation="It is no city.")
        return Score(value="P" if city[0] == target.text[0] else "I", answer=city, explanation="Another city.")

    return score


@scorer(metrics={"length": [mean()], "words": [mean()]})
def style():
    async def score(state: TaskState, target: Target) -> Score:
        city = state.output.completion
        return Score(value={"length": len(city) / 20, "words": len(city.split())})

    return score


@scorer(metrics=[mean()])
def sometimes():
    """Gives no score to one sample: it is neither right nor wrong."""

    async def score(state: TaskState, target: Target) -> Score:
        if "Qatar" in state.input_text:
            return Score.unscored(explanation="The judge said nothing.")
        return Score(value=state.output.completion == target.text)

    return score


def samples(with_ids: bool) -> list[Sample]:
    known = {**CAPITALS, "Atlantis": "none", "Lemuria": "none", "Mu": "none"}
    return [
        Sample(
            id=country.lower() if with_ids else None,
            input=f"{CONTEXT}What is the capital of {country}?",
            target=capital,
            metadata={"region": "asia" if country in ("Japan", "Qatar") else "elsewhere"},
        )
        for country, capital in known.items()
    ]


@task
def capitals() -> Task:
    return Task(
        dataset=MemoryDataset(samples(True), name="capitals"),
        solver=[only_known(), generate()],
        scorer=[match(), graded(), style(), sometimes()],
        model=get_model("mockllm/model", custom_outputs=answer),
        epochs=2,
        fail_on_error=False,
    )


@task
def numbered() -> Task:
    """Without ids of its own: Inspect numbers the samples."""
    return Task(
        dataset=MemoryDataset(samples(False)[:3], name="numbered"),
        solver=generate(),
        scorer=includes(),
        model=get_model("mockllm/model", custom_outputs=answer),
    )


@task
def aborted() -> Task:
    """Stops at the first error."""
    return Task(
        dataset=MemoryDataset(samples(True)[-3:], name="aborted"),
        solver=[only_known(), generate()],
        scorer=includes(),
        model=get_model("mockllm/model", custom_outputs=answer),
        fail_on_error=True,
    )
