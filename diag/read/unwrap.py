"""One physical line -> its logical lines, freed of whatever wrapped it."""

import re
from collections.abc import Sequence

from diag.late import late
from diag.model.alike import alike
from diag.model.line import Line, Note
from diag.model.noun import noun
from diag.read.colours import strip_colours
from diag.read.commands import may_hold_command
from diag.read.fused import split_fused
from diag.read.layer import Layer, Peeled
from diag.read.messages import MESSAGE_LAYERS
from diag.read.objects import OBJECT_LAYERS
from diag.read.prefixes import PREFIX_LAYERS
from diag.read.starts import NATIVE, is_strong

_DEEPEST = 4  # layers on top of each other; more is no log but a hostile nest
_MOST_PARTS = 2000
# Bare clocks before stamps with a message, so that both names are one; objects, then prefixes, then what others say.
_LAYERS = (*OBJECT_LAYERS, MESSAGE_LAYERS[-1], *PREFIX_LAYERS, *MESSAGE_LAYERS[:-1])
_NEVER = (
    "slot ",
    "srv  ",
    "srv ",
    "que  ",
    "res  ",
    "cmn  ",
    "spec ",
    "llama_",
    "ggml_",
    "llm_",
    "print_info",
    "load_",
)
_INDENTED = late(
    r"[ \t]{1,32}(?=\d{1,7}\.\d\d\.\d{3}\.\d{3} [IWED] |(?:slot|srv|que|res|cmn|spec) {1,12}[\w~()]{2,14}: )"
)
_LATER = late(
    r"(?<![\d.])\d{1,7}\.\d\d\.\d{3}\.\d{3} [IWED] |(?<=[ \t\]>)|:])(?:slot|srv|que|res|cmn|spec) {1,12}[\w~()]{2,14}: "
    r"|(?<=[ \t\]>)|:])(?:llama|ggml|print_info|load_tensors)\w{0,60}: "
    r"|(?<=[ \t\]>)|:])\{\"(?=\w{1,30}\":)"  # a prefix before objects, which are opened next
)
_YEAR = late(r"(?:19|20)\d\d[-/]")


def _table() -> dict[str, tuple[Layer, ...]]:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    table = {}
    for first in letters + "0123456789[{<_ -.\\":
        kind = "a" if first in letters else "0" if first in "0123456789" else ""
        table[first] = tuple(
            layer
            for layer in _LAYERS
            if first in layer.starts or (kind and kind in layer.starts) or layer.starts == "*"
        )
    return table


_BY_FIRST = _table()
_ANY = tuple(layer for layer in _LAYERS if layer.starts == "*")


@noun
class _Context:
    """What the layers taken off so far said."""

    stream: str | None = None
    time: str | None = None
    level: str | None = None
    elapsed_us: int | None = None

    def inside(self, peeled: Peeled) -> "_Context":
        streams = dict.fromkeys(name for name in (self.stream, peeled.stream) if name)  # told twice is one
        # The outer clock stays unless only the inner one knows the year.
        time = self.time or peeled.time
        if self.time and peeled.time and not _YEAR.search(self.time) and _YEAR.search(peeled.time):
            time = peeled.time
        # The program's own level and clock are the innermost ones.
        level = peeled.level or self.level
        elapsed = self.elapsed_us if peeled.elapsed_us is None else peeled.elapsed_us
        return _Context("/".join(streams) or None, time, level, elapsed)


