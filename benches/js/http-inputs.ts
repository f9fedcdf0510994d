// The load of the HTTP bench: memories whose words are distributed like those of a language,
// questions about them, and embeddings of both. Seeded: every machine gets the same memories and
// questions. Ages count from the day of the run.

import { makeRandom, NOW, pick, SUBTYPES } from "../../js/reference/inputs.ts";
import { STORED_EDGE_STRENGTHS } from "../../js/reference/search.ts";
import { getInitialStabilityForSubtype } from "../../js/reference/sections.ts";
import type { TextMemory } from "./evidence-inputs.ts";
import { closeDatabase, openDatabase } from "./plain-server/database.ts";
import type { EdgeRow, NodeRow } from "./plain-server/rows.ts";
import { Store } from "./plain-server/store.ts";

const DAY = 86_400_000;
const SEEDS = { memories: 1, questions: 2, topics: 3, vectors: 1_000_000, near: 4 };

// ---- words --------------------------------------------------------------------------------------

/**
 * The most common words, in descending order: they occur in most memories, and in every question
 * that is a sentence.
 */
const COMMON =
  `the of and to a in is that it for was on with as at by this we had not but what be from or which have an they
were there when all been has their would if how so did about then them after who will more no out up into than its only some
could time these two may any like now before do our over such why does where those tell me did`
    .split(/\s+/)
    .filter((word, place, words) => words.indexOf(word) === place);

/** The size of the vocabulary. The frequency of a word is inversely proportional to its rank. */
const VOCABULARY = 20_000;

/** Returns an artificial word. All have six letters, so that no word is a prefix of another. */
function coined(number: number): string {
  const syllables = [..."bdfgklmnprstvz"].flatMap((consonant) =>
    [..."aeiou"].map((vowel) => consonant + vowel),
  );
  const places = syllables.length ** 3;
  // A prime factor scatters neighbours in rank over the alphabet.
  const place = (number * 104_729) % places;
  const digits = [
    place,
    Math.floor(place / syllables.length),
    Math.floor(place / syllables.length ** 2),
  ];
  return digits.map((digit) => syllables[digit % syllables.length]).join("");
}

const WORDS = [
  ...COMMON,
  ...Array.from({ length: VOCABULARY - COMMON.length }, (_, number) => coined(number)),
];
const CUMULATED = WORDS.reduce<number[]>((sums, _, place) => {
  sums.push((sums.at(-1) ?? 0) + 1 / (place + 1));
  return sums;
}, []);

