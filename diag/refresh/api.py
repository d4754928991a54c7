"""A path of the API -> a parsed answer; redirects, retries and rate limits are dealt with here."""

import datetime as dt
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from diag.model.noun import noun

PUBLIC = "https://api.github.com"
VERSION = "2022-11-28"
TIMEOUT_S = 20.0
_PAUSES_S = (1.0, 2.0)  # before the second and the third try
_MOST_BYTES = 8 * 1024 * 1024
_MOST_HOPS = 5
_LONGEST_WAIT_S = 2 * 3600
_MOST_WAITS = 3  # in a row, for one request
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Unanswered(Exception):  # noqa: N818  # a fact about one request, told in its outcome
    """No answer that can be used; the message says why. `reached`: a server answered."""

    def __init__(self, why: str, *, reached: bool) -> None:
        super().__init__(why)
        self.reached = reached


class Halted(Exception):  # noqa: N818  # the run ends in order, with what it has
    """No request may follow: the rate limit is used up, or the token is refused."""

    def __init__(self, reason: str, resume_at: dt.datetime | None = None, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.resume_at, self.hint = reason, resume_at, hint


@noun
class Answer:
    status: int
    document: Any  # parsed JSON; None unless status is 200
    etag: str = ""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to Api.get: urllib would carry the token to whatever host an answer names."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Api:
    """One API under a base address, asked one request at a time.

    `clock` gives seconds since 1970 and `sleep` waits; tests pass their own. Raises ValueError for an address that is
    not http or https and for a token that cannot be one.
    """

    def __init__(
        self,
        base: str = PUBLIC,
        token: str = "",
        *,
        wait: bool = False,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        on_wait: Callable[[str], None] = lambda _: None,
    ) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base!a} is no http or https address")
        _ = parts.port  # raises ValueError when it is none
        if not _sendable(token):
            raise ValueError("the token holds characters that no token has")
        self.base = base.rstrip("/")
        self.n_requests = 0
        self._origin = (parts.scheme, parts.netloc)
        self._has_token = bool(token)
        self._headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": "llama-diag",
            "X-GitHub-Api-Version": VERSION,
        }
        if token and (parts.scheme == "https" or parts.hostname in _LOOPBACK):  # never in the clear over a network
            self._headers["Authorization"] = f"Bearer {token}"
        self._wait, self._timeout_s = wait, timeout_s
        self._clock, self._sleep, self._on_wait = clock, sleep, on_wait
        self._free_at = 0.0  # no request before this moment
        self._why = ""
        self._opener = urllib.request.build_opener(_NoRedirect)

    def url(self, path: str) -> str:
        """Return the address that `get` asks for the path."""
        return f"{self.base}{path}"

    def get(self, path: str, etag: str = "") -> Answer:
        """Return the answer to GET, whose status is 200, 304, 404, 410 or another final client error.

        Server errors and lost connections are tried three times. Raises Unanswered when that did not help or the answer
        is no JSON, Halted when the rate limit forbids to go on (with wait: after it would have to wait too long).
        """
        url = self.url(path)
        for _ in range(_MOST_HOPS + 1):
            status, headers, body = self._limited(url, etag)
            if status in (301, 302, 307, 308):
                url = self._followed(url, headers.get("location", ""))
                continue
            if status == 401:
                raise Halted("the API refused the token (401)", hint="check GITHUB_TOKEN, or unset it")
            document = _parsed(body) if status == 200 else None
            return Answer(status, document, headers.get("etag", ""))
        raise Unanswered(f"more than {_MOST_HOPS} redirects", reached=True)

    def _followed(self, url: str, location: str) -> str:
        target = urljoin(url, location)
        parts = urlsplit(target)
        if not location or (parts.scheme, parts.netloc) != self._origin:
            raise Unanswered("redirected to another host, which is not followed", reached=True)
        return target

    def _limited(self, url: str, etag: str) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of a request that the rate limit let through."""
        for _ in range(_MOST_WAITS + 1):
            self._hold()
            status, headers, body = self._tried(url, etag)
            if not self._blocked(status, headers, body):
                return status, headers, body
        raise Halted(f"{self._why}, also after {_MOST_WAITS} waits", self._free_moment(), self._hint())

    def _hold(self) -> None:
        """Wait until requests are free again. Raises Halted when that was not asked for or takes too long."""
        rest = self._free_at - self._clock()
        if rest <= 0:
            return
        if not self._wait or rest > _LONGEST_WAIT_S:
            raise Halted(self._why, self._free_moment(), self._hint())
        self._on_wait(f"{self._why}; waiting until {self._free_moment():%H:%M} UTC")
        self._sleep(rest)

    def _blocked(self, status: int, headers: Mapping[str, str], body: bytes) -> bool:
        """Note what the answer says of the limits; True when it is a refusal, so that the request must be repeated."""
        used_up = headers.get("x-ratelimit-remaining") == "0"
        reset = _whole(headers.get("x-ratelimit-reset", ""))
        after = _whole(headers.get("retry-after", ""))
        limit = headers.get("x-ratelimit-limit", "")
        if used_up and reset is not None:
            self._free_at = reset + 1.0
            self._why = f"the rate limit{f' of {limit} requests an hour' if limit else ''} is used up"
        refused = status == 429 or (status == 403 and (used_up or after is not None or b"rate limit" in body.lower()))
        if refused and after is not None:
            self._free_at = self._clock() + after
            self._why = f"the API asks to wait {after} s"
        elif refused and self._free_at <= self._clock():  # no moment named, or one that has passed by this clock
            self._free_at = self._clock() + 60.0  # the least that the API's documentation asks for then
            self._why = "the API limits requests for now"
        return refused

    def _free_moment(self) -> dt.datetime:
        return dt.datetime.fromtimestamp(self._free_at, dt.UTC)

    def _hint(self) -> str:
        return "" if self._has_token else "a token in GITHUB_TOKEN raises the limit"

    def _tried(self, url: str, etag: str) -> tuple[int, Mapping[str, str], bytes]:
        for pause_s in (*_PAUSES_S, None):
            try:
                status, headers, body = self._once(url, etag)
                if status < 500:
                    return status, headers, body
                failure = Unanswered(f"the API answered {status} three times", reached=True)
            except (OSError, http.client.HTTPException) as error:  # URLError and time-outs are OSErrors
                failure = Unanswered(f"no answer: {_reason(error)}", reached=False)
            if pause_s is None:
                raise failure
            self._sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    def _once(self, url: str, etag: str) -> tuple[int, Mapping[str, str], bytes]:
        headers = {**self._headers, **({"If-None-Match": etag} if etag and _sendable(etag) else {})}
        self.n_requests += 1
        try:
            with self._opener.open(urllib.request.Request(url, headers=headers), timeout=self._timeout_s) as answer:
                return answer.status, _lowered(answer.headers), _read(answer)
        except urllib.error.HTTPError as error:  # every status but 2xx; it is an answer all the same
            with error:
                return error.code, _lowered(error.headers), _read(error)


def _read(answer: Any) -> bytes:
    body: bytes = answer.read(_MOST_BYTES + 1)
    return body


def _parsed(body: bytes) -> Any:
    if len(body) > _MOST_BYTES:
        raise Unanswered("the answer is larger than 8 MiB", reached=True)
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unanswered("the answer is not JSON", reached=True) from error


def _lowered(headers: Any) -> dict[str, str]:
    return {str(name).lower(): str(value).strip() for name, value in headers.items()}


def _sendable(text: str) -> bool:
    """Return whether the text can stand in a header line."""
    return text.isascii() and text.isprintable()


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 11 else None  # a moment stays a date


def _reason(error: Exception) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return "timed out"
    return str(getattr(inner, "strerror", None) or inner or type(inner).__name__)
