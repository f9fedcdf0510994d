// `npm run quality -- prompts --set FILE …`: measures how often the memories that answer a question
// are in its prompt: that of the server, beside prompts that are filled with what a search finds.

import { basename } from "node:path";
import { whole } from "../js/units.ts";
import { table, today, writeInto, writeResults } from "../results.ts";
import {
  inFilledPrompts,
  LENGTHS,
  type Shares,
  WAYS,
  type Way,
  withStored,
} from "./answers-in-prompts.ts";
import { CONFIDENCE, draws, estimate, RESAMPLES } from "./bootstrap.ts";
import { shown, shownDifference } from "./evidence-report.ts";
import { setsAndWriting } from "./options.ts";
import { readSet } from "./read-set.ts";

const USAGE = `npm run quality -- prompts --set FILE …   JSON, or JSON compressed by gzip
    --no-write                          prints the tables, writes nothing`;
/** The page that quotes the figures. */
const PAGE = "docs/quality.md";

const HOW = `\`npm run quality -- prompts --set FILE …\`: every store is written to a server of default settings as episodes, and every question
that has an answer is asked. A figure is the mean share of a question's answers that are in its prompt. *Prompt* is
\`POST /v1/context\`, whose lines have days and headings. The other prompts have lines of text alone: the memories that a search
finds, best first, fifty at most, while they fit; *evidence* is \`POST /v1/search\`. Of a memory at most 1,200 characters are shown. Nothing counts an access.
In brackets are ${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over questions.`;

const { files, writes } = setsAndWriting(USAGE, { needsFiles: true });
await run();

/** A question, with the share of its answers in each prompt, by the tokens of the prompt. */
interface Asked {
  readonly kind: string;
  readonly shares: readonly Readonly<Record<Way, number>>[];
}

async function run(): Promise<void> {
  const parts: { name: string; memories: number; asked: Asked[] }[] = [];
  for (const file of files) {
    const sets = readSet(file);
    const asked: Asked[] = [];
    for (const set of sets) {
      await withStored(set, async (stored) => {
        const filled: Record<Way, Shares>[] = [];
        for (const tokens of LENGTHS) filled.push(await inFilledPrompts(stored, tokens));
        for (const [place, { kind }] of stored.cases.entries()) {
          const shares = filled.map((one) => shareOfEach((way) => one[way][place]!));
          asked.push({ kind, shares });
        }
      });
      console.error(`${basename(file)}: ${set.name}`);
    }
    const memories = sets.reduce((sum, one) => sum + one.memories.length, 0);
    parts.push({ name: basename(file).replace(/\.json(\.gz)?$/, ""), memories, asked });
  }
  const head = [...WAYS, "prompt − evidence", "prompt − BM25"];
  const tables = LENGTHS.map((tokens, length) => {
    const rows = parts.map(({ name, asked }) => [
      name,
      whole(asked.length),
      ...cells(asked, length),
    ]);
    return `Prompts of ${whole(tokens)} tokens:\n\n${table(["set", "questions", ...head], rows)}`;
  });
  const kinds = parts.flatMap(({ name, memories, asked }) => {
    const names = [...new Set(asked.map(({ kind }) => kind))];
    const own = LENGTHS.map((tokens, length) => {
      const rows = names.map((kind) => {
        const those = asked.filter((one) => one.kind === kind);
        return [kind, whole(those.length), ...cells(those, length)];
      });
      return `Prompts of ${whole(tokens)} tokens:\n\n${table(["kind", "questions", ...head], rows)}`;
    });
    return [`## ${name}, ${whole(memories)} memories, by kind of question`, ...own];
  });
  const text = [...tables, ...kinds].join("\n\n");
  console.log(text);
  if (!writes) return;
  const path = writeResults("prompts", "Answers in prompts", `${HOW}\n\n${text}`);
  writeInto(PAGE, "figures of prompts", `${tables.join("\n\n")}\n\nMeasured on ${today()}.`);
  console.log(`\nwritten to ${path}, in short to ${PAGE}`);
}

/** Returns the cells of a row: each way, and how far the prompt is ahead of evidence and of BM25. */
function cells(asked: readonly Asked[], length: number): string[] {
  const drawn = draws(asked.length);
  const of = (way: Way) => asked.map(({ shares }) => shares[length]![way]);
  const ahead = (way: Way) =>
    asked.map(({ shares }) => shares[length]!.prompt - shares[length]![way]);
  return [
    ...WAYS.map((way) => shown(estimate(of(way), drawn))),
    shownDifference(estimate(ahead("filled by evidence"), drawn)),
    shownDifference(estimate(ahead("filled by BM25"), drawn)),
  ];
}

function shareOfEach(shareOf: (way: Way) => number): Record<Way, number> {
  return Object.fromEntries(WAYS.map((way) => [way, shareOf(way)])) as Record<Way, number>;
}
