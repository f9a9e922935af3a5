"""Writes test/stats/weighted-flip.json: the test of differences weighted by repeats, independently of src/stats.

python3 -m venv venv && venv/bin/pip install numpy scipy && venv/bin/python scripts/weighted-flip-vectors.py

`npx oxfmt test/stats/weighted-flip.json` breaks its lines. Flips are counted one by one (up to 16 differences) or by
convolving the distributions of the single terms (NumPy); t is SciPy's.
"""

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

OUT = Path(__file__).parent.parent / "test" / "stats" / "weighted-flip.json"
TIE = 1e-9
GAIN_LEVEL = 0.35


def flip_by_counting(differences: np.ndarray) -> float:
    """Mid-p of all sign patterns."""
    sizes = np.abs(differences[differences != 0])
    seen = differences.sum()
    sums = np.array([np.dot(signs, sizes) for signs in product((-1, 1), repeat=len(sizes))])
    below, tied = (sums < seen - TIE).mean(), (np.abs(sums - seen) <= TIE).mean()
    return float(below + tied / 2)


def flip_by_convolution(multiples: np.ndarray) -> float:
    """The same of differences that are whole numbers."""
    total = int(np.abs(multiples).sum())
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for size in np.abs(multiples[multiples != 0]):
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    at = total + int(multiples.sum())
    return float(chances[:at].sum() + chances[at] / 2)


def effective(differences: np.ndarray) -> float:
    return float(np.abs(differences).sum() ** 2 / np.square(differences).sum())


def drop_p(differences: np.ndarray, multiples: np.ndarray | None) -> tuple[str, float]:
    changed = int((np.abs(differences) > 1e-12).sum())
    if multiples is not None:
        return "flip_exact", flip_by_convolution(multiples)
    if changed <= 16:
        return "flip_exact", flip_by_counting(differences)
    if len(differences) < 30 or effective(differences) < 20:
        raise ValueError("seeded flips have no independent figure")
    return "t", float(stats.ttest_1samp(differences, 0, alternative="less").pvalue)


def gain_p(losses: np.ndarray, multiples: np.ndarray | None) -> float:
    """Only its side of the level counts: flips drawn by NumPy do where they are far from it."""
    if multiples is not None or effective(losses) >= 20:
        return drop_p(losses, multiples)[1]
    signs = np.random.default_rng(35).choice([-1.0, 1.0], size=(100_000, len(losses)))
    p = float((signs @ losses <= losses.sum()).mean())
    if abs(p - GAIN_LEVEL) < 0.02:
        raise ValueError(f"{p} is too near to the level to tell")
    return p


def vector(name: str, before: np.ndarray, after: np.ndarray, unit: int | None) -> dict[str, Any]:
    """`unit`: one over the unit of which all differences are multiples."""
    differences = after.mean(axis=1) - before.mean(axis=1)
    within = [side.var(axis=1, ddof=1) for side in (before, after)]
    both = within[0] + within[1]
    usual = both.mean()
    tenths = np.maximum(1, np.floor(10 * usual / (usual + both) + 0.5)).astype(int)
    whole = None if unit is None else np.rint(differences * unit).astype(int)
    test, weighted = drop_p(differences * tenths / 10, None if whole is None else whole * tenths)
    _, plain = drop_p(differences, whole)
    others = tenths.max() - tenths
    gain = gain_p(-differences * others / 10, None if whole is None else -whole * others)
    return {
        "name": name,
        "before": before.tolist(),
        "after": after.tolist(),
        "weights": (tenths / 10).tolist(),
        "test": f"weighted_{test}",
        "weighted": weighted,
        "plain": plain,
        "gain": gain,
        "p": max(weighted, plain if gain < GAIN_LEVEL else plain / 2),
    }


def answers(random: np.random.Generator, chances: np.ndarray, repeats: int) -> np.ndarray:
    return (random.random((len(chances), repeats)) < chances[:, None]).astype(float)


def vectors() -> list[dict[str, Any]]:
    random = np.random.default_rng(20_29)
    usual = random.choice([0.98, 0.6, 0.2], p=[0.65, 0.25, 0.1], size=100)
    broken = np.where(random.random(100) < 0.06, 0.0, usual)
    few = usual[:14]
    graded = random.normal(0.6, 0.1, size=(60, 1))
    spread = random.uniform(0.02, 0.3, size=(60, 1))
    noisy = [graded + spread * random.normal(size=(60, 4)) for _ in range(2)]
    marks = [np.rint(4 * np.clip(side, 0, 1)) / 4 for side in (noisy[0][:12], noisy[1][:12] - 0.1)]
    lopsided = (
        np.concatenate([np.ones(5), np.full(25, 0.5), usual[:70]]),
        np.concatenate([np.zeros(5), np.full(25, 0.8), usual[:70]]),
    )
    return [
        vector("100 cases x 5, 0/1, cases broke", answers(random, usual, 5), answers(random, broken, 5), 5),
        vector("100 cases x 5, 0/1, nothing changed", answers(random, usual, 5), answers(random, usual, 5), 5),
        vector("100 cases x 3, 0/1, cases broke", answers(random, usual, 3), answers(random, broken, 3), 3),
        vector("14 cases x 7, 0/1", answers(random, few, 7), answers(random, few / 2, 7), None),
        vector(
            "steady cases broke, flickering ones gained",
            answers(random, lopsided[0], 5),
            answers(random, lopsided[1], 5),
            5,
        ),
        vector("12 cases x 4, marks of a rubric", marks[0], marks[1], 16),
        vector("60 cases x 4, graded", noisy[0], noisy[1] - 0.05, None),
    ]


if __name__ == "__main__":
    made = {"made_by": f"numpy {np.__version__}, scipy {__import__('scipy').__version__}", "vectors": vectors()}
    OUT.write_text(json.dumps(made) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(made['vectors'])} vectors\n")
