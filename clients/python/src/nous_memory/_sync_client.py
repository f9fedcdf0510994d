"""Written by scripts/generate.py from the async half. Do not edit.

The client: one method for each operation of the server, in the words of the HTTP API."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar
from uuid import uuid4

import httpx
from typing_extensions import Self, Unpack

from . import models as m
from ._core import (
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT,
    SILENCE,
    EventsLost,
    Settings,
    StreamReader,
    Tries,
    answer_of,
    body_of,
    call_of,
    deleted,
    event_of,
    failure_of,
    is_stream,
    match,
    no_stream,
    query_of,
    refusal_of,
    segment,
    settings_of,
)
from .errors import NotFoundError, NousError

T = TypeVar("T")
Row = TypeVar("Row")
RowOf = TypeVar("RowOf", covariant=True)

MAX_PAGE = 200


class Page(Protocol[RowOf]):
    """A page of a list."""

    @property
    def data(self) -> Sequence[RowOf]: ...
    @property
    def next_cursor(self) -> str | None: ...


class Pages(Generic[Row]):
    """A list, page by page. Iterate over it for its rows, or over `pages()`.

    A page is fetched when its first row is asked for. Each iteration begins anew.
    """

    def __init__(self, fetch: Callable[[str | None], Page[Row]]) -> None:
        self._fetch = fetch

    def pages(self) -> Iterator[Page[Row]]:
        """Yields the pages."""
        cursor: str | None = None
        while True:
            page = self._fetch(cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            for row in page.data:
                yield row

    def all(self) -> list[Row]:
        """Fetches all pages, and returns their rows."""
        return [row for row in self]


class Following:
    """What is written to a memory, as it is written. Iterate over it for the events.

    It connects when the first event is asked for. If the connection ends, as it does when the
    server restarts, it connects again after its cursor: nothing is lost or told twice. It gives up
    after as many failures in a row as the client has `retries`. Another iteration goes on at the
    cursor.
    """

    def __init__(self, memory: Memory, after: str | None) -> None:
        self._memory = memory
        self.cursor = after
        """The cursor of what was read last; None before the first connection without one."""

    def __iter__(self) -> Generator[m.MemoryEvent | EventsLost, None, None]:
        link, settings = self._memory._link, self._memory._settings
        tries = Tries(settings, is_repeatable=True, was_connected=link.was_connected)
        while True:
            reader = StreamReader()
            failure: NousError | None = None
            cause: httpx.RequestError | None = None
            has_begun = False
            request = link.http.build_request(
                "GET",
                f"{settings.url}/v1/events",
                params=query_of({"after": self.cursor}),
                headers={**self._memory._headers, b"accept": b"text/event-stream"},
                timeout=httpx.Timeout(settings.timeout, read=SILENCE),
            )
            call = call_of(request)
            try:
                response = link.http.send(request, stream=True)
                try:
                    link.was_connected = True
                    if not response.is_success:
                        response.read()
                        failure = refusal_of(response, settings.url)
                    elif not is_stream(response):
                        raise no_stream(response, settings.url)
                    else:
                        for piece in response.iter_bytes():
                            for sent in reader.events_in(piece):
                                has_begun = True
                                tries = Tries(settings, is_repeatable=True, was_connected=True)
                                event = event_of(sent, call)
                                self.cursor = sent.cursor
                                if event is not None:
                                    yield event
                finally:
                    response.close()
            except httpx.RequestError as error:
                cause = error
            if failure is None:
                if cause is None or has_begun:  # silence, too, ends a stream that had begun
                    cause = httpx.RemoteProtocolError("the stream ended", request=request)
                failure = failure_of(cause, call, settings._replace(timeout=SILENCE))
            wait = tries.wait_after(failure, cause)
            if wait is None:
                raise failure from cause
            time.sleep(max(wait, reader.retry))


class _Link:
    """What clients of one server share: its connections, and whether it has ever answered."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.was_connected = False


