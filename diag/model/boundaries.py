"""Builds at which llama-server began or ceased to do something that a stage rests on.

Sources of some builds were read and servers of some were recorded; a change lies between two of them, so a boundary is
the last build that was seen to do it, or the first that was not. Figures of the wordings stand in their tables, those
of flags in signatures/flags.toml, those of the position check in diag/positions/rule.py.
"""

OLD = 6341
"""Built on 2025-09-01. Advice for builds up to it is for few users now, and stands last where the build is open."""

LAST_DRAFT_BY_FILE = 9093
"""Last build read in which `-md` alone drafts; from b9246 on a type has to be named (common/speculative.cpp)."""

FIRST_TYPED = 9246
"""First build read that takes the `draft-*` names of `--spec-type` (signatures/flags.toml)."""

LAST_WITHOUT_IMAGE_DRAFTS = 9112
"""Up to here no drafter runs beside a projector: b8722 (recorded) refuses the pair, b9113 is the first one read that
is known to take it (server-context.cpp, load_model)."""

LAST_STATUS_SHOWN = 9113
"""Last build read that logs each request's HTTP status at default verbosity."""

FIRST_QUIET = 9246
"""First build read whose default verbosity hides the build, the model and each request (common/log.cpp, and recorded
logs)."""

LAST_IMAGE_SHOWN = 9811
"""Last build read that logs the chunks of an image at default verbosity."""

LAST_DRAFTERS_SHOWN = 9811
"""Last build read that names every speculative implementation at default verbosity (common/speculative.cpp)."""
