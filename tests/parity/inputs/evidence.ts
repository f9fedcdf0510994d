// Memories with texts, and questions about them, for fast-check: words with their forms, near
// words, typing errors, names, times, numbers, and scripts without spaces.

import fc from "fast-check";
import type {
  AskOptions,
  EmbeddingScale,
  Feedback,
  Learned,
  MemoryEdge,
  MemoryNode,
} from "../../../js/engine/src/memory/types.ts";
import type { Trait } from "../../../js/engine/src/types.ts";
import { EVIDENCE, TRAITS, type Values } from "../../../js/reference/evidence.ts";
import { NOW, SUBTYPES } from "../../../js/reference/inputs.ts";
import type { EvidenceSettings, ReferenceMemoryOptions } from "../../../js/reference/memory.ts";
import { FAINT, LIKELY, POSSIBLE } from "../../../js/reference/search.ts";
import { CLUSTERS, EDGE_TYPES, searchFilters, TAGS, TYPES, unit } from "./graphs.ts";
import { settingsOf } from "./memories.ts";
import { fakeEmbedder } from "./word-vectors.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

export const WORDS = (
  "move moved moving moves run running runs ran stop stopped stops house houses housing city " +
  "cities Lisbon Berlin Mira Jonas portfolio portfolios rebalance rebalanced rebalancing coffee " +
  "coffees espresso meeting meetings meet dentist dentists deploy deployed deployment deployments " +
  "bug bugs fix fixed fixing recipe recipes tomato tomatoes bread journey journeys travel travelled " +
  "doctor doctors invoice invoices payment payments paid contract contracts database databases " +
  "migration migrations generous generously relational university universe Größe Straße привет " +
  "привета naïve x1 btc2 42 7 2023 three twelve wann war der Ausflug où est la maison de mi"
).split(" ");
const PLAIN = [
  ..."the and what when where is it of to her did on I you don't she's we'll".split(" "),
  ..."today last recently now".split(" "),
];
const TIMES = ["in May 2023", "yesterday", "last week", "on 5 June 2023", "two months ago", "2022"];
export const UNSPACED = [
  "比特币价格",
  "価格",
  "ราคาทองคำ",
  "金",
  "金の価格",
  "我的车在哪",
  "金色",
  "책은",
  "책상",
];
/** Identifiers and near copies of them, words with signs, and words with parts. */
export const IDENTIFIERS = [
  ..."v2.1.0 v2.0.1 2.1.0 10.0.0.1 10.0.1.0 C C- C++ C# -5 +5 5 −5 A- ada@home.example a.b b.a a-b".split(
    " ",
  ),
  ..."/srv/ada/x /srv/x/ada user_token token_user userToken tokenUser HTTPServer NSURLSession".split(
    " ",
  ),
  ..."iPhone OAuth2Client PDFs token http url 12:30 2023-05-04 x/y 1/2 ½ Disney+ v2..1 a--b".split(
    " ",
  ),
];
/** Words of other scripts, in compatible forms, and with clitics. */
export const FOLDED = [
  ..."ＡＢＣ１２３ abc123 ｶﾞｿﾘﾝ ガソリン か\u3099 が ﬁnd find Łódź lodz STRASSE œuvre ıssız ISSIZ".split(
    " ",
  ),
  ..."١٢٣ 123 १२ הדרכון דרכון ובדרכון الكتاب كتاب وكتابه бегёт бегет чай ệ e\u0302\u0323 한 한".split(
    " ",
  ),
  ..."🍕 👍🏽 👩‍👧 🇩🇪 ☕ Ελλάδα ΕΛΛΑΔΑ Zahnarzttermin Termin Bluttests test ㍿ 株式会社 m² ①".split(
    " ",
  ),
];
const NEVER = ["zebra", "quantum", "yttrium"];
const ENDS = [
  " ",
  " ",
  " ",
  " ",
  ", ",
  ". ",
  "! ",
  "? ",
  '." ',
  "…) ",
  "\n",
  ".",
  "-",
  "。",
  " – ",
];

const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 5, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 3, arbitrary: fc.constantFrom(...TIMES) },
  { weight: 2, arbitrary: fc.constantFrom(...IDENTIFIERS) },
  { weight: 2, arbitrary: fc.constantFrom(...FOLDED) },
  fc.constantFrom(...UNSPACED),
);
const running = (size: { minLength?: number; maxLength: number }) =>
  fc.array(fc.tuple(word, fc.constantFrom(...ENDS)), size).map((pieces) => pieces.flat().join(""));
