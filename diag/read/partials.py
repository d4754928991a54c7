"""Rows of a container runtime's log -> rows in which entries it split are whole again."""

from collections.abc import Sequence

from diag.late import late
from diag.read.wraps import Row

_CRI = late(r"(?P<head>\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:?\d\d) (?P<stream>stdout|stderr) )(?P<flag>[FP]) ?")
_DOCKER = late(r'(?P<head>\{"log": ?")(?P<body>(?:[^"\\]|\\.)*)(?P<tail>", ?"(?:stream|attrs)".*)$')
_SPLIT_AT = 8192  # characters; docker splits at 16 KiB, so that a short entry without line end is merely the last one


def join_partials(rows: Sequence[Row], loose: Sequence[int]) -> list[Row] | None:
    """Return the rows with CRI `P` entries and docker's 16 KiB pieces joined; None where there are none.

    A joined row has the number of its first physical line and the stamp of its first entry. `loose`: the rows that
    `loose_rows` gives.
    """
    if not any(_is_partial(rows[place][1]) for place in loose):
        return None
    joined: list[Row] = []
    going_on = False
    for number, text in rows:
        body, end = text, False
        found = _CRI.match(text)
        if found is not None:
            body, end = text[found.end() :], found["flag"] == "F"
            whole = f"{found['head']}F {body}"
        else:
            docker = _DOCKER.match(text) if text.startswith('{"log"') else None
            end = docker is None or docker["body"].endswith("\\n") or len(text) <= _SPLIT_AT
            whole = text
            body = docker["body"] if docker else text
        if going_on:
            first, before = joined[-1]
            tail = _DOCKER.match(before) if before.startswith('{"log"') else None
            joined[-1] = (first, f"{tail['head']}{tail['body']}{body}{tail['tail']}" if tail else before + body)
        else:
            joined.append((number, whole))
        going_on = not end
    return joined


def _is_partial(text: str) -> bool:
    if text[:4].isdigit() and " P " in text[:64]:
        return True
    return (
        len(text) > _SPLIT_AT
        and text.startswith('{"log"')
        and '\\n","' not in text[-400:]
        and '\\n", "' not in text[-400:]
    )
