// One question by evidence: the memories that answer it with their probabilities, and for one of them
// the numbers behind its probability. `--json` prints `EvidenceReport`.

import {
  ANSWERABLE,
  type Answer,
  getSectionForSubtype,
  type MemorySection,
  type TextSpan,
  type Why,
} from "nous-wasm";
import { KINDS } from "../../page/src/evidence/kinds.ts";
import { cell, indented, wrap } from "./layout.ts";
import { type Library, type SearchedText, searchedText, textOf } from "./library.ts";
import { headed, NARROWEST, type Screen, sectionPaint, shortId } from "./render.ts";

/** A memory at its place. */
export interface EvidenceResult {
  id: string;
  /** The place, from 1. */
  rank: number;
  /** The probability that the memory answers the question. */
  score: number;
  section: MemorySection;
  /** The subtype without the prefix `custom:`. */
  subtype: string;
  title: string;
  text: string;
  /** The time of creation, in ISO 8601. */
  created_at: string;
  /** The memory that supersedes it, and stands before it; null if there is none. */
  superseded_by: string | null;
  /** A better memory that it repeats, so that it stands further back; null if it was not moved. */
  similar_to: string | null;
}

/** The reasons for the place of one memory. Spans of `why` refer to `searched`. */
export interface Reasons {
  id: string;
  /** Title and text by which the memory is found: kind and tags stand before the title. */
  searched: SearchedText;
  why: Why;
}

/** The answer to one question. */
export interface EvidenceAnswer {
  question: string;
  /** The most results. */
  limit: number;
  /** Whether the best score reaches the threshold of the engine, `ANSWERABLE`. */
  answerable: boolean;
  /** The best memories, best first. A memory that nothing connects with the question is missing. */
  results: EvidenceResult[];
  /** The reasons for the memory that `--explain` names, or else for the first result. */
  explanation: Reasons | null;
}

/** The output of `--json`. */
export interface EvidenceReport {
  format: 4;
  /** The present of this report, in ISO 8601. */
  clock: string;
  memories: number;
  edges: number;
  answers: EvidenceAnswer[];
}

/** Answers a question, with the reasons for the first result. */
export function answerByEvidence(
  library: Library,
  question: string,
  limit: number,
): EvidenceAnswer {
  const answers = library.byEvidence.ask(question, { limit, now: library.at });
  const [best] = answers;
  return {
    question,
    limit,
    answerable: best !== undefined && best.score >= ANSWERABLE,
    results: answers.map((answer, place) => resultOf(library, answer, place + 1)),
    explanation: best === undefined ? null : reasonsFor(library, question, best.id),
  };
}

function resultOf(library: Library, answer: Answer, rank: number): EvidenceResult {
  const { id, score, superseded_by = null, similar_to = null } = answer;
  const memory = library.get(id);
  return {
    ...{ id, rank, score },
    section: getSectionForSubtype(memory.subtype),
    subtype: memory.subtype.slice("custom:".length),
    title: memory.content_title,
    text: textOf(memory.content_body),
    created_at: memory.provenance_created_at,
    ...{ superseded_by, similar_to },
  };
}

function reasonsFor(library: Library, question: string, id: string): Reasons {
  const searched = searchedText(library.get(id));
  const options = { now: library.at, text: searched };
  return { id, searched, why: library.byEvidence.why(id, question, options) };
}

/**
 * Returns the answer with the reasons for another memory. A unique prefix of its id is enough.
 *
 * @throws {UsageError} If no memory, or more than one, has such an id.
 */
export function explainedByEvidence(
  library: Library,
  answer: EvidenceAnswer,
  id: string,
): EvidenceAnswer & { explanation: Reasons } {
  const shown = answer.results.map((result) => result.id);
  const explanation = reasonsFor(library, answer.question, library.idFor(id, shown));
  return { ...answer, explanation };
}

/** Returns the data that `--json` prints. */
export function evidenceReport(library: Library, answers: EvidenceAnswer[]): EvidenceReport {
  return {
    format: 4,
    clock: new Date(library.at).toISOString(),
    memories: library.nodes.length,
    edges: library.edges.length,
    answers,
  };
}

