"""The rows of an issue body (or any paste) -> the rows that are log, the rows around them, and the form's answers."""

import re
from collections.abc import Sequence
from dataclasses import field

from diag.late import late
from diag.model.form import Statement
from diag.model.line import Note
from diag.model.noun import record
from diag.read.fields import heading, item
from diag.read.starts import is_start, is_strong, wrapper_kind
from diag.read.wraps import Row

_FENCE = late(
    r"[ \t]{0,16}(?P<mark>\\?`\\?`\\?`(?:\\?`){0,20}"
    r"|~{3,20})[ \t]{0,4}(?P<language>[\w+.#-]{0,30})[ \t]{0,4}(?P<rest>.{0,200})$"
)
_OTHER_FENCE = late(
    r"[ \t]{0,16}(?:\{(?:code|noformat)(?::[^}\n]{0,60})?\}|\[/?(?:code|quote)\]|</?(?:pre"
    r"|code)>(?:</?code>)?)[ \t]{0,8}$",
    re.IGNORECASE,
)
_TAG_ROW = late(
    r"[ \t]{0,16}(?:</?details[^>\n]{0,60}>|<summary>.{0,300}</summary>|</?summary>|<!--.{0,600}-->|<br ?/?>"
    r"|</?p>|<img\b.{0,1000}>|!\[.{0,200}\]\(.{0,400}\))"
    r"(?:[ \t]{0,8}(?:<summary>.{0,300}</summary>|</?details>))?[ \t]{0,8}$",
    re.IGNORECASE,
)
_QUOTED = late(r"(?:>[ ]?){1,4}")
_MARKUP = late(
    r"[ \t]{0,16}(?:\\?`\\?`\\?`|~~~|</?details|<summary|\{(?:code|noformat)|\[code\]|<pre>|`\S)|#{1,6} |>|\*\*[A-Z]",
    re.IGNORECASE,
)
_MARKS = frozenset(" \t\\`~<{[#>*")  # what it begins with
_EMPTY = frozenset({"", "_no response_", "none", "n/a", "-"})
_CODE = frozenset({
    "yaml", "yml", "json", "python", "py", "diff", "cpp", "c", "c++", "toml", "ini", "dockerfile", "js", "ts", "go",
    "rust", "xml", "html", "jinja",
})  # fmt: skip
_FAILURE = late(
    r"\b(?:error|failed|failure|exception|fatal|abort(?:ed)?|segmentation|killed|exit (?:code|status)|crash(?:ed)?"
    r"|terminated|out of memory|traceback)\b",
    re.IGNORECASE,
)
_CLOCK_WITHIN = late(r"(?<![\d.])\d{1,7}\.\d\d\.\d{3}\.\d{3} [IWED] ")
_TAG_WITHIN = late(
    r"(?<=[ \t\]>)|:])(?:(?:slot|srv|que|res|cmn|spec) {1,12}[\w~()]{2,14}: "
    r"|(?:llama|ggml|common|clip|print_info|load_tensors)\w{0,60}: )"
)
_TICKED = late(r"`[^`]")


@record
class _Segment:
    rows: list[Row] = field(default_factory=list)
    fenced: bool = False
    language: str = ""
    asked: str | None = None  # the form field it answers


@record
class Document:
    """A text taken apart."""

    blocks: list[list[Row]]  # rows of log, one list for each block of the text
    around: list[Row]  # prose, configuration, commands
    answers: dict[str, Statement]  # field -> what was answered
    notes: list[Note]


