"""The tables of wordings, one module a topic; a reworded line is one new row, old rows stay."""

from diag.parse.wording import Wording
from diag.parse.wordings import crash, device, draft, flavour, localised, position, quiet, request, server

WORDINGS: tuple[Wording, ...] = (
    *server.WORDINGS,
    *flavour.WORDINGS,
    *device.WORDINGS,
    *request.WORDINGS,
    *draft.WORDINGS,
    *position.WORDINGS,
    *crash.WORDINGS,
    *localised.WORDINGS,
    *quiet.WORDINGS,
)
"""Every wording, in table order."""
