"""Writes test/stats/agreement.json: kappa, alpha and corrected means, computed independently of src/stats.

python3 -m venv venv
venv/bin/pip install numpy scipy statsmodels krippendorff
venv/bin/python scripts/agreement-vectors.py

Kappa with its standard error is statsmodels', alpha that of the package krippendorff; the prediction-powered mean,
Rogan and Gladen's share and the interval of Lang and Reiczigel are written here from their papers, with NumPy; the
slope of 0/1 scores has statsmodels' interval of Agresti and Caffo, that of others its least squares with clusters. The
ends of the difference in people's scores are found by searching for where it is just not shown to differ.
`npx oxfmt test/stats/agreement.json` breaks its lines.
"""

import json
import sys
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.stats.inter_rater import cohens_kappa, to_table
from statsmodels.stats.proportion import confint_proportions_2indep

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
    of_labels = (1 - value) ** 2 * sp * (1 - sp) / n0 + value**2 * se * (1 - se) / n1
    variance = (p * (1 - p) / len(everything) + of_labels) / j**2
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


def lang_reiczigel(p: float, n: float, rights: tuple[int, int], wrongs: tuple[int, int]) -> list[float]:
    """rights, wrongs: how many there are, and how many the judge saw as such."""
    (n1, k1), (n0, k0) = rights, wrongs
    value = min(1.0, max(0.0, (p + k0 / n0 - 1) / (k1 / n1 + k0 / n0 - 1)))
    size = n + Z**2
    ap = (n * p + Z**2 / 2) / size
    se, sp, size1, size0 = (k1 + 1) / (n1 + 2), (k0 + 1) / (n0 + 2), n1 + 2, n0 + 2
    centre = (ap + sp - 1) / (se + sp - 1)
    v1, v0 = se * (1 - se) / size1, sp * (1 - sp) / size0
    shift = 2 * Z**2 * (centre * v1 - (1 - centre) * v0)
    spread = np.sqrt(ap * (1 - ap) / size + centre**2 * v1 + (1 - centre) ** 2 * v0) / (se + sp - 1)
    lower, upper = np.clip([centre + shift - Z * spread, centre + shift + Z * spread], 0, 1)
    return [value, float(min(value, lower)), float(max(value, upper))]


def shares() -> list[dict[str, Any]]:
    made = []
    for p, n, rights, wrongs in [
        (0.82, 152, (70, 66), (30, 24)),
        (0.5, 400, (50, 50), (50, 50)),
        (0.97, 60, (20, 19), (10, 6)),
        (0.05, 1000, (100, 70), (300, 291)),
    ]:
        (n1, k1), (n0, k0) = rights, wrongs
        low, high = confint_proportions_2indep(k1, n1, n0 - k0, n0, method="agresti-caffo", compare="diff")
        slope = k1 / n1 + k0 / n0 - 1
        made.append(
            {
                "share": p,
                "n": n,
                "bits": {"rights": n1, "rights_seen": k1, "wrongs": n0, "wrongs_seen": k0},
                "figure": lang_reiczigel(p, n, rights, wrongs),
                "slope": [slope, min(slope, float(low)), max(slope, min(1.0, float(high)))],
            }
        )
    return made


def slopes() -> list[dict[str, Any]]:
    random = np.random.default_rng(29_5)
    made = []
    for size, per_case in [(40, 1), (90, 3)]:
        people = random.integers(1, 6, size=size).astype(float)
        judge = np.clip(np.round(1 + 0.7 * people + random.normal(0, 0.6, size=size)), 1, 5)
        case = np.arange(size) // per_case
        groups = len(set(case))
        fit = sm.OLS(judge, sm.add_constant(people)).fit(
            cov_type="cluster", cov_kwds={"groups": case, "use_correction": False}
        )
        reach = stats.t.ppf(0.975, groups - 2) * fit.bse[1] * np.sqrt(groups / (groups - 1))
        slope = float(fit.params[1])
        pairs = [
            {"people": h, "judge": j, "caseId": str(c)} for h, j, c in zip(people, judge, case, strict=True)
        ]
        made.append({"pairs": pairs, "slope": [slope, float(slope - reach), float(slope + reach)]})
    return made


def held(theta: float, delta: tuple[float, float, float], slope: tuple[float, float, float]) -> float:
    """Above 0: delta - theta * slope is not shown to differ from 0."""
    d, low, high = delta
    b, below, above = slope
    # Half-widths of theta * slope, downwards and upwards.
    down, up = (theta * (b - below), theta * (above - b)) if theta > 0 else (theta * (b - above), theta * (below - b))
    middle = d - theta * b
    lower = middle - np.hypot(d - low, up)
    upper = middle + np.hypot(high - d, down)
    return float(min(-lower, upper))


def ratios() -> list[dict[str, Any]]:
    made = []
    for delta, slope, level in [
        ((-0.05, -0.09, -0.01), (0.7, 0.55, 0.83), 0.9),
        ((-0.112, -0.165, -0.068), (0.403, 0.2, 0.6), 0.9),
        ((0.02, -0.03, 0.06), (0.9, 0.8, 0.96), 0.9),
        ((-0.3, -0.5, -0.1), (1.2, 1.0, 1.4), 0.95),
    ]:
        scale = stats.norm.ppf((1 + level) / 2) / Z
        at_level = (slope[0], slope[0] - scale * (slope[0] - slope[1]), slope[0] + scale * (slope[2] - slope[0]))
        value = delta[0] / slope[0]
        ends = [
            optimize.brentq(lambda theta, d=delta, b=at_level: held(theta, d, b), *between, xtol=1e-14)
            for between in ((value - 20, value), (value, value + 20))
        ]
        alpha = (1 - level) / 2
        low = (slope[1] + slope[2]) / 2 - stats.norm.ppf(1 - 0.1 * alpha) * (slope[2] - slope[1]) / (2 * Z)
        made.append(
            {
                "delta": list(delta),
                "slope": list(slope),
                "level": level,
                "people": [value, *ends],
                "margin": 0.1 * float(np.clip(low, 0, 1)),
            }
        )
    return made


if __name__ == "__main__":
    made = {"vectors": vectors(), "several": several(), "shares": shares(), "slopes": slopes(), "ratios": ratios()}
    OUT.write_text(json.dumps(made) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(made['vectors'])} vectors\n")
