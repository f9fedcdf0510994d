// Opens a memory: fetches or reads its lines, and makes the index, with progress.

import tableUrl from "nous-embedder/tables/nous-128.bin?url";
import { Embedder, type EngineConfig, init } from "nous-wasm";
import { GENERAL_SUBTYPES } from "../../../demo/general/subtypes.ts";
import { Held } from "./held.ts";
import { addLine, LineError, noRows, type Rows } from "./lines.ts";
import type { WrongLine } from "./records.ts";

/** A memory that the page can open. */
export type Source =
  | {
      kind: "sample";
      name: SampleName;
      /** Where its lines are. */
      url: string;
    }
  | { kind: "lines"; name: string; files: { name: string; text: string }[] };

export type SampleName = "general" | "trader";

/** What the page shows while a memory opens. */
export interface Progress {
  step: "fetching" | "reading" | "indexing" | "words";
  /** From 0 to 1. */
  share: number;
}

/** The present of the samples: their last memory is of the day before. */
const SAMPLE_NOW = Date.parse("2026-12-01T00:00:00Z");
const SAMPLES: Readonly<Record<SampleName, { title: string; config: EngineConfig }>> = {
  general: {
    title: "A year of a person, a household and a project",
    config: { sections: { subtypes: GENERAL_SUBTYPES } },
  },
  trader: { title: "A trading agent", config: {} },
};
/** The most wrong lines that the page lists. */
const MOST_WRONG = 100;
/** Lines between two reports of progress. */
const AT_ONCE = 2_000;

let words: Promise<Embedder> | undefined;

/** Returns the source of word vectors, which is fetched once. Progress is that of its bytes. */
export function wordVectors(progress: (share: number) => void): Promise<Embedder> {
  words ??= fetchWords(progress).catch((error: unknown) => {
    words = undefined;
    throw error;
  });
  return words;
}

async function fetchWords(progress: (share: number) => void): Promise<Embedder> {
  await init();
  return new Embedder(await fetched(tableUrl, progress));
}

async function fetched(url: string, progress: (share: number) => void): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok || response.body === null)
    throw new Error(`${new URL(url, location.href).pathname} answered ${response.status}`);
  // The length of a compressed answer is not that of its bytes here; then progress is a guess.
  const total = Number(response.headers.get("content-length") ?? 0);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (total > 0) progress(Math.min(1, size / total));
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Opens a memory. */
export async function open(source: Source, report: (progress: Progress) => void): Promise<Held> {
  await init();
  const rows = noRows();
  const wrong: WrongLine[] = [];
  let wrongCount = 0;
  const note = (line: WrongLine) => {
    wrongCount += 1;
    if (wrong.length < MOST_WRONG) wrong.push(line);
  };
  const wordsArrive = wordVectors((share) => report({ step: "words", share }));
  // Where the table cannot be had, words match by stems and letters.
  const withoutWords = wordsArrive.catch(() => undefined);
  let [name, now, config]: [string, number | null, EngineConfig] = ["", null, {}];
  if (source.kind === "sample") {
    const sample = SAMPLES[source.name];
    [name, now, config] = [sample.title, SAMPLE_NOW, sample.config];
    const bytes = await fetched(source.url, (share) => report({ step: "fetching", share }));
    await readLines(rows, source.name, new TextDecoder().decode(bytes), note, report);
  } else {
    name = source.name;
    for (const file of source.files) await readLines(rows, file.name, file.text, note, report);
  }
  const embedder = await withoutWords;
  const opening = { name, rows, now, config, words: embedder, wrong, wrongCount };
  return Held.open(opening, (share) => report({ step: "indexing", share }));
}

async function readLines(
  rows: Rows,
  file: string,
  text: string,
  note: (line: WrongLine) => void,
  report: (progress: Progress) => void,
): Promise<void> {
  const lines = text.split("\n");
  for (const [place, line] of lines.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) {
      report({ step: "reading", share: place / lines.length });
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (line.trim() === "") continue;
    try {
      addLine(rows, line);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      note({ file, line: place + 1, why: error.message });
    }
  }
}
