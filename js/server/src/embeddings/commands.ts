// Commands that make embeddings. A server may be running meanwhile: it reads the new embeddings
// through the change log.

import { atOnce } from "nous-memory";
import type { Logger } from "../log.ts";
import type { Settings } from "../settings/options.ts";
import { databasesOf } from "../storage/open.ts";
import { placeOf } from "../storage/place.ts";
import type { Storage } from "../storage/storage.ts";
import { type BuiltIn, dropOwn, embedWaiting, mayUse, tableOf, takeIntoUse } from "./built-in.ts";
import type { Embedder } from "./embedder.ts";
import { type DrainReport, drain, type EmbeddingQueue } from "./queue.ts";
import { type Reembedded, reembed } from "./reembed.ts";
import { modelInUse, putOff, storeVectors, takeWork } from "./tasks.ts";

/** Memories whose vectors are made in one transaction. */
const IN_A_TRANSACTION = 1_000;

/** What a command needs to make embeddings. */
export interface EmbeddingRun {
  settings: Settings;
  embedder: Embedder;
  log: Logger;
  signal: AbortSignal;
  /** Called with the number of embeddings made so far for an agent. */
  progress(agent: string, made: number): void;
}

/**
 * Makes the missing vectors of a table for every agent. Replaces those of another table, and leaves
 * those of other models alone.
 */
export function backfillByTable(
  settings: Settings,
  builtIn: BuiltIn,
): AsyncIterable<DrainReport & { agent: string }> {
  return forAll(settings, async (storage) => {
    const waiting = storage.embeddings.waiting();
    const { done, embedded } = mayUse(storage)
      ? embedAll(storage, builtIn)
      : { done: waiting, embedded: 0 };
    return { ok: storage.embeddings.waiting() === 0, embedded, total: done };
  });
}

/** Replaces all vectors of every agent by those of a table. */
export function reembedByTable(
  settings: Settings,
  builtIn: BuiltIn,
): AsyncIterable<Reembedded & { agent: string }> {
  return forAll(settings, async (storage) => {
    storage.transaction(() => {
      storage.embeddings.dropAll();
      storage.setMeta("embedding_model", "");
      // Makes replicas reload everything: vectors may have another length now.
      storage.changeLog.trim(storage.changeLog.range().last);
    });
    const { done, embedded } = embedAll(storage, builtIn);
    return { embedded, rejected: done - embedded };
  });
}

/**
 * Makes vectors of all memories that wait for one, in transactions that let others write between.
 * Returns how many no longer wait, and how many of them have a vector.
 */
function embedAll(storage: Storage, builtIn: BuiltIn): { done: number; embedded: number } {
  let [done, embedded] = [0, 0];
  for (;;) {
    const made = storage.transaction(() => {
      takeIntoUse(storage, builtIn);
      return atOnce(embedWaiting(storage, builtIn, 0, IN_A_TRANSACTION));
    });
    done += made.done;
    embedded += made.embedded;
    if (made.done < IN_A_TRANSACTION) return { done, embedded };
  }
}

/** Makes the missing embeddings of every agent. They take the place of vectors of a table. */
export function backfillAll(making: EmbeddingRun): AsyncIterable<DrainReport & { agent: string }> {
  return forAll(making.settings, (storage, agent) => {
    const { embedder, log, signal, progress } = making;
    if (tableOf(storage) !== undefined) storage.transaction(() => dropOwn(storage));
    return drain(queueOf(storage, embedder), embedder, log.child({ agent }), signal, (made) =>
      progress(agent, made),
    );
  });
}

/** Makes embeddings of the configured model for every agent, and replaces those in use by them. */
export function reembedAll(making: EmbeddingRun): AsyncIterable<Reembedded & { agent: string }> {
  return forAll(making.settings, (storage, agent) => {
    const { embedder, log, signal, progress } = making;
    return reembed(storage, embedder, log.child({ agent }), signal, (made) =>
      progress(agent, made),
    );
  });
}

async function* forAll<T>(
  settings: Settings,
  work: (storage: Storage, agent: string) => Promise<T>,
): AsyncIterable<T & { agent: string }> {
  for (const { where, open } of databasesOf(placeOf(settings))) {
    const storage = open();
    try {
      const agent = storage.meta("agent") ?? where;
      yield { agent, ...(await work(storage, agent)) };
    } finally {
      storage.close();
    }
  }
}

function queueOf(storage: Storage, { model: configured }: Embedder): EmbeddingQueue {
  return {
    take: async (max) => {
      const model = modelInUse(storage, storage.embeddings.dimensions(), configured);
      return takeWork(storage, model, max, Date.now());
    },
    store: async (made) => storage.transaction(() => storeVectors(storage, made)),
    putOff: async (failed) => storage.transaction(() => putOff(storage, failed, Date.now())),
    release: async () =>
      storage.transaction(() => {
        storage.embeddings.release();
        return { waiting: storage.embeddings.waiting() };
      }),
  };
}
