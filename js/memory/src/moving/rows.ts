// Rule: which rows of an export the memories of another program become. A long text becomes several
// memories and a message gets its title and type as `remember` would have made them; a memory keeps the
// id, the times, the tags, the user and the conversation that its program gave it.

import type { Engine } from "nous-wasm";
import { endsWithQuestion } from "../asks.ts";
import { EPISODE, isIdle } from "../idle.ts";
import { MAX_NAME, MAX_TITLE } from "../limits.ts";
import { type Preset, typeOf } from "../presets/preset.ts";
import type { NodeRow } from "../rows.ts";
import { parseInstant, toIso, toLocalIso } from "../time.ts";
import { newRowOf } from "../write/new-row.ts";
import { kindOf, tellsOfUser } from "../write/remembering.ts";
import { type Piece, splitText, titleOf } from "../write/split.ts";
import { titleOfPiece } from "../write/titles.ts";
import { keyOf } from "./key.ts";
import {
  type LeftOut,
  leftOut,
  type Moved,
  type MovedLink,
  type MovedMemory,
  type Place,
  type Run,
} from "./moved.ts";

/** A row of an export. */
export type ExportRow = Readonly<Record<string, unknown>> & { readonly kind: string };

/** A row of an export, and where it comes from. */
export interface MovedRow {
  kind: "row";
  place: Place;
  row: ExportRow;
}

/** How memories of another program become rows. */
export interface MovingOptions {
  preset: Preset;
  /** Tells greetings and thanks, which are left out. Without it all messages are taken. */
  engine?: Pick<Engine, "classifyTurn"> | undefined;
  /** The present, in milliseconds since 1970. */
  now: number;
  /** When the file was changed: a memory without a time was made then. */
  modified: number;
}

/** The strength of a link, as of an edge whose type has none of its own. */
export const LINKED = 0.5;
const MAX_TAGS = 100;
/** Bytes of metadata as JSON, as in requests. */
const MAX_METADATA = 16_384;

/** Returns the rows of memories, with runs and links, and what is left out. */
export function* rowsOf(
  moved: Iterable<Moved>,
  options: MovingOptions,
): Iterable<MovedRow | LeftOut> {
  const runs = new Set<string>();
  /** Whether the last message of a run asks something. */
  const asked = new Map<string, boolean>();
  for (const given of moved) {
    if (given.kind === "left") yield given;
    else if (given.kind === "link") yield edgeOf(given, options.modified);
    else {
      const { text, role, run, place } = given;
      if (role !== undefined) {
        const isAnswer = asked.get(run?.id ?? "") === true;
        asked.set(run?.id ?? "", endsWithQuestion(text));
        const { engine } = options;
        if (engine !== undefined && !isAnswer && isIdle({ engine }, text)) {
          yield leftOut(place, "a message that says nothing, such as thanks");
          continue;
        }
      }
      yield* rowsOfMemory(given, options, runs);
    }
  }
}

function* rowsOfMemory(
  memory: MovedMemory,
  options: MovingOptions,
  runs: Set<string>,
): Iterable<MovedRow | LeftOut> {
  const { place } = memory;
  const nodes: NodeOfMoved[] = [];
  for (const made of nodesOf(memory, options)) {
    if ("kind" in made) yield made;
    else nodes.push(made);
  }
  const [first] = nodes;
  if (first === undefined) return;
  const run =
    runOf(memory) ??
    (nodes.length > 1 ? { id: `run:${first.id}`, name: first.content_title } : undefined);
  if (run !== undefined && !runs.has(run.id)) {
    runs.add(run.id);
    const { id, name } = run;
    const row = { kind: "cluster", id, name, created_at: first.created_at };
    yield { kind: "row", place, row };
  }
  for (const node of nodes) {
    yield { kind: "row", place, row: { kind: "node", ...node } };
    if (run !== undefined) yield { kind: "row", place, row: membership(run.id, node.id) };
  }
}

/** Returns the membership of a memory in a run. */
const membership = (cluster_id: string, node_id: string): ExportRow => ({
  kind: "membership",
  cluster_id,
  node_id,
});

/** Returns the run of a memory. That of a conversation goes on when the agent remembers more of it. */
function runOf({ run, session }: MovedMemory): Run | undefined {
  if (run === undefined) return undefined;
  const id = run.id === session ? `session:${soundId(run.id)}` : run.id;
  return { id: soundId(id), name: sound(run.name).slice(0, MAX_TITLE) };
}

/** The row of a memory without its number. */
export type NodeOfMoved = Omit<NodeRow, "sequence">;

