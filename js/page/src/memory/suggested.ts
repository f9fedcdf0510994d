// Questions to begin with, made of what is stored. A question is suggested if the memory that it was
// made of is its first answer, and reaches the score from which an answer counts.

import { type IndexedNodeRow, textsOf } from "nous-memory";
import { ANSWERABLE } from "nous-wasm";
import type { Held } from "./held.ts";
import { questionsOf } from "./questions/questions.ts";

/** How many questions are suggested, of how many of the last memories. */
const SUGGESTIONS = 5;
const MAX_LOOKED_AT = 200;
/** How many questions are tried of each kind: those of what memories tell, then the general ones. */
const MAX_TRIED = 20;
/**
 * The most memories that the new questions of a kind ask all together after a change: a question
 * takes the longer, the more there are. The first time, all are tried: that takes a small part of
 * the opening.
 */
const MAX_ASKED = 200_000;

/** Of memories, the questions that they answer; kept until the memory changes. */
const made = new WeakMap<Held, { changes: number; questions: string[] }>();

/** Memories of the same words answer alike, so that any of them may be the first answer. */
const says = (row: IndexedNodeRow) => `${row.content_title}\n${textsOf(row).text}`;

/** Returns questions that late memories answer first, each one of them, the latest first. */
export async function suggestedOf(held: Held): Promise<string[]> {
  const { changes } = held;
  const before = made.get(held);
  if (before?.changes === changes) return before.questions;
  const offered = new Set(before?.questions);
  // Those of a server come in another order.
  const late = [...held.all()]
    .sort((one, other) => other.sequence - one.sequence)
    .slice(0, MAX_LOOKED_AT);
  const max =
    before === undefined
      ? MAX_TRIED
      : Math.min(MAX_TRIED, Math.floor(MAX_ASKED / Math.max(1, held.rows.nodes.size)));
  const found = new Map<IndexedNodeRow, string>();
  for (const kind of ["telling", "general"] as const) {
    const tried = new Set<string>();
    let fresh = 0;
    for (const row of late) {
      if (found.size === SUGGESTIONS) break;
      for (const statement of [row.content_title, textsOf(row).text ?? ""]) {
        for (const question of questionsOf(statement)[kind]) {
          if (found.has(row) || tried.has(question)) continue;
          // What was offered before the change is asked again in any case.
          if (!offered.has(question) && fresh++ >= max) continue;
          tried.add(question);
          await held.hear([question]);
          if (held.isFreed) return [];
          const [first] = held.index.ask(question, { ...held.asking(question), limit: 1 });
          if (first === undefined || first.score < ANSWERABLE) continue;
          if (says(held.row(first.id)!) === says(row)) found.set(row, question);
        }
      }
    }
  }
  const questions = [...found.values()];
  made.set(held, { changes, questions });
  return questions;
}