/** Texts that several memories hold, and nearly the same ones: a word more, another number. */
const REPEATED =
  "Mira moved to Lisbon in May 2023 and runs to the city house when Jonas fixed bread and coffee";
const repeated = fc.constantFrom(
  ...[REPEATED, REPEATED, `${REPEATED} now`, REPEATED.replace("2023", "2022"), `${REPEATED} 7`],
);
/** Texts of no passage, of one, and of several; sentences that are too long for a passage. */
export const text = fc.oneof(
  { weight: 5, arbitrary: running({ maxLength: 25 }) },
  { weight: 2, arbitrary: running({ minLength: 1, maxLength: 9 }).map((words) => `${words}?`) },
  { weight: 2, arbitrary: running({ minLength: 40, maxLength: 160 }) },
  fc
    .array(fc.constantFrom(...WORDS), { minLength: 50, maxLength: 140 })
    .map((words) => words.join(" ")),
  repeated,
  fc.constantFrom("", "…", " \n ", "?"),
);
const title = fc.oneof(
  { weight: 4, arbitrary: running({ maxLength: 5 }) },
  running({ minLength: 30, maxLength: 80 }),
);

/** A word with a letter replaced, left out, doubled, or swapped with the next one; or its start. */
const misspelled = fc
  .tuple(fc.constantFrom(...WORDS), fc.nat(), fc.nat({ max: 5 }))
  .map(([word, at, how]) => {
    const letters = [...word];
    const place = at % letters.length;
    if (how === 0) letters.splice(place, 1, "q");
    if (how === 1) letters.splice(place, 1);
    if (how === 2) letters.splice(place, 0, letters[place]!);
    if (how === 3) letters.splice(place, 2, letters[place + 1] ?? "", letters[place]!);
    if (how === 4) letters.splice(Math.max(place, 3));
    if (how === 5) letters.splice(place, 1, "q", "q");
    return letters.join("");
  });
export const question: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(
        fc.oneof(
          { weight: 5, arbitrary: word },
          { weight: 2, arbitrary: misspelled },
          fc.constantFrom(...NEVER),
        ),
        { minLength: 1, maxLength: 9 },
      )
      .map((words) => words.join(" ")),
  },
  fc
    .tuple(
      fc.constantFrom(
        "When did",
        "Where is",
        "How many",
        "How many",
        "how long has",
        "my trades and lessons",
      ),
      running({ maxLength: 5 }),
    )
    .map((parts) => parts.join(" ")),
  fc.array(fc.constantFrom(...PLAIN), { minLength: 1, maxLength: 5 }).map((all) => all.join(" ")),
  fc.shuffledSubarray([...WORDS, ...NEVER], { minLength: 30 }).map((all) => all.join(" ")),
  fc
    .tuple(
      running({ maxLength: 3 }),
      fc.constantFrom(
        ...["yesterday", "in the last two weeks", "in May 2023", "two weeks before 9 May 2023"],
        ...["last Friday, today", "since 2022 and in Q3 2022", "am 3. Mai", "先週", "this morning"],
      ),
      running({ maxLength: 2 }),
    )
    .map((parts) => parts.join(" ")),
  fc
    .tuple(
      running({ maxLength: 4 }),
      fc.constantFrom(
        ...["before?", "früher", "in March 2023", "two weeks ago", "over time", "since when"],
        ...["How has it changed?", "my old city", "antes", "以前", "履歴", "avant"],
      ),
    )
    .map((parts) => parts.join(" ")),
  fc.constantFrom("", "?", "  ", "🚀"),
  fc.constantFrom("What did I do yesterday?", "on Friday", "(in the last month)", "today!"),
);

export const IDS = Array.from({ length: 14 }, (_, place) => `m_${place}`);
const id = fc.constantFrom(...IDS);

/** Equal instants, gaps shorter and longer than a second and an hour, days and years apart. */
const made = fc
  .tuple(
    fc.constantFrom(0, 0, 1, 30, 200, 400),
    fc.constantFrom(0, 0, 10, 59, 60, 61, 119, 120, 200),
    fc.constantFrom(0, 0, 0, 1, 999, 1_000),
  )
  .map(([days, minutes, milliseconds]) => NOW - days * DAY - minutes * MINUTE - milliseconds);

/** Components of an embedding, where an index keeps any. */
const COMPONENTS = 4;
const embedding: fc.Arbitrary<number[]> = fc
  .array(fc.constantFrom(-1, -0.3, 0, 0.2, 0.5, 1), {
    minLength: COMPONENTS,
    maxLength: COMPONENTS,
  })
  .map((components) => (components.some((one) => one !== 0) ? components : [1, 0, 0, 0]));
