"""Loads user code: inline source, a file, or a built-in grader."""

from __future__ import annotations

import importlib
import os
import sys
from types import FunctionType, ModuleType

from regrade.faults import Origin, read_fault
from regrade.imports import loaded_files, own_files, recipe_files, sha256
from regrade.scan import Scan, loaded_sources
from regrade.signature import context_of, shown_signature
from regrade.sources import source_finder
from regrade.timer import TimeUp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.signature import Context as TakesContext

_MODULE = "__regrade_grader__"
#: Modules of Python's that ours import late: they would be half of a host's start.
_LATE = ("json", "linecache", "re", "signal")
_BUILTINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "graders")


class Wanted:
    """The function to look for: the first of ``names`` that the code defines. It is called with ``arguments``
    arguments."""

    def __init__(self, names: tuple[str, ...], arguments: int, what: str = "grader") -> None:
        self.names = names
        self.arguments = arguments
        #: ``grader`` or ``preprocessor``; only graders receive ``ctx``.
        self.what = what


class Loaded:
    """A function that is ready to be called, and how it takes ``ctx``. ``files``: the files that it consists of, the
    main file first."""

    def __init__(
        self, function: Callable[..., object], takes_context: TakesContext, origin: Origin, files: list[dict[str, str]]
    ) -> None:
        #: The place where the code executes text, in words; None if it does not, as far as this can be seen.
        self.runs_text: str | None = None
        self.function = function
        self.takes_context = takes_context
        self.origin = origin
        self.files = files

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return str(getattr(self.function, "__name__", "grade"))

    def call(self, context: object, *arguments: object) -> object:
        """Call the function, with ``context`` if it takes one."""
        if self.takes_context == "no":
            return self.function(*arguments)
        if self.takes_context == "keyword":
            return self.function(*arguments, ctx=context)
        return self.function(*arguments, context)


class Refused:
    """Why code can't be used, with the position in its source if there is one."""

    def __init__(self, reason: str, message: str, line: int | None = None, traceback: str | None = None) -> None:
        self.reason = reason
        self.message = message
        self.line = line
        self.column: int | None = None
        self.text: str | None = None
        self.traceback = traceback

    def at(self, column: int | None, text: str | None) -> Refused:
        """Add the position within the line."""
        self.column = column
        self.text = text
        return self


class _Refusal(Exception):
    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


def load_code(frame: dict[str, object], wanted: Wanted) -> Loaded | Refused:
    """Load what the frame names: ``{kind: source | file | builtin, …}``. The import runs user code."""
    try:
        if frame["kind"] == "builtin":
            return _load_builtin(str(frame["name"]), frame["options"])
        if frame["kind"] == "file":
            return _load_file(str(frame["path"]), str(frame["shown"]), wanted, frame.get("class"))
        return _load_source(str(frame["text"]), str(frame["shown"]), wanted)
    except _Refusal as refusal:
        return refusal.refused


def _load_source(text: str, shown: str, wanted: Wanted) -> Loaded:
    code = text.encode("utf-8", "surrogatepass")
    origin = Origin(shown, None, wanted.what)
    module = _module(shown)
    _run(code, module, origin)
    function, takes_context = _find(module, wanted)
    files = [{"path": shown, "sha256": sha256(code)}, *recipe_files([code])]
    return _scanned(Loaded(function, takes_context, origin, files), code)


def _load_file(path: str, shown: str, wanted: Wanted, of_class: object) -> Loaded:
    try:
        with open(path, "rb") as file:
            code = file.read()
        path = os.path.realpath(path)
        folder = os.path.dirname(path)
        os.chdir(folder)
    except OSError as error:
        raise _Refusal(Refused("file_unreadable", error.strerror or str(error))) from None
    _keep_names(folder)
    # As for a script, the folder's modules can be imported, and relative paths start from the folder.
    sys.path.insert(0, folder)
    sys.path_hooks.insert(0, source_finder(folder))
    origin = Origin(shown, folder, wanted.what)
    module = _module(path)
    if isinstance(of_class, dict):
        return _scanned(_load_class((path, code), module, origin, of_class), code)
    _run(code, module, origin)
    function, takes_context = _find(module, wanted)
    return _scanned(Loaded(function, takes_context, origin, own_files(path, folder)), code)


