"""The store of LangGraph: compared with LangGraph's own store in memory, and in a real graph."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from nous_memory import LocalServer, Memory, _store, _store_items
from nous_memory.langgraph import NousStore

Run = Callable[[BaseStore, list[Op]], list[Any]]
RUNS: dict[str, Run] = {
    "sync": lambda store, ops: store.batch(ops),
    "async": lambda store, ops: asyncio.run(store.abatch(ops)),  # a new event loop each time
}


@pytest.fixture
def store(server: LocalServer) -> Iterator[NousStore]:
    with Memory(server.url, agent=f"store-{uuid4().hex}") as memory:
        yield NousStore(memory)


@pytest.fixture(params=list(RUNS))
def run(request: pytest.FixtureRequest) -> Run:
    return RUNS[request.param]


def test_items_are_put_read_replaced_and_deleted(store: NousStore) -> None:
    at = ("users", "mira")
    assert store.get(at, "diet") is None
    store.put(at, "diet", {"text": "eats no dairy", "since": 2026})
    first = store.get(at, "diet")
    assert first is not None
    assert (first.namespace, first.key) == (at, "diet")
    assert first.value == {"text": "eats no dairy", "since": 2026}
    store.put(at, "diet", {"text": "eats dairy again"})
    second = store.get(at, "diet")
    assert second is not None
    assert second.value == {"text": "eats dairy again"}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    assert store.memory.health().node_count == 1
    store.delete(at, "diet")
    store.delete(at, "diet")
    assert store.get(at, "diet") is None


def test_a_search_with_a_question_ranks_by_meaning(store: NousStore, run: Run) -> None:
    store.put(("users", "mira"), "a", {"text": "Mira eats no dairy since March."})
    store.put(("users", "mira"), "b", {"text": "Mira plays the cello on Sundays."})
    store.put(("users", "omar"), "c", {"text": "Omar eats no fish."})
    [found] = run(store, [SearchOp(("users", "mira"), query="what does Mira not eat?", limit=1)])
    assert [item.key for item in found] == ["a"]
    assert 0.2 < found[0].score <= 1
    [found] = run(store, [SearchOp(("users",), query="who eats no fish?", limit=1)])
    assert found[0].namespace == ("users", "omar")


def test_what_is_not_indexed_is_not_found_by_a_question(store: NousStore) -> None:
    at = ("notes",)
    store.put(at, "hidden", {"text": "the turbine hums"}, index=False)
    store.put(at, "part", {"seen": "the harbour sleeps", "unseen": "a zeppelin"}, index=["seen"])
    assert store.search(at, query="turbine") == []
    assert store.search(at, query="zeppelin") == []
    assert [item.key for item in store.search(at, query="harbour")] == ["part"]
    assert {item.key for item in store.search(at)} == {"hidden", "part"}
    # It has no line in prompts, not even where everything of a day has one.
    for asked in ("does the harbour sleep?", "what happened today?"):
        assert "- -" not in store.memory.context(asked).prompt
        assert "-" not in {hit.content_title for hit in store.memory.search(asked).data}
        assert "harbour" in store.memory.context(asked).prompt


# True and 1, which Python takes for equal and JSON does not, never meet here: see below.
VALUES = ["mira", "omar", "", "Zoë ☂", 2, 2.5, -3, True, False, None, [2, "a"], {"x": 2}]
KEYS = ["a", "b", "name", "a b", "dotted.key", "__proto__", "long"]
LABELS = ["users", "mira", "日本", "a b", "notes"]


def drawn_ops(dice: random.Random) -> list[Op]:
    """Returns a batch of operations that LangGraph's own store takes, too."""
    if dice.random() < 0.2:
        return [listing(dice)]
    return [drawn(dice) for _ in range(dice.randint(1, 6))]


def namespace(dice: random.Random, least: int = 1) -> tuple[str, ...]:
    return tuple(dice.choice(LABELS) for _ in range(dice.randint(least, 3)))


def value(dice: random.Random) -> dict[str, Any]:
    found = {dice.choice(KEYS): dice.choice(VALUES) for _ in range(dice.randint(0, 4))}
    return {**found, "long": "x" * 600} if dice.random() < 0.2 else found


