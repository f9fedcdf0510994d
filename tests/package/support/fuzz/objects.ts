// Generated calls of stateful objects: indexes, books, trackers, engines, orchestrators, rankings.

import { abortSignal, searchSeam } from "./functions.ts";
import {
  type Anything,
  falls,
  isNumber,
  isText,
  type Kind,
  type Place,
  type Saved,
  TABLE,
  unless,
  type World,
} from "./kinds.ts";
import * as make from "./shapes.ts";
import type { Values } from "./values.ts";

type Fault = NonNullable<Kind["fault"]>;
type Args = (v: Values, world: World) => Anything[];

const CLASSES = {
  index: "MemoryIndex",
  texts: "TextIndex",
  embedder: "Embedder",
  book: "PlaybookBook",
  usage: "UsageTracker",
  orchestrator: "Orchestrator",
  ranking: "Ranking",
} as const;
const INDEX_CODES = ["freed", "out_of_memory"];
const CHANGES = new Set([
  "upsert",
  "remove",
  "link",
  "unlink",
  "touch",
  "recall",
  "strengthen",
  "applyDecay",
  "learn",
  "setLearned",
  "forgetLearned",
  "weigh",
]);

/** Calls of a method of the object in a slot. */
const on =
  (place: Place, codes: readonly string[]) =>
  (method: string, weight: number, args: Args, fault?: Fault): Kind => ({
    ...{
      name: `${CLASSES[place]}.${method}`,
      weight,
      args,
      fault,
      codes,
      place,
      isChange: CHANGES.has(method),
    },
    call: (world, given) => world[place][method](...given),
  });

/** Calls of a getter of the object in a slot. */
const get = (
  place: Place,
  field: string,
  fault: (value: Anything) => string | undefined,
  codes?: string[],
): Kind => ({
  ...{ name: `${CLASSES[place]}.${field}`, weight: 1, args: () => [], fault, codes, place },
  call: (world) => world[place][field],
});

const isCount = (value: unknown): string | undefined =>
  unless(Number.isInteger(value), "is no count");
const hasIds = (found: readonly string[], index: Anything): boolean =>
  found.every((id) => index.has(id));

// ---- memories -----------------------------------------------------------------------------------

const memory = on("index", INDEX_CODES);

const searched: Fault = ({ ranking, metrics, serendipity, connections = [] }, _, { index }) => {
  if (
    !hasIds(ranking.ids, index) ||
    !hasIds(
      serendipity.map(({ id }: Anything) => id),
      index,
    )
  )
    return "finds a stranger";
  if (!connections.every(({ id }: Anything) => index.getEdge(id) !== undefined))
    return "has an edge that is not there";
  if (metrics.nodes_returned !== ranking.length) return "counts others than it returns";
  return unless(falls(ranking.scores), "is out of order");
};

/**
 * Checks that each number of the tree follows from its parts; a quotient or a sum may be infinite
 * on the way.
 */
const explained: Fault = ({ rank, score }) =>
  unless(
    (rank === null || rank >= 1) && (score === null || isNumber(score.value)),
    "explains nothing",
  );

const swept: Fault = ({ processed, changes, transitions }, _, { index }) => {
  const { ids, retrievability, lifecycle } = changes;
  if (processed > index.size) return "looked at more than there are";
  if (ids.length !== retrievability.length || ids.length !== lifecycle.length)
    return "has columns of unequal length";
  if (
    !hasIds(ids, index) ||
    !hasIds(
      transitions.map(({ id }: Anything) => id),
      index,
    )
  )
    return "names a stranger";
  return unless(
    retrievability.every((r: number) => r >= 0 && r <= 1),
    "has what is no chance",
  );
};

const stored: Fault = (node, [id]) => {
  if (node === undefined) return undefined;
  const numbers = [
    node.created_at,
    node.last_accessed,
    node.stability,
    node.retrievability,
    node.difficulty,
  ];
  return unless(node.id === id && numbers.every(isNumber) && node.tags.every(isText), "is no node");
};

