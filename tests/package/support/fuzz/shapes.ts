// The objects that calls take, filled with generated values.

import type { Anything, World } from "./kinds.ts";
import { NOW, type Values } from "./values.ts";

export const SECTIONS = ["EPISODIC", "SIGNALS", "KNOWLEDGE", "PROCEDURAL"] as const;
export const TYPES = [
  "person",
  "fact",
  "concept",
  "event",
  "note",
  "document",
  "preference",
] as const;
export const FRAMES = [
  "decision",
  "debugging",
  "task",
  "question",
  "creative",
  "conversation",
  "nobody's",
] as const;
export const MEMORY_TYPES = ["decision", "fact", "procedure", "episode", "signal"] as const;
export const MODES = ["default", "seed-compatible"] as const;
const LIFECYCLES = ["ACTIVE", "WEAK", "DORMANT", "COMPRESS", "ARCHIVE", "DELETED"] as const;
const EDGE_TYPES = ["causes", "relates_to", "part_of", "generalizes", "contradicts"] as const;
const SIGNALS = ["semantic", "keyword", "graph", "recency", "authority", "affinity"] as const;

/** A field, or sometimes no field. */
const perhaps = <T>(v: Values, make: () => T): T | undefined =>
  v.dice.oneIn(3) ? undefined : make();

/** An object without the fields that are undefined. */
const withoutUndefined = (fields: Record<string, unknown>): Anything => {
  for (const [name, value] of Object.entries(fields)) if (value === undefined) delete fields[name];
  return fields;
};

export const candidate = (v: Values): Anything =>
  v.object({
    id: v.id(),
    semantic_score: v.dice.oneIn(9) ? null : v.score(),
    bm25_score: v.dice.oneIn(4) ? undefined : v.amount(),
    graph_score: v.amount(),
    last_accessed: v.instant(),
    created_at: v.instant(),
    access_count: v.count(),
    inbound_edge_count: v.count(),
    subtype: v.subtype(),
  });

export const metrics = (v: Values): Anything => v.object({ avg_inbound_edges: v.amount() });

export const weights = (v: Values): Anything =>
  v.dice.oneIn(2)
    ? undefined
    : v.object(Object.fromEntries(SIGNALS.map((signal) => [signal, v.share()])));

export const profile = (v: Values): Anything =>
  v.object({
    initial_stability_days: v.amount(),
    growth_rate: v.amount(),
    active_threshold: v.share(),
    weak_threshold: v.share(),
    max_stability_days: v.amount(),
  });

export const row = (v: Values): Anything =>
  v.object({
    id: v.id(),
    score: v.dice.oneIn(9) ? v.word() : v.score(),
    subtype: v.subtype(),
    title: v.word(),
  });

export const found = (v: Values): Anything =>
  v.object({ ...row(v), content_title: v.dice.oneIn(3) ? null : v.text() });

export const memoryRow = (v: Values): Anything =>
  v.object({
    id: v.id(),
    subtype: v.subtype(),
    memory_section: v.dice.oneIn(4) ? v.name(SECTIONS) : null,
    content_title: v.text(),
    content_body: v.body(() => ({ text: v.text(), deep: [1, { text: v.text() }] })),
    content_summary: v.dice.oneIn(2) ? null : v.text(),
    provenance_created_at: v.dice.oneIn(3) ? new Date(NOW) : new Date(NOW - 1e9).toISOString(),
    score: v.score(),
    tags: v.list(() => v.word(), 3),
  });

export const memory = (v: Values): Anything =>
  v.object({
    id: v.id(),
    type: v.dice.oneIn(2) ? v.name(MEMORY_TYPES) : null,
    score: v.score(),
    text: v.text(),
    tags: v.list(() => v.word(), 3),
    confidence: perhaps(v, () => v.share()),
    created_at: perhaps(v, () => v.instant()),
    activations: perhaps(v, () => v.count()),
  });

/** The body of a trade or of a playbook. */
const stakes = (v: Values) => ({
  ...{
    pnl_pct: v.score(),
    roe_pct: v.dice.oneIn(2) ? v.score() : undefined,
    side: v.dice.oneIn(2) ? "long" : "short",
  },
  ...{
    symbol: v.dice.oneIn(3) ? "eth" : undefined,
    anomaly_types: [`kind_${v.dice.below(3)}`],
    funding_rate: v.score(),
  },
  ...{
    trade_type: v.word(),
    news: v.dice.oneIn(2),
    confidence: v.share(),
    z_score: v.score(),
    led_to_action: v.flag(),
  },
});

