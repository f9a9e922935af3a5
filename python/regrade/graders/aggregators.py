"""Aggregators over the results of a unit metric: accuracy, precision and others. Results are counted, never kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import comb, isfinite
from typing import ClassVar, Literal, NamedTuple

from regrade.graders.intervals import Interval, ratio_interval, wilson
from regrade.graders.parameters import Parameters, count, number, read_parameters, text
from regrade.graders.unit_metrics import UnitResult

Report = dict[str, object]
#: A number, and its interval where one can be told.
Estimate = tuple[float, Interval | None]


class Values(NamedTuple):
    """Numbers to judge by: the main one, and others by name. A class's name is its label."""

    main: Estimate
    parts: dict[str, Estimate]


class Aggregator:
    """One aggregator with its parameters. A subclass has ``add``, ``report`` and ``values``."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    parameters: ClassVar[Parameters] = {}
    kind: ClassVar[str] = "industry"

    def __init__(self, given: Mapping[str, object]) -> None:
        self.given = read_parameters(given, self.parameters)

    def add(self, result: UnitResult) -> None:
        """Count one result."""
        raise NotImplementedError

    def report(self) -> Report:
        """Return what it came to, as SyGra's reports have it."""
        raise NotImplementedError

    def values(self) -> Values:
        """Return the numbers to judge by, with intervals at 95 %."""
        raise NotImplementedError


class _Counted(Aggregator):
    """An aggregator that needs no more than the numbers of results and of right ones."""

    def __init__(self, given: Mapping[str, object]) -> None:
        super().__init__(given)
        self.correct = self.total = 0

    def add(self, result: UnitResult) -> None:
        """Count one result."""
        self.total += 1
        self.correct += bool(result["correct"])


class Accuracy(_Counted):
    """The share of right results."""

    name = "accuracy"
    title = "Accuracy"
    description = "The share of results that are correct."

    def report(self) -> Report:
        """Return the share."""
        return {"accuracy": divided(self.correct, self.total)}

    def values(self) -> Values:
        """Return the share."""
        return Values((divided(self.correct, self.total), wilson(self.correct, self.total)), {})