const hasLearned: Fault = ({ steps, shifts, means }) =>
  unless(
    isCount(steps) === undefined &&
      [shifts, means].every((each) =>
        Object.values<number>(each).every((number) => Math.abs(number) <= 2),
      ),
    "is not what can be learned",
  );

const changes = (v: Values): Anything => {
  const listed = make.ids(v);
  const count = Array.isArray(listed) ? listed.length : 2;
  return v.object({
    ids: listed,
    retrievability: v.numbers(count, () => v.share()),
    lifecycle: v.numbers(count, () => v.count(4)),
  });
};

const MEMORY: Kind[] = [
  memory(
    "upsert",
    4,
    (v, world) => [v.list(() => make.node(v, world)), v.object({ now: v.instant() })],
    isCount,
  ),
  memory("remove", 2, (v) => [make.ids(v, 5)], isCount),
  memory(
    "link",
    4,
    (v) => [v.list(() => make.edge(v))],
    ({ linked, ignored }, [edges]) =>
      unless(linked + ignored.length === edges.length, "loses edges"),
  ),
  memory("unlink", 2, (v) => [make.edgeIds(v)], isCount),
  memory(
    "has",
    2,
    (v) => [v.id()],
    (answer) => unless(typeof answer === "boolean", "is no answer"),
  ),
  memory("get", 4, (v) => [v.id()], stored),
  memory(
    "successors",
    2,
    (v) => [v.id()],
    (ids, _, { index }) => unless(hasIds(ids, index), "names strangers"),
  ),
  memory(
    "line",
    2,
    (v) => [v.id()],
    (edges, _, { index }) => {
      const ends = edges.flatMap((it: Anything) => [it.source_id, it.target_id]);
      return unless(hasIds(ends, index), "names strangers");
    },
  ),
  memory(
    "guessedSuccessors",
    2,
    (v) => [v.id()],
    (edges, [id], { index }) => {
      const isOf = edges.every((it: Anything) => it.target_id === id);
      const newer = edges.map((it: Anything) => it.source_id);
      return unless(isOf && hasIds(newer, index), "names strangers");
    },
  ),
  memory(
    "getAll",
    2,
    (v) => [v.list(() => v.id(), 5)],
    (nodes, [ids], held) =>
      nodes.map((node: Anything, place: number) => stored(node, [ids[place]], held)).find(Boolean),
  ),
  memory(
    "getEdge",
    3,
    (v) => [make.anEdgeId(v)],
    (edge, _, { index }) =>
      unless(
        edge === undefined || hasIds([edge.source_id, edge.target_id], index),
        "leads nowhere",
      ),
  ),
  {
    ...memory(
      "ids",
      1,
      () => [],
      (ids, _, { index }) => unless(ids.length === index.size, "are not all there are"),
    ),
    call: ({ index }) => [...index.ids()],
  },
  {
    ...memory("handles", 2, (v, world) => [make.knownIds(v, world)]),
    call: (world, args) => {
      const handles = world.index.handles(...args);
      world.handles = handles;
      return handles;
    },
  },
  memory("touch", 2, (v) => [make.ids(v), v.instant()], isCount),
  memory("recall", 2, (v) => [make.ids(v), v.instant()], isCount),
  memory(
    "strengthen",
    2,
    (v) => [v.list(() => make.ids(v), 3), v.share()],
    ({ ids, strengths }) =>
      unless(
        ids.length === strengths.length && strengths.every((s: number) => s >= 0 && s <= 1),
        "is no strength",
      ),
  ),
  memory(
    "rerank",
    2,
    (v, world) => [make.columns(v, world), v.object({ limit: make.limit(v), now: v.instant() })],
    (ranking, _, { index }) =>
      unless(hasIds(ranking.ids, index) && falls(ranking.scores), "is no ranking"),
  ),
  {
    ...memory("search", 3, (v, world) => [make.query(v, world)], searched),
    call: (world, args) => {
      const found = world.index.search(...args);
      world.ranking = found.ranking;
      return found;
    },
  },
  memory(
    "similar",
    1.5,
    (v, world) => [make.embedding(v, world), make.similarOptions(v)],
    ({ ids, scores }, _, { index }) => unless(hasIds(ids, index) && falls(scores), "is no ranking"),
  ),
  memory(
    "ask",
    2,
    (v) => [v.text(), make.askOptions(v)],
    (answers: Anything[], _, { index }) =>
      unless(
        hasIds(
          answers.map(({ id }) => id),
          index,
          // Answers that are like better ones stand behind others.
        ) && falls(answers.filter((it) => it.similar_to === undefined).map(({ score }) => score)),
        "are no answers",
      ),
  ),
  memory(
    "why",
    0.5,
    (v) => [v.id(), v.text(), make.whyOptions(v)],
    ({ score, words, passage }) => {
      const spans = [...(passage.spans ?? []), ...words.flatMap((it: Anything) => it.spans ?? [])];
      if (!spans.every(({ start, end }) => start >= 0 && start < end)) return "marks nothing";
      return unless(score >= 0 && score <= 1, "has a score that is no probability");
    },
  ),
  memory(
    "evidence",
    0.3,
    (v) => [v.text(), make.askOptions(v)],
    ({ ids, names, values }, _, { index }) =>
      unless(hasIds(ids, index) && values.length === ids.length * names.length, "is no matrix"),
  ),
  memory(
    "learn",
    0.6,
    (v) => [make.feedback(v)],
    ({ counted, moved }) =>
      unless(
        Number.isInteger(counted) && Object.values<number>(moved).every((by) => Math.abs(by) <= 4),
        "is no step",
      ),
  ),
  memory("learned", 0.5, () => [], hasLearned),
  memory("setLearned", 0.3, (v) => [make.learned(v)]),
  memory("forgetLearned", 0.2, () => []),
  on("index", [...INDEX_CODES, "invalid_config"])("weigh", 0.3, (v) => [make.evidence(v)]),
  get("index", "textCount", isCount, ["freed"]),
  memory("decay", 2, (v) => [v.instant()], swept),
  memory("applyDecay", 2, (v) => [changes(v)], isCount),
  memory(
    "transitions",
    2,
    (v) => [v.instant()],
    (told, _, { index }) =>
      unless(
        hasIds(
          told.map(({ id }: Anything) => id),
          index,
        ),
        "names a stranger",
      ),
  ),
  memory(
    "explain",
    0.4,
    (v, world) => [v.or(v.dice.pick(world.known()), ["nobody"]), make.query(v, world)],
    explained,
  ),
  get("index", "size", isCount, INDEX_CODES),
  get("index", "edgeCount", isCount, INDEX_CODES),
  get("index", "embeddingId", (id) => unless(isText(id), "is no text"), INDEX_CODES),
  get(
    "index",
    "bytes",
    (bytes) => unless(Object.values(bytes).every(isNumber), "is no use of memory"),
    INDEX_CODES,
  ),
];

