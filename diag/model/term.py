"""A word that reports use and a reader may have to guess."""

from diag.model.noun import noun


@noun
class Term:
    """A word with what it means; `source` says where a fact in it was read, "" where the text only defines the word."""

    name: str
    text: str
    aliases: tuple[str, ...] = ()
    source: str = ""