def drawn(dice: random.Random) -> Op:
    kind = dice.random()
    if kind < 0.5:
        given = None if dice.random() < 0.2 else value(dice)
        return PutOp(namespace(dice), dice.choice(["k", "l", "schlüssel/1"]), given)
    if kind < 0.7:
        return GetOp(namespace(dice), dice.choice(["k", "l", "schlüssel/1"]))
    wanted: Any = dice.choice([*VALUES, "x" * 600])
    if dice.random() < 0.3 and not isinstance(wanted, (bool, list, dict)):
        wanted = {dice.choice(["$eq", "$ne"]): wanted}
    condition = {dice.choice(KEYS): wanted} if dice.random() < 0.8 else None
    return SearchOp(namespace(dice, 0), filter=condition, limit=100)


def listing(dice: random.Random) -> Op:
    conditions = tuple(
        MatchCondition(
            dice.choice(["prefix", "suffix"]),
            tuple(dice.choice([*LABELS, "*"]) for _ in range(dice.randint(1, 2))),
        )
        for _ in range(dice.randint(0, 2))
    )
    return ListNamespacesOp(conditions or None, dice.choice([None, 1, 2]), limit=50)


def plain(result: Any) -> Any:
    """Returns what both stores have to agree on. Each has an order of its own."""
    if isinstance(result, list):
        if result and isinstance(result[0], tuple):
            return result
        return sorted(repr(plain(item)) for item in result)
    return None if result is None else (result.namespace, result.key, sorted_json(result.value))


def sorted_json(value: dict[str, Any]) -> str:
    import json

    return json.dumps(value, sort_keys=True)


def test_it_answers_as_the_store_of_langgraph(
    server: LocalServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("SEED") or random.randrange(2**32))
    with capsys.disabled():
        print(f"\nSEED={seed} python clients/python/tests/run.py", end=" ")
    dice = random.Random(seed)
    with Memory(server.url, agent=f"store-{uuid4().hex}") as memory:
        ours, theirs = NousStore(memory), InMemoryStore()
        for _ in range(60):
            ops = drawn_ops(dice)
            for empty in [place for place, items in theirs._data.items() if not items]:
                del theirs._data[empty]  # it lists a namespace once it was asked for a key there
            expected, found = theirs.batch(ops), run(ours, ops)
            assert [plain(it) for it in found] == [plain(it) for it in expected], (seed, ops)


def test_filters_compare_as_json_does(store: NousStore, run: Run) -> None:
    at = ("n",)
    for key, given in {"one": 1, "true": True, "text": "1", "big": 7.5, "none": None}.items():
        store.put(at, key, {"v": given})
    store.put(at, "missing", {})

    def found(condition: Any) -> set[str]:
        [result] = run(store, [SearchOp(at, filter={"v": condition})])
        return {item.key for item in result}

    assert found(1) == {"one"}
    assert found(True) == {"true"}
    assert found({"$eq": "1"}) == {"text"}
    assert found({"$gt": 0, "$lt": 7}) == {"one"}
    assert found({"$gte": 1, "$lte": 7.5}) == {"one", "big"}
    assert found({"$ne": 1}) == {"true", "text", "big", "none", "missing"}
    assert found(None) == {"none", "missing"}
    with pytest.raises(ValueError, match=r"Unsupported operator: \$in"):
        found({"$in": [1]})


def test_filters_go_with_questions_limits_and_offsets(store: NousStore) -> None:
    for number in range(12):
        kind = "even" if number % 2 == 0 else "odd"
        store.put(("n",), str(number), {"text": f"parcel number {number}", "kind": kind})
    even = store.search(("n",), query="parcel", filter={"kind": "even"}, limit=10)
    assert {item.key for item in even} == {"0", "2", "4", "6", "8", "10"}
    keys = [item.key for item in store.search(("n",), limit=100)]
    assert keys == [str(number) for number in reversed(range(12))]  # the newest first
    assert [item.key for item in store.search(("n",), limit=5, offset=4)] == keys[4:9]
    odd = [key for key in keys if int(key) % 2 == 1]
    page = store.search(("n",), filter={"kind": "odd"}, limit=2, offset=3)
    assert [item.key for item in page] == odd[3:5]
    ranked = store.search(("n",), query="parcel", limit=12)
    assert store.search(("n",), query="parcel", limit=3, offset=2) == ranked[2:5]


def test_a_batch_reads_before_it_writes_and_takes_the_last_write(
    store: NousStore, run: Run
) -> None:
    at = ("n",)
    results = run(store, [PutOp(at, "k", {"v": 1}), PutOp(at, "k", {"v": 2}), GetOp(at, "k")])
    assert results == [None, None, None]
    found = store.get(at, "k")
    assert found is not None
    assert found.value == {"v": 2}