const embeddingScale: fc.Arbitrary<EmbeddingScale> = fc.record({
  of_unrelated: fc.constantFrom(-1, -0.1, 0, 0.3, 0.75),
  of_related: fc.constantFrom(0.75 + 1e-9, 0.8, 1),
});
/** The embedding of a question, with or without the scale of its cosines. */
const asked = {
  embedding: fc.oneof({ weight: 2, arbitrary: embedding }, fc.constant(null)),
  embedding_scale: fc.option(embeddingScale, { nil: undefined, freq: 2 }),
};

const node: fc.Arbitrary<MemoryNode> = fc.record(
  {
    id,
    title: fc.oneof(title, fc.constant("")),
    text,
    created_at: made,
    event_time: fc.oneof(made, fc.constantFrom(null, Date.UTC(2023, 4, 9))),
    utc_offset: fc.constantFrom(0, 0, 60, -480, 345, null),
    last_accessed: fc.oneof(made, fc.constantFrom(null, NOW + 9 * DAY, 8.64e15)),
    access_count: fc.nat({ max: 30 }),
    subtype: fc.constantFrom(...SUBTYPES),
    type: fc.constantFrom(...TYPES),
    tags: fc.subarray([...TAGS]),
    clusters: fc.oneof(fc.constant([]), fc.shuffledSubarray([...CLUSTERS])),
    embedding: fc.oneof({ weight: 5, arbitrary: embedding }, fc.constant(null)),
  },
  { requiredKeys: ["id"] },
);
const edge: fc.Arbitrary<MemoryEdge> = fc.record({
  id: fc.nat({ max: 20 }).map((place) => `e_${place}`),
  source_id: id,
  target_id: id,
  type: fc.constantFrom(
    ...EDGE_TYPES,
    ...Array(EDGE_TYPES.length).fill(["supersedes", LIKELY, POSSIBLE]).flat(),
    FAINT,
  ),
  strength: unit,
});

const filters = fc
  .tuple(searchFilters, fc.option(fc.array(id, { maxLength: 6 }), { nil: undefined }))
  .map(([others, excluded_ids]) =>
    excluded_ids === undefined ? others : { ...others, excluded_ids },
  );

/** One filter or two: many filters let nothing pass. */
const fewFilters = fc.tuple(filters, fc.nat({ max: 12 })).map(([filters, from]) => {
  const entries = Object.entries(filters);
  return Object.fromEntries(
    [...entries, ...entries].slice(from % (entries.length + 1)).slice(0, 2),
  );
});

const options: fc.Arbitrary<AskOptions> = fc.record(
  {
    now: fc.constantFrom(NOW, NOW + 0.5, NOW + 40 * DAY, NOW - 30 * DAY),
    limit: fc.constantFrom(0, 1, 3, 100),
    min_score: fc.constantFrom(0, 0.001, 0.05, 0.5),
    diversity: fc.constantFrom(0, 0, 0.1, 0.5, 1),
    time_zone: fc.constantFrom("UTC", "Asia/Tokyo", "America/St_Johns"),
    times: fc.constantFrom(true, true, false),
    filters: fc.oneof(fc.constant(null), fewFilters),
    ...asked,
  },
  { requiredKeys: ["now"] },
);

const weights: fc.Arbitrary<Partial<Values>> = fc
  .uniqueArray(fc.constantFrom(...EVIDENCE), { maxLength: EVIDENCE.length })
  .chain((kinds) =>
    fc
      .array(fc.constantFrom(0, 1, -0.7, 0.3, 2.5, 1000), {
        minLength: kinds.length,
        maxLength: kinds.length,
      })
      .map((numbers) => Object.fromEntries(kinds.map((kind, at) => [kind, numbers[at]!]))),
  );
