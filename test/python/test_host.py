"""Parts of the host that can be looked at without a process: capture, timer, loading, faults."""

import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from regrade.capture import KEPT, Capture, size
from regrade.context import Access, Context, ModelError
from regrade.faults import Origin, read_fault
from regrade.load import Loaded, Refused, Wanted, load_code
from regrade.timer import Timer, TimeUp


def load(text: str, wanted: Wanted | None = None) -> Loaded | Refused:
    return load_code({"kind": "source", "text": text, "shown": "<grader qa>"}, wanted or Wanted(("grade",), 2))


class CaptureTest(unittest.TestCase):
    def setUp(self) -> None:
        self.streams = sys.stdout, sys.stderr

    def tearDown(self) -> None:
        sys.stdout, sys.stderr = self.streams

    def test_keeps_what_is_printed_until_the_next_sample(self) -> None:
        capture = Capture()
        capture.begin()
        print("one", end="")
        print("two", file=sys.stderr, end="")
        sys.stdout.buffer.write(b"\xff")
        sys.stdout.close()
        self.assertEqual(capture.text(), "onetwo\ufffd")
        sys.stdout = sys.__stdout__
        capture.begin()
        self.assertIs(sys.stdout, capture)
        self.assertIsNone(capture.text())

    def test_counts_what_it_does_not_keep(self) -> None:
        capture = Capture()
        capture.begin()
        for _ in range(3):
            sys.stdout.write("x" * KEPT)
        self.assertEqual(capture.text(), "x" * KEPT + "\n… 131.1 kB more")

    def test_sizes_for_people(self) -> None:
        for characters, text in [(0, "0 B"), (999, "999 B"), (1_200, "1.2 kB"), (1_200_000_000, "1.2 GB")]:
            self.assertEqual(size(characters), text)


ORPHAN = """
import os, sys, time
from regrade.timer import Timer, TimeUp
if os.fork():
    os._exit(0)  # the parent ends: what follows is an orphan in an endless loop that swallows its time-out
timer = Timer()
timer._parent = -1
timer.take_signal()
timer.start(0.05)
print(os.getpid(), flush=True)
end = time.monotonic() + 60
while time.monotonic() < end:
    try:
        time.sleep(1)
    except TimeUp:
        pass
print("outlived")
"""


class TimerTest(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "needs a system with processes to fork")
    def test_ends_a_host_whose_parent_is_gone(self) -> None:
        package = str(Path(__file__).resolve().parents[2] / "python")
        done = subprocess.run(
            [sys.executable, "-c", ORPHAN],
            env={**os.environ, "PYTHONPATH": package},
            capture_output=True,
            timeout=60,
            text=True,
            check=False,
        )
        # The orphan holds the pipe: reading it to its end means that it has ended.
        self.assertRegex(done.stdout, r"^\d+\n$")

    def test_ends_what_takes_too_long(self) -> None:
        timer = Timer()
        timer.take_signal()
        with self.assertRaises(TimeUp):
            try:
                timer.start(0.05)
                time.sleep(10)
            finally:
                timer.stop()

    def test_a_late_signal_does_nothing(self) -> None:
        timer = Timer()
        timer.take_signal()
        timer.start(0.01)
        timer.stop()
        time.sleep(0.05)