def take_apart(rows: list[Row]) -> Document:
    """Return the text's parts; without a fence, a form heading or quote marks everything is one block of log.

    Nor is anything left out where no part looks like log: an unknown program's output is better than nothing.
    """
    if not any(text[:1] in _MARKS and _MARKUP.match(text) for _, text in rows):
        return Document([rows], [], {}, [])
    rows, notes = _unquoted(rows)
    segments, unclosed = _segments(rows)
    if not any(segment.fenced or segment.asked for segment in segments):
        tags = any("<" in text for _, text in rows)
        kept = [row for row in rows if not (tags and _TAG_ROW.match(row[1]))]
        return Document([_unticked(kept)], [], {}, notes)
    strong_outside = sum(_is_log(row[1]) for segment in segments if not segment.fenced for row in segment.rows)
    strong_inside = sum(_is_log(row[1]) for segment in segments if segment.fenced for row in segment.rows)
    begins = next((text for _, text in rows if text.strip()), "")
    if (_is_log(begins) or not any(segment.asked for segment in segments)) and strong_outside > max(
        20, 4 * strong_inside
    ):
        # A log in which somebody's prompt or answer holds a fence or a heading.
        return Document([list(rows)], [], {}, notes)
    blocks, around = _sorted_out(segments)
    n_fenced = sum(1 for segment in segments if segment.fenced and segment.rows)
    first = next(
        (segment.rows[0][0] for segment in segments if segment.fenced and segment.rows), rows[0][0] if rows else None
    )
    n_prose = sum(1 for _, prose in around if prose.strip())
    if not any(text.strip() for block in blocks for _, text in block):
        whole, around = _unsorted(segments, rows)
        notes.append(Note("Markdown: no part of the text looks like a log, all of it read as one", first))
        return Document([whole], around, _answers(segments), notes)
    notes.append(
        Note(
            f"Markdown: {n_fenced} fenced block{'' if n_fenced == 1 else 's'} read, {n_prose} lines of prose skipped",
            first,
        )
    )
    if unclosed is not None:
        notes.append(Note("a code fence that is never closed", unclosed))
    return Document(blocks, around, _answers(segments), notes)


def _unquoted(rows: Sequence[Row]) -> tuple[list[Row], list[Note]]:
    """Return the rows without quote marks, where a run of quoted rows holds log or a fence."""
    result: list[Row] = []
    notes: list[Note] = []
    index = 0
    while index < len(rows):
        if not rows[index][1].startswith(">"):
            result.append(rows[index])
            index += 1
            continue
        end = index
        while end < len(rows) and rows[end][1].startswith(">"):
            end += 1
        bare = [(number, _QUOTED.sub("", text, count=1)) for number, text in rows[index:end]]
        whole = len(bare) > 1 and len(bare) == sum(bool(text.strip()) for _, text in rows)
        if whole or any(_is_log(text) or _FENCE.match(text) for _, text in bare):
            notes = notes or [Note("quote marks removed", rows[index][0])]
            result += bare
        else:
            result += rows[index:end]
        index = end
    return result, notes


def _segments(rows: Sequence[Row]) -> tuple[list[_Segment], int | None]:
    """Return the rows in segments, in order, and the row of a fence that is never closed."""
    segments = [_Segment()]
    asked: str | None = None
    fence: tuple[int, str] | None = None  # where it opened, and its character
    closers = [index for index, (_, text) in enumerate(rows) if _is_closer(text)]
    last_closer = closers[-1] if closers else -1
    comment = False
    for index, (number, text) in enumerate(rows):
        mark = _FENCE.match(text) if "```" in text.replace("\\", "") or "~~~" in text else None
        if mark and mark["rest"] and (fence or "`" in mark["rest"]):
            mark = None
        other = mark is None and bool(_OTHER_FENCE.match(text))
        if fence is not None:
            asks = heading(text) if text[:1] in "#*" and last_closer <= index else None
            if asks is None:
                if (mark and mark["mark"].replace("\\", "")[0] == fence[1]) or (other and fence[1] == "{"):
                    fence = None
                    segments.append(_Segment(asked=asked))
                    if mark and mark["language"]:  # the one before was never closed
                        fence = (index, "`")
                        segments[-1] = _Segment(fenced=True, language=mark["language"], asked=asked)
                    continue
                if not _TAG_ROW.match(text):
                    segments[-1].rows.append((number, text))
                continue
            fence = None
        if mark or (other and not re.match(r"[ \t]*(?:</|\[/)", text)):
            fence = (index, mark["mark"].replace("\\", "")[0] if mark else "{")
            rest = mark["rest"] if mark else ""
            segments.append(_Segment(fenced=True, language=mark["language"].lower() if mark else "", asked=asked))
            if rest:
                segments[-1].rows.append((number, rest))
            continue
        asks = heading(text) if text[:1] in "#*" else None
        if asks is not None:
            asked = asks[0]
            segments.append(_Segment(asked=asked, rows=[(number, asks[1])] if asks[1] else []))
            continue
        comment, hidden = _in_comment(text, comment)
        if not hidden and not other and not _TAG_ROW.match(text):
            segments[-1].rows.append((number, text))
    unclosed = rows[fence[0]][0] if fence is not None else None
    return [segment for segment in segments if any(text.strip() for _, text in segment.rows)], unclosed


def _is_closer(text: str) -> bool:
    return bool(_OTHER_FENCE.match(text)) or bool(
        re.match(r"[ \t]{0,16}(?:\\?`\\?`\\?`(?:\\?`){0,20}|~{3,20})[ \t]{0,8}$", text)
    )


