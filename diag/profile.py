"""Where the time of an analysis went, stage by stage."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Profile:
    """Seconds of each stage; a stage inside another one is not counted twice."""

    def __init__(self) -> None:
        """Begin with the time that the process has used so far: starting Python and reading the catalogue."""
        self.seconds: dict[str, float] = {"start": time.process_time()}
        self._open: list[str] = []
        self._since = time.perf_counter()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what runs inside for the stage."""
        self._turn()
        self._open.append(name)
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def blocks(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks, with the time it takes to get them counted for reading."""
        while True:
            with self.stage("read"):
                block = next(blocks, None)
            if block is None:
                return
            yield block

    def timed(self, name: str, work: Callable[..., T]) -> Callable[..., T]:
        """Return the function with its time counted for the stage."""

        def run(*args: object, **named: object) -> T:
            with self.stage(name):
                return work(*args, **named)

        return run

    def table(self) -> str:
        """Return a line a stage: milliseconds, share of the whole, name."""
        total = sum(self.seconds.values()) or 1.0
        rows = [f"{seconds * 1000:9.1f} ms {seconds / total:6.1%}  {name}" for name, seconds in self.seconds.items()]
        return "\n".join([*rows, f"{total * 1000:9.1f} ms {1:6.1%}  together"])

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._open:
            name = self._open[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now
