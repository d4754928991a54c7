"""A stand-in for the API on this machine: answers by path, in the order they were put there, and a record of requests."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    status: int = 200
    document: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None  # instead of the document
    hang: bool = False  # never answer


@dataclass
class FakeApi:
    """`put` lays answers down; the last one of a path stays. An ETag is honoured like the real API does."""

    base: str = ""
    replies: dict[str, list[Reply]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def put(self, path: str, *replies: Reply) -> None:
        self.replies[path] = list(replies)

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def next(self, path: str) -> Reply:
        found = self.replies.get(path)
        if not found:
            return Reply(404, {"message": "Not Found"})
        return found.pop(0) if len(found) > 1 else found[0]


@contextmanager
def fake_api() -> Iterator[FakeApi]:
    """Serve on a free port of 127.0.0.1 until the block ends."""
    api = FakeApi()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            api.asked.append((self.path, headers))
            reply = api.next(self.path)
            if reply.hang:
                api.released.wait(10)
                return
            etag = reply.headers.get("ETag")
            fresh = reply.status == 200 and etag is not None and headers.get("if-none-match") == etag
            body = b"" if fresh else reply.raw if reply.raw is not None else json.dumps(reply.document).encode()
            self.send_response(304 if fresh else reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    api.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        api.released.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def issue(number: int, repository: str = "ggml-org/llama.cpp", **fields: Any) -> dict[str, Any]:
    """Return a document of /issues/N in the API's shape, of an open issue."""
    return {
        "html_url": f"https://github.com/{repository}/issues/{number}",
        "number": number,
        "title": "Vulkan: crash on start",
        "state": "open",
        "created_at": "2026-07-01T23:59:59Z",
        "closed_at": None,
        **fields,
    }


def pull(number: int, repository: str = "ggml-org/llama.cpp", **fields: Any) -> dict[str, Any]:
    """Return a document of /pulls/N in the API's shape, of an open pull request."""
    return {
        **issue(number, repository),
        "html_url": f"https://github.com/{repository}/pull/{number}",
        "title": "speculative: fix MTP draft crash on vision inputs",
        "draft": False,
        "merged_at": None,
        **fields,
    }


def issue_of_pull(number: int) -> dict[str, Any]:
    """Return what /issues/N says of a pull request."""
    return {**issue(number), "pull_request": {"merged_at": None}}


def release(tag: str, name: str | None, day: str, repository: str = "ggml-org/llama.cpp") -> dict[str, Any]:
    """Return a document of /releases/tags/TAG in the API's shape."""
    return {
        "html_url": f"https://github.com/{repository}/releases/tag/{tag}",
        "tag_name": tag,
        "name": name,
        "published_at": f"{day}T10:00:00Z",
    }
