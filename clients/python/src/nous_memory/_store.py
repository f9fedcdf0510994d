"""The operations of a LangGraph store, over a client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from langgraph.store.base import GetOp, ListNamespacesOp, Op, PutOp, Result, SearchOp

from . import _store_items as items
from ._sync_client import Memory
from ._texts import MAX_QUESTION
from .errors import NotFoundError, VersionError

# Ids of one request. A search with a question sees this many memories.
MAX_READ = 100
MAX_FOUND = 100
TOO_LARGE = 413


def run(memory: Memory, ops: Iterable[Op]) -> list[Result]:
    """Carries out operations. Reads come first, and of several writes to a key the last counts."""
    given = list(ops)
    for op in given:
        check(op)
    results: list[Result] = [None] * len(given)
    gets = [(at, op) for at, op in enumerate(given) if isinstance(op, GetOp)]
    for at, stored in zip((at for at, _ in gets), read(memory, gets), strict=True):
        results[at] = None if stored is None else stored.item()
    for at, op in enumerate(given):
        if isinstance(op, SearchOp):
            results[at] = search(memory, op)
        elif isinstance(op, ListNamespacesOp):
            results[at] = list_namespaces(memory, op)
    puts = {items.Place(tuple(op.namespace), op.key): op for op in given if isinstance(op, PutOp)}
    # All are checked before the first is written.
    writes = [(items.id_of(place), written(op)) for place, op in puts.items()]
    for id, replacement in writes:
        if replacement is not None:
            memory.nodes.put(id, **replacement)
            continue
        with suppress(NotFoundError):
            memory.nodes.delete(id)
    return results


def written(op: PutOp) -> Any:
    return None if op.value is None else items.replacement_of(op)


def check(op: Op) -> None:
    if isinstance(op, (GetOp, PutOp)):
        items.check_labels(op.namespace)
    elif isinstance(op, SearchOp):
        items.check_labels(op.namespace_prefix)
    elif isinstance(op, ListNamespacesOp):
        for condition in op.match_conditions or ():
            items.check_labels(condition.path)


def read(memory: Memory, gets: Sequence[tuple[int, GetOp]]) -> list[items.Stored | None]:
    """Returns the items of keys, in their order."""
    ids = [items.id_of(items.Place(tuple(op.namespace), op.key)) for _, op in gets]
    found: dict[str, items.Stored] = {}
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), MAX_READ):
        part = wanted[start : start + MAX_READ]
        answer = memory.nodes.get_many(part, recall=False)
        for id, result in zip(part, answer.results, strict=True):
            node = result.node
            if node is None and result.status == TOO_LARGE:  # the answer has no room for all
                node = memory.nodes.get(id, recall=False)
            stored = None if node is None else items.stored_of(node)
            if stored is not None:
                found[id] = stored
    refreshed = {id for id, (_, op) in zip(ids, gets, strict=True) if op.refresh_ttl}
    refresh(memory, [stored for id, stored in found.items() if id in refreshed])
    return [found.get(id) for id in ids]


def search(memory: Memory, op: SearchOp) -> Any:
    """Finds items: by a question the most probable first, without one the newest first."""
    if op.limit < 0 or op.offset < 0:
        raise ValueError("limit and offset of a search must be at least 0")
    filter = items.filter_of(op.namespace_prefix, op.filter)
    end = op.offset + op.limit
    found: list[tuple[items.Stored, float | None]] = []
    if op.query:
        filter["metadata"] = {**filter.get("metadata", {}), "langgraph.indexed": True}
        answer = memory.search(op.query[:MAX_QUESTION], filter=filter, limit=MAX_FOUND)
        rows: list[tuple[items.Stored | None, float | None]] = [
            (items.stored_of(hit), hit.score) for hit in answer.data
        ]
        # A large answer leaves memories out, and names them.
        for id in answer.omitted_ids or ():
            rows.append((items.stored_of(memory.nodes.get(id, recall=False)), None))
        found = [(stored, score) for stored, score in rows if stored and items.matches(stored, op)]
    elif end > 0:
        for node in memory.nodes.list(filter=filter, page_size=min(end, 200)):
            stored = items.stored_of(node)
            if stored is not None and items.matches(stored, op):
                found.append((stored, None))
                if len(found) == end:
                    break
    shown = found[op.offset : end]
    if op.refresh_ttl:
        refresh(memory, [stored for stored, _ in shown])
    return [stored.search_item(score) for stored, score in shown]


def refresh(memory: Memory, read: Sequence[items.Stored]) -> None:
    """Lets items that were read last as long again."""
    for stored in read:
        if stored.ttl is not None:
            # Meanwhile it was deleted, has expired, or was put again, perhaps without an end.
            with suppress(NotFoundError, VersionError):
                memory.nodes.update(
                    stored.id, if_match=stored.version, expires_at=items.expiry_of(stored.ttl)
                )


def list_namespaces(memory: Memory, op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """Lists namespaces. It reads every item below the prefix that the conditions name."""
    conditions = op.match_conditions or ()
    filter = items.filter_of(items.known_prefix(conditions))
    found: set[tuple[str, ...]] = set()
    for node in memory.nodes.list(filter=filter):
        stored = items.stored_of(node)
        if stored is None:
            continue
        namespace = stored.place.namespace
        if all(items.does_match(condition, namespace) for condition in conditions):
            found.add(namespace if op.max_depth is None else namespace[: op.max_depth])
    return sorted(found)[op.offset : op.offset + op.limit]
