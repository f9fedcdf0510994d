// The memories of a turn, looked up in an index with rows.

import type { Engine, MemoryIndex } from "nous-wasm";
import { TRANSFORMER } from "../embedding-text.ts";
import { fadedNow } from "../faded.ts";
import { createdAtOf, namesIn } from "../index-rows.ts";
import type { Preset } from "../presets/preset.ts";
import { newerIn } from "../replacing-edges.ts";
import { rounded } from "../rounded.ts";
import type { NodeRow } from "../rows.ts";
import {
  buildPrompt,
  type FoundCandidate,
  type PromptOfTurn,
  type StoredCandidate,
  type Turn,
  type TurnMemories,
} from "./turn.ts";

/** An index, and the rows of its memories: a `Memory`, or anything that has these fields. */
export interface IndexedMemory {
  readonly engine: Engine;
  readonly preset: Preset;
  readonly index: MemoryIndex;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
  /** The time zone by which days are told. Default: UTC. */
  readonly timeZone?: string | undefined;
  /**
   * Returns the embedding of a question, by the model that made those of the index. Default: none,
   * and words rank. An index whose `embeddingId` names another model than `TRANSFORMER` does not
   * tell by its cosines whether the memory knows an answer.
   */
  embeddingOf?(question: string): ArrayLike<number> | undefined;
  /** Returns the row of a memory; undefined if there is none. */
  row(id: string): NodeRow | undefined;
  /** Returns the rows of all memories. */
  all(): Iterable<NodeRow>;
}

/**
 * Returns the prompt of a turn: the profile of the user, the memories that answer the turn in the
 * order of their probability, and recent conversations, under headings, with the day of each memory.
 * `nous-server` answers the same text for the same memories, if nothing was learned from feedback.
 *
 * It takes a millisecond or two for some thousand memories, and changes nothing.
 *
 * @param memory The memories.
 * @param turn The input, and what else the prompt shows.
 * @throws {NousError} `freed` if the index was freed; `instance_lost` if the engine failed.
 *
 * @example
 * ```ts
 * const { prompt, recalled, left_out } = promptOfTurn(memory, { input: "What may Mira eat?" });
 * ```
 */
export function promptOfTurn(memory: IndexedMemory, turn: Turn): PromptOfTurn<FoundCandidate> {
  return buildPrompt(memoriesIn(memory), turn);
}

function memoriesIn(memory: IndexedMemory): TurnMemories<FoundCandidate> {
  const { engine, preset, index, now, timeZone } = memory;
  const lifecycleOf = (id: string) => fadedNow([id], index, engine, now)[0]?.lifecycle ?? null;
  const stored = (row: NodeRow): StoredCandidate => ({
    ...row,
    state_lifecycle: lifecycleOf(row.id),
  });
  const found = (row: NodeRow, score: number): FoundCandidate => ({
    ...stored(row),
    ...{ score, frame: row.frame, censors: namesIn(row.censors) },
  });
  return {
    ...{ engine, preset, now, zone: timeZone },
    ...{ among: index.size, isByEnglish: ["", TRANSFORMER.name].includes(index.embeddingId) },
    find(question, limit, without) {
      const embedding = memory.embeddingOf?.(question);
      const filters = { excluded_ids: without };
      const answers = index.ask(question, {
        ...{ limit, now, time_zone: timeZone, embedding, filters },
      });
      const hits = answers.flatMap((answer): FoundCandidate[] => {
        const { id, score, evidence, superseded_by, replaced_by } = answer;
        const row = memory.row(id);
        if (row === undefined) return [];
        return [{ ...found(row, rounded(score)), evidence, superseded_by, replaced_by }];
      });
      const known = new Set(hits.map(({ id }) => id));
      for (const { superseded_by, replaced_by, score } of [...hits]) {
        const id = superseded_by ?? replaced_by?.id;
        const row = id === undefined || known.has(id) ? undefined : memory.row(id);
        if (row === undefined) continue;
        known.add(row.id);
        hits.push(found(row, score));
      }
      return hits;
    },
    newest(subtypes, limit, since = Number.NEGATIVE_INFINITY) {
      const wanted = new Set(subtypes);
      return [...memory.all()]
        .filter(({ subtype }) => wanted.has(subtype ?? ""))
        .map((row) => ({ row, at: createdAtOf(row) ?? Number.NEGATIVE_INFINITY }))
        .filter(({ at }) => at >= since)
        .sort((a, b) => b.at - a.at || b.row.sequence - a.row.sequence)
        .slice(0, limit)
        .map(({ row }) => stored(row));
    },
    mayReplace: (id) =>
      index.guessedSuccessors(id).flatMap(({ source_id }) => {
        const row = memory.row(source_id);
        return row === undefined ? [] : stored(row);
      }),
    newerOf: (ids) =>
      ids.map((id) => {
        const newer = newerIn(index.line(id), id).find(({ id }) => memory.row(id) !== undefined);
        return newer && { row: stored(memory.row(newer.id)!), isSure: newer.isSure };
      }),
  };
}
