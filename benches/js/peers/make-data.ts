// Makes the data of the contest beside libraries and databases.

import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Embedder } from "nous-wasm";
import { NOW } from "../../../js/reference/inputs.ts";
import { makeTextMemories, makeTextQuestions, vocabularyOf } from "../evidence-inputs.ts";
import { batchesOf } from "../memory-inputs.ts";
import { tableOf } from "../token-tables.ts";
import { DIMENSIONS, LIMIT, type Memory, type Plan } from "./data.ts";

/**
 * Writes the data into a folder. Returns the places of the nearest memories of the first `judged`
 * questions, by the cosine with all.
 */
export function writeData(
  folder: string,
  size: Pick<Plan, "memories" | "rounds" | "seconds" | "least">,
  { questions: count, writes, judged }: { questions: number; writes: number; judged: number },
): number[][] {
  const table = tableOf(DIMENSIONS);
  const vocabulary = vocabularyOf(table);
  const embedder = new Embedder(table);
  const questions = makeTextQuestions(vocabulary, count);
  const all = makeTextMemories(vocabulary, size.memories + writes);
  const later = Date.now() - NOW;
  const lines = all.map(({ id, title, text, created_at, clusters }) => ({
    ...{ id, title, text, clusters: clusters ?? [] },
    created_at: (created_at as number) + later,
  }));
  writeLines(join(folder, "memories.jsonl"), lines.slice(0, size.memories));
  writeLines(join(folder, "new.jsonl"), lines.slice(size.memories));
  const vectors = vectorsOf(
    embedder,
    all.map(({ title, text }) => `${title}\n${text}`),
  );
  const asked = vectorsOf(embedder, questions);
  embedder.free();
  const end = size.memories * DIMENSIONS;
  writeFileSync(join(folder, "memories.f32"), vectors.subarray(0, end));
  writeFileSync(join(folder, "new.f32"), vectors.subarray(end));
  writeFileSync(join(folder, "questions.f32"), asked);
  writeFileSync(join(folder, "plan.json"), JSON.stringify({ ...size, questions }));
  return nearest(vectors.subarray(0, end), asked, judged);
}

function writeLines(path: string, memories: readonly Memory[]): void {
  const file = openSync(path, "w");
  for (const batch of batchesOf(memories))
    writeSync(file, batch.map((one) => `${JSON.stringify(one)}\n`).join(""));
  closeSync(file);
}

function vectorsOf(embedder: Embedder, texts: readonly string[]): Float32Array {
  const vectors = new Float32Array(texts.length * DIMENSIONS);
  for (const [place, text] of texts.entries())
    embedder.embedInto(text, vectors, place * DIMENSIONS);
  return vectors;
}

/** Vectors have the length 1: the product of two is their cosine. */
function nearest(vectors: Float32Array, asked: Float32Array, judged: number): number[][] {
  return Array.from({ length: judged }, (_, question) => {
    const best: { place: number; cosine: number }[] = [];
    for (let from = 0; from < vectors.length; from += DIMENSIONS) {
      let cosine = 0;
      for (let at = 0; at < DIMENSIONS; at++)
        cosine += vectors[from + at]! * asked[question * DIMENSIONS + at]!;
      if (best.length === LIMIT && cosine <= best.at(-1)!.cosine) continue;
      best.push({ place: from / DIMENSIONS, cosine });
      best.sort((a, b) => b.cosine - a.cosine);
      if (best.length > LIMIT) best.pop();
    }
    return best.map(({ place }) => place);
  });
}
