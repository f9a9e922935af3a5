"""The ``ctx`` of a grader: answers of models if it may call them, else an error that explains why not."""

from __future__ import annotations

from _thread import allocate_lock

from regrade.codec import encode
from regrade.plain import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.program import Ask

#: Limit of a request as JSON, in characters.
REQUEST_LIMIT = 3_500_000
_HELPERS = "ctx has responses_create and embeddings_create"


class ModelError(RuntimeError):
    """There is no answer because the request is invalid or not allowed. The message says what to do."""


class ModelUnavailable(ModelError):
    """There is no answer, which is not the grader's fault: a quota, the network, a stopped run. The sample is then
    ungraded, whatever the grader does about it."""


class Access:
    """The access to models that the manifest grants. ``contract`` is the manifest's word, for messages."""

    def __init__(self, contract: str, models: bool, max_calls: int) -> None:
        self.contract = contract
        self.models = models
        self.max_calls = max_calls


class Context:
    """The helpers of one execution. Threads may share it; their calls are made one after the other."""

    def __init__(self, access: Access, ask: Ask | None = None) -> None:
        self._access = access
        self._ask = ask
        self._made = 0
        self._lock = allocate_lock()

    def responses_create(self, *args: object, **request: object) -> Answer:
        """Ask a model, with the arguments of the Responses API; ``model="auto"`` is the run's judge_model.

        Returns the response as a dict, its text under ``output_text``. Raises ModelError.
        """
        if not ({"input", "prompt"} & request.keys()):
            self._check("responses_create", args, 'input="…"')
        return self._call("responses_create", args, request)

    def embeddings_create(self, *args: object, **request: object) -> Answer:
        """Ask for embeddings, with the arguments of the Embeddings API; ``model="auto"`` is the run's embedding_model.

        Returns the response as a dict, the vectors under ``data``. Raises ModelError.
        """
        if "input" not in request:
            self._check("embeddings_create", args, 'input=["…"]')
        return self._call("embeddings_create", args, request)

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"there is no ctx.{name}; {_HELPERS}, which take a model's name and input")

    def _check(self, helper: str, args: tuple[object, ...], example: str) -> None:
        """Report a missing argument, unless the call itself is forbidden, which is reported first."""
        self._refuse_without_access(helper)
        if not args:
            raise TypeError(f'ctx.{helper} needs input: ctx.{helper}(model="auto", {example})')

    def _call(self, helper: str, args: tuple[object, ...], request: dict[str, object]) -> Answer:
        self._refuse_without_access(helper)
        if args:
            raise TypeError(f'ctx.{helper} takes its arguments by name: ctx.{helper}(model="auto", input=…)')
        text = _encoded(helper, request)
        with self._lock:
            limit = self._access.max_calls
            if self._made >= limit:
                raise ModelError(_too_many(helper, limit))
            self._made += 1
            end = self._ask(helper, text) if self._ask is not None else {}
        return _read_end(end)

    def _refuse_without_access(self, helper: str) -> None:
        if self._access.models:
            return
        contract = self._access.contract
        if contract == "model_backed":
            raise ModelError(
                f"ctx.{helper} needs access to models, and this grader has model_access: none; "
                "remove it, or write model_access: mka1"
            )
        raise ModelError(
            f"ctx.{helper} needs a grader with contract: model_backed (or model_access: mka1); "
            f"this one has contract: {contract}, without access to models"
        )


class Answer(dict[str, object]):
    """A response. It is a plain dict, and explains that to code that expects an object of OpenAI's library."""

    def __getattr__(self, name: str) -> object:
        known = f'write response["{name}"]' if name in self else f"its keys are {', '.join(list(self)[:20])}"
        raise AttributeError(f"a response is a dict here, without attributes: {known}")


def _too_many(helper: str, limit: int) -> str:
    if limit == 0:
        return f"ctx.{helper} may not be called: this grader has max_model_calls: 0"
    return f"ctx.{helper} was called {limit} times, which max_model_calls allows: raise it (500 at most), or ask less"


def _encoded(helper: str, request: dict[str, object]) -> str:
    try:
        text = encode(request)
    except (TypeError, ValueError, RecursionError, OverflowError):
        raise TypeError(f"ctx.{helper} takes what JSON can hold: {_odd(request)}") from None
    if len(text) > REQUEST_LIMIT:
        raise ValueError(f"ctx.{helper}: a request of {len(text)} characters; at most {REQUEST_LIMIT} can be sent")
    return text


def _odd(request: dict[str, object]) -> str:
    for name, value in request.items():
        try:
            encode(value)
        except (TypeError, ValueError, RecursionError, OverflowError) as error:
            text = shown(value)
            return f"{name} is {text if len(text) <= 100 else text[:100] + '…'} ({error})"
    return "a name among its arguments is no text"


def _read_end(end: dict[str, object]) -> Answer:
    kind, message = end.get("kind"), str(end.get("message", "no answer came"))
    response = end.get("response")
    if kind == "answered" and isinstance(response, dict):
        return Answer(response)
    if kind == "unavailable":
        raise ModelUnavailable(message)
    raise ModelError(message)