class Memory:
    """The memory of one agent. Use it for the whole program, and from any number of tasks.

    `url` is the address of the server, by default that of the variable `MEMORY_URL`, or else
    http://127.0.0.1:3100. `key` is the key of a server with keys, by default that of `MEMORY_KEY`.
    `timeout` is how many seconds a request may wait each time: to connect, for a connection that is
    free, and for each read and write. `retries` is how often it is repeated when that is safe.
    `transport` is an httpx transport of your own, for example for tests.

    It sends nothing until the first call. Any call may raise a `NousError`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        agent: str = "default",
        key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retries: int = DEFAULT_RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        settings = settings_of(url, agent=agent, key=key, timeout=timeout, retries=retries)
        http = httpx.Client(
            transport=transport, verify=settings.is_tls, trust_env=not settings.is_loopback
        )
        self._set_up(settings, _Link(http))

    def _set_up(self, settings: Settings, link: _Link) -> None:
        self._settings = settings
        self._link = link
        self._headers = settings.headers()
        self.nodes = Nodes(self)
        """Memories one by one, and in lists."""
        self.edges = Edges(self)
        """Links between memories."""
        self.clusters = Clusters(self)
        """Named groups of memories."""
        self.conflicts = Conflicts(self)
        """Guesses that one memory replaces another."""
        self.agents = Agents(self)
        """The agents of the server."""

    def with_options(
        self,
        *,
        agent: str | None = None,
        timeout: float | None = None,
        retries: int | None = None,
    ) -> Memory:
        """Returns a client of another agent or with other limits, over the same connections."""
        now = self._settings
        settings = settings_of(
            now.url,
            agent=now.agent if agent is None else agent,
            key=now.key,
            timeout=now.timeout if timeout is None else timeout,
            retries=now.retries if retries is None else retries,
        )
        other = Memory.__new__(Memory)
        other._set_up(settings, self._link)
        return other

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._settings.url

    @property
    def agent(self) -> str:
        """The name of the agent."""
        return self._settings.agent

    def close(self) -> None:
        """Closes the connections."""
        self._link.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, agent={self.agent!r})"

    # ---- remembering -----------------------------------------------------------------------------

    def remember(
        self,
        text: str | None = None,
        /,
        *,
        idempotency_key: str | None = None,
        **fields: Unpack[m.RememberRequestFields],
    ) -> m.RememberAnswer:
        """Stores a text, or `memories=` several, or `messages=` a conversation.

        Splits them, finds their types, and skips duplicates. A request that is sent again with its
        `idempotency_key` within a day stores nothing a second time; each call has a new one unless
        you give it.
        """
        body = {"text": text, **fields} if text is not None else fields
        return self._make("/remember", m.RememberAnswer, body, idempotency_key)

    # ---- finding ---------------------------------------------------------------------------------

    def search(self, query: str, /, **fields: Unpack[m.SearchRequestFields]) -> m.SearchAnswer:
        """Finds memories. A score is the probability that the memory answers."""
        return self._post("/search", m.SearchAnswer, {"query": query, **fields})

    def ask(self, question: str, /, **fields: Unpack[m.AnswerableRequestFields]) -> m.Answerability:
        """Tells whether the memory knows an answer, and which memory is the best.

        This is `/answerable`. Nothing counts as accessed.
        """
        return self._post("/answerable", m.Answerability, {"question": question, **fields})

    def explain(self, query: str, /, **fields: Unpack[m.ExplainRequestFields]) -> m.ExplainAnswer:
        """Tells why the memory `id=` comes up for a question, or why it does not."""
        return self._post("/explain", m.ExplainAnswer, {"query": query, **fields})

    def context(self, input: str, /, **fields: Unpack[m.ContextRequestFields]) -> m.ContextAnswer:
        """Builds the prompt of a turn: `.prompt` of the answer."""
        return self._post("/context", m.ContextAnswer, {"input": input, **fields})

    def context_lines(self, query: str, /, **fields: Unpack[m.LinesRequestFields]) -> m.LinesAnswer:
        """Finds memories, and returns them as lines for a prompt."""
        return self._post("/context/lines", m.LinesAnswer, {"query": query, **fields})

    def context_feedback(self, **fields: Unpack[m.FeedbackRequest]) -> m.FeedbackAnswer:
        """Records which memories of a prompt an answer used. It counts once."""
        return self._post("/context/feedback", m.FeedbackAnswer, fields)

    def expand(self, **query: Unpack[m.ExpandMemoryQuery]) -> m.ExpandedMemory:
        """Returns one whole memory of a prompt."""
        return self._get("/context/expand", m.ExpandedMemory, query)

    def guidance(self, **query: Unpack[m.MemoryGuidanceQuery]) -> m.Guidance:
        """Returns the passage for a system prompt that tells a model about its memory."""
        return self._get("/context/guidance", m.Guidance, query)

    def retrieve(
        self, query: str, /, **fields: Unpack[m.RetrievalRequestFields]
    ) -> m.RetrievalAnswer:
        """Asks each part of a compound question, with a trace."""
        return self._post("/retrieve", m.RetrievalAnswer, {"query": query, **fields})

    def history(
        self, query: str | None = None, /, **fields: Unpack[m.HistoryRequestFields]
    ) -> m.History:
        """Returns the values that a fact has had, of the best answer or of the memory `id=`."""
        body = {"query": query, **fields} if query is not None else fields
        return self._post("/facts/history", m.History, body)

    def timeline(
        self,
        from_: m.TimeInput | None = None,
        to: m.TimeInput | None = None,
        *,
        page_size: int = MAX_PAGE,
        **query: Unpack[m.TimelineQueryFields],
    ) -> Pages[m.TimelineEntry]:
        """Lists memories by the time of the event, or else of the creation."""
        times = {"from": from_, "to": to}
        return self._list("/timeline", m.Timeline, {**times, **query}, page_size)

    def events(self, after: str | None = None, /, *, limit: int | None = None) -> m.Events:
        """Returns what was written after a cursor; without one, the cursor of what comes next."""
        return self._get("/events", m.Events, {"after": after, "limit": limit})

    def follow(self, after: str | None = None, /) -> Following:
        """Follows what is written, after a cursor or from now on, without an end.

        Each event tells its `kind`, and its `cursor` to go on after. An `EventsLost`, whose kind is
        `reset`, comes in place of events that the server does not know any more.
        """
        return Following(self, after)

    def import_rows(self, rows: Sequence[Mapping[str, Any]], /) -> m.RowsImported:
        """Imports rows of an export. What is there already stays as it is."""
        return self._post("/import", m.RowsImported, {"rows": list(rows)})

    def classify(self, query: str, /) -> m.Classification:
        """Tells what kind of question it is."""
        return self._post("/classify-query", m.Classification, {"query": query})

    def search_feedback(
        self, *, idempotency_key: str | None = None, **fields: Unpack[m.SearchFeedback]
    ) -> m.LessonAnswer:
        """Tells which of the shown memories were used. Learning has to be on."""
        return self._make("/search/feedback", m.LessonAnswer, fields, idempotency_key)

    def learned(self) -> m.Learned:
        """Returns what use has taught."""
        return self._get("/learned", m.Learned)

    def forget_learned(self) -> m.ForgottenAnswer:
        """Forgets what use has taught."""
        return self._call("DELETE", "/learned", m.ForgottenAnswer)

    # ---- the whole memory ------------------------------------------------------------------------

    def health(self) -> m.Health:
        """Counts memories and edges."""
        return self._get("/health", m.Health)

    def profile(self) -> m.AgentProfile:
        """Returns the preset of the agent, with its types."""
        return self._get("/agent", m.AgentProfile)

    def set_preset(self, preset: str, /) -> m.AgentProfile:
        """Gives the agent another preset."""
        return self._call("PATCH", "/agent", m.AgentProfile, body={"preset": preset})

    def graph(self, *, limit: int | None = None, cursor: str | None = None) -> m.Graph:
        """Returns a page of memories with the edges between them, and the clusters."""
        return self._get("/graph", m.Graph, {"limit": limit, "cursor": cursor})

    def consolidate(self, **fields: Unpack[m.ConsolidationRequest]) -> m.ConsolidationReport:
        """Sums up episodes, and finds duplicates and contradictions."""
        return self._post("/consolidate", m.ConsolidationReport, fields, is_repeatable=False)

    def sweep(self, **fields: Unpack[m.SweepRequest]) -> m.SweepAnswer:
        """Lets memories fade now: stores how far each is at hand. This is `/decay`."""
        return self._post("/decay", m.SweepAnswer, fields)

    def backfill_embeddings(self) -> m.BackfillAnswer:
        """Makes the vectors that are missing."""
        return self._post("/nodes/backfill-embeddings", m.BackfillAnswer)

    def match_playbooks(self, **fields: Unpack[m.MatchRequest]) -> m.MatchAnswer:
        """Finds the playbooks whose triggers fire."""
        return self._post("/playbooks/match", m.MatchAnswer, fields)

    def count_outcome(self, **fields: Unpack[m.Outcome]) -> m.OutcomeAnswer:
        """Counts the outcome of a closed trade for its playbooks."""
        return self._post("/playbooks/outcome", m.OutcomeAnswer, fields, is_repeatable=False)

    # ---- how calls are made ----------------------------------------------------------------------

    def _get(self, path: str, answer: type[T], query: Mapping[str, Any] | None = None) -> T:
        return self._call("GET", path, answer, query=query)

    def _post(
        self, path: str, answer: type[T], body: Any = None, *, is_repeatable: bool = True
    ) -> T:
        return self._call("POST", path, answer, body=body, is_repeatable=is_repeatable)

    def _make(self, path: str, answer: type[T], body: Any, key: str | None) -> T:
        """Makes something that a repeated request must not make again."""
        headers = {b"idempotency-key": (key or uuid4().hex).encode()}
        return self._call("POST", path, answer, body=body, headers=headers)

    def _list(
        self,
        path: str,
        answer: Callable[..., Page[Row]],
        query: Mapping[str, Any],
        page_size: int,
    ) -> Pages[Row]:
        for name in ("limit", "cursor"):
            if name in query:
                raise TypeError(
                    f"a list takes no {name}: it fetches page after page; page_size is how many "
                    f"rows a page has, and pages() gives the pages"
                )

        def fetch(cursor: str | None) -> Page[Row]:
            limits = {"limit": page_size, "cursor": cursor}
            page: Any = answer
            found: Page[Row] = self._get(path, page, {**query, **limits})
            return found

        return Pages(fetch)

    def _call(
        self,
        method: str,
        path: str,
        answer: type[T],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[bytes, bytes] | None = None,
        is_repeatable: bool = True,
    ) -> T:
        link, settings = self._link, self._settings
        sent = {**self._headers, **(headers or {})}
        if body is not None:
            sent[b"content-type"] = b"application/json"
        try:
            request = link.http.build_request(
                method,
                f"{settings.url}/v1{path}",
                params=query_of(query) if query else None,
                content=None if body is None else body_of(body),
                headers=sent,
                timeout=settings.timeout,
            )
        except httpx.InvalidURL as error:  # such as one that is too long
            raise NousError(f"{method} /v1: no request has such an address: {error}") from error
        tries = Tries(settings, is_repeatable=is_repeatable, was_connected=link.was_connected)
        while True:
            cause: Exception | None = None
            failure: NousError
            try:
                response = link.http.send(request)
                link.was_connected = True
                if response.is_success:
                    return answer_of(response, answer, settings.url)
                failure = refusal_of(response, settings.url)
                if method == "DELETE" and isinstance(failure, NotFoundError) and tries.may_be_done:
                    # The try whose answer was lost has deleted it.
                    return deleted(answer)
            except httpx.RequestError as error:
                cause = error
                failure = failure_of(error, call_of(request), settings)
            wait = tries.wait_after(failure, cause)
            if wait is None:
                raise failure from cause
            time.sleep(wait)


class Nodes:
    """Memories one by one, and in lists."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[m.NewNode]
    ) -> m.CreatedNode:
        """Creates a memory as it is. `remember` finds title, type and duplicates by itself."""
        return self._memory._make("/nodes", m.CreatedNode, fields, idempotency_key)

    def create_many(
        self, items: Sequence[m.NewNode], /, *, idempotency_key: str | None = None
    ) -> m.BatchMade:
        """Creates several memories. The answer tells which were refused."""
        body = {"items": items}
        return self._memory._make("/nodes/batch", m.BatchMade, body, idempotency_key)

    def put(
        self, id: str, /, *, if_match: int | None = None, **fields: Unpack[m.NodeReplacement]
    ) -> m.MemoryNode:
        """Creates the memory with this id, or replaces it.

        `if_match` is the `version` that it must have.
        """
        return self._change("PUT", id, fields, if_match)

    def get(self, id: str, /, **query: Unpack[m.ReadNodeQuery]) -> m.MemoryNode:
        """Returns a memory. Reading counts as a recall, unless `recall=False`."""
        return self._memory._get(f"/nodes/{segment('id', id)}", m.MemoryNode, query)

    def get_many(self, ids: Sequence[str], /, *, recall: bool = True) -> m.BatchRead:
        """Returns several memories. The answer tells which are not there."""
        body = {"ids": ids, "recall": recall}
        return self._memory._post("/nodes/batch-get", m.BatchRead, body)

    def list(
        self, *, page_size: int = MAX_PAGE, **query: Unpack[m.ListNodesQuery]
    ) -> Pages[m.MemoryNode]:
        """Lists memories, newest first."""
        return self._memory._list("/nodes", m.NodeList, query, page_size)

    def update(
        self, id: str, /, *, if_match: int | None = None, **changes: Unpack[m.NodeChanges]
    ) -> m.MemoryNode:
        """Changes fields of a memory."""
        return self._change("PATCH", id, changes, if_match)

    def _change(self, method: str, id: str, fields: Any, if_match: int | None) -> m.MemoryNode:
        path = f"/nodes/{segment('id', id)}"
        return self._memory._call(
            method,
            path,
            m.MemoryNode,
            body=fields,
            headers=match(if_match),
            # After a lost answer the version would be another one.
            is_repeatable=if_match is None,
        )

    def delete(self, id: str, /, *, if_match: int | None = None) -> m.Done:
        """Deletes a memory with its edges."""
        path = f"/nodes/{segment('id', id)}"
        return self._memory._call(
            "DELETE",
            path,
            m.Done,
            headers=match(if_match),
            # As for a change: meanwhile another memory may have the id and the version.
            is_repeatable=if_match is None,
        )

    def delete_where(self, filter: m.Filter, /, *, dry_run: bool = False) -> m.Deleted:
        """Deletes the memories that a filter takes. `dry_run` only counts them."""
        body = {"filter": filter, "dry_run": dry_run}
        return self._memory._post("/nodes/delete", m.Deleted, body, is_repeatable=dry_run)

    def purge(self, id: str, /) -> m.Purged:
        """Deletes a memory, and its text from every file of the server."""
        path = f"/nodes/{segment('id', id)}/purge"
        return self._memory._post(path, m.Purged, is_repeatable=False)

    def check_similar(
        self, content: str, /, **fields: Unpack[m.SimilarRequestFields]
    ) -> m.SimilarAnswer:
        """Finds memories that are like a text."""
        body = {"content": content, **fields}
        return self._memory._post("/nodes/check-similar", m.SimilarAnswer, body)


