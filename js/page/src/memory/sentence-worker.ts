// The worker of the sentence transformer, so that the worker of the memory answers meanwhile. It
// takes one text at a time: a question then waits for one text of a memory at most.

import * as Comlink from "comlink";
import { isReadByTransformer } from "nous-memory";
import { type EmbedOptions, loadMinilm, type Minilm } from "nous-minilm";

/** What a vector is for. */
export type Purpose = NonNullable<EmbedOptions["purpose"]>;

let minilm: Minilm | undefined;

const calls = {
  /** Loads the model. Its file is fetched if this browser has not kept it. */
  async load(progress: (share: number) => void): Promise<void> {
    let told = 0;
    minilm = await loadMinilm({
      onProgress(read, all) {
        const share = read / all;
        if (share < 1 && share - told < MIN_STEP) return;
        told = share;
        progress(share);
      },
    });
    await minilm.loadAsking();
  },
  /**
   * Returns the vector of a text; null if the model does not read it, or finds no word and no mark.
   */
  embed(text: string, purpose: Purpose): Float32Array | null {
    if (!isReadByTransformer(text)) return null;
    const { vector, tokens } = minilm!.embed(text, { purpose });
    return tokens === 0 ? null : Comlink.transfer(vector, [vector.buffer]);
  },
};

/** The least progress that is told: the network brings hundreds of pieces. */
const MIN_STEP = 0.01;

export type SentenceCalls = typeof calls;

Comlink.expose(calls);
