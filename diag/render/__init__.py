"""Report to text: one module a format, imported when it is asked for."""

from collections.abc import Callable
from importlib import import_module

from diag.model.report import Report

FORMATS: dict[str, str] = {
    "text": "diag.render.text",
    "json": "diag.render.json_v1",
    "markdown": "diag.render.markdown",
}
"""Format -> module whose `render(report, ...)` writes it."""


def renderer(name: str) -> Callable[..., str]:
    """Return the render function of a format; its keyword arguments are those of RenderOptions' fields it takes."""
    function: Callable[..., str] = import_module(FORMATS[name]).render
    return function


__all__ = ["FORMATS", "Report", "renderer"]
