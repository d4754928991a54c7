"""`python -m diag` and the `diag` command."""

import sys


def main() -> None:
    """Run the command line and exit. `--version` alone answers before anything heavy is imported."""
    if sys.argv[1:] == ["--version"]:
        from diag import __version__

        sys.stdout.write(f"diag {__version__}\n")
        return
    from diag.cli.main import cli

    cli.main(prog_name="diag")


if __name__ == "__main__":
    main()
