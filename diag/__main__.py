"""`python -m diag` and the `diag` command."""

import sys


def main() -> None:
    """Run the command line and exit. `--version` alone answers before anything heavy is imported."""
    if sys.argv[1:] == ["--version"]:
        from diag import __version__

        sys.stdout.write(f"diag {__version__}\n")
        return
    import gc

    gc.set_threshold(50_000, 20, 100)  # what is read stays to the end: looking for garbage every 700 objects is a tenth
    try:
        from diag.cli.main import cli

        cli.main(prog_name="diag")
    except KeyboardInterrupt:  # while the program itself is still being read
        raise SystemExit(130) from None
    finally:
        gc.freeze()  # or the interpreter looks twice through all that is left before it ends


if __name__ == "__main__":
    main()
