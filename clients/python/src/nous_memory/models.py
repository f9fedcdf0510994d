"""Written by scripts/generate.py from the description of the API. Do not edit.

Answers are `msgspec` structs. A field that an answer may lack is None then. A value that this
version of the client does not know is kept as it is, and an unknown field is left out. Requests are
typed dictionaries: plain dictionaries do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

import msgspec
from typing_extensions import Required

from ._time import Time

TimeInput = Union[str, datetime, date]
"""A time in ISO 8601, a `datetime` or a `date`. Without a zone it is read in the agent's zone."""

if TYPE_CHECKING:
    SimilarAnswerMatchesItemAction = Literal["duplicate", "connect"]
    Lifecycle = Literal["ACTIVE", "WEAK", "DORMANT", "COMPRESS", "ARCHIVE", "DELETED"]
    SimilarAnswerRecommendation = Literal["duplicate_found", "similar_found", "unique"]
    SimilarAnswerBasis = Literal["vectors", "words"]
    Section = Literal["EPISODIC", "SIGNALS", "KNOWLEDGE", "PROCEDURAL"]
    ListEdgesQueryDirection = Literal["in", "out", "both"]
    SearchRequestTimeRangeType = Literal["event", "ingestion", "any"]
    Ranking = Literal["evidence", "signals"]
    SearchHitPrimarySignal = Literal[
        "semantic", "keyword", "graph", "recency", "authority", "affinity"
    ]
    Knows = Literal["yes", "perhaps", "no"]
    QueryType = Literal["LOOKUP", "AMBIGUOUS"]
    ExplanationAbsent = Literal["filtered", "not_connected", "no_words"]
    MemoryEventKind = Literal["stored", "changed", "deleted", "linked", "replaced", "unlinked"]
    AgentProfilePresetFrom = Literal["settings", "agent", "default"]
    AgentProfileWeights = Literal["general", "trading"]
    AgentProfileStemming = Literal["english", "none"]
    AgentProfileTypesValueHeading = Literal[
        "user_profile", "decisions", "facts", "procedures", "episodes", "signals"
    ]
    HealthStatus = Literal["ok"]
    GraphQueryNodes = Literal["whole", "ids"]
    RetrievalRequestRecall = Literal["automatic", "explicit", "none"]
    RetrievalTraceMode = Literal["parts", "plain", "fallback"]
    SearchTraceOutcome = Literal["ok", "empty", "failed", "late"]
    RetrievalTraceMergeCutItemWhy = Literal["below_cutoff", "max_results"]
    RetrievalTraceDroppedItemWhy = Literal["nothing_better", "no_title", "budget"]
    RetrievalTraceConfidenceLevel = Literal["HIGH", "MEDIUM", "LOW"]
    CensorAction = Literal["absolute", "block", "warn"]
    PromptSectionName = Literal[
        "identity",
        "user_profile",
        "censors",
        "frame",
        "working_memory",
        "decisions",
        "facts",
        "procedures",
        "episodes",
        "signals",
        "recent_conversations",
    ]
    RetrievalPlanQueriesItemMemoryType = Literal[
        "decision", "fact", "procedure", "episode", "signal"
    ]
    NotTakenKind = Literal[
        "instructions", "tool_call", "tool_result", "reasoning", "refusal", "media", "unknown"
    ]
    ConsolidationReportSummariesItemAction = Literal["created", "updated", "deleted"]
    DetectionTier = Literal["PATTERN"]
    ListConflictsQueryStatus = Literal["pending", "resolved"]
    Grade = Literal["likely", "possible"]
    Resolution = Literal["old_is_current", "new_is_current", "keep_both", "merge", "undecided"]
    TimelineQueryOrder = Literal["asc", "desc"]
    TimelineEntryAtIs = Literal["event", "created"]
    HistoryValueReplacedByGrade = Literal["sure", "likely"]
    RememberRequestTools = Literal["skip", "keep"]
    RememberedMemoryAction = Literal["created", "duplicate"]
    ExtractionBy = Literal["model", "none"]
else:
    SimilarAnswerMatchesItemAction = str
    Lifecycle = str
    SimilarAnswerRecommendation = str
    SimilarAnswerBasis = str
    Section = str
    ListEdgesQueryDirection = str
    SearchRequestTimeRangeType = str
    Ranking = str
    SearchHitPrimarySignal = str
    Knows = str
    QueryType = str
    ExplanationAbsent = str
    MemoryEventKind = str
    AgentProfilePresetFrom = str
    AgentProfileWeights = str
    AgentProfileStemming = str
    AgentProfileTypesValueHeading = str
    HealthStatus = str
    GraphQueryNodes = str
    RetrievalRequestRecall = str
    RetrievalTraceMode = str
    SearchTraceOutcome = str
    RetrievalTraceMergeCutItemWhy = str
    RetrievalTraceDroppedItemWhy = str
    RetrievalTraceConfidenceLevel = str
    CensorAction = str
    PromptSectionName = str
    RetrievalPlanQueriesItemMemoryType = str
    NotTakenKind = str
    ConsolidationReportSummariesItemAction = str
    DetectionTier = str
    ListConflictsQueryStatus = str
    Grade = str
    Resolution = str
    TimelineQueryOrder = str
    TimelineEntryAtIs = str
    HistoryValueReplacedByGrade = str
    RememberRequestTools = str
    RememberedMemoryAction = str
    ExtractionBy = str


class SimilarRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/nodes/check-similar`."""

    title: str | None
    """The title of that text."""
    subtype: str | None
    """Only memories of this subtype are compared."""
    limit: int | None
    """How many at most. Default 5; above 50 it is 50."""
    embedding: Sequence[float] | None
    """The vector of the text."""


class SimilarAnswerMatchesItem(msgspec.Struct, frozen=True, kw_only=True):
    node_id: str
    """The id of the memory."""
    title: str
    """The title of the memory."""
    similarity: float
    """How similar it is, from 0 to 1."""
    action: SimilarAnswerMatchesItemAction
    """The advice: do not store the text again, or create an edge to the memory."""
    lifecycle: Lifecycle
    """The lifecycle state of the memory."""


class SimilarAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Memories that resemble a text."""

    matches: list[SimilarAnswerMatchesItem]
    """Similar memories, the most similar first."""
    recommendation: SimilarAnswerRecommendation
    """The conclusion from the matches."""
    basis: SimilarAnswerBasis
    """The data that was compared."""


class BackfillAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a backfill of embeddings."""

    ok: bool
    """Whether every memory has a vector now."""
    embedded: int
    """How many memories got a vector."""
    total: int
    """How many memories waited for a vector."""


class NewNode(TypedDict, total=False):
    """A memory to create."""

    type: Required[str]
    """The broad kind, such as `concept`, `note` or `episode`."""
    content_title: Required[str]
    """The title. Searches and prompts show it."""
    subtype: str | None
    """The kind, such as `custom:lesson`. It decides the section, and so ranking and decay."""
    content_summary: str | None
    """A short form of the text, for prompts."""
    content_body: str | None
    """The text."""
    event_time: TimeInput | None
    """When it happened, in ISO 8601. Its own offset from UTC decides its day; without one, the
    time zone of the agent.
    """
    temporal_event_time: TimeInput | None
    """Another name of `event_time`. Both may be given if they are equal."""
    temporal_event_confidence: float | None
    """How sure that time is, from 0 to 1."""
    temporal_event_source: str | None
    """The source of that time."""
    neural_stability: float | None
    """The time constant of decay, in days. Default: by the subtype."""
    embedding: Sequence[float] | None
    """The vector of the text. All vectors of an agent have one length."""
    embedding_model: str | None
    """The model that made the vector."""
    frame: str | None
    """The frame in which it is stored: a prompt in the same frame shows it before others."""
    censors: Sequence[str] | None
    """Ids of the active censors, as `active_censors` of a prompt names them."""
    tags: Sequence[str] | None
    """Words by which people ask for it, such as `billing`: they count like words of the title."""
    metadata: Mapping[str, Any]
    """Data of your own, at most 16 KB of JSON. Filters compare it; searches do not read it."""
    user: str | None
    """The user that it belongs to, for filters."""
    session: str | None
    """The session that it belongs to, for filters."""
    expires_at: TimeInput | None
    """When it expires, in ISO 8601. From then on it is not found, and the server deletes it."""
    source: str | None
    """Where it comes from, such as `chat`. Default: `agent`."""
    id: str | None
    """An id of your own: letters, digits, `_ . : -`. The same memory with the same id is made
    once.
    """
    created_at: TimeInput | None
    """When it was made, in ISO 8601, for memories that are older than their row. It is also the
    time of the last access, from which they fade. Not in the future. Default: now.
    """
    signals: Mapping[str, Any] | None
    """Figures such as `pnl_pct`. The salience that follows from them decides the stability,
    unless `neural_stability` is given.
    """


class MemoryNode(msgspec.Struct, frozen=True, kw_only=True):
    """A memory."""

    id: str
    """The id."""
    type: str
    """The broad kind, such as `concept` or `note`."""
    subtype: str | None
    """The kind, such as `custom:lesson`."""
    content_title: str
    """The title."""
    content_summary: str | None
    """The short form of the text."""
    content_body: str | None
    """The text."""
    neural_stability: float | None
    """The time constant of decay, in days."""
    neural_retrievability: float | None
    """The probability of recall now, from 0 to 1."""
    neural_difficulty: float | None
    """How little recalls help, from 0 to 1."""
    neural_access_count: int | None
    """How often it was accessed."""
    neural_last_accessed: Time | None
    """When it was last accessed."""
    state_lifecycle: Lifecycle | None
    """The lifecycle state now."""
    provenance_source: str | None
    """The source of the memory."""
    provenance_created_at: Time | None
    """When it was created, by its source."""
    layer: str | None
    """The layer of the store that it belongs to."""
    version: int | None
    """Grows with each change; the ETag."""
    last_modified: Time | None
    """When it was last changed."""
    created_at: Time | None
    """When its row was made."""
    embedding_model: str | None
    """The model that made its vector."""
    temporal_event_time: Time | None
    """When it happened."""
    temporal_event_confidence: float | None
    """How sure that time is, from 0 to 1."""
    temporal_event_source: str | None
    """The source of that time."""
    frame: str | None
    """The frame in which it was stored."""
    censors: list[str]
    """Ids of the censors that were active."""
    tags: list[str]
    """Words by which it is found, beside title and text."""
    event_time: Time | None
    """When it happened, as `temporal_event_time` says."""
    source: str | None
    """Where it comes from, as `provenance_source` says."""
    metadata: dict[str, Any] | None
    """Data of the caller's."""
    user: str | None
    """The user that it belongs to."""
    session: str | None
    """The session that it belongs to."""
    expires_at: Time | None
    """When it expires; null: never."""
    memory_section: Section
    """The section that its subtype belongs to."""


class CreatedNode(MemoryNode, frozen=True, kw_only=True):
    """A memory that was just created."""

    contradiction_detected: bool | None = msgspec.field(
        default=None, name="_contradiction_detected"
    )
    """The text corrects an older memory: see the queue of conflicts."""


class FilterTags(TypedDict, total=False):
    """Only memories with these tags, whatever their case."""

    any: Sequence[str]
    """At least one of these tags."""
    all: Sequence[str]
    """All of these tags."""
    none: Sequence[str]
    """None of these tags."""


FilterMetadataValue = TypedDict(
    "FilterMetadataValue",
    {
        "eq": "str | float | bool | None",
        "ne": "str | float | bool | None",
        "gt": "str | float",
        "gte": "str | float",
        "lt": "str | float",
        "lte": "str | float",
        "in": "Sequence[str | float | bool | None]",
        "exists": "bool",
    },
    total=False,
)


class TimeBounds(TypedDict, total=False):
    """Only memories that were created in this time."""

    gte: TimeInput
    """At this time or later, in ISO 8601."""
    gt: TimeInput
    """Later than this time, or than the whole of this day."""
    lte: TimeInput
    """At this time or earlier; a day counts as a whole."""
    lt: TimeInput
    """Earlier than this time, or than this day."""


class Filter(TypedDict, total=False):
    """Which memories to delete."""

    ids: Sequence[str]
    """Only memories with these ids."""
    user: str | Sequence[str | None] | None
    """Only memories of this user, or of one of these; null: of no user."""
    session: str | Sequence[str | None] | None
    """Only memories of this session, or of one of these; null: of no session."""
    source: str | Sequence[str | None] | None
    """Only memories from this source, or one of these."""
    type: str | Sequence[str]
    """Only memories of this type, or of one of these."""
    subtype: str | Sequence[str | None] | None
    """Only memories of this subtype, or of one of these; null: of no subtype."""
    section: Section | Sequence[Section]
    """Only memories of this section, or of one of these."""
    lifecycle: Lifecycle | Sequence[Lifecycle]
    """Only memories in this lifecycle state, or in one of these."""
    tags: FilterTags
    """Only memories with these tags, whatever their case."""
    metadata: Mapping[str, str | float | bool | FilterMetadataValue | None]
    """Conditions on metadata by path: `{"project.name": "skerry", "pages": {"gte": 10}}`. A
    condition on a list holds if it holds for one of its entries.
    """
    created: TimeBounds
    """Only memories that were created in this time."""
    event_time: TimeBounds


class ListNodesQuery(TypedDict, total=False):
    """The query of `GET /v1/nodes`."""

    type: str
    """Only memories of this type."""
    subtype: str
    """Only memories of this subtype."""
    lifecycle: Lifecycle
    """Only memories in this lifecycle state."""
    created_after: TimeInput
    """Only memories created at this time or later."""
    created_before: TimeInput
    """Only memories created at this time or earlier, or on this day."""
    event_after: TimeInput
    """Only memories of an event at this time or later."""
    event_before: TimeInput
    """Only memories of an event at this time or earlier, or on this day."""
    user: str
    """Only memories of this user."""
    session: str
    """Only memories of this session."""
    source: str
    """Only memories from this source."""
    section: Section
    """Only memories of this section."""
    tag: str
    """Only memories with this tag."""
    filter: Filter
    """All its conditions have to hold."""


class NodeList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of memories."""

    data: list[MemoryNode]
    """The memories."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class ReadNodeQuery(TypedDict, total=False):
    """The query of `GET /v1/nodes/{id}`."""

    recall: bool
    """Whether the read counts as a recall."""


class NodeReplacement(TypedDict, total=False):
    """A memory whose id stands in the path."""

    type: Required[str]
    """The broad kind, such as `concept`, `note` or `episode`."""
    content_title: Required[str]
    """The title. Searches and prompts show it."""
    subtype: str | None
    """The kind, such as `custom:lesson`. It decides the section, and so ranking and decay."""
    content_summary: str | None
    """A short form of the text, for prompts."""
    content_body: str | None
    """The text."""
    event_time: TimeInput | None
    """When it happened, in ISO 8601. Its own offset from UTC decides its day; without one, the
    time zone of the agent.
    """
    temporal_event_time: TimeInput | None
    """Another name of `event_time`. Both may be given if they are equal."""
    temporal_event_confidence: float | None
    """How sure that time is, from 0 to 1."""
    temporal_event_source: str | None
    """The source of that time."""
    neural_stability: float | None
    """The time constant of decay, in days. Default: by the subtype."""
    embedding: Sequence[float] | None
    """The vector of the text. All vectors of an agent have one length."""
    embedding_model: str | None
    """The model that made the vector."""
    frame: str | None
    """The frame in which it is stored: a prompt in the same frame shows it before others."""
    censors: Sequence[str] | None
    """Ids of the active censors, as `active_censors` of a prompt names them."""
    tags: Sequence[str] | None
    """Words by which people ask for it, such as `billing`: they count like words of the title."""
    metadata: Mapping[str, Any]
    """Data of your own, at most 16 KB of JSON. Filters compare it; searches do not read it."""
    user: str | None
    """The user that it belongs to, for filters."""
    session: str | None
    """The session that it belongs to, for filters."""
    expires_at: TimeInput | None
    """When it expires, in ISO 8601. From then on it is not found, and the server deletes it."""
    source: str | None
    """Where it comes from, such as `chat`. Default: `agent`."""
    created_at: TimeInput | None
    """When it was made, in ISO 8601, for memories that are older than their row. It is also the
    time of the last access, from which they fade. Not in the future. Default: now.
    """
    signals: Mapping[str, Any] | None
    """Figures such as `pnl_pct`. The salience that follows from them decides the stability,
    unless `neural_stability` is given.
    """


class NodeChanges(TypedDict, total=False):
    """Fields of a memory to change. The others stay."""

    type: str
    """The broad kind, such as `concept` or `note`."""
    content_title: str
    """The title."""
    subtype: str | None
    """The kind, such as `custom:lesson`. It decides the section, and so ranking and decay."""
    content_summary: str | None
    """A short form of the text, for prompts."""
    content_body: str | None
    """The text."""
    event_time: TimeInput | None
    """When it happened, in ISO 8601. Its own offset from UTC decides its day; without one, the
    time zone of the agent.
    """
    temporal_event_time: TimeInput | None
    """Another name of `event_time`. Both may be given if they are equal."""
    temporal_event_confidence: float | None
    """How sure that time is, from 0 to 1."""
    temporal_event_source: str | None
    """The source of that time."""
    neural_stability: float | None
    """The time constant of decay, in days; null for that of the subtype."""
    embedding: Sequence[float] | None
    """The vector of the text. All vectors of an agent have one length."""
    embedding_model: str | None
    """The model that made the vector."""
    frame: str | None
    """The frame in which it is stored: a prompt in the same frame shows it before others."""
    censors: Sequence[str] | None
    """Ids of the active censors, as `active_censors` of a prompt names them."""
    tags: Sequence[str] | None
    """Words by which people ask for it, such as `billing`: they count like words of the title."""
    metadata: Mapping[str, Any]
    """Data of your own, at most 16 KB of JSON. Filters compare it; searches do not read it."""
    user: str | None
    """The user that it belongs to, for filters."""
    session: str | None
    """The session that it belongs to, for filters."""
    expires_at: TimeInput | None
    """When it expires, in ISO 8601. From then on it is not found, and the server deletes it."""
    source: str | None
    """Where it comes from, such as `chat`. Default: `agent`."""
    neural_retrievability: float
    """The probability of recall, from 0 to 1."""
    neural_difficulty: float
    """How little recalls help, from 0 to 1."""
    state_lifecycle: Lifecycle
    """The lifecycle state."""


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """A confirmation."""

    ok: bool
    """Always true."""


class Deletion(TypedDict, total=False):
    """Memories to delete."""

    filter: Required[Filter]
    """Which memories to delete."""
    dry_run: bool
    """Whether to count the memories, and to delete none."""


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a deletion by a filter."""

    ok: bool
    """Always true."""
    matched: int
    """How many memories the filter matches."""
    deleted: int
    """How many were deleted; 0 with `dry_run`."""
    ids: list[str]
    """Ids of the first 100 of them."""
    dry_run: bool
    """Whether it was a trial."""


class NewEdge(TypedDict, total=False):
    """An edge to create."""

    source_id: Required[str]
    """The memory that the edge leaves."""
    target_id: Required[str]
    """The memory that the edge enters, another one."""
    type: Required[str]
    """The relation, such as `part_of`, `causes` or `supersedes`."""
    subtype: str | None
    """A finer kind of the relation."""
    strength: float | None
    """How strongly activation spreads along it, from 0 to 1. Default: by the type."""
    confidence: float | None
    """How sure the relation is, from 0 to 1."""
    neural_weight: float | None
    """A weight of your own, from 0 to 1."""


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A typed, directed link between two memories."""

    id: str
    """The id."""
    type: str
    """The relation, such as `part_of`."""
    subtype: str | None
    """A finer kind of the relation."""
    source_id: str
    """The memory that the edge leaves."""
    target_id: str
    """The memory that the edge enters."""
    neural_weight: float | None
    """The weight that its creator gave, from 0 to 1."""
    strength: float | None
    """How strongly activation spreads along it, from 0 to 1."""
    confidence: float | None
    """How sure the relation is, from 0 to 1."""
    created_at: Time | None
    """When it was created."""


class ListEdgesQuery(TypedDict, total=False):
    """The query of `GET /v1/edges`."""

    node_id: Required[str]
    """The memory whose edges are listed."""
    direction: ListEdgesQueryDirection
    """Edges that enter the memory, that leave it, or both."""


class EdgeList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of edges."""

    data: list[Edge]
    """The edges."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class Strengthening(TypedDict, total=False):
    """How much an edge gains."""

    amount: float
    """The amount that is added to `strength`."""


class SearchRequestTimeRange(TypedDict, total=False):
    """Only memories of this time."""

    start: TimeInput | None
    """The first instant, in ISO 8601."""
    end: TimeInput | None
    """The last instant, or the last day, in ISO 8601."""
    type: SearchRequestTimeRangeType
    """Which time counts: of the event, of storing, or either."""


class SearchRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/search`."""

    type: str | None
    """Only memories of this type."""
    subtype: str | None
    """Only memories of this subtype."""
    lifecycle: Lifecycle | None
    """Only memories in this lifecycle state."""
    limit: int | None
    """How many at most. Default 10; above 100 it is 100."""
    filter: Filter | None
    """Only memories that this filter matches."""
    time_range: SearchRequestTimeRange | None
    """Only memories of this time."""
    cluster_ids: Sequence[str] | None
    """Only memories in one of these clusters."""
    embedding: Sequence[float] | None
    """The vector of the question, which `signals` compare. Default: the provider's, if there is
    one.
    """
    ranking: Ranking | None
    """How memories rank: by `evidence`, the probability that a memory answers, or by six
    `signals`. Default: the server's, and `signals` with an `embedding`.
    """
    min_score: float | None
    """Only memories with this score or more. Default 0."""
    diversity: float | None
    """How far a memory moves back that is like a better one, from 0 to 1. Default 0. Only by
    evidence.
    """
    with_newer: bool | None
    """Whether memories that may replace one of the first three stand directly behind it, in
    place of the last ones. Default false. Only by evidence, and without a `min_score`.
    """
    recall: bool
    """Whether the memories of the answer count as accessed."""


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """The memory that seems to replace it. For what holds, that memory stands before it."""

    id: str
    """The id of the other memory."""
    probability: float
    """The probability that the newer one replaces the older one."""
    since: Time
    """When the newer one came to hold: the time of its event, or of its creation."""


class ScoreBreakdown(msgspec.Struct, frozen=True, kw_only=True):
    """The six signals of a score, before weighting."""

    semantic: float
    """How near its vector is to the question's. From 0 to 1."""
    keyword: float
    """How well its words match. From 0 to 1."""
    graph: float
    """How much activation reached it along edges. From 0 to 1."""
    recency: float
    """How recently it was accessed. From 0 to 1."""
    authority: float
    """How many edges enter it, against the average. From 0 to 1."""
    affinity: float
    """How often it was accessed. From 0 to 1."""


