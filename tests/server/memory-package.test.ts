// nous-memory in a process makes the same memories of the same texts as the server, and writes the
// same prompts.

import { loadEmbedderSync } from "nous-embedder";
import { type GivenTexts, Memory, promptOfTurn, remember, type Turn } from "nous-memory";
import { expect, test } from "vitest";
import { GENERAL_END, GENERAL_MEMORIES } from "../../js/sample/general/index.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const GUIDE = `# Deploying Skerry

${"Deploys of Skerry go out on Thursdays, after the tests of the ferry times are green. ".repeat(9)}

## Rolling back

${"A rollback takes the last image that was healthy, and never touches the database. ".repeat(9)}

Deploys of Skerry go out on Thursdays.`;
/** All times lie before the present. */
const SHIFT = Date.now() - Date.parse(GENERAL_END) - 86_400_000;
const shifted = (time: string) => new Date(Date.parse(time) + SHIFT).toISOString();
const day = (date: string) => shifted(`2026-${date}T09:00:00.000Z`);

/** The most memories of a request that the server compares with older ones before its answer. */
const AT_ONCE = 16;

/**
 * What is remembered, in order. Times are given, since memories that are stored within a second are no
 * run, and the server is slower than a process.
 */
const GIVEN: readonly GivenTexts[] = [
  {
    ...{ text: "Mira eats no dairy since March.", user: "mira", tags: ["food"] },
    created_at: day("01-02"),
  },
  { text: "  mira eats NO dairy, since march ", user: "mira" },
  { text: "Mira eats no dairy since March.", user: "omar", created_at: day("01-03") },
  { text: "hello!" },
  { text: GUIDE, importance: 0.9, session: "deploys", created_at: day("01-04") },
  { text: GUIDE, created_at: day("01-05") },
  {
    created_at: day("01-06"),
    memories: [
      "We chose PostgreSQL because of row-level security.",
      "we chose postgresql because of row-level security",
      { text: "The API allows 300 requests a minute.", event_time: day("02-03"), title: "Limits" },
      { text: "Actually, the API allows 60 requests a minute now.", event_time: day("03-04") },
      { text: "What does the API allow?", type: null },
      { text: "A note of another kind", type: "custom:lesson", metadata: { from: "book" } },
    ],
  },
  {
    messages: GENERAL_MEMORIES.slice(0, 40).map(({ text, created_at }, place) => ({
      role: place % 2 === 0 ? "user" : "assistant",
      content: text,
      created_at: shifted(created_at),
    })),
  },
  {
    session: "talk",
    messages: [
      { role: "user", content: "Hi", created_at: day("05-01") },
      { role: "user", content: "I am allergic to walnuts.", created_at: day("05-01") },
      {
        role: "assistant",
        name: "Nous",
        content: "I will keep that in mind.",
        created_at: day("05-01"),
      },
      { role: "user", content: "ok", created_at: day("05-01") },
      {
        role: "user",
        content: "My brother Omar moved to Bergen last week.",
        created_at: day("05-02"),
      },
    ],
  },
  ...Array.from({ length: Math.ceil(GENERAL_MEMORIES.length / AT_ONCE) }, (_, place) => ({
    memories: GENERAL_MEMORIES.slice(AT_ONCE * place, AT_ONCE * (place + 1)).map(
      ({ text, title, created_at, event_time }) => ({
        ...{ text, title, created_at: shifted(created_at) },
        ...(event_time == null ? {} : { event_time: shifted(event_time) }),
      }),
    ),
  })),
  { text: "- Mira eats no dairy since March. (noted on 1 May 2026, 3 weeks ago)", user: "mira" },
];
const TURNS: readonly Turn[] = [
  { input: "What may Mira eat?" },
  { input: "When do deploys go out?", identity: "You are Nous.", max_tokens: 300 },
  { input: "How many requests does the API allow?", budgets: { facts: 60, user_profile: 20 } },
  { input: "hi" },
  {
    input: "and her brother?",
    messages: [{ role: "user", content: "Where does Omar live?" }],
    censors: [{ id: "c", text: "No politics", action: "warn" }],
    working_memory: { current_task: "Plan the visit", open_threads: ["gifts"] },
  },
  { input: "What happened in May?", frame: { frame_id: "planning", description: "plans" } },
  { input: "I am allergic to walnuts. What was decided about the database?" },
  { input: "Where did we go on holiday last summer, and who was with us?", max_tokens: 4_000 },
];

/** Returns what became of texts, with ids and runs by the order in which they first came. */
function byOrder(stored: readonly { id: string; run?: string }[], known: Map<string, number>) {
  const placeOf = (id: string) => {
    if (!known.has(id)) known.set(id, known.size);
    return known.get(id)!;
  };
  return stored.map(({ id, run, ...rest }) => {
    const { replaces: _, is_correction: __, ...what } = rest as Record<string, unknown>;
    return { ...what, id: placeOf(id), run: run === undefined ? undefined : placeOf(run) };
  });
}

async function answered(by: Client, call: string, body: object) {
  const { status, body: answer } = await by.ask(call, body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}

test("the same texts become the same memories, and give the same prompts", async () => {
  const own = client();
  const memory = new Memory({ embedder: loadEmbedderSync() });
  const [there, here] = [new Map<string, number>(), new Map<string, number>()];
  for (const given of GIVEN) {
    const answer = await answered(own, "POST /remember", given);
    const { stored, ...counts } = remember(memory, given);
    const { stored: _, extraction: __, ...expected } = answer;
    expect(counts).toEqual(expected);
    expect(byOrder(stored, here)).toEqual(byOrder(answer.stored, there));
  }
  expect([...memory.all()].length).toBeGreaterThan(300);
  for (const turn of TURNS) {
    const expected = await answered(own, "POST /context", {
      identity: "",
      ...turn,
      recall: "none",
    });
    const found = promptOfTurn(memory, turn);
    expect(found.prompt).toBe(expected.prompt);
    expect(found.tokens).toBe(expected.tokens);
    expect(found.asked).toBe(expected.asked);
    expect(found.probability).toBe(expected.probability);
    expect(found.answerable).toBe(expected.answerable);
    expect(found.frame).toEqual(expected.frame);
    const left = (some: readonly { id: string | null }[], known: Map<string, number>) =>
      some.map(({ id, ...why }) => ({ ...why, id: id === null ? null : known.get(id) }));
    expect(left(found.left_out, here)).toEqual(left(expected.left_out, there));
  }
  memory.free();
});
