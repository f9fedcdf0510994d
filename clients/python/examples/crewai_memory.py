"""An agent of CrewAI that remembers: python crewai_memory.py "I am allergic to walnuts".

What is said is stored in a nous-server. The model is a fake one that repeats what the memory told
it; a name such as "openai/gpt-5-mini" takes its place.
"""

import os
import sys
from typing import Any

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")

from crewai import Agent, BaseLLM

from nous_memory import Memory
from nous_memory.crewai import NousMemory


class Parrot(BaseLLM):
    """Answers with what the memory told it."""

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        text = "\n".join(str(message["content"]) for message in messages)
        told = text.partition("Relevant memories:\n")[2].partition("\n\n")[0]
        return f"Thought: I know it.\nFinal Answer: I know: {told}"


def main(said: str) -> None:
    with Memory() as memory:
        agent = Agent(
            role="cook",
            goal="cook what the user may eat",
            backstory="You are a careful cook.",
            llm=Parrot(model="parrot"),
            memory=NousMemory(memory, user="mira"),
        )
        print(getattr(agent.kickoff(said), "raw", ""))


main(sys.argv[1])
