// The thread of the sentence transformer. It loads the model, tells its name, and then answers each
// text with its vector, one after the other. An error ends it; `Transformer` starts another.

import { parentPort } from "node:worker_threads";
import { loadMinilm } from "nous-minilm";

const port = parentPort!;
const minilm = await loadMinilm();
port.on("message", (text: string) => {
  const { vector, tokens } = minilm.embed(text);
  // A text without a word or a mark has no vector.
  if (tokens === 0) port.postMessage(undefined);
  else port.postMessage(vector, [vector.buffer]);
});
port.postMessage(minilm.id);