class Edges:
    """Links between memories."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def create(self, *, idempotency_key: str | None = None, **fields: Unpack[m.NewEdge]) -> m.Edge:
        """Links two memories."""
        return self._memory._make("/edges", m.Edge, fields, idempotency_key)

    def create_many(
        self, items: Sequence[m.NewEdge], /, *, idempotency_key: str | None = None
    ) -> m.BatchMade:
        """Creates several edges. The answer tells which were refused."""
        body = {"items": items}
        return self._memory._make("/edges/batch", m.BatchMade, body, idempotency_key)

    def list(
        self, *, page_size: int = MAX_PAGE, **query: Unpack[m.ListEdgesQuery]
    ) -> Pages[m.Edge]:
        """Lists edges, for example those of `node_id=`."""
        return self._memory._list("/edges", m.EdgeList, query, page_size)

    def strengthen(self, id: str, /, **fields: Unpack[m.Strengthening]) -> m.Edge:
        """Makes an edge stronger."""
        path = f"/edges/{segment('id', id)}/strengthen"
        return self._memory._post(path, m.Edge, fields, is_repeatable=False)

    def delete(self, id: str, /) -> m.Done:
        """Deletes an edge."""
        return self._memory._call("DELETE", f"/edges/{segment('id', id)}", m.Done)


class Clusters:
    """Named groups of memories."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[m.NewCluster]
    ) -> m.Cluster:
        """Creates a cluster."""
        return self._memory._make("/clusters", m.Cluster, fields, idempotency_key)

    def get(self, id: str, /) -> m.Cluster:
        """Returns a cluster."""
        return self._memory._get(f"/clusters/{segment('id', id)}", m.Cluster)

    def list(self, *, page_size: int = MAX_PAGE) -> Pages[m.Cluster]:
        """Lists the clusters."""
        return self._memory._list("/clusters", m.ClusterList, {}, page_size)

    def update(self, id: str, /, **changes: Unpack[m.ClusterChanges]) -> m.Cluster:
        """Changes fields of a cluster."""
        path = f"/clusters/{segment('id', id)}"
        return self._memory._call("PATCH", path, m.Cluster, body=changes)

    def delete(self, id: str, /) -> m.Done:
        """Deletes a cluster. Its memories stay."""
        return self._memory._call("DELETE", f"/clusters/{segment('id', id)}", m.Done)

    def add(self, id: str, /, **fields: Unpack[m.NewMember]) -> m.AddedMembers:
        """Puts memories into a cluster."""
        path = f"/clusters/{segment('id', id)}/members"
        return self._memory._post(path, m.AddedMembers, fields)

    def members(self, id: str, /, *, page_size: int = MAX_PAGE) -> Pages[m.ClusterMember]:
        """Lists the memories of a cluster."""
        path = f"/clusters/{segment('id', id)}/members"
        return self._memory._list(path, m.MemberList, {}, page_size)

    def remove(self, id: str, node_id: str, /) -> m.Done:
        """Takes a memory out of a cluster."""
        path = f"/clusters/{segment('id', id)}/members/{segment('node_id', node_id)}"
        return self._memory._call("DELETE", path, m.Done)

    def health(self, id: str, /) -> m.ClusterHealth:
        """Counts the memories of a cluster by how far they have faded."""
        path = f"/clusters/{segment('id', id)}/health"
        return self._memory._get(path, m.ClusterHealth)


