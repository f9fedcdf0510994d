// The rows that README.md quotes.

import { BM25, EVIDENCE, FUSED_WITH_SENTENCES, SENTENCES } from "./contestants.ts";
import { answerable, JUDGED } from "./evidence-report.ts";
import { judged, type Part } from "./measure.ts";
import { mean } from "./summary.ts";

/** The rows of the README by title of a part. The first cell names the row. */
const ROWS: Readonly<Record<string, string>> = {
  "general, test half": "a person, a household, a project over a year (test half)",
  "conversations-dev": "conversations of two people (LoCoMo)",
  "phone-dev": "what two phones hold (LifeBench)",
  "meetings-dev": "meetings (QMSum)",
  "claims-dev": "scientific claims (SciFact)",
};
const SYSTEMS = [BM25.name, SENTENCES, FUSED_WITH_SENTENCES, EVIDENCE];

/** Returns the rows for the parts that the README quotes: the number of questions, and nDCG@10. */
export function readmeRows(parts: readonly Part[]): string[][] {
  return parts.flatMap(({ title, cases, measured }) => {
    const label = ROWS[title];
    if (label === undefined) return [];
    const figures = SYSTEMS.map((name) => {
      const own = measured.find(({ system }) => system.name === name);
      if (own === undefined) throw new Error(`${title}: ${name} was not asked`);
      return mean(judged(cases, own.found, JUDGED)).toFixed(3);
    });
    return [[label, answerable(cases).length.toLocaleString("en"), ...figures]];
  });
}
