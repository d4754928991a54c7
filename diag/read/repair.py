"""The text of a log as people paste it -> logical lines, with everything undone that copying and wrapping did to it."""

from collections.abc import Sequence

from diag.late import late
from diag.model.form import Form, Statement
from diag.model.line import Line, Note
from diag.read.commands import Found, command_of, find_commands
from diag.read.document import take_apart
from diag.read.doubles import fold_doubles
from diag.read.fused import split_fused
from diag.read.halves import join_halves
from diag.read.partials import join_partials
from diag.read.starts import is_strong
from diag.read.turned import newest_first, oldest_first
from diag.read.unwrap import Unwrapper, is_plain
from diag.read.wraps import Row, join_broken_messages, join_wraps, loose_rows, undo_doubling

_SAMPLE = 400
_ENTITY = late(r"&(?:lt|gt|quot|#39|#x27|apos|nbsp|#34);")
_TYPOGRAPHIC = {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"'}
_POWERSHELL_NOISE = late(
    r"[ \t]{0,8}\+ (?:CategoryInfo|FullyQualifiedErrorId) {0,20}:|[ \t]{0,8}\+ ~{2,400}"
    r"|.{1,40}:\d{1,4} .{1,30}:\d{1,4}$|[ \t]{0,8}\+ [.&]?[ .\\/\w:\"'-]{0,200}llama-"
)
_INDENTS = frozenset({" ", "\t", ""})
_MOST_INDENT = 64
_BOM = "\ufeff"


def read_lines(text: str) -> tuple[list[Line], list[Note], tuple[str, ...], Form]:
    """Return the logical lines, notes on what was undone, the names of the wrappers met, and the form around the log.

    For texts that fit in memory (up to 8 MiB). Lines are in the order of the text (of time, where a log is newest
    first), with the numbers of its physical lines; the wrappers' names outermost first. A log that nothing happened to
    comes out unchanged, without notes.
    """
    text = text.removeprefix(_BOM)
    rows = list(enumerate(text.split("\n"), 1))
    if "\r" in text:
        rows = [(number, row.rstrip("\r")) for number, row in rows]
    if not rows[-1][1]:
        rows.pop()
    notes: list[Note] = []
    doubled = undo_doubling(rows)
    if doubled is not None:
        rows = doubled
        notes.append(Note("blank line after every line removed", rows[0][0]))
    document = take_apart(rows)
    notes += document.notes
    blocks = [_repaired(block, notes, doubling_done=doubled is not None or block is rows) for block in document.blocks]
    unwrapper = Unwrapper([row for block in blocks for _, row in block[:_SAMPLE]][: 2 * _SAMPLE])
    lines: list[Line] = []
    odd: list[int] = []  # places of lines that are not plain
    noise: list[Row] = []  # a terminal recording's header holds the command
    fused: int | None = None
    for block in blocks:
        for number, row in block:
            if is_plain(row):
                lines.append(Line(number, 0, row.rstrip()))
                continue
            found = unwrapper.lines(number, row)
            if not found:
                noise.append((number, row))
            parts = _split(found)
            if len(parts) != len(found) and fused is None:
                fused = number
            odd += [place for place, part in enumerate(parts, len(lines)) if not is_plain(part.text)]
            lines += parts
    notes += unwrapper.notes
    if fused is not None:
        notes.append(Note("several messages on one line split", fused))
    single = fold_doubles(lines)
    if single is not None:
        lines, odd = single, list(range(len(single)))
        notes.append(Note("every line stood twice: read once", lines[0].number))
    if newest_first(lines):
        lines, odd = oldest_first(lines), list(range(len(lines)))
        notes.append(Note("the log is newest first: read from its end"))
    commands, typed, lines = _commands(lines, odd, [*document.around, *noise], notes)
    form = _form(document.answers, commands, typed)
    return lines, notes, unwrapper.wrappers, form


def reads_line_by_line(text: str) -> bool:
    """Return whether the head of a log needs no repair over several lines: read one by one, its lines are the same."""
    lines, _, _, _ = read_lines(text)
    rows = text.removesuffix("\n").split("\n")
    unwrapper = Unwrapper(rows[: 2 * _SAMPLE])
    single = [line for number, row in enumerate(rows, 1) for line in logical_lines(unwrapper, number, row)]
    return bool(text.strip()) and lines == single


def logical_lines(unwrapper: Unwrapper, number: int, row: str) -> list[Line]:
    """Return the logical lines of one physical line, for logs that are read line by line: nothing is joined."""
    row = row.removeprefix(_BOM).rstrip("\r")
    return [Line(number, 0, row.rstrip())] if is_plain(row) else _split(unwrapper.lines(number, row))


def _split(found: list[Line]) -> list[Line]:
    """Return the lines with fused messages split and the parts of their physical line counted anew."""
    if len(found) == 1:
        line = found[0]
        if is_plain(line.text):
            return found
        messages = split_fused(line.text) if "\r" not in line.text else _at_returns(line.text)
        if len(messages) == 1:
            return found if messages[0] == line.text else [_part(line, 0, messages[0])]
        return [_part(line, part, message) for part, message in enumerate(messages)]
    pieces = [(line, message) for line in found for message in split_fused(line.text)]
    if len(pieces) == len(found):
        return found
    return [_part(line, part, message) for part, (line, message) in enumerate(pieces)]


def _at_returns(text: str) -> list[str]:
    """Return what a terminal would show of a line with carriage returns: every piece that is not blank."""
    return [message for piece in text.split("\r") if piece.strip() for message in split_fused(piece.rstrip())] or [""]


def _part(line: Line, part: int, text: str) -> Line:
    return Line(line.number, part, text, line.stream, line.level, line.elapsed_us, line.time)


def _repaired(block: list[Row], notes: list[Note], *, doubling_done: bool) -> list[Row]:
    """Return a block of log with the damage of copying undone; each kind of damage adds a note."""
    if not block:
        return block
    first = block[0][0]
    if not doubling_done:
        single = undo_doubling(block)
        if single is not None:
            block = single
            notes.append(Note("blank line after every line removed", first))
    text = "\n".join([row for _, row in block])
    block = _readable(block, text, notes)
    dedented = _dedented(block)
    if dedented is not None:
        block = dedented
        notes.append(Note("indentation of the whole log removed", first))
    if "CategoryInfo" in text:
        block = [row for row in block if not _POWERSHELL_NOISE.match(row[1])]
        notes.append(Note("PowerShell error records undone", first))
    loose = loose_rows(block)
    whole = join_partials(block, loose)
    if whole is not None:
        block, loose = whole, loose_rows(whole)
        notes.append(Note("entries split by the container runtime joined", first))
    wrapped = join_wraps(block, loose)
    if wrapped is not None:
        block, width = wrapped
        loose = loose_rows(block)
        notes.append(Note(f"hard wraps at {width} columns joined", first))
    joined = join_broken_messages(block, loose)
    if joined is not None:
        block, loose = joined, loose_rows(joined)
        notes.append(Note("messages broken over several lines joined", first))
    halves = join_halves(block, loose)
    if halves is not None:
        block, torn = halves
        notes.append(Note("words cut at the end of a line joined", torn))
    return block


def _readable(block: list[Row], text: str, notes: list[Note]) -> list[Row]:
    """Return the block of that text with HTML entities and typographic quotes undone, where all of it was converted."""
    if "&" in text and "<" not in text and ">" not in text and _ENTITY.search(text):
        first = next(number for number, row in block if _ENTITY.search(row))
        from html import unescape  # here: its table of entities takes as long as reading a small log

        block = [(number, unescape(row)) for number, row in block]
        notes.append(Note("HTML entities undone", first))
    if text.isascii():
        return block
    if any(mark in text for mark in _TYPOGRAPHIC) and '"' not in text and "'" not in text:
        first = next(number for number, row in block if any(mark in row for mark in _TYPOGRAPHIC))
        table = str.maketrans(_TYPOGRAPHIC)
        block = [(number, row.translate(table)) for number, row in block]
        notes.append(Note("typographic quotes undone", first))
    n_hard = sum("\u00a0" in row for _, row in block)
    if n_hard >= 3 and n_hard * 3 >= len(block):
        first = next(number for number, row in block if "\u00a0" in row)
        block = [(number, row.replace("\u00a0", " ")) for number, row in block]
        notes.append(Note("non-breaking spaces undone", first))
    return block


def _dedented(block: Sequence[Row]) -> list[Row] | None:
    """Return the block without the indentation all its rows have; None where there is none or only one row."""
    if any(row[:1] not in _INDENTS and row.strip() for _, row in block):
        return None
    filled = [row for _, row in block if row.strip()]
    if len(filled) < 3:
        return None
    indent = min(len(row) - len(row.lstrip()) for row in filled)
    if not 0 < indent <= _MOST_INDENT or not any(is_strong(row[indent:]) for row in filled):
        return None
    return [(number, row[indent:]) for number, row in block]


def _commands(
    lines: list[Line], places: Sequence[int], around: Sequence[Row], notes: list[Note]
) -> tuple[list[Found], tuple[int, ...], list[Line]]:
    """Return the commands found, where a person typed some within the log, and the lines without those.

    `places`: of the lines in which one may begin.
    """
    found = find_commands(around)
    inside = find_commands([(line.number, line.text) for line in lines], places)
    typed = {index for hit in inside if hit.typed for index in hit.rows}
    if typed:
        notes.append(Note("command line taken out of the log", lines[min(typed)].number))
        lines = [line for index, line in enumerate(lines) if index not in typed]
    numbers = tuple(hit.command.line for hit in inside if hit.typed)
    return sorted((*found, *inside), key=lambda hit: hit.command.line), numbers, lines


def _form(answers: dict[str, Statement], found: Sequence[Found], typed: tuple[int, ...]) -> Form:
    commands = [hit.command for hit in found]
    asked = answers.get("command")
    if asked is not None and not any(
        asked.line <= command.line <= asked.line + asked.text.count("\n") for command in commands
    ):
        command = command_of(asked.line, asked.text)
        if command is not None:
            commands.append(command)
            commands.sort(key=lambda item: item.line)
    return Form(
        version=answers.get("version"),
        os=answers.get("os"),
        backends=answers.get("backends"),
        hardware=answers.get("hardware"),
        models=answers.get("models"),
        modules=answers.get("modules"),
        problem=answers.get("problem"),
        first_bad_commit=answers.get("first_bad_commit"),
        commands=tuple(commands),
        typed_lines=typed,
    )