class Unwrapper:
    """Takes wrappers off, line by line; each line decides for itself what is there.

    The sample (some hundred physical lines) only settles the cases a single line cannot: whether `name | text` is
    docker compose or the program's own table, and what an unknown prefix before the program's clock looks like. A name
    that stands before one line of the program's stands before all of them.
    """

    def __init__(self, sample: Sequence[str]) -> None:
        self._met: dict[str, tuple[int, int, str]] = {}  # name -> depth, first line, what was undone
        self._coloured: int | None = None
        self._trusted: set[str] = set()  # risky layers
        self._known: set[tuple[str, str | None]] = set()  # risky layers and a stream of theirs
        loose = [strip_colours(text) for text in sample if not NATIVE.match(text)]
        self._unknown: Layer | None = None
        self._sniff(loose, len(sample))
        bare = [text for text in loose if self._outermost(text)[0] is None]
        self._unknown = _learn_prefix(bare, len(sample) - len(loose))

    def _sniff(self, loose: Sequence[str], n_rows: int) -> None:
        """Learn from the rows of a sample that do not begin with the program's own clock; n_rows: all of them."""
        named: dict[tuple[str, str | None], Layer] = {}
        for layer in _LAYERS:
            if not layer.risky:
                continue
            streams: dict[str | None, int] = {}
            for text in loose:
                peeled = layer.peel(text)
                if peeled is not None:
                    streams[peeled.stream] = streams.get(peeled.stream, 0) + 1
                    # Two forms of one layer that give the same name (compose's prefix and its exit line) agree, too.
                    key = (layer.name, peeled.stream)
                    if named.setdefault(key, layer) is not layer or self._agrees(layer, peeled):
                        self._known.add(key)
            if streams and max(streams.values()) >= 3 and sum(streams.values()) * 5 >= n_rows:
                self._trusted.add(layer.name)

    @property
    def wrappers(self) -> tuple[str, ...]:
        """The names of the wrappers met so far, outermost first."""
        return tuple(sorted(self._met, key=lambda name: self._met[name][:2]))

    @property
    def notes(self) -> tuple[Note, ...]:
        """One note for each kind of wrapper met so far, in the order of `wrappers`, and one for colours."""
        notes = [Note(self._met[name][2], self._met[name][1]) for name in self.wrappers]
        if self._coloured is not None:
            notes.append(Note("colour codes removed", self._coloured))
        return tuple(notes)

    def lines(self, number: int, text: str) -> list[Line]:
        """Return the logical lines of one physical line, usually one; none for a wrapper's own noise.

        `number` is the physical line in the user's file. An entry that a container runtime split over several physical
        lines is not joined here.
        """
        text = text.rstrip()
        if not text:
            return [Line(number, 0, "")]
        if NATIVE.match(text) or text.startswith(_NEVER):
            if "\x1b" in text or "[0m" in text:
                text = self._plain(number, text)
            return [Line(number, 0, text)]
        text = self._plain(number, text)
        found: list[tuple[str, _Context]] = []
        self._peel(number, text, _Context(), 0, found)
        return [
            Line(
                number,
                part,
                inner,
                context.stream,
                None if NATIVE.match(inner) else context.level,
                context.elapsed_us,
                context.time,
            )
            for part, (inner, context) in enumerate(found[:_MOST_PARTS])
        ]

    def _plain(self, number: int, text: str) -> str:
        plain = strip_colours(text)
        if plain is text or plain == text:
            return text
        if self._coloured is None:
            self._coloured = number
        return plain.rstrip()

    def _peel(self, number: int, text: str, context: _Context, depth: int, found: list[tuple[str, _Context]]) -> None:
        layer, peeled = self._outermost(text) if depth < _DEEPEST else (None, None)
        if layer is None or peeled is None:
            indent = _INDENTED.match(text)
            found.append((text[indent.end() :] if indent else text, context))
            return
        known = self._met.get(layer.name)
        if known is None or depth < known[0]:
            self._met[layer.name] = (depth, known[1] if known else number, layer.undone)
        context = context.inside(peeled)
        for inner in peeled.texts:
            inner = inner.rstrip()
            if is_plain(inner):
                found.append((inner, context))
                continue
            inner = self._plain(number, inner)
            if peeled.final:
                found.append((inner, context))
            else:
                self._peel(number, inner, context, depth + 1, found)

    def _outermost(self, text: str) -> tuple[Layer | None, Peeled | None]:
        if not text or NATIVE.match(text) or text.startswith(_NEVER):
            return None, None
        first = text[0]
        if first in " \t":
            stripped = text.lstrip()
            # An indented copy of a wrapped log; a native line keeps its own indentation.
            if len(text) - len(stripped) <= 32 and stripped[:1] not in "-[" and stripped:
                layer, peeled = self._outermost(stripped)
                if layer is not None and (layer.name not in ("compose", "program", "powershell", "json")):
                    return layer, peeled
        for layer in _BY_FIRST.get(first, _ANY):
            peeled = layer.peel(text)
            if peeled is not None and (not layer.risky or self._agrees(layer, peeled)):
                return layer, peeled
        if self._unknown is not None:
            peeled = self._unknown.peel(text)
            if peeled is not None:
                return self._unknown, peeled
        return None, None

    def _agrees(self, layer: Layer, peeled: Peeled) -> bool:
        if layer.name in self._trusted or (layer.name, peeled.stream) in self._known:
            return True
        inner = peeled.texts[0] if peeled.texts else ""
        if is_strong(inner):
            return True
        layers = _BY_FIRST.get(inner[:1], _ANY) if inner else ()
        return any(other.peel(inner) is not None for other in layers if not other.risky)


@alike
def is_plain(text: str) -> bool:
    """Return whether the row is one line of the program's own as it stands, its trailing blanks apart."""
    if not NATIVE.match(text) or split_fused(text) != [text] or may_hold_command(text):
        return False
    return "\r" not in text and "\x1b" not in text and "[0m" not in text


def _learn_prefix(bare: Sequence[str], n_own: int) -> Layer | None:
    """Return a layer for an unknown wrapper: the same text before the clock or tag of most lines that hold one.

    `bare`: rows that no known wrapper begins; n_own: those that begin with the program's own clock.
    """
    shapes: dict[str, int] = {}
    for text in bare:
        if is_strong(text):
            n_own += 1
            continue
        found = _LATER.search(text, 0, 200)
        if found is None or not text[: found.start()].strip():
            continue
        prefix = text[: found.start()]
        # An empty line has the prefix without the blank at its end.
        shape = re.sub(r"\d+", r"\\d{1,20}", re.escape(prefix.rstrip(" "))) + (
            "(?: |$)" if prefix.endswith(" ") else ""
        )
        shapes[shape] = shapes.get(shape, 0) + 1
    if not shapes:
        return None
    shape, count = max(shapes.items(), key=lambda item: item[1])
    if count < 3 or count * 2 < sum(shapes.values()) + n_own:
        return None
    pattern = re.compile(shape)

    def peel(text: str) -> Peeled | None:
        found = pattern.match(text)
        return Peeled((text[found.end() :],)) if found else None

    return Layer("prefix", "prefix of an unknown program removed", "*", peel)
