// The storage of Mastra with the packages of the registry: compared with Mastra's own storage in main
// memory, and in agents of Mastra with a fake model.

import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  InMemoryDB,
  InMemoryMemory,
  InMemoryStore,
  MastraCompositeStore,
  type MemoryStorage,
} from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
import { MockLanguageModelV3 } from "ai/test";
import fc from "fast-check";
import { NousClient } from "nous-integrations/client";
import { memoryProcessor } from "nous-integrations/mastra";
import { NousMemoryStorage } from "nous-integrations/mastra-storage";
import { expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { sharedServer } from "./support/shared-server.ts";

const { server } = sharedServer();
let agents = 0;
const client = (agent = `mastra ${++agents}`) => new NousClient({ baseUrl: server().url, agent });
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const thread = (id: string, fields: Partial<StorageThreadType> = {}): StorageThreadType => ({
  ...{ id, resourceId: "mira", title: id, metadata: {}, createdAt: at(0), updatedAt: at(0) },
  ...fields,
});
const message = (
  id: string,
  fields: Partial<MastraDBMessage> = {},
  text = id,
): MastraDBMessage => ({
  ...{ id, role: "user", type: "text", createdAt: at(0), threadId: "t1", resourceId: "mira" },
  content: { format: 2, parts: [{ type: "text", text }] },
  ...fields,
});
const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);

/** Returns what two storages have in common: without the times of changes, which they take themselves. */
const comparable = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, inner) =>
      key === "updatedAt" || key === "clonedAt" ? undefined : inner,
    ),
  );

async function answerOf(work: () => Promise<unknown>) {
  try {
    return { answer: comparable(await work()) };
  } catch {
    return { failed: true };
  }
}

const threadId = fc.constantFrom("t1", "t2", "t3");
const resourceId = fc.constantFrom("mira", "omar");
const messageId = fc.constantFrom("m1", "m2", "m3", "m4", "m5");
const createdAt = fc.integer({ min: 0, max: 4 }).map(at);
const metadata = fc.dictionary(
  fc.constantFrom("mood", "kind"),
  fc.constantFrom("a", "b", 1, true),
  {
    noNullPrototype: true,
  },
);
const aThread = fc
  .record({ id: threadId, resourceId, createdAt, metadata, title: fc.constantFrom("x", "y") })
  .map(({ id, ...fields }) => thread(id, fields));
const aMessage = fc
  .record({
    ...{ id: messageId, threadId, resourceId, createdAt },
    role: fc.constantFrom("user" as const, "assistant" as const),
    content: fc.record({
      format: fc.constant(2 as const),
      parts: fc.tuple(fc.record({ type: fc.constant("text" as const), text: fc.string() })),
      metadata,
    }),
  })
  .map(({ id, ...fields }) => message(id, fields));
