// Renders an explanation: a score as a tree of lines, each with the numbers of its formula.

import { type Explanation, SECTION_PROFILES } from "nous-wasm";
import type { Answer, ExplainedResult } from "./answer.ts";
import { cell, widthOf, wrap } from "./layout.ts";
import type { Library } from "./library.ts";
import { NARROWEST, type Screen } from "./render.ts";

/** The digits of a printed value. The score itself is exact. */
const DIGITS = 6;
const INDENT = 2;
/** The most arrivals of activation that are printed. The weaker ones are summed. */
const MAX_ARRIVALS = 12;
/** The least readable width of a title; with less room it gets a line of its own. */
const MIN_TITLE = 16;

const SIGNS = {
  sum: " + ",
  product: " × ",
  quotient: " / ",
  maximum: ", ",
  minimum: ", ",
} as const;

/** Replacements for names of the engine that read badly before a number. */
const NAMES: Readonly<Record<string, string>> = {
  "edge weight": "edge",
  hop_decay: "decay",
  "largest hit, at least 1": "largest hit",
  "two averages are the most": "two averages",
};

const ABSENT = {
  filtered: "a filter keeps it out",
  not_reached:
    "it has too few of the words for activation to start from it, and none reaches it over the edges",
  below_floor:
    "activation reaches it, but it is below the floor of relevance: no search had found it",
};

const shown = (value: number): string => String(Number(value.toPrecision(DIGITS)));
const nameOf = ({ name }: Explanation): string => NAMES[name] ?? name;
const named = (part: Explanation): string => `${nameOf(part)} ${shown(part.value)}`;
const isArrival = (part: Explanation): boolean => part.from !== undefined;

/** Renders the explanation of a memory under a heading. */
export function renderExplanation(
  library: Library,
  answer: Answer,
  explanation: ExplainedResult,
  { width, colors }: Screen,
): string {
  const screen: Screen = { width: Math.max(width, NARROWEST), colors };
  const { id, score } = explanation;
  const lines = [
    ...wrap(`WHY ${id}  ${library.get(id).content_title}`, screen.width, 4).map((line) =>
      colors.bold(line),
    ),
    colors.dim("─".repeat(screen.width)),
    ...wrap(
      [standing(library, answer, explanation), ...selected(answer, explanation)].join(" "),
      screen.width,
    ),
  ];
  if (score !== null) {
    const note = `Values are rounded to ${DIGITS} digits, the score is not. --json has every digit of all of them.`;
    const tree = new Tree(library, screen).lines(score);
    lines.push("", ...tree, "", ...wrap(note, screen.width).map((line) => colors.dim(line)));
  }
  return lines.join("\n");
}

/** Returns the place of the memory, or the reason for its absence. */
function standing(library: Library, answer: Answer, explanation: ExplainedResult): string {
  const { id, query, rank, absent } = explanation;
  if (rank === null && absent !== "below_limit")
    return `Not in the ranking: ${ABSENT[absent ?? "not_reached"]}.`;
  const { ids } = library.search(library.hits(query), true).ranking;
  const limited = rank === null ? `, below the limit of ${answer.limit}` : "";
  return `Place ${ids.indexOf(id) + 1} of ${ids.length} by section weights${source(answer, explanation)}${limited}.`;
}

/** Returns the query, if there is more than one. */
function source({ question, trace, rankings }: Answer, { id, query }: ExplainedResult): string {
  if (query === question) return trace.parts.length > 1 ? " for the whole question" : "";
  const weak = trace.replaced.find(({ by }) => by === id);
  if (weak !== undefined) return ` for “${query}”, the title of ${weak.id}, which was weak`;
  return ` for part ${rankings.intent.find((one) => one.id === id)?.part}, “${query}”`;
}

/** Returns the lines about the third ranking, if it differs. */
function selected({ question, rankings }: Answer, { id, query }: ExplainedResult): string[] {
  const result = rankings.intent.find((one) => one.id === id);
  if (result === undefined) return [];
  const { section, score, rank, boosted } = result;
  const factor = SECTION_PROFILES[section].intent_boost;
  if (boosted)
    return [
      `With the intent ${section} it is ${shown(score)}, ${factor} times the score, and place ${rank}.`,
    ];
  return query === question ? [] : [`In the third ranking it is place ${rank}.`];
}

