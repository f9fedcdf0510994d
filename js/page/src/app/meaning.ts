// Whether the memory that is open is ranked by the meaning of whole sentences, too. The page begins by
// itself, unless that costs more than a visitor expects: data of a telephone, or minutes of work.

import { signal } from "@preact/signals";
import * as Comlink from "comlink";
import { memory, memoryChanged } from "../memory/client.ts";
import type { MeaningState } from "../memory/records.ts";

/** The state of the ranking by meaning. */
export type Meaning =
  | MeaningState
  /** It cannot be: the memories have vectors of another model, or their server ranks by words. */
  | { state: "none" }
  /** It can be. `waiting` is the number of memories that have no vector. */
  | { state: "offered"; isKept: boolean; waiting: number };

export const meaning = signal<Meaning>({ state: "none" });

/** The most memories that get a vector without being asked for. It takes a minute or two. */
export const MAX_UNASKED = 3_000;

/** Where a browser keeps that a visitor does not want it. */
const KEY = "nous-meaning";
const OFF = "off";
/** Whether the visitor does not want it. Storage may be forbidden; then it holds for this visit. */
export const isDeclined = signal(keptChoice() === OFF);

function keptChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function choose(isOff: boolean): void {
  isDeclined.value = isOff;
  try {
    if (isOff) localStorage.setItem(KEY, OFF);
    else localStorage.removeItem(KEY);
  } catch {
    // Then the choice holds for this visit.
  }
}

let latest = 0;

/** Drops what is known of a memory that is no longer open. */
export function forget(): void {
  latest += 1;
  meaning.value = { state: "none" };
}

/** Looks at the memory that is open, and begins if nothing speaks against it. */
export async function consider(): Promise<void> {
  latest += 1;
  const own = latest;
  meaning.value = { state: "none" };
  try {
    const { isOffered, isOn, isKept, waiting } = await memory.meaningOffer();
    if (own !== latest || !isOffered) return;
    meaning.value = { state: "offered", isKept, waiting };
    const mayBegin = !isDeclined.value && waiting <= MAX_UNASKED && (isKept || mayFetch());
    if (isOn || mayBegin) begin();
  } catch {
    if (own === latest) meaning.value = { state: "failed" };
  }
}

/** Whether a file of 14 MB may be fetched without being asked for. */
function mayFetch(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; type?: string } };
  // Browsers that do not tell the connection are on telephones, too.
  if (connection === undefined) return !matchMedia("(pointer: coarse)").matches;
  return connection.saveData !== true && connection.type !== "cellular";
}

/** Ranks by meaning from now on, because the visitor says so. */
export function start(): void {
  choose(false);
  begin();
}

function begin(): void {
  latest += 1;
  const own = latest;
  /** How many memories waited when the views asked last. */
  let asked = Number.POSITIVE_INFINITY;
  const tell = (next: MeaningState) => {
    if (own !== latest) return;
    meaning.value = next;
    // Views ask again with the first vectors, whenever half of those that waited have come, and at
    // the end: a list that changes with each vector could not be read.
    if (next.state === "loading" || (next.state === "on" && next.waiting > asked / 2)) return;
    if (next.state === "on") asked = next.waiting;
    void memoryChanged();
  };
  meaning.value = { state: "loading", share: 0 };
  memory.startMeaning(Comlink.proxy(tell)).catch(() => tell({ state: "failed" }));
}

/** Ranks by words alone from now on. */
export async function stop(): Promise<void> {
  choose(true);
  await memory.stopMeaning();
  await memoryChanged();
  await consider();
}
