#!/usr/bin/env bash
# Records test/fixtures/results/lm-eval: two versions of a candidate by the real tool, offline, with a local task over a
# local data set. LM_EVAL_PYTHON may name an interpreter that has lm-eval; else it is installed in a scratch folder.
set -euo pipefail
VERSION=0.4.13
here=$(cd "$(dirname "$0")" && pwd)
fixtures=$(cd "$here/../.." && pwd)/test/fixtures/results/lm-eval
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=${LM_EVAL_PYTHON:-}
if [ -z "$python" ]; then
  python3 -m venv "$scratch/venv"
  python="$scratch/venv/bin/python"
  "$python" -m pip install --quiet "lm-eval==$VERSION"
fi
cp "$here/tickets.py" "$scratch"
cd "$scratch"
export HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 HF_HOME="$scratch/hf" PYTHONPATH="$scratch" PYTHONWARNINGS=ignore

"$python" - <<'PY'
import json, os
from tickets import CASES, WORDS
os.makedirs("tasks"), os.makedirs("data")
with open("data/tickets.jsonl", "w") as out:
    for case in CASES:
        doc = {"question": case["text"], "answer": case["label"], "kind": case["id"][-1]}
        out.write(json.dumps(doc) + "\n")
with open("data/choices.jsonl", "w") as out:
    for case in CASES:
        doc = {"id": case["id"], "question": case["text"], "choices": list(WORDS), "gold": list(WORDS).index(case["label"])}
        out.write(json.dumps(doc) + "\n")
PY

cat > tasks/tickets.yaml <<'YAML'
task: tickets
dataset_path: json
dataset_kwargs: { data_files: { test: data/tickets.jsonl } }
test_split: test
output_type: generate_until
doc_to_text: "Ticket: {{question}}\nLabel:"
doc_to_target: answer
generation_kwargs: { until: ["\n\n"], do_sample: false }
filter_list:
  - name: strict-match
    filter: [{ function: regex, regex_pattern: "^The label is (\\w+)\\.$" }, { function: take_first }]
  - name: flexible-extract
    filter: [{ function: regex, regex_pattern: "(billing|bug|account|other)" }, { function: take_first }]
metric_list:
  - { metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true }
metadata: { version: 1.0 }
YAML

cat > tasks/choices.yaml <<'YAML'
task: ticket_choices
dataset_path: json
dataset_kwargs: { data_files: { test: data/choices.jsonl } }
test_split: test
output_type: multiple_choice
doc_to_text: "Ticket: {{question}}\nLabel:"
doc_to_choice: choices
doc_to_target: gold
metric_list:
  - { metric: acc, aggregation: mean, higher_is_better: true }
  - { metric: acc_norm, aggregation: mean, higher_is_better: true }
  - { metric: brier_score, aggregation: brier_score, higher_is_better: false }
metadata: { version: 1.0 }
YAML

# A model of our own beside the tool's dummy, which answers by chance.
cat > model.py <<'PY'
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from tickets import classify


@register_model("tickets")
class Tickets(LM):
    def __init__(self, release, **rest):
        super().__init__()
        self.version = release

    @classmethod
    def create_from_arg_string(cls, arg_string, additional_config=None):
        return cls(arg_string.split("=")[1])

    @classmethod
    def create_from_arg_obj(cls, arg_dict, additional_config=None):
        return cls(**arg_dict)

    def generate_until(self, requests, disable_tqdm=False):
        return [self.say(*request.args) for request in requests]

    def say(self, prompt, _):
        label = classify(self.version, prompt)
        return f"It is {label}, I think." if "profile" in prompt else f"The label is {label}."

    def loglikelihood(self, requests, disable_tqdm=False):
        return [self.rate(*request.args) for request in requests]

    def rate(self, prompt, choice):
        is_it = classify(self.version, prompt) == choice.strip()
        return (-0.25 if is_it else -4.5, is_it)

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError
PY

for version in base head; do
  "$python" -c 'import model, sys; from lm_eval.__main__ import cli_evaluate; cli_evaluate()' run \
    --model tickets --model_args "release=$version" --tasks tickets,ticket_choices --include_path tasks \
    --log_samples --output_path "out/$version"
done
"$python" -m lm_eval run --model dummy --tasks ticket_choices --include_path tasks --limit 5 --log_samples --output_path out/dummy

for version in base head dummy; do
  rm -rf "${fixtures:?}/$version"
  mkdir -p "$fixtures/$version"
  cp out/$version/*/*.json out/$version/*/*.jsonl "$fixtures/$version/"
done
# Parts that identify the machine: paths, its hardware and its packages.
"$python" - "$fixtures" "$scratch" <<'PY'
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*/results_*.json"):
    text = path.read_text().replace(sys.argv[2], "/repo")
    results = json.loads(text)
    for key in ("pretty_env_info", "git_hash", "start_time", "end_time"):
        results.pop(key, None)
    path.write_text(json.dumps(results, indent=2) + "\n")
PY