// ---- texts --------------------------------------------------------------------------------------

const texts = on("texts", INDEX_CODES);

const TEXTS: Kind[] = [
  texts("upsert", 2, (v) => [v.list(() => make.document(v))], isCount),
  texts("remove", 1, (v) => [make.ids(v, 5)], isCount),
  texts(
    "search",
    6,
    (v) => [
      v.list(() => v.word(), 6),
      v.object(
        v.dice.oneIn(3) ? { limit: make.limit(v), among: make.ids(v) } : { limit: make.limit(v) },
      ),
    ],
    (hits: Anything[], _, world) =>
      unless(
        hasIds(
          hits.map(({ id }) => id),
          world.texts,
        ) && falls(hits.map(({ score }) => score)),
        "are no hits",
      ),
  ),
  texts(
    "has",
    1,
    (v) => [v.id()],
    (answer) => unless(typeof answer === "boolean", "is no answer"),
  ),
  {
    ...texts(
      "ids",
      1,
      () => [],
      (ids, _, world) => unless(ids.length === world.texts.size, "are not all there are"),
    ),
    call: (world) => [...world.texts.ids()],
  },
  get("texts", "size", isCount, INDEX_CODES),
  get(
    "texts",
    "bytes",
    (bytes) => unless(Object.values(bytes).every(isNumber), "is no use of memory"),
    INDEX_CODES,
  ),
];

