// The worker that holds the memory: engine, index and rows. Views call it by `memory` of client.ts.
// Each file beside this one has the calls of a subject.

import * as Comlink from "comlink";
import { type AskRequest, ask } from "./ask.ts";
import { type ListRequest, list } from "./browse.ts";
import { type CompareRequest, compare } from "./compare.ts";
import { buildContext, type ContextRequest, questionsOf } from "./context.ts";
import {
  canUndo,
  conflicts,
  decide,
  edit,
  remove,
  resolve,
  texts,
  undecide,
  undo,
} from "./edit.ts";
import type { Held } from "./held.ts";
import { forget, hasKept, isKept, keep } from "./kept.ts";
import * as life from "./life.ts";
import { textOfLines } from "./lines.ts";
import { open, type Progress, type Source } from "./open.ts";
import type {
  Decision,
  MeaningState,
  News,
  Resolution,
  Stored,
  Summary,
  Texts,
} from "./records.ts";
import {
  forget as forgetRanks,
  type Profiles,
  profilesOf,
  type RankRequest,
  rank,
  states,
  type Weights,
} from "./sections.ts";
import { neighbourhood } from "./spread.ts";
import { suggestedOf } from "./suggested.ts";
import { type FindRequest, find, findersOf, type Place, whyNot } from "./why-not.ts";

let held: Held | undefined;
/** How often a memory was opened, or begun to be opened. */
let openings = 0;

function there(): Held {
  if (held === undefined) throw new Error("no memory is open");
  return held;
}

/** Returns what a text became, as it is now: without what was deleted, and with decisions. */
const storedNow = (of: Held, { pieces }: Stored): Stored => {
  const isThere = ({ card }: { card: { id: string } }) => of.row(card.id) !== undefined;
  const anew = <Shown extends { card: { id: string } }>(shown: Shown) => ({
    ...shown,
    card: of.card(shown.card.id),
  });
  return {
    pieces: pieces.filter(isThere).map((piece) => ({
      ...anew(piece),
      replaces: piece.replaces.filter(isThere).map(anew),
    })),
  };
};

const summary = (of: Held): Summary => ({
  ...of.summary(),
  isKept: isKept(of),
  canUndo: canUndo(of),
  suggested: suggestedOf(of),
});

/** What follows the memory of a server. */
const following = () => import("./follow.ts");

/** What stores files on a server. */
const sending = () => import("./send.ts");

/** What makes vectors, which comes when the first memory is to be ranked by meaning. */
const meaning = () => import("./meaning.ts");

/** Returns a call that hears its question before it asks it. */
const hearing =
  <Request extends { question: string }, Result>(call: (of: Held, request: Request) => Result) =>
  async (request: Request): Promise<Result> => {
    const of = there();
    await of.hear([request.question]);
    return call(of, request);
  };

const calls = {
  /** Opens a memory in place of the one that is open, unless a later call has begun meanwhile. */
  async open(source: Source, report: (progress: Progress) => void) {
    openings += 1;
    const own = openings;
    const opened = await open(source, report);
    if (own !== openings) {
      opened.free();
      throw new Error("another memory was opened meanwhile");
    }
    held?.free();
    held = opened;
    return summary(held);
  },
  summary: () => summary(there()),
  ask: hearing((of, request: AskRequest) => ask(of, request)),
  card: (id: string) => there().card(id),
  list: (request: ListRequest) => list(there(), request),
  texts: (id: string) => texts(there(), id),
  /** Remembers a text. What does so comes when it is first needed. */
  remember: async (text: string) => (await import("./remember.ts")).remember(there(), text),
  storedNow: (stored: Stored) => storedNow(there(), stored),
  edit: (id: string, changed: Texts) => edit(there(), id, changed),
  remove: (ids: readonly string[]) => remove(there(), ids),
  undo: () => undo(there()),
  conflicts: () => conflicts(there()),
  decide: (id: string, resolution: Decision) => decide(there(), id, resolution),
  undecide: (id: string, newer: string) => undecide(there(), id, newer),
  resolve: (id: string, resolution: Resolution) => resolve(there(), id, resolution),
  /** Returns the memory as the lines of an export. */
  download: () => new Blob([...textOfLines(there().exportLines())]),
  keep: () => keep(there()),
  hasKept,
  forget: () => forget(held),
  /** Tells what others write to the memory of a server, until `rest` or until another one is opened. */
  follow: async (tell: (news: News) => void) => (await following()).follow(there(), tell),
  rest: async () => (await following()).rest(),
  /** Reads files, and tells what would become of them on the server. */
  plan: async (files: readonly File[], progress: (share: number) => void) =>
    (await sending()).plan(there(), files, progress),
  /** Stores what `plan` has read; after a failure it goes on. */
  send: async (progress: (share: number) => void) => (await sending()).send(there(), progress),
  serverState: () => there().server?.state(),
  context: async (request: ContextRequest) => {
    const of = there();
    await of.hear(questionsOf(of, request));
    return buildContext(of, request);
  },
  profiles: () => profilesOf(there()),
  rank: (request: RankRequest) => rank(there(), request),
  states: (profiles: Profiles) => states(there(), profiles),
  forgetRanks: () => forgetRanks(),
  weigh: (weights: Weights) => there().weigh(weights),
  compare: (request: CompareRequest) => compare(there(), request),
  find: hearing((of, request: FindRequest) => find(of, request)),
  whyNot: hearing((of, place: Place) => whyNot(of, place)),
  finders: (place: Place) => findersOf(there(), place),
  sectionCurves: (request: life.CurvesRequest) => life.sectionCurves(there(), request),
  statesOverTime: (request: life.StatesRequest) => life.statesOverTime(there(), request),
  answersOnDay: hearing((of, request: life.DayRequest) => life.answersOnDay(of, request)),
  recalled: (request: life.RecallRequest) => life.recalled(there(), request),
  neighbourhood: hearing((of, { question }: { question: string }) => neighbourhood(of, question)),
  meaningOffer: async () => (await meaning()).offered(there()),
  /** Ranks the memory that is open by meaning, too. It ends when another one is opened. */
  startMeaning: async (tell: (state: MeaningState) => void) =>
    (await meaning()).start(there(), tell),
  stopMeaning: async () => (await meaning()).stop(there()),
};

export type Calls = typeof calls;

Comlink.expose(calls);
