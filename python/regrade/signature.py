"""Finds out whether a user's function takes ``ctx``."""

from __future__ import annotations

from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    Context = Literal["no", "positional", "keyword"]

_VARARGS = 0x04  # inspect.CO_VARARGS


def context_of(function: Callable[..., object], arguments: int) -> Context | None:
    """Return how ``function`` takes ``ctx`` in addition to its ``arguments``; None if it can't be called with that
    many.

    It receives ``ctx`` if a parameter has that name, or if it requires one argument more than ``arguments``.
    """
    if type(function) is FunctionType:
        return _of_function(function, arguments)
    return _of_callable(function, arguments)


def shown_signature(function: Callable[..., object]) -> str:
    """Return the signature for messages: ``(sample)``."""
    import inspect

    return str(inspect.signature(function))


def _of_function(function: FunctionType, arguments: int) -> Context | None:
    """Do the same as below for plain functions, which nearly all graders are, without ``inspect``: importing that takes
    as long as Python's start."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    missing = set(keywords) - set(function.__kwdefaults__ or ())
    least = code.co_argcount - len(function.__defaults__ or ())
    most = 1_000 if code.co_flags & _VARARGS else code.co_argcount

    def fits(count: int) -> bool:
        return least <= count <= most

    if "ctx" in keywords:
        return "keyword" if fits(arguments) and missing <= {"ctx"} else None
    if missing:
        return None
    wanted = "ctx" in names
    if wanted and names.index("ctx") == arguments and fits(arguments + 1):
        return "positional"
    if fits(arguments):
        return "no"
    return "positional" if fits(arguments + 1) else None


def _of_callable(function: Callable[..., object], arguments: int) -> Context | None:
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C, without a signature
        return "no"
    given = [object()] * arguments
    context = signature.parameters.get("ctx")
    if context is not None and context.kind is context.KEYWORD_ONLY:
        return "keyword" if _binds(signature.bind, given, ctx=None) else None
    if context is not None and _binds(signature.bind, [*given, None]):
        return "positional"
    if _binds(signature.bind, given):
        return "no"
    return "positional" if _binds(signature.bind, [*given, None]) else None


def _binds(bind: Callable[..., object], given: list[object], **named: object) -> bool:
    try:
        bind(*given, **named)
    except TypeError:
        return False
    return True
