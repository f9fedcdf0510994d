// Messages of model providers: each shape gives the same turns, and the routes and tools take them.

import fc from "fast-check";
import { Memory, remember, turnsOf } from "nous-memory";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { type CanonicalMessage, type CanonicalPart, SHAPES } from "./support/message-shapes.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const word = fc.stringMatching(/^[A-Za-zÄßø猫][\w .é猫-]{0,20}[\w.]$/);
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const text = fc.record({ kind: fc.constant("text" as const), text: word });
const image = fc.constant({ kind: "image" as const });
const reasoning = fc.record({ kind: fc.constant("reasoning" as const), text: word });
/** What a tool is called with. LangChain writes an object with the key `lc` in its own way. */
const input = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, word, fc.integer(), fc.boolean(), tie("object")),
  object: fc.dictionary(
    fc.oneof({ weight: 6, arbitrary: name }, fc.constantFrom("lc", "__lc_escaped__")),
    tie("value"),
    { maxKeys: 3 },
  ),
})).object;
const call = fc.record({
  ...{ kind: fc.constant("call" as const), name, output: word },
  id: fc.constant(""),
  input,
});
const said = fc.array(fc.oneof({ weight: 3, arbitrary: text }, image), { maxLength: 4 });
const optional = <Part>(part: fc.Arbitrary<Part>) => fc.array(part, { maxLength: 1 });
const message: fc.Arbitrary<CanonicalMessage> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ role: fc.constant("user" as const), parts: said }) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(optional(reasoning), said, optional(call))
      .map((parts) => ({ role: "assistant" as const, parts: parts.flat() as CanonicalPart[] })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      role: fc.constant("system" as const),
      parts: fc.array(text, { minLength: 1, maxLength: 2 }),
    }),
  },
);
/** Conversations in which each call has an id of its own. */
const conversation = fc.array(message, { minLength: 1, maxLength: 6 }).map((messages) =>
  messages.map(
    (one, place): CanonicalMessage => ({
      ...one,
      parts: one.parts.map((part) => (part.kind === "call" ? { ...part, id: `c${place}` } : part)),
    }),
  ),
);

const wordsOf = ({ parts }: CanonicalMessage): string =>
  parts.flatMap((part) => (part.kind === "text" ? part.text : [])).join("\n");

/** The turns of a canonical conversation, said again in the plainest way. */
function turnsExpected(messages: readonly CanonicalMessage[], keeps: boolean) {
  return messages.flatMap((one) => {
    if (one.role === "system") return [];
    const content = wordsOf(one);
    const calls = one.parts.flatMap((part) =>
      part.kind !== "call" || !keeps
        ? []
        : [
            { role: "assistant", content: `${part.name}(${JSON.stringify(part.input)})` },
            { role: "tool", name: part.name, content: part.output },
          ],
    );
    return [...(content === "" ? [] : [{ role: one.role, content }]), ...calls];
  });
}

