"""Reads what ``grade_batch`` returned as metrics and updates of samples, or as an invalid result."""

from __future__ import annotations

import math

from regrade.codec import encode
from regrade.plain import brief, encode_any
from regrade.result import bad_result, finite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Limit of notes on what was not used; further ones are only counted.
_NOTES = 20
_UPDATE_KEYS = ("sample_id", "scores", "judge", "extracted_output")


class Batch:
    """Finite metrics, updates by sample (as JSON text by key), and notes on the parts of the result that were not
    used."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.intervals: dict[str, list[float]] = {}
        self.details: object = None
        self.updates: dict[str, dict[str, object]] = {}
        self.notes: list[str] = []
        self._more_notes = 0

    def note(self, sentence: str) -> None:
        """Add a sentence; sentences beyond a limit are only counted."""
        if len(self.notes) < _NOTES:
            self.notes.append(sentence)
        else:
            self._more_notes += 1

    def encoded(self) -> list[str]:
        """Return the answer's lines: the result, then one update on each line."""
        more = [f"… and {self._more_notes} more of this kind"] if self._more_notes else []
        notes = [*self.notes, *more]
        intervals = {"intervals": self.intervals} if self.intervals else {}
        head = encode({"kind": "graded", "metrics": self.metrics, "notes": notes, **intervals})
        if self.details is not None:
            head = f'{head[:-1]},"details":{encode_any(self.details)}}}'
        return [head, *(_encoded_update(sample, update) for sample, update in self.updates.items())]


def read_batch(value: object, metric_id: str, known: set[str] | None) -> list[str]:
    """Read what ``grade_batch`` returned, and return the answer's lines. ``known``: ids of the samples that it was
    given; None if the grader can't name other samples.

    A dict has ``metrics`` and optionally ``samples`` (a list of updates), ``intervals`` (two ends by metric) and
    ``details`` (an object that the run keeps). A finite number is the metric ``metric_id``. Metrics and scores that are
    no finite numbers are left out, and so are updates of unknown samples; the notes mention them. If a sample is
    updated twice, the later update counts where they differ, and a note says so.
    """
    score = finite(value)
    if score is not None:
        batch = Batch()
        batch.metrics[metric_id] = score
        return batch.encoded()
    if not isinstance(value, dict):
        return _bad(value, f"grade_batch returned {_named(value)}{_way_out(value)}")
    metrics, samples = value.get("metrics"), value.get("samples")
    if metrics is None and samples is None:
        return _bad(value, _why_nothing(value))
    if metrics is not None and not isinstance(metrics, dict):
        return _bad(value, f"grade_batch returned metrics that are {_named(metrics)}, not a dict of numbers")
    if samples is not None and not isinstance(samples, (list, tuple)):
        return _bad(value, f"grade_batch returned samples that are {_named(samples)}, not a list of updates")
    batch = Batch()
    _read_metrics(metrics or {}, batch)
    _read_updates(samples or [], known, batch)
    if not batch.metrics and not batch.updates:
        why = "; ".join(batch.notes[:5]) or "metrics and samples are empty"
        return _bad(value, f"grade_batch returned nothing that can be used: {why}")
    _read_intervals(value.get("intervals"), batch)
    details = value.get("details")
    batch.details = details if details is None or isinstance(details, dict) else {"value": details}
    _note_unknown(value, ("metrics", "samples", "intervals", "details"), "the result", batch)
    return batch.encoded()


def _read_metrics(metrics: Mapping[object, object], batch: Batch) -> None:
    for name, raw in metrics.items():
        number = finite(raw)
        if not isinstance(name, str):
            batch.note(f"the metric {_named(name)} was not stored: its name is no text")
        elif number is None:
            batch.note(f"the metric {name} was not stored: it is {_named(raw)}")
        else:
            batch.metrics[name] = number


def _read_intervals(given: object, batch: Batch) -> None:
    if given is None:
        return
    if not isinstance(given, dict):
        batch.note(f"intervals were not stored: they are {_named(given)}, not a dict of two ends by metric")
        return
    for name, raw in given.items():
        ends = [finite(end) for end in raw] if isinstance(raw, (list, tuple)) else []
        low, high = ends if len(ends) == 2 else (None, None)
        if not isinstance(name, str) or name not in batch.metrics:
            batch.note(f"the interval of {brief(name)} was not stored: there is no such metric")
        elif low is None or high is None or low > high:
            batch.note(f"the interval of {name} was not stored: it is {_named(raw)}, not two ends, the lower first")
        else:
            batch.intervals[name] = [low, high]


