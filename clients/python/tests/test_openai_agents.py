"""The session of the OpenAI Agents SDK, compared with its own session in SQLite."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from agents import Session, SessionSettings, SQLiteSession

from nous_memory import LocalServer, Memory
from nous_memory.openai_agents import NousSession

ITEMS: list[Any] = [
    {"role": "system", "content": "You are a careful cook."},
    {"role": "user", "content": "I am allergic to walnuts 🌰"},
    {"type": "function_call", "name": "scan", "arguments": '{"port":1}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "a turbine hums"},
    {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "status": "completed",
        "content": [{"type": "output_text", "text": "No walnuts.", "annotations": []}],
    },
    {"role": "user", "content": "ok"},
    {"role": "user", "content": "ok"},
]


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Memory]:
    with Memory(server.url, agent=f"agents-{uuid4().hex}") as found:
        yield found


def test_it_answers_as_the_session_in_sqlite(memory: Memory) -> None:
    async def told(session: Session) -> list[Any]:
        said: list[Any] = [await session.get_items(), await session.pop_item()]
        await session.add_items(ITEMS[:2])
        await session.add_items([])
        await session.add_items(ITEMS[2:])
        for limit in (None, 1, 3, 7, 50):
            said.append(await session.get_items(limit))
        for _ in range(2):
            said.append(await session.pop_item())
        await session.add_items([{"role": "user", "content": "again"}])
        said.append(await session.get_items())
        await session.clear_session()
        said.append(await session.get_items())
        return said

    ours = NousSession("monday", memory=memory)
    theirs = SQLiteSession("monday")
    expected = asyncio.run(told(theirs))
    theirs.close()
    assert asyncio.run(told(ours)) == expected
    assert isinstance(ours, Session)
    assert memory.health().node_count == 0


def test_sessions_are_apart_and_words_are_found(memory: Memory) -> None:
    async def main() -> None:
        one = NousSession("one", memory=memory, user="mira")
        await one.add_items(ITEMS)
        assert await NousSession("two", memory=memory).get_items() == []
        assert await NousSession("one", memory=memory).get_items() == ITEMS

    asyncio.run(main())
    found = memory.search("am I allergic to walnuts?", filter={"user": "mira"}).data[0]
    assert found.content_title == "user: I am allergic to walnuts 🌰"
    assert memory.search("turbine").data == []
    assert memory.search("careful cook").data == []


def test_the_limit_of_the_settings_counts(memory: Memory) -> None:
    async def main() -> None:
        session = NousSession("one", memory=memory, session_settings=SessionSettings(limit=2))
        await session.add_items(ITEMS)
        assert await session.get_items() == ITEMS[-2:]
        assert await session.get_items(3) == ITEMS[-3:]

    asyncio.run(main())