const perPage = fc.constantFrom(undefined, false as const, 0, 1, 2, 3);
const orderBy = fc.constantFrom(
  undefined,
  { field: "createdAt" as const, direction: "ASC" as const },
  { field: "createdAt" as const, direction: "DESC" as const },
);
const include = fc.array(
  fc.record({
    id: messageId,
    withPreviousMessages: fc.integer({ min: 0, max: 2 }),
    withNextMessages: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 2 },
);
const filter = fc.record(
  {
    dateRange: fc.record(
      {
        start: createdAt,
        end: createdAt,
        startExclusive: fc.boolean(),
        endExclusive: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    metadata: metadata.filter((found) => Object.keys(found).length > 0),
  },
  { requiredKeys: [] },
);
const page = fc.integer({ min: -1, max: 2 });

/** Returns a resource without the time of its making, which a storage may take itself. */
const timeless = (resource: object | null) => resource && { ...resource, createdAt: 0 };

type Step = (storage: MemoryStorage) => Promise<unknown>;
const step: fc.Arbitrary<Step> = fc.oneof(
  aThread.map((found) => (to: MemoryStorage) => to.saveThread({ thread: structuredClone(found) })),
  fc.record({ id: threadId, title: fc.option(fc.constant("z"), { nil: undefined }), metadata }).map(
    ({ title, ...rest }) =>
      (to: MemoryStorage) =>
        to.updateThread({ ...rest, ...(title && { title }) }),
  ),
  threadId.map((id) => (to: MemoryStorage) => to.deleteThread({ threadId: id })),
  fc.record({ threadId }).map((args) => (to: MemoryStorage) => to.getThreadById(args)),
  fc.record({ threadId, resourceId }).map((args) => (to: MemoryStorage) => to.getThreadById(args)),
  fc
    .record({
      page,
      perPage,
      orderBy,
      filter: fc.record({ resourceId, metadata }, { requiredKeys: [] }),
    })
    .map((args) => (to: MemoryStorage) => to.listThreads(args as never)),
  {
    weight: 4,
    arbitrary: fc
      .array(aMessage, { minLength: 1, maxLength: 4 })
      .map((found) => (to: MemoryStorage) => to.saveMessages({ messages: structuredClone(found) })),
  },
  fc
    .array(
      fc.record(
        { id: messageId, threadId, resourceId, createdAt, content: fc.record({ metadata }) },
        { requiredKeys: ["id"] },
      ),
      { minLength: 1, maxLength: 2 },
    )
    .map(
      (messages) => (to: MemoryStorage) =>
        to.updateMessages({ messages: structuredClone(messages) as never }),
    ),
  fc.array(messageId, { maxLength: 2 }).map((ids) => (to: MemoryStorage) => to.deleteMessages(ids)),
  {
    weight: 4,
    arbitrary: fc
      .record({
        threadId,
        page,
        perPage,
        orderBy,
        include,
        filter,
        resourceId: fc.option(resourceId, { nil: undefined }),
      })
      .map((args) => (to: MemoryStorage) => to.listMessages(args as never)),
  },
  fc
    .record({ threadId: fc.uniqueArray(threadId), perPage: fc.constant(false as const) })
    .map((args) => (to: MemoryStorage) => to.listMessages(args)),
  fc
    .record({ resourceId, page, perPage, orderBy, include, filter })
    .map((args) => (to: MemoryStorage) => to.listMessagesByResourceId(args as never)),
  fc
    .array(messageId, { maxLength: 4 })
    .map((messageIds) => (to: MemoryStorage) => to.listMessagesById({ messageIds })),
  fc
    .record({ threadId, resourceId })
    .map((args) => (to: MemoryStorage) => to.updateThreadResourceId(args)),
  resourceId.map(
    (id) => async (to: MemoryStorage) => timeless(await to.getResourceById({ resourceId: id })),
  ),
  fc
    .record({ id: resourceId, workingMemory: fc.string(), metadata, createdAt })
    .map(
      (found) => (to: MemoryStorage) =>
        to.saveResource({ resource: { ...found, updatedAt: at(0) } }),
    ),
  fc
    .record({ resourceId, workingMemory: fc.string(), metadata }, { requiredKeys: ["resourceId"] })
    .map((args) => async (to: MemoryStorage) => timeless(await to.updateResource(args))),
);

test("a storage answers as Mastra's own, whatever is asked", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
    const ours = new NousMemoryStorage(client());
    const theirs = new InMemoryMemory({ db: new InMemoryDB() });
    for (const one of steps)
      expect(await answerOf(() => one(ours))).toEqual(await answerOf(() => one(theirs)));
  });
  await fc.assert(property, { ...runs(amount(150, 40)), endOnFailure: true });
}, 240_000);

test("long threads come back whole, page by page, in either order", async () => {
  const storage = new NousMemoryStorage(client());
  await storage.saveThread({ thread: thread("t1") });
  const messages = Array.from({ length: 230 }, (_, n) =>
    message(`m${n}`, { createdAt: at(n >> 1) }, `Line ${n}.`),
  );
  await storage.saveMessages({ messages });
  const all = await storage.listMessages({ threadId: "t1", perPage: false });
  expect(all.messages).toEqual(messages);
  expect(all).toMatchObject({ total: 230, perPage: false, hasMore: false });
  const paged: string[] = [];
  for (let page = 0; ; page++) {
    const found = await storage.listMessages({ threadId: "t1", page, perPage: 50 });
    paged.push(...idsOf(found.messages));
    expect(found).toMatchObject({ total: 230, page, perPage: 50 });
    if (!found.hasMore) break;
  }
  expect(paged).toEqual(idsOf(messages));
  const orderBy = { field: "createdAt" as const, direction: "DESC" as const };
  const last = await storage.listMessages({ threadId: "t1", perPage: 2, orderBy });
  expect(idsOf(last.messages)).toEqual(["m228", "m229"]);
  expect(last.hasMore).toBe(true);
  expect(await storage.listMessages({ threadId: "t1", page: 9, perPage: 50 })).toMatchObject({
    ...{ messages: [], hasMore: false },
  });
});

