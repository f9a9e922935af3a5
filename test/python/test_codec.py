"""JSON without the module ``json``: the same values and texts, and a start without what it imports."""

import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from regrade import codec
from regrade.plain import encode_any

PYTHON = str(Path(__file__).resolve().parents[2] / "python")
VALUES: tuple[object, ...] = (
    *(None, True, False, 0, -1, 2**70, 0.1, -2.5e300, 1e-7, "", 'é\u2028\ud800"\\\n\x00', [], {}, (1, [2])),
    *({"a": {"b": [1, None, {"c": "d"}]}, "": 1}, {1: 2, None: 3, 1.5: 4, False: 5}, [[[]]] * 3),
)
TEXTS = (
    *("1", " [1, 2.50, -0, 1e5] ", '\t{"a": {"b": null}}\r\n', '"\\ud83d\\ude00"', "NaN", "-Infinity", "51.0"),
    *("12345678901234567890", '{"a": 1, "a": 2}', "[true, false]"),
)
WRONG = ("", "  ", "[1,", "{", '{"a"}', '"a', "tru", "1 2", "[1] x", "'a'", '{"a": 1,}', '"\n"', "\ufeff1", "\x0b1")


class CodecTest(unittest.TestCase):
    def test_is_the_c_code(self) -> None:
        self.assertEqual(codec.encode.__module__, "regrade.codec")

    def test_writes_what_json_writes(self) -> None:
        for value in VALUES:
            self.assertEqual(codec.encode(value), json.dumps(value, separators=(",", ":")))

    def test_reads_what_json_reads(self) -> None:
        for text in (*TEXTS, *map(json.dumps, VALUES)):
            self.assertEqual(repr(codec.decode(text)), repr(json.loads(text)))

    def test_refuses_what_json_refuses_in_the_same_words(self) -> None:
        decode = json.JSONDecoder().decode
        for text in WRONG:
            with self.assertRaises(ValueError) as theirs:
                decode(text)
            with self.assertRaises(ValueError) as ours:
                codec.decode(text)
            self.assertEqual(str(ours.exception), str(theirs.exception))

    def test_holds_no_value_that_json_has_no_word_for(self) -> None:
        circle: list[object] = []
        circle.append(circle)
        wrong: tuple[object, ...] = (math.nan, [math.inf], circle)
        for value in wrong:
            self.assertRaises(ValueError, codec.encode, value)
        for odd in (object(), {(1, 2): 3}, {"a": {1}}):
            self.assertRaises(TypeError, codec.encode, odd)
        self.assertRaises(ValueError, codec.decode, "9" * 5_000)
        self.assertRaises(RecursionError, codec.decode, "[" * 100_000)

    def test_finds_numbers_that_node_reads_as_infinity(self) -> None:
        for digits in (308, 309, 400):
            number = int("7" * digits)
            self.assertEqual(encode_any([number]), f'["{number}"]' if digits >= 309 else f"[{number}]")

    def test_a_host_starts_without_the_modules_that_take_half_of_its_start(self) -> None:
        late = {"re", "json", "enum", "functools", "collections", "signal", "traceback", "typing"}
        program = f"""
import sys
sys.path.insert(0, {PYTHON!r})
from regrade import grading, host, load, sandbox, template
print(*sorted(set(sys.modules) & {late!r}))
"""
        said = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.strip(), "")


if __name__ == "__main__":
    unittest.main()
