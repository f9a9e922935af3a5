"""Grades an answer of the form `label (urgency)`."""

import re

ANSWER = re.compile(r"(?P<label>\w+) \((?P<urgency>\w+)\)")


def grade(sample, item):
    answer = ANSWER.fullmatch(sample["output_text"].strip())
    if answer is None:
        return {
            "scores": {"label": 0.0, "urgency": 0.0},
            "judge": {"note": "the answer is not of the form 'label (urgency)'"},
        }
    right_label = answer["label"] == item["target"]
    right_urgency = answer["urgency"] == item["urgency"]
    note = "right" if right_label else f"said {answer['label']}, it is {item['target']}"
    return {
        "scores": {"label": float(right_label), "urgency": float(right_urgency)},
        "judge": {"note": note},
    }