/** Yields the rows of a memory: several if it is long, and what of it is left out. */
export function* nodesOf(
  memory: MovedMemory,
  { preset, now, modified }: MovingOptions,
): Iterable<NodeOfMoved | LeftOut> {
  const { place, text, role, stored } = memory;
  // A memory that was stored without words is one all the same.
  if (text.trim() === "" && stored === undefined) {
    yield leftOut(place, "a text without words");
    return;
  }
  const { created = modified, updated } = memory;
  if (created > now) yield leftOut(place, "a date in the future: the memory counts as made now");
  const made = toIso(Math.min(created, now));
  const expiry = memory.expires === undefined ? undefined : parseInstant(memory.expires);
  if (expiry !== undefined && expiry <= now) {
    yield leftOut(place, "a memory that has expired");
    return;
  }
  const event = memory.event === undefined ? undefined : toLocalIso("UTC", memory.event);
  for (const [name, given, read] of [
    ["an end", memory.expires, expiry],
    ["a time of the event", memory.event, event],
  ] as const)
    if (given !== undefined && read === undefined)
      yield leftOut(place, `${name} that cannot be read`);
  const metadata =
    memory.metadata === undefined ? undefined : sound(JSON.stringify(memory.metadata));
  const isLarge = metadata !== undefined && metadata.length > MAX_METADATA;
  if (isLarge) yield leftOut(place, "metadata of more than 16 KB");
  const tags = [...new Set((memory.tags ?? []).map(sound))]
    .filter((tag) => tag.trim() !== "" && tag.length <= MAX_NAME)
    .slice(0, MAX_TAGS);
  const title = role === undefined ? memory.title : `${role}: ${titleOf(text)}`;
  let number = 0;
  for (const piece of piecesOf(memory)) {
    number += 1;
    const words = sound(piece.text);
    const { type, subtype } =
      stored === undefined ? kindsOf(memory, words, preset) : withSubtype(stored, preset);
    const content_title = sound(titleOfPiece(title, piece)).slice(0, MAX_TITLE);
    const id = soundId(memory.id);
    const row = newRowOf(
      {
        ...{ type, subtype, content_title },
        content_body: content_title === words ? null : words,
        ...{ tags, user: nameOf(memory.user), session: nameOf(memory.session) },
        source: sound(memory.source).slice(0, MAX_NAME),
        ...{ event_time: event, created_at: made },
        expires_at: expiry === undefined ? undefined : toIso(expiry),
      },
      {
        ...{ id: number === 1 ? id : `${id}:${number}` },
        now: toIso(Math.min(updated ?? created, now)),
        stability: 0,
      },
    );
    yield {
      ...row,
      content_summary: memory.summary == null ? null : sound(memory.summary),
      neural_stability: typeOf(preset, subtype)?.stability_days ?? null,
      metadata: isLarge ? null : (metadata ?? null),
    };
  }
  if (number === 0) yield leftOut(place, "a text without words");
}

function piecesOf({ text, title, isWhole }: MovedMemory): Iterable<Piece> {
  if (isWhole !== true) return splitText(text).pieces;
  return [{ title: title ?? titleOf(text), isBelowHeading: false, text }];
}

/** Returns the type that a text gets: that of its program if the preset knows it, else by its words. */
function kindsOf(
  { type: given, role }: MovedMemory,
  text: string,
  preset: Preset,
): { type: string; subtype: string | null } {
  const named = [given, given?.toLowerCase()].find(
    (name) => typeOf(preset, name) !== undefined || name?.startsWith("custom:") === true,
  );
  if (named !== undefined) return withSubtype({ type: named }, preset);
  const isMessage = role !== undefined && !(role === "user" && tellsOfUser(preset, text));
  const type = isMessage ? EPISODE : kindOf(preset, { text }, text).type;
  return withSubtype({ type }, preset);
}

/** Returns a type with the subtype that follows from it, unless it is given. */
export const withSubtype = (
  { type, subtype }: { type: string; subtype?: string | null | undefined },
  preset: Preset,
): { type: string; subtype: string | null } => ({
  type,
  subtype: subtype === undefined ? subtypeOf(type, preset) : subtype,
});

const subtypeOf = (type: string, preset: Preset): string | null =>
  typeOf(preset, type) === undefined && !type.startsWith("custom:") ? null : type;

function edgeOf({ from, to, type, place }: MovedLink, modified: number): MovedRow {
  const [source_id, target_id, name] = [soundId(from), soundId(to), sound(type).slice(0, MAX_NAME)];
  const created_at = toIso(modified);
  const weights = { neural_weight: LINKED, strength: LINKED, confidence: 1 };
  const ends = { source_id, target_id, type: name, created_at, ...weights };
  return {
    kind: "row",
    place,
    row: { kind: "edge", id: linkId(source_id, name, target_id), ...ends },
  };
}

/** Returns the id of a link that a file names. */
export const linkId = (source: string, type: string, target: string): string =>
  `link:${keyOf(source, type, target)}`;

/** Returns a text that a database can hold: without U+0000 and halves of pairs of surrogates. */
const sound = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, "\ufffd");

// biome-ignore lint/suspicious/noControlCharactersInRegex: no id has them.
const CONTROLS = /[\0-\x1f\x7f-\x9f]|\p{Surrogate}/u;

/** Returns an id that a request can name: this one if it can, else one that is made of it. */
const soundId = (id: string): string =>
  id === "" || id === "." || id === ".." || id.length > MAX_NAME - 10 || CONTROLS.test(id)
    ? keyOf(id)
    : id;

const nameOf = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : sound(name).slice(0, MAX_NAME);
