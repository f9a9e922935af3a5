"""Preprocessors: which function is called, and what it may return."""

import json
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from regrade.load import Loaded, Refused, load_code
from regrade.preprocess import preprocessor_program, wanted_of
from regrade.program import Program


def program(text: str, contract: str = "row") -> Program:
    frame: dict[str, object] = {"kind": "source", "text": text, "shown": "<p>", "contract": contract}
    loaded = load_code(frame, wanted_of(frame))
    assert isinstance(loaded, Loaded), vars(loaded)
    return preprocessor_program(loaded, {**frame, "timeout_seconds": 5})


def row(body: str, text: str = '{"a": 51.0}') -> dict[str, Any]:
    (line,) = program(f"def transform(row): return {body}").work([text], None)
    result: dict[str, Any] = json.loads(line)
    return result


def batch(body: str) -> tuple[dict[str, Any], list[str]]:
    head, *rows = program(f"def transform_batch(rows): return {body}", "batch").work(['{"a": 51.0}', '{"a": 2}'], None)
    return json.loads(head), rows


class RowTest(unittest.TestCase):
    def test_the_first_name_that_is_there(self) -> None:
        text = "def process_doc(r): return {'by': 2}\ndef transform(r): return {'by': 1}\n"
        self.assertIn('{\\"by\\":1}', program(text).work(["{}"], None)[0])
        self.assertIn('{\\"by\\":0}', program(f"{text}def transform_row(r): return {{'by': 0}}").work(["{}"], None)[0])

    def test_none_one_or_several(self) -> None:
        self.assertEqual(row("None"), {"kind": "rows", "rows": []})
        self.assertEqual(row("row"), {"kind": "rows", "rows": ['{"a":51.0}']})
        self.assertEqual(row("[row, {'b': None}]"), {"kind": "rows", "rows": ['{"a":51.0}', '{"b":null}']})

    def test_each_mistake_has_a_sentence(self) -> None:
        for body, expected in [
            ("3", "transform returned the int 3: return the row (a dict), a list of rows, or None"),
            ("[row, 3]", "the int 3 (row 2 of what it returned)"),
            ("{'a': {1}}", "a row that JSON can't hold: its field a is the set {1}"),
            ("{'a': float('nan')}", "its field a is the float nan"),
            ("{1: 2}", "a row whose field 1 has a name that is no text"),
            ("(r for r in [row])", "it has a yield; return a list"),
        ]:
            with self.subTest(body=body):
                result = row(body)
                self.assertEqual((result["kind"], result["type"]), ("failed", "bad_result"))
                self.assertIn(expected, result["message"])

    def test_what_is_raised_has_its_place(self) -> None:
        made = program("def transform(row):\n    return row['text'].strip()")
        try:
            made.work(['{"a": 1}'], None)
        except KeyError as error:
            result = json.loads(made.on_fault(error))
        self.assertEqual(result["type"], "exception")
        self.assertIn("KeyError: 'text' (<p>:2, in transform)", result["message"])
        self.assertIn("return row['text'].strip()", result["message"])


class BatchTest(unittest.TestCase):
    def test_rows_are_the_lines_behind(self) -> None:
        self.assertEqual(batch("[r for r in rows if r['a'] > 2]"), ({"kind": "rows"}, ['{"a":51.0}']))
        self.assertEqual(batch("[]"), ({"kind": "rows"}, []))

    def test_a_dict_is_one_row_and_none_is_no_row(self) -> None:
        self.assertEqual(batch("rows[-1]"), batch("[rows[-1]]"))
        self.assertEqual(batch("None"), ({"kind": "rows"}, []))

    def test_each_mistake_has_a_sentence(self) -> None:
        for body, expected in [
            ("3", "transform_batch returned the int 3: return a list of rows"),
            ("[*rows, 'x']", "a list with the str 'x' (row 3 of what it returned)"),
            ("[{'a': object}]", "its field a is the type <class 'object'>"),
        ]:
            with self.subTest(body=body):
                head, rows = batch(body)
                self.assertEqual((head["kind"], rows), ("failed", []))
                self.assertIn(expected, head["message"])


class LoadTest(unittest.TestCase):
    def test_refusals(self) -> None:
        for text, reason, message in [
            ("def clean(row): ...", "no_function", "clean"),
            ("transform = 3", "not_callable", "int"),
            ("def transform(row, ctx): ...", "signature", "(row, ctx)"),
        ]:
            with self.subTest(text=text):
                frame: dict[str, object] = {"kind": "source", "text": text, "shown": "<p>", "contract": "row"}
                refused = load_code(frame, wanted_of(frame))
                assert isinstance(refused, Refused)
                self.assertEqual((refused.reason, refused.message), (reason, message))


if __name__ == "__main__":
    unittest.main()
