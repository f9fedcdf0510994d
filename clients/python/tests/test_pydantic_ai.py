"""The tools and the conversation store of Pydantic AI, in agents of Pydantic AI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from proxy import LOSE_ANSWER, PASS, proxy
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationRecord,
    ConversationStore,
    InMemoryConversationStore,
)
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

import nous_memory
from nous_memory import LocalServer, Memory
from nous_memory.pydantic_ai import NousConversationStore, NousToolset


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Memory]:
    with Memory(server.url, agent=f"pydantic-{uuid4().hex}") as found:
        yield found


class Caller:
    """A model that calls tools one by one, and keeps what it is told."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.told: list[Any] = []
        self.info: AgentInfo | None = None
        self._calls = list(calls)
        self.model = FunctionModel(self.answer)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.info = info
        for part in messages[-1].parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                self.told.append(part.content)
        if not self._calls:
            return ModelResponse(parts=[TextPart("The turbines hum.")])
        name, arguments = self._calls.pop(0)
        return ModelResponse(parts=[ToolCallPart(name, json.dumps(arguments))])


def run(tools: NousToolset, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Returns what an agent's model is told when it calls these tools."""
    caller = Caller(*calls)
    asyncio.run(Agent(caller.model, toolsets=[tools]).run("Go on."))
    assert len(caller.told) == len(calls)
    return caller.told


def test_the_model_is_told_what_the_tools_do(memory: Memory) -> None:
    caller = Caller()
    asyncio.run(Agent(caller.model, toolsets=[NousToolset(memory)]).run("Hello."))
    assert caller.info is not None
    tools = {tool.name: tool for tool in caller.info.function_tools}
    assert set(tools) == {"remember", "recall", "correct", "forget"}
    for tool in tools.values():
        assert tool.description
        properties = tool.parameters_json_schema["properties"]
        assert all(it["description"] for it in properties.values())
        assert tool.parameters_json_schema["additionalProperties"] is False


def test_a_correction_is_followed(memory: Memory) -> None:
    tools = NousToolset(memory, user="mira", session="monday")
    [[stored]] = run(tools, ("remember", {"text": "I live in Oslo."}))
    assert not stored["known_already"]
    [[again]] = run(tools, ("remember", {"text": "I live in Oslo."}))
    assert again["known_already"]
    [[newer]] = run(tools, ("remember", {"text": "I live in Bergen now, no longer in Oslo."}))
    assert newer["seems_to_replace"] == [f"[{stored['id']}] I live in Oslo."]
    [found] = run(tools, ("recall", {"question": "where do I live?"}))
    assert found["knows"] == "yes"
    assert [it["text"] for it in found["memories"]] == [
        "I live in Bergen now, no longer in Oslo.",
        "I live in Oslo.",
    ]
    assert found["memories"][1]["replaced_by"] == newer["id"]
    node = memory.nodes.get(newer["id"])
    assert (node.user, node.session, node.source) == ("mira", "monday", "pydantic-ai")
    # Words that no guess would connect.
    found, [corrected], after = run(
        tools,
        ("recall", {"question": "where do I live?", "limit": 1}),
        ("correct", {"id": newer["id"], "text": "My home is a boat in Turku."}),
        ("recall", {"question": "where do I live?"}),
    )
    assert len(found["memories"]) == 1
    assert after["memories"][0]["id"] == corrected["id"]
    past = memory.nodes.get(newer["id"])
    assert past.state_lifecycle == "DORMANT"


def test_a_memory_is_forgotten(memory: Memory) -> None:
    tools = NousToolset(memory)
    [[stored]] = run(tools, ("remember", {"text": "I am allergic to walnuts."}))
    said, found = run(
        tools, ("forget", {"id": stored["id"]}), ("recall", {"question": "what am I allergic to?"})
    )
    assert said == "deleted"
    assert found == {"knows": "no", "memories": []}


def test_memories_of_another_user_are_neither_seen_nor_changed(memory: Memory) -> None:
    theirs = memory.remember("Omar eats no fish.", user="omar").stored[0].id
    told = run(
        NousToolset(memory, user="mira"),
        ("recall", {"question": "who eats no fish?"}),
        ("correct", {"id": theirs, "text": "Omar eats fish."}),
        ("forget", {"id": theirs}),
    )
    assert told[0]["memories"] == []
    assert [f"no memory has the id {theirs}" in said for said in told[1:]] == [True, True]
    assert [node.content_title for node in memory.nodes.list()] == ["Omar eats no fish."]


def test_the_model_is_told_of_wrong_arguments(memory: Memory) -> None:
    tools = NousToolset(memory)
    assert "not found" in run(tools, ("correct", {"id": "n_none", "text": "I ski."}))[0]
    for limit in (0, 21):
        [errors] = run(tools, ("recall", {"question": "cello?", "limit": limit}))
        assert list(errors[0]["loc"]) == ["limit"]
    assert "id n_none" in run(tools, ("forget", {"id": "n_none"}))[0]
    known = memory.remember("I ski.").stored[0].id
    assert "says nothing" in run(tools, ("correct", {"id": known, "text": "ok"}))[0]
    # The same words again change nothing.
    assert run(tools, ("correct", {"id": known, "text": "I ski."}))[0][0]["known_already"]
    assert memory.nodes.get(known).state_lifecycle == "ACTIVE"


def test_an_agent_goes_on_with_a_stored_conversation(memory: Memory) -> None:
    async def main() -> None:
        store = NousConversationStore(memory, user="mira")
        caller = Caller(("recall", {"question": "what am I allergic to?"}))
        agent = Agent(caller.model, toolsets=[NousToolset(memory)], instructions="A careful cook.")
        result = await agent.run("I am allergic to walnuts 🌰", conversation_id="monday")
        entries = await store.save(result)
        assert len(entries) == 4
        # Another object, as in another process.
        store = NousConversationStore(memory, user="mira")
        conversation = await store.load("monday")
        assert conversation is not None
        assert conversation.messages == result.all_messages()
        assert conversation.usage == result.usage
        picture = BinaryContent(b"\x00\xff", media_type="image/png")
        result = await agent.run(["What is this?", picture], conversation=conversation)
        assert len(result.all_messages()) == 6
        assert len(await store.save(result)) == 2
        loaded = await store.load("monday")
        assert loaded is not None
        saved = ModelMessagesTypeAdapter.dump_json(result.all_messages())
        assert loaded.messages == ModelMessagesTypeAdapter.validate_json(saved)
        assert "BinaryImage" in repr(loaded.messages[4])
        assert await store.load("tuesday") is None

    asyncio.run(main())
    found = memory.search("what am I allergic to?", filter={"user": "mira"}).data[0]
    assert found.content_title == "user: I am allergic to walnuts 🌰"
    assert found.session == "monday"
    titles = {hit.content_title for hit in memory.search("what is this?").data}
    assert "user: What is this?" in titles
    assert memory.search("careful cook").data == []


def said(text: str, answer: str = "Noted.") -> list[ModelMessage]:
    return [ModelRequest([UserPromptPart(text)]), ModelResponse([TextPart(answer)])]


def test_it_answers_as_the_store_in_memory(memory: Memory) -> None:
    async def told(store: ConversationStore) -> list[Any]:
        heard: list[Any] = []

        async def conflicts(call: Any) -> None:
            with pytest.raises((ConversationConflict, UserError)) as caught:
                await call
            heard.append(type(caught.value).__name__)

        one = Conversation(conversation_id="one", messages=said("I ski."))
        saved = await store.save(one, scope="mira")
        one.messages += said("I play the cello.")
        await store.save(one)
        await conflicts(store.save(Conversation(conversation_id="one")))
        stale = await store.load("one")
        assert stale is not None
        one.messages += said("I sail.")
        await store.save(one)
        await conflicts(store.save(stale))
        await conflicts(store.save(one, scope="omar"))
        heard.append(await store.load("one", scope="omar"))
        for limit in (None, 0, 1, 3):
            heard.append(getattr(await store.load("one", limit=limit), "messages", None))
        # A rewritten history, a branch, and forks of a fork.
        one.messages = [*one.messages[:2], *said("I swim.")]
        one.new_message_index = None
        await store.save(one)
        branched = await store.branch("one", at=2, expected_revision=one.revision)
        await conflicts(store.branch("one", at=1, expected_revision=one.revision))
        branched.messages += said("I row.")
        await store.save(branched)
        two = await store.fork("one", at=2, new_conversation_id="two", scope="omar")
        two.messages += said("I run.")
        await store.save(two)
        await store.fork("two", new_conversation_id="three")
        await conflicts(store.fork("one", new_conversation_id="three"))
        await conflicts(store.fork("none"))
        gone = ConversationRecord(conversation_id="gone", head_id="deleted meanwhile")
        await conflicts(store.write_record(gone, expected_revision=None))
        empty = Conversation(conversation_id="empty")
        await store.save(empty)
        for scope in (None, "mira", "omar"):
            listed = await store.list_conversations(scope=scope)
            heard.append([(it.conversation_id, it.scope, it.forked_from) for it in listed])
        heard.append(len(await store.list_conversations(limit=2)))
        for deleted in ("two", "one", "three"):
            await store.delete(deleted)
            for name in ("one", "two", "three", "empty"):
                heard.append(getattr(await store.load(name), "messages", None))
        with pytest.raises(LookupError):
            await store.read_entry(saved[0].id)
        # The same name again is another conversation.
        await conflicts(store.save(one))
        await store.save(Conversation(conversation_id="one", messages=said("Again.")))
        heard.append(getattr(await store.load("one"), "messages", None))
        await store.delete("one")
        await store.delete("empty")
        return heard

    ours = asyncio.run(told(NousConversationStore(memory)))
    theirs = asyncio.run(told(InMemoryConversationStore()))
    assert words_in(ours) == words_in(theirs)
    assert memory.health().node_count == 0


def words_in(held: Any) -> Any:
    """Returns what messages say: each has the time at which it was made."""
    if isinstance(held, list):
        return [words_in(one) for one in held]
    if isinstance(held, (ModelRequest, ModelResponse)):
        return [getattr(part, "content", None) for part in held.parts]
    return held


def test_a_failed_save_leaves_nothing(memory: Memory) -> None:
    async def main() -> None:
        store = NousConversationStore(memory)
        with pytest.raises(ValueError, match="surrogate"):
            await store.save(Conversation(conversation_id="one", messages=said("\ud800")))
        assert memory.health().node_count == 0
        await store.save(Conversation(conversation_id="one", messages=said("I ski.")))
        # Two writers at once: both have read the same revision.
        first, second = await store.load("one"), await store.load("one")
        assert first is not None
        assert second is not None
        first.messages += said("I sail.")
        second.messages += said("I swim.")
        saves = [store.save(first), store.save(second)]
        done = await asyncio.gather(*saves, return_exceptions=True)
        assert sorted(type(it).__name__ for it in done) == ["ConversationConflict", "list"]
        loaded = await store.load("one")
        assert loaded is not None
        assert len(loaded.messages) == 4
        # The record and four messages.
        assert memory.health().node_count == 5

    asyncio.run(main())


def test_a_save_whose_answers_are_lost_keeps_the_conversation(server: LocalServer) -> None:
    async def main(url: str, agent: str) -> None:
        with Memory(url, agent=agent, retries=0) as memory:
            store = NousConversationStore(memory)
            with pytest.raises(nous_memory.NousConnectionError):
                await store.save(Conversation(conversation_id="one", messages=said("I ski.")))

    def lose_the_record(number: int, request: bytes) -> str:
        # The record is read twice, the messages are made, and the record is made without an answer.
        return LOSE_ANSWER if number == 3 else PASS

    agent = f"pydantic-{uuid4().hex}"
    with proxy(server.url, lose_the_record) as between:
        asyncio.run(main(between.url, agent))
        assert len(between.requests) == 4
    with Memory(server.url, agent=agent) as memory:
        loaded = asyncio.run(NousConversationStore(memory).load("one"))
        assert loaded is not None
        assert len(loaded.messages) == 2