test("what is saved at once is kept, also by several storages", async () => {
  const memory = client();
  const [one, other] = [new NousMemoryStorage(memory), new NousMemoryStorage(memory)];
  await one.saveThread({ thread: thread("t1") });
  const saves = Array.from({ length: 30 }, (_, n) =>
    (n % 2 ? one : other).saveMessages({ messages: [message(`m${n}`, { createdAt: at(n) })] }),
  );
  const patches = Array.from({ length: 10 }, (_, n) =>
    one.updateThread({ id: "t1", metadata: { [`key${n}`]: n } }),
  );
  const same = [one, other].map((storage) =>
    storage.saveMessages({ messages: [message("same", { createdAt: at(40) })] }),
  );
  await Promise.all([...saves, ...patches, ...same]);
  const { messages } = await other.listMessages({ threadId: "t1", perPage: false });
  expect(idsOf(messages)).toEqual([...Array.from({ length: 30 }, (_, n) => `m${n}`), "same"]);
  const found = await other.getThreadById({ threadId: "t1" });
  expect(Object.keys(found?.metadata ?? {})).toHaveLength(10);
  expect(found!.updatedAt.getTime()).toBeGreaterThan(at(40).getTime());
});

test("threads, resources and agents are apart, and unknown ones are none", async () => {
  const memory = client();
  const storage = new NousMemoryStorage(memory);
  await memory.remember({ text: "Another program wrote this." });
  await storage.saveThread({ thread: thread("t1") });
  await storage.saveThread({ thread: thread("t2", { resourceId: "omar" }) });
  await storage.saveMessages({
    messages: [message("a"), message("b", { threadId: "t2", resourceId: "omar" })],
  });
  expect(await storage.getThreadById({ threadId: "t1", resourceId: "omar" })).toBeNull();
  expect(idsOf((await storage.listThreads({ filter: { resourceId: "omar" } })).threads)).toEqual([
    "t2",
  ]);
  const theirs = await storage.listMessages({ threadId: "t1", resourceId: "omar" });
  expect(theirs).toMatchObject({ messages: [], total: 0, hasMore: false });
  const included = { threadId: "t1", resourceId: "mira", include: [{ id: "b" }] };
  expect(idsOf((await storage.listMessages(included)).messages)).toEqual(["a"]);
  expect(await storage.getThreadById({ threadId: "none" })).toBeNull();
  expect((await storage.listMessages({ threadId: "none" })).messages).toEqual([]);
  await expect(storage.updateThread({ id: "none", title: "x" })).rejects.toThrow("none not found");
  await storage.deleteThread({ threadId: "none" });
  await expect(storage.listMessages({ threadId: " " })).rejects.toThrow("non-empty");
  expect((await new NousMemoryStorage(client()).listThreads({})).threads).toEqual([]);
  await storage.deleteThread({ threadId: "t1" });
  expect(await storage.listMessagesById({ messageIds: ["a"] })).toEqual({ messages: [] });
  await storage.dangerouslyClearAll();
  // What others stored stays.
  const { data } = await memory.listNodes();
  expect(data.map(({ content_title }) => content_title)).toEqual(["Another program wrote this."]);
});

test("a thread is copied with its messages, as Mastra's own does", async () => {
  const copies = [
    new NousMemoryStorage(client()),
    new InMemoryMemory({ db: new InMemoryDB() }),
  ].map(async (storage) => {
    await storage.saveThread({ thread: thread("t1") });
    const ids = ["m0", "m1", "m2", "m3"];
    await storage.saveMessages({ messages: ids.map((id, n) => message(id, { createdAt: at(n) })) });
    const options = { messageLimit: 2, messageFilter: { endDate: at(2) } };
    const copied = await storage.cloneThread({ sourceThreadId: "t1", newThreadId: "t2", options });
    const texts = copied.clonedMessages.map(({ content, threadId }) => [content.parts, threadId]);
    expect(idsOf(copied.clonedMessages)).toEqual(Object.values(copied.messageIdMap!));
    await expect(storage.cloneThread({ sourceThreadId: "t1", newThreadId: "t2" })).rejects.toThrow(
      "already exists",
    );
    await expect(storage.cloneThread({ sourceThreadId: "none" })).rejects.toThrow("not found");
    const { createdAt: _, ...found } = (await storage.getThreadById({ threadId: "t2" }))!;
    return { texts, found: comparable(found), sources: Object.keys(copied.messageIdMap!) };
  });
  const [ours, theirs] = await Promise.all(copies);
  expect(ours).toEqual(theirs);
  expect(ours!.sources).toEqual(["m1", "m2"]);
});

