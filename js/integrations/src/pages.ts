// Lists of memories, page by page.

import type { Filter, MemoryNode, NousClient } from "nous-server/client";

const PAGE = 200;

/** Yields the memories of a filter, the newest first. */
export async function* nodesOf(
  memory: NousClient,
  filter: Filter,
  size = PAGE,
): AsyncGenerator<MemoryNode> {
  const query = { filter: JSON.stringify(filter), limit: Math.min(size, PAGE) };
  let cursor: string | undefined;
  do {
    const page = await memory.listNodes(cursor === undefined ? query : { ...query, cursor });
    yield* page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
