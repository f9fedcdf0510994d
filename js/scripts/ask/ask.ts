// Answers a question over the sample memory: the memories that answer it, each with its probability,
// and the numbers behind the probability of one of them.

import { parseArgs } from "node:util";
import { loadEmbedderSync } from "nous-embedder";
import { KINDS } from "nous-page/kinds";
import { ANSWERABLE, type Answer, getSectionForSubtype, MemoryIndex, type Why } from "nous-wasm";
import {
  generateSample,
  SAMPLE_DEFAULTS,
  type SampleNode,
  searchedText,
} from "../../sample/trader/index.ts";

const HELP = `npm run ask -- "QUESTION" [--limit N] [--explain ID]

Asks the memory of a trading agent, which is made up and ends on ${SAMPLE_DEFAULTS.end.slice(0, 10)}.
Prints the probability that each memory answers, and the reasons for the first one.

  --limit N     the most answers, from 1 on (default 5)
  --explain ID  gives the reasons for this memory; the beginning of its id is enough
`;
const DEFAULT_LIMIT = 5;
const NOW = Date.parse(SAMPLE_DEFAULTS.end);
/** Shown characters of an id, and digits of a number. */
const [ID, DIGITS] = [7, 3];
/** The width of a title in the list of answers. */
const TITLE = 56;

/** A fault of the command line, as a sentence. */
export class UsageError extends Error {}

/**
 * Returns the text that the program prints.
 *
 * @throws {UsageError} If the arguments are wrong.
 */
export function ask(args: readonly string[]): string {
  const { question, limit, explain, help } = parsed(args);
  if (help) return HELP;
  const sample = generateSample();
  const byId = new Map(sample.nodes.map((node) => [node.id, node]));
  const explained = explain === undefined ? undefined : idFor(explain, [...byId.keys()]);
  using index = new MemoryIndex({
    embedder: loadEmbedderSync(),
    config: { evidence: { preset: "trading" } },
  });
  const entries = sample.nodes.map((node) => ({ ...node, ...searchedText(node) }));
  index.upsert(entries, { now: NOW });
  index.link(sample.edges);
  const answers = index.ask(question, { limit, now: NOW });
  const shown = explained ?? answers[0]?.id;
  const lines = [verdictOn(answers[0]), ...answers.flatMap((each, i) => row(each, i + 1, byId))];
  if (shown !== undefined) {
    const node = byId.get(shown)!;
    const text = searchedText(node);
    lines.push("", ...reasons(index.why(shown, question, { now: NOW, text }), node, limit));
  }
  return `${lines.join("\n")}\n`;
}

function parsed(args: readonly string[]) {
  const options = {
    limit: { type: "string", default: String(DEFAULT_LIMIT) },
    explain: { type: "string" },
    help: { type: "boolean", default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    });
    const question = positionals.join(" ").trim();
    const limit = Number(values.limit);
    if (!values.help && question === "") throw new UsageError("There is no question. See --help.");
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new UsageError(`--limit: "${values.limit}" is no whole number from 1 on.`);
    return { question, limit, explain: values.explain, help: values.help };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${(error as Error).message} See --help.`);
  }
}

/** Returns the only id that begins with a text. */
function idFor(text: string, ids: readonly string[]): string {
  const found = ids.filter((id) => id.startsWith(text));
  if (found.includes(text)) return text;
  const [only, other] = found;
  if (only === undefined || text === "")
    throw new UsageError(`--explain: there is no memory "${text}".`);
  if (other !== undefined)
    throw new UsageError(
      `--explain: several ids begin with "${text}", for example ${only}, ${other}.`,
    );
  return only;
}

function verdictOn(best: Answer | undefined): string {
  if (best === undefined) return "Nothing in this memory has anything to do with the question.";
  if (best.score >= ANSWERABLE) return "ANSWERS, each with the probability that it answers";
  return `Nothing in this memory answers the question: the best probability is ${fixed(best.score)}, and an answer begins at ${ANSWERABLE}. THE NEAREST`;
}

function row(answer: Answer, rank: number, byId: ReadonlyMap<string, SampleNode>): string[] {
  const { id, score, superseded_by, similar_to } = answer;
  const { content_title: title, subtype, provenance_created_at } = byId.get(id)!;
  const cut = title.length > TITLE ? `${title.slice(0, TITLE - 1).trimEnd()}…` : title;
  const facts = [getSectionForSubtype(subtype).padEnd(10), provenance_created_at.slice(0, 10)];
  const named = (other: string) => `${short(other)} “${byId.get(other)?.content_title}”`;
  return [
    `${String(rank).padStart(2)}  ${fixed(score)}  ${cut.padEnd(TITLE)}  ${facts.join("  ")}  ${short(id)}`,
    ...(superseded_by === undefined ? [] : [`           superseded by ${named(superseded_by)}`]),
    ...(similar_to === undefined
      ? []
      : [`           stands behind, as it repeats ${named(similar_to)}`]),
  ];
}

/** Returns the sum of a memory's evidence, the words that matched, and its best passage. */
function reasons(why: Why, node: SampleNode, limit: number): string[] {
  const { rank, score, sum, scale, offset, evidence, words, passage } = why;
  const place =
    rank === null
      ? "Not among the answers: nothing connects it with the question."
      : `Place ${rank}${rank > limit ? `, below the limit of ${limit}` : ""}.`;
  const inner = `${scale} × sum ${offset < 0 ? "−" : "+"} ${fixed(Math.abs(offset))}`;
  const text = searchedText(node);
  const near = words.flatMap(({ asked, found, nearness }) => {
    if (found === null) return [];
    if (asked === found) return [asked];
    return [nearness === 1 ? `${asked} = ${found}` : `${asked} ~ ${found} ${nearness.toFixed(2)}`];
  });
  const missing = words.filter(({ found }) => found === null).map(({ asked }) => asked);
  return [
    `WHY ${short(node.id)}  ${node.content_title}`,
    `${place} The probability is ${fixed(score)} = 1 / (1 + e^−(${inner})), and the sum is ${fixed(sum)}:`,
    ...evidence
      .filter(({ contribution }) => contribution !== 0)
      .map(
        ({ name, value, weight, contribution }) =>
          `${number(contribution)} = ${number(value)} × ${number(weight)}  ${name.padEnd(18)} ${KINDS[name]!.about}`,
      ),
    `${number(sum)} is the sum: what it adds = its value × its weight`,
    `Words that matched: ${near.join(", ") || "none"}.`,
    ...(missing.length === 0 ? [] : [`Words without a match: ${missing.join(", ")}.`]),
    ...(passage.spans ?? []).map(
      ({ field, start, end }) =>
        `Best passage: ${text[field].slice(start, end).replace(/\s+/g, " ")}`,
    ),
  ];
}

const short = (id: string): string => id.slice(0, ID);
const fixed = (value: number): string => value.toFixed(DIGITS);
const number = (value: number): string => fixed(value).padStart(DIGITS + 3);
