"""Keys, tokens and passwords, by the name in front of them or by their own look."""

import re

_NAMED = re.compile(
    r"(?<![\w-])((?:x-)?api[_-]?keys?|proxy-authorization|authorization|set-cookie|cookie|password|passwd|passphrase|secret"
    r"|client[_-]secret|aws_secret_access_key|aws_session_token|private[_-]key|(?:access|auth|refresh|hf)[_-]token)"
    r"(\\{0,7}[\"']?\s{0,4}[:=]\s{0,4}\\{0,7}[\"']?)((?:Bearer|Basic|Token)\s{1,2})?((?!(?:Bearer|Basic|Token)\s)[^\s\"'\\,;&})\]<]{1,4096})",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"(?<![\w-])(?=[A-Z0-9_]{0,60}(?:KEY|TOKEN|PASS|SECRET|CREDENTIALS|USER|LOGNAME|HOSTNAME|COMPUTERNAME))"
    r"([A-Z][A-Z0-9_]{0,60})(=|\\{0,7}[\"']?\s{0,2}:\s{0,2})(\\{0,7}[\"']?)([^\s\"'\\,;&<]{1,4096})"
)
_SECRET_WORDS = frozenset(
    {"KEY", "KEYS", "APIKEY", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIALS"}
)
_PERSON = {"USER": "user", "LOGNAME": "user", "USERNAME": "user", "HOSTNAME": "host", "COMPUTERNAME": "host"}
_PLAIN = re.compile(
    r"(?:true|false|null|none|nil|on|off|yes|no|auto|unset|bool|u32|str|KEY|TOKEN)[`'\"]*\Z", re.IGNORECASE
)
_BEARER = re.compile(r"\b(Bearer\s{1,2})(?!KEY\b|TOKEN\b)[\w.~+/=-]{6,4096}", re.IGNORECASE)
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9_])(?:hf_[A-Za-z0-9]{20,200}|sk-[A-Za-z0-9_-]{16,300}|gh[pousr]_[A-Za-z0-9]{20,300}"
    r"|github_pat_[A-Za-z0-9_]{20,300}|glpat-[\w-]{16,100}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,60}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,200}|nvapi-[\w-]{20,200}|npm_[A-Za-z0-9]{30,60}|pypi-[\w-]{30,300}"
    r"|eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000})(?![A-Za-z0-9])"
)


def mask_keyed(text: str) -> str:
    """Return the text with the values of secret names masked: `api_key: X`, `Authorization: Bearer X`, `HF_TOKEN=X`."""
    if "=" not in text and ":" not in text:
        return text
    text = _NAMED.sub(_named, text)
    return _VARIABLE.sub(_variable, text)


def mask_tokens(text: str) -> str:
    """Return the text with bearer tokens and strings of a well-known token's shape masked."""
    return _SHAPES.sub("<secret>", _BEARER.sub(r"\1<secret>", text))


def _named(found: re.Match[str]) -> str:
    return found[0] if _PLAIN.match(found[4]) else f"{found[1]}{found[2]}{found[3] or ''}<secret>"


def _variable(found: re.Match[str]) -> str:
    name, value = found[1], found[4]
    words = name.split("_")
    if name in _PERSON:
        return f"{name}{found[2]}{found[3]}<{_PERSON[name]}>"
    if _SECRET_WORDS.isdisjoint(words) or words[-1] in ("FILE", "PATH", "DIR") or _PLAIN.match(value):
        return found[0]
    return f"{name}{found[2]}{found[3]}<secret>"