test("searches find what was said, in its thread and of its person, and nothing else", async () => {
  const memory = client();
  const storage = new NousMemoryStorage(memory);
  await storage.saveThread({ thread: thread("t1", { title: "About walnuts" }) });
  await storage.updateResource({ resourceId: "mira", workingMemory: "walnuts" });
  const invocation = { state: "result", toolCallId: "1", toolName: "walnuts", args: {}, result: 2 };
  await storage.saveMessages({
    messages: [
      message("a", {}, "I am allergic to walnuts"),
      message("b", {
        role: "assistant",
        content: {
          format: 2,
          parts: [{ type: "tool-invocation", toolInvocation: invocation as never }],
        },
      }),
    ],
  });
  const { data } = await memory.search({
    query: "am I allergic to walnuts?",
    filter: { user: "mira" },
  });
  expect(data.map(({ content_title, session }) => [content_title, session])).toEqual([
    ["user: I am allergic to walnuts", "t1"],
  ]);
  const { data: all } = await memory.search({ query: "walnuts" });
  expect(all.filter(({ content_title }) => content_title !== "-")).toHaveLength(1);
  await storage.updateMessages({
    messages: [
      { id: "a", content: { content: "", parts: [{ type: "text", text: "I like tea" }] } as never },
    ],
  });
  const { data: changed } = await memory.search({ query: "who likes tea?" });
  expect(changed[0]?.content_title).toBe("user: I like tea");
});

/** A model that always says the same. */
const listener = () =>
  new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: "text", text: "Fine." }],
      finishReason: { unified: "stop", raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never,
      warnings: [],
    }),
  });

test("agents of Mastra keep their threads in Nous, and are told what was said in others", async () => {
  const memory = client();
  /** Returns what the model of another program hears in a turn. */
  const heard = async (text: string, thread: string, remembers = false) => {
    const storage = new MastraCompositeStore({
      ...{ id: "nous", default: new InMemoryStore() },
      domains: { memory: new NousMemoryStorage(memory) },
    });
    const model = listener();
    const agent = new Agent({
      ...{ id: "cook", name: "Cook", instructions: "You are a careful cook." },
      model: model as never, // its types have optional fields of another kind

      memory: new Memory({ options: { lastMessages: 10 } }),
      inputProcessors: [memoryProcessor(memory, { user: "mira", remembers })],
    });
    const mastra = new Mastra({ storage, agents: { agent }, logger: false });
    await mastra.getAgent("agent").generate(text, { memory: { thread, resource: "mira" } });
    return JSON.stringify(model.doGenerateCalls[0]!.prompt);
  };
  const said = '"role":"user","content":[{"type":"text","text":"I am allergic to walnuts"';
  await heard("I am allergic to walnuts", "monday");
  // The thread goes on in the next program.
  expect(await heard("and what else?", "monday")).toContain(said);
  // Another thread is told by the processor.
  const other = await heard("what am I allergic to?", "tuesday");
  expect(other).not.toContain(said);
  expect(other).toContain("user: I am allergic to walnuts (noted on");
  // A correction comes first.
  await heard("I live in Oslo.", "wednesday", true);
  await heard("I live in Bergen now, no longer in Oslo.", "thursday", true);
  const known = await heard("where do I live?", "friday");
  expect(known).toContain("I live in Bergen now");
  expect(known.indexOf("I live in Bergen now")).toBeLessThan(known.indexOf("I live in Oslo."));
  const storage = new NousMemoryStorage(memory);
  const { messages, total } = await storage.listMessages({
    threadId: "monday",
    resourceId: "mira",
  });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(total).toBe(4);
  expect(
    idsOf((await storage.listThreads({ filter: { resourceId: "mira" } })).threads).sort(),
  ).toEqual(["friday", "monday", "thursday", "tuesday", "wednesday"]);
});

test("a memory of Mastra works without another storage, with working memory", async () => {
  const domains = { memory: new NousMemoryStorage(client()) };
  const storage = new MastraCompositeStore({ id: "nous", domains });
  const memory = new Memory({ storage, options: { workingMemory: { enabled: true } } });
  const { id } = await memory.createThread({ resourceId: "mira", threadId: "t1", title: "Food" });
  await memory.saveMessages({ messages: [message("a"), message("b", { createdAt: at(1) })] });
  await memory.updateWorkingMemory({ threadId: id, resourceId: "mira", workingMemory: "# Mira" });
  expect(await memory.getWorkingMemory({ threadId: id, resourceId: "mira" })).toBe("# Mira");
  const { messages } = await memory.recall({ threadId: id, resourceId: "mira" });
  expect(idsOf(messages)).toEqual(["a", "b"]);
  await memory.deleteMessages(["a"]);
  await memory.updateThread({ id, title: "Diet", metadata: {} });
  expect((await memory.getThreadById({ threadId: id }))?.title).toBe("Diet");
  expect(idsOf((await memory.recall({ threadId: id })).messages)).toEqual(["b"]);
  await memory.deleteThread(id);
  expect(await memory.getThreadById({ threadId: id })).toBeNull();
});
