// `npm run quality -- knows`: measures whether a memory is said to know an answer, over memories
// that hold one and over memories that hold none, beside the best memory alone.

import { type Knows, knowsOf } from "nous-memory";
import { table, writeResults } from "../results.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { meanBeside } from "./evidence-report.ts";
import { FITTED_ROWS, type KnownCase, knownCases } from "./known.ts";
import { setsAndWriting } from "./options.ts";

const USAGE = `npm run quality -- knows             the stores and the general memory
    --set FILE …                     and the questions of files: JSON, or JSON compressed by gzip
    --no-write                       prints the table, writes nothing`;

const HOW = `\`npm run quality -- knows --set FILE …\`. *Known* are questions of which one of the first ten memories holds the answer;
*unknown* those that nothing stored answers. *Cut* asks questions over a few memories with the answer and without it, and over all but the
answer; *near* ones are about what is stored, and the memory does not say it. Each cell has the
share by the score of the first memory alone, then by the rule (\`knows\`), in brackets the ${100 * CONFIDENCE} % interval of the difference, of ${RESAMPLES} bootstrap
resamples over questions. Rows with a star took part in fitting the rule. *Denied* are right first memories whose question is not said
\`yes\` to, *no* those of them that are said \`no\` to.`;

type Rule = (one: KnownCase) => Knows;
const BEFORE: Rule = ({ first }) => knowsOf(first);
const NOW: Rule = ({ probability }) => knowsOf(probability);

/** The columns, by the questions that they count and what they count of these. */
const COLUMNS: readonly (readonly [
  name: string,
  of: (one: KnownCase) => boolean,
  counts: (knows: Knows) => boolean,
])[] = [
  ["known: yes", ({ isKnown }) => isKnown, (knows) => knows === "yes"],
  ["denied", ({ isFirstRight }) => isFirstRight, (knows) => knows !== "yes"],
  ["no", ({ isFirstRight }) => isFirstRight, (knows) => knows === "no"],
  ["unknown: yes", ({ isKnown, kind }) => !isKnown && kind !== "near", (knows) => knows === "yes"],
  ["unknown: no", ({ isKnown, kind }) => !isKnown && kind !== "near", (knows) => knows === "no"],
  ["near: yes", ({ isKnown, kind }) => !isKnown && kind === "near", (knows) => knows === "yes"],
];

function rowOf(name: string, cases: readonly KnownCase[]): string[] {
  const cells = COLUMNS.map(([, of, counts]) => {
    const its = cases.filter(of);
    if (its.length === 0) return "";
    const by = (rule: Rule) => its.map((one) => Number(counts(rule(one))));
    return `${its.length}: ${meanBeside(by(BEFORE))} → ${meanBeside(by(NOW), by(BEFORE))}`;
  });
  return [`${name}${FITTED_ROWS.has(name) ? "*" : ""}`, ...cells];
}

const { files, writes } = setsAndWriting(USAGE);
const cases = await knownCases(files);
const names = [...new Set(cases.map(({ name }) => name))];
const text = table(
  ["questions", ...COLUMNS.map(([name]) => name)],
  names.map((name) =>
    rowOf(
      name,
      cases.filter((one) => one.name === name),
    ),
  ),
);
console.log(text);
if (writes)
  console.log(writeResults("knows", "Whether a memory knows the answer", `${HOW}\n\n${text}`));
