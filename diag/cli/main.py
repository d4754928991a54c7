"""The group of commands; each lives in a file of its own and is imported when it is called."""

import errno
import os
from importlib import import_module

import click

from diag import __version__
from diag.errors import DiagError

COMMANDS = {
    "analyze": "Diagnose llama-server logs.",
    "explain": "Explain a failure kind in full.",
    "upstream": "Show pull requests, issues and builds, dated.",
    "acceptance": "Draft acceptance: text turns against image turns.",
    "diff": "What changed between a good and a bad run.",
    "positions": "Play KV positions of a described prompt.",
    "demo": "Diagnose a log that ships with the tool.",
    "signatures": "Check, list and show the failure signatures.",
    "completion": "Print a shell completion script.",
}


class Lazy(click.Group):
    """A group that imports a command's module only when the command runs or shows its help."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and os.path.isfile(name):
            raise click.UsageError(f"no command {name!r}; did you mean `diag analyze {name}`?", ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"diag.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except DiagError as error:
            click.echo(f"diag: {error}", err=True)
            raise SystemExit(2) from None
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader went away, which click answers
                raise
            click.echo(f"diag: {error.strerror or error}", err=True)
            raise SystemExit(2) from None


@click.command(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "DIAG"})
@click.version_option(__version__, message="diag %(version)s")
def cli() -> None:
    """Reads llama-server logs, says what broke, proves it with lines, and gives the fix for that build."""
