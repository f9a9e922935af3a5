"""Writes test/stats/agreement.json: kappa, alpha and corrected means, computed independently of src/stats.

python3 -m venv venv && venv/bin/pip install numpy scipy statsmodels krippendorff && venv/bin/python scripts/agreement-vectors.py

Kappa with its standard error is statsmodels', alpha that of the package krippendorff; the prediction-powered mean and Rogan and Gladen's share are
written here from their papers, with NumPy. `npx oxfmt test/stats/agreement.json` breaks its lines.
"""

import json
import sys
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa, to_table

OUT = Path(__file__).parent.parent / "test" / "stats" / "agreement.json"
Z = 1.959963984540054


def powered(everything: np.ndarray, judge: np.ndarray, people: np.ndarray) -> list[float]:
    error = judge - people
    value = everything.mean() - error.mean()
    covariance = np.cov(judge, error, ddof=1)[0, 1]
    variance = everything.var(ddof=1) / len(everything) + error.var(ddof=1) / len(error)
    reach = Z * np.sqrt(variance - 2 * covariance / len(everything))
    return [float(value), float(value - reach), float(value + reach)]


def rogan_gladen(everything: np.ndarray, judge: np.ndarray, people: np.ndarray) -> list[float]:
    se, sp = judge[people == 1].mean(), 1 - judge[people == 0].mean()
    p, j = everything.mean(), se + sp - 1
    value = min(1, max(0, (p + sp - 1) / j))
    n1, n0 = (people == 1).sum(), (people == 0).sum()
    variance = (p * (1 - p) / len(everything) + (1 - value) ** 2 * sp * (1 - sp) / n0 + value**2 * se * (1 - se) / n1) / j**2
    reach = Z * np.sqrt(variance)
    return [float(value), float(max(0, value - reach)), float(min(1, value + reach))]


def vector(name: str, everything: np.ndarray, judge: np.ndarray, people: np.ndarray) -> dict[str, Any]:
    kappa = cohens_kappa(to_table(np.stack([people, judge], axis=1))[0])
    is_bits = set(everything) <= {0.0, 1.0}
    return {
        "name": name,
        "all": everything.tolist(),
        "judge": judge.tolist(),
        "people": people.tolist(),
        "kappa": [kappa.kappa, kappa.kappa_low, kappa.kappa_upp],
        "alpha": krippendorff.alpha(np.stack([judge, people]), level_of_measurement="interval"),
        "powered": powered(everything, judge, people),
        "rogan_gladen": rogan_gladen(everything, judge, people) if is_bits else None,
    }


def vectors() -> list[dict[str, Any]]:
    random = np.random.default_rng(25_07)
    truth = (random.random(400) < 0.7).astype(float)
    lenient = np.where(random.random(400) < np.where(truth == 1, 0.95, 0.3), 1.0, 0.0)
    marks = random.integers(1, 6, size=120).astype(float)
    shifted = np.clip(marks + random.choice([-1, 0, 0, 1, 1], size=120), 1, 5).astype(float)
    return [
        vector("a lenient judge of 0 and 1", lenient, lenient[:80], truth[:80]),
        vector("all samples are labelled", lenient[:80], lenient[:80], truth[:80]),
        vector("marks of 1 to 5", shifted, shifted[:40], marks[:40]),
    ]


def several() -> dict[str, Any]:
    random = np.random.default_rng(3)
    ratings = random.integers(1, 5, size=(3, 12)).astype(float)
    ratings[1] = ratings[0]
    ratings[2, :5] = np.nan
    ratings[0, 3] = np.nan
    alpha = krippendorff.alpha(ratings, level_of_measurement="interval")
    return {"units": [[r for r in unit if not np.isnan(r)] for unit in ratings.T], "alpha": alpha}


if __name__ == "__main__":
    made = {"vectors": vectors(), "several": several()}
    OUT.write_text(json.dumps(made) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(made['vectors'])} vectors\n")
