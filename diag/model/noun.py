"""Slotted data classes that cost nothing until they are used.

The standard decorator writes and compiles five methods for each class when its module is imported: over the hundred and
fifty nouns of this package that is three times what Python itself needs to start. Here a class is only given its slots;
its constructor is compiled when it has made a few instances, which most never do in a run, and `dataclasses.fields` and
`replace` work as they do elsewhere, because what they look at is made when they ask.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
_SELF = "_diag_self"
_FEW = 12  # instances that are filled field by field: some 3 us each, where compiling a constructor takes a hundred
_made: dict[type, int] = {}  # how many instances each class has filled so


def names_of(cls: type) -> tuple[str, ...]:
    """Return the names of a noun's fields in order; `dataclasses.fields` is for those who need more of them."""
    return tuple(cls.__noun_fields__)  # type: ignore[attr-defined]


class _Fields:
    """`__dataclass_fields__` of each noun, worked out when somebody asks."""

    def __init__(self) -> None:
        self._known: dict[type, dict[str, dataclasses.Field[Any]]] = {}

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
        if owner not in self._known:
            self._known[owner] = self._of(owner)
        return self._known[owner]

    def _of(self, owner: type) -> dict[str, dataclasses.Field[Any]]:
        members = dict(owner.__noun_fields__)  # type: ignore[attr-defined]
        doc = "a noun"  # without one, the decorator would write the signature out, which takes the parser of Python
        shadow = type(owner.__name__, (), {**members, "__annotations__": dict.fromkeys(members, Any), "__doc__": doc})
        for name, value in members.items():
            if value is dataclasses.MISSING:
                delattr(shadow, name)
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(shadow)
        fields: dict[str, dataclasses.Field[Any]] = made.__dataclass_fields__
        return fields


_FIELDS = _Fields()


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def noun(cls: type[T]) -> type[T]:
    """Return the class as a frozen, slotted data class with comparison by value."""
    return _slotted(cls, kw_only=False, by_value=True)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def fact(cls: type[T]) -> type[T]:
    """Return the class as a frozen, slotted data class with keyword fields.

    Two facts are equal only if they are the same: a log may say one thing twice.
    """
    return _slotted(cls, kw_only=True, by_value=False)


@dataclass_transform(field_specifiers=(dataclasses.field,))
def record(cls: type[T]) -> type[T]:
    """Return the class as a slotted data class that changes while a log is read; two are equal only if the same."""
    return _slotted(cls, kw_only=False, by_value=False, frozen=False)


def _slotted(cls: type[T], *, kw_only: bool, by_value: bool, frozen: bool = True) -> type[T]:
    own = {name: cls.__dict__.get(name, dataclasses.MISSING) for name in cls.__annotations__}
    inherited: dict[str, Any] = getattr(cls.__base__, "__noun_fields__", {})
    members = {name: value for name, value in cls.__dict__.items() if name not in own and name not in _DROPPED}
    members["__slots__"] = tuple([name for name in own if name not in inherited])
    members["__noun_fields__"] = inherited | own
    members["__init__"] = _early_init
    if not inherited:  # a class below has all this from the one above
        members["__noun_kw_only__"] = kw_only
        members["__dataclass_fields__"] = _FIELDS
        members["__getstate__"] = _values
        members["__setstate__"] = _restore
        members.setdefault("__repr__", _repr)
        if frozen:
            members["__setattr__"] = _refuse
            members["__delattr__"] = _refuse
        if by_value:
            members.setdefault("__eq__", _equal)
            members.setdefault("__hash__", _hash)
    made: type[T] = type(cls.__name__, cls.__bases__, members)
    made.__qualname__ = cls.__qualname__
    return made


_DROPPED = ("__dict__", "__weakref__", "__slots__")


def _early_init(self: Any, *args: Any, **values: Any) -> None:
    """Fill one of the first instances of a class; later ones, and wrong fields, are a compiled constructor's."""
    cls: Any = next(base for base in type(self).__mro__ if "__noun_fields__" in base.__dict__)
    _made[cls] = _made.get(cls, 0) + 1  # beside the class: Python forgets what it knows of a class that is written to
    fields: dict[str, Any] = cls.__noun_fields__
    given = {**dict(zip(fields, args, strict=False)), **values}
    filled = given | {name: _default(value) for name, value in fields.items() if name not in given}
    wrong = (
        len(given) < len(args) + len(values)  # one field twice, or too many by place
        or len(filled) > len(fields)  # one that the class does not have
        or any(value is dataclasses.MISSING for value in filled.values())
        or (args and cls.__noun_kw_only__)
    )
    if wrong or _made[cls] > _FEW:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *args, **values)
        return
    for name, value in filled.items():
        object.__setattr__(self, name, value)


def _default(field: Any) -> Any:
    """Return what stands for a field that is not given; MISSING where nothing does."""
    if not isinstance(field, dataclasses.Field):
        return field
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _compiled_init(cls: Any) -> Callable[..., None]:
    """Return the constructor of the class as if somebody had written it out."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    parameters, body = [], []
    for name, value in cls.__noun_fields__.items():
        if isinstance(value, dataclasses.Field):
            if value.default_factory is not dataclasses.MISSING:
                names[f"_make_{name}"] = value.default_factory
                parameters.append(f"{name}=_missing")
                body.append(f" _set({_SELF}, {name!r}, _make_{name}() if {name} is _missing else {name})")
                continue
            value = value.default
        if value is dataclasses.MISSING:
            parameters.append(name)
        else:
            names[f"_default_{name}"] = value
            parameters.append(f"{name}=_default_{name}")
        body.append(f" _set({_SELF}, {name!r}, {name})")
    star = ["*"] if cls.__noun_kw_only__ and parameters else []
    source = f"def __init__({', '.join([_SELF, *star, *parameters])}):\n" + ("\n".join(body) or " pass")
    exec(source, names)  # the text is made of field names above
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in self.__noun_fields__])


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__noun_fields__)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse(_self: Any, name: str, *_value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to or delete field {name!r}")


def _restore(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__noun_fields__, state, strict=True):
        object.__setattr__(self, name, value)