// ---- creating, saving, freeing ------------------------------------------------------------------

/** Replaces the object in a slot, and frees the old one if it is freed by hand. */
function replace(world: World, place: "index" | "texts" | "embedder", made: Anything): Anything {
  free(world, place);
  world[place] = made;
  return made;
}

function free(world: World, place: "index" | "texts" | "embedder"): void {
  world.freed.add(world[place]);
  world[place].free();
}

/** A snapshot, unchanged, in chunks, or damaged; `isWhole` if it must be accepted. */
function snapshotFor(
  v: Values,
  { bytes }: Saved,
  other: Uint8Array,
): { given: Anything; isWhole: boolean } {
  const { dice } = v;
  if (!v.isWild || dice.oneIn(3)) {
    const cut = dice.below(bytes.length);
    const given = dice.oneIn(2) ? bytes : [bytes.subarray(0, cut), bytes.subarray(cut)];
    return { given, isWhole: true };
  }
  const damaged = Uint8Array.from(bytes);
  damaged[dice.below(damaged.length)]! ^= 1 << dice.below(8);
  const wrong = [
    damaged,
    bytes.subarray(0, dice.below(bytes.length)),
    other,
    new Uint8Array(dice.below(99)),
    [],
    null,
    "x",
  ];
  return { given: dice.pick(wrong), isWhole: false };
}

/** Does all steps, and other work between them. */
function inSteps<T>(steps: Generator<undefined, T, void>, between: () => void): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    between();
  }
}

/** The restoring of a snapshot, at once or with other calls between its steps. */
const restores = (place: "index" | "texts", method: "restore" | "restoreInSteps"): Kind => ({
  name: `${CLASSES[place]}.${method}`,
  weight: 0.2,
  args: (v, world) => {
    const [mine, other] =
      place === "index"
        ? [world.indexSnapshot, world.textSnapshot]
        : [world.textSnapshot, world.indexSnapshot];
    const { given, isWhole } = snapshotFor(v, mine, other.bytes);
    const options = v.isWild && place === "index" ? v.object({ config: make.config(v) }) : {};
    return [given, options, { isWhole, ...mine }];
  },
  call: (world, [given, options, { dimensions }]) => {
    const restored =
      method === "restore"
        ? world.nous[CLASSES[place]].restore(given, options)
        : inSteps(world.nous.MemoryIndex.restoreInSteps(given, options), () => world.callback(7));
    if (place === "index") world.dimensions = dimensions;
    return replace(world, place, restored);
  },
  fault: (restored, [, , { isWhole, size }]) => {
    if (!isWhole) return "is made of a damaged snapshot";
    return unless(restored.size === size, "has more or less than what was saved");
  },
  codes: ["invalid_snapshot", "invalid_config", "out_of_memory"],
});

