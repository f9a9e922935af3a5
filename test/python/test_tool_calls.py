"""The built-in grader of calls of tools."""

from __future__ import annotations

import unittest
from typing import Any

from regrade.graders import judge_request, tool_calls
from regrade.graders.contract import Graded


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"id": None, "name": name, "arguments": arguments}


SEARCH, ORDER, OTHER = call("search", q="x"), call("get_order", id="A", n=1), call("get_order", id="B")
BROKEN = {"id": None, "name": "get_order", "arguments": None, "arguments_text": '{"id":'}


def grade(options: dict[str, object], calls: object, row: dict[str, object] | None = None) -> Graded:
    return tool_calls.create(options)({"output_text": "", "tool_calls": calls}, row or {})


def scores(options: dict[str, object], calls: object, row: dict[str, object] | None = None) -> tuple[float, ...]:
    return tuple(grade(options, calls, row)["scores"].values())


class ToolCalls(unittest.TestCase):
    def test_what_is_right(self) -> None:
        both = ["search", "get_order"]
        of_a = {"name": "get_order", "arguments": {"id": "A"}}
        cases: list[tuple[str, dict[str, object], list[dict[str, Any]], tuple[float, ...]]] = [
            ("all that are required", {"required": both}, [ORDER, SEARCH], (1, 1, 1)),
            ("one is missing", {"required": both}, [SEARCH], (0, 1, 0.5)),
            ("more than is required", {"required": ["search"]}, [SEARCH, ORDER], (1, 0.5, 1)),
            ("nothing else where exact", {"required": ["search"], "exact": True}, [SEARCH, ORDER], (0, 0.5, 1)),
            ("no call where none is wanted", {"exact": True}, [], (1, 1, 1)),
            ("a call where none is wanted", {"exact": True}, [SEARCH], (0, 0, 1)),
            ("nothing called", {"required": both}, [], (0, 0, 0)),
            ("forbidden", {"forbidden": ["search"]}, [SEARCH], (0, 0, 1)),
            ("not forbidden", {"forbidden": ["search"]}, [ORDER], (1, 0, 1)),
            ("in order", {"required": both, "order": True}, [SEARCH, OTHER, ORDER], (1, 2 / 3, 1)),
            ("out of order", {"required": both, "order": True}, [ORDER, SEARCH], (0, 1, 1)),
            ("twice as often as required", {"required": ["get_order", "get_order"]}, [ORDER], (0, 1, 0.5)),
            ("with these arguments", {"required": [of_a]}, [ORDER], (1, 1, 1)),
            ("with others", {"required": [of_a]}, [OTHER], (0, 0, 0)),
            ("1 is 1.0", {"required": [{"name": "get_order", "arguments": {"n": 1.0}}]}, [ORDER], (1, 1, 1)),
            ("1 is not true", {"required": [{"name": "get_order", "arguments": {"n": True}}]}, [ORDER], (0, 0, 0)),
            # The call that any would do for is left to the one that needs it.
            (
                "the choosy one first",
                {"required": ["get_order", {"name": "get_order", "arguments": {"id": "A"}}]},
                [ORDER, OTHER],
                (1, 1, 1),
            ),
            ("arguments that fit", {"arguments": {"get_order": {"required": ["id"]}}}, [ORDER, SEARCH], (1, 0, 1)),
            ("arguments that don't", {"arguments": {"get_order": {"required": ["x"]}}}, [ORDER], (0, 0, 1)),
            ("arguments that are no JSON", {"arguments": {"get_order": {}}}, [BROKEN], (0, 0, 1)),
        ]
        for name, options, calls, expected in cases:
            with self.subTest(name):
                self.assertEqual(scores(options, calls), expected)

    def test_a_row_has_its_own_calls(self) -> None:
        row: dict[str, object] = {"calls": ["search"]}
        self.assertEqual(scores({"required": "calls"}, [SEARCH], row), (1, 1, 1))
        self.assertEqual(scores({"required": "calls"}, [ORDER], row), (0, 0, 0))
        self.assertEqual(scores({"required": "calls"}, [], {"calls": []}), (1, 1, 1))

    def test_it_says_what_was_wrong(self) -> None:
        schemas = {"get_order": {"required": ["x"]}}
        options: dict[str, object] = {"required": ["search"], "exact": True, "arguments": schemas}
        faults = grade(options, [ORDER])["judge"]
        self.assertEqual(faults["missing"], ["search"])
        self.assertEqual(faults["unexpected"], [{"name": "get_order", "arguments": {"id": "A", "n": 1}}])
        self.assertIn("x", str(faults["arguments"]))

    def test_what_can_not_be_checked_is_refused(self) -> None:
        for options in ({}, {"required": [3]}, {"required": [""]}, {"required": [{"tool": "x"}]}, {"forbidden": "x"}):
            with self.subTest(options), self.assertRaises(ValueError):
                tool_calls.create(options)
        for row in ({}, {"calls": "search"}, {"calls": [3]}):
            with self.subTest(row), self.assertRaises(ValueError):
                grade({"required": "calls"}, [SEARCH], row)

    def test_the_judge_is_shown_calls_only_where_it_is_asked_to_be(self) -> None:
        plain = judge_request.Material(answer="", prompt=None, target=None)
        shown = judge_request.Material(answer="", prompt=None, target=None, tool_calls='[{"name": "search"}]')
        asked = judge_request.judge_request("r", ["yes", "no"], shown)
        self.assertIn("BEGIN TOOL_CALLS", str(asked["input"]))
        self.assertIn("TOOL_CALLS are the calls of tools", str(asked["instructions"]))
        self.assertNotIn("TOOL_CALLS", str(judge_request.judge_request("r", ["yes", "no"], plain)))
