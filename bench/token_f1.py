"""Token F1, as many suites have it."""

import re
from collections import Counter


def tokens(text):
    return re.findall(r"\w+", (text or "").lower())


def grade(sample, item):
    predicted, gold = tokens(sample["output_text"]), tokens(item["answer"])
    common = sum((Counter(predicted) & Counter(gold)).values())
    if common == 0:
        return {"scores": {"token_f1": 0.0}}
    precision, recall = common / len(predicted), common / len(gold)
    return {"scores": {"token_f1": 2 * precision * recall / (precision + recall)}}