/** A snapshot, whole or in parts with other calls between them. */
const saves = (place: "index" | "texts", method: "snapshot" | "snapshotParts"): Kind => ({
  name: `${CLASSES[place]}.${method}`,
  weight: 0.3,
  args: (v) => [v.isWild && v.dice.oneIn(4) ? v.dice.next() : 0],
  call: (world, [seed]) => {
    const from = world[place];
    const about = { size: from.size, dimensions: world.dimensions };
    if (method === "snapshot") return { bytes: from.snapshot(), ...about };
    const parts: Uint8Array[] = [];
    for (const part of from.snapshotParts()) {
      parts.push(part);
      if (seed !== 0) world.callback(seed);
    }
    return { bytes: new Uint8Array(Buffer.concat(parts)), ...about };
  },
  fault: (saved, [seed], world) => {
    if (seed === 0) world[place === "index" ? "indexSnapshot" : "textSnapshot"] = saved;
    return unless(saved.bytes.length > 0, "is empty");
  },
  // An index that changes between two parts of its snapshot reports it.
  codes: [...INDEX_CODES, "invalid_snapshot"],
  place,
});

const LIVES: Kind[] = [
  saves("index", "snapshot"),
  saves("index", "snapshotParts"),
  saves("texts", "snapshot"),
  saves("texts", "snapshotParts"),
  restores("index", "restore"),
  restores("index", "restoreInSteps"),
  restores("texts", "restore"),
  {
    name: "new MemoryIndex",
    weight: 0.2,
    args: (v) => [
      v.object({
        dimensions: v.or(v.dice.pick([0, 3, 17, 17]), [-1, 0.5, 65_537, "3"]),
        embeddings: v.name(["f32", "i8"]),
        embeddingId: v.word(),
        config: make.config(v),
        maxBytes: v.dice.oneIn(4) ? v.count(2 ** 23) : undefined,
      }),
    ],
    call: (world, [options]) => {
      const made = new world.nous.MemoryIndex(options);
      world.dimensions = Number(options?.dimensions ?? 0);
      return replace(world, "index", made);
    },
    fault: (index) => unless(index.size === 0, "is not empty"),
    codes: ["invalid_config", "out_of_memory"],
  },
  {
    name: "new TextIndex",
    weight: 0.2,
    args: (v) => [v.object({ maxBytes: v.dice.oneIn(4) ? v.count(2 ** 23) : undefined })],
    call: (world, args) => replace(world, "texts", new world.nous.TextIndex(...args)),
    fault: (index) => unless(index.size === 0, "is not empty"),
    codes: ["out_of_memory"],
  },
  { name: "MemoryIndex.free", weight: 0.1, args: () => [], call: (world) => free(world, "index") },
  { name: "TextIndex.free", weight: 0.1, args: () => [], call: (world) => free(world, "texts") },
];

// ---- embedders ----------------------------------------------------------------------------------

const embedder = on("embedder", ["freed", "out_of_memory"]);
const isShare = (value: unknown): string | undefined =>
  unless(isNumber(value) && value >= 0 && value <= 1, "is no share");
/** An array of the caller's for a vector. */
const target = (v: Values): Anything =>
  v.or(new Float32Array(v.dice.pick([16, 16, 20, 3])), [null, [1, 2], new Float64Array(16)]);
/** A word as UTF-8. */
const utf8 = (v: Values): Anything =>
  v.or(new TextEncoder().encode(String(v.word())), [null, "tea"]);

const EMBEDDERS: Kind[] = [
  embedder(
    "embed",
    1,
    (v) => [v.text()],
    ({ coverage }) => isShare(coverage),
  ),
  embedder("embedInto", 1, (v) => [v.text(), target(v), v.dice.pick([0, 0, 2])], isShare),
  embedder(
    "embedAll",
    0.5,
    (v) => [v.list(() => v.text(), 5)],
    ({ vectors, coverages }) =>
      unless(vectors.length === 16 * coverages.length, "has vectors of another length"),
  ),
  embedder("wordVectorInto", 0.5, (v) => [utf8(v), target(v), v.dice.pick([0, 0, 2])]),
  embedder("addWord", 0.5, (v) => [utf8(v), target(v)]),
  get("embedder", "id", (id) => unless(isText(id), "is no text")),
  get("embedder", "dimensions", (dimensions) => unless(dimensions === 16, "is not 16")),
  {
    name: "new Embedder",
    weight: 0.2,
    args: (v) => [v.or(TABLE, [TABLE.subarray(0, 30), null, new Uint8Array(0), "table"])],
    call: (world, args) => replace(world, "embedder", new world.nous.Embedder(...args)),
    fault: (made) => unless(made.dimensions === 16, "has other dimensions"),
    codes: ["out_of_memory"],
  },
  { name: "Embedder.free", weight: 0.1, args: () => [], call: (world) => free(world, "embedder") },
];

