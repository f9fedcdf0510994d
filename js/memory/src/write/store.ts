// What is remembered, and what the rules of remembering need of a store of memories: the server's is a
// database, that of `remember` an index with rows.

import type { Answer, AskOptions, Engine } from "nous-wasm";
import type { Preset } from "../presets/preset.ts";
import type { NodeRow } from "../rows.ts";
import type { MessageToRemember } from "./messages.ts";
import type { Piece } from "./split.ts";

/** Fields that all memories of one call share. */
export interface SharedFields {
  /** The name of a type of the preset, or a name that begins with `custom:`. Default: guessed. */
  type?: string | null | undefined;
  /** Words by which the memory is found, beside title and text. */
  tags?: readonly string[] | null | undefined;
  /** Data of the caller's. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The user that the memory belongs to. Duplicates are looked for among memories of the same user. */
  user?: string | null | undefined;
  /** The session that the memory belongs to. */
  session?: string | null | undefined;
  /** When it happened, as ISO 8601. */
  event_time?: string | null | undefined;
  /** When it was said or noted, as ISO 8601: it fades from then on. Default: now. */
  created_at?: string | null | undefined;
  /** From then on the memory does not exist any more, as ISO 8601. */
  expires_at?: string | null | undefined;
  /** Where the memory is from. Default: `agent`. */
  source?: string | null | undefined;
  /** From 0 to 1: half to twice the time constant of decay that its type has. */
  importance?: number | null | undefined;
}

/** A text to remember, with its fields. */
export interface TextToRemember extends SharedFields {
  /** The text. A long one becomes several memories. */
  text: string;
  /** Default: its first sentence, or the heading above it. */
  title?: string | null | undefined;
  /** The id of the memory. Default: a new one. */
  id?: string | null | undefined;
}

/** What is remembered: one of `text`, `memories` and `messages`. */
export interface GivenTexts extends SharedFields {
  /** One text. */
  text?: string | undefined;
  /** Several texts, each with fields of its own if need be. */
  memories?: readonly (string | TextToRemember)[] | undefined;
  /** Messages of a conversation, oldest first. */
  messages?: readonly MessageToRemember[] | undefined;
  /** The title of `text`. */
  title?: string | null | undefined;
  /** The id of the memory of `text`. */
  id?: string | null | undefined;
}

/** A text that becomes memories. */
export interface RememberedText extends TextToRemember {
  /** Why it has its type. */
  why?: string | undefined;
  /** Of a message: its place, from 1. */
  message?: number | undefined;
  /** Of a message: who speaks. */
  speaker?: string | undefined;
  /** Of a fact: the memories of its messages, which say the same and do not make it a duplicate. */
  sources?: ReadonlySet<string> | undefined;
}

/** A text with the pieces that it becomes. */
export interface SplitItem extends RememberedText {
  pieces: readonly Piece[];
  /** Whether it is a line that a prompt or a tool gave. */
  isGiven?: boolean;
}

/** A text that was read, and is not stored yet. */
export interface PreparedItem extends SplitItem {
  /** By piece: the type of its memory, and why it has it. */
  kinds: readonly { type: string; why: string }[];
  /** By piece: the memories that may be the same statement. Empty for a message. */
  found: readonly (readonly string[])[];
}

/** Which turns of a conversation are read. */
export interface TurnsWanted {
  /** Those of this user; null: those of none. */
  user: string | null;
  /** Whether the first turns are read, or the last ones. */
  end: "first" | "last";
  /** The most turns. */
  limit: number;
  /** Bounds on the time, as ISO 8601, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
}

/** A memory to store. Missing fields have their defaults. */
export interface NewMemory {
  id?: string | null | undefined;
  type: string;
  subtype: string | null;
  content_title: string;
  content_body: string | null;
  neural_stability?: number | undefined;
  tags?: readonly string[] | null | undefined;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  user?: string | null | undefined;
  session?: string | null | undefined;
  event_time?: string | null | undefined;
  expires_at?: string | null | undefined;
  source?: string | null | undefined;
  created_at?: string | null | undefined;
}

/** What the rules need of a store of memories. */
export interface RememberingStore {
  readonly engine: Pick<Engine, "classifyTurn" | "getInitialStabilityForSubtype">;
  readonly preset: Preset;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
  /** Returns the memories that answer a question, as of now. */
  ask(question: string, options: Pick<AskOptions, "limit" | "filters">): readonly Answer[];
  /** Returns the rows of memories, in any order; none for an id that no memory has. */
  rows(ids: readonly string[]): readonly NodeRow[];
  /** Stores a memory. Returns its id. */
  insert(memory: NewMemory, sources: ReadonlySet<string> | undefined): string;
  /** Changes fields of a memory. */
  update(id: string, changes: Partial<MergeableFields>): void;
  /** Returns the memories that supersede a memory by an edge. */
  successorsOf(id: string): readonly NodeRow[];
  /** Links a memory to one that it supersedes. */
  supersede(newer: string, older: string): void;
  /** Returns the id of the run of a session; a new one without a session. */
  runOf(session: string | null | undefined): string;
  /** Returns the runs that memories are in. */
  runsOf(ids: readonly string[]): readonly string[];
  /** Returns memories of a run, the oldest first. */
  turns(run: string, wanted: TurnsWanted): readonly NodeRow[];
  /** Adds a memory to a run. */
  join(run: string, id: string): void;
  /** Throws the error for a field that cannot be stored. */
  refuse(field: string, problem: string): never;
}

/** What became of a text. */
export interface Remembered {
  /** The id of the memory: the new one, or the one that says the same. */
  id: string;
  /** Whether the memory is new, or was there already. */
  action: "created" | "duplicate";
  /** Why it has its type, or why it is a duplicate. */
  why: string;
  /** The run that it belongs to: the parts of one text, or of one conversation. */
  run?: string;
  /** Of a long text: the number of this part, from 1. */
  part?: number;
  /** Of a long text: how many parts it has. */
  parts?: number;
  /** Of a statement that became true again: the memories that it supersedes. */
  supersedes?: string[];
  /** Of a duplicate: fields of the request that its memory did not take, such as `metadata.project`. */
  fields_not_taken?: string[];
}

/** The columns that a text changes which says a memory again. */
export type MergeableFields = Pick<NodeRow, "tags" | "metadata" | "expires_at">;

/** The memories of a call that are stored already, by their statement. */
export type Seen = Map<string, string[]>;
