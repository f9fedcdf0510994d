"""What a type checker knows of the client. No test runs this; mypy and pyright read it.

A comment that ignores an error is itself an error where there is none.
"""

from __future__ import annotations

from typing_extensions import assert_type

from nous_memory import AsyncMemory, AsyncPages, Memory, Pages, Time, models


def sync(memory: Memory) -> None:
    hit = memory.search("x", limit=3, filter={"user": ["mira", None]}).data[0]
    assert_type(hit, models.SearchHit)
    assert_type(hit.score, float)
    assert_type(hit.created_at, "Time | None")
    assert_type(memory.nodes.list(user="mira"), Pages[models.MemoryNode])
    assert_type(memory.nodes.get_many(["a"]).results[0].node, "models.MemoryNode | None")
    knows: models.Knows = memory.ask("x").knows
    assert knows != "no"
    memory.search("x", limt=3)  # type: ignore[call-arg]
    memory.search("x", limit="3")  # type: ignore[arg-type]
    memory.search("x", filter={"usr": "mira"})  # type: ignore[arg-type]
    memory.nodes.create(type="fact")  # type: ignore[call-arg]
    memory.conflicts.resolve("c", resolution="new")  # type: ignore[arg-type]
    hit.score = 1  # type: ignore[misc]


async def asynchronous(memory: AsyncMemory) -> None:
    assert_type(await memory.search("x"), models.SearchAnswer)
    assert_type(memory.edges.list(node_id="a"), AsyncPages[models.Edge])
    async for node in memory.nodes.list():
        assert_type(node, models.MemoryNode)
    await memory.remember("x", titel="y")  # type: ignore[call-arg]


def time(value: Time) -> str:
    return value