class Tree {
  constructor(
    readonly library: Library,
    readonly screen: Screen,
  ) {}

  /** Returns the lines of a value and its parts. */
  lines(node: Explanation, depth = 0): string[] {
    const value = depth === 0 ? String(node.value) : shown(node.value);
    const parts = node.parts ?? [];
    const arrivals = parts.filter(isArrival).sort((a, b) => b.value - a.value);
    const formula = node.operation === undefined ? "" : ` = ${formulaOf(node, arrivals.length)}`;
    const note = node.note === undefined ? "" : `${formula === "" ? ":" : ","} ${node.note}`;
    // A number that its formula already shows in full needs no line.
    const below = parts.filter(
      (part) => !isArrival(part) && (part.operation !== undefined || part.note !== undefined),
    );
    return [
      ...this.line(`${nameOf(node)} ${value}`, `${formula}${note}`, depth),
      ...below.flatMap((part) => this.lines(part, depth + 1)),
      ...arrivals.slice(0, MAX_ARRIVALS).flatMap((arrival) => this.arrival(arrival, depth + 1)),
      ...this.rest(arrivals.slice(MAX_ARRIVALS), depth + 1),
    ];
  }

  line(head: string, rest: string, depth: number): string[] {
    const { width, colors } = this.screen;
    const indent = " ".repeat(depth * INDENT);
    return wrap(`${head}${rest}`, width - indent.length, 2 * INDENT).map((text, i) =>
      i === 0 && text.startsWith(head)
        ? `${indent}${colors.bold(head)}${text.slice(head.length)}`
        : `${indent}${text}`,
    );
  }

  /** Returns the lines of an arrival over an edge: one, or two if its path needs the second. */
  arrival(arrival: Explanation, depth: number): string[] {
    const { width, colors } = this.screen;
    const indent = " ".repeat(depth * INDENT);
    const amount = `+ ${shown(arrival.value)}`;
    const formula = ` = ${formulaOf(arrival, 0)}`;
    const before = `${arrival.note ?? ""} from “`;
    const after = `” over ${this.library.edgeType(arrival.edge)}`;
    const title = this.library.get(arrival.from ?? "").content_title;
    const fitted = (room: number) =>
      `${before}${cut(title, room - widthOf(before) - widthOf(after))}${after}`;
    const room = width - widthOf(`${indent}${amount}${formula}, `);
    if (room >= widthOf(before) + widthOf(after) + Math.min(MIN_TITLE, widthOf(title))) {
      return [`${indent}${colors.bold(amount)}${formula}, ${colors.dim(fitted(room))}`];
    }
    const further = `${indent}${" ".repeat(2 * INDENT)}`;
    return [
      ...this.line(amount, `${formula},`, depth),
      `${further}${colors.dim(fitted(width - further.length))}`,
    ];
  }

  /** Returns the sum of the arrivals that are not printed. */
  rest(arrivals: readonly Explanation[], depth: number): string[] {
    if (arrivals.length === 0) return [];
    const sum = arrivals.reduce((total, arrival) => total + arrival.value, 0);
    const max = shown(arrivals[0]?.value ?? 0);
    return this.line(
      `+ ${shown(sum)}`,
      ` from ${arrivals.length} more, none of them above ${max}`,
      depth,
    );
  }
}

/** Returns the formula of a value. Arrivals have lines of their own, and are only counted. */
function formulaOf({ operation, parts = [] }: Explanation, arrivals: number): string {
  if (operation === undefined) return "";
  const operands = parts.filter((part) => arrivals === 0 || !isArrival(part)).map(named);
  if (arrivals > 0) operands.push(arrivals === 1 ? "1 arrival" : `${arrivals} arrivals`);
  const formula = operands.join(SIGNS[operation]);
  return operation === "maximum"
    ? `max(${formula})`
    : operation === "minimum"
      ? `min(${formula})`
      : formula;
}

const cut = (text: string, width: number): string =>
  cell(text, Math.min(width, widthOf(text))).trimEnd();
