"""diag signatures: the catalogue listed, shown, checked, extended and exported; one file a command."""

from importlib import import_module

import click

COMMANDS = {
    "list": "List the failure kinds.",
    "show": "Print one signature's file.",
    "check": "Run every gate over signatures.",
    "new": "Write the skeleton of a signature from a log.",
    "schema": "Print the JSON Schema of a signature.",
    "anchors": "Print what is searched for, for other tools.",
}
_MODULES = {"list": "listing"}  # a module named list would hide the type


class _Lazy(click.Group):
    """Imports a command's module when it runs: only some of them need pydantic."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"{__name__}.{_MODULES.get(cmd_name, cmd_name)}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(name="signatures", cls=_Lazy, short_help="Check, list and show the failure signatures.")
def command() -> None:
    """Check, list and show the failure signatures."""
