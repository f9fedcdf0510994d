// Measures all systems on sets of questions from files.

import { basename } from "node:path";
import type { WordVectors } from "nous-wasm";
import { evidenceByParts, othersThanEvidence } from "./contestants.ts";
import { reportOf } from "./evidence-report.ts";
import { askingOf, measure } from "./measure.ts";
import { readSet } from "./read-set.ts";

/**
 * Returns the tables of each file. The stores of a file count together, question by question.
 *
 * @param only - A part of the names of the systems that are asked.
 * @throws {Error} If a file is not a list of question sets, or `only` names no system.
 */
export function reportOnFiles(
  files: readonly string[],
  embedder: WordVectors,
  only: string,
): string {
  const systems = [...othersThanEvidence(), ...evidenceByParts(embedder)].filter(({ name }) =>
    name.includes(only),
  );
  if (systems.length === 0) throw new Error(`--only: no system has “${only}” in its name`);
  const read = files.map((file) => ({ file, sets: readSet(file) }));
  return read
    .map(({ file, sets }) => {
      const askings = sets.map(askingOf);
      const cases = askings.flatMap((asking) => asking.cases);
      const memories = sets.reduce((sum, one) => sum + one.memories.length, 0);
      const title = `${basename(file)}, ${sets.length} stores, ${memories} memories`;
      return reportOf({ title, cases, measured: measure(systems, askings) });
    })
    .join("\n\n");
}
