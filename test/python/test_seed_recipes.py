"""The recipes against the hosted product's own graders, which are run verbatim; skipped where those are not there."""

from __future__ import annotations

import itertools
import runpy
import unittest
from pathlib import Path
from typing import Any

import regrade

#: Not imported by name: type checkers would have to know where it lies.
SOURCES: list[str] = runpy.run_path(str(Path(__file__).with_name("seed_graders.py")))["sources"]()

TEXTS = [
    None,
    "",
    "Paris",
    " paris\n",
    "The cat sat on the mat",
    "the cat",
    "cat cat dog",
    "12",
    "12.005",
    "1e1",
    "x 12",
]


def graders() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for text in SOURCES:
        module: dict[str, Any] = {}
        exec(compile(text, "<example>", "exec"), module)
        found.append(module)
    return found


def named(metric: str) -> list[dict[str, Any]]:
    return [module for module in graders() if f"'{metric}'" in repr(_constants(module))]


def _constants(module: dict[str, Any]) -> list[object]:
    functions = [module[name] for name in ("grade", "grade_batch") if name in module]
    waiting = [function.__code__ for function in functions]
    constants: list[object] = []
    while waiting:
        code = waiting.pop()
        for constant in code.co_consts:
            constants.append(constant)
            if hasattr(constant, "co_consts"):
                waiting.append(constant)
    return constants


@unittest.skipUnless(SOURCES, "../shared/seeds is not there")
class SeedRecipes(unittest.TestCase):
    def test_all_examples_are_found(self) -> None:
        self.assertEqual(len(graders()), 11)

    def test_exact_match(self) -> None:
        plain, *_, folded = [
            module for module in named("exact_match") if "contains_target" not in repr(_constants(module))
        ]
        for output, target in itertools.product(TEXTS, TEXTS):
            sample, item = {"extracted_output": output}, {"target": target}
            self.assertEqual(plain["grade"](sample, item)["scores"]["exact_match"], regrade.exact_match(output, target))
            self.assertEqual(
                folded["grade"](sample, item)["scores"]["exact_match"],
                regrade.exact_match(output, target, case_sensitive=False),
            )

    def test_numeric_tolerance(self) -> None:
        (module,) = named("numeric_match")
        for output, target in itertools.product(TEXTS, TEXTS):
            scores = module["grade"]({"extracted_output": output}, {"target": target})["scores"]
            self.assertEqual(scores["numeric_match"], regrade.numeric_match(output, target, tolerance=0.01))
            error = regrade.absolute_error(output, target)
            self.assertAlmostEqual(scores.get("absolute_error", -1), -1 if error is None else error)

    def test_token_f1(self) -> None:
        (module,) = named("token_f1")
        for output, target in itertools.product(TEXTS, TEXTS):
            scores = module["grade"]({"output_text": output}, {"target": target})["scores"]
            self.assertAlmostEqual(scores["token_f1"], regrade.token_f1(output, target))

    def test_macro_f1(self) -> None:
        (module,) = named("macro_f1")
        labels = ["a", "b", None]
        for outputs in itertools.product(labels, repeat=3):
            for targets in itertools.product(labels, repeat=3):
                pairs = list(zip(outputs, targets, strict=True))
                samples = [{"sample_id": "s", "extracted_output": output, "target": target} for output, target in pairs]
                found = module["grade_batch"](samples)["metrics"]["macro_f1"]
                self.assertAlmostEqual(found, regrade.macro_f1(pairs))

    def test_cosine(self) -> None:
        (module,) = named("semantic_similarity")
        vectors = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [-2.0, 0.5]]
        for a, b in itertools.product(vectors, vectors):
            self.assertAlmostEqual(module["cosine"](a, b), regrade.cosine(a, b))


if __name__ == "__main__":
    unittest.main()
