"""The retriever and the chat history of LangChain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    HumanMessageChunk,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from proxy import LOSE_ANSWER, PASS, proxy

import nous_memory
from nous_memory import LocalServer, Memory
from nous_memory.langchain import NousChatMessageHistory, NousRetriever


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Memory]:
    with Memory(server.url, agent=f"chain-{uuid4().hex}") as found:
        yield found


def test_the_retriever_finds_memories_as_documents(memory: Memory) -> None:
    memory.remember(
        memories=[
            {"text": "Mira eats no dairy since March.", "user": "mira", "metadata": {"a": 1}},
            {"text": "Omar eats no fish.", "user": "omar"},
        ]
    )
    retriever = NousRetriever(memory=memory, limit=3, filter={"user": "mira"})
    [document] = retriever.invoke("who eats no dairy?")
    assert document.page_content == "Mira eats no dairy since March."
    assert document.metadata["user"] == "mira"
    assert document.metadata["metadata"] == {"a": 1}
    assert 0.2 < document.metadata["score"] <= 1
    assert document.id == document.metadata["id"]
    assert "session" not in document.metadata
    # A search counts an access, which is no field of the document.
    assert asyncio.run(retriever.ainvoke("who eats no dairy?"))[0].id == document.id
    strict = NousRetriever(memory=memory, min_score=0.9999)
    assert strict.invoke("when does the train leave?") == []


def test_a_document_has_title_and_body_once(memory: Memory) -> None:
    memory.nodes.create(type="fact", content_title="The harbour", content_body="It sleeps.")
    memory.nodes.create(
        type="fact", content_title="A zeppelin", content_body="A zeppelin\nflies over it."
    )
    retriever = NousRetriever(memory=memory, limit=1)
    assert retriever.invoke("harbour")[0].page_content == "The harbour\nIt sleeps."
    assert retriever.invoke("zeppelin")[0].page_content == "A zeppelin\nflies over it."


MESSAGES: list[BaseMessage] = [
    SystemMessage("You are a careful cook."),
    HumanMessage("I am allergic to walnuts 🌰", id="m1", additional_kwargs={"a": [1, None]}),
    AIMessage("", tool_calls=[{"name": "scan", "args": {"port": 1}, "id": "t1"}]),
    ToolMessage("a turbine hums", tool_call_id="t1"),
    AIMessage([{"type": "text", "text": "Noted."}, {"type": "text", "text": "No walnuts."}]),
    HumanMessage("ok"),
    HumanMessage("ok"),
]


def test_messages_come_back_exactly_and_in_order(memory: Memory) -> None:
    history = NousChatMessageHistory("monday", memory=memory, user="mira")
    assert history.messages == []
    history.add_messages(MESSAGES[:3])
    asyncio.run(history.aadd_messages(MESSAGES[3:]))
    assert history.messages == MESSAGES
    # Another object, as in another process.
    again = NousChatMessageHistory("monday", memory=memory)
    assert asyncio.run(again.aget_messages()) == MESSAGES
    again.add_user_message("one more")
    assert history.messages[-1].content == "one more"
    assert NousChatMessageHistory("tuesday", memory=memory).messages == []


def test_words_are_found_and_tools_and_instructions_are_not(memory: Memory) -> None:
    NousChatMessageHistory("monday", memory=memory, user="mira").add_messages(MESSAGES)
    found = memory.search("am I allergic to walnuts?", filter={"user": "mira"}).data[0]
    assert found.content_title == "user: I am allergic to walnuts 🌰"
    assert found.session == "monday"
    assert memory.search("turbine").data == []
    assert memory.search("careful cook").data == []
    for asked in ("am I allergic to walnuts?", "what did I say today?"):
        prompt = memory.context(asked).prompt
        assert "walnuts" in prompt
        assert "- - " not in prompt
        assert "-" not in {hit.content_title for hit in memory.search(asked).data}
    # A question for nothing but the last hours does list them. The retriever leaves them out.
    assert "-" in {
        hit.content_title for hit in memory.search("what happened in the last hour?").data
    }
    found_by_time = NousRetriever(memory=memory).invoke("what happened in the last hour?")
    assert "walnuts" in str(found_by_time)
    assert "-" not in {document.page_content for document in found_by_time}
    assert NousRetriever(memory=memory, limit=1).invoke("allergic to walnuts")[0].page_content == (
        "user: I am allergic to walnuts 🌰"
    )


def test_a_session_is_cleared_alone(memory: Memory) -> None:
    one = NousChatMessageHistory("one", memory=memory)
    two = NousChatMessageHistory("two", memory=memory)
    for history in (one, two):
        history.add_messages(MESSAGES)
    one.clear()
    assert one.messages == []
    assert two.messages == MESSAGES
    asyncio.run(two.aclear())
    assert memory.health().node_count == 0


def test_a_long_history_is_read_whole(memory: Memory) -> None:
    history = NousChatMessageHistory("long", memory=memory)
    messages: list[BaseMessage] = [HumanMessage(f"parcel number {n}") for n in range(450)]
    history.add_messages(messages)
    assert history.messages == messages


def test_a_message_that_cannot_be_stored_is_an_error(memory: Memory) -> None:
    history = NousChatMessageHistory("monday", memory=memory)
    with pytest.raises(nous_memory.BadRequestError):
        history.add_messages([HumanMessage("x" * 1_000_001)])


def test_of_messages_that_are_refused_none_stays(memory: Memory) -> None:
    history = NousChatMessageHistory("monday", memory=memory)
    history.add_messages(MESSAGES)
    words: list[BaseMessage] = [HumanMessage(f"parcel number {n}") for n in range(130)]
    with pytest.raises(nous_memory.BadRequestError):
        history.add_messages([*words, HumanMessage("x" * 1_000_001), *words])
    assert history.messages == MESSAGES
    assert memory.health().node_count == len(MESSAGES)


def test_of_messages_whose_answer_is_lost_none_stays(server: LocalServer, memory: Memory) -> None:
    def lose_second(number: int, request: bytes) -> str:
        return LOSE_ANSWER if number == 1 else PASS

    with proxy(server.url, lose_second) as between:
        with Memory(between.url, agent=memory.agent, retries=0) as broken:
            history = NousChatMessageHistory("monday", memory=broken)
            with pytest.raises(nous_memory.NousConnectionError):
                history.add_messages([HumanMessage(f"parcel number {n}") for n in range(150)])
        assert len(between.requests) == 4
    assert memory.health().node_count == 0


def test_pieces_of_a_stream_keep_their_words(memory: Memory) -> None:
    history = NousChatMessageHistory("monday", memory=memory)
    pieces: list[BaseMessage] = [
        HumanMessageChunk(content="I play the cello"),
        AIMessageChunk(content="A zeppelin hums"),
    ]
    history.add_messages(pieces)
    assert history.messages == pieces
    assert memory.search("cello").data[0].content_title == "user: I play the cello"
    assert memory.search("zeppelin").data[0].content_title == "assistant: A zeppelin hums"


def test_a_long_question_is_cut(memory: Memory) -> None:
    memory.remember("Mira eats no dairy since March.")
    asked = "who eats no dairy? " + "🦊" * 11_000
    assert "Mira" in NousRetriever(memory=memory).invoke(asked)[0].page_content


# LangChain prefers the persistence of LangGraph, and keeps this class until its version 2.
@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")
def test_a_chain_with_history_uses_it(memory: Memory) -> None:
    prompt = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("history"), ("human", "{question}")]
    )
    echo: RunnableLambda[PromptValue, AIMessage] = RunnableLambda(
        lambda value: AIMessage(f"{len(value.to_messages())} messages")
    )
    chain = RunnableWithMessageHistory(
        prompt | echo,
        lambda session_id: NousChatMessageHistory(session_id, memory=memory),
        input_messages_key="question",
        history_messages_key="history",
    )
    options: RunnableConfig = {"configurable": {"session_id": "monday"}}
    assert chain.invoke({"question": "Hi"}, options).content == "1 messages"
    assert chain.invoke({"question": "Hi again"}, options).content == "3 messages"
