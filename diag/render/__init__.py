"""Report to text: one module a format, imported when it is asked for."""

from collections.abc import Callable
from importlib import import_module

from diag.model.noun import noun


@noun
class Format:
    module: str  # has render(report, ...) -> str
    redacts: bool = False  # the text is meant to leave the machine: masked unless the user says otherwise


FORMATS: dict[str, Format] = {
    "text": Format("diag.render.text"),
    "json": Format("diag.render.json_v1"),
    "markdown": Format("diag.render.markdown", redacts=True),
    "issue": Format("diag.render.issue", redacts=True),
}


def renderer(name: str) -> Callable[..., str]:
    """Return the render function of a format."""
    function: Callable[..., str] = import_module(FORMATS[name].module).render
    return function
