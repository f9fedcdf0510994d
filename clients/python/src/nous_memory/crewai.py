"""A memory of CrewAI. Needs the extra `crewai`, and Python 3.10 to 3.13."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Literal, NamedTuple
from uuid import uuid4

from crewai.events.event_bus import crewai_event_bus
from crewai.events.types.memory_events import (
    MemoryBaseEvent,
    MemoryQueryCompletedEvent,
    MemoryQueryFailedEvent,
    MemoryQueryStartedEvent,
    MemorySaveCompletedEvent,
    MemorySaveFailedEvent,
    MemorySaveStartedEvent,
)
from crewai.llms.base_llm import BaseLLM
from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory as CrewMemory
from crewai.memory.utils import join_scope_paths, normalize_scope_path
from pydantic import PrivateAttr

from . import models as m
from ._sync_client import Memory
from ._texts import MAX_QUESTION, title_of, words_of
from ._turn import Owner

__all__ = ["NousMatch", "NousMemory"]

SOURCE = "crewai"
MAX_FOUND = 100
UNCOPIED = "NousMemory, which an agent that is copied loses: give it to the crew instead"
# What `Agent.kickoff` hands over at its end. Words of several lines may be those of several
# speakers: it joins the messages of a list.
SAID = re.compile(r"Input: (?P<words>[^\n]+)\nAgent: [^\n]*\nResult: ")


class Kinds(NamedTuple):
    """The events about one kind of work."""

    started: type[MemoryBaseEvent]
    completed: type[MemoryBaseEvent]
    failed: type[MemoryBaseEvent]


SAVE = Kinds(MemorySaveStartedEvent, MemorySaveCompletedEvent, MemorySaveFailedEvent)
QUERY = Kinds(MemoryQueryStartedEvent, MemoryQueryCompletedEvent, MemoryQueryFailedEvent)


class NousMatch(MemoryMatch):
    """A memory that was found."""

    until: datetime | None = None
    """Since when a newer memory seems to hold in its place."""

    def format(self) -> str:
        """Returns the line that the model reads: the words, and when they were noted."""
        day = "%d %B %Y"
        noted = f"noted on {self.record.created_at:{day}}"
        if self.until is not None:
            noted = f"earlier, until {self.until:{day}}; {noted}"
        return f"- {self.record.content} ({noted})"


class NousMemory(CrewMemory):
    """The memory of agents and crews of CrewAI. Without `llm` it calls no model and no embedder.

        crew = Crew(agents=[cook], tasks=[dinner], memory=NousMemory(Memory(), user="mira"))

    `user` says whose memories count; new ones belong to the user, and to the `session`.

    The text of `Agent.kickoff` is stored, if it is one line and does more than ask;
    `remembers=False` stores none. Agents store what else matters by the tool that CrewAI gives
    them. With an `llm`, CrewAI has that model take facts out of each task and its result instead.

    `read_only` and `root_scope` are those of CrewAI's own memory.
    """

    _records: Records = PrivateAttr()
    _remembers: bool = PrivateAttr()

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        user: str | None = None,
        session: str | None = None,
        remembers: bool = True,
        llm: BaseLLM | str | None = None,
        read_only: bool = False,
        root_scope: str | None = None,
    ) -> None:
        client = memory or Memory()
        records = Records(client, Owner(SOURCE, user, session), is_own=memory is None)
        given: Any = {"storage": records, "llm": llm, "embedder": no_vectors}
        super().__init__(read_only=read_only, root_scope=root_scope, **given)
        self._records = records
        self._remembers = remembers
        # What a dump tells.
        self.__dict__.update(memory_kind=UNCOPIED, storage=SOURCE, embedder=None)

    @property
    def memory(self) -> Memory:
        """The memory that is asked."""
        return self._records.memory

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        """Stores a text, and returns its record; None if the memory is read-only.

        A long text becomes several memories. The record then is the first of them.
        """
        if self.read_only:
            return None
        record = MemoryRecord(
            content=content,
            scope=join_scope_paths(self.root_scope if root_scope is None else root_scope, scope),
            categories=categories or [],
            metadata=metadata or {},
            importance=0.5 if importance is None else importance,
            source=source,
            private=private,
        )
        fields = {"value": content, "metadata": record.metadata, "agent_role": agent_role}
        with events(self, SAVE, "save_time_ms", fields):
            return self._records.remember(record)

    def remember_many(
        self,
        contents: list[str],
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> list[MemoryRecord]:
        """Stores texts, and returns their records. All are stored when it returns."""
        place = (scope, categories, metadata, importance, source, private, agent_role, root_scope)
        records = [self.remember(content, *place) for content in contents]
        return [record for record in records if record is not None]

    def extract_memories(self, content: str) -> list[str]:
        """Returns what to remember of a task and its result. See `remembers` and `llm`."""
        if self.read_only:
            return []
        if self.llm is not None:
            return super().extract_memories(content)
        said = SAID.match(content)
        if said is None or not self._remembers:
            return []
        words = said["words"]
        signals = self.memory.context(words[:MAX_QUESTION], recall=False).signals
        return [] if signals.is_question else [words]

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        """Finds what a prompt for the query would tell, what holds before what it replaces.

        In the scope "/" these are all memories of the agent, also those of other programs. Both
        depths are the same search. A memory of the user's profile may have the score 0.
        """
        under = join_scope_paths(self.root_scope, scope)
        filter = self._records.filter(under, categories, self._records.owner.filter())
        if source is None and not include_private:
            filter.setdefault("metadata", {})[f"{SOURCE}.private_to"] = {"exists": False}
        fields = {"query": query, "limit": limit}
        with events(self, QUERY, "query_time_ms", fields) as done:
            matches = self._records.find(query, filter, limit, counts=not self.read_only)
            done["results"] = [
                match
                for match in matches
                if include_private or not match.record.private or match.record.source == source
            ]
        results: list[MemoryMatch] = done["results"]
        return results

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> NousMemory:
        return self


# CrewAI copies an agent by a dump, of which it would make a memory of its own, with the model and
# the embedder of OpenAI. It refuses the kind that the dump tells; all else reads this property.
NousMemory.memory_kind = property(lambda _: "memory")  # type: ignore[assignment]


class Records:
    """The records of CrewAI in the memory of an agent, and what its memory calls of a storage."""

    def __init__(self, memory: Memory, owner: Owner, *, is_own: bool) -> None:
        self.memory = memory
        self.owner = owner
        self._is_own = is_own

    def remember(self, record: MemoryRecord) -> MemoryRecord:
        """Stores a record. A statement that its scope has already keeps its id."""
        fields: Any = {
            **self.owner.fields(),
            "tags": record.categories,
            "metadata": metadata_of(record),
            "importance": record.importance,
        }
        stored = self.memory.remember(record.content, **fields).stored
        if len(stored) == 1 and stored[0].action == "duplicate":
            known = self.get_record(stored[0].id)
            if known is not None and place_of(known) != place_of(record):
                fields["id"] = uuid4().hex
                stored = self.memory.remember(record.content, **fields).stored
        if not stored:
            raise ValueError(f"content: {record.content!r} says nothing to remember")
        return record.model_copy(update={"id": stored[0].id})

    def find(self, query: str, filter: Any, limit: int, *, counts: bool) -> list[NousMatch]:
        """Returns what a prompt would tell: the best first, and then the rest of the profile."""
        asked = query[:MAX_QUESTION]
        if not asked.strip():
            return []
        conditions: Any = {"filter": filter} if filter else {}
        told = self.memory.context(
            asked, max_lines=limit, recall="automatic" if counts else "none", **conditions
        ).recalled_content
        hits = self.memory.search(asked, limit=MAX_FOUND, recall=False, **conditions).data
        found: list[NousMatch] = []
        score = 1.0
        for hit in hits:
            # What replaces a memory stands before it, whatever its own score.
            score = min(score, hit.score)
            if hit.id in told:
                until = hit.replaced_by.since.datetime if hit.replaced_by else None
                found.append(NousMatch(record=record_of(hit), score=score, until=until))
        left = set(told) - {hit.id for hit in hits}
        for result in self.memory.nodes.get_many(list(left), recall=False).results if left else []:
            if result.node is not None:
                found.append(NousMatch(record=record_of(result.node), score=0))
        return found

    def filter(
        self, scope: str | None, categories: Sequence[str] | None, fields: Mapping[str, Any] | None
    ) -> Any:
        """Returns a filter of the server."""
        found = dict(fields or {})
        under = normalize_scope_path(scope or "/")
        if under != "/":
            found["metadata"] = {f"{SOURCE}.under": under}
        if categories:
            found["tags"] = {"any": list(categories)}
        return found

    def nodes(
        self, scope: str | None, categories: Sequence[str] | None = None, **conditions: Any
    ) -> Iterator[m.MemoryNode]:
        """Yields what CrewAI stored, of the user and the session if they are set; newest first."""
        owned = {**self.owner.fields(), **conditions}
        return iter(self.memory.nodes.list(filter=self.filter(scope, categories, owned)))

    # ---- what CrewAI's memory calls --------------------------------------------------------------

    def get_record(self, record_id: str) -> MemoryRecord | None:
        found = next(self.nodes(None, ids=[record_id]), None)
        return None if found is None else record_of(found)

    def update(self, record: MemoryRecord) -> None:
        self.memory.nodes.update(
            record.id,
            content_title=title_of(record.content),
            content_body=record.content,
            tags=record.categories,
            metadata=metadata_of(record),
        )

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        conditions = {} if older_than is None else {"created": {"lt": aware(older_than)}}
        wanted = (metadata_filter or {}).items()
        ids = [
            node.id
            for node in self.nodes(scope_prefix, categories, **conditions)
            if (record_ids is None or node.id in record_ids)
            and wanted <= (node.metadata or {}).items()
        ]
        parts = (ids[at : at + MAX_FOUND] for at in range(0, len(ids), MAX_FOUND))
        return sum(self.memory.nodes.delete_where({"ids": part}).deleted for part in parts)

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        return [record_of(it) for it in islice(self.nodes(scope_prefix), offset, offset + limit)]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = [record_of(node) for node in self.nodes(scope)]
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=normalize_scope_path(scope),
            record_count=len(records),
            categories=sorted({one for record in records for one in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=children_of(normalize_scope_path(scope), records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        return self.get_scope_info(parent).child_scopes

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        records = (record_of(node) for node in self.nodes(scope_prefix))
        return dict(Counter(one for record in records for one in record.categories))

    def close(self) -> None:
        if self._is_own:
            self.memory.close()


def no_vectors(texts: Sequence[str]) -> list[list[float]]:
    """Stands for an embedder: the server makes the vectors."""
    return []


def metadata_of(record: MemoryRecord) -> dict[str, Any]:
    """Returns the metadata of the memory of a record: those of the record, and its place."""
    labels = record.scope.strip("/").split("/") if record.scope != "/" else []
    under = ["/" + "/".join(labels[: depth + 1]) for depth in range(len(labels))]
    place: dict[str, Any] = {
        "scope": record.scope,
        "under": under,
        "importance": record.importance,
        "source": record.source,
    }
    if record.private:
        place["private_to"] = record.source or ""
    return {**record.metadata, SOURCE: place}


def record_of(node: m.MemoryNode) -> MemoryRecord:
    """Returns a memory as a record. That of another program is in the scope "/"."""
    metadata = dict(node.metadata or {})
    place = metadata.pop(SOURCE, {})
    created = node.created_at.datetime if node.created_at else datetime.now(timezone.utc)
    seen = node.neural_last_accessed.datetime if node.neural_last_accessed else created
    return MemoryRecord(
        id=node.id,
        content=words_of(node),
        scope=place.get("scope", "/"),
        categories=node.tags,
        metadata=metadata,
        importance=place.get("importance", 0.5),
        created_at=naive(created),
        last_accessed=naive(seen),
        source=place.get("source"),
        private="private_to" in place,
    )


def place_of(record: MemoryRecord) -> tuple[str, bool, str | None]:
    """Returns who finds a record where."""
    return record.scope, record.private, record.source


def children_of(scope: str, records: Sequence[MemoryRecord]) -> list[str]:
    """Returns the scopes just below one."""
    begin = scope.rstrip("/") + "/"
    names = {it.scope[len(begin) :].split("/")[0] for it in records if it.scope.startswith(begin)}
    return sorted(begin + name for name in names if name)


def naive(time: datetime) -> datetime:
    """Returns a time as CrewAI has it: of UTC, without a zone."""
    return time.astimezone(timezone.utc).replace(tzinfo=None)


def aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)


@contextmanager
def events(
    memory: NousMemory, kinds: Kinds, took: str, fields: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Tells CrewAI's listeners about a piece of work. The block adds what its end tells."""
    begun = time.perf_counter()
    source = {"source_type": "unified_memory"}
    crewai_event_bus.emit(memory, kinds.started(**fields, **source))
    more: dict[str, Any] = {}
    try:
        yield more
    except Exception as error:
        crewai_event_bus.emit(memory, kinds.failed(**fields, **source, error=str(error)))
        raise
    more[took] = (time.perf_counter() - begun) * 1000
    crewai_event_bus.emit(memory, kinds.completed(**fields, **source, **more))