class LoadTest(unittest.TestCase):
    def test_context_goes_to_those_who_take_it(self) -> None:
        for parameters, takes in [
            ("sample, item", "no"),
            ("sample, item, ctx", "positional"),
            ("sample, item, context", "positional"),
            ("sample, item, ctx=None", "positional"),
            ("sample, item, *, ctx", "keyword"),
            ("sample, item, *, ctx=None, tolerance=1", "keyword"),
            ("sample, item, tolerance=0.1", "no"),
            ("*samples", "no"),
            ("sample, item, **options", "no"),
        ]:
            with self.subTest(parameters=parameters):
                loaded = load(f"def grade({parameters}): return 1.0")
                assert isinstance(loaded, Loaded)
                self.assertEqual(loaded.takes_context, takes)

    def test_callables_other_than_functions(self) -> None:
        for source in [
            "class G:\n    def __call__(self, sample, item): return 1.0\ngrade = G()",
            "from functools import partial\ndef f(x, sample, item): return x\ngrade = partial(f, 1.0)",
            "grade = lambda sample, item: 1.0",
        ]:
            with self.subTest(source=source):
                loaded = load(source)
                assert isinstance(loaded, Loaded)
                self.assertEqual(loaded.call(None, {}, {}), 1.0)

    def test_refusals_have_a_place(self) -> None:
        for source, reason, line in [
            ("x = (\n", "syntax", 1),
            ("x = 1\nx = )\n", "syntax", 2),
            ("import no_such_module_here\n", "module_missing", 1),
            ("x = 1\n1 / 0\n", "import_failed", 2),
            ("raise SystemExit(1)\n", "import_failed", 1),
            ("def main(sample, item): ...\n", "no_grade", None),
            ("\ndef grade(sample, *, item): ...\n", "signature", 2),
            ("def grade(a, b, c, d): ...\n", "signature", 1),
            ("def grade(): ...\0\n", "import_failed", None),
        ]:
            with self.subTest(source=source):
                refused = load(source)
                assert isinstance(refused, Refused)
                if "\0" in source:  # a SyntaxError since Python 3.12
                    continue
                self.assertEqual((refused.reason, refused.line), (reason, line))

    def test_dataclasses_work_in_inline_source(self) -> None:
        source = (
            "from __future__ import annotations\nfrom dataclasses import dataclass\n"
            "@dataclass\nclass A:\n    x: int\ndef grade(s, i): return A(1).x"
        )
        self.assertIsInstance(load(source), Loaded)


class FaultTest(unittest.TestCase):
    def test_text_that_can_not_be_read(self) -> None:
        class Odd(Exception):
            def __str__(self) -> str:
                raise ValueError("no")

        fault = read_fault(Odd(), Origin("<grader qa>", None))
        self.assertTrue(fault.message.startswith("Odd: (its text can't be read)"))

    def test_causes_are_shown(self) -> None:
        loaded = load(
            "def grade(s, i):\n    try:\n        {}['a']\n"
            "    except KeyError as e:\n        raise TypeError('b') from e\n"
        )
        assert isinstance(loaded, Loaded)
        try:
            loaded.call(None, {}, {})
        except TypeError as error:
            fault = read_fault(error, loaded.origin)
        self.assertEqual(fault.message, "TypeError: b (<grader qa>:5, in grade)")
        self.assertIn("KeyError: 'a'", fault.traceback)
        self.assertIn("direct cause", fault.traceback)

    def test_an_exception_of_a_library_names_the_graders_own_line(self) -> None:
        loaded = load("import json\ndef grade(sample, item):\n    return json.loads('no JSON')\n")
        assert isinstance(loaded, Loaded)
        try:
            loaded.call(None, {}, {})
        except ValueError as error:
            fault = read_fault(error, loaded.origin)
        self.assertRegex(fault.message, r" \(<grader qa>:3, in grade; raised in json/decoder.py:\d+\)$")
        self.assertEqual(fault.line, 3)

    def test_a_refused_call_of_a_model_is_no_exception_like_others(self) -> None:
        loaded = load("def grade(sample, item, ctx):\n    ctx.responses_create(input='x')\n")
        assert isinstance(loaded, Loaded)
        try:
            loaded.call(Context(Access("sample", False, 0)), {}, {})
        except ModelError as error:
            fault = read_fault(error, loaded.origin)
        self.assertEqual(fault.type, "model_refused")

    def test_files_are_named_as_the_repository_has_them(self) -> None:
        origin = Origin("graders/qa.py", "/repo/graders")
        self.assertEqual(origin.name("/repo/graders/lib/a.py"), "graders/lib/a.py")
        self.assertEqual(origin.name("/usr/lib/python3/json.py"), "/usr/lib/python3/json.py")


if __name__ == "__main__":
    unittest.main()