/** A preset, weights, both, or neither. */
export const evidence: fc.Arbitrary<EvidenceSettings> = fc.record(
  { preset: fc.constantFrom("general" as const, "trading" as const), weights },
  { requiredKeys: [] },
);
const memoryOptions: fc.Arbitrary<ReferenceMemoryOptions> = fc.record({
  embedder: fc.constantFrom(undefined, fakeEmbedder(16), fakeEmbedder(32), fakeEmbedder(5)),
  stemming: fc.constantFrom("english" as const, "english" as const, "none" as const),
  dimensions: fc.constantFrom(0, COMPONENTS, COMPONENTS),
  embeddings: fc.constantFrom("f32" as const, "i8" as const),
  config: fc.record({
    evidence,
    search: fc
      .record(
        {
          hop_decay: unit,
          max_hops: fc.nat({ max: 3 }),
          max_nodes: fc.integer({ min: 1, max: 12 }),
          aggregation: fc.constantFrom("sum" as const, "max" as const),
          edge_weight: fc.constantFrom("type" as const, "stored_type" as const, "learned" as const),
          dense_weight: unit,
        },
        { requiredKeys: [] },
      )
      .map(settingsOf),
  }),
});

/** A change of an index, or a question. */
export type Step =
  | { do: "upsert"; nodes: MemoryNode[] }
  | { do: "remove"; ids: string[] }
  | { do: "link"; edges: MemoryEdge[] }
  | { do: "weigh"; evidence: EvidenceSettings }
  | { do: "learn"; feedback: Feedback }
  | { do: "setLearned"; learned: Learned }
  | { do: "forgetLearned" }
  | { do: "ask"; question: string; options: AskOptions };

export const ask: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("ask" as const),
  question,
  options,
});
export const change: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("upsert" as const),
      nodes: fc.array(node, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("remove" as const), ids: fc.subarray(IDS) }),
  },
  fc.record({
    do: fc.constant("link" as const),
    edges: fc.array(edge, { minLength: 1, maxLength: 12 }),
  }),
);

const feedback: fc.Arbitrary<Feedback> = fc
  .tuple(question, fc.shuffledSubarray([...IDS, "nobody"]), fc.nat({ max: 3 }))
  .chain(([text, shown, twice]) =>
    fc.record({
      question: fc.constant(text),
      ...asked,
      shown: fc.constant([...shown, ...shown.slice(0, twice)]),
      used: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.shuffledSubarray(shown, { maxLength: Math.min(2, shown.length) }),
        },
        fc.shuffledSubarray(shown),
      ),
      now: fc.constantFrom(NOW, NOW + 40 * DAY),
    }),
  );
const byTrait = fc
  .array(fc.constantFrom(0, 0, 1.5, -2, 2, 0.3), {
    minLength: TRAITS.length,
    maxLength: TRAITS.length,
  })
  .map(
    (numbers) =>
      Object.fromEntries(TRAITS.map((trait, at) => [trait, numbers[at]!])) as Record<Trait, number>,
  );
export const learned: fc.Arbitrary<Learned> = fc.record({
  steps: fc.constantFrom(0, 1, 7, 30, 2 ** 32 - 1),
  shifts: byTrait,
  means: byTrait,
});
/** Feedback, and rarely other weights. */
export const learning: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("learn" as const), feedback }) },
  fc.record({ do: fc.constant("setLearned" as const), learned }),
  fc.constant({ do: "forgetLearned" as const }),
);
/** Other weights of evidence. */
export const weighing: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("weigh" as const),
  evidence,
});
export interface Life {
  options: ReferenceMemoryOptions;
  steps: Step[];
}

const anyLife: fc.Arbitrary<Life> = fc.record({
  options: memoryOptions,
  steps: fc
    .tuple(
      fc.array(node, { minLength: 3, maxLength: 14 }),
      fc.array(edge, { maxLength: 12 }),
      ask,
      fc.array(
        fc.oneof(
          { weight: 2, arbitrary: ask },
          { weight: 3, arbitrary: change },
          { weight: 2, arbitrary: learning },
          weighing,
        ),
        { maxLength: 13 },
      ),
      ask,
    )
    .map(([nodes, edges, first, rest, last]): Step[] => [
      { do: "upsert", nodes },
      { do: "link", edges },
      first,
      ...rest,
      last,
    ]),
});

/** Leaves out embeddings, which an index without dimensions refuses. */
const withoutEmbeddings = (step: Step): Step => {
  if (step.do === "upsert")
    return { ...step, nodes: step.nodes.map(({ embedding: _, ...node }) => node) };
  if (step.do === "learn") return { ...step, feedback: { ...step.feedback, embedding: null } };
  if (step.do !== "ask") return step;
  const { embedding: _, ...options } = step.options;
  return { ...step, options };
};

/** An index is filled, linked and asked; then changes and questions alternate. */
export const life: fc.Arbitrary<Life> = anyLife.map(({ options, steps }) => ({
  options,
  steps: options.dimensions === 0 ? steps.map(withoutEmbeddings) : steps,
}));
