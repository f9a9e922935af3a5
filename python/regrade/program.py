"""The work of a host on its jobs, in any process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Asks Node for a model's answer, given the helper's name and the request as JSON; returns the end that Node sent.
    Ask = Callable[[str, str], dict[str, object]]
    #: Takes lines of JSON and returns lines of JSON, of which the first is the result. It runs user code, so it may
    #: raise anything.
    Work = Callable[[list[str], "Ask | None"], list[str]]
    #: The same for lines that are not kept.
    Stream = Callable[[Iterator[str]], list[str]]
    #: Makes the answer (JSON) of a job whose work raised an exception.
    OnFault = Callable[[BaseException], str]


class Program:
    """``whole``: a job has many lines and is one execution; otherwise each line is a job with one line of answer.

    ``holds_user_code``: it runs in forks, so that no job affects another one. ``asks``: each job has a separate fork,
    and many run at once, because they mostly wait for models.
    """

    # The host's modules use no dataclasses, because importing those takes as long as starting Python itself.
    def __init__(self, work: Work, on_fault: OnFault, timeout_seconds: float) -> None:
        self.work = work
        self.on_fault = on_fault
        self.timeout_seconds = timeout_seconds
        self.whole = False
        #: Takes the lines of a whole job as they arrive, instead of ``work``. It is not for user code, whose clock
        #: starts when all lines are there.
        self.stream: Stream | None = None
        self.holds_user_code = True
        self.asks = False
