// What the sample holds at its end, as its truth tells it: a list for each kind of memory, the
// newest first. Questions find their answers here, by predicates, and nowhere else.

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
} from "../../js/demo/sample/index.ts";

/** A memory that a predicate found. */
export interface Known {
  readonly id: string;
  /** When it was stored, in milliseconds since 1970. */
  readonly made: number;
  readonly node: SampleNode;
}

/** A memory, and what is true of it. */
type Fact<Truth> = Readonly<Omit<Truth, "id">> & Known;

/** All that is known of the sample, each list by the time of storing, newest first. */
export interface Facts {
  /** The clock of all questions: the end of the sample, in milliseconds since 1970. */
  readonly at: number;
  /**
   * A trade as it was entered, changed and closed. A change has in `action` what was done: `trail`,
   * `partial` …
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
  /** Everything stored, whatever its kind. */
  readonly all: readonly Known[];
  /** The memories with these ids; a missing id is no memory. */
  byId(ids: readonly (string | null)[]): readonly Known[];
}

/** Looks the sample's truth up by kind. */
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
