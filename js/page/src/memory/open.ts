// Opens a memory: fetches or reads its lines, and makes the index, with progress.

import tableAddress from "nous-embedder/tables/nous-128.bin";
import { Embedder, type EngineConfig, init } from "nous-wasm";
import moduleAddress from "nous-wasm/nous_wasm.wasm";
import { GENERAL_SUBTYPES } from "../../../sample/general/subtypes.ts";
import { Held } from "./held.ts";
import { noteKept, readKept } from "./kept.ts";
import { addLine, type Coming, noRows, type Rows } from "./lines.ts";
import type { WrongLine } from "./records.ts";
import { SAMPLE_NAMES, type SampleName } from "./sample-names.ts";
import type { Address, Server } from "./server.ts";
import { whyInWords } from "./why-in-words.ts";

/** A memory that the page can open. */
export type Source =
  | {
      kind: "sample";
      name: SampleName;
      /** Where its lines are. */
      url: string;
    }
  | { kind: "files"; files: File[] }
  /** The memory that is saved in this browser. */
  | { kind: "kept" }
  /** An empty memory, which the visitor writes. */
  | { kind: "new" }
  | { kind: "server"; address: Address };

/** The state that the page shows while a memory opens. */
export interface Progress {
  step: "fetching" | "asking" | "reading" | "indexing" | "words";
  /** From 0 to 1. */
  share: number;
}

/** The present of the samples: their last memory is of the day before. */
const SAMPLE_NOW = Date.parse("2026-12-01T00:00:00Z");
const SAMPLE_CONFIGS: Readonly<Record<SampleName, EngineConfig>> = {
  general: { sections: { subtypes: GENERAL_SUBTYPES } },
  trader: {},
};
/** The most wrong lines that the page lists. */
const MAX_WRONG = 100;

const loadEngine = () => init(new URL(moduleAddress, import.meta.url));

let words: Promise<Embedder> | undefined;

/** Returns the source of word vectors, which is fetched once. Progress is that of its bytes. */
function wordVectors(progress: (share: number) => void): Promise<Embedder> {
  words ??= fetchWords(progress).catch((error: unknown) => {
    words = undefined;
    throw error;
  });
  return words;
}

async function fetchWords(progress: (share: number) => void): Promise<Embedder> {
  await loadEngine();
  return new Embedder(await fetched(new URL(tableAddress, import.meta.url).href, progress));
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
  await loadEngine();
  const rows = noRows();
  const wrong: WrongLine[] = [];
  let wrongCount = 0;
  const wordsArrive = wordVectors((share) => report({ step: "words", share }));
  // Where the table cannot be had, words match by stems and letters.
  const withoutWords = wordsArrive.catch(() => undefined);
  const read = await READERS[source.kind](source as never, rows, {
    wrong: (line) => {
      wrongCount += 1;
      if (wrong.length < MAX_WRONG) wrong.push(line);
    },
    progress: (step, share) => report({ step, share }),
  });
  if (rows.nodes.size === 0 && source.kind === "files") throw new Error(nothingRead(wrong));
  const embedder = await withoutWords;
  const opening = { ...read, rows, words: embedder, wrong, wrongCount, source: source.kind };
  const held = await Held.open(opening, (share) => report({ step: "indexing", share }));
  if (source.kind === "kept") noteKept(held);
  return held;
}

/** Returns why nothing was read. */
export function nothingRead(wrong: readonly WrongLine[]): string {
  const [first] = wrong;
  if (first === undefined) return "There are no memories in it.";
  if (first.line === null) return `${first.file}: ${first.why}`;
  const place = `${first.of ?? "line"} ${first.line}`;
  return `${first.file}: no line could be read. The first is ${place}. ${whyInWords(first.why)}`;
}

interface ReadReport {
  wrong(line: WrongLine): void;
  progress(step: Progress["step"], share: number): void;
}

/** The facts about a memory beside its rows. */
interface Read {
  name: string;
  now: number | null;
  config: EngineConfig;
  server?: Server;
  coming?: Coming;
}

type SourceOf<Kind extends Source["kind"]> = Extract<Source, { kind: Kind }>;

/** Reads rows, by the kind of source. Files tell their sections in their lines; see `Rows`. */
const READERS: {
  [Kind in Source["kind"]]: (
    source: SourceOf<Kind>,
    rows: Rows,
    report: ReadReport,
  ) => Promise<Read>;
} = {
  async sample({ name, url }, rows, { progress }) {
    const bytes = await fetched(url, (share) => progress("fetching", share));
    for (const line of new TextDecoder().decode(bytes).split("\n"))
      if (line !== "") addLine(rows, line);
    return { name: SAMPLE_NAMES[name], now: SAMPLE_NOW, config: SAMPLE_CONFIGS[name] };
  },

  async files({ files }, rows, { wrong, progress }) {
    // Most visits open no files, so that what reads them is fetched when the first are opened.
    const { readFiles } = await import("./files.ts");
    await readFiles(rows, files, { wrong, progress: (share) => progress("reading", share) });
    const name = files.length === 1 ? files[0]!.name : `${files.length} files`;
    return { name, now: null, config: {} };
  },

  async kept(_, rows, { progress }) {
    const name = await readKept(rows, (share) => progress("reading", share));
    if (name === undefined) throw new Error("Nothing is kept in this browser. Open files again.");
    return { name, now: null, config: {} };
  },

  async new() {
    return { name: "Your memories", now: null, config: {} };
  },

  async server({ address }, rows, { progress }) {
    // Likewise: no visit of a static host needs it, unless the visitor names a server.
    const { Server } = await import("./server.ts");
    const server = new Server(address);
    const coming = await server.read(rows, (share) => progress("asking", share));
    return { name: server.address.agent, now: null, config: {}, server, coming };
  },
};
