"""Makes a grader of a class that was written for SyGra."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from regrade.foreign.classes import (
    AggregatorMetricRegistry,
    SygraState,
    UnitMetricRegistry,
    UnitMetricResult,
)
from regrade.graders.answer_json import parse_answer

Sample = Mapping[str, Any]
_SHIMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shims")


class NotUsable(Exception):
    """The module has no class that can be used in this way. The text says why."""


def prepare_imports(packages: Iterable[str]) -> None:
    """Make SyGra's names importable, and the suite's folders importable as the packages that they are there. Call it
    before the user's module is imported."""
    sys.path.insert(0, _SHIMS)
    for folder in packages:
        package = ModuleType(os.path.basename(folder))
        package.__path__ = [folder]
        sys.modules[package.__name__] = package


def package_of(path: str, packages: Iterable[str]) -> str:
    """Return the package that contains a file, for its relative imports; "" if it is in none. Call it after
    ``prepare_imports``."""
    folder = os.path.dirname(os.path.realpath(path))
    for package in map(os.path.realpath, packages):
        if os.path.commonpath([package, folder]) == package:
            inner = os.path.relpath(folder, package)
            return ".".join([os.path.basename(package), *([] if inner == "." else inner.split(os.sep))])
    return _package_of_sygra(folder)


def _package_of_sygra(folder: str) -> str:
    """Join the user's folder ``sygra`` with the shim of that name, so that modules of both are found."""
    steps = folder.split(os.sep)
    if "sygra" not in steps:
        return ""
    name = ".".join(steps[len(steps) - 1 - steps[::-1].index("sygra") :])
    try:
        shim = importlib.import_module(name)
    except ImportError:
        return ""
    shim.__path__ = [*shim.__path__, folder]
    return name


def adapt(module: ModuleType, spec: Mapping[str, Any]) -> Callable[..., Any]:
    """Return ``grade(sample, item)`` or ``grade_batch(samples)`` of the class that ``spec`` names.

    ``as`` is the kind of class; ``name`` is the class, or the name under which a metric is registered; ``params`` are
    those of SyGra's configuration.
    """
    role, name, params = str(spec["as"]), str(spec["name"]), dict(spec.get("params") or {})
    if role == "unit_metric":
        return _unit_metric(name, params, spec)
    if role == "aggregator":
        return _aggregator(name, params, spec)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [each for each, value in vars(module).items() if isinstance(value, type)]
        raise NotUsable(f"there is no class {name}; there are {', '.join(classes[:10]) or 'none'}")
    return _lambda(found, params, spec) if role == "lambda" else _post_processor(found, params, spec)


def _unit_metric(name: str, params: dict[str, Any], spec: Mapping[str, Any]) -> Callable[..., Any]:
    if not UnitMetricRegistry.has_metric(name):
        raise NotUsable(f'no class is registered with @unit_metric("{name}"); there are {_listed(UnitMetricRegistry)}')
    metric = UnitMetricRegistry.get_metric(name, **params)

    def grade(sample: Sample, item: Sample) -> dict[str, Any]:
        golden = item[spec["golden"]] if spec.get("golden") in item else item.get("target")
        results = metric.evaluate([_object(golden)], [_object(_predicted(sample, spec))])
        if not isinstance(results, (list, tuple)) or len(results) != 1:
            raise ValueError(f"evaluate of {name} returned {results!r}, not a list of one result")
        return _graded(results[0], name)

    return grade


def _object(value: object) -> dict[str, Any]:
    """The value as an object. SyGra's node of unit metrics passes the text of a field on as ``{"text": …}``."""
    return value if isinstance(value, dict) else {"text": value}


def _predicted(sample: Sample, spec: Mapping[str, Any]) -> object:
    text = sample["extracted_output"] if "extracted_output" in sample else sample.get("output_text")
    if spec.get("field") is None:
        return text
    return (parse_answer(text) or {}).get(str(spec["field"]), "")


def _lambda(found: type, params: dict[str, Any], spec: Mapping[str, Any]) -> Callable[..., Any]:
    result = str(spec["result"])
    run = _runner_of(found, params)

    def grade(sample: Sample, item: Sample) -> dict[str, Any]:
        state = SygraState(item)
        state[str(spec["predicted"])] = _predicted(sample, spec)
        returned = run(state)
        for source in (returned, state):
            if isinstance(source, Mapping) and result in source:
                return _graded(source[result], f"{found.__name__}, {result}")
        raise ValueError(f"{found.__name__} gave the state no {result!r}, which output_keys names")

    return grade


