// Contests of building a prompt, and of recording which memories its answer used.

import * as reference from "../../js/reference/index.ts";
import { makeRandom, NOW, pick } from "../../js/reference/inputs.ts";
import { type Contest, type Deferred, deferred } from "./compare.ts";
import type { Engine } from "./contests.ts";
import { UsageTracker as TunedTracker } from "./rivals/usage.ts";

const DAY = 86_400_000;
const CANDIDATES = 200;
const MESSAGES = 8;
const TRACKED = 10_000;
/** The number of usage records of each memory. */
const RECORDS = 3;
const RECALLED = [20, 200];

const SYLLABLES = [
  "re",
  "dis",
  "ca",
  "che",
  "ses",
  "sion",
  "in",
  "dex",
  "la",
  "ten",
  "cy",
  "de",
  "ploy",
  "que",
  "ry",
  "naï",
];
/** About a hundred words, common ones among them. */
const WORDS = [
  ...SYLLABLES.flatMap((one) =>
    SYLLABLES.flatMap((other) => [one + other, `${one + other}ment`, `${other}er${one}`]),
  ),
  ...new Array(40).fill(["the", "and", "with", "after", "because", "should", "when"]).flat(),
];

function sentence(random: () => number, words: number): string {
  return Array.from({ length: words }, () => pick(random, WORDS)).join(" ");
}

/** Makes a turn with many memories. */
export function makePrompt(
  candidates: number,
  seed: number,
): Omit<reference.BuildContextOptions, "usage"> {
  const random = makeRandom(seed);
  const found = Object.fromEntries(
    (["decision", "fact", "procedure", "episode"] as const).map((type) => [
      type,
      Array.from({ length: candidates / 4 }, (_, i) => ({
        id: `${type} ${i}`,
        score: random(),
        text: sentence(random, 12 + Math.floor(random() * 20)),
        outcome: pick(random, ["success", "failure", null]),
        confidence: random(),
        subject: `subject${i} of it`,
        category: `category${i}`,
        tags: [`tag${i}`],
        activations: i,
        effectiveness: random(),
        created_at: NOW - Math.floor(random() * 400) * DAY,
        frame: pick(random, ["task", "debug", "question", null]),
        censors: i % 3 === 0 ? ["c1", "c2"] : null,
      })),
    ]),
  ) as unknown as Record<string, reference.ContextMemory[]>;
  return {
    input: "how should we configure the session cache of the new cluster?",
    identity: `You are an agent. ${sentence(random, 60)}`,
    now: NOW,
    frame: "task",
    retrieve: ({ memory_type }) => found[memory_type]!,
    messages: Array.from({ length: MESSAGES }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: sentence(random, i % 2 === 0 ? 15 : 60),
    })),
    censors: [{ id: "c1", text: "Never deploy on Fridays.", action: "block" }],
    workingMemory: {
      current_task: "Configure the cache",
      current_frame: "task",
      open_threads: ["which cache?"],
    },
  };
}

function building(engine: Engine): Contest {
  const prompts = [1, 2, 3].map((seed) => makePrompt(CANDIDATES, seed));
  let turn = 0;
  const next = () => prompts[turn++ % prompts.length]!;
  return {
    name: `prompt of ${CANDIDATES} candidates and ${MESSAGES} messages`,
    contestants: {
      reference: () => reference.buildContext(next()),
      engine: async () => engine.buildContext(next()),
    },
  };
}

interface Tracker {
  record(records: readonly reference.UsageRecord[]): void;
  feedback(recalled: Readonly<Record<string, string>>, response: string, now: number): unknown;
  boost(ids: readonly string[]): number[];
}

function feedback(recalled: number, engine: Engine): Deferred {
  const tracked = `${TRACKED.toLocaleString("en")} tracked`;
  return deferred(`feedback on ${recalled} of ${tracked}, and their boosts`, () => {
    const random = makeRandom(1);
    const ids = Array.from({ length: TRACKED }, (_, i) => `memory ${i}`);
    const history = Array.from({ length: RECORDS * TRACKED }, (_, i) => ({
      memory_id: ids[i % TRACKED]!,
      retrieved_at: NOW - (RECORDS * TRACKED - i) * 1000,
      was_referenced: random() < 0.5,
    }));
    const turns = Array.from({ length: 8 }, () => ({
      recalled: Object.fromEntries(
        Array.from({ length: recalled }, () => [pick(random, ids), sentence(random, 25)]),
      ),
      response: sentence(random, 150),
    }));
    const contestant = (tracker: Tracker) => {
      tracker.record(history);
      let turn = 0;
      return () => {
        const { recalled, response } = turns[turn++ % turns.length]!;
        tracker.feedback(recalled, response, NOW + turn);
        return tracker.boost(Object.keys(recalled));
      };
    };
    const maxRecords = RECORDS * TRACKED;
    return {
      contestants: {
        reference: contestant(new reference.UsageTracker({ maxRecords })),
        tuned: contestant(new TunedTracker(maxRecords)),
        engine: contestant(new engine.UsageTracker({ maxRecords })),
      },
    };
  });
}

export function promptContests(engine: Engine): Deferred[] {
  const prompt = building(engine);
  return [
    { name: prompt.name, make: () => prompt },
    ...RECALLED.map((recalled) => feedback(recalled, engine)),
  ];
}
