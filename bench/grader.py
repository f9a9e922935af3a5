"""Exact match and token F1, as many suites have them."""

import re
from collections import Counter


def tokens(text):
    return re.findall(r"\w+", (text or "").lower())


def f1(prediction, target):
    predicted, gold = tokens(prediction), tokens(target)
    common = sum((Counter(predicted) & Counter(gold)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(predicted), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def grade(sample, item):
    exact = 1.0 if sample.get("extracted_output") == item.get("target") else 0.0
    return {"scores": {"exact_match": exact, "token_f1": f1(sample.get("output_text"), item.get("target"))}}
