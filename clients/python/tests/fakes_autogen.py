"""A model of AutoGen without a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)


class Listener(ChatCompletionClient):
    """Keeps what it hears, and always says the same."""

    def __init__(self, name: str) -> None:
        self.heard: list[list[LLMMessage]] = []
        self._says = f"{name} thinks about the turbines."

    async def create(self, messages: Sequence[LLMMessage], **_: Any) -> CreateResult:
        self.heard.append(list(messages))
        return CreateResult(
            content=self._says, finish_reason="stop", usage=self.total_usage(), cached=False
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
