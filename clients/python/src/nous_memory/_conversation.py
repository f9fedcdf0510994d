"""A conversation whose turns are memories, and come back exactly as they were.

`remember(messages=...)` stores what is worth remembering, and leaves out greetings and repeats. A
framework needs all it has stored, in order: so each of its items is one memory of the session, with
the item as it is in its body. Items without words of a person or a model, such as calls of tools,
are stored, too, and no search finds them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec

from . import models as m
from ._sync_client import Memory
from ._texts import texts_of
from .errors import BY_STATUS, NotFoundError, NousError, NousStatusError

MAX_MADE = 100


class Turn(NamedTuple):
    """An item of a conversation."""

    text: str
    """Its words; empty if no search is to find it."""
    speaker: str
    item: Any
    """What the framework gets back: anything that JSON can hold."""


def make(memory: Memory, items: Sequence[Any]) -> None:
    """Makes memories with ids of their own: all, or after an error none."""
    for at in range(0, len(items), MAX_MADE):
        try:
            for result in memory.nodes.create_many(items[at : at + MAX_MADE]).results:
                if result.error is not None:
                    kind = BY_STATUS.get(result.status, NousStatusError)
                    raise kind(result.error, status=result.status)
        except NousError:
            unmake(memory, items[: at + MAX_MADE])
            raise


def unmake(memory: Memory, items: Sequence[Any]) -> None:
    """Deletes memories again, as far as the server answers."""
    for at in range(0, len(items), MAX_MADE):
        with suppress(NousError):
            ids = [item["id"] for item in items[at : at + MAX_MADE]]
            memory.nodes.delete_where({"ids": ids})


class Conversation:
    """The turns of one session. `source` tells conversations of several frameworks apart."""

    def __init__(self, memory: Memory, session: str, *, source: str, user: str | None) -> None:
        self.memory = memory
        self.session = session
        self._source = source
        self._user = user
        self._last = 0

    def append(self, turns: Sequence[Turn]) -> None:
        """Adds turns at the end: all, or after an error none.

        It is no transaction. Other programs may read the first of more than `MAX_MADE` turns before
        the last are stored, and turns stay if the server answers no more.
        """
        # Microseconds: JavaScript keeps them exactly. Turns of one call follow each other.
        self._last = max(time.time_ns() // 1_000, self._last + 1)
        items = [self._node(turn, self._last + place) for place, turn in enumerate(turns)]
        self._last += len(turns)
        make(self.memory, items)

    def _node(self, turn: Turn, order: int) -> Any:
        words = f"{turn.speaker}: {turn.text}" if turn.text.strip() else ""
        place = {"session": self.session, "order": order}
        # Ids of our own: after a lost answer they name what may be there.
        id = uuid4().hex
        node: Any = {
            "id": id,
            "type": "episode",
            **texts_of(words, "item", turn.item, id=id, session=self.session),
            "metadata": {"conversation": place},
            "source": self._source,
        }
        if self._user is not None:
            node["user"] = self._user
        return node

    def read(self, limit: int | None = None) -> list[Any]:
        """Returns all items, or the last ones, the oldest first."""
        items = [msgspec.json.decode(node.content_body or "{}")["item"] for node in self._nodes()]
        return items if limit is None else items[max(0, len(items) - limit) :]

    def _nodes(self) -> list[m.MemoryNode]:
        found = self.memory.nodes.list(filter=self._filter()).all()
        return sorted(found, key=lambda node: (node.metadata or {})["conversation"]["order"])

    def _filter(self) -> m.Filter:
        return {"source": self._source, "metadata": {"conversation.session": self.session}}

    def pop(self) -> Any:
        """Deletes the last item, and returns it, or None if there is none."""
        while nodes := self._nodes():
            try:
                self.memory.nodes.delete(nodes[-1].id)
            except NotFoundError:
                continue  # another program has taken it
            return msgspec.json.decode(nodes[-1].content_body or "{}")["item"]
        return None

    def clear(self) -> None:
        """Deletes all items."""
        self.memory.nodes.delete_where(self._filter())