// ---- playbooks and usage ------------------------------------------------------------------------

const book = on("book", []);
const usage = on("usage", []);

const PLAYBOOKS: Kind[] = [
  book("add", 1, (v) => [v.list(() => make.playbook(v), 6)]),
  book("remove", 2, (v) => [make.ids(v)]),
  book(
    "match",
    2,
    (v) => [v.list(() => make.event(v), 4), make.market(v)],
    ({ matches }) =>
      unless(
        matches.every(({ relevance }: Anything) => isNumber(relevance)),
        "has a relevance that is none",
      ),
  ),
  get("book", "size", isCount),
  get("book", "problems", (problems) =>
    unless(
      problems.every(({ id }: Anything) => isText(id)),
      "are of nobody",
    ),
  ),
  {
    name: "new PlaybookBook",
    weight: 0.3,
    args: () => [],
    call: (world) => {
      world.book = new world.nous.PlaybookBook();
      return world.book;
    },
    fault: ({ size }) => unless(size === 0, "is not empty"),
  },
];

const USAGE: Kind[] = [
  usage(
    "feedback",
    1.5,
    (v) => [
      v.object({ [v.dice.pick(["n_1", "n_2", "__proto__"])]: v.text(), n_3: v.text() }),
      v.text(),
      v.instant(),
      v.object({ fact: make.ids(v) }),
    ],
    (told: Anything[]) =>
      unless(
        told.every(({ overlap_score: share }) => share >= 0 && share <= 1),
        "is no share",
      ),
  ),
  usage("record", 2, (v) => [v.list(() => make.usageRecord(v), 5), v.instant()]),
  usage(
    "boost",
    3,
    (v) => [make.ids(v), v.instant()],
    (boosts, [ids]) =>
      unless(
        boosts.length === ids.length && boosts.every((boost: number) => boost > 0 && boost <= 2),
        "is no factor",
      ),
  ),
  usage(
    "usageScore",
    2,
    (v) => [v.id(), v.instant()],
    (score) => unless(score >= 0, "is no score"),
  ),
  usage(
    "stats",
    2,
    (v) => [v.id(), v.instant()],
    (stats) => unless(stats === null || isNumber(stats.usage_score), "has a score that is none"),
  ),
  usage(
    "save",
    1,
    () => [],
    ({ records }) => unless(Array.isArray(records), "has no records"),
  ),
  get("usage", "size", isCount),
  {
    name: "UsageTracker.load",
    weight: 0.4,
    args: (v, world) => {
      const state = v.dice.oneIn(2)
        ? world.usage.save()
        : { version: v.count(2), mode: v.name(make.MODES), max_records: v.count(), records: [] };
      return [v.object(state)];
    },
    call: (world, args) => {
      world.usage = world.nous.UsageTracker.load(...args);
      return world.usage;
    },
    codes: ["invalid_snapshot"],
  },
  {
    name: "new UsageTracker",
    weight: 0.5,
    args: (v) => [v.object({ maxRecords: v.count(), mode: v.name(make.MODES) })],
    call: (world, args) => {
      world.usage = new world.nous.UsageTracker(...args);
      return world.usage;
    },
    fault: ({ size }) => unless(size === 0, "is not empty"),
  },
];

// ---- engines, orchestrators, rankings, errors ---------------------------------------------------

