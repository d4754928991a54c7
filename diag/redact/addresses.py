"""Machines and people on a network: URLs, host names, addresses, log-ins, identifiers."""

import re

from diag.redact.numbers import Numbers
from diag.redact.paths import mask_paths

URL = re.compile(r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,14})://(?P<rest>[^\s\"'<>`\\|^{}\x00-\x1f]+)")
_AUTHORITY = re.compile(r"(?:[^/@?#]*@)?(?P<host>\[[0-9A-Fa-f:.%]{2,45}\]|[^/:?#\[\]()]*)(?P<port>:\d{1,5})?")
_LOCAL = re.compile(
    r"\[?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|255\.255\.255\.\d+|::1?|host\.docker\.internal)\]?", re.IGNORECASE
)
_PUBLIC = frozenset(
    {
        "github.com",
        "www.github.com",
        "redirect.github.com",
        "raw.githubusercontent.com",
        "huggingface.co",
        "hf.co",
        "modelscope.cn",
        "www.modelscope.cn",
        "ghcr.io",
        "docker.io",
        "quay.io",
        "nvcr.io",
        "ggml.ai",
        "host",  # `http://HOST:PORT` in instructions
    }
)
_SERVICE = re.compile(r"(?:/(?:v1|v1beta|api)/[a-z/_-]{1,60}|/[\w.-]{0,40})\Z")

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
# A version stands behind its name; the server's own clock (`12.34.150.200 I `) before a level letter.
_IPV4 = re.compile(rf"(?<![\w.]){_OCTET}(?:\.{_OCTET}){{3}}(?![\w]|\.\d)(?!\]? [IWEDT] )")
_VERSION_BEFORE = re.compile(r"(?:version|driver|ver\.?|build|release|cuda|rocm|\bv)[ :=\"'(]{0,3}\Z", re.IGNORECASE)
_IPV6 = re.compile(
    r"(?<![\w:.])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}"
    r"|(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}|(?:[0-9A-Fa-f]{1,4}:){2,6}:)(?:%\w{1,15})?(?![\w:])"
)
_MAC = re.compile(
    r"(?<![\w:-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![\w:-])|(?<![\w:-])[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}(?![\w:-])"
)
_UUID = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
_SERIAL = re.compile(r"(\bserial(?:[ _-]?(?:number|no\.?|#))?\"?\s{0,4}[:=]\s{0,4}\"?)([\w-]{3,64})", re.IGNORECASE)
_NAMED_HOST = re.compile(
    r"(\bhost[_ ]?name\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?"
    r"|[\"']host\\{0,3}[\"']\s{0,3}:\s{0,3}\\{0,3}[\"']|\bhost=)"
    r"([A-Za-z0-9][\w.-]{0,252})(?=[\s\"',;:\\)/\]`]|\Z)",
    re.IGNORECASE,
)
_PEER = re.compile(
    r"(\b(?:connect(?:ed|ing|ion)? (?:to|from)|endpoint:?|server at|remote:?|peer:?) )"
    r"([A-Za-z0-9](?:[\w-]{0,62}\.){0,6}[\w-]{0,62})(?=:\d{2,5}\b)",
    re.IGNORECASE,
)
_LOCAL_NAME = re.compile(
    r"(?<![\w./\\@-])[A-Za-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){0,3}\.(?:local|lan|localdomain|corp|intranet|internal|home\.arpa)"
    r"(?![\w/(-]|\.\w)"
)
# Three labels and more that end as a public domain does; two (`llama.app`) may be anything with a dot in it.
_DOMAIN = re.compile(
    r"(?<![\w./\\@-])[A-Za-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){1,4}"
    r"\.(?:com|net|org|edu|gov|info|cloud|dev|ai|eu|de|fr|uk|ch|at|nl|se|no|pl|it|es|ru|cn|jp|kr|br|au|ca|us)"
    r"(?![\w/(-]|\.\w)"
)
_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}(?![\w-])"
)
_LOGIN = re.compile(
    r"(?<![\w./@-])([A-Za-z_][\w.-]{0,31})@([A-Za-z0-9][\w.-]{0,62})"
    r"(?=:[~/<]|:[A-Za-z]:|[ :][^\s]{0,80}[ \]]{0,2}[$#%](?:\s|\Z))"
)


