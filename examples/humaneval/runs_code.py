"""Runs a candidate's code against its problem's own tests. Graders run inside the sandbox, and so does the code."""

import re


def program_of(answer, problem, entry_point):
    """The program: what stands in a fence, else the whole answer; a completion alone goes after the problem's lines."""
    fenced = re.search(r"```(?:python)?\n(.*?)```", answer, re.DOTALL)
    code = fenced.group(1) if fenced else answer
    if f"def {entry_point}(" not in code:
        return problem + code
    # The imports and helpers of the problem count, whether the answer repeats them or not.
    return problem + "    pass\n\n" + code


def grade(sample, item):
    names = {"__name__": "candidate"}
    try:
        exec(program_of(sample["output_text"], item["prompt"], item["entry_point"]), names)
        exec(item["test"], names)
        names["check"](names[item["entry_point"]])
    except Exception as error:
        why = f"{type(error).__name__}: {error}"[:300]
        return {"scores": {"passed": 0.0}, "judge": {"error": why}}
    return {"scores": {"passed": 1.0}}