/** Draws a word of a text by frequency. */
function word(random: () => number): string {
  const wanted = random() * CUMULATED.at(-1)!;
  let [low, high] = [0, CUMULATED.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (CUMULATED[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return WORDS[low]!;
}

/** Draws a rare word, which characterises a text. */
function rareWord(random: () => number): string {
  for (;;) {
    const one = word(random);
    if (!COMMON.includes(one)) return one;
  }
}

const words = (count: number, one: () => string) => Array.from({ length: count }, one).join(" ");
const between = (random: () => number, low: number, high: number) =>
  low + Math.floor(random() * (high - low + 1));

// ---- memories -----------------------------------------------------------------------------------

/** The size of a load. */
export interface Size {
  memories: number;
  /** Components of an embedding; 0 for memories without embeddings. */
  dimensions: number;
  /** Edges from a memory to older ones, by default 2. */
  edges?: number;
}

const TYPES = ["episode", "concept", "note", "person", "document"];
const EDGE_TYPES = Object.keys(STORED_EDGE_STRENGTHS);
const EDGES_PER_MEMORY = 2;
const MAX_DAYS = 730;

/** Returns an ISO time. Ages end at half a day, so that a run does not cross a day boundary. */
const daysAgo = (now: number, days: number) => new Date(now - (days + 0.5) * DAY).toISOString();

function makeNode(random: () => number, place: number, now: number): NodeRow {
  const subtype = pick(random, SUBTYPES) ?? null;
  const type = pick(random, TYPES);
  const age = Math.floor(random() ** 2 * MAX_DAYS);
  const created = daysAgo(now, age);
  return {
    id: `n_${String(place).padStart(12, "0")}`,
    type,
    subtype,
    content_title: words(between(random, 3, 8), () => word(random)),
    content_summary: random() < 0.5 ? words(between(random, 8, 15), () => word(random)) : null,
    content_body: words(between(random, 20, 60), () => word(random)),
    neural_stability: getInitialStabilityForSubtype(subtype),
    neural_retrievability: 1,
    neural_difficulty: 0.3,
    neural_access_count: Math.floor(random() ** 3 * 60),
    neural_last_accessed: random() < 0.7 ? daysAgo(now, Math.floor(random() * age)) : null,
    state_lifecycle: "ACTIVE",
    provenance_source: "agent",
    provenance_created_at: created,
    layer: type === "episode" ? "episode" : "semantic",
    version: 1,
    last_modified: created,
    created_at: created,
    embedding_model: null,
    temporal_event_time: null,
    temporal_event_confidence: null,
    temporal_event_source: null,
  };
}

/** Makes an edge from a memory to an older one, more likely to a much older one. */
function makeEdge(random: () => number, place: number, from: NodeRow, older: number): EdgeRow {
  const type = pick(random, EDGE_TYPES);
  const strength = STORED_EDGE_STRENGTHS[type]!;
  return {
    id: `e_${String(place).padStart(12, "0")}`,
    type,
    subtype: null,
    source_id: from.id,
    target_id: `n_${String(Math.floor(random() ** 2 * older)).padStart(12, "0")}`,
    neural_weight: strength,
    strength,
    confidence: 1,
    created_at: from.created_at,
  };
}

/**
 * Fills a new database, which both servers can open. `ownOf` returns the values of a row that
 * replace the made ones, and `embeddingOf` the embedding.
 */
export function fillDatabase(
  file: string,
  { memories, dimensions, edges = EDGES_PER_MEMORY }: Size,
  now: number,
  ownOf: (place: number) => Partial<NodeRow> = () => ({}),
  embeddingOf = (place: number): Uint8Array | null =>
    dimensions > 0 ? new Uint8Array(vectorOf(place, dimensions).buffer) : null,
): void {
  const db = openDatabase(file);
  const store = new Store(db);
  const random = makeRandom(SEEDS.memories);
  db.exec("BEGIN");
  for (let place = 0; place < memories; place++) {
    const node = { ...makeNode(random, place, now), ...ownOf(place) };
    store.insertNode(node, embeddingOf(place));
    for (let edge = 0; edge < edges && place > 0; edge++) {
      store.insertEdge(makeEdge(random, place * edges + edge, node, place));
    }
  }
  db.exec("COMMIT");
  closeDatabase(db);
}

/** Returns the values of a row that come from a memory, at its distance from the present. */
export function textRowOf({ title, text, created_at }: TextMemory, now: number) {
  const created = new Date(now - (NOW - (created_at as number))).toISOString();
  return {
    content_title: title,
    content_summary: null,
    content_body: text,
    neural_last_accessed: created,
    provenance_created_at: created,
    last_modified: created,
    created_at: created,
  };
}

// ---- vectors ------------------------------------------------------------------------------------

const TOPICS = 64;
/**
 * The deviation of a memory from its topic, and of a question from its memory, for each component.
 */
const SPREAD = 0.8;
const DISTURBANCE = 0.4;

const around = (random: () => number, centre: ArrayLike<number>, by: number) =>
  Float32Array.from(centre, (component) => component + by * (random() - random()));

/** Returns the embedding of a memory: near that of one of the topics. */
function vectorOf(place: number, dimensions: number): Float32Array {
  const random = makeRandom(SEEDS.vectors + place);
  const topic = makeRandom(SEEDS.topics + Math.floor(random() * TOPICS));
  const centre = Float32Array.from({ length: dimensions }, () => topic() - topic());
  return around(random, centre, SPREAD);
}

// ---- questions ----------------------------------------------------------------------------------

/** The number of questions, all different. Every second one is a sentence. */
export const QUESTIONS = 500;

/** Sentences of common words with slots for two rare words. */
const SENTENCES = [
  "what did we do about the {a} and the {b} when it was up?",
  "why was there no {a} after all of this, and how is it with {b} now?",
  "tell me about the time when they had the {a} before the {b}",
  "which of these would have been more like {a} than {b}?",
  "how did it all go with the {a} that we had on {b}?",
  "where were the two of them when the {a} was out of {b}?",
  "is there any {a} that could be from the {b} in this?",
  "did we not do so with the {a} before, and if so, what about {b}?",
];
const MAX_KEYWORDS = 4;

/** A question of the load. */
export interface Question {
  query: string;
  kind: "keywords" | "sentence";
}

/** Returns the questions, which are the same for every size. */
export function makeQuestions(): Question[] {
  const random = makeRandom(SEEDS.questions);
  const made = new Map<string, Question>();
  while (made.size < QUESTIONS) {
    const kind = made.size % 2 === 0 ? "keywords" : "sentence";
    const query =
      kind === "keywords"
        ? words(between(random, 1, MAX_KEYWORDS), () => rareWord(random))
        : pick(random, SENTENCES).replace(/\{\w\}/g, () => rareWord(random));
    made.set(query, { query, kind });
  }
  return [...made.values()];
}

const DECIMALS = 4;

/** Returns `count` embeddings of questions, each near that of a memory. */
export function makeQuestionVectors(count: number, { memories, dimensions }: Size): number[][] {
  const random = makeRandom(SEEDS.near);
  return Array.from({ length: count }, () => {
    const near = vectorOf(Math.floor(random() * memories), dimensions);
    return Array.from(around(random, near, DISTURBANCE), (component) =>
      Number(component.toFixed(DECIMALS)),
    );
  });
}
