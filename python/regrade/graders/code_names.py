"""The names that assertions in Python may use, made of a sample."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.graders.contract import Sample

#: Arguments that a call has in older versions whatever its tool; a text where the tool has none of that name.
_USUAL_ARGUMENTS = ("path", "file_text", "command", "description", "skill")

#: The first and the last entry of a transcript are Regrade's own: no agent tells them.
_OWN_ENTRIES = ("session", "end")


def names_of(sample: Sample) -> dict[str, object]:
    """Return ``output``, ``outcome``, ``transcript``, ``tool_calls``, ``errors`` and ``duration_ms`` of a sample."""
    output, duration = sample.get("output_text"), sample.get("latency_ms")
    entries = _objects(sample.get("transcript"))
    transcript = [_event(entry) for entry in entries if entry.get("type") not in _OWN_ENTRIES]
    return {
        "output": output if isinstance(output, str) else "",
        "outcome": {},
        "transcript": transcript,
        "tool_calls": [_call(call) for call in _objects(sample.get("tool_calls"))],
        "errors": [event for event in transcript if _is_error(event)],
        "duration_ms": duration if isinstance(duration, (int, float)) else 0,
    }


def _objects(value: object) -> list[Mapping[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _is_error(event: Mapping[str, object]) -> bool:
    return "error" in str(event.get("type", "")) or "error" in str(event.get("content", ""))


def _call(call: Mapping[str, object]) -> dict[str, object]:
    given = call.get("arguments")
    arguments = {**dict.fromkeys(_USUAL_ARGUMENTS, ""), **(given if isinstance(given, dict) else {})}
    result = call.get("result")
    found: dict[str, object] = {"name": call.get("name", ""), "arguments": arguments}
    if result is not None:
        found["result"] = {"content": result}
    return {**found, "success": result is not None and call.get("is_error") is not True}


def _event(entry: Mapping[str, object]) -> dict[str, object]:
    """Return an entry of a transcript as an event; entries of other kinds stay as they are."""
    kind = entry.get("type")
    if kind == "message":
        role = "user" if entry.get("role") == "user" else "assistant"
        return {"type": f"{role}.message", "content": entry.get("text", "")}
    if kind == "tool_call":
        return {
            "type": "tool.execution_start",
            "tool_call_id": entry.get("id"),
            "tool_name": entry.get("name", ""),
            "arguments": entry.get("arguments"),
        }
    if kind == "tool_result":
        return {
            "type": "tool.execution_complete",
            "tool_call_id": entry.get("id"),
            "success": entry.get("is_error") is not True,
            "tool_result": {"content": entry.get("output")},
        }
    if kind == "skill":
        return {"type": "skill.invoked", "content": entry.get("name", "")}
    if kind == "error":
        return {"type": "session.error", "message": entry.get("message", "")}
    return dict(entry)
