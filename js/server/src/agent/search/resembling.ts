// Memories that resemble the first words of a title.

import type { NodeRow } from "../../storage/rows.ts";
import type { Memory } from "../behaviour.ts";

/** The most memories that a text is in conflict with. */
export const MAX_CONFLICTS = 3;
/** The words of a title that are compared. */
const TITLE_WORDS = 3;
/** Memories among which those with a word of the text are looked for. */
const MAX_COMPARED = 30;

/**
 * Returns memories whose title or text resembles the first words of a title, at most `limit`, the
 * most similar first. The indexes have committed memories only, so memories of the same batch are not found.
 */
export function resembling(memory: Memory, title: string, limit: number): NodeRow[] {
  const { storage } = memory;
  const words = title.trim().split(/\s+/, TITLE_WORDS).join(" ");
  const ids =
    memory.ranking === "evidence"
      ? byEvidence(memory, words, limit)
      : byFullText(memory, words, limit);
  const rows = new Map(storage.nodes.of(ids).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

function byFullText({ engine, texts }: Memory, words: string, limit: number): string[] {
  const { terms } = engine.understand(words, { terms: "unicode" });
  return texts.search(terms, { limit }).map(({ id }) => id);
}

/** Leaves out memories without a word of the text: those around one that has words of it. */
function byEvidence(memory: Memory, words: string, limit: number): string[] {
  const answers = memory.index.ask(words, { limit: MAX_COMPARED, now: memory.now(), times: false });
  const sharing = answers.filter(({ evidence }) => (evidence.bm ?? 0) > 0);
  return sharing.slice(0, limit).map(({ id }) => id);
}
