"""A report cut down to one start."""

import dataclasses

from diag.model.report import Report


def select_session(report: Report, number: int) -> Report:
    """Return the report of one session: its diagnoses, its benign lines, its facts."""
    session = next(session for session in report.sessions if session.number == number)

    def inside(line: int) -> bool:
        return session.first_line <= line <= session.last_line

    return dataclasses.replace(
        report,
        sessions=(session,),
        diagnoses=tuple(item for item in report.diagnoses if item.session == number),
        benign=tuple(item for item in report.benign if inside(item.evidence[0].line)),
        unknown=tuple(item for item in report.unknown if inside(item.line)),
    )
