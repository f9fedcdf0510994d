// The worker that holds the memory: engine, index and rows. Views call it by `memory` of client.ts.
// Each file beside this one has the calls of a subject.

import * as Comlink from "comlink";
import { type AskRequest, ask } from "./ask.ts";
import type { ListRequest } from "./browse.ts";
import type { CompareRequest } from "./compare.ts";
import type { ContextRequest } from "./context.ts";
import type { Held } from "./held.ts";
import { forget, hasKept, isKept, keep } from "./kept.ts";
import type * as life from "./life.ts";
import { textOfLines } from "./lines.ts";
import { open, type Progress, type Source } from "./open.ts";
import type {
  Decision,
  MeaningState,
  News,
  Resolution,
  Seen,
  Stored,
  Summary,
  Texts,
} from "./records.ts";
import type { Profiles, RankRequest, Weights } from "./sections.ts";
import type { FindRequest, Place } from "./why-not.ts";

let held: Held | undefined;
/** How often a memory was opened, or begun to be opened. */
let openings = 0;

function there(): Held {
  if (held === undefined) throw new Error("no memory is open");
  return held;
}

/** Returns the memory when all of it is here. */
async function whole(): Promise<Held> {
  const of = there();
  await of.whole;
  return of;
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

const summary = async (of: Held): Promise<Summary> => {
  // Samples have questions of their own.
  const suggested = of.source === "sample" ? [] : await (await suggesting()).suggestedOf(of);
  return { ...of.summary(), isKept: isKept(of), canUndo: of.pasts.length > 0, suggested };
};

// The calls of a view come when it is first opened.
const compares = () => import("./compare.ts");
const contexts = () => import("./context.ts");
const lives = () => import("./life.ts");
const sections = () => import("./sections.ts");
const whys = () => import("./why-not.ts");

/** What makes questions of memories. */
const suggesting = () => import("./suggested.ts");

/** What lists memories. */
const listing = () => import("./browse.ts");

/** What changes the memory. */
const changing = () => import("./edit.ts");

/** What follows the memory of a server. */
const following = () => import("./follow.ts");

/** What stores files on a server. */
const sending = () => import("./send.ts");

/** What makes vectors, which comes when the first memory is to be ranked by meaning. */
const meaning = () => import("./meaning.ts");

/** Returns a call that hears its question before it asks it. */
const hearing =
  <Request extends { question: string }, Result>(call: (of: Held, request: Request) => Result) =>
  async (request: Request): Promise<Awaited<Result>> => {
    const of = there();
    await of.hear([request.question]);
    return await call(of, request);
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
    return await summary(held);
  },
  summary: () => summary(there()),
  ask: hearing((of, request: AskRequest) => ask(of, request)),
  card: (id: string) => there().card(id),
  list: async (request: ListRequest) => (await listing()).list(there(), request),
  texts: async (id: string) => (await changing()).texts(there(), id),
  /** Remembers a text. What does so comes when it is first needed. */
  remember: async (text: string) => (await import("./remember.ts")).remember(there(), text),
  storedNow: (stored: Stored) => storedNow(there(), stored),
  edit: async (id: string, changed: Texts) => (await changing()).edit(there(), id, changed),
  remove: async (seen: readonly Seen[]) => (await changing()).remove(there(), seen),
  undo: async () => (await changing()).undo(there()),
  conflicts: async () => (await changing()).conflicts(there()),
  decide: async (older: Seen, newer: Seen, how: Decision) =>
    (await changing()).decide(there(), older, newer, how),
  undecide: async (older: Seen, newer: Seen) => (await changing()).undecide(there(), older, newer),
  resolve: async (id: string, seen: readonly Seen[], how: Resolution) =>
    (await changing()).resolve(there(), id, seen, how),
  reopen: async (id: string) => (await changing()).reopen(there(), id),
  /** Returns the memory as the lines of an export. */
  download: async () => new Blob([...textOfLines((await whole()).exportLines())]),
  keep: async () => keep(await whole()),
  hasKept,
  forget: () => forget(held),
  /** Tells how many memories are here, until all are here. */
  untilWhole: (tell: (there: number) => void) => there().untilWhole(tell),
  /** Tells what others write to the memory of a server, until `rest` or until another one is opened. */
  follow: async (tell: (news: News) => void) => (await following()).follow(there(), tell),
  rest: async () => (await following()).rest(),
  /** Reads files, and tells what would become of them on the server. */
  plan: async (files: readonly File[], progress: (share: number) => void) =>
    (await sending()).plan(await whole(), files, progress),
  /** Stores what `plan` has read; after a failure it goes on. */
  send: async (progress: (share: number) => void) => (await sending()).send(there(), progress),
  serverState: () => there().server?.state(),
  context: async (request: ContextRequest) => {
    const { buildContext, questionsOf } = await contexts();
    const of = there();
    await of.hear(questionsOf(of, request));
    return buildContext(of, request);
  },
  profiles: async () => (await sections()).profilesOf(there()),
  rank: async (request: RankRequest) => (await sections()).rank(there(), request),
  states: async (profiles: Profiles) => (await sections()).states(there(), profiles),
  forgetRanks: async () => (await sections()).forget(),
  weigh: (weights: Weights) => there().weigh(weights),
  compare: async (request: CompareRequest) => (await compares()).compare(there(), request),
  find: hearing(async (of, request: FindRequest) => (await whys()).find(of, request)),
  whyNot: hearing(async (of, place: Place) => (await whys()).whyNot(of, place)),
  finders: async (place: Place) => (await whys()).findersOf(there(), place),
  sectionCurves: async (request: life.CurvesRequest) =>
    (await lives()).sectionCurves(there(), request),
  statesOverTime: async (request: life.StatesRequest) =>
    (await lives()).statesOverTime(there(), request),
  answersOnDay: hearing(async (of, request: life.DayRequest) =>
    (await lives()).answersOnDay(of, request),
  ),
  recalled: async (request: life.RecallRequest) => (await lives()).recalled(there(), request),
  neighbourhood: hearing(async (of, { question }: { question: string }) =>
    (await import("./spread.ts")).neighbourhood(of, question),
  ),
  meaningOffer: async () => (await meaning()).offered(there()),
  /** Ranks the memory that is open by meaning, too. It ends when another one is opened. */
  startMeaning: async (tell: (state: MeaningState) => void) =>
    (await meaning()).start(there(), tell),
  stopMeaning: async () => (await meaning()).stop(there()),
};

export type Calls = typeof calls;

Comlink.expose(calls);
