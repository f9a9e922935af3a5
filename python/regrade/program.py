"""The work of a host on its jobs, in any process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Asks Node for a model's answer: the helper's name and the request as JSON; returns the end that Node sent.
    Ask = Callable[[str, str], dict[str, object]]
    #: Lines of JSON in, lines of JSON out; the first one is the result. Runs user code: may raise anything.
    Work = Callable[[list[str], "Ask | None"], list[str]]
    #: The same of lines that are not kept.
    Stream = Callable[[Iterator[str]], list[str]]
    #: What a job says whose work raised, as JSON.
    OnFault = Callable[[BaseException], str]


class Program:
    """``whole``: a job comes in many lines, and is one execution. Else each line is a job with one line of answer.

    ``holds_user_code``: it runs in forks, which lets nothing of a job reach another one.
    ``asks``: each job has a fork of its own, and many run at a time, as they wait for models most of the time.
    """

    # The host's modules have no dataclasses: importing those takes as long as starting Python itself.
    def __init__(self, work: Work, on_fault: OnFault, timeout_seconds: float) -> None:
        self.work = work
        self.on_fault = on_fault
        self.timeout_seconds = timeout_seconds
        self.whole = False
        #: Takes the lines of a whole job as they come, in place of ``work``. Not for user code, whose clock starts when
        #: all of them are there.
        self.stream: Stream | None = None
        self.holds_user_code = True
        self.asks = False