// ---- the picture --------------------------------------------------------------------------------

/** The least width of results with one line each; below it, two. */
const ONE_LINE = 100;
/** The digits of a number. */
const DIGITS = 3;
/** The width of a number of a sum, with its sign. */
const NUMBER = 3 + DIGITS;

const SUPERSESSION = {
  label: "Supersession",
  about: "It supersedes a memory, or is superseded by one.",
};
const wordsFor = (name: string) => KINDS[name] ?? SUPERSESSION;
const longest = (field: "label" | "about") =>
  Math.max(...Object.values(KINDS).map((kind) => kind[field].length));
const [LABEL, ABOUT] = [longest("label"), longest("about")];

/** Renders an answer: its results, and the reasons for one of them. */
export function renderEvidence(library: Library, answer: EvidenceAnswer, screen: Screen): string {
  const fitted: Screen = { ...screen, width: Math.max(screen.width, NARROWEST) };
  const { width, colors } = fitted;
  const { question, answerable, results, explanation } = answer;
  const verdict = verdictOn(answer);
  return [
    ...wrap(`› ${question}`, width, 2).map((line) => colors.bold(line)),
    ...(verdict === null ? [] : ["", ...wrap(verdict, width)]),
    ...(results.length === 0
      ? []
      : headed(
          `${answerable ? "ANSWERS" : "THE NEAREST"}  each with the probability that it answers`,
          fitted,
        )),
    ...results.flatMap((result) => resultLines(library, result, fitted)),
    ...(explanation === null ? [] : ["", renderReasons(library, answer, screen)]),
  ].join("\n");
}

/** Says that nothing answers the question; null if something does. */
function verdictOn({ answerable, results }: EvidenceAnswer): string | null {
  if (answerable) return null;
  const [best] = results;
  if (best === undefined) return "Nothing in this memory has anything to do with the question.";
  return `Nothing in this memory answers the question: the best probability is ${fixed(best.score)}, and an answer begins at ${ANSWERABLE}.`;
}

function resultLines(library: Library, result: EvidenceResult, screen: Screen): string[] {
  const { width, colors } = screen;
  const { id, rank, score, section, title, created_at, superseded_by, similar_to } = result;
  const head = `${String(rank).padStart(2)}  ${fixed(score)}  `;
  const indent = " ".repeat(head.length);
  const facts = [
    cell(section, "PROCEDURAL".length, sectionPaint(section, screen)),
    created_at.slice(0, "2026-03-14".length),
    colors.dim(shortId(id)),
  ].join("  ");
  const factsWidth = "PROCEDURAL".length + "2026-03-14".length + shortId(id).length + 2 * 2;
  const isWide = width >= ONE_LINE;
  const titleWidth = width - head.length - (isWide ? factsWidth + 2 : 0);
  const line = `${head}${cell(title, titleWidth, colors.bold)}`;
  const named = (other: string) => `${shortId(other)} “${library.get(other).content_title}”`;
  const notes = [
    ...(superseded_by === null ? [] : [`superseded by ${named(superseded_by)}`]),
    ...(similar_to === null ? [] : [`stands behind, as it repeats ${named(similar_to)}`]),
  ];
  return [
    ...(isWide ? [`${line}  ${facts}`] : [line.trimEnd(), `${indent}${facts}`]),
    ...notes.flatMap((note) => indented(note, head.length, width)).map((it) => colors.dim(it)),
  ];
}

/** Renders the reasons for the place of a memory: its sum, its words, and its passage. */
export function renderReasons(
  library: Library,
  { limit, explanation }: EvidenceAnswer,
  screen: Screen,
): string {
  if (explanation === null) return "";
  const fitted: Screen = { ...screen, width: Math.max(screen.width, NARROWEST) };
  const { width, colors } = fitted;
  const { id, searched, why } = explanation;
  return [
    ...wrap(`WHY ${shortId(id)}  ${library.get(id).content_title}`, width, 4).map((line) =>
      colors.bold(line),
    ),
    colors.dim("─".repeat(width)),
    ...wrap(standing(why, limit), width),
    "",
    ...sumLines(why, fitted),
    "",
    ...wordLines(why, fitted),
    "",
    ...passageLines(searched, why, fitted),
  ].join("\n");
}

