"""Items of the registry -> what the API says of each, one after the other."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

from diag.model.catalog import UpstreamItem
from diag.model.refresh import Outcome, Sighting, Stop
from diag.refresh.api import Api, Halted, Unanswered
from diag.refresh.thread import is_pull, read_release, read_thread

_MOST_SILENT = 3  # items in a row without an answer, after which the network is taken for gone
_PULL = "a pull request, of which the issue tells only a part"
_NOT_FOUND = 404
_WORDS = {
    403: "access refused (403)",
    _NOT_FOUND: "not found (404): removed, private, or never there",
    410: "gone (410): removed by its owner",
    451: "withheld for legal reasons (451)",
}


class Refresh:
    """A run over items; `stop` says why it ended early."""

    def __init__(self, api: Api, known: Mapping[str, Sighting], today: dt.date) -> None:
        """`known` are earlier sightings by ref: their ETags are sent, and they stand again where nothing changed."""
        self.stop: Stop | None = None
        self._api, self._known, self._today = api, known, today

    def run(self, items: Sequence[UpstreamItem]) -> Iterator[Outcome]:
        """Yield an outcome an item, in order; ends early, with `stop` set, when the API forbids or does not answer."""
        silent, answered = 0, False
        for item in items:
            try:
                outcome = self._ask(item)
            except Halted as error:
                self.stop = Stop(error.reason, error.resume_at, error.hint)
                return
            except Unanswered as error:
                outcome = Outcome(item, None, str(error), reached=error.reached)
            yield outcome
            silent = 0 if outcome.reached else silent + 1
            answered = answered or outcome.reached
            if silent and (not answered or silent == _MOST_SILENT):
                self.stop = Stop(f"{self._api.base} does not answer", None, "check the network, a proxy, or --api")
                return

    def _ask(self, item: UpstreamItem) -> Outcome:
        repository, joint, number = item.ref.partition("#")
        if not joint:
            repository, _, tag = item.ref.partition("@")
            return self._outcome(item, f"/repos/{quote(repository)}/releases/tags/{quote(tag, safe='')}")
        issue, pull = (f"/repos/{quote(repository)}/{word}/{number}" for word in ("issues", "pulls"))
        known = self._known.get(item.ref)
        asked = known.url if known is not None else ""
        # the registry does not always know which of the two a number is; an earlier answer does
        if asked == self._api.url(pull) or (asked != self._api.url(issue) and item.kind == "pull-request"):
            outcome = self._outcome(item, pull)
            return self._outcome(item, issue) if outcome.status == _NOT_FOUND else outcome
        outcome = self._outcome(item, issue)
        return self._outcome(item, pull) if outcome.is_pull else outcome

    def _outcome(self, item: UpstreamItem, path: str) -> Outcome:
        url = self._api.url(path)
        known = self._known.get(item.ref)
        if known is not None and known.url != url:
            known = None
        answer = self._api.get(path, known.etag if known is not None else "")
        if answer.status == 304 and known is not None:
            return Outcome(item, replace(known, checked=self._today), unchanged=True)
        if answer.status != 200:
            said = _WORDS.get(answer.status, f"the API answered {answer.status}")
            return Outcome(item, None, said, status=answer.status)
        if is_pull(answer.document):
            return Outcome(item, None, _PULL, is_pull=True)
        read = read_thread if "#" in item.ref else read_release
        try:
            seen = read(answer.document, item.ref, self._today)
        except ValueError as error:
            return Outcome(item, None, f"the answer is not understood: {error}")
        return Outcome(item, replace(seen, url=url, etag=answer.etag))
