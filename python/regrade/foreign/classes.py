"""Base classes, results and registries under the names by which classes for SyGra know them.

Nothing is abstract: an aggregator with only ``calculate`` works, as SyGra's documentation says.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from regrade.graders.aggregators import AGGREGATORS
from regrade.graders.unit_metrics import UNIT_METRICS


@dataclass
class BaseMetricMetadata:
    """A metric's metadata: its name, description and range."""

    name: str
    display_name: str = ""
    description: str = ""
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    metric_type: str = "custom"


@dataclass
class UnitMetricResult:
    """Tells whether one prediction is right. Golden and predicted are objects."""

    correct: bool
    golden: dict[str, Any]
    predicted: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for side in ("golden", "predicted"):
            if not isinstance(getattr(self, side), dict):
                raise ValueError(f"{side} must be a dictionary")
        if not isinstance(self.metadata, dict):
            self.metadata = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "correct": self.correct,
            "golden": self.golden,
            "predicted": self.predicted,
            "metadata": self.metadata,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UnitMetricResult:
        """Make a result from plain data; missing fields are false or empty."""
        golden, predicted = data.get("golden", {}), data.get("predicted", {})
        return cls(data.get("correct", False), golden, predicted, data.get("metadata", {}))


class _BaseMetric:
    """The base class of unit metrics and aggregators."""

    metadata: Any = None

    def __init__(self, **config: Any) -> None:
        self.config = config

    def validate_config(self) -> None:
        """Check ``config``; does nothing by default."""

    def get_metadata(self) -> Any:
        """Return the metric's metadata; nothing by default."""
        return None

    def get_metric_name(self) -> str:
        """Return the name in the metadata, or else the name of the class."""
        return str(getattr(self.metadata, "name", type(self).__name__))


class BaseUnitMetric(_BaseMetric):
    """A unit metric."""

    def evaluate(self, golden: list[Any], predicted: list[Any]) -> list[UnitMetricResult]:
        """Compare pairs."""
        raise NotImplementedError(f"{type(self).__name__} has no evaluate(self, golden, predicted)")


class BaseAggregatorMetric(_BaseMetric):
    """An aggregator."""

    def calculate(self, results: list[UnitMetricResult]) -> dict[str, Any]:
        """Return the aggregate of the results."""
        raise NotImplementedError(f"{type(self).__name__} has no calculate(self, results)")

    def _count_correct(self, results: Sequence[UnitMetricResult]) -> int:
        return sum(1 for result in results if result.correct)

    def _safe_divide(self, numerator: float, denominator: float) -> float:
        return numerator / denominator if denominator != 0 else 0.0


def _own_unit_metric(name: str) -> type[BaseUnitMetric]:
    kind = UNIT_METRICS[name]

    class Own(BaseUnitMetric):
        def __init__(self, **config: Any) -> None:
            super().__init__(**config)
            self._metric = kind(config)
            self.metadata = _metadata_of(kind, "industry")

        def evaluate(self, golden: list[Any], predicted: list[Any]) -> list[UnitMetricResult]:
            found = self._metric.evaluate(golden, predicted)
            return [UnitMetricResult(**{**each, "golden": dict(each["golden"])}) for each in found]  # type: ignore[arg-type]

    Own.__name__ = Own.__qualname__ = kind.__name__
    return Own


def _own_aggregator(name: str) -> type[BaseAggregatorMetric]:
    kind = AGGREGATORS[name]

    class Own(BaseAggregatorMetric):
        def __init__(self, **config: Any) -> None:
            super().__init__(**config)
            kind(config)
            self.metadata = _metadata_of(kind, kind.kind)

        def calculate(self, results: list[UnitMetricResult]) -> dict[str, Any]:
            aggregator = kind(self.config)
            for result in results:
                aggregator.add(result.to_dict())  # type: ignore[arg-type]
            return aggregator.report()

    Own.__name__ = Own.__qualname__ = f"{kind.__name__}Metric"
    return Own