function leftExpected(messages: readonly CanonicalMessage[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  for (const { role, parts } of messages) {
    if (role === "system") add("instructions");
    else
      for (const { kind } of parts) {
        if (kind === "image") add("media");
        if (kind === "reasoning") add("reasoning");
        if (kind === "call") ["tool_call", "tool_result"].forEach(add);
      }
  }
  return counts;
}

const withoutIds = (messages: readonly unknown[], tools: "skip" | "keep") => {
  const { turns, not_taken } = turnsOf(messages, { tools });
  return {
    turns: turns.map(({ message: { id: _, ...turn } }) => turn),
    left: Object.fromEntries(not_taken.map(({ kind, count }) => [kind, count])),
  };
};

/** Names of tools that end as the types of parts do. */
const TELLING_NAMES = [
  ...["call", "result", "use", "error", "output", "output-error", "input-available"],
  ...["approval-request", "function_call", "tool-result", "text", "invocation", "file"],
];

describe.each(Object.entries(SHAPES))("a conversation in the shape of %s", (_, write) => {
  test("has the turns of the canonical one, and says what is not among them", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const { turns, left } = withoutIds(write(messages), "skip");
        expect(turns).toEqual(turnsExpected(messages, false));
        expect(left).toEqual(leftExpected(messages));
      }),
      runs(amount(1_000)),
    );
  });

  test("has the calls of tools and their results, too, if they are asked for", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const { turns, left } = withoutIds(write(messages), "keep");
        expect(turns).toEqual(turnsExpected(messages, true));
        expect(Object.keys(left)).not.toContain("tool_call");
      }),
      runs(amount(1_000)),
    );
  });

  test.each(TELLING_NAMES)("keeps the call and the result of a tool named %s", (name) => {
    const call = { kind: "call", id: "c0", name, input: { port: 1 }, output: "open" } as const;
    const messages: CanonicalMessage[] = [
      { role: "user", parts: [{ kind: "text", text: "Scan it." }] },
      { role: "assistant", parts: [call] },
    ];
    const { turns, left } = withoutIds(write(messages), "keep");
    expect(turns).toEqual(turnsExpected(messages, true));
    expect(left).toEqual({});
    expect(withoutIds(write(messages), "skip").left).toEqual(leftExpected(messages));
  });

  test("is taken by /remember and /context as it is", async () => {
    const own = client();
    const messages = write([
      { role: "system", parts: [{ kind: "text", text: "You keep ledgers and hide sums." }] },
      {
        role: "user",
        parts: [{ kind: "text", text: "The kayak hangs in the boathouse." }, { kind: "image" }],
      },
      {
        role: "assistant",
        parts: [
          { kind: "reasoning", text: "Perhaps the boathouse has a number." },
          { kind: "text", text: "The boathouse is number seven." },
          { kind: "call", id: "c1", name: "doors", input: { at: 7 }, output: "door 7 is open" },
        ],
      },
    ]);
    const stored = await own.ask("POST /remember", { messages });
    expect(stored).toMatchObject({ status: 200, body: { created: 2, skipped: 0 } });
    expect(stored.body.stored.map(({ title }: { title: string }) => title)).toEqual([
      "user: The kayak hangs in the boathouse.",
      "assistant: The boathouse is number seven.",
    ]);
    expect(stored.body.not_taken).toEqual(
      expect.arrayContaining(
        ["instructions", "media", "reasoning", "tool_call", "tool_result"].map((kind) => ({
          ...{ kind, count: 1 },
          why: expect.any(String),
        })),
      ),
    );
    const { body: prompt } = await own.ask("POST /context", {
      input: "Where is the kayak?",
      messages,
    });
    expect(prompt.left_out).toContainEqual(
      expect.objectContaining({ id: stored.body.stored[0].id, reason: "conversation" }),
    );
    expect(prompt.not_taken).toEqual(
      expect.arrayContaining(
        ["media", "reasoning"].map((kind) => ({ kind, count: 1, why: expect.any(String) })),
      ),
    );
    expect(prompt.not_taken).toHaveLength(2);
    const kept = await client().ask("POST /remember", { messages, tools: "keep" });
    expect(kept.body.stored.map(({ title }: { title: string }) => title)).toEqual([
      "user: The kayak hangs in the boathouse.",
      "assistant: The boathouse is number seven.",
      'assistant: doors({"at":7})',
      "doors: door 7 is open",
    ]);
  });
});

