"""Does the fault exist in this session's build, and which build repairs it."""

from diag.model.run import Session
from diag.model.signature import BuildRange, Signature


def verdict(signature: Signature, session: Session) -> tuple[str, int | None]:
    """Return (affects | fixed-later | already-fixed | unknown-build, first build without the fault or None).

    A signature without build ranges is a fault of use, not of a build: it affects whoever shows it. Forks count their
    own builds, so ranges are not applied to them.
    """
    ranges = [found for found in signature.applies.builds if _fits(found, session)]
    if not signature.applies.builds:
        return "affects", None
    if not session.build.is_upstream:
        return "unknown-build", None
    if not ranges:
        return "unknown-build", None
    fixed_values = [found.fixed for found in ranges]
    # several ranges fit when the facts that tell them apart are unknown: only what they agree on is said
    fixed = fixed_values[0] if len(set(fixed_values)) == 1 else None
    low, high = session.build.low, session.build.high
    if low is None and high is None:
        return "unknown-build", fixed
    if fixed is None:
        return ("affects", None) if all(value is None for value in fixed_values) else ("unknown-build", None)
    if low is not None and low >= fixed:
        return "already-fixed", fixed
    if high is not None and high < fixed:
        return "fixed-later", fixed
    return "unknown-build", fixed


def _fits(found: BuildRange, session: Session) -> bool:
    """False only where a known fact of the session contradicts the range."""
    drafter = session.drafter
    if found.families and drafter.family not in ("unknown", *found.families):
        return False
    if found.target_rope and session.target.rope and session.target.rope != found.target_rope:
        return False
    if found.drafter_rope and rope_of_class(drafter.position_class) not in (None, found.drafter_rope):
        return False
    return not (found.backends and session.backends and not set(found.backends) & set(session.backends))


def rope_of_class(position_class: str) -> str | None:
    """Return one-axis | mrope for a drafter's position class, None where the class does not say."""
    return {"one-axis-separate": "one-axis", "mrope-separate": "mrope"}.get(position_class)
