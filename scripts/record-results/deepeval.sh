#!/usr/bin/env bash
# Records test/fixtures/results/deepeval: two versions of a candidate by the real tool, offline, with metrics of our own in
# place of those that ask a model. DEEPEVAL_PYTHON may name an interpreter that has deepeval; else it is installed in a
# scratch folder.
set -euo pipefail
VERSION=4.3.1
here=$(cd "$(dirname "$0")" && pwd)
fixtures=$(cd "$here/../.." && pwd)/test/fixtures/results/deepeval
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=${DEEPEVAL_PYTHON:-}
if [ -z "$python" ]; then
  python3 -m venv "$scratch/venv"
  python="$scratch/venv/bin/python"
  "$python" -m pip install --quiet "deepeval==$VERSION"
fi
cp "$here/tickets.py" "$scratch"
cd "$scratch"
export DEEPEVAL_TELEMETRY_OPT_OUT=YES DEEPEVAL_UPDATE_WARNING_OPT_IN=NO PYTHONPATH="$scratch" HOME="$scratch"
unset CONFIDENT_API_KEY OPENAI_API_KEY

cat > app_metrics.py <<'PY'
from deepeval.metrics import BaseConversationalMetric, BaseMetric


class RightLabel(BaseMetric):
    """1 for the label that was expected."""

    threshold = 0.5
    async_mode = False
    include_reason = True

    def measure(self, test_case, *_, **__):
        said = test_case.actual_output.removeprefix("The label is ").removesuffix(".")
        self.score = float(said == test_case.expected_output)
        self.reason = f"{said!r}, and {test_case.expected_output!r} was expected"
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case, *_, **__):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Right Label"


class Wordiness(RightLabel):
    """How many words too many: lower is better."""

    threshold = 0.3

    def measure(self, test_case, *_, **__):
        if "hours" in test_case.input:
            raise ValueError("wordiness is not for opening hours")
        words = len(test_case.actual_output.split())
        self.score = min(1.0, (words - 1) / 10)
        self.reason = f"{words} words"
        self.success = self.score <= self.threshold
        return self.score

    @property
    def __name__(self):
        return "Wordiness [custom]"


class Polite(BaseConversationalMetric):
    threshold = 0.5
    async_mode = False
    include_reason = True

    def measure(self, test_case, *_, **__):
        said = [turn.content for turn in test_case.turns if turn.role == "assistant"]
        self.score = sum("please" in text for text in said) / len(said)
        self.reason = "so many turns say please"
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case, *_, **__):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Polite"
PY

cat > record.py <<'PY'
import sys

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import ConversationalTestCase, LLMTestCase, Turn

from app_metrics import Polite, RightLabel, Wordiness
from tickets import CASES, classify

version, kind = sys.argv[1:]


def single():
    for case in CASES:
        said = f"The label is {classify(version, case['text'])}."
        if version == "head" and "email" in case["text"]:
            said = "I have looked at your ticket with care and I am quite sure that the label is account."
        named = {"name": case["id"]} if case["label"] == "billing" else {}
        cost = {"completion_time": 0.125, "token_cost": 0.0002, "input_token_count": 12, "output_token_count": 5}
        about = {"metadata": {"kind": case["id"][-1], "label": case["label"]}, "tags": ["tickets"]}
        yield LLMTestCase(input=case["text"], actual_output=said, expected_output=case["label"], **named, **cost, **about)


def conversations():
    for topic in ["a refund", "a crash", "a password"]:
        reply = "Tell me more, please." if version == "base" or topic != "a crash" else "Tell me more."
        turns = [Turn(role="user", content=f"I need help with {topic}."), Turn(role="assistant", content=reply)]
        yield ConversationalTestCase(scenario=f"Asks for help with {topic}", turns=turns)


evaluate(
    # All of it twice: repeats.
    test_cases=[*single(), *single()] if kind == "single" else list(conversations()),
    metrics=[RightLabel(), Wordiness()] if kind == "single" else [Polite()],
    hyperparameters={"model": f"tickets-{version}"},
    async_config=AsyncConfig(run_async=False),
    error_config=ErrorConfig(ignore_errors=True),
    display_config=DisplayConfig(show_indicator=False, print_results=False, results_folder=f"out/{version}-{kind}"),
)
PY

mkdir -p "$fixtures"
for version in base head; do
  for kind in single conversations; do
    "$python" record.py "$version" "$kind"
    cp out/$version-$kind/test_run_*.json "$fixtures/$version-$kind.json"
  done
done
cp .deepeval/.latest_test_run.json "$fixtures/latest_test_run.json"
sed -i "s#$scratch#/repo#g" "$fixtures"/*.json