export const signals = (v: Values): Anything => v.object(stakes(v));

export const episode = (v: Values): Anything =>
  v.object({
    id: v.id(),
    subtype: v.dice.oneIn(2) ? "custom:trade_close" : v.subtype(),
    content_title: v.dice.oneIn(2) ? "short ETH" : v.text(),
    content_body: v.body(() => ({ text: v.text(), signals: stakes(v) })),
    state_lifecycle: v.dice.oneIn(9) ? v.name(LIFECYCLES) : null,
    created_at: v.instant(),
  });

export const link = (v: Values): Anything =>
  v.object({
    id: `e_${v.dice.below(40)}`,
    source_id: v.id(),
    target_id: v.id(),
    type: v.name(EDGE_TYPES),
  });

const condition = (v: Values, depth: number): Anything => {
  const kind = depth === 0 ? 0 : v.dice.below(4);
  if (kind === 1) return v.object({ all: v.list(() => condition(v, depth - 1), 3) });
  if (kind === 2) return v.object({ any: v.list(() => condition(v, depth - 1), 3) });
  if (kind === 3) return v.object({ not: condition(v, depth - 1) });
  const op = v.name(["<", "<=", ">", ">=", "==", "between", "rising", "falling"]);
  const value =
    op === "between"
      ? [v.score(), v.amount()]
      : op === "rising" || op === "falling"
        ? undefined
        : v.score();
  return v.object(
    withoutUndefined({
      var: `variable_${v.dice.below(4)}`,
      op,
      value,
      window: value === undefined ? 2 : undefined,
    }),
  );
};

export const playbook = (v: Values): Anything => {
  const trigger = v.object(
    withoutUndefined({
      anomaly_types: v.list(() => `kind_${v.dice.below(4)}`, 3),
      symbols: v.dice.oneIn(2) ? undefined : v.list(() => v.word(), 3),
      min_severity: perhaps(v, () => v.share()),
      conditions: v.dice.oneIn(2) ? undefined : condition(v, 3),
    }),
  );
  const record = { success_count: v.count(9), sample_size: v.count(20) };
  if (v.dice.oneIn(3)) {
    const body = v.body(() => ({ trigger, action: v.text(), ...record }));
    return v.object({ id: v.id(), content_title: v.text(), content_body: body });
  }
  return v.object({ id: v.id(), title: v.text(), trigger, ...record });
};

export const event = (v: Values): Anything =>
  v.object({
    type: `kind_${v.dice.below(4)}`,
    symbol: v.dice.oneIn(2) ? null : v.word(),
    severity: v.share(),
  });

export const market = (v: Values): Anything =>
  v.object(
    Object.fromEntries(
      Array.from({ length: v.dice.below(4) }, (_, place) => [
        `variable_${place}`,
        v.dice.oneIn(2) ? v.score() : v.numbers(v.dice.below(5), () => v.score()),
      ]),
    ),
  );

export const match = (v: Values): Anything =>
  v.object({
    ...{
      id: v.id(),
      title: v.text(),
      action: v.text(),
      direction: v.word(),
      type: v.word(),
      symbol: v.word(),
    },
    ...{
      severity: v.share(),
      success_count: v.count(),
      sample_size: v.count(),
      success_rate: v.share(),
      relevance: v.share(),
    },
  });

export const turn = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      input: perhaps(v, () => v.text()),
      frame_type: v.name(FRAMES),
      temporal_recency: perhaps(v, () => v.share()),
      is_question: perhaps(v, () => v.flag()),
      topic_keywords: perhaps(v, () => v.list(() => v.word(), 5)),
      memory_type_hints: perhaps(v, () => v.object({ decision: v.amount(), fact: v.amount() })),
    }),
  );

export const classified = (v: Values): Anything =>
  v.dice.oneIn(6)
    ? null
    : v.object({
        disqualifier_category: v.dice.pick(["D1", "D4", "D2", null]),
        entity: v.dice.oneIn(2) ? null : v.word(),
      });

export const usageRecord = (v: Values): Anything =>
  v.object({
    memory_id: v.id(),
    ...withoutUndefined({ memory_type: perhaps(v, () => v.word()) }),
    retrieved_at: NOW - v.dice.below(3e9),
    was_referenced: v.flag(),
  });

const KINDS = ["bm", "sem", "p_soft", "nb", "graph", "affinity", "recency_signals", "qm", "len"];

