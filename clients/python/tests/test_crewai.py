"""The memory of CrewAI, in agents and crews of CrewAI. No test reaches a host beside this one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from crewai import LLM, Agent, Crew, Task
from crewai.events.event_bus import crewai_event_bus
from crewai.events.types.memory_events import MemoryQueryCompletedEvent, MemorySaveFailedEvent
from crewai.memory.unified_memory import Memory as CrewMemory
from fakes_crewai import Listener
from pydantic import ValidationError

from nous_memory import BadRequestError, LocalServer, Memory
from nous_memory.crewai import NousMemory


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Refuses every host but this one, and gives CrewAI a folder that has to stay empty."""
    asked: list[str] = []
    connect, find = socket.socket.connect, socket.getaddrinfo

    def is_here(host: Any) -> bool:
        return str(host) in ("127.0.0.1", "localhost", "::1")

    def connected(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not is_here(address[0]):
            asked.append(str(address))
            raise OSError(f"a test asked for {address}")
        connect(self, address)

    def found(host: Any, *rest: Any, **named: Any) -> Any:
        if not is_here(host):
            asked.append(str(host))
            raise OSError(f"a test asked for {host}")
        return find(host, *rest, **named)

    monkeypatch.setattr(socket.socket, "connect", connected)
    monkeypatch.setattr(socket, "getaddrinfo", found)
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path / "crewai"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield asked
    assert asked == []
    assert not list(tmp_path.rglob("*.lance"))


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Memory]:
    with Memory(server.url, agent=f"crewai-{uuid4().hex}") as found:
        yield found


def cook_of(memory: NousMemory | None, **named: Any) -> tuple[Agent, Listener]:
    model = Listener(**named)
    cook = Agent(role="cook", goal="cook", backstory="a cook", llm=model, memory=memory)
    return cook, model


def task_of(agent: Agent, description: str) -> Task:
    return Task(description=description, expected_output="one sentence", agent=agent)


def titles(memory: Memory) -> set[str]:
    return {node.content_title for node in memory.nodes.list()}


def told(model: Listener) -> str:
    """Returns what the memory told the model in its last call."""
    text = "\n".join(str(message["content"]) for message in model.heard[-1])
    return text.partition("# Memories from past conversations:")[2]


def test_a_correction_is_followed(memory: Memory) -> None:
    # Three conversations.
    agent, model = cook_of(NousMemory(memory, user="mira"))
    agent.kickoff("I live in Oslo.")
    assert "Oslo" not in told(model)
    agent, model = cook_of(NousMemory(memory, user="mira"))
    agent.kickoff("where do I live?")
    assert "I live in Oslo. (noted on" in told(model)
    agent.kickoff("I live in Bergen now, no longer in Oslo.")
    agent, model = cook_of(NousMemory(memory, user="mira"))
    agent.kickoff("where do I live?")
    known = told(model)
    assert 0 < known.index("- I live in Bergen now") < known.index("- I live in Oslo. (earlier,")
    # Questions and answers of the model are not stored.
    assert titles(memory) == {"I live in Oslo.", "I live in Bergen now, no longer in Oslo."}
    assert {node.user for node in memory.nodes.list()} == {"mira"}
    # Another user's agent does not hear of it.
    agent, model = cook_of(NousMemory(memory, user="omar"))
    agent.kickoff("where do I live?")
    assert told(model) == ""


def test_a_crew_is_told_of_its_task_and_its_model_saves_by_the_tool(memory: Memory) -> None:
    memory.remember("Mira eats no dairy since March.")
    ours = NousMemory(memory)
    save = 'Action: Save to memory\nAction Input: {"contents": ["The oven is broken."]}'
    agent, model = cook_of(None, says=[f"Thought: I note it.\n{save}"])
    Crew(agents=[agent], tasks=[task_of(agent, "What does Mira not eat?")], memory=ours).kickoff()
    assert "- Mira eats no dairy since March. (noted on" in str(model.heard[0])
    assert "Saved to memory (scope=/" in str(model.heard[1])
    # Tasks and their results are not stored by themselves.
    assert titles(memory) == {"Mira eats no dairy since March.", "The oven is broken."}
    search = 'Action: Search memory\nAction Input: {"queries": ["is the oven broken?"]}'
    agent, model = cook_of(None, says=[f"Thought: I look.\n{search}"])
    Crew(agents=[agent], tasks=[task_of(agent, "Cook a dinner.")], memory=ours).kickoff()
    assert "Found memories:\n- The oven is broken. (noted on" in str(
        [message["content"] for message in model.heard[1]]
    ).replace("\\n", "\n")


