"""An agent of the OpenAI Agents SDK that remembers: python openai_agents_session.py "I ski".

The items of the session are memories of a nous-server. The model is a fake one that repeats what
the session told it; leave `model` out for one of OpenAI.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, TResponseInputItem, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from nous_memory import Memory
from nous_memory.openai_agents import NousSession


class Parrot(Model):
    """Answers with what users have said before in this session."""

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        items: list[Any] = [] if isinstance(input, str) else list(input)
        said = [str(item["content"]) for item in items if item.get("role") == "user"][:-1]
        text = ResponseOutputText(
            text=f"I know: {said}", type="output_text", annotations=[], logprobs=[]
        )
        message = ResponseOutputMessage(
            id="m", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def main(said: str) -> None:
    with Memory() as memory:
        agent = Agent(name="cook", instructions="You are a careful cook.", model=Parrot())
        session = NousSession("monday", memory=memory, user="mira")
        result = await Runner.run(agent, said, session=session)
        print(result.final_output)


asyncio.run(main(sys.argv[1]))
