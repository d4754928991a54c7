"""Text in, the same text without what identifies its owner out."""

from diag.redact.addresses import URL, mask_addresses, mask_logins, mask_url
from diag.redact.flags import mask_flag, mask_flags
from diag.redact.numbers import Numbers
from diag.redact.paths import mask_paths
from diag.redact.private import mask_keyed, mask_tokens
from diag.redact.prompts import mask_prompts


class Masks:
    """Masks for texts that belong together: what is equal in two of them gets the same mask in both.

    Masked: folders, user names and host names, addresses of machines, mail addresses, keys and tokens, prompts and
    answers, unique identifiers. Kept: file names, folders of the system and of llama.cpp's own sources, ports,
    addresses of this machine itself, links to public model and code hosts, and every word, number, flag, version and
    error text besides. A mask is not masked again.
    """

    def __init__(self) -> None:
        self._numbers = Numbers()

    def __call__(self, text: str) -> str:
        """Return the text masked. Time grows with its length alone, whatever it holds."""
        text = mask_tokens(mask_keyed(mask_flags(mask_prompts(text), self._numbers)))
        parts: list[str] = []
        start = 0
        for found in URL.finditer(text):
            parts += [self._bare(text[start : found.start()]), mask_url(found, self._numbers)]
            start = found.end()
        return "".join([*parts, self._bare(text[start:])])

    def flag(self, name: str, value: str) -> str:
        """Return the masked value of a command line flag, which may be private for the flag's sake."""
        return mask_flag(name, value, self._numbers) or self(value)

    def _bare(self, text: str) -> str:
        """Return a stretch of text that holds no URL, masked."""
        return mask_addresses(mask_paths(mask_logins(text, self._numbers), self._numbers), self._numbers)


def mask(text: str) -> str:
    """Return one text masked by itself; see Masks. The same text gives the same result."""
    return Masks()(text)
