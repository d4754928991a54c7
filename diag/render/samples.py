"""The list of shipped samples."""

from collections.abc import Mapping

from diag.render.sheet import Sheet


def render_list(samples: Mapping[str, str], *, width: int = 80, color: bool = False) -> str:
    """Return each sample's name with what is true of it under it."""
    sheet = Sheet(width, color)
    for name, truth in samples.items():
        sheet.line(name, "bold")
        sheet.line(truth, indent=2)
    sheet.heading(f"{len(samples)} samples: diag demo NAME", "dim")
    return sheet.text()
