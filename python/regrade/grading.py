"""Graders as programs: each job is a sample, or a single job is all samples of a task."""

from __future__ import annotations

from regrade.batch import read_batch
from regrade.codec import decode
from regrade.context import Access, Context
from regrade.faults import read_fault
from regrade.load import Wanted
from regrade.program import Program
from regrade.result import Invalid, NoScore, read_result
from regrade.runner import TooLarge
from regrade.ungraded import Ungraded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from regrade.load import Loaded
    from regrade.program import Ask, OnFault, Stream, Work


def _nothing_more() -> dict[str, object]:
    """Return the fields of a sample without messages and without a transcript."""
    return {"extracted_fields": {}, "messages": None, "transcript": None, "tool_calls": []}


def wanted_of(frame: dict[str, object]) -> Wanted:
    """Return the function that the load frame's ``execution`` needs."""
    return Wanted(("grade_batch",), 1) if frame["execution"] == "aggregate" else Wanted(("grade",), 2)


def grader_program(loaded: Loaded, frame: dict[str, object]) -> Program:
    """Return the program of a loaded grader. ``max_model_calls`` is null if the grader has no access to models."""
    seconds = frame["timeout_seconds"]
    limit = frame["max_model_calls"]
    if not isinstance(seconds, (int, float)) or not (limit is None or isinstance(limit, int)):
        raise TypeError("timeout_seconds and max_model_calls are numbers")
    access = Access(str(frame["contract"]), limit is not None, limit or 0)
    whole = frame["execution"] == "aggregate"
    metric_id = str(frame["metric_id"])
    work = _batch_work(loaded, access, metric_id) if whole else _sample_work(loaded, access, metric_id)
    program = Program(work, _fault_reader(loaded, seconds), float(seconds))
    program.whole = whole
    if whole and frame["kind"] == "builtin":
        program.stream = _stream_of(loaded, metric_id)
    program.asks = access.models
    if frame["kind"] == "builtin":
        program.on_fault = _with_ungraded(program.on_fault)
    return program


def _sample_work(loaded: Loaded, access: Access, metric_id: str) -> Work:
    takes_context = loaded.takes_context != "no"

    def work(lines: list[str], ask: Ask | None) -> list[str]:
        try:
            sample, item = _read_job(lines[0])
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits, lists nested 1,000 deep
            return [Invalid("unreadable_sample", f"Python can't read this sample: {error}").encoded()]
        context = Context(access, ask) if takes_context else None
        return [read_result(loaded.call(context, sample, item), metric_id).encoded()]

    return work


def _read_job(line: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return the sample and the item. Texts that occur in both (the prompt, the task, the target) are sent once, with a
    0 in the other place. Fields that only some samples have come last."""
    output, extracted, model, run_id, sample_id, item, *more = decode(line)
    item["reference_answer"] = item["target"]
    sample = {
        "output_text": output,
        "extracted_output": output if extracted == 0 else extracted,
        "model": model,
        "prompt": item["prompt"],
        "task_id": item["task_id"],
        "run_id": run_id,
        "sample_id": sample_id,
        **_nothing_more(),
    }
    for fields in more:
        sample.update(fields)
    return sample, item


def _batch_work(loaded: Loaded, access: Access, metric_id: str) -> Work:
    def work(lines: list[str], ask: Ask | None) -> list[str]:
        samples = []
        for line in lines:
            try:
                samples.append(_with_all(decode(line)))
            except (ValueError, RecursionError) as error:
                return [Invalid("unreadable_sample", f"Python can't read a sample of this task: {error}").encoded()]
        known = {str(sample["sample_id"]) for sample in samples}
        context = Context(access, ask)
        return read_batch(loaded.call(context, samples), metric_id, known)

    return work


def _with_all(sample: dict[str, object]) -> dict[str, object]:
    return {**_nothing_more(), **sample}


def _stream_of(loaded: Loaded, metric_id: str) -> Stream:
    """The stream of a built-in batch grader. It updates no samples but those that it is given, so they need not be
    kept."""

    def stream(lines: Iterator[str]) -> list[str]:
        return read_batch(loaded.call(None, (decode(line) for line in lines)), metric_id, None)

    return stream


def _fault_reader(loaded: Loaded, seconds: float) -> OnFault:
    def on_fault(error: BaseException) -> str:
        if isinstance(error, TooLarge):
            return Invalid("result_too_large", str(error)).encoded()
        fault = read_fault(error, loaded.origin)
        message = fault.message
        if fault.type == "timeout":
            message = f"{loaded.name} ran longer than {seconds:g} s (timeout_seconds)"
        return Invalid(fault.type, message, None, fault.traceback or None).encoded()

    return on_fault


def _with_ungraded(on_fault: OnFault) -> OnFault:
    """Add the exception by which a built-in grader says that a sample has no score."""

    def read(error: BaseException) -> str:
        if isinstance(error, Ungraded):
            return NoScore(error.type, error.message).encoded()
        return on_fault(error)

    return read
