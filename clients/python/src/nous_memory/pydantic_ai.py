"""Tools and a conversation store of Pydantic AI. Needs the extra `pydantic-ai`, and Python 3.11."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, TypeVar

import anyio.to_thread
import msgspec
from pydantic import Field, TypeAdapter
from pydantic_ai import FunctionToolset, ModelRetry
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    TextContent,
    TextPart,
    UserContent,
    UserPromptPart,
)
from typing_extensions import NotRequired, TypedDict

from . import models as m
from ._conversation import MAX_MADE, make, unmake
from ._sync_client import Memory
from ._texts import MAX_QUESTION, UNREAD, texts_of, words_of
from ._turn import Owner
from .errors import (
    BadRequestError,
    ConflictError,
    NotFoundError,
    NousStatusError,
    VersionError,
)

__all__ = ["NousConversationStore", "NousToolset"]

T = TypeVar("T")

SOURCE = "pydantic-ai"
MAX_RECALLED = 20
RECORD: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)


class Stored(TypedDict):
    """What the tool `remember` answers of a memory."""

    id: str
    text: str
    known_already: bool
    seems_to_replace: list[str]


class Recalled(TypedDict):
    """A memory that the tool `recall` found."""

    id: str
    text: str
    noted: str | None
    probability: float
    replaced_by: NotRequired[str]


class RecallAnswer(TypedDict):
    """What the tool `recall` answers."""

    knows: str
    memories: list[Recalled]


class NousToolset(FunctionToolset[Any]):
    """The tools `remember`, `recall`, `correct` and `forget`, which a model calls by itself.

        agent = Agent("openai:gpt-5-mini", toolsets=[NousToolset(Memory(), user="mira")])

    `user` says whose memories the tools see and change; new ones belong to the user. The model is
    told of a wrong argument, and tries again. Any other `NousError` ends the run.
    """

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        user: str | None = None,
        session: str | None = None,
        id: str = "nous",
    ) -> None:
        self.memory = memory or Memory()
        """The memory that the tools work on."""
        self._owner = Owner(SOURCE, user, session)
        tools: list[Callable[..., Any]] = [self.remember, self.recall, self.correct, self.forget]
        super().__init__(
            tools, id=id, docstring_format="google", require_parameter_descriptions=True
        )

    def remember(self, text: str) -> list[Stored]:
        """Stores what will matter later: facts about the user, preferences, decisions, events.

        Args:
            text: What to remember, in one sentence that is understood by itself.
        """
        answer = told(lambda: self.memory.remember(text, **self._owner.fields()))
        return [stored_of(one) for one in answer.stored]

    def recall(
        self, question: str, limit: Annotated[int, Field(ge=1, le=MAX_RECALLED)] = 5
    ) -> RecallAnswer:
        """Finds what was remembered. Call it before you answer about the user or the past.

        Args:
            question: The question, in a sentence.
            limit: How many memories at most.
        """
        answer = told(
            lambda: self.memory.search(
                question[:MAX_QUESTION],
                limit=limit,
                filter=self._owner.filter(),
            )
        )
        hits = [hit for hit in answer.data if hit.content_title != UNREAD]
        return {"knows": answer.knows or "perhaps", "memories": [recalled_of(hit) for hit in hits]}

    def correct(self, id: str, text: str) -> list[Stored]:
        """Replaces a memory that is wrong or holds no longer. What was before is kept as the past.

        Args:
            id: The id of the memory, as `recall` told it.
            text: What holds now, in one sentence that is understood by itself.
        """
        old = told(lambda: self.memory.nodes.get(id, recall=False))
        if self._owner.user not in (None, old.user):
            raise ModelRetry(f"no memory has the id {id}: call recall, and use an id that it tells")
        stored = self.remember(text)
        if not stored:
            raise ModelRetry(f"text: {text!r} says nothing to remember")
        new = stored[0]["id"]
        if new != id:
            self.memory.conflicts.resolve(
                old_node_id=id, new_node_id=new, resolution="new_is_current"
            )
        return stored

    def forget(self, id: str) -> str:
        """Deletes a memory, if the user wants that. It cannot be undone.

        Args:
            id: The id of the memory, as `recall` told it.
        """
        filter: Any = {"ids": [id], **(self._owner.filter() or {})}
        if told(lambda: self.memory.nodes.delete_where(filter)).deleted == 0:
            raise ModelRetry(f"no memory has the id {id}: call recall, and use an id that it tells")
        return "deleted"


def told(call: Callable[[], T]) -> T:
    """Returns the result of a call. Tells the model what it can do otherwise."""
    try:
        return call()
    except (BadRequestError, NotFoundError) as error:
        raise ModelRetry(str(error)) from error


def stored_of(one: m.RememberedMemory) -> Stored:
    replaced = [f"[{older.id}] {older.title}" for older in one.replaces or []]
    return {
        "id": one.id,
        "text": one.title,
        "known_already": one.action == "duplicate",
        "seems_to_replace": replaced,
    }


def recalled_of(hit: m.SearchHit) -> Recalled:
    found: Recalled = {
        "id": hit.id,
        "text": words_of(hit),
        "noted": hit.created_at,
        "probability": hit.score,
    }
    newer = hit.superseded_by or (hit.replaced_by and hit.replaced_by.id)
    if newer:
        found["replaced_by"] = newer
    return found


class NousConversationStore(ConversationStore):
    """Keeps conversations in the memory of an agent.

        store = NousConversationStore(Memory(), user="mira")
        conversation = await store.load("monday") or Conversation(conversation_id="monday")
        await store.save(await agent.run("Hello", conversation=conversation))

    Each message is a memory, and comes back exactly as it was. Words of users and models are found
    by searches and in prompts; instructions, calls of tools and their results are not.

    A conversation that is deleted takes the messages along that no fork of it uses. Do not fork it
    at that moment: the fork could lose them.
    """

    def __init__(self, memory: Memory | None = None, *, user: str | None = None) -> None:
        self.memory = memory or Memory()
        """The memory that holds the conversations."""
        self._user = user

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Returns the record of a conversation, or None."""
        node = await anyio.to_thread.run_sync(self._node, id_of("record", conversation_id))
        return None if node is None else record_of(node)

    async def read_records(
        self, *, scope: str | None = None, limit: int | None = None
    ) -> Sequence[ConversationRecord]:
        """Returns the records, those that were saved last first."""
        nodes = await anyio.to_thread.run_sync(self._list, {"kind": "record"})
        records = [record for record in map(record_of, nodes) if scope in (None, record.scope)]
        records.sort(key=lambda record: record.updated_at, reverse=True)
        return records[:limit]

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Returns an entry. Raises `LookupError` if there is none."""
        return entry_of(await anyio.to_thread.run_sync(self._entry, entry_id))

    async def read_history(
        self, head_id: str | None, *, limit: int | None = None
    ) -> list[ConversationEntry]:
        """Returns the entries up to one, or the last of them. Raises `LookupError` if one is gone.

        It reads all entries of the conversation and its forks, 200 a request.
        """
        if head_id is None:
            return []
        entries = await anyio.to_thread.run_sync(self._entries_with, head_id)
        found = list(chain(entries, head_id))[:limit]
        return found[::-1]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Stores a record and new entries, or after an error neither."""
        await anyio.to_thread.run_sync(self._write, record, new_entries, expected_revision)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Deletes a record, and the entries that no other record reaches."""
        await anyio.to_thread.run_sync(self._delete, conversation_id, expected_revision)

    def _write(
        self,
        record: ConversationRecord,
        new_entries: Sequence[ConversationEntry],
        expected_revision: str | None,
    ) -> None:
        name = record.conversation_id
        node = self._expected(name, expected_revision)
        family = self._family(record, node)
        head = record.head_id
        if head is not None and head not in {entry.id for entry in new_entries}:
            try:
                self._entry(head)
            except LookupError:
                raise ConversationConflict(name) from None
        items = [self._node_of_entry(entry, name, family) for entry in new_entries]
        fields = self._node_of_record(record, family)
        make(self.memory, items)
        try:
            if node is None:
                self.memory.nodes.create(**fields)
            else:
                self.memory.nodes.put(fields.pop("id"), if_match=node.version, **fields)
        except NousStatusError as error:
            # Without an answer the record may be stored, and needs its entries.
            unmake(self.memory, items)
            if isinstance(error, (ConflictError, VersionError)):
                raise ConversationConflict(name) from error
            raise

    def _delete(self, name: str, expected_revision: str) -> None:
        node = self._expected(name, expected_revision)
        if node is None:
            raise ConversationConflict(name)
        try:
            self.memory.nodes.delete(node.id, if_match=node.version)
        except (NotFoundError, VersionError) as error:
            raise ConversationConflict(name) from error
        family = place_of(node)["family"]
        entries = self._entries(family)
        reached: set[str] = set()
        for left in self._list({"kind": "record", "family": family}):
            record = record_of(left)
            for end in filter(None, (record.head_id, *record.branches)):
                with suppress(LookupError):
                    reached.update(entry.id for entry in chain(entries, end))
        ids = [id_of("entry", entry) for entry in entries if entry not in reached]
        for at in range(0, len(ids), MAX_MADE):
            self.memory.nodes.delete_where({"ids": ids[at : at + MAX_MADE]})

    def _expected(self, name: str, revision: str | None) -> m.MemoryNode | None:
        """Returns the memory of a record. Raises `ConversationConflict` at another revision."""
        node = self._node(id_of("record", name))
        if (None if node is None else record_of(node).revision) != revision:
            raise ConversationConflict(name)
        return node

    def _family(self, record: ConversationRecord, node: m.MemoryNode | None) -> str:
        """Returns the name that a conversation has in common with its forks."""
        if node is None and record.head_id is not None and record.forked_from is not None:
            with suppress(LookupError):
                return str(place_of(self._entry(record.head_id))["family"])
        return record.conversation_id if node is None else str(place_of(node)["family"])

    def _node(self, id: str) -> m.MemoryNode | None:
        try:
            return self.memory.nodes.get(id, recall=False)
        except NotFoundError:
            return None

    def _entry(self, entry_id: str) -> m.MemoryNode:
        node = self._node(id_of("entry", entry_id))
        if node is None:
            raise LookupError(f"no entry {entry_id!r} is stored: its conversation was deleted")
        return node

    def _entries_with(self, entry_id: str) -> dict[str, ConversationEntry]:
        return self._entries(place_of(self._entry(entry_id))["family"])

    def _entries(self, family: str) -> dict[str, ConversationEntry]:
        nodes = self._list({"kind": "entry", "family": family})
        return {entry.id: entry for entry in map(entry_of, nodes)}

    def _list(self, place: Mapping[str, str]) -> list[m.MemoryNode]:
        conditions = {f"pydantic_ai.{name}": value for name, value in place.items()}
        return self.memory.nodes.list(filter={"source": SOURCE, "metadata": conditions}).all()

    def _node_of_entry(self, entry: ConversationEntry, name: str, family: str) -> Any:
        [message] = ModelMessagesTypeAdapter.dump_python([entry.message], mode="json")
        held = {"id": entry.id, "parent_id": entry.parent_id, "message": message}
        words = words_in(entry.message)
        return self._made(id_of("entry", entry.id), "entry", words, held, family, session=name)

    def _node_of_record(self, record: ConversationRecord, family: str) -> Any:
        held = RECORD.dump_python(record, mode="json")
        id = id_of("record", record.conversation_id)
        return self._made(id, "record", "", held, family)

    def _made(
        self,
        id: str,
        kind: str,
        words: str,
        held: Any,
        family: str,
        *,
        session: str | None = None,
    ) -> Any:
        node: Any = {
            "id": id,
            "type": "episode",
            **texts_of(words, kind, held, id=id, session=session),
            "metadata": {"pydantic_ai": {"kind": kind, "family": family}},
            "source": SOURCE,
        }
        if self._user is not None:
            node["user"] = self._user
        return node


def id_of(kind: str, name: str) -> str:
    """Returns the id of the memory of a record or an entry."""
    return f"pa_{hashlib.sha256(f'{kind} {name}'.encode()).hexdigest()[:40]}"


def place_of(node: m.MemoryNode) -> dict[str, str]:
    found: dict[str, str] = (node.metadata or {})["pydantic_ai"]
    return found


def record_of(node: m.MemoryNode) -> ConversationRecord:
    return RECORD.validate_python(msgspec.json.decode(node.content_body or "{}")["record"])


def entry_of(node: m.MemoryNode) -> ConversationEntry:
    held = msgspec.json.decode(node.content_body or "{}")["entry"]
    [message] = ModelMessagesTypeAdapter.validate_python([held["message"]])
    return ConversationEntry(id=held["id"], parent_id=held["parent_id"], message=message)


def chain(entries: Mapping[str, ConversationEntry], end: str) -> Iterable[ConversationEntry]:
    """Yields an entry and those before it, the last first. Raises `LookupError` if one is gone."""
    at: str | None = end
    while at is not None:
        entry = entries[at]
        yield entry
        at = entry.parent_id


def words_in(message: ModelMessage) -> str:
    """Returns what a user or a model says, after the name of the speaker."""
    if isinstance(message, ModelRequest):
        contents = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
        parts = [[one] if isinstance(one, str) else one for one in contents]
        texts = [text_of(one) for content in parts for one in content]
        speaker = "user"
    else:
        texts = [part.content for part in message.parts if isinstance(part, TextPart)]
        speaker = "assistant"
    words = "\n".join(filter(None, texts)).strip()
    return f"{speaker}: {words}" if words else ""


def text_of(content: UserContent) -> str:
    """Returns a text, and nothing of pictures and the like."""
    if isinstance(content, TextContent):
        return content.content
    return content if isinstance(content, str) else ""
