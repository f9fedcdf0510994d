"""The memory block of LlamaIndex, in agents and chat engines of LlamaIndex."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory as ChatMemory
from llama_index.core.tools import FunctionTool
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import create_async_engine

from nous_memory import LocalServer, Memory
from nous_memory.llama_index import NousMemoryBlock

# LlamaIndex warns of its own code.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pydantic.PydanticDeprecatedSince20", "ignore::pydantic.PydanticDeprecatedSince211"
)


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Memory]:
    with Memory(server.url, agent=f"llama-{uuid4().hex}") as found:
        yield found


class Listener:
    """A model that keeps what it hears. It calls each tool once, if there are any."""

    def __init__(self) -> None:
        self.heard: list[list[ChatMessage]] = []
        self.llm = MockFunctionCallingLLM(response_generator=self.answer)
        self._mocked = MockFunctionCallingLLM().response_generator

    def answer(self, messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
        self.heard.append(list(messages))
        if options.get("tools"):
            called = self._mocked(messages, **options)
            assert isinstance(called, ChatMessage)
            return called
        return ChatMessage(role="assistant", content="The turbines hum.")

    def told(self) -> str:
        """Returns what the memory told the model last."""
        return "\n".join(str(it.content) for it in self.heard[-1] if it.role.value == "system")


@asynccontextmanager
async def chat_of(block: NousMemoryBlock, **options: Any) -> AsyncIterator[ChatMemory]:
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    yield ChatMemory.from_defaults(memory_blocks=[block], async_engine=engine, **options)
    await engine.dispose()


def titles(memory: Memory) -> list[str]:
    return sorted(node.content_title for node in memory.nodes.list())


def test_a_correction_is_followed(memory: Memory) -> None:
    async def said(text: str) -> str:
        # Each time another conversation.
        model = Listener()
        agent = FunctionAgent(llm=model.llm, streaming=False)
        block = NousMemoryBlock(memory=memory, user="mira")
        async with chat_of(block) as chat:
            await agent.run(user_msg=text, memory=chat)
        return model.told()

    async def main() -> None:
        assert await said("I live in Oslo.") == ""
        assert "I live in Oslo." in await said("where do I live?")
        await said("I live in Bergen now, no longer in Oslo.")
        known = await said("where do I live?")
        assert "<nous>" in known
        assert 0 < known.index("I live in Bergen now") < known.index("- I live in Oslo.")

    asyncio.run(main())
    assert titles(memory) == ["I live in Bergen now, no longer in Oslo.", "I live in Oslo."]


def test_a_turn_with_tools_is_stored_once_and_each_step_knows_the_memory(memory: Memory) -> None:
    memory.remember("I play the cello on Sundays.")

    def scan() -> str:
        """Scans a port."""
        return "a turbine hums"

    async def main() -> None:
        model = Listener()
        tools: list[Any] = [FunctionTool.from_defaults(scan)]
        agent = FunctionAgent(llm=model.llm, tools=tools, streaming=False)
        block = NousMemoryBlock(memory=memory)
        async with chat_of(block) as chat:
            await agent.run(user_msg="Scan while I practise the cello.", memory=chat)
        assert len(model.heard) == 2
        assert model.heard[-1][-1].role.value == "tool"
        for heard in model.heard:
            [system] = [message for message in heard if message.role.value == "system"]
            assert "I play the cello on Sundays." in str(system.content)

    asyncio.run(main())
    assert titles(memory) == ["I play the cello on Sundays.", "Scan while I practise the cello."]


def test_a_chat_engine_knows_the_memory(memory: Memory) -> None:
    memory.remember("Mira eats no dairy.", user="mira")
    memory.remember("Omar eats no dairy and no fish.", user="omar")

    async def main() -> None:
        model = Listener()
        block = NousMemoryBlock(memory=memory, user="mira", remembers=False)
        async with chat_of(block) as chat:
            engine = SimpleChatEngine.from_defaults(llm=model.llm, memory=chat)
            await engine.achat("who eats no dairy?")
            assert "Mira eats no dairy." in model.told()
            assert "Omar" not in model.told()
            await engine.achat("Omar plays the cello.")

    asyncio.run(main())
    assert len(titles(memory)) == 2


def test_messages_that_leave_the_short_term_memory_are_stored_if_so_asked(memory: Memory) -> None:
    async def main() -> None:
        block = NousMemoryBlock(
            memory=memory, user="mira", remembers=False, accept_short_term_memory=True
        )
        options: Any = {"session_id": "monday", "token_limit": 60, "token_flush_size": 20}
        async with chat_of(block, **options) as chat:
            await chat.aput(ChatMessage(role="user", content="I am allergic to walnuts."))
            picture = [TextBlock(text="No walnuts then."), ImageBlock(image=b"x")]
            await chat.aput(ChatMessage(role="assistant", blocks=picture))
            assert titles(memory) == []
            await chat.aput(ChatMessage(role="user", content="A long story of turbines. " * 20))
            found = memory.search("what am I allergic to?").data[0]
            assert found.content_title == "user: I am allergic to walnuts."
            assert (found.user, found.session, found.source) == ("mira", "monday", "llama-index")
            assert "assistant: No walnuts then." in titles(memory)
            known = await chat.aget(input="what am I allergic to?")
            assert "user: I am allergic to walnuts." in str(known[0].content)

    asyncio.run(main())


def test_a_question_is_asked_again_each_time(memory: Memory) -> None:
    memory.remember("I play the cello on Sundays.")

    async def main() -> None:
        async with chat_of(NousMemoryBlock(memory=memory)) as chat:
            question = "when do I play the cello?"
            assert "on Sundays" in str((await chat.aget(input=question))[0].content)
            memory.remember("I play the cello on Mondays now, no longer on Sundays.")
            known = str((await chat.aget(input=question))[0].content)
            assert 0 < known.index("on Mondays") < known.index("- I play the cello on Sundays")

    asyncio.run(main())


def test_they_are_not_stored_twice(memory: Memory) -> None:
    async def main() -> None:
        block = NousMemoryBlock(memory=memory)
        async with chat_of(block, token_limit=60, token_flush_size=20) as chat:
            for text in ("I am allergic to walnuts.", "I tell a story of turbines. " * 15):
                await chat.aput(ChatMessage(role="user", content=text))
                await chat.aget()
            assert len(await chat.aget_all()) == 2
            assert len([it for it in await chat.aget() if it.role.value == "user"]) == 1

    asyncio.run(main())
    assert titles(memory).count("I am allergic to walnuts.") == 1
    assert not [title for title in titles(memory) if title.startswith("user:")]


def test_wrong_fields_are_refused(memory: Memory) -> None:
    with pytest.raises(ValidationError, match="usr"):
        NousMemoryBlock(memory=memory, usr="mira")  # type: ignore[call-arg]
    with pytest.raises(ValidationError, match="memory"):
        NousMemoryBlock(memory="http://127.0.0.1:3100")  # type: ignore[arg-type]
