"""Which flag, environment variable or build option a llama.cpp build has: the nouns of signatures/flags.toml.

Everything here is a fact read from sources at some builds (snapshots). Between two snapshots only what both agree on is
known, so most answers are three-valued: True, False, or None for "cannot tell".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from diag.model.noun import noun


@noun
class Snapshot:
    """One build whose sources were read."""

    build: int
    package: str  # name and version of the source package
    date: str | None = None  # ISO day the package was made; only the month (2024-08) where no more is known
    without: tuple[str, ...] = ()  # backends whose sources the package leaves out: it says nothing of their variables


@noun
class Lifetime:
    """The builds that have something, as far as the snapshots tell."""

    introduced_by: int  # first snapshot that has it
    introduced_after: int | None = None  # last snapshot before that, without it; None = the oldest snapshot has it
    last_seen: int | None = None  # last snapshot that has it; None = the newest one has it
    removed_by: int | None = None  # first snapshot after that, without it

    def holds(self, build: int) -> bool | None:
        """True, False, or None between two snapshots that differ and before the oldest one.

        A build after the newest snapshot is taken to be like the newest: the table cannot know better.
        """
        if build < self.introduced_by:
            return False if self.introduced_after is not None and build <= self.introduced_after else None
        if self.last_seen is None or build <= self.last_seen:
            return True
        return False if self.removed_by is not None and build >= self.removed_by else None


@noun
class ValueSet:
    """The words a flag takes from one build on, where they are restricted."""

    by: int  # first snapshot with exactly these
    after: int | None  # last snapshot with other ones; None = since the flag exists
    values: tuple[str, ...]  # in the order of the source


@noun
class Flag:
    """The spellings of one option of llama-server that came and went together."""

    name: str
    life: Lifetime
    takes_value: bool  # in the last snapshot that has it
    aliases: tuple[str, ...] = ()  # other spellings with the same life
    same_as: tuple[str, ...] = ()  # rows of the same option whose life differs
    negates: str | None = None  # the flag it switches off
    env: str | None = None  # environment variable, in the last snapshot that has the flag
    takes_value_by: int | None = None  # first snapshot where takes_value is as above, if it was not always so
    takes_value_after: int | None = None  # last snapshot where it was the opposite
    deprecated_from: int | None = None  # first snapshot that warns
    deprecated_after: int | None = None  # last snapshot that has it and does not warn
    refusal: str | None = None  # "named": after removal the start stops with a message that gives the new name
    replacement: str | None = None  # what to write once it is gone, with its value
    values: tuple[ValueSet, ...] = ()  # oldest first; empty = not restricted, or not recorded
    note: str | None = None

    def spellings(self) -> tuple[str, ...]:
        """All spellings of the row, its name first."""
        return (self.name, *self.aliases)


@noun
class EnvironmentVariable:
    """A variable that llama.cpp, one of its backends, or something below it reads."""

    name: str
    owner: str  # llama.cpp, a backend (cuda, metal, vulkan, sycl), or a driver or program (rocm, mesa, oneapi, ollama)
    life: Lifetime | None = None  # None = no matter of llama.cpp's build
    flag: str | None = None  # the flag it stands for
    refusal: str | None = None
    replacement: str | None = None
    note: str | None = None


@noun
class BuildOption:
    """A CMake option of llama.cpp, written -DNAME=ON when building."""

    name: str
    life: Lifetime
    note: str | None = None


@noun
class ForeignOption:
    """An option that advice may name and that belongs to another program than llama-server."""

    name: str
    program: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Default:
    """What llama-server does from one build on when the flag is left out."""

    flag: str
    value: str  # as one would write it after the flag; on or off for a switch
    by: int  # first snapshot with this value
    source: str  # build and file it was read from
    after: int | None = None  # last snapshot with another value
    note: str | None = None


Row = Flag | EnvironmentVariable | BuildOption


@dataclass(frozen=True, slots=True)  # a noun has no field that its constructor does not take
class FlagTable:
    """All rows of signatures/flags.toml.

    A name is written as people write it: `--load-mode none`, `-lm`, `GGML_CUDA_NO_PINNED=1`, `-DGGML_CUDA=ON`; what
    follows the first space or `=` is a value, and `_` in a long flag is `-`, as llama.cpp has it.
    """

    checked: date
    snapshots: tuple[Snapshot, ...]  # oldest first
    flags: tuple[Flag, ...]  # a name has several rows when it went away and came back
    environment: tuple[EnvironmentVariable, ...]
    build_options: tuple[BuildOption, ...]
    foreign: tuple[ForeignOption, ...]
    defaults: tuple[Default, ...]  # by flag, oldest first
    _rows: dict[str, tuple[Row, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows: dict[str, tuple[Row, ...]] = {}
        for flag in self.flags:
            for spelling in flag.spellings():
                rows[spelling] = (*rows.get(spelling, ()), flag)
        others: tuple[Row, ...] = (*self.environment, *self.build_options)
        for row in others:
            rows[row.name] = (*rows.get(row.name, ()), row)
        object.__setattr__(self, "_rows", rows)

    def knows(self, name: str) -> bool:
        """True when some snapshot, a driver or CMake has the name (a foreign program's option does not count)."""
        return bool(self._of(name))

    def programs(self, name: str) -> tuple[str, ...]:
        """The other programs that have an option of this name, in file order; empty when none is recorded."""
        spelling, _ = split_value(name)
        return tuple(option.program for option in self.foreign if option.name == spelling)

    def available(self, name: str, build: int | None) -> bool | None:
        """True when the build has the name, False when it rejects or ignores it, None when that cannot be told.

        Without a build: True when every snapshot has it, False when none has. A driver's variable is always True.
        """
        rows = self._of(name)
        if any(isinstance(row, EnvironmentVariable) and row.life is None for row in rows):
            return True
        lives = [row.life for row in rows if row.life is not None]
        if build is not None:
            return _any(life.holds(build) for life in lives)
        if not lives:
            return False
        throughout = any(life.introduced_after is None and life.last_seen is None for life in lives)
        return True if throughout and lives[0].introduced_by == self.snapshots[0].build else None

    def since(self, name: str) -> int | None:
        """The first snapshot that has the name, in its latest life; None for the oldest one and for unknown names."""
        lives = [row.life for row in self._of(name) if row.life is not None]
        return lives[-1].introduced_by if lives and lives[-1].introduced_after is not None else None

    def lacking(self, name: str, first: int | None = None, last: int | None = None) -> tuple[int, ...]:
        """The snapshots from `first` to `last`, both included, whose build surely lacks the name; oldest first."""
        low = self.snapshots[0].build if first is None else first
        high = self.snapshots[-1].build if last is None else last
        builds = sorted({*(s.build for s in self.snapshots if low <= s.build <= high), low, high})
        return tuple(build for build in builds if self.available(name, build) is False)

    def replacement(self, name: str, build: int | None) -> str | None:
        """What to write instead on that build; None when the name works there or nothing stands in for it.

        For a name the build no longer has it is the successor, for one it does not have yet the predecessor
        (`--load-mode none` -> `--no-mmap`). Without a build it is the successor in the newest builds.
        """
        if build is not None and self.available(name, build) is True:
            return None
        successor = next((row.replacement for row in reversed(self._replaceable(name)) if row.replacement), None)
        if successor is not None and (build is None or self.available(successor, build) is not False):
            return successor
        if build is None:
            return None
        wanted = self._canonical(name)
        rows: tuple[Flag | EnvironmentVariable, ...] = (*self.flags, *self.environment)
        for row in rows:
            if row.replacement == wanted and row.life is not None and row.life.holds(build) is True:
                return row.name
        return None

    def takes_value(self, name: str, build: int | None) -> bool | None:
        """Whether the flag wants a value on that build; None when that cannot be told or the name is no flag."""
        flags = self._flags(name)
        if build is None:
            answers = {flag.takes_value for flag in flags if flag.takes_value_by is None}
            return answers.pop() if len(answers) == 1 and len(flags) == 1 else None
        for flag in flags:
            if flag.life.holds(build) is not True:
                continue
            if flag.takes_value_by is None or build >= flag.takes_value_by:
                return flag.takes_value
            settled = flag.takes_value_after is not None and build <= flag.takes_value_after
            return (not flag.takes_value) if settled else None
        return None

    def accepts(self, name: str, value: str, build: int) -> bool | None:
        """Whether the build takes the flag with this value: each word of a comma list must be known.

        Where the words are not restricted, the answer is that of `available`. None between two snapshots that differ.
        """
        present = self.available(name, build)
        if present is not True:
            return present
        flags = [flag for flag in self._flags(name) if flag.life.holds(build) is True]
        sets = [known for flag in flags for known in flag.values]
        if not sets:
            return True
        words = value.split(",")
        at = sum(known.by <= build for known in sets)  # sets[at - 1] is in force, or sets[at] may be already
        if at == 0:  # a bare switch then, or between two snapshots
            return False if self.takes_value(name, build) is False else None
        now = all(word in sets[at - 1].values for word in words)
        after = sets[at].after if at < len(sets) else build
        if after is not None and build <= after:
            return now
        return now if now == all(word in sets[at].values for word in words) else None

    def default(self, name: str, build: int | None) -> str | None:
        """The value in force when the flag is left out; None when unknown: no build, no row, or between two values."""
        if build is None or self.available(name, build) is not True:
            return None
        flags = self._flags(name)
        own = {other for flag in flags for other in (*flag.spellings(), *flag.same_as)}
        heirs = {flag.replacement for flag in flags}
        rows = [row for row in self.defaults if row.flag in own] or [row for row in self.defaults if row.flag in heirs]
        for row, later in zip(rows, (*rows[1:], None), strict=True):
            if build >= row.by and (later is None or build < later.by):
                between = later is not None and (later.after is None or build > later.after)
                return None if between else row.value
        return None

    def _of(self, name: str) -> tuple[Row, ...]:
        spelling, _ = split_value(name)
        return self._rows.get(spelling) or self._rows.get(spelling.removeprefix("-D"), ())

    def _flags(self, name: str) -> list[Flag]:
        return [row for row in self._of(name) if isinstance(row, Flag)]

    def _replaceable(self, name: str) -> list[Flag | EnvironmentVariable]:
        return [row for row in self._of(name) if not isinstance(row, BuildOption)]

    def _canonical(self, name: str) -> str:
        """The name as `replacement` fields write it: the row's first spelling, then the value."""
        spelling, value = split_value(name)
        rows = self._of(name)
        if not rows or value is None:
            return rows[-1].name if rows else spelling
        return f"{rows[-1].name} {value}" if isinstance(rows[-1], Flag) else f"{rows[-1].name}={value}"


def split_value(name: str) -> tuple[str, str | None]:
    """The spelling and the value (None = none given) of `--flag value`, `VARIABLE=value` or `-DOPTION=value`."""
    text = name.strip()
    cut = min((at for at in (text.find(" "), text.find("=")) if at >= 0), default=-1)
    spelling, value = (text, None) if cut < 0 else (text[:cut], text[cut + 1 :].strip())
    if spelling.startswith("--"):
        spelling = spelling.replace("_", "-")
    return spelling, value


def _any(answers: Iterable[bool | None]) -> bool | None:
    """True when one is true, False when all are false, None otherwise."""
    unsure = False
    for answer in answers:
        if answer:
            return True
        unsure = unsure or answer is None
    return None if unsure else False
