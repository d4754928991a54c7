"""The conditions of a signature in words."""

import re
from collections.abc import Iterable, Sequence

from diag.model.events import EVENT_CLASSES
from diag.model.signature import Applies, BuildRange, Condition, FixWhen, Match, Signature, Test
from diag.render.plain import short_ref

_SCOPE = {"incident": "in one run of failing lines", "session": "in one start", "log": "in the whole log"}

_PLACE = re.compile(r"\{(\w+)\}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def without_log(text: str) -> str:
    """Return a signature's text without the sentences that ask for a value of the log, which only a report has.

    The first sentence stays, since the others lean on it: its {name} is written as <name>.
    """
    if not _PLACE.search(text):
        return text
    first, *others = _SENTENCE.split(text)
    return " ".join([_PLACE.sub(r"<\1>", first), *(part for part in others if not _PLACE.search(part))])


def event_words(name: str) -> str:
    """Return what the event states: the first sentence of its description, else its name taken apart."""
    found = EVENT_CLASSES.get(name)
    doc = (found.__doc__ or "") if found is not None else ""
    if not doc or doc.startswith(f"{name}("):  # dataclasses write the constructor where nobody wrote words
        split = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
        return split.strip()
    first = " ".join(doc.strip().split("\n\n")[0].split())
    return first.split(". ")[0].rstrip(".").removeprefix("Derived: ")


def condition_words(condition: Condition) -> str:
    """Return the condition as a phrase: the event with the tests on its fields, or the text it looks for."""
    if condition.text is not None:
        words = f"a line holds `{condition.anchor}`"
    else:
        words = event_words(condition.event or "")
        tests = " and ".join(f"{name} {_test(test)}" for name, test in condition.where.items())
        words += f" [{tests}]" if tests else ""
    if condition.count > 1:
        words += f", at least {condition.count} times"
    if condition.within is not None:
        words += f", {_SCOPE[condition.within]}"
    return words


def shown_by(signature: Signature) -> list[Condition]:
    """Return the conditions whose lines show the kind, in their order: not what must be absent, not what surrounds."""
    names = {name for match in signature.matches for name in (*match.all_of, *match.any_of, *match.sequence)}
    return [
        condition for condition in signature.conditions.values() if condition.name in names and condition.within is None
    ]


def distinct(matches: Sequence[Match]) -> list[Match]:
    """Return the matches without those that ask for the same as another of their grade, and for more."""
    return [
        match
        for index, match in enumerate(matches)
        if not any(
            _asks_for_less(other, match) and not (_asks_for_less(match, other) and index < place)
            for place, other in enumerate(matches)
            if place != index
        )
    ]


def _asks_for_less(less: Match, more: Match) -> bool:
    same = (less.grade, less.scope, less.sequence) == (more.grade, more.scope, more.sequence)
    wider = not less.any_of or (bool(more.any_of) and set(more.any_of) <= set(less.any_of))
    return (
        same
        and wider
        and set(less.all_of) <= set(more.all_of)
        and set(less.none_of) <= set(more.none_of)
        and set(less.unless_later) <= set(more.unless_later)
    )


def match_words(match: Match) -> str:
    """Return one way the signature holds, by the names of its conditions."""
    parts = []
    if match.all_of:
        parts.append(" and ".join(match.all_of))
    if match.sequence:
        parts.append(" then ".join(match.sequence))
    if match.any_of:
        parts.append(f"{'one of ' if len(match.any_of) > 1 else ''}{', '.join(match.any_of)}")
    words = "; ".join(parts)
    if match.none_of:
        words += f"; and no {', no '.join(match.none_of)}"
    if match.unless_later:
        words += f"; taken back by a later {' or '.join(match.unless_later)}"
    return f"{words} ({_SCOPE[match.scope]})"


def _test(test: Test) -> str:
    words = []
    if test.equals is not None:
        words.append(f"= {test.equals}")
    if test.any_of is not None:
        words.append(f"= {' or '.join(str(value) for value in test.any_of)}")
    if test.below is not None:
        words.append(f"< {test.below:g}")
    if test.at_least is not None:
        words.append(f">= {test.at_least:g}")
    if test.contains is not None:
        words.append(f"holds {test.contains!r}")
    if test.same_as is not None:
        words.append(f"= {test.same_as}")
    return " and ".join(words)


def applies_words(applies: Applies) -> list[str]:
    """Return what the kind is limited to, one phrase each; empty when nothing is known to rule it out."""
    words = []
    for label, values in (
        ("drafter", applies.families),
        ("flavour", applies.flavours),
        ("backend", applies.backends),
    ):
        if values:
            words.append(f"{label} {' or '.join(values)}")
    if applies.image == "required":
        words.append("image input")
    return words


def range_words(span: BuildRange) -> str:
    """Return the builds in which a fault exists, with whom it concerns."""
    words = []
    if span.introduced is not None:
        words.append(f"from b{span.introduced}")
    if span.fixed is not None:
        words.append(f"fixed in b{span.fixed}" + (f" by {short_ref(span.ref)}" if span.ref else ""))
    elif span.introduced is not None:
        words.append("no build known to fix it")
    who = [*span.families, *span.backends]
    who += [f"{rope} target" for rope in (span.target_rope,) if rope]
    who += [f"{rope} drafter" for rope in (span.drafter_rope,) if rope]
    return ", ".join(words) + (f" ({', '.join(who)})" if who else "")


def when_words(when: FixWhen) -> str:
    """Return when a fix applies; "" = always."""
    words = []
    if when.build_from is not None or when.build_below is not None:
        bounds = [f"from b{when.build_from}" if when.build_from is not None else ""]
        bounds.append(f"before b{when.build_below}" if when.build_below is not None else "")
        words.append(f"builds {' and '.join(bound for bound in bounds if bound)}")
    for label, values in (
        ("backend", when.backends),
        ("drafter", when.families),
        ("flavour", when.flavours),
        ("system", when.os),
        ("started with", when.flags),
    ):
        words += _one_of(label, values)
    words += [f"{rope} positions of the target" for rope in (when.target_rope,) if rope]
    words += [f"{rope} positions of the drafter" for rope in (when.drafter_rope,) if rope]
    words += [f"image input {when.image}"] if when.image is not None else []
    words += ["several GPUs"] if when.n_devices_from is not None else []
    return "; ".join(words)


def _one_of(label: str, values: Iterable[str]) -> list[str]:
    joined = " or ".join(values)
    return [f"{label} {joined}"] if joined else []
