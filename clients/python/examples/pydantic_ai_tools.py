"""An agent of Pydantic AI that remembers: python pydantic_ai_tools.py "I am allergic to walnuts".

What its model remembers is stored in a nous-server, and so is the conversation. The model is a fake
one that calls the tools and repeats what they tell; a name such as "openai:gpt-5-mini" takes its
place.
"""

import asyncio
import json
import sys

from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from nous_memory import Memory
from nous_memory.pydantic_ai import NousConversationStore, NousToolset


def parrot(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Remembers what is no question, and repeats what the tools tell about a question."""
    told = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    if told:
        answer = f"I know: {told[0].content}" if told[0].tool_name == "recall" else "Noted."
        return ModelResponse(parts=[TextPart(answer)])
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    [said] = [part.content for part in requests[-1].parts if isinstance(part, UserPromptPart)]
    call = (
        ToolCallPart("recall", json.dumps({"question": said}))
        if str(said).endswith("?")
        else ToolCallPart("remember", json.dumps({"text": said}))
    )
    return ModelResponse(parts=[call])


async def main(said: str) -> None:
    with Memory() as memory:
        agent = Agent(FunctionModel(parrot), toolsets=[NousToolset(memory, user="mira")])
        store = NousConversationStore(memory, user="mira")
        conversation = await store.load("monday") or Conversation(conversation_id="monday")
        result = await agent.run(said, conversation=conversation)
        await store.save(result)
        print(result.output)


asyncio.run(main(sys.argv[1]))