def mask_url(found: re.Match[str], numbers: Numbers) -> str:
    """Return a match of URL with its host, log-in, query and folders masked.

    Links to public code and model hosts keep their path, local addresses and ports stay, and so do paths of a
    service's own making (`/v1/chat/completions`).
    """
    scheme, rest = found["scheme"], found["rest"]
    if scheme.lower() in ("file", "unix"):
        return f"{scheme}://{mask_paths(rest, numbers)}"
    authority = _AUTHORITY.match(rest)
    assert authority is not None  # every part of it may be empty
    host, port = authority["host"], authority["port"] or ""
    path, mark, _ = rest[authority.end() :].partition("?")
    query = "?<query>" if mark else ""
    if host.lower() in _PUBLIC:
        return f"{scheme}://{host}{port}{path}{query}"
    tail = ""
    while path and path[-1] in ").,;:!]":  # punctuation of the sentence round it
        path, tail = path[:-1], path[-1] + tail
    if path and not _SERVICE.match(path):
        path = f"/<path>/{path.rsplit('/', 1)[-1]}"
    return f"{scheme}://{mask_host(host, numbers)}{port}{path}{query}{tail}"


def mask_host(host: str, numbers: Numbers) -> str:
    """Return a host name or address masked; this machine's own names, masks and public hosts stay."""
    if not host or host.startswith("<") or _LOCAL.fullmatch(host) or host.lower() in _PUBLIC:
        return host
    if _IPV4.fullmatch(host) or ":" in host:
        return numbers.name("ip", host.strip("[]"))
    return numbers.name("host", host.lower())


def mask_logins(text: str, numbers: Numbers) -> str:
    """Return the text with mail addresses and `user@host` of a shell's prompt masked."""
    if "@" not in text:
        return text
    text = _MAIL.sub(lambda found: numbers.name("email", found[0].lower()), text)

    def login(found: re.Match[str]) -> str:
        if found[2].lower() in ("sha256", "sha512"):  # an image's digest
            return found[0]
        return f"<user>@{mask_host(found[2], numbers)}"

    return _LOGIN.sub(login, text)


def mask_addresses(text: str, numbers: Numbers) -> str:
    """Return the text with addresses of machines, names of hosts, unique identifiers and serial numbers masked."""
    if "-" in text:
        text = _UUID.sub(lambda found: numbers.name("uuid", found[0].lower()), text)
    if ":" in text or "-" in text:
        text = _MAC.sub(lambda found: numbers.name("mac", found[0].lower()), text)
    if "." in text:
        text = _IPV4.sub(lambda found: _ipv4(found, numbers), text)
        text = _LOCAL_NAME.sub(lambda found: mask_host(found[0], numbers), text)
        text = _DOMAIN.sub(lambda found: mask_host(found[0], numbers), text)
    if "::" in text or text.count(":") >= 7:
        text = _IPV6.sub(lambda found: _ipv6(found, numbers), text)
    text = _NAMED_HOST.sub(lambda found: found[1] + _named(found[2], numbers), text)
    text = _PEER.sub(lambda found: found[1] + mask_host(found[2], numbers), text)
    return _SERIAL.sub(r"\1<serial>", text)


def _ipv4(found: re.Match[str], numbers: Numbers) -> str:
    before = found.string[max(0, found.start() - 12) : found.start()]
    return found[0] if _VERSION_BEFORE.search(before) else mask_host(found[0], numbers)


def _ipv6(found: re.Match[str], numbers: Numbers) -> str:
    """C++ names have `::` too: an address has a digit."""
    return mask_host(found[0], numbers) if any(char.isdigit() for char in found[0]) else found[0]


def _named(host: str, numbers: Numbers) -> str:
    return host if host.isdigit() else mask_host(host, numbers)
