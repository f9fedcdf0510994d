// The loop in the worker: one index, which answers one request after the other.

import type { MemoryIndex } from "../memory-index.ts";
import type { Ranking } from "../ranking.ts";
import type { SearchResult } from "../types.ts";
import {
  type Answer,
  LOADED,
  type Port,
  type Request,
  type Start,
  type WorkerCore,
} from "./protocol.ts";

/** Answers all requests of the port, as long as the thread lives. @internal */
export function serve(port: Port, { initSync, MemoryIndex, NousError }: WorkerCore): void {
  let index: MemoryIndex | undefined;

  const start = ({ module, options, snapshot }: Start): string => {
    initSync(module);
    index =
      snapshot === undefined ? new MemoryIndex(options) : MemoryIndex.restore(snapshot, options);
    return index.embeddingId;
  };

  const ask = (live: MemoryIndex, { asked, args }: Request): unknown => {
    const member = live[asked] as unknown;
    const answer = typeof member === "function" ? member.apply(live, Object.values(args)) : member;
    if (asked === "ids") return [...(answer as Iterable<string>)];
    if (asked === "rerank") return (answer as Ranking).toData();
    if (asked !== "search") return answer;
    const found = answer as SearchResult<Ranking>;
    return { ...found, ranking: found.ranking.toData() };
  };

  const answer = (make: () => unknown): void => {
    try {
      const value = make();
      port.postMessage({ value } satisfies Answer, [...new Set(buffersOf(value, 2))]);
    } catch (error) {
      port.postMessage(failure(error));
    }
  };

  const failure = (error: unknown): Answer => {
    if (!(error instanceof NousError))
      return { thrown: error instanceof Error ? error : new Error(String(error)) };
    const { code, message, details } = error;
    return { refused: { code, message, details } };
  };

  port.onmessage = ({ data }) =>
    answer(() => (index === undefined ? start(data as Start) : ask(index, data as Request)));
  // A message that cannot be read gets an answer, too, because answers are matched by their order.
  port.onmessageerror = () =>
    answer(() => {
      throw new NousError("unsupported", "The worker could not read what was sent to it.");
    });
  port.postMessage(LOADED);
}

/**
 * Yields the buffers of an answer's columns. They are transferred, because the worker no longer
 * needs them.
 */
function* buffersOf(value: unknown, depth: number): Generator<ArrayBuffer, void, undefined> {
  if (ArrayBuffer.isView(value)) yield value.buffer as ArrayBuffer;
  else if (depth > 0 && typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const inner of Object.values(value)) yield* buffersOf(inner, depth - 1);
  }
}
