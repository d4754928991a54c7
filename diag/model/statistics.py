"""Figures of draft acceptance."""

from diag.model.run import Acceptance

FLOOR = 100  # drafted tokens below which a rate says too little to act on
_Z95 = 1.959963984540054  # two-sided 95 % quantile of the normal distribution


def rate(sums: Acceptance) -> float | None:
    """Return accepted / drafted, None without drafted tokens."""
    return sums.accepted / sums.drafted if sums.drafted else None


def wilson_interval(accepted: int, drafted: int) -> tuple[float, float] | None:
    """Return the 95 % Wilson score interval of a rate, None without drafted tokens."""
    if drafted <= 0 or not 0 <= accepted <= drafted:  # a digit lost in a paste
        return None
    share = accepted / drafted
    z2 = _Z95 * _Z95
    centre = share + z2 / (2 * drafted)
    spread = _Z95 * ((share * (1 - share) + z2 / (4 * drafted)) / drafted) ** 0.5
    scale = 1 + z2 / drafted
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def mean_accepted_length(sums: Acceptance) -> float | None:
    """Return tokens a draft round yields on average, 1 + accepted / rounds; None where no mean length was printed.

    llama.cpp prints it per request as `mean len`; the rounds behind it are accepted / (mean len - 1), and a request
    whose drafts were never accepted tells no rounds.
    """
    return 1 + sums.accepted / sums.cycles if sums.cycles else None
