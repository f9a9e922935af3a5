"""Writes test/stats/stratified.json: the test of a drop from several earlier runs, computed independently of src/stats.

python3 -m venv venv && venv/bin/pip install numpy scipy statsmodels && venv/bin/python scripts/stratified-vectors.py

The exact distribution is a convolution of SciPy's hypergeometric ones. Of one stratum it is held against SciPy's Fisher test, of all, without
weights, its mean and variance against statsmodels' StratifiedTable. `npx oxfmt test/stats/stratified.json` breaks its lines.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable

OUT = Path(__file__).parent.parent / "test" / "stats" / "stratified.json"


def distribution(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    chances = np.array([1.0])
    for (right, of, right_before, of_before), weight in zip(rows, weights, strict=True):
        own = stats.hypergeom(of + of_before, right + right_before, of).pmf(np.arange(of + 1))
        spread = np.zeros(of * weight + 1)
        spread[::weight] = own
        chances = np.convolve(chances, spread)
    return chances


def mid_p(rows: np.ndarray, weights: np.ndarray) -> float:
    chances = distribution(rows, weights)
    seen = int((rows[:, 0] * weights).sum())
    return float(chances[:seen].sum() + chances[seen] / 2)


def flip(multiples: np.ndarray) -> float:
    total = int(np.abs(multiples).sum())
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for size in np.abs(multiples[multiples != 0]):
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    at = total + int(multiples.sum())
    return float(chances[:at].sum() + chances[at] / 2)


def check(rows: np.ndarray) -> None:
    ones = np.ones(len(rows), dtype=int)
    chances = distribution(rows, ones)
    values = np.arange(len(chances))
    mean = (values * chances).sum()
    variance = (values**2 * chances).sum() - mean**2
    tables = [np.array([[r, k - r], [b, m - b]]) for r, k, b, m in rows if 0 < r + b < k + m]
    theirs = StratifiedTable(tables).test_null_odds(correction=False).statistic
    sure = sum(int(r) for r, k, b, m in rows if r + b == k + m)
    ours = (rows[:, 0].sum() - mean) ** 2 / variance
    if not np.isclose(ours, theirs):
        raise ValueError(f"statsmodels has {theirs}, not {ours} ({sure} strata are all right)")
    r, k, b, m = rows[0]
    fisher = stats.fisher_exact([[r, k - r], [b, m - b]], alternative="less").pvalue
    own = distribution(rows[:1], ones[:1])
    if not np.isclose(own[: r + 1].sum(), fisher):
        raise ValueError(f"Fisher's test has {fisher}")


def vector(name: str, rows: np.ndarray) -> dict[str, Any]:
    """Rows of right, of, right before, of before; the same numbers of answers in all."""
    check(rows)
    _, k, _, m = rows[0]
    everything = k + m
    share = (rows[:, 0] + rows[:, 2]) / everything
    variance = share * (1 - share) * everything / (everything - 1)
    usual = variance.mean()
    tenths = np.maximum(1, np.floor(10 * usual / (usual + variance) + 0.5)).astype(int)
    whole = rows[:, 0] * m - rows[:, 2] * k
    parts = {
        "shuffled": mid_p(rows, tenths),
        "weighted": flip(whole * tenths),
        "plain": flip(whole),
    }
    p = max(parts["shuffled"], parts["weighted"], parts["plain"] / 2)
    return {"name": name, "answers": rows.tolist(), **parts, "p": p}


def drawn(random: np.random.Generator, before: np.ndarray, after: np.ndarray, k: int, m: int) -> np.ndarray:
    right, right_before = random.binomial(k, after), random.binomial(m, before)
    return np.stack([right, np.full(len(before), k), right_before, np.full(len(before), m)], axis=1)


def vectors() -> list[dict[str, Any]]:
    random = np.random.default_rng(29_02)
    usual = random.choice([0.98, 0.6, 0.2], p=[0.65, 0.25, 0.1], size=100)
    broken = np.where(random.random(100) < 0.1, 0.0, usual)
    turned = usual.copy()
    turned[:6], turned[6:12] = 0.0, 1.0
    return [
        vector("100 cases, 5 earlier runs, cases broke", drawn(random, usual, broken, 1, 5)),
        vector("100 cases, 5 earlier runs, nothing changed", drawn(random, usual, usual, 1, 5)),
        vector("as many better as worse, for good", drawn(random, usual, turned, 1, 5)),
        vector("40 cases x 3 repeats, 4 earlier runs", drawn(random, usual[:40], broken[:40], 3, 12)),
        vector("12 cases, 2 earlier runs", drawn(random, usual[:12], usual[:12] / 2, 1, 2)),
    ]


if __name__ == "__main__":
    made = {"made_by": f"numpy {np.__version__}", "vectors": vectors()}
    OUT.write_text(json.dumps(made) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(made['vectors'])} vectors\n")