def test_a_read_only_memory_stores_nothing(memory: Memory) -> None:
    ours = NousMemory(memory, read_only=True)
    agent, model = cook_of(ours)
    agent.kickoff("I live in Oslo.")
    Crew(agents=[agent], tasks=[task_of(agent, "Cook.")], memory=ours).kickoff()
    assert ours.remember("I live in Oslo.") is None
    assert ours.remember_many(["I live in Oslo."]) == []
    assert "Save to memory" not in str(model.heard)
    assert memory.health().node_count == 0


def test_a_model_takes_facts_out_if_it_is_given(memory: Memory) -> None:
    facts = Listener(says=['{"memories": ["Mira eats no dairy.", "Mira lives in Oslo."]}'])
    agent, _ = cook_of(NousMemory(memory, llm=facts))
    agent.kickoff("I eat no dairy,\nand I live in Oslo.")
    assert len(facts.heard) == 1
    assert titles(memory) == {"Mira eats no dairy.", "Mira lives in Oslo."}


def test_what_several_may_have_said_is_not_stored(memory: Memory) -> None:
    agent, _ = cook_of(NousMemory(memory))
    agent.kickoff(
        [
            {"role": "user", "content": "I live in Oslo."},
            {"role": "assistant", "content": "I live in a computer."},
            {"role": "user", "content": "I am allergic to walnuts."},
        ]
    )
    agent.kickoff("ok")
    quiet, _ = cook_of(NousMemory(memory, remembers=False))
    quiet.kickoff("I play the cello.")
    assert titles(memory) == set()


def test_copies_of_a_crew_keep_its_memory(memory: Memory) -> None:
    ours = NousMemory(memory, user="mira")
    ours.remember("Mira eats no dairy since March.")
    agent, model = cook_of(None)
    task = task_of(agent, "What does {name} not eat?")
    crew = Crew(agents=[agent], tasks=[task], memory=ours)
    crew.kickoff_for_each(inputs=[{"name": "Mira"}, {"name": "Mira "}])
    assert len(model.heard) == 2
    for messages in model.heard:
        assert "no dairy since March. (noted on" in str(messages)
    assert crew.copy().memory is ours


def test_a_copied_agent_does_not_get_a_memory_of_another_kind(memory: Memory) -> None:
    agent, _ = cook_of(NousMemory(memory))
    crew = Crew(agents=[agent], tasks=[task_of(agent, "What does {name} not eat?")])
    with pytest.raises(ValidationError, match="give it to the crew instead"):
        crew.kickoff_for_each(inputs=[{"name": "Mira"}])
    with pytest.raises(ValidationError, match="give it to the crew instead"):
        Agent(**agent.model_dump(mode="json", include={"role", "goal", "backstory", "memory"}))


def test_scopes_categories_and_privacy(memory: Memory) -> None:
    memory.remember("The office has a garden.", source="a form")
    ours = NousMemory(memory)
    kitchen, garden = ours.scope("/house/kitchen"), ours.scope("/house/garden")
    kitchen.remember("The oven is broken.", categories=["repair"], importance=0.9)
    garden.remember("The gate is broken.", categories=["repair", "outside"], metadata={"n": 1})
    ours.remember("The oven is broken.", scope="/shop")
    ours.remember("The key is under the pot.", private=True, source="mira")

    def found(query: str, scope: str | None = None, **named: Any) -> list[tuple[str, str]]:
        hits = ours.recall(query, scope=scope, **named)
        return [(hit.record.content, hit.record.scope) for hit in hits]

    assert found("what is broken?", "/house/kitchen") == [("The oven is broken.", "/house/kitchen")]
    assert set(found("what is broken?", "/house")) == {
        ("The oven is broken.", "/house/kitchen"),
        ("The gate is broken.", "/house/garden"),
    }
    assert found("what is broken?", categories=["outside"]) == [
        ("The gate is broken.", "/house/garden")
    ]
    # The same statement is told in two places, and once in each.
    assert ours.remember("The oven is broken.", scope="/shop") is not None
    assert found("is the oven broken?", "/shop") == [("The oven is broken.", "/shop")]
    assert ("The office has a garden.", "/") in found("does the office have a garden?")
    key = ("The key is under the pot.", "/")
    where = "where is the key?"
    assert key not in found(where)
    assert key not in found(where, source="omar")
    assert key in found(where, source="mira")
    assert key in found(where, include_private=True)
    both = ours.slice(["/house", "/shop"]).recall("what is broken?")
    assert {match.record.scope for match in both} == {"/house/kitchen", "/house/garden", "/shop"}
    assert ours.list_scopes() == ["/house", "/shop"]
    assert ours.list_scopes("/house") == ["/house/garden", "/house/kitchen"]
    assert ours.list_categories("/house") == {"repair": 2, "outside": 1}
    assert ours.tree() == (
        "/ (4 records)\n  /house (2 records)\n    /house/garden (1 records)\n"
        "    /house/kitchen (1 records)\n  /shop (1 records)"
    )
    info = ours.info("/house")
    assert (info.record_count, info.categories) == (2, ["outside", "repair"])
    assert info.oldest_record is not None
    assert abs(datetime.utcnow() - info.oldest_record) < timedelta(minutes=5)


