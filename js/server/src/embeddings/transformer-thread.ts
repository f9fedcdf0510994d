// The thread of a sentence transformer. It loads the model, tells its name, and then answers each
// text with its vector, and pairs of statements with their readings, one message after the other.
// An error ends it; `Transformer` starts another.

import { parentPort, workerData } from "node:worker_threads";
import { isReadByTransformer, type PairOfStatements } from "nous-memory";
import { loadMinilm, type MinilmModel } from "nous-minilm";
import type { TransformerName } from "../settings/embeddings-model.ts";
import type { Purpose } from "./provider.ts";

/** What the thread is asked for. */
export interface ToEmbed {
  text: string;
  purpose: Purpose;
}

/** Pairs that the thread is asked to read. */
export interface ToRead {
  pairs: readonly PairOfStatements[];
}

const models: Record<TransformerName, () => Promise<MinilmModel | undefined>> = {
  english: async () => undefined,
  // A package of its own, which not every server needs.
  multilingual: async () => (await import("nous-e5")).multilingual,
};

const port = parentPort!;
const name = workerData as TransformerName;
const transformer = await loadMinilm({ model: await models[name]() });
const reads = name === "english" ? isReadByTransformer : () => true;
// The model of another package has no adapters.
if (name === "english") {
  await transformer.loadReplacing();
  await transformer.loadAsking();
}
port.on("message", (message: ToEmbed | ToRead) => {
  if ("pairs" in message) {
    const readings = transformer.replacing(message.pairs);
    port.postMessage(readings, [readings.buffer]);
    return;
  }
  const { text, purpose } = message;
  const { vector, tokens } = transformer.embed(reads(text) ? text : "", { purpose });
  // A text that the model does not read, or without a word or a mark, has no vector.
  if (tokens === 0) port.postMessage(undefined);
  else port.postMessage(vector, [vector.buffer]);
});
port.postMessage(transformer.id);
