// The load of the HTTP bench: memories in words that are as unequally common as those of a
// language, questions about them, and vectors of both. Seeded: the same memories and questions on
// every machine; ages are counted from the day of the run.

import { STORED_EDGE_STRENGTHS } from "../../tests/reference/search.ts";
import { getInitialStabilityForSubtype } from "../../tests/reference/sections.ts";
import { makeRandom, pick, SUBTYPES } from "./inputs.ts";
import { closeDatabase, openDatabase } from "./plain-server/database.ts";
import type { EdgeRow, NodeRow } from "./plain-server/rows.ts";
import { Store } from "./plain-server/store.ts";

const DAY = 86_400_000;
const SEEDS = { memories: 1, questions: 2, topics: 3, vectors: 1_000_000, near: 4 };

// ---- words --------------------------------------------------------------------------------------

/**
 * The most common words, most common first: they stand in most memories, and in every sentence that
 * somebody asks.
 */
const COMMON =
  `the of and to a in is that it for was on with as at by this we had not but what be from or which have an they
were there when all been has their would if how so did about then them after who will more no out up into than its only some
could time these two may any like now before do our over such why does where those tell me did`
    .split(/\s+/)
    .filter((word, place, words) => words.indexOf(word) === place);

/** Words in all. The commonest is as many times as common as another as that one's rank says. */
const VOCABULARY = 20_000;

/** Coined words have six letters each, so that none begins another. */
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

/** A word of a text, common words as often as they are common. */
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

/** A word that says what a text is about. */
function telling(random: () => number): string {
  for (;;) {
    const one = word(random);
    if (!COMMON.includes(one)) return one;
  }
}

const words = (count: number, one: () => string) => Array.from({ length: count }, one).join(" ");
const between = (random: () => number, low: number, high: number) =>
  low + Math.floor(random() * (high - low + 1));

// ---- memories -----------------------------------------------------------------------------------

/** How large a memory is. */
export interface Size {
  memories: number;
  /** Of a vector; 0 for a memory that has none. */
  dimensions: number;
}

const TYPES = ["episode", "concept", "note", "person", "document"];
const EDGE_TYPES = Object.keys(STORED_EDGE_STRENGTHS);
const EDGES_PER_MEMORY = 2;
const MOST_DAYS = 730;

/** Ages end at half a day, so that no day ends during a run. */
const daysAgo = (now: number, days: number) => new Date(now - (days + 0.5) * DAY).toISOString();

function makeNode(random: () => number, place: number, now: number): NodeRow {
  const subtype = pick(random, SUBTYPES) ?? null;
  const type = pick(random, TYPES);
  const age = Math.floor(random() ** 2 * MOST_DAYS);
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

/** From a memory to an older one, rather an old one. */
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

/** Fills a new database, which both servers can open. */
export function fillDatabase(file: string, { memories, dimensions }: Size, now: number): void {
  const db = openDatabase(file);
  const store = new Store(db);
  const random = makeRandom(SEEDS.memories);
  db.exec("BEGIN");
  for (let place = 0; place < memories; place++) {
    const node = makeNode(random, place, now);
    store.insertNode(
      node,
      dimensions > 0 ? new Uint8Array(vectorOf(place, dimensions).buffer) : null,
    );
    for (let edge = 0; edge < EDGES_PER_MEMORY && place > 0; edge++) {
      store.insertEdge(makeEdge(random, place * EDGES_PER_MEMORY + edge, node, place));
    }
  }
  db.exec("COMMIT");
  closeDatabase(db);
}

// ---- vectors ------------------------------------------------------------------------------------

const TOPICS = 64;
/** How far a memory is from its topic, and a question from its memory, by component. */
const SPREAD = 0.8;
const DISTURBANCE = 0.4;

const around = (random: () => number, centre: ArrayLike<number>, by: number) =>
  Float32Array.from(centre, (component) => component + by * (random() - random()));

/** The vector of a memory: near one of the topics. */
function vectorOf(place: number, dimensions: number): Float32Array {
  const random = makeRandom(SEEDS.vectors + place);
  const topic = makeRandom(SEEDS.topics + Math.floor(random() * TOPICS));
  const centre = Float32Array.from({ length: dimensions }, () => topic() - topic());
  return around(random, centre, SPREAD);
}

// ---- questions ----------------------------------------------------------------------------------

/** Different ones; every second is a sentence. */
export const QUESTIONS = 500;

/** Sentences full of common words, with places for two words that tell something. */
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
const MOST_KEYWORDS = 4;

export interface Question {
  query: string;
  kind: "keywords" | "sentence";
}

/** The questions, the same for every size. */
export function makeQuestions(): Question[] {
  const random = makeRandom(SEEDS.questions);
  const made = new Map<string, Question>();
  while (made.size < QUESTIONS) {
    const kind = made.size % 2 === 0 ? "keywords" : "sentence";
    const query =
      kind === "keywords"
        ? words(between(random, 1, MOST_KEYWORDS), () => telling(random))
        : pick(random, SENTENCES).replace(/\{\w\}/g, () => telling(random));
    made.set(query, { query, kind });
  }
  return [...made.values()];
}

const DECIMALS = 4;

/** A vector for each of so many questions, as a client sends it: near that of some memory. */
export function makeQuestionVectors(count: number, { memories, dimensions }: Size): number[][] {
  const random = makeRandom(SEEDS.near);
  return Array.from({ length: count }, () => {
    const near = vectorOf(Math.floor(random() * memories), dimensions);
    return Array.from(around(random, near, DISTURBANCE), (component) =>
      Number(component.toFixed(DECIMALS)),
    );
  });
}
