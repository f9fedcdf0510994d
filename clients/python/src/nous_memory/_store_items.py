"""How an item of a LangGraph store is a memory.

Idea: an item is one memory. Its id is a hash of namespace and key, so that a `put` is a `PUT`,
which
replaces and may be repeated. Its body is JSON with two fields: `text`, which searches read, and
`value`, which they do not. Its metadata names its place and the plain fields of its value, by which
the server filters:

    {"langgraph": {"namespace": ["users", "mira"], "key": "diet", "under": ["users", "users.mira"],
                   "fields": {"kind": "food"}, "indexed": true}}

Invariant: a filter of the server may let through what the filter of LangGraph refuses, never the
other way round. `matches` decides; the server's filter only saves it work.

Soundness: labels have no period, so that a joined prefix names one prefix. Only comparisons that
mean the same in both go to the server: equality with a text of at most `MAX_TEXT` characters, a
number or a boolean, and comparisons with numbers, below `MAX_NUMBER`. Every field that could equal
one is in `fields`, or the item is refused (`MAX_METADATA`). The server limits a filter, too: of a
long prefix its beginning goes there, and of many conditions the first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import msgspec
from langgraph.store.base import (
    InvalidNamespaceError,
    Item,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from . import models as m
from ._core import body_of
from ._texts import texts_of

SOURCE = "langgraph"
# Characters of a text that the server filters by, at half of its own limit, and its limit of
# metadata in bytes of JSON.
MAX_TEXT = 500
MAX_METADATA = 16_384
# The server's limits of a filter: characters of the joined prefix, and conditions beside those on
# prefix and `indexed`. Bytes of its JSON: the server takes 4,000 characters in a query, and one
# byte may take three in an address, whose limit is 16 KB.
MAX_PREFIX = 1_000
MAX_CONDITIONS = 18
MAX_FILTER = 3_500
# From here on JavaScript rounds whole numbers. No infinity is below.
MAX_NUMBER = 2**53
# Values whose text needs no name before it.
PLAIN_KEYS = ("text", "content", "memory", "data", "page_content")
COMPARED = {"$gt": "gt", "$gte": "gte", "$lt": "lt", "$lte": "lte"}


class Place(NamedTuple):
    """The place of an item."""

    namespace: tuple[str, ...]
    key: str


def id_of(place: Place) -> str:
    """Returns the id of the memory of an item."""
    named = msgspec.json.encode([*place.namespace, place.key])
    return f"lg_{hashlib.sha256(named).hexdigest()[:40]}"


def check_labels(labels: Sequence[Any]) -> None:
    """Raises `InvalidNamespaceError` if labels could not be joined."""
    for label in labels:
        if not isinstance(label, str) or not label or "." in label or "\0" in label:
            raise InvalidNamespaceError(
                f"Labels of a namespace must be texts without periods, found {label!r} in {labels}"
            )


# ---- writing -------------------------------------------------------------------------------------


def replacement_of(op: PutOp) -> Any:
    """Returns the memory of an item."""
    value = op.value
    assert value is not None
    text = "" if op.index is False else text_of(value, op.index).strip()
    namespace = tuple(op.namespace)
    place: dict[str, Any] = {
        "namespace": namespace,
        "key": op.key,
        "under": [".".join(namespace[: depth + 1]) for depth in range(len(namespace))],
        "fields": {key: field for key, field in value.items() if is_field(key, field)},
        "indexed": text != "",
    }
    if op.ttl is not None:
        place["ttl"] = op.ttl
    metadata = {SOURCE: place}
    if len(body_of(metadata)) > MAX_METADATA:
        raise ValueError(
            f"{namespace} {op.key!r}: the namespace and the short fields of the value take more "
            f"than {MAX_METADATA} bytes; put them below one field"
        )
    found: Any = {
        "type": "fact",
        **texts_of(text, "value", value, id=id_of(Place(namespace, op.key))),
        "metadata": metadata,
        "source": SOURCE,
    }
    if op.ttl is not None:
        found["expires_at"] = expiry_of(op.ttl)
    return found


def expiry_of(minutes: float) -> datetime:
    return datetime.now(timezone.utc) + timedelta(minutes=minutes)


def is_field(key: str, value: Any) -> bool:
    """Tells whether the server filters by a field of a value. Such a path has no period."""
    if re.fullmatch(r"[\w -]{1,100}", key) is None or key == "__proto__":
        return False
    return isinstance(value, (bool, int, float)) or (
        isinstance(value, str) and len(value) <= MAX_TEXT
    )


def text_of(value: Mapping[str, Any], index: Sequence[str] | None) -> str:
    """Returns the text that searches read: of the given fields, or of the whole value."""
    if index is not None:
        found = [text for path in index for text in get_text_at_path(value, path)]
        return "\n".join(found)
    return "\n".join(lines_of(value))


def lines_of(value: Any, name: str = "") -> list[str]:
    if isinstance(value, Mapping):
        return [
            line
            for key, inner in value.items()
            for line in lines_of(inner, "" if key in PLAIN_KEYS else str(key).replace("_", " "))
        ]
    if isinstance(value, (list, tuple)):
        return [line for inner in value for line in lines_of(inner, name)]
    if value is None or isinstance(value, bool):
        return []
    return [f"{name}: {value}" if name else str(value)]


# ---- reading -------------------------------------------------------------------------------------


class Stored(NamedTuple):
    """An item as it is stored."""

    id: str
    place: Place
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    ttl: float | None
    version: int | None

    def item(self) -> Item:
        return Item(
            value=self.value,
            key=self.place.key,
            namespace=self.place.namespace,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )

    def search_item(self, score: float | None) -> SearchItem:
        return SearchItem(
            self.place.namespace,
            self.place.key,
            self.value,
            self.created_at,
            self.updated_at,
            score,
        )


class Named(msgspec.Struct):
    """What is read of the metadata of an item."""

    namespace: tuple[str, ...]
    key: str
    ttl: float | None = None


class Body(msgspec.Struct):
    """What is read of the body of an item."""

    value: dict[str, Any]


def stored_of(node: m.MemoryNode) -> Stored | None:
    """Returns an item, or None if another program made the memory, which is then no item."""
    created, changed = node.created_at, node.last_modified
    assert created is not None
    try:
        named = msgspec.convert((node.metadata or {}).get(SOURCE), Named)
        body = msgspec.json.decode(node.content_body or "", type=Body)
    except msgspec.DecodeError:
        return None
    return Stored(
        node.id,
        Place(named.namespace, named.key),
        body.value,
        created.datetime,
        (changed or created).datetime,
        named.ttl,
        node.version,
    )


# ---- filters -------------------------------------------------------------------------------------


def filter_of(prefix: Sequence[str], conditions: Mapping[str, Any] | None = None) -> m.Filter:
    """Returns a filter of the server that lets through every item that matches."""
    metadata: dict[str, Any] = {}
    filter: m.Filter = {"source": SOURCE, "metadata": metadata}
    for end in range(len(prefix), 0, -1):
        metadata[f"{SOURCE}.under"] = under = ".".join(prefix[:end])
        if len(under) <= MAX_PREFIX and len(body_of(filter)) <= MAX_FILTER:
            break
        del metadata[f"{SOURCE}.under"]
    most = len(metadata) + MAX_CONDITIONS
    for key, wanted in (conditions or {}).items():
        path = f"{SOURCE}.fields.{key}"
        if not isinstance(wanted, Mapping):
            wanted = {"$eq": wanted}
        elif not any(str(name).startswith("$") for name in wanted):
            continue
        found: dict[str, Any] = {}
        for name, operand in wanted.items():
            if not is_field(key, operand) or (is_number(operand) and not abs(operand) < MAX_NUMBER):
                continue
            if name == "$eq":
                found["eq"] = operand
            elif name in COMPARED and is_number(operand):
                found[COMPARED[name]] = operand
        if not found:
            continue
        metadata[path] = found
        if len(metadata) > most or len(body_of(filter)) > MAX_FILTER:
            del metadata[path]
            break
    if not metadata:  # which the server refuses
        del filter["metadata"]
    return filter


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def matches(stored: Stored, op: SearchOp) -> bool:
    """Tells whether an item is one that a search asks for."""
    prefix = tuple(op.namespace_prefix)
    return stored.place.namespace[: len(prefix)] == prefix and all(
        compare(stored.value.get(key), wanted) for key, wanted in (op.filter or {}).items()
    )


def compare(value: Any, wanted: Any) -> bool:
    """Compares as JSON does: true is not 1, and only numbers are greater than numbers."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(operate(value, name, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and all(
            compare(value.get(key), inner) for key, inner in wanted.items()
        )
    return equal(value, wanted)


def equal(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(wanted)
            and all(equal(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def operate(value: Any, name: str, operand: Any) -> bool:
    if name == "$eq":
        return equal(value, operand)
    if name == "$ne":
        return not equal(value, operand)
    if name not in COMPARED:
        raise ValueError(f"Unsupported operator: {name}")
    if not (is_number(value) and is_number(operand)):
        return False
    return bool(
        {"$gt": value > operand, "$gte": value >= operand}.get(
            name, value < operand if name == "$lt" else value <= operand
        )
    )


def does_match(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Tells whether a namespace begins or ends as a condition says. `*` is any label."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    is_prefix = condition.match_type == "prefix"
    labels = namespace[: len(path)] if is_prefix else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(labels, path, strict=True))


def known_prefix(conditions: Sequence[MatchCondition] | None) -> tuple[str, ...]:
    """Returns the labels that every namespace begins with, as far as conditions tell."""
    for condition in conditions or ():
        if condition.match_type == "prefix":
            path = tuple(condition.path)
            return path[: path.index("*")] if "*" in path else path
    return ()
