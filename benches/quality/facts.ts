// The contents of the sample at its end, from its truth: a list for each kind of memory, newest
// first. Predicates on these lists are the only source of the answers of questions.

import type {
  CuriosityTruth,
  EventTruth,
  LessonTruth,
  PassTruth,
  PlaybookTruth,
  Sample,
  SampleNode,
  ScalpTruth,
  SessionTruth,
  SignalTruth,
  ThesisTruth,
  TradeTruth,
  TurnTruth,
  WatchpointTruth,
} from "../../js/sample/trader/index.ts";

/** A memory that a predicate found. */
export interface Known {
  readonly id: string;
  /** When it was stored, in milliseconds since 1970. */
  readonly made: number;
  readonly node: SampleNode;
}

/** A memory and its truth. */
type Fact<Truth> = Readonly<Omit<Truth, "id">> & Known;

/** The truth of the sample. Each list is sorted by the time of storing, newest first. */
export interface Facts {
  /** The present of all questions: the end of the sample, in milliseconds since 1970. */
  readonly at: number;
  /**
   * Trades when they were entered, modified and closed. The field `action` of a modification names
   * it: `trail`, `partial` …
   */
  readonly entries: readonly Fact<TradeTruth>[];
  readonly modifies: readonly Fact<TradeTruth & { action: string }>[];
  readonly closes: readonly Fact<TradeTruth>[];
  readonly scalps: readonly Fact<ScalpTruth>[];
  readonly signals: readonly Fact<SignalTruth>[];
  readonly watchpoints: readonly Fact<WatchpointTruth>[];
  readonly lessons: readonly Fact<LessonTruth>[];
  readonly theses: readonly Fact<ThesisTruth>[];
  readonly playbooks: readonly Fact<PlaybookTruth>[];
  readonly missed: readonly Fact<PassTruth>[];
  readonly passes: readonly Fact<PassTruth>[];
  readonly events: readonly Fact<EventTruth>[];
  readonly curiosities: readonly Fact<CuriosityTruth>[];
  readonly sessions: readonly Fact<SessionTruth>[];
  readonly turns: readonly Fact<TurnTruth>[];
  /** All memories of any kind. */
  readonly all: readonly Known[];
  /** Returns the memories with these ids, and ignores null. */
  byId(ids: readonly (string | null)[]): readonly Known[];
}

/** Returns the truth of a sample by kind. */
export function factsOf({ nodes, truth }: Sample): Facts {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const known = (id: string): Known => {
    const node = nodeOf.get(id);
    if (node === undefined) throw new RangeError(`no memory ${id}`);
    return { id, made: node.created_at, node };
  };
  const newestFirst = <One extends Known>(list: One[]) => list.sort((a, b) => b.made - a.made);
  const of = <Truth extends { id: string }>(list: readonly Truth[]) =>
    newestFirst(list.map((one): Fact<Truth> => ({ ...one, ...known(one.id) })));
  const { trades } = truth;
  return {
    at: truth.end,
    entries: newestFirst(trades.map((trade) => ({ ...trade, ...known(trade.entry_id) }))),
    modifies: newestFirst(
      trades.flatMap((trade) =>
        trade.modify_ids.map((id) => {
          const modify = known(id);
          const { signals } = JSON.parse(modify.node.content_body) as {
            signals: { action: string };
          };
          return { ...trade, ...modify, action: signals.action };
        }),
      ),
    ),
    closes: newestFirst(
      trades.flatMap((trade) =>
        trade.close_id === null ? [] : [{ ...trade, ...known(trade.close_id) }],
      ),
    ),
    scalps: of(truth.scalps),
    signals: of(truth.signals),
    watchpoints: of(truth.watchpoints),
    lessons: of(truth.lessons),
    theses: of(truth.theses),
    playbooks: of(truth.playbooks),
    missed: of(truth.missed),
    passes: of(truth.passes),
    events: of(truth.events),
    curiosities: of(truth.curiosities),
    sessions: of(truth.sessions),
    turns: of(truth.turns),
    all: newestFirst(nodes.map(({ id }) => known(id))),
    byId: (ids) => ids.flatMap((id) => (id === null ? [] : [known(id)])),
  };
}
