"""Some starts of a log instead of all."""

import dataclasses

from diag.errors import InputError
from diag.model.run import Run


def choose_sessions(run: Run, choice: str) -> Run:
    """Return the run with the chosen start alone: "all", "last", or a number from 1.

    Raises InputError when the log has no such start.
    """
    if choice == "all" or not run.sessions:
        return run
    wanted = run.sessions[-1:] if choice == "last" else [item for item in run.sessions if str(item.number) == choice]
    if not wanted:
        n_starts = len(run.sessions)
        raise InputError(f"--session {choice}: the log has {n_starts} start{'s' if n_starts != 1 else ''}")
    return dataclasses.replace(run, sessions=tuple(wanted))