const ranking = on("ranking", []);
/** A missing slot is the slot of nothing, unless JavaScript throws on the access. */
const AT_A_PLACE = (method: string, fault: Fault): Kind => ({
  ...ranking(method, 1, (v) => [v.dice.oneIn(2) ? v.dice.below(12) : v.scalar()], fault),
  isNumeric: true,
});
const isEntry: Fault = (entry) =>
  unless(entry === undefined || !Number.isNaN(entry.score), "has a score that is none");

const nameOrNothing: Fault = (found) =>
  unless(found === undefined || typeof found === "string", "is no name");

const PATTERNS: Kind[] = [
  {
    name: "new PatternSet",
    weight: 0.5,
    args: (v) => [
      v.list(() =>
        v.object({
          name: v.word(),
          pattern: v.dice.pick([
            v.word(),
            v.text(),
            "(a+)+$",
            "\\b(tea|gold)\\b",
            "(?=a)",
            "a{9999}",
          ]),
        }),
      ),
    ],
    call: (world, args) => {
      world.patterns = new world.nous.PatternSet(...args);
      return world.patterns;
    },
  },
  {
    name: "PatternSet.firstMatch",
    weight: 0.5,
    args: (v) => [v.text()],
    call: (world, args) => world.patterns.firstMatch(...args),
    fault: nameOrNothing,
  },
  {
    name: "PatternSet.test",
    weight: 0.5,
    args: (v) => [v.text()],
    call: (world, args) => world.patterns.test(...args),
    fault: (found) => unless(typeof found === "boolean", "is no truth value"),
  },
];

const OTHERS: Kind[] = [
  AT_A_PLACE("at", isEntry),
  AT_A_PLACE("breakdown", (signals) =>
    unless(
      signals === undefined || !Object.values(signals).some(Number.isNaN),
      "has a signal that is none",
    ),
  ),
  AT_A_PLACE("primarySignal", (signal) =>
    unless(signal === undefined || isText(signal), "is no signal"),
  ),
  get("ranking", "scores", (scores) => unless(falls(scores), "are out of order")),
  get("ranking", "length", isCount),
  {
    name: "createEngine",
    weight: 0.3,
    args: (v) => [make.config(v)],
    call: (world, args) => {
      world.engine = world.nous.createEngine(...args);
      return world.engine;
    },
    fault: (engine) => unless(typeof engine.rerankTop === "function", "is no engine"),
    codes: ["invalid_config"],
  },
  {
    name: "createOrchestrator",
    weight: 0.3,
    args: (v, world) => [v.object({ search: searchSeam(v, world), config: make.config(v) })],
    call: (world, args) => {
      world.orchestrator = world.nous.createOrchestrator(...args);
      return world.orchestrator;
    },
    codes: ["invalid_config"],
  },
  {
    isWaiting: true,
    ...on("orchestrator", ["search_failed"])(
      "retrieve",
      0.5,
      (v) => [
        v.text(),
        v.object({
          filters: v.dice.oneIn(2) ? { subtype: v.subtype() } : null,
          now: v.instant(),
          signal: abortSignal(v),
        }),
      ],
      ({ nodes }) =>
        unless(
          nodes.every(({ score }: Anything) => isNumber(score)),
          "has a score that is none",
        ),
    ),
  },
  {
    name: "NousError",
    weight: 0.3,
    args: (v) => ["invalid_argument", v.text(), { field: v.word() }],
    call: ({ nous }, [code, message, details]) =>
      new nous.NousError(code, String(message), details),
    fault: (error) => unless(error instanceof Error && error.name === "NousError", "is no error"),
  },
];

export const OBJECTS: readonly Kind[] = [
  ...MEMORY,
  ...TEXTS,
  ...LIVES,
  ...EMBEDDERS,
  ...PLAYBOOKS,
  ...USAGE,
  ...PATTERNS,
  ...OTHERS,
];