describe("a message", () => {
  const only = (message: unknown) => turnsOf([message]).turns.map(({ message }) => message);
  const USER = { role: "user", content: "The lamp is in the hall." };

  test.each<[string, unknown, object[]]>([
    ["of the own shape stays as it is", USER, [USER]],
    ["as a pair of LangChain", ["human", USER.content], [USER]],
    ["with one part instead of a list", { role: "user", content: { text: USER.content } }, [USER]],
    ["with a text in a list", { role: "user", content: [USER.content] }, [USER]],
    ["of Google without a role", { parts: [{ text: USER.content }] }, [USER]],
    [
      "of OpenAI's threads, with a time in seconds",
      {
        ...{ id: "msg_1", object: "thread.message", created_at: 1_767_225_600, role: "user" },
        content: [{ type: "text", text: { value: USER.content, annotations: [] } }],
      },
      [{ ...USER, id: "msg_1", created_at: "2026-01-01T00:00:00.000Z" }],
    ],
    [
      "of the AI SDK with a time in its metadata",
      {
        ...{ id: "u1", role: "user", metadata: { createdAt: "2026-01-02T03:04:05Z" } },
        parts: [{ type: "text", text: USER.content }],
      },
      [{ ...USER, id: "u1", created_at: "2026-01-02T03:04:05Z" }],
    ],
    [
      "that was spoken",
      { role: "assistant", content: null, audio: { id: "a", transcript: USER.content } },
      [{ ...USER, role: "assistant" }],
    ],
    [
      "whose sentence is cut by a citation",
      {
        role: "assistant",
        content: [
          { type: "text", text: "The lamp " },
          { type: "text", text: "is in the hall", citations: [{ type: "char_location" }] },
          { type: "text", text: ", says the list." },
        ],
      },
      [{ role: "assistant", content: "The lamp is in the hall, says the list." }],
    ],
    [
      "with what the user said meanwhile",
      {
        role: "assistant",
        parts: [
          { type: "text", text: "I look for it." },
          { type: "steering-message", id: "s", parts: [{ type: "text", text: USER.content }] },
          { type: "text", text: "So it is." },
        ],
      },
      [
        { role: "assistant", content: "I look for it." },
        { ...USER, id: "s" },
        { role: "assistant", content: "So it is." },
      ],
    ],
    ["without content has no turn", { role: "assistant", content: null, refusal: "No." }, []],
    [
      "of a role that objects have stays",
      { role: "constructor", content: "x" },
      [{ role: "constructor", content: "x" }],
    ],
    [
      "of LangChain with a speaker of its own",
      { type: "generic", data: { role: "narrator", content: "Night falls." } },
      [{ role: "narrator", content: "Night falls." }],
    ],
  ])("%s", (_, message, turns) => {
    expect(only(message)).toEqual(turns);
  });

  test("with calls in its content and beside it counts each call once", () => {
    const call = { type: "tool_use", id: "c1", name: "scan", input: {} };
    const { not_taken } = turnsOf([
      {
        type: "ai",
        content: [call],
        tool_calls: [
          { id: "c1", name: "scan", args: {} },
          { id: "c2", name: "scan", args: {} },
        ],
      },
    ]);
    expect(not_taken).toMatchObject([{ kind: "tool_call", count: 2 }]);
  });

  test("gives name, time and id to its memories", async () => {
    const own = client();
    const { body } = await own.ask("POST /remember", {
      messages: [
        {
          ...{ id: "m-17", role: "user", name: "Mira", createdAt: "2026-01-02T03:04:05.000Z" },
          ...{ content: [{ type: "text", text: "The kettle whistles at six." }] },
        },
      ],
      metadata: { app: "kitchen" },
    });
    expect(body.stored).toMatchObject([{ title: "Mira: The kettle whistles at six." }]);
    const { body: node } = await own.ask(`GET /nodes/${body.stored[0].id}?recall=false`);
    expect(node).toMatchObject({
      provenance_created_at: "2026-01-02T03:04:05.000Z",
      metadata: { app: "kitchen", message_id: "m-17" },
    });
  });
});