def test_records_are_listed_changed_and_forgotten(memory: Memory) -> None:
    memory.remember("The office has a garden.")
    ours = NousMemory(memory, user="mira", root_scope="/crew")
    first = ours.remember("The oven is broken.", metadata={"room": "kitchen"}, importance=0.9)
    assert first is not None
    [second] = ours.remember_many(["The gate is broken."], scope="outside", categories=["repair"])
    NousMemory(memory, user="omar", root_scope="/crew").remember("The roof is broken.")
    listed = ours.list_records()
    assert [record.id for record in listed] == [second.id, first.id]
    assert (listed[1].metadata, listed[1].importance) == ({"room": "kitchen"}, 0.9)
    assert [record.id for record in ours.list_records(limit=1, offset=1)] == [first.id]
    ours.update(first.id, content="The oven works.", categories=["repair"])
    [best, *_] = ours.recall("does the oven work?")
    assert (best.record.id, best.record.content) == (first.id, "The oven works.")
    assert (best.record.scope, best.record.metadata) == ("/crew", {"room": "kitchen"})
    with pytest.raises(ValueError, match="Record not found"):
        ours.update("n_none", content="x")
    assert ours.forget(record_ids=[]) == 0
    assert ours.forget(older_than=datetime.utcnow() - timedelta(days=1)) == 0
    assert ours.forget(metadata_filter={"room": "garden"}) == 0
    assert ours.forget(metadata_filter={"room": "kitchen"}) == 1
    assert ours.forget(scope="/inside") == 0
    assert ours.forget(scope="outside", categories=["repair"], record_ids=[second.id]) == 1
    ours.remember("The sink is broken.")
    ours.reset()
    # What others stored stays.
    assert titles(memory) == {"The office has a garden.", "The roof is broken."}


def test_listeners_hear_of_it_and_wrong_input_is_refused(memory: Memory) -> None:
    ours = NousMemory(memory)
    heard: list[Any] = []
    with crewai_event_bus.scoped_handlers():
        for kind in (MemoryQueryCompletedEvent, MemorySaveFailedEvent):
            crewai_event_bus.on(kind)(lambda source, event: heard.append((source, event)))
        ours.remember("The oven is broken.")
        found = ours.recall("is the oven broken?")
        with pytest.raises(ValueError, match="'ok' says nothing to remember"):
            ours.remember("ok")
        crewai_event_bus.flush()
    assert ours.recall("  ") == []
    assert {type(event) for _, event in heard} == {MemoryQueryCompletedEvent, MemorySaveFailedEvent}
    assert all(source is ours for source, _ in heard)
    [query] = [event for _, event in heard if isinstance(event, MemoryQueryCompletedEvent)]
    assert query.results == found
    with pytest.raises(BadRequestError, match=r"text"):
        ours.remember("")
    with pytest.raises(TypeError, match="embedder"):
        NousMemory(memory, embedder=print)  # type: ignore[call-arg]


def test_it_closes_only_a_client_of_its_own(
    server: LocalServer, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = NousMemory(memory)
    given.close()
    assert given.recall("is the oven broken?") == []
    monkeypatch.setenv("MEMORY_URL", server.url)
    own = NousMemory()
    own.close()
    with pytest.raises(RuntimeError, match="closed"):
        own.recall("is the oven broken?")


def test_crewais_own_memory_would_ask_a_provider(offline: list[str]) -> None:
    """The guard of these tests sees what CrewAI's own memory does."""
    with pytest.raises(Exception, match=r"(?i)openai|api_key|connection"):
        LLM(model="gpt-5-mini", api_key="none").call("Hello")
    assert offline
    offline.clear()
    with pytest.raises(Exception, match=r"(?i)openai_api_key|embedder"):
        CrewMemory(storage=cast("Any", object())).recall("is it broken?", depth="shallow")