/** What a memory weighs evidence by. */
export const evidence = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      preset: perhaps(v, () => v.name(["general", "trading"])),
      weights: perhaps(v, () => v.object({ [v.dice.pick(KINDS)]: v.score(), sem: v.share() })),
    }),
  );

/** The configuration of an engine. */
export const config = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      sections: perhaps(v, () =>
        v.object(
          withoutUndefined({
            intentBoost: 1 + v.dice.share(),
            defaultSection: v.name(SECTIONS),
            subtypes: perhaps(v, () =>
              v.object({ "custom:recipe": { section: v.name(SECTIONS), stability: v.amount() } }),
            ),
          }),
        ),
      ),
      curve: perhaps(v, () => v.name(["exponential", "fsrs6"])),
      salienceGrowth: perhaps(v, () => v.flag()),
      intent: perhaps(v, () =>
        v.object({ matcher: v.name(["words", "substring"]), strings: { SIGNALS: [v.text()] } }),
      ),
      knownSymbols: perhaps(v, () => v.list(() => `SYM${v.dice.below(99)}`, 3)),
      query: perhaps(v, () =>
        v.object({
          adjacentPossessives: v.flag(),
          attributeWords: perhaps(v, () => v.list(() => v.text())),
        }),
      ),
      evidence: perhaps(v, () => evidence(v)),
      search: perhaps(v, () =>
        v.object({
          graphReach: v.flag(),
          maxHops: v.count(4),
          hopDecay: v.share(),
          maxNodes: v.count(200),
        }),
      ),
      orchestrator: perhaps(v, () =>
        v.object({ maxParts: v.count(3), timeoutSeconds: v.amount() }),
      ),
    }),
  );

// ---- arguments of indexes -----------------------------------------------------------------------

const edgeId = (v: Values): string => v.or(`e_${v.dice.below(40)}`, ["", 7, null]);
export const edgeIds = (v: Values): Anything => v.list(() => edgeId(v));
export const ids = (v: Values, max = 12): Anything => v.list(() => v.id(), max);
export const anEdgeId = edgeId;

export const embedding = (v: Values, { dimensions }: World): Anything =>
  v.numbers(v.isWild && v.dice.oneIn(8) ? v.dice.below(20) : dimensions, () => v.score());

/** A text, often one of a few: `why` accepts only the text that its memory was stored with. */
const storedText = (v: Values): string =>
  v.dice.oneIn(2) ? v.text() : v.dice.pick(["green tea", "BTC funding was 2024% of 漢字. Why?"]);

export const node = (v: Values, world: World): Anything =>
  v.object(
    withoutUndefined({
      id: v.id(),
      type: perhaps(v, () => v.name(TYPES)),
      subtype: perhaps(v, () => v.subtype()),
      created_at: perhaps(v, () => v.instant()),
      last_accessed: perhaps(v, () => v.instant()),
      access_count: perhaps(v, () => v.count()),
      stability: perhaps(v, () => v.amount()),
      retrievability: perhaps(v, () => v.share()),
      difficulty: perhaps(v, () => v.share()),
      salience: perhaps(v, () => v.share()),
      lifecycle: perhaps(v, () => v.name(LIFECYCLES)),
      tags: perhaps(v, () => v.list(() => v.word(), 3)),
      clusters: perhaps(v, () => v.list(() => v.word(), 2)),
      embedding: world.dimensions > 0 ? perhaps(v, () => embedding(v, world)) : undefined,
      title: v.dice.oneIn(4) ? v.text() : undefined,
      text: v.dice.oneIn(2) ? storedText(v) : undefined,
      event_time: v.dice.oneIn(6) ? v.instant() : undefined,
      sequence: v.dice.oneIn(4) ? v.count(1000) : undefined,
    }),
  );

export const edge = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      id: edgeId(v),
      source_id: v.id(),
      target_id: v.id(),
      type: perhaps(v, () => v.name(EDGE_TYPES)),
      strength: perhaps(v, () => v.share()),
    }),
  );

const filters = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      types: v.dice.oneIn(6) ? v.list(() => v.name(TYPES), 4) : undefined,
      excluded_types: v.dice.oneIn(6) ? v.list(() => v.name(TYPES), 2) : undefined,
      subtypes: v.dice.oneIn(6) ? v.list(() => v.word(), 4) : undefined,
      lifecycles: v.dice.oneIn(6) ? v.list(() => v.name(LIFECYCLES), 5) : undefined,
      created_after: v.dice.oneIn(6) ? v.instant() : undefined,
      accessed_within_days: v.dice.oneIn(6) ? v.amount() : undefined,
      cluster_ids: v.dice.oneIn(6) ? v.list(() => v.word(), 3) : undefined,
      tags_any: v.dice.oneIn(6) ? v.list(() => v.word(), 3) : undefined,
      tags_none: v.dice.oneIn(6) ? v.list(() => v.word(), 3) : undefined,
      relationship_types: v.dice.oneIn(6) ? v.list(() => v.name(EDGE_TYPES), 3) : undefined,
    }),
  );

