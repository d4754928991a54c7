"""The figures behind a diagnosis, worked out and put into sentences."""

import math
from collections.abc import Mapping

from diag.model.report import Positions
from diag.model.run import Session
from diag.model.signature import Value

_RULES = {"consecutive": "Y = X + 1", "mrope-token": "X < Y", "mrope-embedding": "X <= Y"}
_MIB = 1_048_576
_STEP = 256  # llama.cpp pads a context to a multiple of this


def arithmetic(
    area: str, captures: Mapping[str, Value], positions: Positions | None, session: Session
) -> tuple[str, ...]:
    """Return the sentences, most telling first; () where the log does not hold the figures."""
    if positions is not None:
        return _positions(positions)
    if area == "memory":
        return _memory(captures, session)
    if area == "context":
        return _context(captures, session)
    return ()


def _positions(found: Positions) -> tuple[str, ...]:
    if found.x is None or found.y is None or found.gap is None:
        return ()
    words = f"Here X = {found.x} and Y = {found.y}"
    if found.gap > 0:
        plural = "s are" if found.gap != 1 else " is"
        words += f": {found.y} - {found.x} - 1 = {found.gap} position{plural} missing"
        if found.missed is not None and found.missed < found.gap:
            words += f", {found.missed} of them the image's"
        elif found.missed is not None and found.missed > found.gap:
            words += f" (an image of {found.missed})"
    rule = _RULES.get(found.rule or "")
    return (f"{words}; the rule is {rule}." if rule else f"{words}.",)


def asked_mib(captures: Mapping[str, Value]) -> float | None:
    """Return how much memory the refused request asked for, in MiB; None where no line says."""
    mib, n_bytes = captures.get("mib"), captures.get("n_bytes")
    if isinstance(mib, int | float):
        return float(mib)
    return n_bytes / _MIB if isinstance(n_bytes, int) else None


def placed_mib(session: Session, device: str) -> dict[str, float]:
    """Return what this start had already placed on a device, in MiB, by kind of buffer."""
    memory = session.memory
    found = {"model": memory.model_mib, "KV cache": memory.kv_mib, "compute buffer": memory.compute_mib}
    return {kind: sizes[device] for kind, sizes in found.items() if device in sizes}


def ctx_that_fits(n_ctx: int, kv_mib: float, room_mib: float) -> int:
    """Return the largest context, in steps of 256, whose KV cache fits into room_mib; 0 when none does.

    The cache grows in proportion to the context, or slower with a sliding window, so this is on the safe side.
    """
    if kv_mib <= 0 or room_mib <= 0:
        return 0
    return min(n_ctx, int(n_ctx * room_mib / kv_mib) // _STEP * _STEP)


def _memory(captures: Mapping[str, Value], session: Session) -> tuple[str, ...]:
    asked = asked_mib(captures)
    if asked is None:
        return ()
    device = _device_name(captures.get("device"), session)
    free: float | None = next((item.free_mib for item in session.devices if item.name == device), None)
    if free is None and device is not None and device.startswith(("MTL", "Metal")):
        free = session.memory.working_set_mib
    placed = placed_mib(session, device) if device is not None else {}
    where = f" on {device}" if device else ""
    sentences = [f"{asked:.0f} MiB were asked for{where}."]
    total = sum(placed.values())
    if placed:
        parts = ", ".join(f"{kind} {mib:.0f}" for kind, mib in placed.items())
        sentences.append(f"This start had placed {total:.0f} MiB there already ({parts}).")
    if free is None:
        if not placed and "n_bytes" in captures:
            return (f"{captures['n_bytes']} bytes are {asked:.0f} MiB.",)
        return tuple(sentences) if placed else ()  # the bare request stands in the evidence
    sentences.append(f"{free:.0f} MiB were free before it.")
    short = asked + total - free
    if short > 0:
        sentences.append(f"So at least {math.ceil(short)} MiB are missing.")
        sentences.extend(_smaller_context(session, device or "", asked, total, free, placed))
    return tuple(sentences)


def _smaller_context(
    session: Session, device: str, asked: float, total: float, free: float, placed: Mapping[str, float]
) -> list[str]:
    n_ctx = session.context.get("n_ctx", "")
    if not n_ctx.isdigit():
        return []
    kv = placed.get("KV cache")
    if kv is not None:  # a later buffer failed: what must go can come out of the cache
        fits = ctx_that_fits(int(n_ctx), kv, kv - (asked + total - free))
    elif "model" in placed and device not in session.memory.compute_mib:  # the cache itself was refused
        fits = ctx_that_fits(int(n_ctx), asked, free - total)
    else:
        return []
    if fits < _STEP:
        return ["A smaller context alone does not make that room."]
    return [f"With the rest unchanged a context of about {fits} instead of {n_ctx} tokens fits."]


def _device_name(captured: Value | None, session: Session) -> str | None:
    """Return the device's name as buffer lines spell it; a bare index gets the session's GPU backend's prefix."""
    if captured is None:
        return None
    text = str(captured)
    if not text.isdigit():
        return text
    prefixes = {"cuda": "CUDA", "rocm": "ROCm", "vulkan": "Vulkan", "sycl": "SYCL", "metal": "MTL"}
    backend = next((name for name in session.backends if name in prefixes), None)
    return f"{prefixes[backend]}{text}" if backend else f"device {text}"


def _context(captures: Mapping[str, Value], session: Session) -> tuple[str, ...]:
    n_prompt, n_ctx = captures.get("n_prompt"), captures.get("n_ctx")
    n_past = captures.get("n_past")
    if isinstance(n_past, int) and isinstance(n_ctx, int) and n_past * 4 < n_ctx:
        share = f"{n_past} of {n_ctx} cells ({100 * n_past / n_ctx:.0f} %)"
        said = f"Here the slot held only {share} when it failed"
        return (f"{said}: either other slots held the rest, or the build counts its cells wrongly.",)
    n_input, n_ubatch = captures.get("n_input"), captures.get("n_ubatch")
    if isinstance(n_prompt, int) and isinstance(n_ctx, int) and n_prompt >= n_ctx:
        sentences = [f"{n_prompt} tokens for a slot of {n_ctx}: {n_prompt - n_ctx} too many, before any answer."]
        if session.n_slots is not None and session.n_slots > 1:
            sentences.append(
                f"`-c` is shared by {session.n_slots} slots: at least `-c {n_prompt * session.n_slots}`, or `-np 1`."
            )
        return tuple(sentences)
    if isinstance(n_input, int) and isinstance(n_ubatch, int) and n_input > n_ubatch:
        return (f"{n_input} tokens for a physical batch of {n_ubatch}: `-ub` (and `-b`) must be at least {n_input}.",)
    return ()