def test_the_time_to_live_ends_and_is_refreshed_by_reads(store: NousStore) -> None:
    at = ("n",)
    store.put(at, "short", {"v": 1}, ttl=0.5 / 60)
    store.put(at, "read", {"v": 2}, ttl=30)
    id = store.memory.nodes.list().all()[0].id
    before = store.memory.nodes.get(id).expires_at
    assert store.get(at, "read", refresh_ttl=False) is not None
    assert store.memory.nodes.get(id).expires_at == before
    assert store.get(at, "read") is not None
    after = store.memory.nodes.get(id).expires_at
    assert before is not None
    assert after is not None
    assert after.datetime > before.datetime
    deadline = time.monotonic() + 20
    while store.get(at, "short", refresh_ttl=False) is not None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [item.key for item in store.search(at)] == ["read"]


def test_a_read_ends_no_item_that_was_put_meanwhile(store: NousStore) -> None:
    at = ("n",)
    store.put(at, "k", {"v": 1}, ttl=30)
    stored = _store_items.stored_of(store.memory.nodes.list().all()[0])
    assert stored is not None
    store.put(at, "k", {"v": 2})
    _store.refresh(store.memory, [stored])
    node = store.memory.nodes.list().all()[0]
    assert node.expires_at is None
    store.delete(at, "k")
    _store.refresh(store.memory, [stored])
    assert store.get(at, "k") is None


@pytest.mark.parametrize("query", [None, "parcel"])
def test_a_search_refreshes_the_time_to_live(store: NousStore, query: str | None) -> None:
    store.put(("n",), "k", {"text": "a parcel"}, ttl=30)
    before = store.memory.nodes.list().all()[0].expires_at
    assert len(store.search(("n",), query=query)) == 1
    after = store.memory.nodes.list().all()[0].expires_at
    assert before is not None
    assert after is not None
    assert after.datetime > before.datetime


@pytest.mark.parametrize("query", [None, "parcel"])
def test_large_filters_find_what_they_ask_for(store: NousStore, query: str | None) -> None:
    wide = {f"field {n}": n for n in range(40)}
    long = {f"field {n}": "ü" * 400 for n in range(15)}
    deep = tuple(f"{n}{'日🦊' * 60}" for n in range(9))
    store.put(("n",), "wide", {"text": "a parcel", **wide})
    store.put(("n",), "wider", {"text": "a parcel", **wide, "field 39": 0})
    store.put(("n",), "long", {"text": "a parcel", **long})
    store.put(("n",), "longer", {"text": "a parcel", **long, "field 14": "u"})
    store.put((*deep[:6], "a"), "deep", {"text": "a parcel"})
    store.put((*deep[:6], "b"), "deep", {"text": "a parcel"})
    store.put(("x" * 1_100,), "one", {"text": "a parcel"})

    def found(prefix: tuple[str, ...], filter: Any = None) -> list[Any]:
        rows = store.search(prefix, query=query, filter=filter)
        return [(row.namespace[-1], row.key) for row in rows]

    assert found(("n",), wide) == [("n", "wide")]
    assert found(("n",), long) == [("n", "long")]
    assert found((*deep[:6], "a")) == [("a", "deep")]
    assert found(("x" * 1_100,)) == [("x" * 1_100, "one")]
    for nothing in (float("inf"), float("nan"), {"$gt": float("inf")}, {"$lt": float("-inf")}):
        assert found(("n",), {"field 1": nothing}) == []
    assert len(found(("n",), {"field 1": {"$lt": float("inf")}})) == 2
    assert len(store.list_namespaces(prefix=(*deep[:6],))) == 2


def test_a_long_question_is_cut(store: NousStore) -> None:
    store.put(("n",), "k", {"text": "a parcel"})
    asked = "parcel " + "🦊" * 11_000
    assert [item.key for item in store.search(("n",), query=asked)] == ["k"]


FOREIGN: list[Any] = [
    {},
    {"metadata": {"langgraph": {"namespace": ["n"], "indexed": True}}},
    {"metadata": {"langgraph": {"namespace": ["n"], "key": "f", "indexed": True}}},
    {
        "metadata": {"langgraph": {"namespace": ["n"], "key": "f", "indexed": True}},
        "content_body": '{"text": "a parcel"}',
    },
    {"metadata": {"langgraph": "n"}, "content_body": '{"value": {}}'},
]


