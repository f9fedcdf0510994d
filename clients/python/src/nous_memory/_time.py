"""Times as the server writes them."""

from __future__ import annotations

from datetime import datetime, timezone


class Time(str):
    """A time in ISO 8601, as the server wrote it: `2026-11-20T19:00:00.000-08:00`.

    It is a text, so that a stored time that no calendar has can be read, too.
    """

    __slots__ = ()

    @property
    def datetime(self) -> datetime:
        """The time with its offset from UTC. Raises `ValueError` if the text is no time."""
        text = self[:-1] + "+00:00" if self.endswith(("Z", "z")) else str(self)
        found = datetime.fromisoformat(text)
        return found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)
