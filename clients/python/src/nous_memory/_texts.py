"""Memories whose texts other programs read, too: their bodies are JSON with a text for searches.

A memory that no search is to find has no words. The memories beside it, and questions such as "what
happened today?", would bring it up all the same: so it has a session of its own, and an event in
the year 1. Questions for the last hours, or for an open past ("before 2020"), may still list it.
"""

from __future__ import annotations

from typing import Any, TypedDict

from msgspec import DecodeError, json
from typing_extensions import Required

from . import models as m
from ._core import body_of

MAX_TITLE = 200
# Characters of a text that searches read. A body may have about a million.
MAX_SEARCHED = 100_000
# The server's limit of a question. Both count code points.
MAX_QUESTION = 10_000
# Searches find no word in it.
UNREAD = "-"
LONG_AGO = "0001-01-01T00:00:00Z"


class Texts(TypedDict, total=False):
    """The fields of a memory that hold its text."""

    content_title: Required[str]
    content_body: Required[str]
    session: str
    event_time: m.TimeInput


def texts_of(text: str, name: str, value: Any, *, id: str, session: str | None = None) -> Texts:
    """Returns the fields of a memory with a text, and a value that searches do not read.

    `name` is the name of the value in the body. `id` names the memory's own session, if no search
    is to find it.
    """
    text = text[:MAX_SEARCHED].strip() or UNREAD
    body = body_of({"text": text, name: value}).decode()
    found: Texts = {"content_title": title_of(text), "content_body": body}
    if text == UNREAD:
        found["session"] = id
        found["event_time"] = LONG_AGO
    elif session is not None:
        found["session"] = session
    return found


def title_of(text: str) -> str:
    """Returns a short text whole, and of a long one its beginning, up to a blank."""
    line = text.split("\n", 1)[0] if len(text) > MAX_TITLE else text
    if len(line) <= MAX_TITLE:
        return line.strip() or UNREAD
    cut = line[:MAX_TITLE]
    return (cut.rsplit(" ", 1)[0] or cut).strip() or UNREAD


def words_of(hit: m.MemoryNode) -> str:
    """Returns title and body, each once. Of a body in JSON the field `text` is read."""
    body = hit.content_body or ""
    if body.startswith("{"):
        try:
            held = json.decode(body)
        except DecodeError:
            held = None
        if isinstance(held, dict) and isinstance(held.get("text"), str):
            body = held["text"]
    if body.startswith(hit.content_title):
        return body
    return f"{hit.content_title}\n{body}".rstrip()


def details_of(hit: m.SearchHit) -> dict[str, Any]:
    """Returns what frameworks get as the metadata of a memory: the fields that it has."""
    kept = {
        "id": hit.id,
        "score": hit.score,
        "type": hit.type,
        "created_at": hit.created_at,
        "event_time": hit.event_time,
        "user": hit.user,
        "session": hit.session,
        "source": hit.source,
        "tags": hit.tags,
        "metadata": hit.metadata,
    }
    return {key: value for key, value in kept.items() if value not in (None, [])}
