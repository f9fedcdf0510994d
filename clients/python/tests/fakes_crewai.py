"""A model of CrewAI without a model."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from crewai import BaseLLM
from pydantic import Field


class Listener(BaseLLM):
    """Keeps what it hears. Says what it is to say, and then always the same."""

    heard: list[list[dict[str, Any]]] = Field(default_factory=list)
    says: list[str] = Field(default_factory=list)

    def __init__(self, says: Sequence[str] = ()) -> None:
        super().__init__(model="listener")
        self.says = list(says)

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        self.heard.append(copy.deepcopy(messages))
        return self.says.pop(0) if self.says else "Thought: I know.\nFinal Answer: Turbines hum."
