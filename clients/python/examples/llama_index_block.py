"""A chat of LlamaIndex that remembers: python llama_index_block.py "I am allergic to walnuts".

What is said is stored in a nous-server. The model is a fake one that repeats its prompt; a model of
LlamaIndex takes its place.
"""

import asyncio
import sys

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory as ChatMemory

from nous_memory import Memory
from nous_memory.llama_index import NousMemoryBlock


async def main(said: str) -> None:
    with Memory() as memory:
        block = NousMemoryBlock(memory=memory, user="mira")
        engine = SimpleChatEngine.from_defaults(
            llm=MockLLM(), memory=ChatMemory.from_defaults(memory_blocks=[block])
        )
        answer = await engine.achat(said)
        print(str(answer).replace(f"user: {said}", f"asked: {said!r}"))


asyncio.run(main(sys.argv[1]))
