"""A turn of an agent: what the memory says about a message of the user, and what it keeps of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import models as m
from ._sync_client import Memory
from ._texts import MAX_QUESTION

# Messages of the conversation that the memory compares with.
MAX_MESSAGES = 20


class Said(NamedTuple):
    """A message of a conversation. Of other roles than `user` and `assistant` nothing is read."""

    role: str
    text: str


class Owner(NamedTuple):
    """Whom memories belong to. `user` also says whose memories count; None: all count."""

    source: str
    user: str | None
    session: str | None

    def fields(self) -> Any:
        """Returns the fields of a new memory."""
        found = {"source": self.source, "user": self.user, "session": self.session}
        return {key: value for key, value in found.items() if value is not None}

    def filter(self) -> Any:
        """Returns the filter of searches, or None."""
        return None if self.user is None else {"user": self.user}


def take_turn(
    memory: Memory,
    said: Sequence[Said],
    owner: Owner,
    *,
    max_tokens: int | None,
    remembers: bool,
) -> m.ContextAnswer | None:
    """Returns the prompt for the user's last message, or None if there is no message.

    Stores the message if it ends the conversation, and does more than ask.
    """
    spoken = [one for one in said if one.role in ("user", "assistant") and one.text.strip()]
    at = max((place for place, one in enumerate(spoken) if one.role == "user"), default=None)
    if at is None:
        return None
    text = spoken[at].text
    before = spoken[max(0, at - MAX_MESSAGES) : at]
    answer = memory.context(
        text[:MAX_QUESTION],
        messages=[{"role": role, "content": content} for role, content in before],
        max_tokens=max_tokens,
        filter=owner.filter(),
    )
    is_new = said[-1] is spoken[at]
    if remembers and is_new and not answer.signals.is_question:
        memory.remember(text, **owner.fields())
    return answer
