// Ranking by meaning: the vectors of memories and questions, by the sentence transformer in a
// worker of its own. Memories get theirs one after the other. Meanwhile the engine estimates those
// that are missing.

import * as Comlink from "comlink";
import { TRANSFORMER } from "nous-memory";
import type { Held, Made } from "./held.ts";
import { hasKept, isKept as isMemoryKept, keep, keepChange } from "./kept.ts";
import { nodeLine } from "./lines.ts";
import type { MeaningOffer, MeaningState } from "./records.ts";
import { keepVectors, keptVectors, vectorsIn } from "./sample-vectors.ts";
import type { Purpose, SentenceCalls } from "./sentence-worker.ts";

/** The cache of nous-minilm. */
const CACHE = "nous-minilm";
/** Vectors that go into the index at once. */
const AT_ONCE = 32;

/** The worker of the model. */
interface Sentences {
  /** Settles when the model is loaded. */
  loaded: Promise<void>;
  embed(text: string, purpose: Purpose): Promise<Float32Array | null>;
  /** Ends it. Its calls under way are rejected. */
  end(): void;
}

let sentences: Sentences | undefined;
let listener: ((share: number) => void) | undefined;
/** Ends the work on the memory that is open. */
let latest = 0;
/** The memory that was ranked last. The next one may be the same, read again. */
let last: Held | undefined;

/**
 * A server makes vectors a moment after it stored memories; of so few they may not be there yet.
 */
const FEW = 10;
/** How often, and after how many milliseconds, it is asked for them again. */
const TRIES = 5;
const BETWEEN = 1_000;

/** Reads the first memories of a server again until one tells of which model its vector is. */
async function untilModelIsKnown(held: Held): Promise<void> {
  const { server, rows } = held;
  const ids = [...rows.nodes.keys()];
  if (server === undefined || ids.length === 0 || ids.length > FEW) return;
  const isKnown = () => [...rows.nodes.values()].some((row) => row.embedding_model != null);
  for (let tries = 0; !isKnown() && tries < TRIES; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    if (held.isFreed) return;
    const read = await server.rowsOf(ids);
    if (held.isFreed) return;
    const { take } = await import("./edit.ts");
    take(
      held,
      read.filter(({ embedding_model: model }) => model != null),
    );
  }
}

/** Returns whether the memory can be ranked by meaning, and what that needs. */
export async function offered(held: Held): Promise<MeaningOffer> {
  await untilModelIsKnown(held);
  return {
    isOffered: held.isForTransformer,
    isKept: sentences !== undefined || (await isFileKept()),
    waiting: held.waiting,
    isOn: held.isByMeaning,
  };
}

/** Whether this browser has kept the file of the model. It keeps none without HTTPS. */
async function isFileKept(): Promise<boolean> {
  try {
    if (!(await caches.has(CACHE))) return false;
    const keys = await (await caches.open(CACHE)).keys();
    return keys.some(({ url }) => url.endsWith(`?${TRANSFORMER.name}`));
  } catch {
    return false;
  }
}

/** Ranks a memory by meaning from now on, and tells the state as it changes. */
export async function start(held: Held, tell: (state: MeaningState) => void): Promise<void> {
  latest += 1;
  const own = latest;
  const isOpen = () => own === latest && !held.isFreed;
  listener = (share) => tell({ state: "loading", share });
  try {
    sentences ??= started();
    const { loaded, embed } = sentences;
    const known = vectorsIn(last);
    last = held;
    for (const [text, vector] of await keptVectors(held)) known.set(text, vector);
    await loaded;
    while (isOpen()) {
      await workOff(held, { embed, known }, isOpen, tell);
      if (isOpen()) await held.untilWaiting();
    }
  } catch {
    if (!isOpen()) return;
    stop(held);
    tell({ state: "failed" });
  }
}

/** How vectors come: the model makes them, and some are known by their text. */
interface Vectors {
  embed: Sentences["embed"];
  known: ReadonlyMap<string, Float32Array>;
}

/** Makes the vectors that are missing. */
async function workOff(
  held: Held,
  { embed, known }: Vectors,
  isOpen: () => boolean,
  tell: (state: MeaningState) => void,
): Promise<void> {
  let made: Made[] = [];
  const fresh: string[] = [];
  const take = () => {
    held.take(made);
    made = [];
    if (!held.isByMeaning) held.mean((text) => embed(text, "question"));
    tell({ state: "on", waiting: held.waiting, all: held.rows.nodes.size });
  };
  for (const { id, text } of held.waitingTexts()) {
    const vector = known.get(text);
    made.push({ id, text, vector: vector ?? (await embed(text, "passage")) });
    if (vector !== undefined) continue;
    if (!isOpen()) return;
    fresh.push(id);
    if (made.length >= AT_ONCE) take();
  }
  take();
  if (fresh.length === 0) return;
  await keepVectors(held);
  // Without room the saved memory stays as it is, without the vectors.
  await save(held, fresh, isOpen).catch(() => {});
}

/** Saves vectors that were made of a memory that is kept in this browser. */
async function save(held: Held, ids: readonly string[], isOpen: () => boolean): Promise<void> {
  // Another tab may have deleted the saved memory meanwhile.
  if (!isMemoryKept(held) || !(await hasKept()) || !isOpen()) return;
  if (ids.length > AT_ONCE) return keep(held);
  const rows = ids.flatMap((id) => held.row(id) ?? []);
  await keepChange(
    held,
    rows.map((row) => nodeLine(held.rows, row)),
  );
}

function started(): Sentences {
  const worker = new Worker(new URL(__SENTENCE_WORKER__, import.meta.url), {
    type: "module",
    name: "sentences",
  });
  const calls = Comlink.wrap<SentenceCalls>(worker);
  // A worker that failed or was ended never answers.
  const underWay = new Set<(why: Error) => void>();
  let why: Error | undefined;
  const answered = <T>(call: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (why !== undefined) return reject(why);
      underWay.add(reject);
      call.then(resolve, reject).finally(() => underWay.delete(reject));
    });
  const end = () => {
    worker.terminate();
    why = new Error("the worker of the sentence model has ended");
    for (const reject of underWay) reject(why);
  };
  worker.addEventListener("error", end);
  return {
    loaded: answered(calls.load(Comlink.proxy((share) => listener?.(share)))),
    embed: (text, purpose) => answered(calls.embed(text, purpose)),
    end,
  };
}

/** Ranks by words alone from now on, and gives back the memory of the model. */
export function stop(held: Held): void {
  latest += 1;
  held.mean(undefined);
  sentences?.end();
  sentences = undefined;
}
