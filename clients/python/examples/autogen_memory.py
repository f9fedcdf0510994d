"""An agent of AutoGen that remembers: python autogen_memory.py "I am allergic to walnuts".

What is said is stored in a nous-server. The model is a fake one that repeats what the memory told
it; a client of autogen-ext takes its place.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
    SystemMessage,
)

from nous_memory import Memory
from nous_memory.autogen import NousMemory


class Parrot(ChatCompletionClient):
    """Answers with what the memory told it."""

    async def create(self, messages: Sequence[LLMMessage], **_: Any) -> CreateResult:
        told = [it.content for it in messages if isinstance(it, SystemMessage)]
        return CreateResult(
            content="I know: " + "\n".join(told),
            finish_reason="stop",
            usage=self.total_usage(),
            cached=False,
        )

    def create_stream(self, *_: Any, **__: Any) -> AsyncGenerator[str | CreateResult, None]:
        raise NotImplementedError

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    total_usage = actual_usage

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    remaining_tokens = count_tokens

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            family="unknown",
            structured_output=False,
        )

    @property
    def capabilities(self) -> Any:
        return self.model_info


async def main(said: str) -> None:
    with Memory() as memory:
        agent = AssistantAgent(
            "cook",
            model_client=Parrot(),
            memory=[NousMemory(memory, user="mira")],
            system_message=None,
        )
        result = await agent.run(task=said)
        print(result.messages[-1].to_text())


asyncio.run(main(sys.argv[1]))