def _load_class(main: tuple[str, bytes], module: ModuleType, origin: Origin, spec: dict[str, object]) -> Loaded:
    """Load a class that was written for another tool, as a grader."""
    from regrade.foreign.adapt import NotUsable, adapt, package_of, prepare_imports

    path, code = main
    packages = spec.get("packages")
    folders = [str(each) for each in packages] if isinstance(packages, list) else []
    prepare_imports(folders)
    for folder in folders:
        sys.path_hooks.insert(0, source_finder(folder))
    module.__package__ = package_of(path, folders) or None
    _run(code, module, origin)
    try:
        function = adapt(module, spec)
    except NotUsable as error:
        raise _Refusal(Refused("import_failed", str(error), traceback="")) from None
    except Exception as error:
        raise _Refusal(_import_failed(error, origin)) from None
    return Loaded(function, "no", origin, own_files(path, os.path.dirname(path), *folders))


def _scanned(loaded: Loaded, code: bytes) -> Loaded:
    loaded.runs_text = Scan(loaded.origin.folder, loaded_sources()).first(loaded.origin.shown, code)
    return loaded


def _module(path: str) -> ModuleType:
    """Make a module that ``sys.modules`` knows, because dataclasses and pickle look there. Its name hides no module of
    the user's."""
    module = ModuleType(_MODULE)
    module.__file__ = path
    sys.modules[_MODULE] = module
    return module


def _run(source: bytes, module: ModuleType, origin: Origin) -> None:
    """Compile the source under the name that messages show, and keep its lines for tracebacks."""
    origin.source = source.decode("utf-8", "replace")
    module.__loader__ = _Lines(origin.source)  # type: ignore[assignment]
    try:
        exec(compile(source, origin.shown, "exec", dont_inherit=True), module.__dict__)
    except SyntaxError as error:
        if error.filename == origin.shown:
            text = error.text.rstrip() if error.text else None
            raise _Refusal(Refused("syntax", error.msg, error.lineno).at(error.offset, text)) from None
        raise _Refusal(_import_failed(error, origin)) from None
    except TimeUp:
        raise
    except BaseException as error:
        raise _Refusal(_import_failed(error, origin)) from None


class _Lines:
    """Gives the source to whoever looks for its lines: a traceback that the grader itself makes, and ``inspect``."""

    def __init__(self, source: str) -> None:
        self._source = source

    def get_source(self, _name: str) -> str:
        """Return it."""
        return self._source


def import_late() -> None:
    """Import what ours need at times."""
    for name in _LATE:
        importlib.import_module(name)


def _keep_names(folder: str) -> None:
    """If the folder of user code has a name like a module of Python's, import ours now: later theirs would be found."""
    try:
        names = {entry.partition(".")[0] for entry in os.listdir(folder)}
    except OSError:  # it may be read, but not listed
        names = set(_LATE)
    if names & sys.stdlib_module_names:
        import_late()


def _import_failed(error: BaseException, origin: Origin) -> Refused:
    fault = read_fault(error, origin)
    missing = isinstance(error, ModuleNotFoundError) and error.name
    if missing:
        return Refused("module_missing", str(missing), fault.line, traceback=fault.traceback)
    return Refused("import_failed", fault.message, fault.line, traceback=fault.traceback)


def _find(module: ModuleType, wanted: Wanted) -> tuple[Callable[..., object], TakesContext]:
    found = next((value for name in wanted.names if (value := getattr(module, name, None)) is not None), None)
    if found is None:
        names = [name for name, value in vars(module).items() if isinstance(value, FunctionType)]
        reason = "no_grade" if wanted.names == ("grade",) else "no_function"
        raise _Refusal(Refused(reason, ", ".join(names[:10])))
    if not callable(found):
        raise _Refusal(Refused("not_callable", type(found).__name__))
    takes_context = context_of(found, wanted.arguments)
    if takes_context is None or (takes_context != "no" and wanted.what != "grader"):
        line = getattr(getattr(found, "__code__", None), "co_firstlineno", None)
        raise _Refusal(Refused("signature", shown_signature(found), line))
    return found, takes_context


def _load_builtin(name: str, options: object) -> Loaded:
    origin = Origin(name, None)
    module = importlib.import_module(f"regrade.graders.{name}")
    try:
        grade: Callable[..., object] = module.create(options)
    except (ValueError, TypeError) as error:
        raise _Refusal(Refused("options", str(error))) from None
    path = os.path.join(_BUILTINS, f"{name}.py")
    return Loaded(grade, context_of(grade, 2) or "no", origin, loaded_files(path, _BUILTINS))