class Conflicts:
    """Guesses that one memory replaces another."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def list(
        self, *, page_size: int = MAX_PAGE, **query: Unpack[m.ListConflictsQuery]
    ) -> Pages[m.Conflict]:
        """Lists the queue."""
        return self._memory._list("/contradiction/queue", m.ConflictList, query, page_size)

    def resolve(
        self,
        conflict_id: str | None = None,
        /,
        *,
        resolution: m.Resolution,
        **fields: Unpack[m.ResolvingFields],
    ) -> m.Resolved:
        """Confirms or rejects a guess, by its id, or by `old_node_id=` and `new_node_id=`."""
        body: dict[str, Any] = {"resolution": resolution, **fields}
        if conflict_id is not None:
            body["conflict_id"] = conflict_id
        return self._memory._post("/contradiction/resolve", m.Resolved, body, is_repeatable=False)

    def resolve_many(self, items: Sequence[m.Resolving], /) -> m.BatchResolved:
        """Confirms or rejects several guesses."""
        return self._memory._post(
            "/contradiction/batch-resolve",
            m.BatchResolved,
            {"items": items},
            is_repeatable=False,
        )

    def queue(self, **fields: Unpack[m.NewConflict]) -> m.Conflict:
        """Queues a conflict that you found."""
        return self._memory._post("/contradiction/queue", m.Conflict, fields, is_repeatable=False)

    def detect(self, content: str, /, **fields: Unpack[m.DetectRequestFields]) -> m.Detection:
        """Tells whether a text says that it corrects an older one."""
        body = {"content": content, **fields}
        return self._memory._post("/contradiction/detect", m.Detection, body)


class Agents:
    """The agents of the server."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def list(self, *, page_size: int = MAX_PAGE) -> Pages[m.HostedAgent]:
        """Lists the agents that exist."""
        return self._memory._list("/agents", m.HostedAgentList, {}, page_size)

    def delete(self, agent: str, /) -> m.Done:
        """Deletes an agent with all that it knows."""
        return self._memory._call("DELETE", f"/agents/{segment('agent', agent)}", m.Done)