describe("POST /remember", () => {
  const issuesOf = async (own: Client, messages: unknown, more: object = {}) => {
    const { status, body } = await own.ask("POST /remember", { messages, ...more });
    expect(status).toBe(400);
    return body.issues;
  };

  test("stores no system prompt, in the own shape either", async () => {
    const own = client();
    const { body } = await own.ask("POST /remember", {
      messages: [
        { role: "system", content: "You are a strict accountant." },
        { role: "developer", content: "Never reveal totals." },
        { role: "tool", content: "4410" },
        { role: "user", content: "The total of March is 4410." },
      ],
    });
    expect(body).toMatchObject({ created: 1, skipped: 0 });
    expect(body.not_taken).toMatchObject([
      { kind: "instructions", count: 2 },
      { kind: "tool_result", count: 1 },
    ]);
  });

  test("refuses fields that no shape has, and names those of the own shape", async () => {
    const own = client();
    const user = { role: "user", content: "The lamp is in the hall." };
    expect(await issuesOf(own, [user, { ...user, craeted_at: "2026-01-01" }])).toEqual([
      {
        path: "messages.1.craeted_at",
        message: "is not a field of this request: did you mean created_at?",
      },
    ]);
    for (const more of [{ metadata: {} }, { type: "preference" }, { tags: ["x"] }])
      expect(await issuesOf(own, [{ ...user, ...more }])).toHaveLength(1);
    expect(await issuesOf(own, [{ role: "user" }])).toMatchObject([{ path: "messages.0.content" }]);
    expect(await issuesOf(own, [{ type: "preference", content: "x" }])).toMatchObject([
      { path: "messages.0.role" },
    ]);
    expect(await issuesOf(own, [7])).toMatchObject([{ path: "messages.0" }]);
    expect(await issuesOf(own, [user], { tool: "keep" })).toMatchObject([{ path: "tool" }]);
    expect(await issuesOf(own, undefined, { text: "x", tools: "keep" })).toMatchObject([
      { path: "tools", message: "counts for messages alone" },
    ]);
    const { body } = await own.ask("GET /nodes");
    expect(body.count).toBe(0);
  });

  test("names the message that has a fault, and reads no message that is nested too deep", async () => {
    const own = client();
    const part = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
    const issues = await issuesOf(own, [part("fine"), part("a\0b")]);
    expect(issues).toEqual([{ path: "messages.1.content", message: "must not contain U+0000" }]);
    const [open, close] = [`{"type":"steering-message","parts":[`, "]}"];
    const deep = `${open.repeat(20_000)}"x"${close.repeat(20_000)}`;
    const body = `{"messages":[{"role":"user","parts":[${deep}]}]}`;
    expect(await own.ask("POST /remember", body)).toMatchObject({
      status: 400,
      body: { issues: [{ path: "messages.0", message: expect.stringContaining("nested deeper") }] },
    });
    const calls = Array.from({ length: 1_001 }, (_, at) => ({
      ...{ type: "tool_use", id: `c${at}`, name: "scan", input: {} },
    }));
    const many = [{ role: "assistant", content: calls }];
    expect(await issuesOf(own, many, { tools: "keep" })).toMatchObject([{ path: "messages" }]);
  });

  test("takes whatever parts a provider adds, and counts them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.record({ type: word })), {
          maxLength: 5,
        }),
        async (parts) => {
          const messages = [
            { role: "user", content: [...parts, { type: "text", text: "The sofa is green." }] },
          ];
          const own = client();
          expect(await own.ask("POST /remember", { messages })).toMatchObject({ status: 200 });
          const { body } = await own.ask("GET /nodes");
          expect(JSON.stringify(body.data)).toContain("The sofa is green.");
        },
      ),
      runs(amount(200)),
    );
  });
});

describe("POST /context", () => {
  test("counts what of messages it compares with nothing, by either ranking", async () => {
    const own = client();
    await fc.assert(
      fc.asyncProperty(
        conversation,
        fc.constantFrom(...Object.values(SHAPES)),
        fc.constantFrom("evidence", "signals"),
        async (messages, write, ranking) => {
          const { status, body } = await own.ask("POST /context", {
            ...{ input: "Where is the kayak?", messages: write(messages), ranking },
          });
          expect(status).toBe(200);
          const { media = 0, reasoning = 0 } = leftExpected(messages);
          const left = Object.entries({ media, reasoning }).filter(([, count]) => count > 0);
          const told = (body.not_taken ?? []) as { kind: string; count: number }[];
          expect(Object.fromEntries(told.map(({ kind, count }) => [kind, count]))).toEqual(
            Object.fromEntries(left),
          );
          expect("not_taken" in body).toBe(left.length > 0);
        },
      ),
      runs(amount(200)),
    );
  });

  test("says nothing of messages that it takes whole, and names faults of all fields", async () => {
    const own = client();
    const USER = { role: "user", content: "The lamp is in the hall." };
    for (const messages of [undefined, null, [], [USER, { role: "system", content: "Be kind." }]]) {
      const { body } = await own.ask("POST /context", { input: "Where is the lamp?", messages });
      expect(body).not.toHaveProperty("not_taken");
    }
    const { body } = await own.ask("POST /context", {
      ...{ input: 7, messages: [USER, { role: "user", parts: [{ text: "a\0b" }] }] },
    });
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual([
      ...["input", "messages.1.content"],
    ]);
  });
});

test("remember of nous-memory takes the same messages", () => {
  const memory = new Memory();
  const messages = SHAPES.Anthropic!([
    {
      role: "user",
      parts: [{ kind: "text", text: "The kayak hangs in the boathouse." }, { kind: "image" }],
    },
  ]);
  expect(remember(memory, { messages })).toMatchObject({
    ...{ created: 1, stored: [{ title: "user: The kayak hangs in the boathouse." }] },
    not_taken: [{ kind: "media", count: 1 }],
  });
  expect(() => remember(memory, { messages: [{ role: "user" }] })).toThrow(/^messages\[0\] must/);
});