class SearchHit(MemoryNode, frozen=True, kw_only=True):
    """A memory that a search found, with its score."""

    score: float
    """By evidence: the probability that the memory answers, from 0 to 1. By signals: their
    weighted sum.
    """
    evidence: dict[str, float] | None = None
    """By evidence: each kind of evidence that is not 0, by its name. Missing by signals."""
    superseded_by: str | None = None
    """By evidence: the id of a memory that supersedes it, and that stands before it."""
    replaced_by: Replacement | None = None
    """The memory that seems to replace it. For what holds, that memory stands before it."""
    replaces: Replacement | None = None
    may_replace: str | None = None
    """With `with_newer`: the id of the memory before it that it may replace."""
    similar_to: str | None = None
    """By evidence: the id of a memory before it that it is like or repeats, if it stands
    further back for that reason.
    """
    breakdown: ScoreBreakdown | None = None
    """The six signals of a score, before weighting."""
    primary_signal: SearchHitPrimarySignal | None = None
    """The signal that contributes most to the score. Missing by evidence."""


class SearchMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Times and counts of a search."""

    total_ms: float
    """The whole search, in milliseconds."""
    parse_filters_ms: float
    """Reading the filters, in milliseconds."""
    embed_queries_ms: float | None = None
    """Making the question's vector, in milliseconds. Missing by evidence without one."""
    hybrid_seeding_ms: float | None = None
    """The full-text search, in milliseconds. Missing by evidence."""
    spreading_ms: float
    """The index, with the ranking, in milliseconds."""
    seeds_found: int | None = None
    """How many memories vectors and words found. Missing by evidence."""
    nodes_activated: int | None = None
    """How many memories activation reached. Missing by evidence."""
    nodes_filtered: int
    """How many memories the filters left out."""
    nodes_returned: int
    """How many memories the answer has."""


class QueryAssessment(msgspec.Struct, frozen=True, kw_only=True):
    """The kind of the question."""

    query_type: QueryType
    """Whether the question asks for one fact, or may mean several things."""
    confidence: float
    """How sure that is, from 0 to 1."""
    disqualifier_category: str | None
    """The rule that makes it ambiguous, `D1` to `D6`."""
    disqualified: bool
    """Whether a rule makes it ambiguous."""
    used_embeddings: bool
    """Whether vectors were compared."""
    ssa_multiplier: float | None = None
    """The search looked for this many times the limit. Missing by evidence."""


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that a search found."""

    data: list[SearchHit]
    """The memories, the best first."""
    count: int
    """The number of rows in this answer."""
    answerable: bool | None = None
    """Whether the memory answers the question: `probability` reaches the constant `ANSWERABLE`,
    0.2. Missing by signals.
    """
    knows: Knows | None = None
    """By evidence: whether the memory knows an answer. `yes` where `answerable` is true,
    `perhaps` from a probability of 0.1 on, else `no`.
    """
    probability: float | None = None
    """The probability that the memory knows the answer, by the score of the best memory, how
    near the nearest of the first ten is in meaning, and how many memories there are. Missing by
    signals.
    """
    omitted_ids: list[str] | None = None
    """Memories that were found after these, in order, and for which the answer has no room: its
    rows take 8388608 bytes of JSON at most. They do not count as accessed. Read them by their
    ids. Missing if there are none.
    """
    metrics: SearchMetrics
    """Times and counts of a search."""
    qcs: QueryAssessment
    """The kind of the question."""


class AnswerableRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/answerable`."""

    filter: Filter | None
    """Only memories that this filter matches."""


class AnswerabilityBest(msgspec.Struct, frozen=True, kw_only=True):
    """The memory that answers best; null if none has to do with the question."""

    id: str
    """The id of the memory."""
    content_title: str
    """The title of the memory."""


