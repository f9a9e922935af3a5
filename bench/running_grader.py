"""Runs a text for each sample, as graders of code do."""


def grade(sample, item):
    space = {"output": sample["output_text"], "target": item["target"]}
    exec("right = output == target", space)
    return float(space["right"])
