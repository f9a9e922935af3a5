"""Whether the right tools were called: which, in which order, with which arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regrade.graders.contract import Grade, Graded, Item, Metric, Options, Sample, read_options
from regrade.graders.schema import read_schema
from regrade.graders.schema_basics import Check
from regrade.timer import TimeUp
from regrade.ungraded import Ungraded

METRICS = (
    Metric(id="tool_calls", description="1 when the calls of tools are as they should be."),
    Metric(
        id="tool_precision",
        description="The share of the calls that were required; without calls 1 where none is required, else 0.",
        scale="graded",
    ),
    Metric(
        id="tool_recall",
        description="The share of the required calls that were made; 1 where none is required.",
        scale="graded",
    ),
)

OPTIONS: Options = {
    "required": {
        "type": ["string", "array"],
        "minLength": 1,
        "items": {"type": ["string", "object"], "minLength": 1},
        "default": [],
        "description": "Calls that must be made: names, or {name, arguments} where these arguments must be there with "
        "these values; or the name of a row's field that has such a list.",
    },
    "forbidden": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": [],
        "description": "Names of tools that must not be called.",
    },
    "exact": {
        "type": "boolean",
        "default": False,
        "description": "Whether there may be no other calls than the required ones.",
    },
    "order": {
        "type": "boolean",
        "default": False,
        "description": "Whether the required calls must be made in the order in which they stand; others may be "
        "between.",
    },
    "arguments": {
        "type": "object",
        "additionalProperties": {"type": "object"},
        "default": {},
        "description": "A JSON Schema (draft 2020-12) by the tool's name: the arguments of each of its calls must fit.",
    },
}


@dataclass(frozen=True)
class Wanted:
    """A required call. ``arguments`` None: whatever it is called with."""

    name: str
    arguments: Mapping[str, object] | None

    def fits(self, call: Mapping[str, object]) -> bool:
        if call.get("name") != self.name:
            return False
        if self.arguments is None:
            return True
        given = call.get("arguments")
        return isinstance(given, dict) and all(
            name in given and same(given[name], value) for name, value in self.arguments.items()
        )

    def shown(self) -> object:
        return self.name if self.arguments is None else {"name": self.name, "arguments": dict(self.arguments)}


def create(options: Mapping[str, object]) -> Grade:
    """Return the grader. It reads ``tool_calls`` of the sample, and not its text.

    Raises ValueError for options that check nothing, for a schema that can't be used, and for a row whose field has no
    list of calls. A pattern of a schema that takes too long is no result: the sample is ungraded.
    """
    chosen = read_options(options, OPTIONS)
    checks = _checks(chosen["arguments"])
    forbidden = chosen["forbidden"]
    required = chosen["required"]
    if not (required or forbidden or checks or chosen["exact"]):
        raise ValueError("the grader tool_calls has nothing to check: give it required, forbidden, exact or arguments")
    always = None if isinstance(required, str) else read_wanted(required, "the option required")

    def grade(sample: Sample, item: Item) -> Graded:
        wanted = read_wanted(item.get(str(required)), f"the row's field {required}") if always is None else always
        calls = _calls(sample)
        used = match(wanted, calls)
        faults = _faults(calls, forbidden, checks)
        if len(used) < len(wanted):
            faults["missing"] = [each.shown() for i, each in enumerate(wanted) if i not in used]
        if chosen["exact"] and len(used) < len(calls):
            taken = set(used.values())
            faults["unexpected"] = [_shown(call) for i, call in enumerate(calls) if i not in taken]
        if chosen["order"] and not _in_order(wanted, calls):
            faults["order"] = "the required calls were not made in their order"
        scores = {
            "tool_calls": 0.0 if faults else 1.0,
            "tool_precision": len(used) / len(calls) if calls else float(not wanted),
            "tool_recall": len(used) / len(wanted) if wanted else 1.0,
        }
        return {"scores": scores, "judge": faults} if faults else {"scores": scores}

    return grade


def read_wanted(value: object, where: str) -> list[Wanted]:
    """Return required calls. Raises ValueError where ``value`` is no list of them."""
    if not isinstance(value, list):
        raise ValueError(f"{where} has no list of calls")
    return [_wanted(each, where) for each in value]


def _wanted(value: object, where: str) -> Wanted:
    if isinstance(value, str) and value:
        return Wanted(value, None)
    if isinstance(value, dict) and set(value) <= {"name", "arguments"}:
        name, arguments = value.get("name"), value.get("arguments")
        if isinstance(name, str) and name and (arguments is None or isinstance(arguments, dict)):
            return Wanted(name, arguments)
    raise ValueError(f"{where} has {value!r}, which is neither a tool's name nor {{name, arguments}}")


def _checks(schemas: object) -> dict[str, Check]:
    return {str(name): read_schema(schema) for name, schema in schemas.items()} if isinstance(schemas, dict) else {}


def _calls(sample: Sample) -> list[Mapping[str, object]]:
    calls = sample.get("tool_calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def match(wanted: Sequence[Wanted], calls: Sequence[Mapping[str, object]]) -> dict[int, int]:
    """Return which call serves which required one, as many as can be: each call serves one (Kuhn's algorithm)."""
    by_call: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j, call in enumerate(calls):
            if j in tried or not wanted[i].fits(call):
                continue
            tried.add(j)
            if j not in by_call or place(by_call[j], tried):
                by_call[j] = i
                return True
        return False

    for i in range(len(wanted)):
        place(i, set())
    return {i: j for j, i in by_call.items()}


def _in_order(wanted: Sequence[Wanted], calls: Sequence[Mapping[str, object]]) -> bool:
    left = iter(calls)
    return all(any(each.fits(call) for call in left) for each in wanted)


def _faults(calls: Sequence[Mapping[str, object]], forbidden: object, checks: Mapping[str, Check]) -> dict[str, object]:
    named = [str(call.get("name")) for call in calls]
    called = [name for name in named if isinstance(forbidden, list) and name in forbidden]
    invalid = [
        {"name": name, "problem": problem}
        for name, call in zip(named, calls, strict=True)
        if name in checks and (problem := _problem(call, checks[name])) is not None
    ]
    return {**({"forbidden": called} if called else {}), **({"arguments": invalid} if invalid else {})}


def _problem(call: Mapping[str, object], check: Check) -> str | None:
    if "arguments_text" in call:
        return "the arguments are no JSON"
    try:
        return check(call.get("arguments"), "")
    except RecursionError:
        return "the arguments are nested too deeply"
    except TimeUp:
        message = "a pattern of a schema took too long on these arguments; nested repetitions such as (a+)+ do"
        raise Ungraded("regex_timeout", message) from None


def _shown(call: Mapping[str, object]) -> object:
    return {key: call[key] for key in ("name", "arguments", "arguments_text") if call.get(key) is not None}


def same(one: object, other: object) -> bool:
    """Return whether two values of JSON are equal: 1 is 1.0, and no truth value is a number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
