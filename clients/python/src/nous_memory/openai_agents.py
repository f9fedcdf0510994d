"""A session of the OpenAI Agents SDK. Needs the extra `openai-agents`."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from agents import SessionSettings, TResponseInputItem
from agents.memory import SessionABC

from ._conversation import Conversation, Turn
from ._sync_client import Memory

__all__ = ["NousSession"]

SOURCE = "openai-agents"
SPEAKERS = ("user", "assistant")


class NousSession(SessionABC):
    """The items of a conversation, each of them a memory.

        result = await Runner.run(agent, "Hello", session=NousSession("monday", memory=Memory()))

    Items come back exactly as they were, in their order. Words of users and models are found by
    searches and in prompts; instructions, calls of tools, their results and reasoning are not.
    """

    def __init__(
        self,
        session_id: str,
        *,
        memory: Memory | None = None,
        user: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._conversation = Conversation(memory or Memory(), session_id, source=SOURCE, user=user)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns all items, or the last ones, the oldest first."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await anyio.to_thread.run_sync(self._conversation.read, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items at the end."""
        await anyio.to_thread.run_sync(self._conversation.append, [turn_of(it) for it in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Deletes the last item, and returns it."""
        found: TResponseInputItem | None = await anyio.to_thread.run_sync(self._conversation.pop)
        return found

    async def clear_session(self) -> None:
        """Deletes all items of the session."""
        await anyio.to_thread.run_sync(self._conversation.clear)


def turn_of(item: TResponseInputItem) -> Turn:
    held: Any = item
    role = held.get("role")
    text = text_of(held.get("content")) if role in SPEAKERS else ""
    return Turn(text, str(role), item)


def text_of(content: Any) -> str:
    """Returns the words of a content: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
