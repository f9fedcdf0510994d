// Commands that make embeddings. A server may be running meanwhile: it reads the new embeddings
// through the change log.

import type { Logger } from "../log.ts";
import type { Settings } from "../settings/options.ts";
import { atOnce } from "../steps.ts";
import { databasesOf } from "../storage/open.ts";
import { placeOf } from "../storage/place.ts";
import type { Storage } from "../storage/storage.ts";
import { type BuiltIn, embedWaiting, mayUse, takeIntoUse } from "./built-in.ts";
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

/** Makes the missing vectors of a table for every agent, and leaves vectors of other models alone. */
export function backfillByTable(
  settings: Settings,
  builtIn: BuiltIn,
): AsyncIterable<DrainReport & { agent: string }> {
  return forAll(settings, async (storage) => {
    const total = storage.embeddings.waiting();
    const embedded = mayUse(storage) ? embedAll(storage, builtIn) : 0;
    return { ok: storage.embeddings.waiting() === 0, embedded, total };
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
    const total = storage.embeddings.waiting();
    const embedded = embedAll(storage, builtIn);
    return { embedded, rejected: total - embedded };
  });
}

/** Makes vectors of all memories that wait for one, in transactions that let others write between. */
function embedAll(storage: Storage, builtIn: BuiltIn): number {
  let embedded = 0;
  for (;;) {
    const made = storage.transaction(() => {
      takeIntoUse(storage, builtIn);
      return atOnce(embedWaiting(storage, builtIn, 0, IN_A_TRANSACTION));
    });
    embedded += made.embedded;
    if (made.done < IN_A_TRANSACTION) return embedded;
  }
}

/** Makes the missing embeddings of every agent. */
export function backfillAll(making: EmbeddingRun): AsyncIterable<DrainReport & { agent: string }> {
  return forAll(making.settings, (storage, agent) => {
    const { embedder, log, signal, progress } = making;
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
    take: async (most) => {
      const model = modelInUse(storage, storage.embeddings.dimensions(), configured);
      return takeWork(storage, model, most, Date.now());
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