def _metadata_of(kind: Any, metric_type: str) -> BaseMetricMetadata:
    return BaseMetricMetadata(kind.name, kind.title, kind.description, metric_type=metric_type)


class _Registry:
    """Metrics by name. Each subclass holds one kind."""

    kind: ClassVar[str]
    base: ClassVar[type]
    _metrics: ClassVar[dict[str, Any]]

    @classmethod
    def register(cls, name: str, metric_class: Any) -> None:
        """Register a class under a name; a later class replaces an earlier one."""
        if not isinstance(name, str) or not name:
            raise ValueError("Metric name must be a non-empty string")
        if not isinstance(metric_class, type):
            raise ValueError(f"metric_class must be a class, got {builtins.type(metric_class)}")
        if not issubclass(metric_class, cls.base):
            raise ValueError(f"metric_class must inherit from {cls.base.__name__}, got {metric_class.__name__}")
        cls._metrics[name] = metric_class

    @classmethod
    def get_metric_class(cls, name: str) -> Any:
        """Return the class registered under a name. Raises KeyError that lists the known names."""
        if name not in cls._metrics:
            known = cls.list_metrics()
            raise KeyError(f"{cls.kind} metric '{name}' not found in registry. Available metrics: {known}")
        return cls._metrics[name]

    @classmethod
    def get_metric(cls, name: str, **config: Any) -> Any:
        """Return a metric with its parameters."""
        return cls.get_metric_class(name)(**config)

    @classmethod
    def list_metrics(cls) -> list[str]:
        """Return all names, sorted."""
        return sorted(cls._metrics)

    @classmethod
    def has_metric(cls, name: str) -> bool:
        """Return whether the name is registered."""
        return name in cls._metrics

    @classmethod
    def unregister(cls, name: str) -> bool:
        """Remove a name; returns False if it is not registered."""
        return cls._metrics.pop(name, None) is not None

    @classmethod
    def clear(cls) -> None:
        """Remove all names."""
        cls._metrics.clear()

    @classmethod
    def get_metrics_info(cls) -> dict[str, dict[str, str]]:
        """Return the module that each class comes from."""
        return {name: {"class": each.__name__, "module": each.__module__} for name, each in cls._metrics.items()}

    @classmethod
    def decorator(cls, name: str, word: str) -> Callable[[Any], Any]:
        """Return a decorator that registers a class."""

        def decorate(metric_class: Any) -> Any:
            if not isinstance(metric_class, type) or not issubclass(metric_class, cls.base):
                shown = getattr(metric_class, "__name__", metric_class)
                raise TypeError(f"{shown} must inherit from {cls.base.__name__} to use @{word} decorator")
            cls.register(name, metric_class)
            return metric_class

        return decorate


class UnitMetricRegistry(_Registry):
    """The unit metrics."""

    kind = "Unit"
    base = BaseUnitMetric
    _metrics: ClassVar[dict[str, Any]] = {name: _own_unit_metric(name) for name in UNIT_METRICS}


class AggregatorMetricRegistry(_Registry):
    """The aggregators."""

    kind = "Aggregator"
    base = BaseAggregatorMetric
    _metrics: ClassVar[dict[str, Any]] = {name: _own_aggregator(name) for name in AGGREGATORS}


def unit_metric(name: str) -> Callable[[Any], Any]:
    """Register the class below under a name."""
    return UnitMetricRegistry.decorator(name, "unit_metric")


def aggregator_metric(name: str) -> Callable[[Any], Any]:
    """Register the class below under a name."""
    return AggregatorMetricRegistry.decorator(name, "aggregator_metric")


class LambdaFunction:
    """A node whose work is code: a class with ``apply``, or one that can be called."""


class GraphPostProcessor:
    """A post-processor: ``process`` gets all records of a run."""


class SygraState(dict[str, Any]):
    """The state of a graph: a mapping of fields that all nodes read and write."""
