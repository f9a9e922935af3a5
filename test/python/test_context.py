"""What ``ctx`` answers, and each mistake that its users make."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from regrade.context import Access, Context, ModelError, ModelUnavailable


class Asker:
    def __init__(self, end: dict[str, object]) -> None:
        self.end = end
        self.asked: list[tuple[str, str]] = []

    def __call__(self, helper: str, request: str) -> dict[str, object]:
        self.asked.append((helper, request))
        return self.end


def context(end: dict[str, object] | None = None, contract: str = "model_backed", max_calls: int = 64) -> Context:
    return Context(Access(contract, True, max_calls), Asker(end or {"kind": "answered", "response": {"id": "r1"}}))


class AskTest(unittest.TestCase):
    def test_asks_what_it_is_given(self) -> None:
        asker = Asker({"kind": "answered", "response": {"output_text": "yes", "id": "resp_1"}})
        answer = Context(Access("model_backed", True, 2), asker).responses_create(model="auto", input="ä?")
        self.assertEqual(answer["output_text"], "yes")
        self.assertEqual(asker.asked, [("responses_create", '{"model":"auto","input":"\\u00e4?"}')])

    def test_embeddings(self) -> None:
        asker = Asker({"kind": "answered", "response": {"data": [{"embedding": [1.0]}]}})
        answer = Context(Access("model_backed", True, 2), asker).embeddings_create(input=["a"])
        self.assertEqual(answer["data"], [{"embedding": [1.0]}])

    def test_refusals_and_outages_are_raised(self) -> None:
        with self.assertRaisesRegex(ModelError, "no judge_model"):
            context({"kind": "refused", "message": "no judge_model"}).responses_create(input="?")
        with self.assertRaisesRegex(ModelUnavailable, "quota"):
            context({"kind": "unavailable", "type": "quota", "message": "quota"}).responses_create(input="?")

    def test_calls_are_counted(self) -> None:
        ctx = context(max_calls=2)
        ctx.responses_create(input="1")
        ctx.embeddings_create(input="2")
        with self.assertRaisesRegex(ModelError, r"called 2 times, which max_model_calls allows: raise it \(500"):
            ctx.responses_create(input="3")


class MistakeTest(unittest.TestCase):
    def check(self, ctx: Context, expected: str, *args: object, **request: object) -> None:
        with self.assertRaisesRegex((TypeError, ValueError, ModelError), expected):
            ctx.responses_create(*args, **request)

    def test_access_comes_first(self) -> None:
        without = Context(Access("sample", False, 0))
        self.check(without, r"needs a grader with contract: model_backed \(or .*\); this one has contract: sample")
        none = Context(Access("model_backed", False, 0))
        self.check(none, "this grader has model_access: none; remove it", input="?")
        self.check(context(max_calls=0), "max_model_calls: 0", input="?")

    def test_arguments(self) -> None:
        self.check(context(), "takes its arguments by name", "what?")
        self.check(context(), r'needs input: ctx.responses_create\(model="auto", input="…"\)', model="auto")
        self.check(context(), "takes what JSON can hold: input is {1, 2}", input={1, 2})
        self.check(context(), "takes what JSON can hold: temperature is nan", input="?", temperature=float("nan"))
        self.check(context(), "a request of 4000012 characters", input="x" * 4_000_000)

    def test_other_libraries_ways(self) -> None:
        with self.assertRaisesRegex(AttributeError, "no ctx.chat; ctx has responses_create and embeddings_create"):
            _ = context().chat
        with self.assertRaisesRegex(AttributeError, r'write response\["id"\]'):
            _ = context().responses_create(input="?").id


if __name__ == "__main__":
    unittest.main()
