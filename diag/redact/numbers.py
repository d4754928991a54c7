"""Masks that keep two different things apart."""


class Numbers:
    """Names for what is masked: the first of its kind is `<kind>`, a second, different one `<kind2>`.

    The same value gets the same name as long as the object lives, so two folders with a file of the same name, or two
    RPC servers, can still be told apart in what is left.
    """

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, int]] = {}

    def name(self, kind: str, value: str) -> str:
        """Return the mask of a value."""
        known = self._seen.setdefault(kind, {})
        number = known.setdefault(value, len(known) + 1)
        return f"<{kind}>" if number == 1 else f"<{kind}{number}>"
