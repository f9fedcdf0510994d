"""A memory of AutoGen. Needs the extra `autogen`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import anyio.to_thread
import msgspec
from autogen_core import CancellationToken, Component
from autogen_core.memory import (
    Memory as AutoGenMemory,
)
from autogen_core.memory import (
    MemoryContent,
    MemoryMimeType,
    MemoryQueryResult,
    UpdateContextResult,
)
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from pydantic import BaseModel, ConfigDict
from typing_extensions import Self

from ._sync_client import Memory
from ._texts import MAX_QUESTION, UNREAD, details_of, words_of
from ._turn import Owner, Said, take_turn

__all__ = ["NousMemory", "NousMemoryConfig"]

T = TypeVar("T")

SOURCE = "autogen"
# By it the message of an earlier turn is known.
HEAD = "From the memory:\n\n"


class NousMemoryConfig(BaseModel):
    """What a saved component holds. The key is read from the variable `MEMORY_KEY`."""

    model_config = ConfigDict(extra="forbid")

    url: str | None = None
    agent: str = "default"
    user: str | None = None
    session: str | None = None
    limit: int = 5
    min_score: float = 0
    max_tokens: int | None = None
    remembers: bool = True
    speakers: list[str] = ["user"]


class NousMemory(AutoGenMemory, Component[NousMemoryConfig]):
    """The memory of an agent of AutoGen.

        agent = AssistantAgent("cook", model_client=client, memory=[NousMemory(Memory())])

    Before the model answers, the context gets one system message with what the memory knows about
    the user's last message, in place of that of the turn before. That message is stored, unless it
    only asks; `remembers=False` stores none. `speakers` are the sources whose messages are the
    user's: `user` for tasks, and the name of a `UserProxyAgent`, if there is one.

    `user` says whose memories count; new ones belong to the user. `limit` and `min_score` are those
    of `query`. `max_tokens` is how long the system message may be; the server's default is 1,500.
    """

    component_config_schema = NousMemoryConfig
    component_provider_override = "nous_memory.autogen.NousMemory"

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        user: str | None = None,
        session: str | None = None,
        limit: int = 5,
        min_score: float = 0,
        max_tokens: int | None = None,
        remembers: bool = True,
        speakers: Collection[str] = ("user",),
    ) -> None:
        if isinstance(speakers, str):
            raise TypeError(f"speakers: give a list of names: [{speakers!r}]")
        self.memory = memory or Memory()
        """The memory that is asked."""
        self._is_own = memory is None
        self._owner = Owner(SOURCE, user, session)
        self._limit = limit
        self._min_score = min_score
        self._max_tokens = max_tokens
        self._remembers = remembers
        self._speakers = list(speakers)

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Adds a system message about the user's last message, and stores that message."""
        messages = await model_context.get_messages()
        said = [said_of(message, self._speakers) for message in messages]
        answer = await anyio.to_thread.run_sync(
            lambda: take_turn(
                self.memory,
                said,
                self._owner,
                max_tokens=self._max_tokens,
                remembers=self._remembers,
            )
        )
        await drop_earlier(model_context)
        if answer is None or not answer.prompt:
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        await model_context.add_message(SystemMessage(content=HEAD + answer.prompt))
        results = [content_of(text, {"id": id}) for id, text in answer.recalled_content.items()]
        return UpdateContextResult(memories=MemoryQueryResult(results=results))

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        """Finds memories, the most probable first. `kwargs` are fields of `Memory.search`."""
        asked = text_of(query)[:MAX_QUESTION]
        fields = {
            "limit": self._limit,
            "min_score": self._min_score,
            "filter": self._owner.filter(),
        }
        found = await within(
            cancellation_token, lambda: self.memory.search(asked, **{**fields, **kwargs})
        )
        hits = [hit for hit in found.data if hit.content_title != UNREAD]
        return MemoryQueryResult(results=[content_of(words_of(it), details_of(it)) for it in hits])

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Stores a text, or JSON as its text. Raises `ValueError` for images and bytes."""
        text = text_of(content)
        fields = self._owner.fields()
        if content.metadata is not None:
            fields["metadata"] = content.metadata
        await within(cancellation_token, lambda: self.memory.remember(text, **fields))

    async def clear(self) -> None:
        """Deletes what memories of AutoGen stored, of the user and the session if they are set."""
        filter = self._owner.fields()
        await anyio.to_thread.run_sync(self.memory.nodes.delete_where, filter)

    async def close(self) -> None:
        """Closes the connections, unless you gave the client."""
        if self._is_own:
            self.memory.close()

    def _to_config(self) -> NousMemoryConfig:
        return NousMemoryConfig(
            url=self.memory.url,
            agent=self.memory.agent,
            user=self._owner.user,
            session=self._owner.session,
            limit=self._limit,
            min_score=self._min_score,
            max_tokens=self._max_tokens,
            remembers=self._remembers,
            speakers=self._speakers,
        )

    @classmethod
    def _from_config(cls, config: NousMemoryConfig) -> Self:
        fields = config.model_dump(exclude={"url", "agent"})
        found = cls(Memory(config.url, agent=config.agent), **fields)
        found._is_own = True
        return found


async def within(token: CancellationToken | None, call: Callable[[], T]) -> T:
    """Returns the result of a call in a thread, which is not waited for if the token cancels."""
    future = asyncio.ensure_future(anyio.to_thread.run_sync(call, abandon_on_cancel=True))
    if token is not None:
        token.link_future(future)
    return await future


async def drop_earlier(context: ChatCompletionContext) -> None:
    """Removes the system messages of earlier turns: what they say may be corrected since."""
    state = await context.save_state()
    messages = state.get("messages", [])
    kept = [message for message in messages if not is_earlier(message)]
    if len(kept) < len(messages):
        await context.load_state({**state, "messages": kept})


def is_earlier(message: Any) -> bool:
    return message["type"] == "SystemMessage" and str(message["content"]).startswith(HEAD)


def said_of(message: LLMMessage, speakers: Collection[str]) -> Said:
    if isinstance(message, UserMessage):
        # Messages of other agents come as those of a user, too. Their source is their name.
        role = "user" if message.source in speakers else "assistant"
        parts = [message.content] if isinstance(message.content, str) else message.content
        return Said(role, "\n".join(part for part in parts if isinstance(part, str)))
    if isinstance(message, AssistantMessage) and isinstance(message.content, str):
        return Said("assistant", message.content)
    return Said("other", "")


def text_of(content: str | MemoryContent) -> str:
    if isinstance(content, str):
        return content
    held, kind = content.content, content.mime_type
    if isinstance(held, str):
        return held
    if isinstance(held, dict):
        return msgspec.json.encode(held).decode()
    name = kind.value if isinstance(kind, MemoryMimeType) else kind
    raise ValueError(
        f"content: the memory holds texts and JSON, and this is {type(held).__name__} of the type "
        f"{name}: describe it in words"
    )


def content_of(text: str, metadata: dict[str, Any]) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=metadata)