class Answerability(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the memory holds an answer."""

    answerable: bool
    """Whether the probability reaches the constant `ANSWERABLE`, 0.2."""
    knows: Knows
    """By evidence: whether the memory knows an answer. `yes` where `answerable` is true,
    `perhaps` from a probability of 0.1 on, else `no`.
    """
    probability: float
    """The probability that the memory knows the answer."""
    best: AnswerabilityBest | None
    """The memory that answers best; null if none has to do with the question."""


class ExplainRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/explain`."""

    id: str
    """The id of the memory. Give either `id` or `ids`."""
    ids: Sequence[str]
    """The ids of up to 10 memories."""
    filter: Filter | None
    """The filter of the search: only memories that it matches."""


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of evidence, and what it adds to the sum."""

    name: str
    """The name of the kind of evidence."""
    value: float
    """Its value for the memory."""
    weight: float
    """Its weight."""
    contribution: float
    """`value` · `weight`."""


class MatchedWord(msgspec.Struct, frozen=True, kw_only=True):
    """A word of the question, with the word of the memory that it matched."""

    asked: str
    """The word of the question."""
    found: str | None
    """The nearest word of the memory; null if no word is near."""
    nearness: float
    """How near the two are, from 0 to 1: 1 for forms of one word, 0 if none is near."""
    in_passage: bool
    """Whether the best passage holds the word that was found."""


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """How much meaning counts; missing if the question has no vector."""

    model: str
    """The model that made the vectors of the question and of memories."""
    is_estimated: bool
    """Whether the memory has no vector yet, so that its cosine is an estimate."""
    unheld: float
    """The share of the question's words that no memory holds, by rarity."""
    unlike: float
    """The share of the question's words to which no passage has near ones."""
    weight: float
    """What a cosine of 1 weighs for this question."""
    least_weight: float
    """What it would weigh if one memory held all its words."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a memory has its place."""

    id: str
    """The id."""
    content_title: str
    """The title of the memory."""
    rank: int | None
    """Its place among all memories that are found, from 1; null if it is not found."""
    absent: ExplanationAbsent | None = None
    """Why it is not found: the filter excludes it, or it is a summary of a consolidation, which
    only a filter by type finds; nothing connects it with the question; or it has no words. If
    it is `filtered`, the numbers are those without the filter. Missing with a rank.
    """
    score: float
    """The probability that it answers: 1 / (1 + exp(−(`scale` · `sum` + `offset`))). Searches
    round it to four decimals.
    """
    sum: float
    """The sum of all contributions."""
    scale: float
    """See `score`. It depends on the question."""
    offset: float
    """See `score`. It depends on the question."""
    evidence: list[Contribution]
    """The evidence that is not 0, the largest contribution first, whatever its sign."""
    words: list[MatchedWord]
    """The words of the question that count."""
    passage: str | None
    """The passage that speaks most for it, in the words of title and text; null if there is
    none.
    """
    meaning: Meaning | None = None
    """How much meaning counts; missing if the question has no vector."""
    superseded_by: str | None = None
    """The id of a memory that supersedes it, and that stands before it."""
    replaced_by: Replacement | None = None
    """The memory that seems to replace it. For what holds, that memory stands before it."""
    replaces: Replacement | None = None
    similar_to: str | None = None
    """The id of a memory before it that it is like or repeats, if it stands further back for
    that reason.
    """


class UnderstoodQuestionTimesItem(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    """The words that name the time."""
    start: str | None
    """The first instant, in ISO 8601; null if there is no bound."""
    end: str | None
    """The instant after the last; null if there is no bound."""


class UnderstoodQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What was understood of a question."""

    words: list[str]
    """The words that count, without stop words."""
    times: list[UnderstoodQuestionTimesItem]
    """The times that the question names."""
    parts: list[str]
    """The questions that it consists of."""
    intents: list[Section]
    """The sections that it asks for."""
    query_type: QueryType
    """Whether it asks for one fact, or may mean several things."""


class ExplainAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Why memories come up for a question, or do not."""

    data: list[Explanation]
    """The memories, in the order of the request; one that is named twice stands once."""
    count: int
    """The number of rows in this answer."""
    answerable: bool
    """Whether `probability` reaches `threshold`."""
    knows: Knows
    """By evidence: whether the memory knows an answer. `yes` where `answerable` is true,
    `perhaps` from a probability of 0.1 on, else `no`.
    """
    probability: float
    """The probability that the memory knows the answer, as in a search with the filter; 0 if it
    finds nothing.
    """
    threshold: float
    """The constant `ANSWERABLE`, 0.2."""
    understood: UnderstoodQuestion
    """What was understood of a question."""


class ListEventsQuery(TypedDict, total=False):
    """The query of `GET /v1/events`."""

    after: str
    """Only what was written after the event with this cursor. Without it, what is written from
    now on. `0` is the beginning of the memory, as long as its first events are known.
    """


class MemoryEventMemory(msgspec.Struct, frozen=True, kw_only=True):
    """The memory as it is now; null if it is there no longer, or for an edge."""

    id: str
    """The id."""
    type: str
    """The type."""
    subtype: str | None
    """The subtype."""
    title: str
    """The beginning of the title."""
    memory_section: Section
    """The section."""


class MemoryEventEdge(msgspec.Struct, frozen=True, kw_only=True):
    """The edge as it is now; null if it is there no longer, or for a memory."""

    type: str
    """The type."""
    source_id: str
    """The id of the memory that it leads from."""
    target_id: str
    """The id of the memory that it leads to."""


class MemoryEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was written."""

    cursor: str
    """The place of the event: what comes later is read after it."""
    kind: MemoryEventKind
    """What happened. `stored`, `changed` and `deleted` are about a memory, the others about an
    edge. `replaced`: an edge of the type `supersedes`, whose source replaces its target.
    """
    id: str
    """The id of the memory, or of the edge."""
    at: Time
    """When it was written, by the clock of the writer."""
    memory: MemoryEventMemory | None
    """The memory as it is now; null if it is there no longer, or for an edge."""
    edge: MemoryEventEdge | None
    """The edge as it is now; null if it is there no longer, or for a memory."""


class Events(msgspec.Struct, frozen=True, kw_only=True):
    """What was written to a memory."""

    data: list[MemoryEvent]
    """The events, in the order in which they were written."""
    count: int
    """The number of rows in this answer."""
    cursor: str
    """Give it as `after` to read what comes next."""
    reset: bool
    """Whether the events after the given cursor are not known any more: it is too old, or of an
    agent that was deleted or restored. Then read the whole memory anew, and go on after
    `cursor`.
    """


class SearchFeedback(TypedDict, total=False):
    """Which memories of a search were used."""

    question: Required[str]
    """The question of the search."""
    shown: Required[Sequence[str]]
    """The ids of the memories that were shown. Those that do not exist do not count."""
    used: Required[Sequence[str]]
    """The ids of those that were used. Each one must be among `shown`."""


class MovedWeights(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of weights, from −1 to 1."""

    qm: float
    """Whether the memory ends as a question."""
    prevq: float
    """Whether the memory before it in its conversation or run ends as a question."""
    len: float
    """How long it is."""
    num: float
    """Whether it holds a number."""
    cap: float
    """The share of its words that begin with a capital letter."""
    pos: float
    """Its place in its conversation or run."""


class LessonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What feedback has taught."""

    ok: bool
    """Always true."""
    counted: int
    """How many memories taught something: 0 if the setting `learning` is off, and if none or
    all of the memories were used.
    """
    moved: MovedWeights
    """The changes of weights, from −1 to 1."""


class LearnedWeights(msgspec.Struct, frozen=True, kw_only=True):
    """What is added to the weights of evidence that says what a memory is like, from −2 to 2."""

    qm: float
    """Whether the memory ends as a question."""
    prevq: float
    """Whether the memory before it in its conversation or run ends as a question."""
    len: float
    """How long it is."""
    num: float
    """Whether it holds a number."""
    cap: float
    """The share of its words that begin with a capital letter."""
    pos: float
    """Its place in its conversation or run."""


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What use has taught."""

    learning: bool
    """Whether feedback teaches, and searches rank by what it taught: a setting."""
    steps: int
    """How often feedback has taught something."""
    weights: LearnedWeights
    """What is added to the weights of evidence that says what a memory is like, from −2 to 2."""


class ForgottenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was forgotten."""

    ok: bool
    """Always true."""
    forgotten: int
    """How often feedback had taught something."""


class AgentProfileTypesValue(msgspec.Struct, frozen=True, kw_only=True):
    section: Section
    """How memories of the type rank and fade."""
    stability_days: float
    """The time constant of decay of a new memory, in days."""
    heading: AgentProfileTypesValueHeading
    """Where they stand in a prompt."""
    line: str | None = None
    """The form of their lines in a prompt."""
    description: str
    """What memories of the type say."""


class AgentProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent remembers, and how its searches rank."""

    preset: str
    """What memories are about: `general` for people, projects and documents, `trading`, or a
    preset of the operator.
    """
    preset_from: AgentProfilePresetFrom
    """The source of the preset: the server's settings, the agent's own database, or neither."""
    time_zone: str
    """The time zone by whose clocks days are told, by the server's settings."""
    weights: AgentProfileWeights
    """The fitted weights by which evidence counts."""
    stemming: AgentProfileStemming
    """`english`: the forms of an English word count as one word; `none`: they do not."""
    types: dict[str, AgentProfileTypesValue]
    """The types of memories."""
    sections: dict[str, Section]
    """The sections of those subtypes that memories have, and that the preset of this name puts
    elsewhere.
    """
    ranking: Ranking
    """How searches rank, unless a request says."""


class AgentChanges(TypedDict, total=False):
    """What changes about an agent."""

    preset: Required[str]
    """The name of a preset."""


class HealthLifecycle(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories are in each state. States without memories are missing."""

    ACTIVE: int | None = None
    WEAK: int | None = None
    DORMANT: int | None = None
    COMPRESS: int | None = None
    ARCHIVE: int | None = None
    DELETED: int | None = None


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How much an agent remembers."""

    status: HealthStatus
    """Always `ok`."""
    node_count: int
    """How many memories the agent has."""
    edge_count: int
    """How many edges the agent has."""
    lifecycle: HealthLifecycle
    """How many memories are in each state. States without memories are missing."""


class SweepRequest(TypedDict, total=False):
    """How to sweep."""

    force: bool
    """Sweeps even if the clock looks wrong."""


class SweepAnswerTransitionsItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the memory."""
    from_: Lifecycle = msgspec.field(name="from")
    """The state before."""
    to: Lifecycle
    """The state after."""
    subtype: str | None
    """The subtype of the memory."""


class SweepAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a sweep."""

    ok: bool
    """Always true."""
    processed: int
    """How many memories were looked at."""
    transitions_count: int
    """How many of them changed their state."""
    transitions: list[SweepAnswerTransitionsItem]
    """The changes of state."""


class GraphQuery(TypedDict, total=False):
    """The query of `GET /v1/graph`."""

    nodes: GraphQueryNodes
    """Whether memories are whole, the default, or their ids alone, which is faster."""


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """A memory of the graph, without its body."""

    id: str
    """The id."""
    type: str
    """The broad kind, such as `concept` or `note`."""
    subtype: str | None
    """The kind, such as `custom:lesson`."""
    title: str
    """The title."""
    summary: str | None
    """The short form of the text."""
    retrievability: float
    """The probability of recall now, from 0 to 1."""
    lifecycle: Lifecycle
    """The lifecycle state now."""
    access_count: int
    """How often it was accessed."""
    created_at: Time | None
    """When it was created."""


class GraphEdge(msgspec.Struct, frozen=True, kw_only=True):
    """An edge of the graph."""

    id: str
    """The id."""
    source: str
    """The memory that the edge leaves."""
    target: str
    """The memory that the edge enters."""
    type: str
    """The relation, such as `part_of`."""
    strength: float | None
    """How strongly activation spreads along it, from 0 to 1."""


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """A named group of memories."""

    id: str
    """The id."""
    name: str
    """The name."""
    description: str | None
    """The purpose of the cluster."""
    icon: str | None
    """A picture for displays, such as an emoji."""
    pinned: bool
    """Whether displays show it first."""
    source: str | None
    """Where the cluster comes from."""
    auto_subtypes: list[str]
    """New memories of these subtypes are put into the cluster."""
    created_at: Time | None
    """When it was created."""
    node_count: int
    """How many memories it holds."""


class Membership(msgspec.Struct, frozen=True, kw_only=True):
    """The entry that puts one memory into one cluster."""

    cluster_id: str
    """The id of the cluster."""
    node_id: str
    """The id of the memory."""
    weight: float | None
    """How strongly the memory belongs to the cluster, from 0 to 1."""
    pinned: bool
    """Whether displays show it first."""
    updated_at: Time | None
    """When the membership was last changed."""


class GraphCount(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of rows in this answer."""

    nodes: int
    """The number of memories, or of ids, in this answer."""
    edges: int
    """The number of edges in this answer."""


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """A page of an agent's graph."""

    nodes: list[GraphNode]
    """The memories; none with `nodes=ids`."""
    node_ids: list[str] | None = None
    """With `nodes=ids`: the ids of the memories, in the order of `nodes`."""
    edges: list[GraphEdge]
    """The edges."""
    clusters: list[Cluster]
    """The clusters."""
    memberships: list[Membership]
    """The memberships."""
    count: GraphCount
    """The numbers of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class Anomaly(TypedDict, total=False):
    """An unusual event that playbooks may react to."""

    type: Required[str]
    """The kind of the event, as triggers name it."""
    symbol: str | None
    """The subject of the event, such as `BTC`."""
    severity: Required[float]
    """How severe it is, from 0 to 1."""


class MatchRequest(TypedDict, total=False):
    """Events that playbooks may react to."""

    events: Required[Sequence[Anomaly]]
    """Up to 1000 events."""
    snapshot: Mapping[str, float | Sequence[float] | None]
    """Variables by name. Of several values the last is the present one."""


class PlaybookMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A playbook that an event fired."""

    id: str
    """The id of the playbook."""
    title: str
    """The title of the playbook."""
    action: str
    """The action of the playbook."""
    direction: str
    """The direction of the action, such as `long`."""
    success_count: int
    """How many of its trades were profitable."""
    sample_size: int
    """How many trades followed it."""
    type: str
    """The kind of the event that fired it."""
    symbol: str | None
    """The subject of that event."""
    severity: float
    """How severe that event is, from 0 to 1."""
    success_rate: float
    """The share of profitable trades, from 0 to 1."""
    relevance: float
    """The success rate times the severity."""


class MatchAnswerMissingItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the playbook."""
    var: str
    """The variable that its condition needs."""


class MatchAnswerProblemsItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id."""
    reason: str
    """Why it cannot be read."""


class MatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The playbooks that events fired."""

    matches: list[PlaybookMatch]
    """The playbooks that fired, the most relevant first."""
    count: int
    """How many playbooks fired."""
    missing: list[MatchAnswerMissingItem]
    """Variables that conditions need and `snapshot` does not have."""
    problems: list[MatchAnswerProblemsItem]
    """Playbooks that cannot be read. They never match."""
    text: str
    """The matches as text for the agent's prompt; empty if nothing matches."""


class Outcome(TypedDict, total=False):
    """How a trade ended."""

    entry_id: Required[str]
    """The memory of the trade's entry. Edges `applied_to` lead to it from its playbooks."""
    profitable: Required[bool]
    """Whether the trade made a profit."""


class OutcomeAnswerAppliedItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the playbook."""
    success_count: int
    """How many of its trades were profitable."""
    sample_size: int
    """How many trades followed it."""
    last_applied: Time
    """When a trade last followed it."""
    neural_stability: float
    """Its time constant of decay, in days."""


class OutcomeAnswerProblemsItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id."""
    reason: str
    """Why it cannot be read."""


class OutcomeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The changes by the outcome of a trade."""

    ok: bool
    """Always true."""
    applied: list[OutcomeAnswerAppliedItem]
    """The playbooks that the trade was counted for."""
    counted_before: list[str]
    """Ids of playbooks that this trade was counted for earlier."""
    problems: list[OutcomeAnswerProblemsItem]
    """Playbooks that cannot be read. The trade counts for them as soon as they can."""


class RetrievalRequestTimeRange(TypedDict, total=False):
    """Only memories of this time."""

    start: TimeInput | None
    """The first instant, in ISO 8601."""
    end: TimeInput | None
    """The last instant, or the last day, in ISO 8601."""
    type: SearchRequestTimeRangeType
    """Which time counts: of the event, of storing, or either."""


class RetrievalRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/retrieve`."""

    type: str | None
    """Only memories of this type."""
    subtype: str | None
    """Only memories of this subtype."""
    lifecycle: Lifecycle | None
    """Only memories in this lifecycle state."""
    filter: Filter | None
    """Only memories that this filter matches."""
    time_range: RetrievalRequestTimeRange | None
    """Only memories of this time."""
    cluster_ids: Sequence[str] | None
    """Only memories in one of these clusters."""
    embedding: Sequence[float] | None
    """The vector of the question, which `signals` compare. Default: the provider's, if there is
    one.
    """
    ranking: Ranking | None
    """How memories rank: by `evidence`, the probability that a memory answers, or by six
    `signals`. Default: the server's, and `signals` with an `embedding`.
    """
    min_score: float | None
    """Only memories with this score or more. Default 0."""
    diversity: float | None
    """How far a memory moves back that is like a better one, from 0 to 1. Default 0. Only by
    evidence.
    """
    with_newer: bool | None
    """Whether memories that may replace one of the first three stand directly behind it, in
    place of the last ones. Default false. Only by evidence, and without a `min_score`.
    """
    recall: RetrievalRequestRecall | bool
    """Edges between memories that are recalled together gain, more by `explicit` than by
    `automatic`. `none`, or false, counts nothing.
    """


class RetrievalHit(SearchHit, frozen=True, kw_only=True):
    """A memory that a retrieval found."""

    sub_query_group: int = msgspec.field(name="_sub_query_group")
    """The part of the question that found it, from 0."""
    original_score: float | None = msgspec.field(default=None, name="_original_score")
    """The score before the boost of a section that the question asks for."""
    intent_boosted: bool | None = msgspec.field(default=None, name="_intent_boosted")
    """Its section is one of the intents."""


class RetrievalTraceClassification(msgspec.Struct, frozen=True, kw_only=True):
    """The kind of the question."""

    query_type: QueryType
    """Whether the question asks for one fact, or may mean several things."""
    disqualifier_category: str | None
    """The rule that makes it ambiguous, `D1` to `D6`."""
    entity: str | None
    """The person or thing that it asks about."""
    attribute: str | None
    """The property that it asks for."""
    confidence: float
    """How sure that is, from 0 to 1."""
    intents: list[Section]
    """The sections that it asks for."""


class SearchTrace(msgspec.Struct, frozen=True, kw_only=True):
    """One search of a retrieval."""

    query: str
    """The text of the search."""
    outcome: SearchTraceOutcome
    """How the search ended."""
    results: int
    """How many memories it found."""
    top_score: float | None
    """The best score."""
    error: str | None = None
    """Why it failed."""
    ms: float
    """How long it took, in milliseconds."""


class RetryTrace(SearchTrace, frozen=True, kw_only=True):
    """A second search for a part with weak results."""

    filters_dropped: bool
    """Whether it searched without the filters."""
    stands: bool
    """Whether its results replaced the first ones."""


class PartTrace(SearchTrace, frozen=True, kw_only=True):
    """The search for one part of the question."""

    retry: RetryTrace | None = None
    """A second search for a part with weak results."""


class RetrievalTraceMergeBoostedItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the memory."""
    from_: float = msgspec.field(name="from")
    """The score before the boost."""
    to: float
    """The score after the boost."""


class RetrievalTraceMergeCutItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the memory."""
    score: float
    """Its score."""
    why: RetrievalTraceMergeCutItemWhy
    """Why it was left out."""


class RetrievalTraceMerge(msgspec.Struct, frozen=True, kw_only=True):
    """How results were merged; null if nothing was found."""

    found: int
    """How many memories the searches found."""
    kept: int
    """How many were kept."""
    cutoff: float
    """The least score that was kept."""
    boosted: list[RetrievalTraceMergeBoostedItem]
    """Memories of a section that the question asks for."""
    covered: list[str]
    """Ids that were kept so that each part has a result."""
    cut: list[RetrievalTraceMergeCutItem]
    """Memories that were left out."""
    cut_total: int
    """How many were left out."""


class RetrievalTraceTitlesItem(SearchTrace, frozen=True, kw_only=True):
    """One search of a retrieval."""

    id: str
    """The id of the memory."""


class RetrievalTraceReplacedItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the memory."""
    score: float
    """Its score."""
    by: str
    """The id of the memory that replaced it."""
    by_score: float
    """The score of that memory."""


class RetrievalTraceDroppedItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id of the memory."""
    score: float
    """Its score."""
    why: RetrievalTraceDroppedItemWhy
    """Why nothing replaced it."""


class RetrievalTraceConfidenceBreakdown(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of the score."""

    mq: float
    """Match quality, from 0 to 1."""
    dt: float
    """Distance between the best results, from 0 to 1."""
    cm: float
    """Coverage of the question, from 0 to 1."""


class RetrievalTraceConfidence(msgspec.Struct, frozen=True, kw_only=True):
    """How sure the retrieval is of its results."""

    score: float
    """How well the results answer the question, from 0 to 1."""
    level: RetrievalTraceConfidenceLevel
    """The same in one word."""
    breakdown: RetrievalTraceConfidenceBreakdown
    """The parts of the score."""
    flags: list[str]
    """Reasons for doubt about the results."""


class RetrievalTraceMs(msgspec.Struct, frozen=True, kw_only=True):
    """How long each step took, in milliseconds."""

    understand: float
    """Understanding the question."""
    search: float
    """Searching."""
    merge: float
    """Merging."""
    replace: float
    """Replacing weak results."""
    total: float
    """The whole."""


class RetrievalTrace(msgspec.Struct, frozen=True, kw_only=True):
    """The steps of a retrieval, and their reasons."""

    query: str
    """The question."""
    mode: RetrievalTraceMode
    """Whether parts were searched for, or the question as a whole."""
    classification: RetrievalTraceClassification
    """The kind of the question."""
    parts: list[PartTrace]
    """The search for each part."""
    fallback: SearchTrace | None = None
    """One search of a retrieval."""
    merge: RetrievalTraceMerge | None
    """How results were merged; null if nothing was found."""
    titles: list[RetrievalTraceTitlesItem]
    """Searches by the title of a weak result."""
    replaced: list[RetrievalTraceReplacedItem]
    """Weak results that better ones replaced."""
    dropped: list[RetrievalTraceDroppedItem]
    """Weak results that nothing replaced."""
    confidence: RetrievalTraceConfidence
    """How sure the retrieval is of its results."""
    ms: RetrievalTraceMs
    """How long each step took, in milliseconds."""


class RetrievalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that a retrieval found."""

    data: list[RetrievalHit]
    """The memories, the best first."""
    count: int
    """The number of rows in this answer."""
    omitted_ids: list[str] | None = None
    """Memories that were found after these, in order, and for which the answer has no room: its
    rows take 8388608 bytes of JSON at most. They do not count as accessed. Read them by their
    ids. Missing if there are none.
    """
    groups: list[list[str]]
    """The ids that each part of the question found."""
    trace: RetrievalTrace
    """The steps of a retrieval, and their reasons."""


class LinesRequestTimeRange(TypedDict, total=False):
    """Only memories of this time."""

    start: TimeInput | None
    """The first instant, in ISO 8601."""
    end: TimeInput | None
    """The last instant, or the last day, in ISO 8601."""
    type: SearchRequestTimeRangeType
    """Which time counts: of the event, of storing, or either."""


class LinesRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/context/lines`."""

    type: str | None
    """Only memories of this type."""
    subtype: str | None
    """Only memories of this subtype."""
    lifecycle: Lifecycle | None
    """Only memories in this lifecycle state."""
    filter: Filter | None
    """Only memories that this filter matches."""
    time_range: LinesRequestTimeRange | None
    """Only memories of this time."""
    cluster_ids: Sequence[str] | None
    """Only memories in one of these clusters."""
    embedding: Sequence[float] | None
    """The vector of the question, which `signals` compare. Default: the provider's, if there is
    one.
    """
    ranking: Ranking | None
    """How memories rank: by `evidence`, the probability that a memory answers, or by six
    `signals`. Default: the server's, and `signals` with an `embedding`.
    """
    min_score: float | None
    """Only memories with this score or more. Default 0."""
    diversity: float | None
    """How far a memory moves back that is like a better one, from 0 to 1. Default 0. Only by
    evidence.
    """
    with_newer: bool | None
    """Whether memories that may replace one of the first three stand directly behind it, in
    place of the last ones. Default false. Only by evidence, and without a `min_score`.
    """
    recall: RetrievalRequestRecall | bool
    """Edges between memories that are recalled together gain, more by `explicit` than by
    `automatic`. `none`, or false, counts nothing.
    """
    max_tokens: float
    """How long the text may be, in tokens."""


class LinesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Memories as lines of text."""

    text: str | None
    """A line for each memory; null if nothing was found."""
    ids: list[str]
    """The ids of the memories, in the order of the lines."""


class Frame(TypedDict, total=False):
    """The kind of work that a turn belongs to."""

    frame_id: Required[str]
    """The id of the frame, such as `task`."""
    frame_name: str
    """The name for the prompt."""
    description: str | None
    """The subject of the frame."""
    questions_to_ask: Sequence[str]
    """Questions that the agent should ask itself."""


class Message(TypedDict, total=False):
    """A message of a conversation."""

    role: Required[str]
    """Who speaks, such as `user` or `assistant`."""
    content: Required[str]
    """The words of the message."""
    name: str | None
    """The name of the speaker. Default: the role."""
    created_at: TimeInput | None
    """When it was said, in ISO 8601. Not in the future."""
    id: str | None
    """The id that the message has elsewhere."""


class Censor(TypedDict, total=False):
    """A rule that forbids the agent something."""

    id: Required[str]
    """The id of the censor."""
    text: Required[str]
    """The rule, as the prompt says it."""
    action: Required[CensorAction]
    """How strict the rule is, the strictest first."""


class ContextRequestWorkingMemoryItemsItem(TypedDict, total=False):
    text: Required[str]
    """The note."""
    relevance: Required[float]
    """How relevant it is; the higher, the earlier."""


class ContextRequestWorkingMemory(TypedDict, total=False):
    """The current task of the agent."""

    current_task: str | None
    """The task in hand."""
    current_frame: str | None
    """The frame of that task."""
    current_topic: str | None
    """The topic of the conversation."""
    open_threads: Sequence[str] | None
    """Questions that are still open."""
    items: Sequence[ContextRequestWorkingMemoryItemsItem] | None
    """Notes of the agent."""


class ContextRequestBudgets(TypedDict, total=False):
    """Tokens by section; `conversation_window`: turns of the user that memories are compared
    with.
    """

    identity: int
    user_profile: int
    censors: int
    frame: int
    working_memory: int
    decisions: int
    facts: int
    procedures: int
    episodes: int
    signals: int
    total: int
    conversation_window: int


class ContextRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/context`."""

    identity: str
    """Who the agent is. It comes first in the prompt."""
    frame: str | Frame | None
    """The frame, or its id. Default: the frame that the input speaks for."""
    messages: Sequence[Message | Mapping[str, Any] | Sequence[Any]] | None
    """The conversation, oldest first, in any shape that `/v1/remember` takes. Memories that it
    repeats are left out.
    """
    censors: Sequence[Censor] | None
    """Rules that forbid the agent something."""
    working_memory: ContextRequestWorkingMemory | None
    """The current task of the agent."""
    budgets: ContextRequestBudgets | None
    """Tokens by section; `conversation_window`: turns of the user that memories are compared
    with.
    """
    max_tokens: int | None
    """How long the prompt may be, in tokens, as `budgets.total` says. Default by evidence:
    1500.
    """
    min_score: float | None
    """By evidence: the least probability of a memory in the prompt. 0 fills the prompt with
    what is next best. Default: a share of the best memory's, which is larger if the turn is no
    question.
    """
    max_lines: int | None
    """By evidence: the most memories in the prompt. Default: as many as the tokens allow."""
    filter: Filter | None
    """Only memories that this filter matches."""
    embedding: Sequence[float] | None
    """The vector of the input."""
    ranking: Ranking | None
    """How memories rank: by `evidence`, the probability that a memory answers, or by six
    `signals`. Default: the server's, and `signals` with an `embedding`.
    """
    recall: RetrievalRequestRecall | bool
    """Edges between memories that are recalled together gain, more by `explicit` than by
    `automatic`. `none`, or false, counts nothing.
    """


class PromptSection(msgspec.Struct, frozen=True, kw_only=True):
    """A section of a prompt."""

    name: PromptSectionName
    """The section of the prompt."""
    priority: int
    """The place in the prompt; the lower, the earlier."""
    label: str
    """The heading."""
    content: str
    """The text."""
    token_estimate: int
    """How long the text is, in tokens."""
    budget: int | None
    """How long it may be, in tokens; null: as long as it is."""


class ContextAnswerRecalledIds(msgspec.Struct, frozen=True, kw_only=True):
    """Ids of the memories in the prompt, by kind."""

    decision: list[str]
    fact: list[str]
    procedure: list[str]
    episode: list[str]
    signal: list[str]


class ContextAnswerFrame(msgspec.Struct, frozen=True, kw_only=True):
    """The frame of the turn."""

    frame_id: str
    """The id of the frame."""


class TurnSignalsMemoryTypeHints(msgspec.Struct, frozen=True, kw_only=True):
    """How much it asks for each kind of memory, from 0 to 1."""

    decision: float | None = None
    fact: float | None = None
    procedure: float | None = None
    episode: float | None = None
    signal: float | None = None


class TurnSignals(msgspec.Struct, frozen=True, kw_only=True):
    """The signals in a message of the user."""

    input: str
    """The message of the user."""
    frame_type: str
    """The id of the frame."""
    entity_mentions: list[str]
    """The names in the message."""
    temporal_recency: float
    """How much it asks for recent things, from 0 to 1."""
    memory_type_hints: TurnSignalsMemoryTypeHints
    """How much it asks for each kind of memory, from 0 to 1."""
    is_question: bool
    """Whether it is a question."""
    is_greeting: bool
    """Whether it is a greeting."""
    is_acknowledgement: bool
    """Whether it only acknowledges, as `ok` does."""
    topic_keywords: list[str]
    """The words that memories are searched by."""


class RetrievalPlanQueriesItem(msgspec.Struct, frozen=True, kw_only=True):
    memory_type: RetrievalPlanQueriesItemMemoryType
    """The kind of memory."""
    query_text: str
    """The text of the search."""
    limit: int
    """How many memories at most."""


class RetrievalPlanBudgetOverrides(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of sections that differ from the usual."""

    decisions: int | None = None
    facts: int | None = None
    procedures: int | None = None
    episodes: int | None = None
    signals: int | None = None


class RetrievalPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The searches of a turn by signals. Missing by evidence."""

    queries: list[RetrievalPlanQueriesItem]
    """The searches."""
    budget_overrides: RetrievalPlanBudgetOverrides
    """Tokens of sections that differ from the usual."""
    skip_types: list[RetrievalPlanQueriesItemMemoryType]
    """Kinds of memory that are not searched."""


class ContextAnswerLeftOutItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str | None
    """The id of the memory; null if it has none."""
    section: PromptSectionName
    """The section of the prompt."""
    reason: str
    """Why it was left out. `budget`: the budget of its section is used. `share`: the profile,
    or recent conversations, have their share of the prompt already. `total`: the whole prompt
    is full. `lines`: the prompt has `max_lines` memories. `unlikely`: it hardly answers the
    turn. `question`: it only asks. `empty`: it says nothing, such as thanks. `superseded`,
    `conversation`, `echo`: it would repeat.
    """


class NotTaken(msgspec.Struct, frozen=True, kw_only=True):
    """What was not taken of messages."""

    kind: NotTakenKind
    """What it is."""
    count: int
    """How many there are."""
    why: str
    """Why it was not taken, in words."""


class ContextAnswerFailedItem(msgspec.Struct, frozen=True, kw_only=True):
    part: str
    """The step."""
    reason: str
    """Why it failed."""


class ContextAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The prompt of a turn, and how it came about."""

    context_id: str
    """Names this prompt in the feedback."""
    prompt: str
    """The prompt."""
    tokens: int
    """How long the prompt is, in tokens."""
    sections: list[PromptSection]
    """The sections of the prompt, in order."""
    recalled_ids: ContextAnswerRecalledIds
    """Ids of the memories in the prompt, by kind."""
    recalled_content: dict[str, str]
    """Texts of the memories in the prompt, by id. Send them with the feedback."""
    active_censors: list[str]
    """Ids of the rules in the prompt."""
    frame: ContextAnswerFrame
    """The frame of the turn."""
    signals: TurnSignals
    """The signals in a message of the user."""
    plan: RetrievalPlan | None = None
    """The searches of a turn by signals. Missing by evidence."""
    temporal_boost: bool
    """Whether recent memories were preferred."""
    refresh_needed: bool
    """Whether the turn begins another topic, so that an older prompt is outdated."""
    asked: str | None = None
    """By evidence: the question that memories were searched by. It is the input, after the
    user's last messages if it continues their topic. Missing if nothing was searched for.
    """
    answerable: bool | None = None
    """By evidence: whether the memory answers the turn. Missing by signals."""
    knows: Knows | None = None
    """By evidence: whether the memory knows an answer. `yes` where `answerable` is true,
    `perhaps` from a probability of 0.1 on, else `no`.
    """
    probability: float | None = None
    """By evidence: the probability that the memory knows the answer. Missing by signals."""
    left_out: list[ContextAnswerLeftOutItem]
    """Memories that were found and are not in the prompt."""
    not_taken: list[NotTaken] | None = None
    """What `messages` hold that memories are not compared with; missing if nothing."""
    failed: list[ContextAnswerFailedItem] | None = None
    """Steps that failed. The prompt was built without them. Missing by evidence."""


class FeedbackRequest(TypedDict, total=False):
    """An agent's answer to a prompt."""

    context_id: Required[str]
    """The prompt that the answer is to. Its feedback counts once."""
    recalled_content: Required[Mapping[str, str]]
    """Texts by id, as `recalled_content` of the prompt has them."""
    response: Required[str]
    """The answer of the agent."""
    input: str | None
    """The message that the prompt was for. With the setting `learning`, memories like those
    that the answer used rank higher from then on. Default: nothing is learned.
    """


class FeedbackAnswerRecordedItem(msgspec.Struct, frozen=True, kw_only=True):
    memory_id: str
    """The id of the memory."""
    was_referenced: bool
    """Whether the answer used it."""
    overlap_score: float
    """How much of it the answer repeats, from 0 to 1."""


class FeedbackAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Which memories an answer used."""

    ok: bool
    """Always true."""
    recorded: list[FeedbackAnswerRecordedItem]
    """The memories of the prompt."""
    count: int
    """How many memories were recorded."""
    referenced: int
    """How many of them the answer used."""
    counted: int | None = None
    """How many memories taught something: 0 if the setting `learning` is off, and if none or
    all of the memories were used.
    """


class ExpandMemoryQuery(TypedDict, total=False):
    """The query of `GET /v1/context/expand`."""

    recall: bool
    """Whether the read counts as a recall."""
    type: Required[str]
    """The kind of the memory: decision, fact, procedure, episode, signal."""
    id: Required[str]
    """The id of the memory."""


class ExpandedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A whole memory as text."""

    type: str
    """The kind of the memory."""
    id: str
    """The id of the memory."""
    found: bool
    """Whether the memory exists."""
    text: str
    """The memory as text for the model, or that it was not found."""


class ConsolidationRequest(TypedDict, total=False):
    """What a consolidation does."""

    dry_run: bool
    """If true, nothing is written: the report tells what would be. Default false. Only of a
    preset that makes summaries.
    """
    merge_duplicates: bool
    """If true, duplicates are merged into the older memory. Default false: they are listed.
    Only of a preset that makes summaries.
    """


class ConsolidationReportSummariesItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str | None
    """The id of the summary; null if a dry run would create it."""
    action: ConsolidationReportSummariesItemAction
    """What was done with it."""
    title: str
    """Its title."""
    sources: int
    """How many memories it sums up."""


class ConsolidationReportDuplicatesItem(msgspec.Struct, frozen=True, kw_only=True):
    kept: str
    """The id of the older memory, which stays."""
    duplicate: str
    """The id of the memory that says the same."""
    merged: bool
    """Whether the duplicate was merged into the older memory."""


class ConsolidationReportErrorsItem(msgspec.Struct, frozen=True, kw_only=True):
    symbol: str
    """The symbol of the group."""
    stage: str
    """The step that failed."""
    message: str
    """Why it failed."""


class ConsolidationReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a consolidation."""

    episodes_reviewed: int
    """How many episodes were read."""
    groups_found: int
    """How many groups the episodes form."""
    groups_analyzed: int
    """How many of the groups were analysed."""
    patterns_created: int
    """How many lessons and playbooks, or summaries, are new."""
    patterns_strengthened: int
    """How many existing lessons and playbooks, or summaries, gained."""
    summaries: list[ConsolidationReportSummariesItem] | None = None
    """The summaries that changed. Only of a preset that makes summaries."""
    conflicts: int | None = None
    """How many possible conflicts were queued. Only of a preset that makes summaries."""
    conflicts_left: int | None = None
    """How many memories the next call compares. Only of a preset that makes summaries."""
    duplicates: list[ConsolidationReportDuplicatesItem] | None = None
    """Memories that say the same. Only of a preset that makes summaries."""
    errors: list[ConsolidationReportErrorsItem]
    """Groups that were skipped, and groups that statistics analysed for a model."""


class Purged(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a purge."""

    ok: bool
    """Always true."""
    deleted: bool
    """Whether the memory still existed."""


class NewNodes(TypedDict, total=False):
    """Memories to create."""

    items: Required[Sequence[NewNode]]
    """1 to 100 memories."""


class BatchMadeResultsItemIssuesItem(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    """The field, such as `time_range.start`; empty for the whole."""
    message: str
    """The fault of the field."""


class BatchMadeResultsItem(msgspec.Struct, frozen=True, kw_only=True):
    """One of several results."""

    index: int
    """The item's place in the request, from 0."""
    status: int
    """The status that the item alone would be answered with. 413: the answer has no room for
    it; its nodes take 8388608 bytes at most.
    """
    id: str | None = None
    """The id of the created row."""
    contradiction_detected: bool | None = msgspec.field(
        default=None, name="_contradiction_detected"
    )
    """The text corrects an older memory: see the queue of conflicts."""
    error: str | None = None
    """The reason, in one sentence."""
    issues: list[BatchMadeResultsItemIssuesItem] | None = None
    """The faults of the request, by field."""


class BatchMade(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of a batch of creations."""

    ok: bool
    """Always true."""
    created: int
    """How many items were created."""
    failed: int
    """How many items were refused."""
    total: int
    """How many items the request has."""
    results: list[BatchMadeResultsItem]
    """An outcome for each item, in the order of the request."""


class NodesWanted(TypedDict, total=False):
    """Memories to read."""

    ids: Required[Sequence[str]]
    """1 to 200 ids."""
    recall: bool
    """Whether the reads count as recalls."""


class BatchReadResultsItemIssuesItem(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    """The field, such as `time_range.start`; empty for the whole."""
    message: str
    """The fault of the field."""


class BatchReadResultsItem(msgspec.Struct, frozen=True, kw_only=True):
    """One of several results."""

    index: int
    """The item's place in the request, from 0."""
    status: int
    """The status that the item alone would be answered with. 413: the answer has no room for
    it; its nodes take 8388608 bytes at most.
    """
    node: MemoryNode | None = None
    """A memory."""
    error: str | None = None
    """The reason, in one sentence."""
    issues: list[BatchReadResultsItemIssuesItem] | None = None
    """The faults of the request, by field."""


class BatchRead(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of a batch of reads."""

    ok: bool
    """Always true."""
    found: int
    """How many memories were read."""
    failed: int
    """How many items were refused."""
    total: int
    """How many items the request has."""
    results: list[BatchReadResultsItem]
    """An outcome for each item, in the order of the request."""


class NewEdges(TypedDict, total=False):
    """Edges to create."""

    items: Required[Sequence[NewEdge]]
    """1 to 500 edges."""


class ImportedRows(TypedDict, total=False):
    """Rows to import."""

    rows: Required[Sequence[Mapping[str, Any]]]
    """1 to 1000 rows of an export, as objects: of the kinds `node`, `cluster`, `membership` and
    `edge`. What a row names comes before it, or is stored.
    """


class RowsImportedWrongItem(msgspec.Struct, frozen=True, kw_only=True):
    index: int
    """The place of the row in the request, from 0."""
    message: str
    """The field, and what is wrong with it."""


class RowsImported(msgspec.Struct, frozen=True, kw_only=True):
    """What became of rows."""

    ok: bool
    """Always true."""
    added: int
    """How many rows were stored."""
    there: int
    """How many rows were there already, by their ids."""
    wrong: list[RowsImportedWrongItem]
    """The rows that cannot be stored. The others are."""


class NewCluster(TypedDict, total=False):
    """A cluster to create."""

    name: Required[str]
    """The name."""
    description: str | None
    """The purpose of the cluster."""
    icon: str | None
    """A picture for displays, such as an emoji."""
    pinned: bool
    """Whether displays show it first."""
    auto_subtypes: Sequence[str] | None
    """A new memory of one of these subtypes is put into the cluster."""


class ListClustersQuery(TypedDict, total=False):
    """The query of `GET /v1/clusters`."""

    pass


class ClusterList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of clusters."""

    data: list[Cluster]
    """The clusters."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class ClusterChanges(TypedDict, total=False):
    """Fields of a cluster to change. The others stay."""

    name: str
    """The name."""
    description: str | None
    """The purpose of the cluster."""
    icon: str | None
    """A picture for displays, such as an emoji."""
    pinned: bool
    """Whether displays show it first."""
    auto_subtypes: Sequence[str] | None
    """A new memory of one of these subtypes is put into the cluster."""


class NewMember(TypedDict, total=False):
    """Memories to put into a cluster."""

    node_id: str
    """One memory. Give this or `node_ids`, not both."""
    node_ids: Sequence[str]
    """1 to 1000 memories."""
    weight: float
    """How strongly the memories belong to it, from 0 to 1."""
    pinned: bool
    """Whether displays show it first."""


class AddedMembers(msgspec.Struct, frozen=True, kw_only=True):
    """The result of adding members. With `node_id` in the request it has the fields of the
    membership, with `node_ids` it does not.
    """

    cluster_id: str
    """The id of the cluster."""
    node_id: str | None = None
    """The id of the memory."""
    weight: float | None = None
    """How strongly the memory belongs to the cluster, from 0 to 1."""
    pinned: bool | None = None
    """Whether displays show it first."""
    updated_at: Time | None = None
    """When the membership was last changed."""
    ok: bool
    """Always true."""
    added: int
    """How many memories the request put into the cluster."""


class ListMembersQuery(TypedDict, total=False):
    """The query of `GET /v1/clusters/{id}/members`."""

    pass


class ClusterMember(MemoryNode, frozen=True, kw_only=True):
    """A memory with its membership in a cluster."""

    cluster_id: str
    """The id of the cluster."""
    node_id: str
    """The id of the memory."""
    weight: float | None
    """How strongly the memory belongs to the cluster, from 0 to 1."""
    pinned: bool
    """Whether displays show it first."""
    updated_at: Time | None
    """When the membership was last changed."""
    membership_weight: float | None
    """The same as `weight`."""
    membership_updated_at: Time | None
    """The same as `updated_at`."""


class MemberList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the memories in a cluster."""

    data: list[ClusterMember]
    """The memories."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class ClusterHealth(msgspec.Struct, frozen=True, kw_only=True):
    """How well the memories of a cluster are remembered."""

    cluster_id: str
    """The id of the cluster."""
    name: str
    """The name of the cluster."""
    total_nodes: int
    """How many memories it holds."""
    active_nodes: int
    """How many of them are ACTIVE."""
    weak_nodes: int
    """How many of them are WEAK."""
    dormant_nodes: int
    """How many of them are in a later state."""
    health_ratio: float
    """The share of active memories, from 0 to 1; 0 for an empty cluster."""


class DetectRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/contradiction/detect`."""

    title: str | None
    """The text that memories are compared with. Default: the beginning of the content."""


class DetectionConflictingNodesItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """The id."""
    title: str
    """The title."""
    subtype: str | None
    """The subtype."""


class Detection(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a text corrects memories, and which."""

    conflict_detected: bool
    """Whether the text corrects something."""
    tier: DetectionTier
    """The method: patterns of words."""
    confidence: float
    """How sure the method is, from 0 to 1."""
    triggers: list[str]
    """The correction markers in the text."""
    disqualifiers: list[str]
    """The phrases that speak against a correction."""
    temporal_signal: bool
    """Whether the text speaks of a change over time."""
    conflicting_nodes: list[DetectionConflictingNodesItem]
    """Memories that the text may correct."""


class ListConflictsQuery(TypedDict, total=False):
    """The query of `GET /v1/contradiction/queue`."""

    status: ListConflictsQueryStatus
    """Conflicts that wait, or resolved ones."""


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """Two texts that may contradict each other."""

    id: str
    """The id."""
    old_node_id: str | None
    """The memory that may be outdated."""
    new_node_id: str | None
    """The memory with the newer text."""
    new_content: str | None
    """The newer text. If a memory holds it: the body of that memory, or its title."""
    conflict_type: str | None
    """The kind of the conflict."""
    detection_tier: str | None
    """The method that found it: `PATTERN` by markers of corrections, `EVIDENCE` without one."""
    detection_confidence: float | None
    """How sure the method is, from 0 to 1."""
    grade: Grade | None = None
    """Of `EVIDENCE`: a likely one ranks the newer memory before the older one."""
    context: str | None
    """A note on the conflict, for its resolution."""
    entity_name: str | None
    """The person or thing that both texts are about."""
    topic: str | None
    """The topic that both texts are about."""
    status: ListConflictsQueryStatus
    """Whether it waits or is resolved."""
    created_at: Time | None
    """When it was queued."""
    expires_at: Time | None
    """When it leaves the queue."""
    resolution: str | None
    """How it was resolved."""
    resolved_at: Time | None
    """When it was resolved."""


class ConflictList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of conflicts."""

    data: list[Conflict]
    """The conflicts."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class NewConflict(TypedDict, total=False):
    """A conflict to queue."""

    old_node_id: Required[str]
    """The memory that may be outdated."""
    new_node_id: str | None
    """The memory with the newer text, or give `new_content`."""
    new_content: str | None
    """The newer text, if no memory holds it."""
    conflict_type: str | None
    """The kind of the conflict."""
    detection_tier: str | None
    """The method that found it: `PATTERN` by markers of corrections, `EVIDENCE` without one."""
    detection_confidence: float | None
    """How sure the method is, from 0 to 1."""
    context: str | None
    """A note on the conflict, for its resolution."""
    entity_name: str | None
    """The person or thing that both texts are about."""
    topic: str | None
    """The topic that both texts are about."""
    expires_at: TimeInput | None
    """When it leaves the queue, in ISO 8601. Default: in 14 days."""


class ResolvingFields(TypedDict, total=False):
    """Other fields of `POST /v1/contradiction/resolve`."""

    old_node_id: str
    """In place of `conflict_id`: the older memory of the two."""
    new_node_id: str
    """In place of `conflict_id`: the newer memory."""
    merged_content: str | None
    """The text that a merge adds to the old memory. Default: the newer text."""


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """A conflict that was resolved."""

    ok: bool
    """Always true."""
    conflict_id: str
    """The id of the conflict."""
    resolution: Resolution
    """How the conflict is resolved. `undecided` takes a decision back."""
    old_node_id: str
    """The memory with the older text."""
    new_node_id: str | None
    """The memory with the newer text."""
    actions: list[str]
    """The changes, in words."""
    resolved_at: Time
    """When it was resolved."""


class Resolving(TypedDict, total=False):
    """How a conflict is to be resolved."""

    conflict_id: str
    """The id of the conflict, or give the two memories."""
    old_node_id: str
    """In place of `conflict_id`: the older memory of the two."""
    new_node_id: str
    """In place of `conflict_id`: the newer memory."""
    resolution: Required[Resolution]
    """How the conflict is resolved. `undecided` takes a decision back."""
    merged_content: str | None
    """The text that a merge adds to the old memory. Default: the newer text."""


class BatchResolving(TypedDict, total=False):
    """How conflicts are to be resolved."""

    items: Required[Sequence[Resolving]]
    """1 to 50 conflicts."""


class BatchResolvedResultsItem(msgspec.Struct, frozen=True, kw_only=True):
    """One of several results."""

    ok: bool
    """Always false."""
    conflict_id: str | None = None
    """The id of the conflict."""
    resolution: Resolution
    """How the conflict is resolved. `undecided` takes a decision back."""
    old_node_id: str | None = None
    """The memory with the older text."""
    new_node_id: str | None = None
    """The memory with the newer text."""
    actions: list[str] | None = None
    """The changes, in words."""
    resolved_at: Time | None = None
    """When it was resolved."""
    error: str | None = None
    """Why it was not resolved."""


class BatchResolved(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of several resolutions."""

    ok: bool
    """Always true."""
    resolved: int
    """How many were resolved."""
    failed: int
    """How many could not be resolved."""
    total: int
    """How many the request has."""
    results: list[BatchResolvedResultsItem]
    """An outcome for each item, in the order of the request."""


class TimelineQueryFields(TypedDict, total=False):
    """The query of `GET /v1/timeline`."""

    order: TimelineQueryOrder
    """`asc`: the earliest first."""
    user: str
    """Only memories of this user."""
    session: str
    """Only memories of this session."""
    source: str
    """Only memories from this source."""
    type: str
    """Only memories of this type."""
    section: Section
    """Only memories of this section."""
    tag: str
    """Only memories with this tag."""
    filter: Filter
    """All its conditions have to hold."""


class TimelineEntry(MemoryNode, frozen=True, kw_only=True):
    """A memory in the order of time."""

    at: Time
    """When it happened; if it tells of no event, when it was created."""
    at_is: TimelineEntryAtIs
    """Which of the two times that is."""


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the timeline."""

    data: list[TimelineEntry]
    """The memories, in order."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """


class HistoryRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/facts/history`."""

    id: str
    """The id of one of its memories. Give either `id` or `query`."""
    filter: Filter | None
    """Only memories that it matches."""


class HistoryValueReplacedBy(msgspec.Struct, frozen=True, kw_only=True):
    """What replaced it; null for a value that holds."""

    id: str
    """The id."""
    grade: HistoryValueReplacedByGrade
    """`sure`: an edge `supersedes`. `likely`: a guess, that waits to be confirmed."""
    probability: float
    """How probably it replaces the value; 1 if that is sure."""


class HistoryValue(MemoryNode, frozen=True, kw_only=True):
    """A value of a fact, with the time in which it held."""

    since: Time
    """When it came to hold: the time of its event, or of its creation."""
    until: Time | None
    """Until when it held: the `since` of what replaced it."""
    replaced_by: HistoryValueReplacedBy | None
    """What replaced it; null for a value that holds."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a fact had."""

    data: list[HistoryValue]
    """The values, the oldest first; none if nothing answers."""
    count: int
    """The number of rows in this answer."""


class TextToRemember(TypedDict, total=False):
    """A text to remember."""

    text: Required[str]
    """What to remember. A long text becomes several memories."""
    title: str | None
    """The title. Default: a heading, or the first sentence."""
    id: str | None
    """An id of your own, for a text that becomes one memory."""
    type: str | None
    """The type, such as `preference`, `task` or `event`. Default: guessed from the text;
    `episode` for messages.
    """
    tags: Sequence[str] | None
    """Words by which people ask for it, such as `billing`: they count like words of the title."""
    metadata: Mapping[str, Any]
    """Data of your own, at most 16 KB of JSON. Filters compare it; searches do not read it."""
    user: str | None
    """The user that it belongs to, for filters."""
    session: str | None
    """The session that it belongs to, for filters."""
    event_time: TimeInput | None
    """When it happened, in ISO 8601. Its own offset from UTC decides its day; without one, the
    time zone of the agent.
    """
    created_at: TimeInput | None
    """When it was said or noted, in ISO 8601: it fades from then on. Not in the future.
    Default: now. Messages may have times of their own.
    """
    expires_at: TimeInput | None
    """When it expires, in ISO 8601. From then on it is not found, and the server deletes it."""
    source: str | None
    """Where it comes from, such as `chat`. Default: `agent`."""
    importance: float | None
    """How long it lasts: 0 halves the time constant of decay, 1 doubles it. Default 0.5, which
    changes nothing.
    """


class RememberRequestFields(TypedDict, total=False):
    """Other fields of `POST /v1/remember`."""

    type: str | None
    """The type, such as `preference`, `task` or `event`. Default: guessed from the text;
    `episode` for messages.
    """
    tags: Sequence[str] | None
    """Words by which people ask for it, such as `billing`: they count like words of the title."""
    metadata: Mapping[str, Any]
    """Data of your own, at most 16 KB of JSON. Filters compare it; searches do not read it."""
    user: str | None
    """The user that it belongs to, for filters."""
    session: str | None
    """The session that it belongs to, for filters."""
    event_time: TimeInput | None
    """When it happened, in ISO 8601. Its own offset from UTC decides its day; without one, the
    time zone of the agent.
    """
    created_at: TimeInput | None
    """When it was said or noted, in ISO 8601: it fades from then on. Not in the future.
    Default: now. Messages may have times of their own.
    """
    expires_at: TimeInput | None
    """When it expires, in ISO 8601. From then on it is not found, and the server deletes it."""
    source: str | None
    """Where it comes from, such as `chat`. Default: `agent`."""
    importance: float | None
    """How long it lasts: 0 halves the time constant of decay, 1 doubles it. Default 0.5, which
    changes nothing.
    """
    title: str | None
    """The title. Default: a heading, or the first sentence."""
    id: str | None
    """An id of your own, for a text that becomes one memory."""
    memories: Sequence[str | TextToRemember]
    """Several texts. Fields beside them count for each that does not say otherwise."""
    messages: Sequence[Message | Mapping[str, Any] | Sequence[Any]]
    """A conversation, oldest first. Its messages stay together in their order."""
    tools: RememberRequestTools | None
    """Whether calls of tools within messages, and their results, are stored, too. Default
    `skip`.
    """
    extract: bool | None
    """Whether a language model takes facts out of the messages. Default: if the server has one."""


class ReplacedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """An older memory that a new one seems to replace."""

    id: str
    """The id of the older memory."""
    title: str
    """Its title."""
    probability: float
    """How probable it is that the new memory replaces it."""
    grade: Grade
    """How sure it is. `likely`: an edge of type `likely_supersedes` leads to the older one."""


class RememberedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a text."""

    id: str
    """The id of the memory; of a duplicate, the id of the older one."""
    action: RememberedMemoryAction
    """`duplicate`: a memory is the same statement, and took the fields of this one."""
    title: str
    """The title."""
    type: str
    """The type."""
    section: Section
    """The section, which decides how it ranks and fades."""
    run: str | None = None
    """The id of the cluster that keeps its parts, or the messages, together."""
    part: int | None = None
    """Its place among the parts of its text, from 1."""
    parts: int | None = None
    """How many parts its text became."""
    replaces: list[ReplacedMemory] | None = None
    """Older memories that it seems to replace, the most probable first. Confirm or reject each:
    see the queue of conflicts.
    """
    supersedes: list[str] | None = None
    """Of a statement that is true again: ids of the memories that it supersedes."""
    fields_not_taken: list[str] | None = None
    """Of a duplicate: fields that its memory did not take, such as `type` or
    `metadata.project`.
    """
    from_: list[str] | None = msgspec.field(default=None, name="from")
    """Of a fact: ids of the memories of the messages that say it."""
    why: str
    """Why it has its type, or why it was not stored, in words."""


class Extraction(msgspec.Struct, frozen=True, kw_only=True):
    """Of messages: how facts were taken out of them."""

    by: ExtractionBy
    """`model`: a language model read the messages; `none`: there is no answer of one."""
    facts: int
    """How many facts are among `stored`: those of `from`."""
    dropped: int | None = None
    """How many facts of the model were not stored: without words, or of no message."""
    unread: int | None = None
    """How many messages have no usable answer of the model. They are stored, too."""
    error: str | None = None
    """Why messages have no usable answer of the model."""


class RememberAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was remembered."""

    stored: list[RememberedMemory]
    """The memories, in the order of the request; then the facts of its messages."""
    created: int
    """How many memories were created."""
    duplicates: int
    """How many texts a memory says already."""
    skipped: int
    """How many texts say nothing to remember, such as `ok`."""
    not_taken: list[NotTaken] | None = None
    """What messages hold beside the words of users and models; missing if nothing."""
    extraction: Extraction | None = None
    """Of messages: how facts were taken out of them."""


class Question(TypedDict, total=False):
    """A question to classify."""

    query: Required[str]
    """The question."""


class Classification(msgspec.Struct, frozen=True, kw_only=True):
    """The kind of a question."""

    query: str
    """The question."""
    disqualified: bool
    """Whether a rule makes it ambiguous."""
    disqualifier_category: str | None
    """The rule that makes it ambiguous, `D1` to `D6`."""
    disqualifier_reason: str | None
    """That rule in words."""
    query_type: QueryType
    """Whether the question asks for one fact, or may mean several things."""
    confidence: float
    """How sure that is, from 0 to 1."""
    entity: str | None
    """The person or thing that it asks about."""
    attribute: str | None
    """The property that it asks for."""


class MemoryGuidanceQuery(TypedDict, total=False):
    """The query of `GET /v1/context/guidance`."""

    preset: str
    """The preset. Default: that of the server; with `--compat hynous` `trading`."""


class Guidance(msgspec.Struct, frozen=True, kw_only=True):
    """A passage for the system prompt."""

    text: str
    """The passage."""


class ListAgentsQuery(TypedDict, total=False):
    """The query of `GET /v1/agents`."""

    pass


class HostedAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that the server has a database of."""

    agent: str
    """The name of the agent."""
    bytes: int
    """The size of its database, in bytes."""


class HostedAgentList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of agents."""

    data: list[HostedAgent]
    """The agents."""
    count: int
    """The number of rows in this answer."""
    next_cursor: str | None
    """Gives the next page as `cursor`; null on the last one. A page may have fewer rows than
    its limit and still not be the last: its rows take 8388608 bytes of JSON at most, or it has
    one row.
    """