def _read_updates(samples: list[object] | tuple[object, ...], known: set[str] | None, batch: Batch) -> None:
    twice = set()
    for place, update in enumerate(samples):
        if not isinstance(update, dict):
            batch.note(f"update {place + 1} was not used: it is {_named(update)}, not a dict with sample_id")
            continue
        sample = update.get("sample_id")
        if not isinstance(sample, str) or (known is not None and sample not in known):
            batch.note(f"update {place + 1} was not used: {_unknown(sample)}")
            continue
        if sample in batch.updates and sample not in twice:
            twice.add(sample)
            batch.note(f"the sample {sample} was updated more than once: where the updates differ the last one counts")
        _note_unknown(update, _UPDATE_KEYS, f"the update of {sample}", batch)
        _merge(batch.updates.setdefault(sample, {}), update, sample, batch)


def _merge(known: dict[str, object], update: dict[object, object], sample: str, batch: Batch) -> None:
    if "scores" in update:
        before = known.get("scores")
        known["scores"] = {**(before if isinstance(before, dict) else {}), **_scores(update["scores"], sample, batch)}
    if "judge" in update:
        judge = update["judge"]
        known["judge"] = judge if judge is None or isinstance(judge, dict) else {"value": judge}
    if "extracted_output" in update:
        output = update["extracted_output"]
        if output is None or isinstance(output, str):
            known["extracted_output"] = output
        else:
            batch.note(f"the extracted_output of {sample} was not replaced: it is {_named(output)}, not text or None")


def _scores(given: object, sample: str, batch: Batch) -> dict[str, float]:
    if not isinstance(given, dict):
        if given is not None:
            batch.note(f"the scores of {sample} were not stored: they are {_named(given)}, not a dict of numbers")
        return {}
    scores = {}
    for name, raw in given.items():
        number = finite(raw)
        if number is None or not isinstance(name, str):
            what = _named(raw) if number is None else "a score whose name is no text"
            batch.note(f"the score {brief(name)} of {sample} was not stored: it is {what}")
        else:
            scores[name] = number
    return scores


def _encoded_update(sample: str, update: dict[str, object]) -> str:
    parts = [f'"sample_id":{encode(sample)}']
    parts += [f'"{key}":{encode_any(value) if key == "judge" else encode(value)}' for key, value in update.items()]
    return f"{{{','.join(parts)}}}"


def _note_unknown(given: Mapping[object, object], known: tuple[str, ...], where: str, batch: Batch) -> None:
    unknown = [brief(name) for name in given if name not in known]
    if unknown:
        batch.note(f"{where} has {', '.join(unknown[:5])}, which is not read; read are {', '.join(known)}")


def _unknown(sample: object) -> str:
    if sample is None:
        return "it has no sample_id"
    return f"no sample of this task and candidate has the sample_id {brief(sample)}"


def _why_nothing(value: dict[object, object]) -> str:
    if isinstance(value.get("scores"), dict):
        return (
            'grade_batch returned "scores", which is what grade returns: return {"metrics": {…}}, '
            'and scores of single samples under "samples"'
        )
    found = [str(name) for name, raw in value.items() if finite(raw) is not None]
    if not found:
        return 'grade_batch returned a dict without "metrics" and "samples": return {"metrics": {"<metric>": number}}'
    return (
        f'grade_batch returned a dict without "metrics": put {", ".join(found[:5])} inside it, '
        f'as {{"metrics": {{"{found[0]}": …}}}}'
    )


def _bad(value: object, reason: str) -> list[str]:
    return [bad_result(value, reason).encoded()]


def _named(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return f"the {type(value).__name__} {brief(value)}"


def _way_out(value: object) -> str:
    if value is None:
        return ": every path through grade_batch needs a return"
    if type(value).__name__ == "coroutine":
        return ": grade_batch is async; define it with a plain def"
    if type(value).__name__ == "generator":
        return ": grade_batch has a yield; use return"
    if isinstance(value, (list, tuple)):
        return ': return {"samples": […]}, with the metrics beside it as {"metrics": {…}}'
    return ': return {"metrics": {…}}'
