// Measures all systems on sets of questions from files.

import { basename } from "node:path";

import { whole } from "../js/units.ts";
import { correctionTables, unanswerableTables } from "./answer-tables.ts";
import { evidenceByParts, type Models, othersThanEvidence, type System } from "./contestants.ts";
import { reportOf } from "./evidence-report.ts";
import { askingOf, measure } from "./measure.ts";
import type { Report } from "./own.ts";
import { readSet } from "./read-set.ts";
import { summaryOf } from "./summary.ts";

/**
 * Returns the systems whose names contain a text.
 *
 * @param only - The text. Default: all systems are returned.
 * @throws {Error} If no name contains the text.
 */
export function chosen(systems: readonly System[], only = ""): System[] {
  const named = systems.filter(({ name }) => name.includes(only));
  if (named.length === 0) throw new Error(`--only: no system has “${only}” in its name`);
  return named;
}

/**
 * Returns the tables of each file. The stores of a file count together, question by question.
 *
 * @param only - A part of the names of the systems that are asked. Default: all are.
 * @throws {Error} If a file is not a list of question sets, or `only` names no system.
 */
export function reportOnFiles(files: readonly string[], models: Models, only?: string): Report {
  const systems = chosen([...othersThanEvidence(models), ...evidenceByParts(models)], only);
  const read = files.map((file) => ({ file, sets: readSet(file) }));
  const measured = read.map(({ file, sets }) => {
    const askings = sets.map(askingOf);
    const cases = askings.flatMap((asking) => asking.cases);
    const memories = sets.reduce((sum, one) => sum + one.memories.length, 0);
    const name = basename(file).replace(/\.json(\.gz)?$/, "");
    const title = `${name}, ${sets.length} stores, ${whole(memories)} memories`;
    return { name, title, cases, measured: measure(systems, askings) };
  });
  const parts = measured.map(({ name, ...part }) => ({ ...part, title: name }));
  const summary = summaryOf(parts);
  const tables = measured.flatMap((part) => [
    reportOf(part),
    ...unanswerableTables(part.cases, part.measured),
    ...correctionTables(part.cases, part.measured),
  ]);
  const text = ["# In short", summary, ...tables].join("\n\n");
  return { summary, text, parts };
}