class Classes:
    """Results and right ones by label."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()
        self.correct: Counter[str] = Counter()

    def add(self, label: str, correct: bool) -> None:
        """Count one result of a class."""
        self.total[label] += 1
        self.correct[label] += correct

    def share(self, label: str) -> float:
        """Return the share of right ones in a class."""
        return divided(self.correct[label], self.total[label])

    def shares(self) -> dict[str, float]:
        """Return the shares of all classes, sorted by label."""
        return {label: self.share(label) for label in sorted(self.total)}

    def average(self) -> float:
        """Return the plain mean over the classes."""
        shares = self.shares().values()
        return divided(sum(shares), len(shares))

    def variance(self) -> float:
        """Return that of the average, as if the classes were independent."""
        classes = len(self.total)
        return divided(sum(self.variance_of(label) for label in self.total), classes * classes)

    def variance_of(self, label: str) -> float:
        """Return that of a class's share, with two right and two wrong results added as Agresti and Coull do: a class
        of three right ones is not certain."""
        total = self.total[label] + 4
        share = (self.correct[label] + 2) / total
        return share * (1 - share) / total

    def values(self) -> Values:
        """Return the average and each class."""
        average = self.average()
        parts: dict[str, Estimate] = {
            label: (share, wilson(self.correct[label], self.total[label])) for label, share in self.shares().items()
        }
        return Values((average, ratio_interval(average, self.variance(), self.total.total())), parts)


class _OfOneSide(Aggregator):
    """The share of correct results per class, where one side of a result, golden or predicted, names the class."""

    side: ClassVar[Literal["golden", "predicted"]]

    def __init__(self, given: Mapping[str, object]) -> None:
        super().__init__(given)
        self.classes = Classes()

    def add(self, result: UnitResult) -> None:
        """Count one result; one whose side has no class is in no class."""
        label = label_of(result[self.side], self.given[f"{self.side}_key"])
        if label is not None:
            self.classes.add(label, bool(result["correct"]))

    def report(self) -> Report:
        """Return average and classes."""
        return {f"average_{self.name}": self.classes.average(), f"{self.name}_per_class": self.classes.shares()}

    def values(self) -> Values:
        """Return average and classes."""
        return self.classes.values()


class Precision(_OfOneSide):
    """Precision: per predicted class, the share of correct results."""

    name = "precision"
    title = "Precision"
    description = "Of the results of each predicted class, the share that is correct; averaged over the classes."
    parameters: ClassVar[Parameters] = {"predicted_key": text(required=True)}
    side = "predicted"


class Recall(_OfOneSide):
    """Recall: per golden class, the share of correct results."""

    name = "recall"
    title = "Recall"
    description = "Of the results of each golden class, the share that is correct; averaged over the classes."
    parameters: ClassVar[Parameters] = {"golden_key": text(required=True)}
    side = "golden"


class F1Score(Aggregator):
    """Precision and recall in one. The average is the harmonic mean of the two averages, as SyGra has it."""

    name = "f1_score"
    title = "F1 Score"
    description = "The harmonic mean of average precision and average recall; of each class, of its own two."
    parameters: ClassVar[Parameters] = {"predicted_key": text(required=True), "golden_key": text(required=True)}

    def __init__(self, given: Mapping[str, object]) -> None:
        super().__init__(given)
        self.predicted, self.golden = Classes(), Classes()

    def add(self, result: UnitResult) -> None:
        """Count one result on either side that has a class."""
        for classes, side, key in (
            (self.predicted, result["predicted"], "predicted_key"),
            (self.golden, result["golden"], "golden_key"),
        ):
            label = label_of(side, self.given[key])
            if label is not None:
                classes.add(label, bool(result["correct"]))

    def per_class(self) -> dict[str, float]:
        """Return F1 of each class that is seen on either side."""
        labels = sorted(self.predicted.total.keys() | self.golden.total.keys())
        return {label: harmonic(self.predicted.share(label), self.golden.share(label)) for label in labels}

    def average(self) -> float:
        """Return F1 of the averages."""
        return harmonic(self.predicted.average(), self.golden.average())

    def report(self) -> Report:
        """Return average and classes."""
        return {"average_f1_score": self.average(), "f1_score_per_class": self.per_class()}

    def values(self) -> Values:
        """Return average and classes; their intervals add what precision and recall vary by, as if neither told of the
        other."""
        sides = (self.predicted, self.golden)
        averages = [(side.average(), side.variance()) for side in sides]
        size = min(side.total.total() for side in sides)
        parts: dict[str, Estimate] = {}
        for label, share in self.per_class().items():
            shares = [(side.share(label), side.variance_of(label)) for side in sides]
            parts[label] = (share, _harmonic_interval(shares, min(side.total[label] for side in sides)))
        return Values((self.average(), _harmonic_interval(averages, size)), parts)


def _harmonic_interval(parts: list[tuple[float, float]], size: int) -> Interval | None:
    """By the delta method. Precision and recall rise and fall together, so their standard errors are added."""
    (p, p_variance), (r, r_variance) = parts
    total = p + r
    if total == 0:
        return None
    error = 2 * (r * r * p_variance**0.5 + p * p * r_variance**0.5) / (total * total)
    return ratio_interval(harmonic(p, r), error * error, size)


class PassAtK(_Counted):
    """pass@k: the probability that at least one of k drawn results is correct."""

    name = "pass@k"
    title = "Pass@k"
    description = "The chance that at least one of i results drawn from all is correct, for i from 1 to k."
    parameters: ClassVar[Parameters] = {"k": count()}

    def report(self) -> Report:
        """Return a value for each i."""
        return {f"pass@{i}": self._at(i) for i in range(1, _k_of(self) + 1)}

    def values(self) -> Values:
        """Return the value at k, and at each i."""
        sizes = range(1, _k_of(self) + 1)
        return Values((self._at(_k_of(self)), None), {f"pass_at_{i}": (self._at(i), None) for i in sizes})

    def _at(self, size: int) -> float:
        """Exact. What can't be drawn is no pass, as SyGra has it."""
        if size > self.total or self.correct == 0:
            return 0.0
        if self.correct == self.total:
            return 1.0
        return 1.0 - comb(self.total - self.correct, size) / comb(self.total, size)


