"""What a grader is given as ``ctx``."""

from __future__ import annotations

from typing import NoReturn


class Context:
    """The helpers of a grader without access to models: asking for one is an error that says so."""

    def responses_create(self, *_args: object, **_request: object) -> NoReturn:
        """Refuse: a model's answer needs another contract."""
        _refuse("responses_create")

    def embeddings_create(self, *_args: object, **_request: object) -> NoReturn:
        """Refuse: embeddings need another contract."""
        _refuse("embeddings_create")


def _refuse(helper: str) -> NoReturn:
    raise RuntimeError(
        f"ctx.{helper} needs a grader with contract: model_backed; "
        "this one has contract: sample, without access to models"
    )
