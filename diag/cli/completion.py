"""diag completion: the shell's completion script and how to install it."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")

# The lines that load the script: where each shell looks for it. Source: click's guide on shell completion.
_INSTALL = {
    "bash": ("mkdir -p ~/.local/share/llama-diag", "diag completion bash > ~/.local/share/llama-diag/diag.bash",
             "echo '. ~/.local/share/llama-diag/diag.bash' >> ~/.bashrc"),
    "zsh": ("mkdir -p ~/.local/share/llama-diag", "diag completion zsh > ~/.local/share/llama-diag/diag.zsh",
            "echo '. ~/.local/share/llama-diag/diag.zsh' >> ~/.zshrc    # below the line with compinit"),
    "fish": ("mkdir -p ~/.config/fish/completions", "diag completion fish > ~/.config/fish/completions/diag.fish"),
}  # fmt: skip


@click.command(name="completion", short_help="Print a shell completion script.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL; its first lines say how to install it.

    \b
    bash: diag completion bash > FILE, then add ". FILE" to ~/.bashrc
    zsh:  diag completion zsh > FILE, then add ". FILE" to ~/.zshrc below the line with compinit
    fish: diag completion fish > ~/.config/fish/completions/diag.fish
    """
    found = get_completion_class(shell)
    assert found is not None  # SHELLS are click's own
    script = found(ctx.find_root().command, {}, "diag", "_DIAG_COMPLETE").source_vars()
    text = found.source_template % script
    click.echo(f"# {shell} completion of diag. To install it:")
    for line in _INSTALL[shell]:
        click.echo(f"#   {line}")
    click.echo("# A new shell knows it; or load this text into the running one.")
    click.echo(text)
