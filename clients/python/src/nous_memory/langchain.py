"""A retriever and a chat history of LangChain. Needs the extra `langchain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio.to_thread
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from . import models as m
from ._conversation import Conversation, Turn
from ._sync_client import Memory
from ._texts import MAX_QUESTION, UNREAD, details_of, words_of

__all__ = ["NousChatMessageHistory", "NousRetriever"]

SOURCE = "langchain"
# Pieces of a stream are of these classes, too.
SPEAKERS = ((HumanMessage, "user"), (AIMessage, "assistant"))


class NousRetriever(BaseRetriever):
    """Finds memories for a question, as documents.

        retriever = NousRetriever(memory=Memory(), limit=5, filter={"user": "mira"})

    The metadata of a document has `id`, `score`, `type`, `created_at`, `event_time`, `user`,
    `session`, `source` and `tags` of the memory, and under `metadata` its own. `min_score` leaves
    out what probably does not answer.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory = Field(default_factory=Memory)
    """The memory that is searched."""
    limit: int = 5
    """How many documents at most."""
    min_score: float = 0
    """The least probability that a memory answers."""
    filter: Any = None
    """Which memories count: a filter of the API."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return self._find(query)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await anyio.to_thread.run_sync(self._find, query)

    def _find(self, query: str) -> list[Document]:
        answer = self.memory.search(
            query[:MAX_QUESTION],
            limit=self.limit,
            min_score=self.min_score,
            filter=self.filter,
        )
        return [document_of(hit) for hit in answer.data if hit.content_title != UNREAD]


def document_of(hit: m.SearchHit) -> Document:
    return Document(id=hit.id, page_content=words_of(hit), metadata=details_of(hit))


class NousChatMessageHistory(BaseChatMessageHistory):
    """The messages of a session, each of them a memory.

        history = NousChatMessageHistory("monday", memory=Memory(), user="mira")

    Messages come back exactly as they were, in their order. Words of users and models are found by
    searches and in prompts; system messages, calls of tools and their results are not.
    """

    def __init__(
        self, session_id: str, *, memory: Memory | None = None, user: str | None = None
    ) -> None:
        self.session_id = session_id
        self._conversation = Conversation(memory or Memory(), session_id, source=SOURCE, user=user)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """All messages, the oldest first."""
        return messages_from_dict(self._conversation.read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages at the end."""
        self._conversation.append([turn_of(message) for message in messages])

    def clear(self) -> None:
        """Deletes the messages of the session."""
        self._conversation.clear()


def turn_of(message: BaseMessage) -> Turn:
    speaker = next((name for kind, name in SPEAKERS if isinstance(message, kind)), None)
    text = str(message.text) if speaker is not None else ""
    return Turn(text, message.name or speaker or message.type, message_to_dict(message))
