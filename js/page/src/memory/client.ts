// The page's side of the worker that holds the memory.

import { effect, signal } from "@preact/signals";
import * as Comlink from "comlink";
import type { Progress, Source } from "./open.ts";
import type { Summary } from "./records.ts";
import type { SampleName } from "./sample-names.ts";
import type { Calls } from "./worker.ts";

const worker = new Worker(new URL(__MEMORY_WORKER__, import.meta.url), {
  type: "module",
  name: "memory",
});

/** The calls of the worker; each returns a promise. */
export const memory = Comlink.wrap<Calls>(worker);

/** The state of the memory. */
export type Opened =
  | { state: "opening"; progress: Progress }
  | { state: "open"; summary: Summary }
  | { state: "failed"; why: string };

/** Whether a memory is open, and which. */
export const opened = signal<Opened>({
  state: "opening",
  progress: { step: "fetching", share: 0 },
});

/** Whether the memory of a server is open. */
export function isOfServer(): boolean {
  const state = opened.value;
  return state.state === "open" && state.summary.source === "server";
}

/** Whether a memory is open that holds none. */
export function isEmpty(): boolean {
  const state = opened.value;
  return state.state === "open" && state.summary.memories === 0;
}

/** Rises with each change of the memory, so that views ask again. */
export const generation = signal(0);

let latest = 0;
/** Whether a memory is open, or is being opened. */
export const isChosen = (): boolean => latest > 0;

/** Why a memory is not open if another one was opened while it was read. */
export const OVERTAKEN = "Another memory was opened meanwhile.";

/**
 * Opens a memory in place of the one that is open. Returns why it is not open; undefined if it is.
 * With `isOptional` the memory that was open before stays open then.
 */
export async function openMemory(
  source: Source,
  { isOptional = false }: { isOptional?: boolean } = {},
): Promise<string | undefined> {
  latest += 1;
  const own = latest;
  const before = opened.peek();
  // Reports come over a channel of their own, also after the answer.
  let isDone = false;
  const report = (progress: Progress) => {
    if (own === latest && !isDone) opened.value = { state: "opening", progress };
  };
  report({ step: "fetching", share: 0 });
  try {
    const summary = await memory.open(source, Comlink.proxy(report));
    isDone = true;
    if (own !== latest) return OVERTAKEN;
    opened.value = { state: "open", summary };
    generation.value += 1;
    return undefined;
  } catch (error) {
    isDone = true;
    const why = error instanceof Error ? error.message : String(error);
    if (own !== latest) return OVERTAKEN;
    opened.value = isOptional && before.state === "open" ? before : { state: "failed", why };
    return why;
  }
}

/** Opens a sample memory. */
export function openSample(name: SampleName): Promise<string | undefined> {
  const url = new URL(`samples/${name}.jsonl`, document.baseURI).href;
  return openMemory({ kind: "sample", name, url });
}

/** Tells the views that the memory has changed. */
export async function memoryChanged(): Promise<void> {
  opened.value = { state: "open", summary: await memory.summary() };
  generation.value += 1;
}

/** A result that a view shows: the last one that arrived, and whether a newer one is under way. */
export interface Latest<T> {
  value: T | undefined;
  error: string | undefined;
}

/**
 * Returns a signal with the result of a call that depends on other signals. The call runs again
 * when one of them, or the memory, changes. A result that a later call overtook is dropped. While a
 * call runs, further changes wait for its end, so that a slider never queues calls.
 *
 * @example
 * ```ts
 * const answered = live(() => {
 *   const asked = question.value;
 *   return () => memory.ask({ question: asked });
 * });
 * ```
 */
export function live<T>(prepare: () => (() => Promise<T>) | undefined) {
  const none = { value: undefined, error: undefined };
  const result = signal<Latest<T>>(none);
  let running = false;
  /** Whether there is something to compute. The result of before is none of nothing. */
  let isWanted = true;
  let waiting: (() => Promise<T>) | undefined;
  const run = async (call: () => Promise<T>) => {
    running = true;
    for (let next: (() => Promise<T>) | undefined = call; next !== undefined; ) {
      waiting = undefined;
      try {
        const value = await next();
        result.value = isWanted ? { value, error: undefined } : none;
      } catch (error) {
        result.value = {
          value: undefined,
          error: error instanceof Error ? error.message : String(error),
        };
      }
      next = waiting;
    }
    running = false;
  };
  const stop = effect(() => {
    const isOpen = opened.value.state === "open";
    void generation.value;
    const call = prepare();
    if (!isOpen) return;
    isWanted = call !== undefined;
    if (call === undefined) {
      waiting = undefined;
      result.value = none;
    } else if (running) waiting = call;
    else void run(call);
  });
  return { result, stop };
}
