"""Preprocessors as programs: each job is a row, or a single job is all rows. Rows are sent as lines of JSON."""

from __future__ import annotations

from regrade.codec import decode, encode
from regrade.faults import read_fault
from regrade.load import Wanted
from regrade.plain import brief
from regrade.program import Program
from regrade.runner import TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.load import Loaded
    from regrade.program import Ask, OnFault, Work

_NAMES = {"row": ("transform_row", "transform", "process_doc"), "batch": ("transform_batch", "process_docs")}
_ROW_RESULT = "the row (a dict), a list of rows, or None to leave it out"
_BATCH_RESULT = "a list of rows (dicts)"


def wanted_of(frame: dict[str, object]) -> Wanted:
    """Return the functions that the load frame's ``contract`` allows; the first one that exists is called."""
    return Wanted(_NAMES[str(frame["contract"])], 1, "preprocessor")


def preprocessor_program(loaded: Loaded, frame: dict[str, object]) -> Program:
    """Return the program of a loaded preprocessor.

    Its result is ``{"kind": "rows", "rows": […]}``, with each row as text, so that numbers keep their spelling
    (``51.0``); with contract batch the rows are the lines after it. Otherwise it is ``{"kind": "failed", "type",
    "message"}``.
    """
    seconds = frame["timeout_seconds"]
    if not isinstance(seconds, (int, float)):
        raise TypeError("timeout_seconds is a number")
    whole = frame["contract"] == "batch"
    program = Program(_batch_work(loaded) if whole else _row_work(loaded), _fault_reader(loaded, seconds), seconds)
    program.whole = whole
    return program


def _row_work(loaded: Loaded) -> Work:
    def work(lines: list[str], _ask: Ask | None) -> list[str]:
        rows, problem = _decoded(lines)
        if problem:
            return [_failed("unreadable_row", problem)]
        value = loaded.call(None, rows[0])
        if value is None:
            return [_rows([])]
        returned = list(value) if isinstance(value, (list, tuple)) else [value]
        problem = _problem_of_rows(returned, f"{loaded.name} returned")
        if problem:
            return [_failed("bad_result", f"{problem}{_way_out(value, _ROW_RESULT)}")]
        texts, problem = _encoded(returned)
        return [_failed("bad_result", f"{loaded.name} returned {problem}") if problem else _rows(texts)]

    return work


def _batch_work(loaded: Loaded) -> Work:
    def work(lines: list[str], _ask: Ask | None) -> list[str]:
        rows, problem = _decoded(lines)
        if problem:
            return [_failed("unreadable_row", problem)]
        value = loaded.call(None, rows)
        # Like the function for one row, it may return a single row instead of a list, or None for no rows.
        if value is None or isinstance(value, dict):
            value = [] if value is None else [value]
        if not isinstance(value, (list, tuple)):
            return [_failed("bad_result", f"{loaded.name} returned {_named(value)}{_way_out(value, _BATCH_RESULT)}")]
        problem = _problem_of_rows(value, f"{loaded.name} returned a list with")
        texts, odd = ([], "") if problem else _encoded(value)
        if problem or odd:
            return [_failed("bad_result", problem or f"{loaded.name} returned a list with {odd}")]
        return ['{"kind":"rows"}', *texts]

    return work


def _decoded(lines: list[str]) -> tuple[list[object], str]:
    rows: list[object] = []
    for place, line in enumerate(lines):
        try:
            rows.append(decode(line))
        except (ValueError, RecursionError) as error:
            which = f"row {place + 1}" if len(lines) > 1 else "the row"
            return [], f"Python can't read {which}: {error}"
    return rows, ""


def _problem_of_rows(rows: list[object] | tuple[object, ...], start: str) -> str:
    for place, row in enumerate(rows):
        at = f" (row {place + 1} of what it returned)" if len(rows) > 1 else ""
        if not isinstance(row, dict):
            return f"{start} {_named(row)}{at}"
        odd = next((name for name in row if not isinstance(name, str)), None)
        if odd is not None:
            return f"{start} a row whose field {brief(odd)} has a name that is no text{at}"
    return ""


def _encoded(rows: list[object] | tuple[object, ...]) -> tuple[list[str], str]:
    """Return the rows as JSON, or a description of the value that JSON can't hold."""
    texts = []
    for place, row in enumerate(rows):
        try:
            texts.append(encode(row))
        except (TypeError, ValueError, RecursionError, OverflowError) as error:
            at = f" (row {place + 1} of what it returned)" if len(rows) > 1 else ""
            return [], f"a row that JSON can't hold: {_odd_field(row, error)}{at}"
    return texts, ""


def _odd_field(row: object, error: BaseException) -> str:
    for name, value in row.items() if isinstance(row, dict) else ():
        try:
            encode(value)
        except (TypeError, ValueError, RecursionError, OverflowError) as reason:
            return f"its field {name} is {_named(value)} ({reason})"
    return str(error)


def _fault_reader(loaded: Loaded, seconds: float) -> OnFault:
    def on_fault(error: BaseException) -> str:
        if isinstance(error, TooLarge):
            return _failed("result_too_large", str(error))
        fault = read_fault(error, loaded.origin)
        if fault.type == "timeout":
            return _failed("timeout", f"{loaded.name} ran longer than {seconds:g} s (timeout_seconds)")
        where = f"\n{fault.traceback}" if fault.traceback else ""
        return _failed(fault.type, f"{fault.message}{where}")

    return on_fault


def _rows(texts: list[str]) -> str:
    return encode({"kind": "rows", "rows": texts})


def _failed(type: str, message: str) -> str:
    return encode({"kind": "failed", "type": type, "message": message})


def _way_out(value: object, wanted: str) -> str:
    kind = type(value).__name__
    if kind == "coroutine":
        return ": it is async; define it with a plain def"
    if kind == "generator":
        return ": it has a yield; return a list"
    return f": return {wanted}"


def _named(value: object) -> str:
    if value is None:
        return "None"
    return f"the {type(value).__name__} {brief(value)}"
