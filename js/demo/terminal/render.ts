// Renders an answer: three rankings side by side in a wide terminal, one below the other in a
// narrow one.

import type { MemorySection } from "nous-wasm";
import type { Colors } from "picocolors/types";
import { type Answer, type Result, SIGNALS } from "./answer.ts";
import { bar, type Cell, cell, duration, type Paint, row, wrap } from "./layout.ts";
import type { Library } from "./library.ts";

/** The least width of rankings side by side. */
const SIDE_BY_SIDE = 150;
/** The least width of stacked tables with one line for each result; below it, two. */
const ONE_LINE = 132;
/** The least width of the screen. */
export const NARROWEST = 60;
/** The least width of a column with dates. */
const WITH_DATE = 49;
const GAP = "  │ ";
const LABEL = 12;
/** The number of shown characters of an id. */
const ID = 7;
/** The width of the reason of a move, in a table with one line for each result. */
const REASON = 28;

/** The width and the colours of the terminal. */
export interface Screen {
  width: number;
  colors: Colors;
}

const count = (n: number): string => n.toLocaleString("en-US");
const bars = (result: Result): string =>
  SIGNALS.map((signal) => bar(result.signals[signal])).join("");
/** Returns the prefix of an id that is shown beside a result. */
export const shortId = (id: string): string => id.slice(0, ID);
const day = (iso: string): string => iso.slice(0, 10);

/** Returns the colour of a section. */
export function sectionPaint(section: MemorySection, { colors }: Screen): Paint {
  const paints: Record<MemorySection, Paint> = {
    EPISODIC: colors.cyan,
    SIGNALS: colors.yellow,
    KNOWLEDGE: colors.green,
    PROCEDURAL: colors.magenta,
  };
  return paints[section];
}

function lifecyclePaint(result: Result, { colors }: Screen): Paint {
  if (result.lifecycle === "ACTIVE") return colors.green;
  return result.lifecycle === "WEAK" ? colors.yellow : colors.dim;
}

/** Returns places gained or lost, for example +3. */
function move(result: Result, { colors }: Screen): Cell {
  if (result.moved === null) return { text: "new", paint: colors.green };
  if (result.moved === 0) return { text: "=", paint: colors.dim };
  return result.moved > 0
    ? { text: `+${result.moved}`, paint: colors.green }
    : { text: `−${-result.moved}`, paint: colors.red };
}

interface Column {
  title: string;
  note: string;
  results: readonly Result[];
  /** Whether the results are compared with the ranking by global weights. */
  compared: boolean;
}

function columnsOf({ rankings, intents, trace }: Answer): Column[] {
  const boosted =
    intents.length > 0
      ? `${intents.map((intent) => intent.section).join(", ")} boosted`
      : "no intent found, nothing boosted";
  return [
    {
      title: "GLOBAL WEIGHTS",
      note: "the same for every memory",
      results: rankings.global,
      compared: false,
    },
    {
      title: "SECTION WEIGHTS",
      note: "each by its section",
      results: rankings.sections,
      compared: true,
    },
    {
      title: "SECTIONS + INTENT",
      note: trace.parts.length > 1 ? `${trace.parts.length} parts, ${boosted}` : boosted,
      results: rankings.intent,
      compared: true,
    },
  ];
}

