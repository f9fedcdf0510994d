"""A memory block of LlamaIndex. Needs the extra `llama-index`."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from llama_index.core.llms import ChatMessage, TextBlock
from llama_index.core.memory import BaseMemoryBlock
from pydantic import ConfigDict, Field, PrivateAttr

from ._sync_client import Memory
from ._turn import Owner, Said, take_turn

__all__ = ["NousMemoryBlock"]

SOURCE = "llama-index"
SPEAKERS = ("user", "assistant")


class NousMemoryBlock(BaseMemoryBlock[str]):
    """What the memory of an agent knows about the user's message.

        memory = Memory.from_defaults(memory_blocks=[NousMemoryBlock(memory=..., user="mira")])

    A message of the user is stored when the agent sees it, unless it only asks. So messages that
    leave the short-term memory are stored already, and the block takes none;
    `accept_short_term_memory=True` with `remembers=False` stores them when they leave it instead.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    name: str = "nous"
    accept_short_term_memory: bool = False
    memory: Memory = Field(default_factory=Memory, exclude=True)
    """The memory that is asked."""
    user: str | None = None
    """Whose memories count. New ones belong to the user. Default: all memories."""
    session: str | None = None
    """The session that new memories belong to. Default: none; of messages that leave the
    short-term memory, that of LlamaIndex.
    """
    max_tokens: int | None = None
    """How long the block may be, in tokens. Default: the server's, 1,500."""
    remembers: bool = True
    """Whether messages of the user are stored, unless they only ask."""

    _stored: dict[str, str] = PrivateAttr(default_factory=dict)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [said_of(message) for message in messages or []]
        words = [one.text for one in said if one.role == "user" and one.text.strip()]
        if not words:
            return ""
        if words[-1] in self._stored:
            return self._stored[words[-1]]
        owner = Owner(SOURCE, self.user, self.session)
        answer = await anyio.to_thread.run_sync(
            lambda: take_turn(
                self.memory,
                said,
                owner,
                max_tokens=self.max_tokens,
                remembers=self.remembers,
            )
        )
        if answer is None:
            return ""
        # Agents ask in each step of a turn. From the second on the message is a memory itself, the
        # best one for its own words, and hides others.
        is_stored = self.remembers and not answer.signals.is_question
        self._stored = {words[-1]: answer.prompt} if is_stored else {}
        return answer.prompt

    async def _aput(self, messages: list[ChatMessage]) -> None:
        told = [{"role": role, "content": text} for role, text in map(said_of, messages) if text]
        if told:
            session = self.session or messages[0].additional_kwargs.get("session_id")
            fields = Owner(SOURCE, self.user, session).fields()
            await anyio.to_thread.run_sync(lambda: self.memory.remember(messages=told, **fields))


def said_of(message: ChatMessage) -> Said:
    if message.role.value not in SPEAKERS:
        return Said(message.role.value, "")
    texts = [block.text for block in message.blocks if isinstance(block, TextBlock)]
    return Said(message.role.value, "\n".join(texts))
