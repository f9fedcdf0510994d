// The worker that holds the memory: engine, index and rows. Views call it by `memory` of client.ts.
// Each file beside this one has the calls of a subject.

import * as Comlink from "comlink";
import { type AskRequest, ask, reasonsOf } from "./ask.ts";
import { buildContext, type ContextRequest } from "./context.ts";
import type { Held } from "./held.ts";
import { open, type Progress, type Source } from "./open.ts";
import {
  forget,
  type Profiles,
  profilesOf,
  type RankRequest,
  rank,
  states,
  type Weights,
} from "./sections.ts";

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
  context: (request: ContextRequest) => buildContext(there(), request),
  profiles: () => profilesOf(there()),
  rank: (request: RankRequest) => rank(there(), request),
  states: (profiles: Profiles) => states(there(), profiles),
  forgetRanks: () => forget(),
  weigh: (weights: Weights) => there().weigh(weights),
  reasons: (id: string, question: string) => reasonsOf(there(), id, question),
};

export type Calls = typeof calls;

Comlink.expose(calls);