class PassPowerK(_Counted):
    """pass^k: the probability that k results are all correct."""

    name = "pass^k"
    title = "Pass^k"
    description = "The success rate to the power of i: the chance that i results are all correct, for i from 1 to k."
    parameters: ClassVar[Parameters] = {"k": count()}

    def report(self) -> Report:
        """Return the rate, and a value for each i."""
        rate = divided(self.correct, self.total)
        return {"success_rate": rate, **{f"pass^{i}": rate**i for i in range(1, _k_of(self) + 1)}}

    def values(self) -> Values:
        """Return the value at k, and at each i."""
        parts = {f"pass_hat_{i}": self._power(i) for i in range(1, _k_of(self) + 1)}
        return Values(self._power(_k_of(self)), parts)

    def _power(self, size: int) -> Estimate:
        interval = wilson(self.correct, self.total)
        ends = None if interval is None else (interval[0] ** size, interval[1] ** size)
        return divided(self.correct, self.total) ** size, ends


def _k_of(aggregator: Aggregator) -> int:
    k = aggregator.given["k"]
    return k if isinstance(k, int) else 0


class StepEfficiency(Aggregator):
    """Step efficiency: the mean over steps, where each retry before the first correct attempt costs a penalty."""

    name = "step_efficiency"
    title = "Step Efficiency"
    description = "The mean over the steps of 1 minus a penalty for each retry before the first correct one."
    parameters: ClassVar[Parameters] = {"penalty_per_retry": number(0.2, 0, 1)}
    kind = "custom"

    def __init__(self, given: Mapping[str, object]) -> None:
        super().__init__(given)
        #: The earliest correct retry of each step; None: none yet.
        self.earliest: dict[str, int | None] = {}

    def add(self, result: UnitResult) -> None:
        """Count one attempt at a step."""
        metadata = result["metadata"]
        step = f"{metadata.get('mission_id', 'unknown')}_{metadata.get('step_id', 'unknown')}"
        known = self.earliest.setdefault(step, None)
        if result["correct"]:
            retry = retry_of(metadata)
            self.earliest[step] = retry if known is None else min(known, retry)

    def _efficiencies(self) -> list[float]:
        penalty = self.given["penalty_per_retry"]
        cost = penalty if isinstance(penalty, float) else 0.0
        return [0.0 if retry is None else max(0.0, 1.0 - retry * cost) for retry in self.earliest.values()]

    def report(self) -> Report:
        """Return the mean and what it comes from."""
        retries = [retry for retry in self.earliest.values() if retry is not None]
        return {
            "step_efficiency": divided(sum(self._efficiencies()), len(self.earliest)),
            "total_steps": len(self.earliest),
            "first_attempt_correct": retries.count(0),
            "retry_correct": len(retries) - retries.count(0),
            "never_correct": len(self.earliest) - len(retries),
            "avg_retries_when_correct": divided(sum(retries), len(retries)),
        }

    def values(self) -> Values:
        """Return the mean over the steps."""
        found = self._efficiencies()
        mean = divided(sum(found), len(found))
        squares = sum((each - mean) ** 2 for each in found)
        variance = squares / (len(found) - 1) / len(found) if len(found) > 1 else 0.0
        return Values((mean, ratio_interval(mean, variance, len(found))), {})


def retry_of(metadata: Mapping[str, object]) -> int:
    """Return the number of an attempt: ``retry_number``, else what ``retry_id`` ends in; 0 where neither tells."""
    if "retry_number" in metadata:
        given = metadata["retry_number"]
        return int(given) if isinstance(given, (int, float)) and isfinite(given) else 0
    try:
        return int(str(metadata.get("retry_id", "retry_0")).rsplit("_", 1)[-1])
    except ValueError:
        return 0


def label_of(side: Mapping[str, object], key: object) -> str | None:
    """Return a side's class, as Python writes it; None where it has none."""
    return str(side[str(key)]) if str(key) in side else None


def divided(numerator: float, denominator: float) -> float:
    """Return the quotient; 0.0 where there is nothing to divide by."""
    return numerator / denominator if denominator != 0 else 0.0


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean; 0.0 where both are 0."""
    return divided(2 * one * other, one + other)


#: The aggregators by name.
AGGREGATORS: Mapping[str, type[Aggregator]] = {
    each.name: each for each in (Accuracy, F1Score, PassAtK, PassPowerK, Precision, Recall, StepEfficiency)
}
