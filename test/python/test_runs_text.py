"""Code that runs text, found in its source."""

import sys
import tempfile
import unittest
from pathlib import Path

from regrade.runs_text import find_text_run
from regrade.scan import Scan

RUNS = {
    "exec": "exec(sample['output_text'])",
    "eval": "eval('1')",
    "compile": "compile('1', '', 'eval')",
    "__import__": "__import__('os')",
    "as a value": "run = exec",
    "in a function": "def grade(s, i):\n    return eval(s['output_text'])",
    "builtins": "import builtins\nbuiltins.exec('1')",
    "builtins by another name": "import builtins as b\nb.eval('1')",
    "from builtins": "from builtins import exec as run",
    "getattr of builtins": "import builtins\ngetattr(builtins, 'ex' + 'ec')",
    "builtins in a variable": "import builtins\nb = builtins",
    "vars of builtins": "import builtins\nvars(builtins)['exec']",
    "__builtins__": "__builtins__['exec']",
    "globals": "globals()['__builtins__']",
    "sys.modules": "import sys\nsys.modules['builtins'].exec('1')",
    "getattr by name": "getattr(x, 'eval')",
    "importlib": "import importlib\nimportlib.import_module('x')",
    "import_module": "from importlib import import_module",
    "importlib.util": "import importlib.util",
    "importlib.metadata without a name": "import importlib.metadata",
    "runpy": "import runpy",
    "pickle": "import pickle",
    "pickle in a function": "def f():\n    from pickle import loads",
    "marshal": "import marshal as m",
    "shelve": "import shelve",
    "ctypes": "import ctypes.util",
    "subprocess": "from subprocess import run",
    "multiprocessing": "import multiprocessing.pool",
    "a pool of processes": "from concurrent.futures import ProcessPoolExecutor",
    "os.system": "import os\nos.system('x')",
    "os by another name": "import os as o\no.execvp('x', [])",
    "from os": "from os import popen",
    "os.posix_spawn": "import os\nos.posix_spawnp('x', [], {})",
    "os.fork": "import os\nos.fork()",
    "getattr of os": "import os\ngetattr(os, 'sys' + 'tem')",
    "code": "import code",
    "codeop": "from codeop import compile_command",
    "timeit": "import timeit",
    "a database": "import sqlite3",
    "sympy": "from sympy import sympify",
    "pandas' eval": "frame.eval('a + b')",
    "numpy's pickles": "np.load(path, allow_pickle=True)",
    "asyncio": "import asyncio\nasyncio.create_subprocess_exec('x')",
    "a loader": "__loader__.load_module('os')",
    "other letters": "ｅｘｅｃ('1')",
}
RUNS_NOT = {
    "a plain grader": "import json, re, math\ndef grade(s, i): return float(s['output_text'] == i['target'])",
    "ast.literal_eval": "import ast\nast.literal_eval('1')",
    "re.compile": "import re\nre.compile('x')",
    "compile of re": "from re import compile\ncompile('x')",
    "a function of its own": "def eval(x): return x\neval('1')",
    "a model of torch": "model.eval()",
    "os": "import os\nos.path.join('a', 'b')\nos.environ.get('exec')",
    "a field": "def grade(s, i): return i['eval'] + i['exec']",
    "a comment": "# exec(subprocess)\nx = 'pickle'",
    "numpy without pickles": "np.load(path, allow_pickle=False)",
    "the version of a package": "from importlib.metadata import version",
    "files of a package": "import importlib.resources as r",
}


class TextRun(unittest.TestCase):
    def test_what_runs_text_is_found(self) -> None:
        for name, source in RUNS.items():
            with self.subTest(name):
                self.assertIsNotNone(_found(source))

    def test_other_code_is_not(self) -> None:
        for name, source in RUNS_NOT.items():
            with self.subTest(name):
                self.assertIsNone(_found(source))

    def test_it_is_found_in_what_a_grader_imports(self) -> None:
        files = {
            "a module": {"helper.py": "exec('1')"},
            "a module of a module": {
                "helper.py": "from parts import deep",
                "parts/__init__.py": "",
                "parts/deep.py": "import pickle",
            },
        }
        for name, others in files.items():
            for main in ("import helper", "def grade(s, i):\n    import helper\n"):
                with self.subTest(name, main=main), tempfile.TemporaryDirectory() as folder:
                    _write(folder, others)
                    found = Scan(folder).first("main.py", main.encode())
                    self.assertRegex(found or "", "^(exec in helper|pickle in parts/deep).py, line 1$")

    def test_it_is_found_beside_the_path(self) -> None:
        """A grader may add a folder that allow_read names to sys.path."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            _write(other, {"aside.py": "import subprocess"})
            sys.path.insert(0, other)
            try:
                found = Scan(folder).first("main.py", b"def grade(s, i):\n    import aside")
            finally:
                sys.path.remove(other)
            self.assertRegex(found or "", "^subprocess in .*aside.py, line 1$")

    def test_a_module_of_ones_own_is_not_pythons(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            _write(folder, {"code.py": "x = 1"})
            self.assertIsNone(Scan(folder).first("main.py", b"import code"))


def _found(source: str) -> object:
    data = source.encode()
    return find_text_run(data, lambda: compile(data, "main.py", "exec", 0x400, dont_inherit=True), lambda _: False)


def _write(folder: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    unittest.main()
