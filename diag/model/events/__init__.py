"""Events: one class a fact, one module a topic."""

from diag.model.events import crash, device, draft, event, position, request, server
from diag.model.events.event import Event

EVENT_CLASSES: dict[str, type[Event]] = {
    cls.__name__: cls
    for module in (event, server, device, request, draft, position, crash)
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Event) and cls is not Event
}
"""Every event class by its name, as signatures and wordings name it."""

__all__ = ["EVENT_CLASSES", "Event", "crash", "device", "draft", "event", "position", "request", "server"]