function standing({ rank, score, sum, scale, offset }: Why, limit: number): string {
  const place =
    rank === null
      ? "Not among the answers: nothing connects it with the question."
      : `Place ${rank}${rank > limit ? `, below the limit of ${limit}` : ""}.`;
  const sign = offset < 0 ? "−" : "+";
  const inner = `${scale} × sum ${sign} ${fixed(Math.abs(offset))}`;
  return `${place} The probability is ${fixed(score)} = 1 / (1 + e^−(${inner})), and the sum is ${fixed(sum)}:`;
}

/**
 * The lines of a sum: what each kind of evidence adds, its value and its weight. The screen decides
 * how much is said of each kind.
 */
function sumLines({ evidence, sum }: Why, { width, colors }: Screen): string[] {
  const weighing = evidence.filter(({ contribution }) => contribution !== 0);
  const names = Math.max(0, ...weighing.map(({ name }) => name.length));
  const lines = weighing.flatMap(({ name, value, weight, contribution }) => {
    const head = `${number(contribution)} = ${number(value)} × ${number(weight)}  `;
    const room = width - head.length - names - 2;
    const { label, about } = wordsFor(name);
    const words = colors.dim(room >= ABOUT ? about : label);
    return room >= LABEL
      ? [`${head}${name.padEnd(names)}  ${words}`]
      : [`${head}${name}`, `${" ".repeat(head.length)}${words}`];
  });
  return [
    ...lines,
    colors.dim("─".repeat(NUMBER)),
    `${colors.bold(number(sum))} is the sum: what it adds = its value × its weight`,
  ];
}

/** The words of the question: what each matched, and how near that is. */
function wordLines({ words }: Why, { width }: Screen): string[] {
  const matched = words.flatMap(({ asked, found, nearness, in_passage }) => {
    if (found === null) return [];
    const near = nearness === 1 ? ` = ${found}` : ` ~ ${found} ${nearness.toFixed(2)}`;
    const where = in_passage ? "" : " (in another passage)";
    return `${asked}${asked === found ? "" : near}${where}`;
  });
  const missing = words.filter(({ found }) => found === null).map(({ asked }) => asked);
  return [
    ...wrap(`Words that matched: ${matched.join(", ") || "none"}.`, width, 2),
    ...(missing.length === 0
      ? []
      : wrap(`Words without a match: ${missing.join(", ")}.`, width, 2)),
  ];
}

/** The best passage, with the matched words in «». */
function passageLines(searched: SearchedText, { words, passage }: Why, screen: Screen): string[] {
  const { width, colors } = screen;
  const marks = words.flatMap(({ spans = [] }) => spans);
  const stretches = (passage.spans ?? []).map((stretch) => marked(searched, stretch, marks));
  const paint = (line: string) => line.replace(/«[^»]*»/g, (word) => colors.yellow(word));
  const lines = stretches.flatMap((text) => indented(text.replace(/\s+/g, " "), 2, width));
  return ["Best passage, with the matched words in «»:", ...lines.map(paint)];
}

/** Returns a stretch of a text with the marked spans in «». */
function marked(searched: SearchedText, stretch: TextSpan, marks: readonly TextSpan[]): string {
  const { field, start, end } = stretch;
  const inside = marks
    .filter((mark) => mark.field === field && mark.start >= start && mark.end <= end)
    .sort((a, b) => a.start - b.start);
  let [text, at] = ["", start];
  for (const mark of inside) {
    if (mark.start < at) continue;
    text += `${searched[field].slice(at, mark.start)}«${searched[field].slice(mark.start, mark.end)}»`;
    at = mark.end;
  }
  return text + searched[field].slice(at, end);
}

const fixed = (value: number): string => value.toFixed(DIGITS);
const number = (value: number): string => fixed(value).padStart(NUMBER);