def _in_comment(text: str, inside: bool) -> tuple[bool, bool]:
    """Return whether an HTML comment goes on after this row, and whether the row belongs to one."""
    if inside:
        return "-->" not in text, True
    opened = text.lstrip().startswith("<!--") and "-->" not in text
    return opened, opened


def _is_log(text: str) -> bool:
    """True for a row as only a log has it, bare or behind what a wrapper puts before it."""
    if is_strong(text) or _CLOCK_WITHIN.search(text, 0, 200):
        return True
    return wrapper_kind(text) is not None and _TAG_WITHIN.search(text, 0, 200) is not None


def _looks_like_log(segment: _Segment) -> bool:
    if any(_is_log(text) for _, text in segment.rows):
        return segment.asked not in ("version", "hardware", "os") or len(segment.rows) > 12
    if segment.asked == "logs":
        return True
    if segment.language in _CODE or segment.asked not in (None, "problem"):
        return False
    return any(_FAILURE.search(text, 0, 2000) for _, text in segment.rows)


def _sorted_out(segments: Sequence[_Segment]) -> tuple[list[list[Row]], list[Row]]:
    blocks: list[list[Row]] = []
    around: list[Row] = []
    for segment in segments:
        if segment.fenced and _looks_like_log(segment):
            blocks.append(segment.rows)
        elif segment.fenced or segment.asked not in (None, "logs", "problem"):
            around += segment.rows
        elif segment.asked == "logs" and any(_is_log(text.lstrip("`")) for _, text in segment.rows):
            blocks.append(_unticked(segment.rows))
        else:
            log, prose = _picked(segment.rows)
            if log:
                blocks.append(log)
            around += prose
    return blocks, around


def _unsorted(segments: Sequence[_Segment], rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows of a text without any log but for the form's answers, and those; all where no others are left."""
    whole: list[Row] = []
    around: list[Row] = []
    for segment in segments:
        (whole if segment.asked in (None, "logs", "problem") else around).extend(segment.rows)
    whole = [row for row in whole if row[1].strip().lower() not in _EMPTY - {""}]
    if any(text.strip() for _, text in whole):
        return whole, around
    return ([], around) if around else (list(rows), [])


def _picked(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows of free text that are log, with the bare rows that follow them, and the others."""
    log: list[Row] = []
    prose: list[Row] = []
    running = False
    for number, text in rows:
        bare = text.strip().strip("`") if _TICKED.match(text.strip()) else text
        strong = _is_log(bare)
        running = bool(text.strip()) and (strong or (running and (text[:1].isspace() or is_start(text))))
        (log if running else prose).append((number, bare if running else text))
    return log, prose


def _unticked(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without the single back ticks round the whole of them, or round single rows of log."""
    filled = [index for index, (_, text) in enumerate(rows) if text.strip()]
    result = list(rows)
    if not filled:
        return result
    first, last = filled[0], filled[-1]
    begins, ends = rows[first][1].strip(), rows[last][1].strip()
    ticks = sum(text.count("`") for _, text in rows)
    if _TICKED.match(begins) and ends.endswith("`") and ticks == 2 and not begins.startswith("```"):
        result[first] = (rows[first][0], rows[first][1].lstrip()[1:])
        result[last] = (rows[last][0], result[last][1].rstrip()[:-1])
        return result
    for index, (number, text) in enumerate(rows):
        bare = text.strip()
        if len(bare) > 2 and bare[0] == bare[-1] == "`" and bare.count("`") == 2 and is_strong(bare[1:-1]):
            result[index] = (number, bare[1:-1])
    return result


def _answers(segments: Sequence[_Segment]) -> dict[str, Statement]:
    answers: dict[str, list[Row]] = {}
    for segment in segments:
        if segment.asked in ("logs", "other"):
            continue
        if segment.asked is not None:
            answers.setdefault(segment.asked, []).extend(segment.rows)
        elif not segment.fenced:
            for number, text in segment.rows:
                told = item(text)
                if told is not None:
                    answers.setdefault(told[0], []).append((number, told[1]))
    statements = {}
    for name, rows in answers.items():
        filled = [
            (number, text.strip() if name != "command" else text.rstrip())
            for number, text in rows
            if text.strip().lower() not in _EMPTY
        ]
        if filled:
            statements[name] = Statement(filled[0][0], "\n".join(text for _, text in filled))
    return statements