def _runner_of(found: type, params: dict[str, Any]) -> Callable[[SygraState], Any]:
    """A function that runs the class: an object that is called with the state, as documented, or ``apply``, as in
    SyGra's own nodes."""
    apply = getattr(found, "apply", None)
    if callable(apply):
        return lambda state: apply(dict(params), state)
    if "__call__" in vars(found) or any("__call__" in vars(base) for base in found.__mro__[:-1]):
        node: Callable[[SygraState], Any] = found(**params)
        return node
    raise NotUsable(f"{found.__name__} has neither __call__(self, state) nor apply(lambda_node_dict, state)")


def _graded(result: object, where: str) -> dict[str, Any]:
    """Turn a result into a score and the content of the sample's ``judge``."""
    plain = result.to_dict() if isinstance(result, UnitMetricResult) else result
    if not isinstance(plain, Mapping) or "correct" not in plain:
        raise ValueError(f"{where} is {plain!r}, not a result with correct, golden, predicted and metadata")
    return {"scores": {"score": 1.0 if plain["correct"] else 0.0}, "judge": dict(plain)}


def _aggregator(name: str, params: dict[str, Any], spec: Mapping[str, Any]) -> Callable[..., Any]:
    if not AggregatorMetricRegistry.has_metric(name):
        known = _listed(AggregatorMetricRegistry)
        raise NotUsable(f'no class is registered with @aggregator_metric("{name}"); there are {known}')
    metric = AggregatorMetricRegistry.get_metric(name, **params)

    def grade_batch(samples: list[Sample]) -> dict[str, Any]:
        report = metric.calculate([_result_of(sample, str(spec["result"])) for sample in samples])
        if not isinstance(report, Mapping):
            raise ValueError(f"calculate of {name} returned {report!r}, not a dict")
        return {"metrics": with_main(numbers_of(report)), "details": {"aggregator": name, "report": dict(report)}}

    return grade_batch


def _result_of(sample: Sample, source: str) -> UnitMetricResult:
    """The result of a sample; a sample without one counts as wrong."""
    judge = sample.get("judge") or {}
    found = judge.get(source)
    if not isinstance(found, Mapping) or found.get("invalid") is True or "correct" not in found:
        return UnitMetricResult(False, {"text": sample.get("target")}, {}, {"error": "no result"})
    sides = (found.get(side) for side in ("golden", "predicted"))
    golden, predicted = (side if isinstance(side, dict) else {"value": side} for side in sides)
    return UnitMetricResult(bool(found["correct"]), golden, predicted, dict(found.get("metadata") or {}))


def numbers_of(report: Mapping[str, Any], depth: int = 3) -> dict[str, float]:
    """Return the numbers of a report by name. Numbers in a nested object have its name and a dot in front."""
    found: dict[str, float] = {}
    for key, value in report.items():
        name = "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "_" for each in str(key))
        if isinstance(value, Mapping) and depth > 0:
            found.update({f"{name}.{inner}": number for inner, number in numbers_of(value, depth - 1).items()})
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[name] = value
    return found


def with_main(numbers: Mapping[str, float]) -> dict[str, float]:
    """Return the numbers, with the first one repeated as the grader's own metric."""
    first = next(iter(numbers.values()), None)
    return {**({} if first is None else {"score": first}), **numbers}


def _post_processor(found: type, params: dict[str, Any], spec: Mapping[str, Any]) -> Callable[..., Any]:
    process = getattr(found, "process", None)
    if not callable(process):
        raise NotUsable(f"{found.__name__} has no process(self, output_data)")
    processor = found(**params)
    takes_metadata = process.__code__.co_argcount > 2 if hasattr(process, "__code__") else False

    def grade_batch(samples: list[Sample]) -> dict[str, Any]:
        records = [record_of(sample, spec) for sample in samples]
        told = {"output_file": "", "params": params}
        report = processor.process(records, told) if takes_metadata else processor.process(records)
        parts = report if isinstance(report, list) else [report]
        first = parts[0] if parts and isinstance(parts[0], Mapping) else {}
        metrics = first.get("metrics", first.get("results", {}))
        numbers = with_main(numbers_of(metrics)) if isinstance(metrics, Mapping) else {}
        details = {"processor": found.__name__, "report": report}
        return {"metrics": numbers, "samples": [], "details": details}

    return grade_batch


def record_of(sample: Sample, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample as a record of SyGra's output file, with the fields of its output_map."""
    state: dict[str, Any] = {**sample["dataset_row"], **(sample.get("judge") or {})}
    if spec.get("predicted") is not None:
        state[str(spec["predicted"])] = _predicted(sample, spec)
    record: dict[str, Any] = {}
    for name, entry in (spec.get("output_map") or {}).items():
        found = entry if isinstance(entry, Mapping) else {"from": entry}
        record[name] = found["value"] if "value" in found else state.get(str(found.get("from")))
    return record


def _listed(registry: Any) -> str:
    return ", ".join(registry.list_metrics())
