"""A store of LangGraph whose items are memories. Needs the extra `langgraph`."""

from __future__ import annotations

from collections.abc import Iterable

import anyio.to_thread
from langgraph.store.base import BaseStore, Op, Result, TTLConfig

from . import _store
from ._sync_client import Memory

__all__ = ["NousStore"]


class NousStore(BaseStore):
    """Keeps the items of LangGraph in the memory of an agent.

        graph = builder.compile(store=NousStore(Memory()))

    An item is one memory: namespace and key make its id. A search with `query` ranks by the
    probability that an item answers, and `score` is that probability; it sees the best 100. Without
    `query` the newest items come first. `index=False` hides an item from questions, and
    `index=[...]`
    names the fields of its value that they read. `ttl` is supported, in minutes: the server deletes
    what has expired. `$gt` and its like compare numbers.

    Operations of one `batch` are no transaction. Reads see the state before its writes.
    """

    supports_ttl = True

    def __init__(self, memory: Memory | None = None, *, ttl: TTLConfig | None = None) -> None:
        self.memory = memory or Memory()
        """The memory that holds the items."""
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carries out operations."""
        return _store.run(self.memory, ops)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carries out operations, in a thread. The same connections serve every event loop."""
        return await anyio.to_thread.run_sync(self.batch, list(ops))
