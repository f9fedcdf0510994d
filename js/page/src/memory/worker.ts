// The worker that holds the memory: engine, index and rows. Views call it by `memory` of client.ts.
// Each file beside this one has the calls of a subject.

import * as Comlink from "comlink";
import { type AskRequest, ask, reasonsOf } from "./ask.ts";
import { type CompareRequest, compare } from "./compare.ts";
import type { Held } from "./held.ts";
import * as life from "./life.ts";
import { open, type Progress, type Source } from "./open.ts";
import { type FindRequest, find, findersOf, type Place, whyNot } from "./why-not.ts";
import { neighbourhood } from "./spread.ts";

let held: Held | undefined;

function there(): Held {
  if (held === undefined) throw new Error("no memory is open");
  return held;
}

const calls = {
  /** Opens a memory in place of the one that is open. */
  async open(source: Source, report: (progress: Progress) => void) {
    const opened = await open(source, report);
    held?.free();
    held = opened;
    return held.summary();
  },
  summary: () => there().summary(),
  ask: (request: AskRequest) => ask(there(), request),
  card: (id: string) => there().card(id),
  reasons: (id: string, question: string) => reasonsOf(there(), id, question),
  compare: (request: CompareRequest) => compare(there(), request),
  find: (request: FindRequest) => find(there(), request),
  whyNot: (place: Place) => whyNot(there(), place),
  finders: (place: Place) => findersOf(there(), place),
  sectionCurves: (request: life.CurvesRequest) => life.sectionCurves(there(), request),
  statesOverTime: (request: life.StatesRequest) => life.statesOverTime(there(), request),
  answersOnDay: (request: life.DayRequest) => life.answersOnDay(there(), request),
  recalled: (request: life.RecallRequest) => life.recalled(there(), request),
  neighbourhood: (question: string) => neighbourhood(there(), question),
};

export type Calls = typeof calls;

Comlink.expose(calls);