export const limit = (v: Values): number =>
  v.or(v.dice.oneIn(20) ? Number.POSITIVE_INFINITY : v.count(30), [0, -1, 1e9]);

export const query = (v: Values, world: World): Anything =>
  v.object(
    withoutUndefined({
      embedding: world.dimensions > 0 ? perhaps(v, () => embedding(v, world)) : undefined,
      bm25: perhaps(v, () => v.list(() => v.object({ id: v.id(), score: v.amount() }), 20)),
      filters: v.dice.oneIn(3) ? filters(v) : undefined,
      limit: perhaps(v, () => limit(v)),
      max_seeds: v.dice.oneIn(4) ? v.count(20) : undefined,
      now: perhaps(v, () => v.instant()),
      sections: v.dice.oneIn(4) ? v.flag() : undefined,
      include_connections: v.dice.oneIn(4) ? v.flag() : undefined,
      serendipity_level: v.dice.oneIn(4) ? v.name(["off", "low", "medium", "high"]) : undefined,
    }),
  );

export const askOptions = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      limit: perhaps(v, () => limit(v)),
      min_score: v.dice.oneIn(4) ? v.share() : undefined,
      diversity: v.dice.oneIn(4) ? v.share() : undefined,
      now: perhaps(v, () => v.instant()),
      filters: v.dice.oneIn(4) ? filters(v) : undefined,
      among: v.dice.oneIn(4) ? Uint32Array.of(0, 2, 3, 2 ** 32 - 1) : undefined,
    }),
  );

export const whyOptions = (v: Values): Anything =>
  v.dice.oneIn(2)
    ? askOptions(v)
    : v.object({
        text: v.object({ title: v.dice.oneIn(9) ? v.text() : "", text: storedText(v) }),
        now: v.instant(),
      });

const TRAITS = ["qm", "prevq", "len", "num", "cap", "pos"];

export const feedback = (v: Values): Anything => {
  const shown = ids(v, 6);
  const used = Array.isArray(shown) ? shown.slice(0, v.dice.below(3)) : shown;
  return v.object(
    withoutUndefined({
      ...{ question: v.text(), shown, used },
      now: perhaps(v, () => v.instant()),
    }),
  );
};

export const learned = (v: Values): Anything => {
  const byTrait = () => v.object(Object.fromEntries(TRAITS.map((trait) => [trait, v.share()])));
  return v.object({ steps: v.count(100), shifts: byTrait(), means: byTrait() });
};

export const similarOptions = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      limit: perhaps(v, () => limit(v)),
      filter: v.dice.oneIn(4) ? filters(v) : undefined,
    }),
  );

/** Ids of existing memories, except in a wild call. */
export const knownIds = (v: Values, world: World): Anything => {
  const known = world.known();
  return v.list(
    () => (known.length === 0 ? v.id() : v.or(v.dice.pick(known), ["nobody", "", 7])),
    15,
  );
};

/** Handles from the index, stale or not, and in a wild call any 32-bit number. */
const handlesOf = (v: Values, { handles }: World): Uint32Array => {
  if (!v.isWild || !v.dice.oneIn(3)) return handles;
  const odd = [0, handles.length, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1];
  return Uint32Array.from([...handles, v.dice.pick(odd)]).slice(v.dice.below(2) * handles.length);
};

export const columns = (v: Values, world: World): Anything => {
  const nodes = v.dice.oneIn(3) ? { handles: handlesOf(v, world) } : { ids: knownIds(v, world) };
  const listed = nodes.handles ?? nodes.ids;
  const count = Array.isArray(listed) || listed instanceof Uint32Array ? listed.length : 3;
  const column = () => (v.dice.oneIn(3) ? undefined : v.numbers(count, () => v.amount()));
  return v.object(
    withoutUndefined({ ...nodes, semantic: column(), bm25: column(), graph: column() }),
  );
};

export const document = (v: Values): Anything =>
  v.object(
    withoutUndefined({
      id: v.id(),
      title: perhaps(v, () => v.text()),
      summary: perhaps(v, () => v.text()),
      body: perhaps(v, () => v.text()),
    }),
  );