/** Renders the first line: the memory and its present. */
export function renderHead(library: Library, version: string, { width, colors }: Screen): string {
  const clock = `${new Date(library.at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const facts = `${count(library.nodes.length)} memories of a trading agent, ${count(library.edges.length)} edges`;
  const text = `nous-wasm ${version} · ${facts} · it is ${clock}`;
  return wrap(text, width)
    .map((line) => colors.dim(line))
    .join("\n");
}

/** Renders an answer with its three rankings. */
export function renderAnswer(answer: Answer, screen: Screen): string {
  const fitted: Screen = { ...screen, width: Math.max(screen.width, NARROWEST) };
  const { width, colors } = fitted;
  const head = [
    ...wrap(`› ${answer.question}`, width, 2).map((line) => colors.bold(line)),
    "",
    ...intentLines(answer, fitted),
    ...partLines(answer, fitted),
    ...candidateLines(answer, fitted),
    "",
  ];
  if (answer.candidates.total === 0)
    return [...head, "No memory has a word of this question in it."].join("\n");
  const columns = columnsOf(answer);
  const tables =
    width >= SIDE_BY_SIDE
      ? sideBySide(columns, fitted)
      : columns.flatMap((column) => [...stacked(column, fitted), ""]);
  return [...head, ...tables, ...legend(answer, fitted)].join("\n");
}

/** Returns a paragraph with its label in a separate column. */
function labelled(label: string, text: string, { width, colors }: Screen): string[] {
  return wrap(text, width - LABEL).map(
    (line, i) => `${cell(i === 0 ? label : "", LABEL, colors.dim)}${line}`,
  );
}

function intentLines(answer: Answer, screen: Screen): string[] {
  if (answer.intents.length === 0)
    return labelled("intent", "none: no string of any section is in the question", screen);
  return answer.intents.map(({ section, strings }, i) => {
    const found = strings.map(({ string, count: times }) =>
      times > 1 ? `“${string}” ×${times}` : `“${string}”`,
    );
    const label = cell(i === 0 ? "intent" : "", LABEL, screen.colors.dim);
    return `${label}${row([{ text: section.padEnd(11), paint: sectionPaint(section, screen) }, { text: `from ${found.join(", ")}` }], screen.width - LABEL)}`.trimEnd();
  });
}

/** Returns the lines of the parts of a question, if there are several. */
function partLines({ trace: { parts }, rankings }: Answer, screen: Screen): string[] {
  if (parts.length === 1) return [];
  const { width, colors } = screen;
  return parts.flatMap(({ query, results, retry }, i) => {
    const found = retry?.stands ? retry.results : results;
    const shown = rankings.intent.filter(({ part }) => part === i + 1).length;
    const count =
      found === 0
        ? "nothing found"
        : `${found} found, ${shown === 0 ? "none" : shown} of them below`;
    const number = `${i + 1}  `;
    return wrap(`${number}${query} (${count})`, width - LABEL, number.length).map(
      (line, at) => `${cell(i === 0 && at === 0 ? "parts" : "", LABEL, colors.dim)}${line}`,
    );
  });
}

function candidateLines({ candidates }: Answer, screen: Screen): string[] {
  const { total, by_words, by_edges } = candidates;
  const text = `${total}: ${by_words} by their words (BM25), ${by_edges} over edges from these. There are no embeddings, so semantic is 0 throughout.`;
  return labelled("candidates", text, screen);
}

function heading(column: Column, width: number, { colors }: Screen): string {
  return row(
    [
      { text: column.title, paint: colors.bold },
      { text: `  ${column.note}`, paint: colors.dim },
    ],
    width,
  );
}

function sideBySide(columns: readonly Column[], screen: Screen): string[] {
  const { colors } = screen;
  const width = Math.floor((screen.width - GAP.length * (columns.length - 1)) / columns.length);
  const blocks = columns.map((column) => [
    heading(column, width, screen),
    colors.dim("─".repeat(width)),
    ...column.results.flatMap((result) => block(result, column, width, screen)),
  ]);
  const height = Math.max(...blocks.map((lines) => lines.length)) - 1;
  const line = (at: number) =>
    blocks.map((lines) => lines[at] ?? " ".repeat(width)).join(colors.dim(GAP));
  return [...Array.from({ length: height }, (_, at) => line(at).trimEnd()), ""];
}

/**
 * Returns the lines of a result in a column: title and score; section, bars, state and date; the
 * reason of its move, and its id.
 */
function block(result: Result, { compared }: Column, width: number, screen: Screen): string[] {
  const { colors } = screen;
  const rank = `${String(result.rank).padStart(2)}  `;
  const indent = { text: " ".repeat(rank.length) };
  const score = ` ${result.score.toFixed(3)}`;
  const date = width >= WITH_DATE ? ` ${day(result.created_at)}` : "";
  const moved = move(result, screen);
  const change = compared
    ? [
        { ...moved, text: moved.text.padEnd(5) },
        { text: result.reason ?? "", paint: colors.dim },
      ]
    : [{ text: `most from ${result.primary_signal}`, paint: colors.dim }];
  const facts = [
    indent,
    { text: result.section.padEnd(11), paint: sectionPaint(result.section, screen) },
    { text: `${bars(result)}  ` },
    { text: `R ${result.retrievability.toFixed(2)} ` },
    { text: result.lifecycle, paint: lifecyclePaint(result, screen) },
  ];
  return [
    `${rank}${cell(result.title, width - rank.length - score.length, colors.bold)}${colors.dim(score)}`,
    `${row(facts, width - date.length)}${colors.dim(date)}`,
    `${row([indent, ...change], width - ID - 1)} ${colors.dim(cell(shortId(result.id), ID))}`,
    " ".repeat(width),
  ];
}

/** Returns a ranking as a table over the whole width. */
function stacked(column: Column, screen: Screen): string[] {
  const { width, colors } = screen;
  const line = (result: Result): string[] => {
    const moved = move(result, screen);
    const change = column.compared ? cell(moved.text, 4, moved.paint, "right") : " ".repeat(4);
    const head = `${String(result.rank).padStart(2)} ${change}  `;
    const headWidth = ID + 2;
    const id = cell(shortId(result.id), ID, colors.dim);
    const score = result.score.toFixed(3);
    const facts = [
      cell(result.section, 10, sectionPaint(result.section, screen)),
      bars(result),
      `R ${result.retrievability.toFixed(2)}`,
      cell(result.lifecycle, 8, lifecyclePaint(result, screen)),
    ].join("  ");
    const factsWidth = 10 + 6 + 6 + 8 + 3 * 2;
    const reason = column.compared ? (result.reason ?? "") : `most from ${result.primary_signal}`;
    if (width < ONE_LINE) {
      const title = cell(result.title, width - headWidth - score.length - 1, colors.bold);
      const rest = cell(reason, width - headWidth - factsWidth - 1, colors.dim);
      return [`${head}${title} ${colors.dim(score)}`, ` ${id} ${facts} ${rest}`.trimEnd()];
    }
    const titleWidth = width - headWidth - score.length - ID - factsWidth - REASON - 4 * 2;
    const title = cell(result.title, titleWidth, colors.bold);
    return [
      `${head}${id}  ${title}  ${colors.dim(score)}  ${facts}  ${cell(reason, REASON, colors.dim)}`.trimEnd(),
    ];
  };
  return [
    heading(column, width, screen).trimEnd(),
    colors.dim("─".repeat(width)),
    ...column.results.flatMap(line),
  ];
}

function legend({ rankings, time_us, trace }: Answer, screen: Screen): string[] {
  const us = (value: number) => duration(value / 1000);
  const time = [
    `classifyIntent ${us(time_us.classify_intent)}`,
    `index.search ${us(time_us.search_global)} by global weights, ${us(time_us.search_sections)} by section weights`,
    `retrieve ${us(time_us.retrieve)} with all its searches of the index`,
  ].join(", ");
  const divided = trace.parts.length > 1;
  const isNew = rankings.intent.some(({ moved }) => moved === null);
  const why = divided
    ? "the weight that did most of it, or the part it is for"
    : "the weight that did most of it";
  const [first] = rankings.sections;
  const id = first ? shortId(first.id) : "";
  return [
    ...labelled(
      "bars",
      `${SIGNALS.join(", ")}: ${bar(0)} is 0, ${bar(1)} is 1. R is retrievability, the chance that the memory is still at hand.`,
      screen,
    ),
    ...labelled(
      "+3 −2",
      `places gained or lost against the global weights, and ${why}${isNew ? "; new: the whole question did not lead to it" : ""}`,
      screen,
    ),
    ...labelled(
      id,
      "the beginning of an id, for --explain or :explain: what that score consists of",
      screen,
    ),
    ...labelled(
      "time",
      `${time}. Full-text search is in none. Medians of ${time_us.calls} calls after ${time_us.warm_up} to warm up.`,
      screen,
    ),
  ];
}

/** Returns a blank line and a heading. */
export const headed = (title: string, { width, colors }: Screen): string[] => [
  "",
  colors.bold(title),
  colors.dim("─".repeat(width)),
];

/** Returns a rule between two answers. */
export const renderRule = ({ width, colors }: Screen): string =>
  `\n${colors.dim("═".repeat(Math.max(width, NARROWEST)))}\n`;
