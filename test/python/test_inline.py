"""The host where there is no ``fork`` (Windows): jobs run in its own process, over the same frames."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parents[2] / "python")
START = f"import sys; sys.path.insert(0, {PACKAGE!r}); from regrade import host; host._FORKS = False; host.serve(3, 4)"

LOAD = {
    "type": "load",
    "key": "k",
    "careful": True,
    "load_timeout_seconds": 20,
    "grace_seconds": 1,
    "program": "grader",
    "kind": "source",
    "shown": "<g>",
    "metric_id": "score",
    "timeout_seconds": 1,
    "execution": "per_sample",
    "contract": "sample",
    "isolation": "chunk",
    "max_model_calls": None,
}


def job(n: object) -> str:
    """A job's line, as Node writes it."""
    return json.dumps(["text", 0, "model", "run", "sample", {"n": n, "prompt": "p", "target": None, "task_id": "t"}])


class Host:
    """A host whose answers are read as they come."""

    def __init__(self, text: str, **load: object) -> None:
        self._folder = tempfile.TemporaryDirectory()
        reads, self._writes = os.pipe()
        self._reads, writes = os.pipe()
        shell = f'exec {sys.executable} -I -c "$1" 3<&{reads} 4>&{writes}'
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", shell, "sh", START], pass_fds=(reads, writes), cwd=self._folder.name
        )
        os.close(reads)
        os.close(writes)
        sandbox = {"mode": "off", "read": [], "write": self._folder.name}
        self.send({**LOAD, "text": text, "sandbox": sandbox, **load})
        self.ready = self.read()[0]

    def send(self, head: dict[str, object], *lines: str) -> None:
        body = "\n".join([json.dumps(head), *lines]).encode()
        os.write(self._writes, struct.pack(">I", len(body)) + body)

    def read(self) -> tuple[dict[str, object], list[str]]:
        (length,) = struct.unpack(">I", self._exactly(4))
        head, *lines = self._exactly(length).decode().split("\n")
        return json.loads(head), lines

    def close(self) -> int:
        os.close(self._writes)
        code = self._process.wait(20)
        os.close(self._reads)
        self._folder.cleanup()
        return code

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(self._reads, count - len(data))
            if not part:
                raise EOFError
            data += part
        return data


@unittest.skipIf(sys.platform == "win32", "the descriptors are handed over by a shell")
class InlineTest(unittest.TestCase):
    def test_jobs_one_after_the_other(self) -> None:
        host = Host(
            "import os\ndef grade(s, item):\n    i = item['n']\n    while i == 1: pass\n"
            "    return float(i) / (i - 2) if i else os.getpid()"
        )
        self.assertEqual(host.ready["type"], "ready")
        host.send({"type": "batch", "first": 5}, *[job(i) for i in (0, 1, 2, 3)])
        answers = [host.read() for _ in range(4)]
        self.assertEqual([head["ns"] for head, _ in answers], [[5], [6], [7], [8]])
        results = [json.loads(lines[0])["result"] for _, lines in answers]
        self.assertEqual([result.get("type") for result in results], [None, "timeout", "exception", None])
        self.assertEqual(results[3]["scores"], {"score": 3.0})
        self.assertEqual(host.close(), 0)

    def test_questions_while_other_jobs_wait(self) -> None:
        text = "def grade(s, i, ctx): return ctx.responses_create(input=i['n'])['n']"
        host = Host(text, max_model_calls=2, contract="model_backed")
        host.send({"type": "batch", "first": 0}, job("a"))
        head, lines = host.read()
        self.assertEqual((head["n"], head["ask"]), (0, 0))
        self.assertEqual(json.loads(lines[0]), {"helper": "responses_create", "request": {"input": "a"}})
        host.send({"type": "batch", "first": 1}, job("b"))
        for number in (0, 1):
            if number:
                self.assertEqual(host.read()[0]["n"], 1)
            host.send(
                {"type": "answer", "n": number, "ask": 0}, f'{{"kind":"answered","response":{{"n":{number + 7}}}}}'
            )
            head, lines = host.read()
            self.assertEqual(head["ns"], [number])
            self.assertEqual(json.loads(lines[0])["result"]["scores"], {"score": number + 7.0})
        self.assertEqual(host.close(), 0)

    def test_a_job_in_parts(self) -> None:
        text = "def grade_batch(samples): return {'samples': [{**sample, 'judge': None} for sample in samples]}"
        host = Host(text, execution="aggregate", contract="batch")
        host.send({"type": "open", "n": 0})
        host.send({"type": "open", "n": 1})
        host.send({"type": "part", "n": 1}, '{"sample_id":"a"}')
        host.send({"type": "stop", "n": 0})
        host.send({"type": "part", "n": 1}, '{"sample_id":"b"}')
        host.send({"type": "go", "n": 1})
        first, last, end = host.read(), host.read(), host.read()
        self.assertEqual([first[0].get("part"), last[0].get("part"), end[0].get("end")], [True, True, True])
        self.assertEqual(json.loads(first[1][0])["result"]["kind"], "graded")
        self.assertEqual([json.loads(each[1][0])["sample_id"] for each in (last, end)], ["a", "b"])
        self.assertEqual(host.close(), 0)


if __name__ == "__main__":
    unittest.main()
