// The reasons for the place of a memory among the answers to a question. Server and page share them,
// so that both explain a rank alike.

import type { AskOptions, Engine, MemoryIndex, TextSpan, TimeExpression, Why } from "nous-wasm";
import { textOf, textsOf } from "./index-rows.ts";
import type { TextRow } from "./rows.ts";

/** The reasons, with places in the memory's own title and text. */
export interface Reasons extends Omit<Why, "passage"> {
  /** The stretches of the best passage. */
  passage: TextSpan[];
}

/** What is understood of a question, whatever the memory holds. */
export interface Understood {
  times: TimeExpression[];
  /** The questions that it consists of. */
  parts: string[];
  /** The sections that it asks for. */
  intents: ReturnType<Engine["understand"]>["intents"];
  /** Whether it asks for one fact. */
  isLookup: boolean;
}

/**
 * Returns why the memory of a row has its place. The index must hold the row's text.
 *
 * @throws {NousError} With the field `id` if the memory has no word, or does not pass the filters.
 */
export function reasonsOf(
  index: MemoryIndex,
  row: TextRow,
  question: string,
  options: Pick<AskOptions, "now" | "time_zone" | "filters" | "embedding" | "embedding_scale">,
): Reasons {
  const { title = "", text = "" } = textsOf(row);
  const indexed = { title: title ?? "", text: text ?? "" };
  const why = index.why(row.id, question, { ...options, text: indexed });
  // The index's title begins with kind and tags.
  const before = indexed.title.length - (textOf(row.content_title) ?? "").length;
  const inOwnTitle = (span: TextSpan): TextSpan[] => {
    if (span.field === "text") return [span];
    const [start, end] = [Math.max(0, span.start - before), span.end - before];
    return end <= 0 ? [] : [{ ...span, start, end }];
  };
  return {
    ...why,
    words: why.words.map((word) => ({ ...word, spans: (word.spans ?? []).flatMap(inOwnTitle) })),
    passage: (why.passage.spans ?? []).flatMap(inOwnTitle),
  };
}

/** Returns what the engine understands of a question that is asked at `now`, in a time zone. */
export function understoodOf(
  engine: Pick<Engine, "understand">,
  question: string,
  now: number,
  time_zone = "UTC",
): Understood {
  const asked = engine.understand(question, { terms: "unicode", now, time_zone });
  return {
    times: asked.times ?? [],
    parts: asked.parts,
    intents: asked.intents,
    isLookup: asked.query_type === "LOOKUP",
  };
}

/**
 * Returns how much the meaning of whole sentences counts for a question, and why, in sentences.
 *
 * @param model The model that made the embeddings, to name it.
 */
export function meaningInWords(
  { unheld, weight, least_weight, is_estimated }: NonNullable<Why["meaning"]>,
  model?: string,
): string[] {
  const share = Math.min(Math.max(Math.round((1 - unheld) * 100), 1), 99);
  const held =
    unheld === 1
      ? "no word of the question is in any one memory"
      : unheld === 0
        ? "one memory holds all words of the question"
        : `at most ${share} % of the question is in any one memory`;
  const times = plain(weight / least_weight);
  const counts =
    least_weight <= 0
      ? `weighs ${plain(weight)}`
      : times === "1"
        ? "counts as usual"
        : `counts ${times} times`;
  return [
    `Meaning${model === undefined ? "" : `, by ${model},`} ${counts}: ${held}.`,
    ...(is_estimated ? ["This memory has no vector yet: its meaning is estimated."] : []),
  ];
}

/** Returns a number with two decimals at most. */
const plain = (value: number): string => String(Math.round(value * 100) / 100);
