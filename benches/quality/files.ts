// Measures all systems on sets of questions from files.

import { basename } from "node:path";
import type { WordVectors } from "nous-wasm";
import { evidenceByParts, othersThanEvidence } from "./contestants.ts";
import { reportOf } from "./evidence-report.ts";
import { askingOf, measure } from "./measure.ts";
import { readSet } from "./read-set.ts";

/** Returns the tables of each file. The stores of a file count together, question by question. */
export function reportOnFiles(files: readonly string[], embedder: WordVectors): string {
  const read = files.map((file) => ({ file, sets: readSet(file) }));
  return read
    .map(({ file, sets }) => {
      const askings = sets.map(askingOf);
      const systems = [...othersThanEvidence(), ...evidenceByParts(embedder)];
      const cases = askings.flatMap((asking) => asking.cases);
      const memories = sets.reduce((sum, one) => sum + one.memories.length, 0);
      const title = `${basename(file)}, ${sets.length} stores, ${memories} memories`;
      return reportOf(title, cases, measure(systems, askings));
    })
    .join("\n\n");
}
