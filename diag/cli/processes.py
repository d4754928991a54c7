"""Other processes that read logs, or ranges of one, beside this one."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from diag.cli.one import Answer, Asked, answer
from diag.errors import InputError
from diag.pipeline import Analyzer, analyzer

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from diag.large.ranges import Done, Task


class Processes(AbstractContextManager["Processes"]):
    """Up to n_jobs processes with the same catalogue; they start at their first task and end with the `with`."""

    def __init__(self, n_jobs: int, folders: Sequence[str], engine: str | None, asked: Asked) -> None:
        self.n_jobs = n_jobs
        self._given = (tuple(folders), engine, asked)
        self._pool: Any = None
        self._children: Sequence[BaseProcess] = ()

    def answers(self, logs: Sequence[str]) -> Iterator[Answer]:
        """Yield the answers of several logs in their order."""
        share = max(1, min(64, len(logs) // (self.n_jobs * 8)))
        parts = [logs[at : at + share] for at in range(0, len(logs), share)]
        for some in self._results(self._started(min(self.n_jobs, len(logs))).imap(_answer, parts)):
            yield from some

    def read(self, tasks: Sequence["Task"]) -> "Iterator[Done]":
        """Return what ranges of a log hold, in their order; all are begun at once. This process reads beside them."""
        return self._results(self._started(self.n_jobs - 1).imap(_read, tasks))

    def _results(self, found: Any) -> Iterator[Any]:
        """Yield what the pool finds. InputError when one of its processes is gone, whose work would never come."""
        import multiprocessing

        while True:
            try:
                yield found.next(timeout=1)
            except StopIteration:
                return
            except multiprocessing.TimeoutError:
                if any(child.exitcode is not None for child in self._children):
                    raise InputError("a process of --jobs was ended from outside; try fewer") from None

    def _started(self, n: int) -> Any:
        if self._pool is None:
            import multiprocessing

            with _interrupts_held():
                self._pool = multiprocessing.get_context("spawn").Pool(n, _begin, self._given)
            self._children = multiprocessing.active_children()
        return self._pool

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End them."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """A terminal's Ctrl-C reaches every process: those begun here leave it to this one, from their first moment on."""
    import signal

    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start, which the first process would cause, lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which they inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """What a process holds."""

    ready: Analyzer
    asked: Asked


def _begin(folders: Sequence[str], engine: str | None, asked: Asked) -> None:
    import signal

    from diag.cli.options import catalog_of

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where a process does not inherit it
    _Worker.ready = analyzer(catalog_of(folders), engine)
    _Worker.asked = asked


def _answer(names: Sequence[str]) -> list[Answer]:
    return [answer(name, _Worker.ready, _Worker.asked) for name in names]


def _read(task: "Task") -> "Done":
    done: Done = _Worker.ready.read_range(task)
    return done