def test_memories_of_others_with_this_source_are_no_items(store: NousStore, run: Run) -> None:
    for fields in FOREIGN:
        node: Any = {"type": "fact", "content_title": "a parcel", "source": "langgraph", **fields}
        store.memory.nodes.create(**node)
    id = _store_items.id_of(_store_items.Place(("n",), "read"))
    store.memory.nodes.put(id, type="fact", content_title="a parcel", source="langgraph")
    store.put(("n",), "k", {"text": "a parcel"})
    assert run(store, [GetOp(("n",), "read")]) == [None]
    for query in (None, "parcel"):
        [found] = run(store, [SearchOp((), query=query)])
        assert [item.key for item in found] == ["k"]
    assert store.list_namespaces() == [("n",)]


def test_a_default_time_to_live_is_taken(server: LocalServer) -> None:
    with Memory(server.url, agent=f"store-{uuid4().hex}") as memory:
        NousStore(memory, ttl={"default_ttl": 10}).put(("n",), "k", {"v": 1})
        assert memory.nodes.list().all()[0].expires_at is not None


def test_large_values_and_odd_keys_come_back(store: NousStore, run: Run) -> None:
    value = {"text": "Grüße 🦊 " * 20_000, "deep": {"list": [1, None, {"a": "b"}]}}
    for key in ("schlüssel/☂", "a.b", "..", "x" * 500):
        store.put(("n", "日本"), key, value)
        [found] = run(store, [GetOp(("n", "日本"), key)])
        assert found.value == value
    assert store.memory.health().node_count == 4


def test_large_answers_are_whole(store: NousStore) -> None:
    value = {"text": "a parcel " + "x" * 850_000}
    keys = [str(number) for number in range(11)]
    for key in keys:
        store.put(("n",), key, value)
    found = store.batch([GetOp(("n",), key) for key in keys])
    assert [item.key for item in found if item is not None] == keys  # type: ignore[union-attr]
    assert {item.key for item in store.search(("n",), query="parcel", limit=20)} == set(keys)
    assert len(store.search(("n",), limit=20)) == 11


def test_what_no_store_could_keep_is_refused(store: NousStore) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {})])
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", {})
    with pytest.raises(TypeError, match="object"):
        store.put(("n",), "k", {"v": object()})
    with pytest.raises(ValueError, match="put them below one field"):
        store.put(("n",), "k", {f"field {n}": "x" * 500 for n in range(40)})
    assert store.memory.health().node_count == 0


def test_other_memories_of_the_agent_are_no_items(store: NousStore) -> None:
    store.memory.remember("Mira eats no dairy since March.")
    store.put(("users",), "a", {"text": "Omar eats no fish."})
    assert [item.key for item in store.search((), query="who eats no dairy?")] == ["a"]
    assert store.list_namespaces() == [("users",)]
    # The agent's prompts have both.
    prompt = store.memory.context("who eats no fish, and who no dairy?").prompt
    assert "Omar eats no fish." in prompt
    assert "Mira eats no dairy" in prompt


def test_a_graph_remembers_in_it(store: NousStore) -> None:
    from typing import TypedDict

    from langgraph.graph import END, START, StateGraph

    class State(TypedDict):
        said: str
        answer: str

    def remember(state: State, *, store: BaseStore) -> dict[str, str]:
        known = store.search(("users", "mira"), query=state["said"], limit=1)
        store.put(("users", "mira"), uuid4().hex, {"text": state["said"]})
        return {"answer": known[0].value["text"] if known else "nothing yet"}

    async def aremember(state: State, *, store: BaseStore) -> dict[str, str]:
        known = await store.asearch(("users", "mira"), query=state["said"], limit=1)
        return {"answer": known[0].value["text"] if known else "nothing yet"}

    def compiled(node: Any) -> Any:
        builder = StateGraph(State)
        builder.add_node("remember", node)
        builder.add_edge(START, "remember")
        builder.add_edge("remember", END)
        return builder.compile(store=store)

    graph = compiled(remember)
    assert graph.invoke({"said": "I am allergic to walnuts"})["answer"] == "nothing yet"
    asked = {"said": "to what am I allergic?"}
    assert graph.invoke(asked)["answer"] == "I am allergic to walnuts"
    answer = asyncio.run(compiled(aremember).ainvoke({"said": "am I allergic to walnuts?"}))
    assert "allergic" in answer["answer"]
