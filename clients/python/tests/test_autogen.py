"""The memory of AutoGen, in agents of AutoGen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import MemoryQueryEvent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_core.memory import Memory as AutoGenMemory
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from fakes_autogen import Listener
from pydantic import ValidationError

from nous_memory import BadRequestError, LocalServer, Memory
from nous_memory.autogen import NousMemory, NousMemoryConfig


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Memory]:
    with Memory(server.url, agent=f"autogen-{uuid4().hex}") as found:
        yield found


def agent_of(memory: NousMemory, name: str = "cook") -> tuple[AssistantAgent, Listener]:
    model = Listener(name)
    return AssistantAgent(name, model_client=model, memory=[memory]), model


def told(messages: Sequence[LLMMessage]) -> list[str]:
    """Returns what the memory told a model."""
    texts = [str(message.content) for message in messages if isinstance(message, SystemMessage)]
    return [text for text in texts if text.startswith("From the memory:")]


def text(content: str, **fields: Any) -> MemoryContent:
    return MemoryContent(content=content, mime_type=MemoryMimeType.TEXT, **fields)


def test_a_correction_is_followed(memory: Memory) -> None:
    async def main() -> None:
        # Three conversations.
        agent, model = agent_of(NousMemory(memory, user="mira"))
        await agent.run(task="I live in Oslo.")
        assert told(model.heard[-1]) == []
        agent, model = agent_of(NousMemory(memory, user="mira"))
        await agent.run(task="where do I live?")
        [known] = told(model.heard[-1])
        assert "I live in Oslo." in known
        await agent.run(task="I live in Bergen now, no longer in Oslo.")
        agent, model = agent_of(NousMemory(memory, user="mira"))
        result = await agent.run(task="where do I live?")
        [known] = told(model.heard[-1])
        assert 0 < known.index("I live in Bergen now") < known.index("- I live in Oslo.")
        [event] = [it for it in result.messages if isinstance(it, MemoryQueryEvent)]
        assert "Bergen" in str(event.content[0].content)
        assert memory.nodes.get((event.content[0].metadata or {})["id"]).user == "mira"

    asyncio.run(main())
    # Questions are not stored.
    assert {node.content_title for node in memory.nodes.list()} == {
        "I live in Oslo.",
        "I live in Bergen now, no longer in Oslo.",
    }


def test_the_context_has_only_the_memories_of_the_last_turn(memory: Memory) -> None:
    memory.remember("I play the cello on Sundays.")
    memory.remember("I am allergic to walnuts.")

    async def main() -> None:
        agent, model = agent_of(NousMemory(memory))
        await agent.run(task="when do I play the cello?")
        await agent.run(task="what am I allergic to?")
        [known] = told(model.heard[-1])
        assert "walnuts" in known
        users = [it.content for it in model.heard[-1] if isinstance(it, UserMessage)]
        assert users == ["when do I play the cello?", "what am I allergic to?"]
        # The context is saved and loaded with the agent.
        other, listening = agent_of(NousMemory(memory))
        await other.load_state(await agent.save_state())
        await other.run(task="when do I play the cello?")
        [known] = told(listening.heard[-1])
        assert "cello" in known

    asyncio.run(main())


def test_words_of_other_agents_are_not_stored(memory: Memory) -> None:
    async def main() -> None:
        ours = NousMemory(memory)
        one, _ = agent_of(ours, "cook")
        two, _ = agent_of(ours, "critic")
        team = RoundRobinGroupChat([one, two], termination_condition=MaxMessageTermination(4))
        await team.run(task="I am allergic to walnuts.")

    asyncio.run(main())
    assert [node.content_title for node in memory.nodes.list()] == ["I am allergic to walnuts."]


def test_words_of_a_person_in_a_team_are_those_of_the_user(memory: Memory) -> None:
    async def main() -> None:
        ours = NousMemory(memory, speakers=["user", "mira"])
        cook, _ = agent_of(ours, "cook")
        mira = UserProxyAgent("mira", input_func=lambda _: "I am allergic to walnuts.")
        team = RoundRobinGroupChat([mira, cook], termination_condition=MaxMessageTermination(3))
        await team.run(task="What may I not eat?")

    asyncio.run(main())
    assert [node.content_title for node in memory.nodes.list()] == ["I am allergic to walnuts."]


def test_memories_are_added_found_and_cleared(memory: Memory) -> None:
    memory.remember("Mira plays the cello.", user="mira")

    async def main() -> None:
        ours = NousMemory(memory, user="mira", session="monday", limit=2)
        await ours.add(text("Mira eats no dairy.", metadata={"from": "a form"}))
        pets = MemoryContent(content={"cat": "Tom"}, mime_type=MemoryMimeType.JSON)
        await ours.add(pets, CancellationToken())
        theirs = NousMemory(memory, user="omar")
        await theirs.add(text("Omar eats no fish."))
        [best, *_] = (await ours.query("what does Mira not eat?")).results
        assert best.content == "Mira eats no dairy."
        details = best.metadata or {}
        assert details["metadata"] == {"from": "a form"}
        assert (details["user"], details["session"], details["source"]) == (
            ("mira", "monday", "autogen")
        )
        assert 0.2 < details["score"] <= 1
        [pet] = (await ours.query(text("who is the cat?"), limit=1)).results
        assert "Tom" in str(pet.content)
        assert "fish" not in str(await ours.query("who eats no fish?"))
        await ours.clear()

    asyncio.run(main())
    # What another session, another user or another program stored stays.
    left = {node.content_title for node in memory.nodes.list()}
    assert left == {"Mira plays the cello.", "Omar eats no fish."}


def test_nothing_is_stored_if_so_asked_and_nothing_is_told_without_words(memory: Memory) -> None:
    memory.remember("I am allergic to walnuts.")

    async def main() -> None:
        ours = NousMemory(memory, remembers=False)
        context = UnboundedChatCompletionContext()
        assert (await ours.update_context(context)).memories.results == []
        await context.add_message(UserMessage(content="I play the cello.", source="user"))
        await ours.update_context(context)
        assert memory.health().node_count == 1
        await context.add_message(UserMessage(content="what am I allergic to?", source="user"))
        assert "walnuts" in str(await ours.update_context(context))

    asyncio.run(main())


def test_a_message_that_was_answered_is_not_stored(memory: Memory) -> None:
    async def main() -> None:
        ours = NousMemory(memory)
        context = UnboundedChatCompletionContext()
        await context.add_message(UserMessage(content="I play the cello.", source="user"))
        await context.add_message(AssistantMessage(content="Since when?", source="cook"))
        await ours.update_context(context)

    asyncio.run(main())
    assert memory.health().node_count == 0


def test_wrong_content_is_refused(memory: Memory) -> None:
    async def main() -> None:
        ours = NousMemory(memory)
        with pytest.raises(ValueError, match=r"bytes of the type image/\*: describe it"):
            await ours.add(MemoryContent(content=b"x", mime_type=MemoryMimeType.IMAGE))
        with pytest.raises(BadRequestError, match="limt"):
            await ours.query("cello", limt=3)
        cancelled = CancellationToken()
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ours.query("cello", cancelled)

    asyncio.run(main())
    with pytest.raises(TypeError, match=r"speakers: give a list of names: \['mira'\]"):
        NousMemory(memory, speakers="mira")
    with pytest.raises(ValidationError, match="usr"):
        NousMemoryConfig(usr="mira")  # type: ignore[call-arg]


def test_it_is_saved_and_loaded_as_a_component(server: LocalServer) -> None:
    async def main() -> None:
        with Memory(server.url, agent=f"autogen-{uuid4().hex}") as memory:
            ours = NousMemory(memory, user="mira", max_tokens=300, remembers=False)
            await ours.add(text("Mira eats no dairy."))
            saved = ours.dump_component()
            assert saved.provider == "nous_memory.autogen.NousMemory"
            assert "key" not in saved.config
            loaded = AutoGenMemory.load_component(saved.model_dump())
            assert loaded.dump_component() == saved
            assert "dairy" in str(await loaded.query("what does Mira not eat?"))
            # It closes the client of its own, and not the one that you gave.
            await loaded.close()
            with pytest.raises(RuntimeError, match="closed"):
                await loaded.query("what does Mira not eat?")
            await ours.close()
            assert "dairy" in str(await ours.query("what does Mira not eat?"))

    asyncio.run(main())
