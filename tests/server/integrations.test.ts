// The integrations for frameworks of JavaScript, each with its real package: compared with the
// framework's own store or session where it has one, and in a run of the framework with a fake model.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import {
  Annotation,
  InMemoryStore,
  type LangGraphRunnableConfig,
  StateGraph,
} from "@langchain/langgraph";
import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import { type AgentInputItem, MemorySession, type Session } from "@openai/agents-core";
import { generateText, isStepCount, streamText, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import fc from "fast-check";
import { memoryMiddleware, memoryTools, type TurnOptions } from "nous-integrations/ai-sdk";
import { type MemoryCommand, NousMemoryTool } from "nous-integrations/anthropic";
import { NousClient, NousRequestError } from "nous-integrations/client";
import { NousStore } from "nous-integrations/langgraph";
import { memoryProcessor } from "nous-integrations/mastra";
import { NousSession } from "nous-integrations/openai-agents";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { server } = sharedServer();
let agents = 0;
const client = (agent = `agent ${++agents}`) => new NousClient({ baseUrl: server().url, agent });
const gone = () => new NousClient({ baseUrl: "http://127.0.0.1:1", agent: "none" });
const titlesIn = async (memory: NousClient) =>
  (await memory.listNodes()).data.map(({ content_title }) => content_title).sort();

const FACT = "I am allergic to walnuts";
const QUESTION = "what may I not eat?";

describe("the Vercel AI SDK", () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const stop = { finishReason: { unified: "stop" as const, raw: undefined }, usage, warnings: [] };
  const text = (text: string) => ({ content: [{ type: "text" as const, text }], ...stop });
  const call = (toolName: string, input: object) => ({
    ...stop,
    finishReason: { unified: "tool-calls" as const, raw: undefined },
    content: [
      { type: "tool-call" as const, toolCallId: "c1", toolName, input: JSON.stringify(input) },
    ],
  });
  /** A model that answers in turn, and the prompts that it got. */
  function modelOf(answers: (ReturnType<typeof text> | ReturnType<typeof call>)[]) {
    const fake = new MockLanguageModelV4({
      doGenerate: async () => answers.shift() ?? text("Fine."),
      doStream: async () => ({
        stream: convertArrayToReadableStream([
          { type: "text-start" as const, id: "1" },
          { type: "text-delta" as const, id: "1", delta: "Fine." },
          { type: "text-end" as const, id: "1" },
          { type: "finish" as const, ...stop },
        ]),
      }),
    });
    const prompts = () =>
      [...fake.doGenerateCalls, ...fake.doStreamCalls].map(({ prompt }) => prompt);
    const systems = () =>
      prompts().map((prompt) =>
        prompt.flatMap(({ role, content }) => (role === "system" ? [content] : [])),
      );
    const wrapped = (memory: NousClient, options?: TurnOptions) =>
      wrapLanguageModel({ model: fake, middleware: memoryMiddleware(memory, options) });
    return { fake, systems, wrapped };
  }

  test("the middleware puts memories after the system prompt, and stores what tells something", async () => {
    const memory = client();
    const { wrapped, systems } = modelOf([]);
    const model = wrapped(memory, { user: "mira", session: "monday" });
    const said = { model, instructions: "You are a careful cook." };
    await generateText({ ...said, prompt: FACT });
    await generateText({ ...said, prompt: QUESTION });
    const stream = streamText({ ...said, prompt: "what am I allergic to?" });
    expect(await stream.text).toBe("Fine.");
    const [first, second, third] = systems();
    expect(first).toEqual(["You are a careful cook."]);
    for (const system of [second, third]) {
      expect(system?.[0]).toBe("You are a careful cook.");
      expect(system?.[1]).toContain("I am allergic to walnuts (noted on");
    }
    expect(await titlesIn(memory)).toEqual([FACT]);
    const [node] = (await memory.listNodes({ user: "mira", session: "monday" })).data;
    expect(node?.content_title).toBe(FACT);
    // Another user's conversation does not see it.
    const other = modelOf([]);
    await generateText({ model: other.wrapped(memory, { user: "omar" }), prompt: QUESTION });
    expect(JSON.stringify(other.systems())).not.toContain("walnuts");
  });

  test("a turn of several steps has its memories in each, and stores its message once", async () => {
    const memory = client();
    await memory.remember({ text: "The oven of the kitchen is broken." });
    const { wrapped, systems } = modelOf([call("recall", { question: "the oven" }), text("Done.")]);
    const answer = await generateText({
      model: wrapped(memory),
      tools: memoryTools(memory),
      stopWhen: isStepCount(3),
      prompt: "I want to bake bread in the oven of the kitchen",
    });
    expect(answer.text).toBe("Done.");
    expect(systems()).toHaveLength(2);
    for (const system of systems())
      expect(system.join()).toContain("oven of the kitchen is broken");
    expect(await titlesIn(memory)).toHaveLength(2);
  });

  test("a model stores and finds by tools, for one user", async () => {
    const memory = client();
    const tools = memoryTools(memory, { user: "mira" });
    const { fake } = modelOf([
      call("remember", { text: "Mira eats no dairy since March." }),
      call("recall", { question: "what does Mira not eat?" }),
      text("No dairy."),
    ]);
    const { steps } = await generateText({
      ...{ model: fake, tools, stopWhen: isStepCount(5), prompt: "remember it" },
    });
    const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
    expect(outputs).toMatchObject([
      { created: 1, text: ["Mira eats no dairy since March."] },
      { knows: "yes", memories: [{ text: "Mira eats no dairy since March." }] },
    ]);
    const theirs = memoryTools(memory, { user: "omar" });
    const context = { toolCallId: "1", messages: [], context: undefined };
    expect(await theirs.recall.execute?.({ question: "dairy?" }, context)).toMatchObject({
      memories: [],
    });
  });

  test("without the memory the turn fails, or goes on if the caller takes the error", async () => {
    const { wrapped, fake } = modelOf([]);
    await expect(
      generateText({ model: wrapped(gone()), prompt: QUESTION, maxRetries: 0 }),
    ).rejects.toThrow(/is nous-server running/);
    expect(fake.doGenerateCalls).toEqual([]);
    const errors: unknown[] = [];
    const model = wrapped(gone(), { onError: (error) => errors.push(error) });
    expect((await generateText({ model, prompt: QUESTION })).text).toBe("Fine.");
    expect(errors).toEqual([expect.any(NousRequestError)]);
    const memory = client();
    await generateText({ model: wrapped(memory, { remembers: false }), prompt: FACT });
    expect(await titlesIn(memory)).toEqual([]);
  });
});

describe("LangGraph.js", () => {
  const LABELS = ["a", "b", "c"];
  const namespace = fc.array(fc.constantFrom(...LABELS), { minLength: 1, maxLength: 3 });
  const prefix = fc.array(fc.constantFrom(...LABELS), { maxLength: 2 });
  const key = fc.constantFrom("x", "y", "z");
  const plain = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.boolean(), fc.constantFrom("p", "q"));
  const value = fc.record({ kind: plain, size: fc.integer({ min: 0, max: 5 }) });
  const number = fc.integer({ min: 0, max: 5 });
  const filter = fc.oneof(
    fc.record({ kind: plain }),
    fc.record({ kind: fc.record({ $ne: plain }) }),
    fc.record({ kind: fc.record({ $in: fc.array(plain, { maxLength: 3 }) }) }),
    fc.record({ kind: fc.record({ $nin: fc.array(plain, { maxLength: 3 }) }) }),
    fc.record({ size: fc.record({ $gt: number, $lte: number }) }),
    fc.record({ size: fc.record({ $gte: number }), kind: plain }),
    fc.record({ size: fc.record({ $lt: number, $eq: number }) }),
  );
  const path = fc.array(fc.constantFrom(...LABELS, "*"), { minLength: 1, maxLength: 2 });
  const operation = fc.oneof(
    fc.record({ namespace, key }),
    { weight: 3, arbitrary: fc.record({ namespace, key, value: fc.option(value, { freq: 4 }) }) },
    fc.record({ namespacePrefix: prefix, limit: fc.constant(100) }),
    fc.record({ namespacePrefix: prefix, limit: fc.constant(100), filter }),
  );

  /** Returns answers without what two stores may differ in: times, and the order of a list. */
  const comparable = (answers: unknown[]) =>
    answers.map((answer) => {
      const shown = (item: { namespace: string[]; key: string; value: unknown }) =>
        JSON.stringify([item.namespace, item.key, item.value]);
      if (Array.isArray(answer)) return answer.map(shown).sort();
      return answer == null ? null : shown(answer as Parameters<typeof shown>[0]);
    });

  test("a store answers as LangGraph's own, whatever is asked", async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { maxLength: 6 });
    const property = fc.asyncProperty(batches, async (given) => {
      const [ours, theirs] = [new NousStore(client()), new InMemoryStore()];
      for (const operations of given as Operation[][]) {
        const expected = await Promise.all(
          operations.map(async (one) =>
            "value" in one ? null : comparable(await theirs.batch([one])),
          ),
        );
        for (const one of operations) if ("value" in one) await theirs.batch([one]);
        const answers = await ours.batch(operations);
        expect(
          operations.map((one, at) => ("value" in one ? null : comparable([answers[at]]))),
        ).toEqual(expected);
      }
    });
    await fc.assert(property, { ...runs(amount(100, 25)), endOnFailure: true });
  }, 240_000);

  test("namespaces are those of items, by their beginnings and ends", async () => {
    const property = fc.asyncProperty(
      fc.uniqueArray(namespace, { maxLength: 6, selector: (one) => one.join() }),
      fc.option(path, { nil: undefined }),
      fc.option(path, { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      async (namespaces, begins, ends, maxDepth) => {
        const stores: BaseStore[] = [new NousStore(client()), new InMemoryStore() as never];
        const wanted = {
          ...(begins && { prefix: begins }),
          ...(ends && { suffix: ends }),
          ...(maxDepth && { maxDepth }),
        };
        const listed = await Promise.all(
          stores.map(async (store) => {
            for (const place of namespaces) await store.put(place, "x", { n: 1 });
            return [await store.listNamespaces(wanted), await store.listNamespaces({ limit: 2 })];
          }),
        );
        expect(listed[0]).toEqual(listed[1]);
      },
    );
    await fc.assert(property, { ...runs(amount(50, 10)), endOnFailure: true });
  }, 240_000);

  test("a question ranks items by their meaning, and sees no hidden one", async () => {
    const store = new NousStore(client());
    await store.put(["users", "mira"], "a", { text: "Mira eats no dairy since March." });
    await store.put(["users", "mira"], "b", { text: "Mira plays the cello on Sundays." });
    await store.put(["users", "omar"], "c", { text: "Omar eats no fish." });
    await store.put(["users", "omar"], "d", { text: "Omar eats no cello." }, false);
    await store.put(["users", "omar"], "e", { name: "the turbine", note: "hums" }, ["note"]);
    const [best] = await store.search(["users"], { query: "what does Mira not eat?", limit: 1 });
    expect(best).toMatchObject({ key: "a", namespace: ["users", "mira"] });
    expect(best!.score).toBeGreaterThan(0.2);
    expect(best!.score).toBeLessThanOrEqual(1);
    const keys = async (query: string) =>
      (await store.search(["users", "omar"], { query })).map(({ key }) => key);
    expect(await keys("who plays the cello?")).not.toContain("d");
    expect(await keys("turbine")).not.toContain("e");
    expect(await keys("what hums?")).toContain("e");
    // Without a question the newest come first.
    const newest = await store.search(["users"], { limit: 2, offset: 1 });
    expect(newest.map(({ key }) => key)).toEqual(["d", "c"]);
  });

  test("an item keeps its value, its times and its id, which the Python client shares", async () => {
    const memory = client();
    const store = new NousStore(memory);
    const value = { text: "Zürich 😀", list: [1, { deep: null }], "odd.key": "ß" };
    await store.put(["users", "mira"], "diet", value);
    const first = await store.get(["users", "mira"], "diet");
    expect(first?.value).toEqual(value);
    await store.put(["users", "mira"], "diet", { text: "changed" });
    const second = await store.get(["users", "mira"], "diet");
    expect(second?.createdAt).toEqual(first?.createdAt);
    expect(second!.updatedAt.getTime()).toBeGreaterThan(first!.updatedAt.getTime());
    // `_store_items.id_of(Place(("users", "mira"), "diet"))` of the Python client.
    const [node] = (await memory.listNodes()).data;
    expect(node).toMatchObject({
      id: "lg_eabb0bc204baee40db85f2b0691eedb616e454c3",
      source: "langgraph",
      metadata: {
        langgraph: { under: ["users", "users.mira"], fields: { text: "changed" }, indexed: true },
      },
    });
    await store.delete(["users", "mira"], "diet");
    await store.delete(["users", "mira"], "diet");
    expect(await store.get(["users", "mira"], "diet")).toBeNull();
    expect((await store.batch([{ namespace: ["a"], key: "none" }]))[0]).toBeNull();
  });

  test("wrong operations are refused before anything is written", async () => {
    const memory = client();
    const store = new NousStore(memory);
    await expect(store.put(["a.b"], "x", { n: 1 })).rejects.toThrow(/periods/);
    const put = { namespace: ["a"], key: "x", value: { n: 1 } };
    for (const wrong of [
      { namespace: ["a", ""], key: "y", value: { n: 1 } },
      { namespacePrefix: ["a"], filter: { n: { $like: 1 } } },
      { namespacePrefix: ["a"], limit: -1 },
      { namespace: ["a"], key: "z", value: manyFields() },
    ]) {
      if ("filter" in wrong) await store.put(["a"], "there", { n: 1 });
      await expect(store.batch([put, wrong])).rejects.toThrow();
      expect(await store.get(["a"], "x")).toBeNull();
    }
  });

  test("a graph remembers over its runs", async () => {
    const State = Annotation.Root({ said: Annotation<string>, answer: Annotation<string> });
    const answer = async (
      { said }: typeof State.State,
      { store }: LangGraphRunnableConfig,
    ): Promise<{ answer: string }> => {
      const [known] = await store!.search(["mira"], { query: said, limit: 1 });
      await store!.put(["mira"], said, { text: said });
      return { answer: known?.value.text ?? "nothing" };
    };
    const graph = new StateGraph(State)
      .addNode("cook", answer)
      .addEdge("__start__", "cook")
      .addEdge("cook", "__end__")
      .compile({ store: new NousStore(client()) });
    expect((await graph.invoke({ said: FACT })).answer).toBe("nothing");
    expect((await graph.invoke({ said: "what am I allergic to?" })).answer).toBe(FACT);
  });

  const manyFields = () =>
    Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field ${at}`, "x".repeat(400)]));
});

describe("the OpenAI Agents SDK", () => {
  const item = fc.oneof(
    fc.record({ role: fc.constant("user"), content: fc.string({ unit: "grapheme" }) }),
    fc.record({
      ...{ type: fc.constant("message"), role: fc.constant("assistant") },
      ...{ status: fc.constant("completed") },
      content: fc.array(fc.record({ type: fc.constant("output_text"), text: fc.string() }), {
        maxLength: 2,
      }),
    }),
    fc.record({
      ...{ type: fc.constant("function_call"), callId: fc.uuid(), name: fc.constant("add") },
      arguments: fc.json(),
    }),
  );
  const step = fc.oneof(
    fc.record({ add: fc.array(item, { maxLength: 4 }) }),
    fc.constant("pop" as const),
    fc.record({ read: fc.option(fc.integer({ min: -1, max: 4 }), { nil: undefined }) }),
    { weight: 1, arbitrary: fc.constant("clear" as const) },
  );

  test("a session answers as the SDK's own", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const sessions: Session[] = [
        new NousSession(client(), { sessionId: "s" }),
        new MemorySession({ sessionId: "s" }),
      ];
      const answers = async (session: Session) => {
        const found: unknown[] = [await session.getSessionId()];
        for (const one of steps) {
          if (one === "pop") found.push((await session.popItem()) ?? null);
          else if (one === "clear") await session.clearSession();
          else if ("add" in one) await session.addItems(one.add as AgentInputItem[]);
          else found.push(await session.getItems(one.read));
        }
        return [...found, await session.getItems()];
      };
      const [ours, theirs] = await Promise.all(sessions.map(answers));
      expect(ours).toEqual(theirs);
    });
    await fc.assert(property, { ...runs(amount(100, 25)), endOnFailure: true });
  }, 240_000);

  test("words are found from elsewhere; calls of tools are not; sessions are apart", async () => {
    const memory = client();
    const monday = new NousSession(memory, { sessionId: "monday", user: "mira" });
    const tuesday = new NousSession(memory);
    const call: AgentInputItem = {
      ...{ type: "function_call", callId: "1", name: "walnuts_of", arguments: '{"walnuts":2}' },
    };
    await monday.addItems([{ role: "user", content: FACT }, call]);
    await tuesday.addItems([{ role: "user", content: "The train to Bern leaves at nine." }]);
    const { data } = await memory.search({ query: "am I allergic to walnuts?" });
    expect(data[0]?.content_title).toBe(`user: ${FACT}`);
    expect(data.every(({ content_title }) => !content_title.includes("walnuts_of"))).toBe(true);
    expect((await memory.listNodes({ user: "mira" })).count).toBe(2);
    expect(await monday.getItems()).toHaveLength(2);
    await monday.clearSession();
    expect(await monday.getItems()).toEqual([]);
    expect(await tuesday.getItems()).toHaveLength(1);
  });

  test("long histories come back whole, and an item that is refused leaves none of its call", async () => {
    const memory = client();
    const session = new NousSession(memory);
    const items = Array.from({ length: 230 }, (_, at) => ({
      ...{ role: "user" as const, content: `Line ${at}.` },
    }));
    await session.addItems(items);
    expect(await session.getItems()).toEqual(items);
    expect(await session.getItems(3)).toEqual(items.slice(-3));
    const long = { role: "user" as const, content: "x".repeat(1_100_000) };
    await expect(session.addItems([{ role: "user", content: "before" }, long])).rejects.toThrow();
    expect(await session.getItems()).toHaveLength(230);
  });
});

describe("Mastra", () => {
  test("the processor adds memories to the system messages, and stores what tells something", async () => {
    const memory = client();
    const processor = memoryProcessor(memory, { user: "mira" });
    const said = (text: string) => ({
      ...{ id: "1", role: "user", createdAt: new Date() },
      content: { format: 2, parts: [{ type: "text", text }] },
    });
    const systemMessages = [{ role: "system" as const, content: "You are a careful cook." }];
    const first = await processor.processInput({ messages: [said(FACT)], systemMessages });
    expect(first).toEqual({
      messages: [said(FACT)].map((m) => ({ ...m, createdAt: expect.any(Date) })),
      systemMessages,
    });
    const second = await processor.processInput({ messages: [said(QUESTION)], systemMessages });
    expect(second.systemMessages).toHaveLength(2);
    expect(second.systemMessages[1]!.content).toContain("I am allergic to walnuts (noted on");
    expect(await titlesIn(memory)).toEqual([FACT]);
    const none = { messages: [{ role: "assistant", content: "Hello" }], systemMessages };
    expect(await processor.processInput(none)).toEqual(none);
  });

  test("the programs of the page run with Mastra's packages", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const page = readFileSync(join(root, "docs", "integrations", "mastra.md"), "utf8");
    const programs = page.match(/^ {4}import[\s\S]*?^ {4}console.*$/gm) ?? [];
    expect(programs).toHaveLength(2);
    const fake = `
      const echo = new MockLanguageModelV3({
        doGenerate: async ({ prompt }) => ({
          content: [{ type: "text", text: prompt.findLast(({ role }) => role === "system").content }],
          finishReason: { unified: "stop", raw: undefined },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
          warnings: [],
        }),
      });`;
    for (const program of programs) {
      const code = program
        .replace(/^ {4}/gm, "")
        .replace("http://127.0.0.1:3100", server().url)
        .replace('"openai/gpt-5-mini"', "echo")
        .replace("const agent =", `${fake}\nconst agent =`);
      const file = join(folder, "program.mjs");
      writeFileSync(file, `import { MockLanguageModelV3 } from "ai/test";\n${code}`);
      const printed = execFileSync(process.execPath, [file], { encoding: "utf8", cwd: folder });
      expect(printed).toContain("I am allergic to walnuts (noted on");
    }
  });
});

describe("the memory tool of Anthropic's API", () => {
  const NAMES = ["a", "b", "c.md", ".hidden", "node_modules"];
  const path = fc
    .array(fc.constantFrom(...NAMES), { maxLength: 3 })
    .map((parts) => ["/memories", ...parts].join("/"));
  const LINES = ["alpha", "beta b", "gamma", "", "ü 😀"];
  const text = fc.array(fc.constantFrom(...LINES), { maxLength: 5 }).map((all) => all.join("\n"));
  const line = fc.integer({ min: -1, max: 6 });
  const command = fc.oneof(
    fc.record({ command: fc.constant("view" as const), path }),
    fc.record({ command: fc.constant("view" as const), path, view_range: fc.tuple(line, line) }),
    {
      weight: 3,
      arbitrary: fc.record({ command: fc.constant("create" as const), path, file_text: text }),
    },
    fc.record({
      ...{ command: fc.constant("str_replace" as const), path },
      ...{
        old_str: fc.constantFrom("alpha", "mm", "zz", "ü"),
        new_str: fc.constantFrom("new", "$&"),
      },
    }),
    fc.record({
      ...{ command: fc.constant("insert" as const), path, insert_line: line },
      insert_text: fc.constantFrom("one", "one\ntwo\n", ""),
    }),
    fc.record({ command: fc.constant("delete" as const), path }),
    fc.record({ command: fc.constant("rename" as const), old_path: path, new_path: path }),
  );

  /** Returns what a tool answers, and whether it is an error. */
  async function answerOf(work: () => unknown) {
    try {
      return { said: String(await work()) };
    } catch (error) {
      // Errors of the file system itself have no words for the model.
      const { code, message } = error as Error & { code?: string };
      return code === undefined ? { failed: message } : { failed: undefined };
    }
  }

  /** Removes folders without files: here a folder is there while it has files. */
  function prune(folder: string, isRoot = true): void {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) prune(join(folder, entry.name), false);
    if (!isRoot && readdirSync(folder).length === 0) rmdirSync(folder);
  }

  test("answers as the SDK's own tool for files, whatever is asked", async () => {
    const property = fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
      const folder = temporaryFolder();
      const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
      const ours = betaMemoryTool(new NousMemoryTool(client()));
      for (const one of commands) {
        const expected = await answerOf(() => theirs.run(one));
        const found = await answerOf(() => ours.run(one));
        prune(join(folder, "memories"));
        // Sizes of folders differ: a line of one ends with a slash, the first is the folder itself.
        const withoutSizes = (said = "") =>
          said
            .replace(/^[\d.]+[BKMG](?=\t\/.*\/$)/gm, "")
            .replace(/(:\n)[\d.]+[BKMG](?=\t\/)/, "$1");
        if ("said" in expected)
          expect({ one, said: withoutSizes(found.said) }).toEqual({
            ...{ one, said: withoutSizes(expected.said) },
          });
        else if (expected.failed === undefined)
          expect({ one, found }).toHaveProperty("found.failed");
        else expect({ one, ...found }).toEqual({ one, ...expected });
      }
    });
    await fc.assert(property, { ...runs(amount(200, 40)), endOnFailure: true });
  }, 240_000);

  test("never leaves /memories", async () => {
    const memory = client();
    const tool = new NousMemoryTool(memory);
    const outside = [
      ...["/memories/../etc/passwd", "/memories/a/../../b", "/memories/..", "/memories/a/../.."],
      ...["/etc/passwd", "memories/a", "/memoriesX/a", "", "../memories", "/memories\\..\\x"],
      ...["/memories/\0", `/memories/${"x".repeat(1_000)}`],
    ];
    for (const path of outside) {
      for (const one of [
        { command: "view", path },
        { command: "create", path, file_text: "x" },
        { command: "str_replace", path, old_str: "a", new_str: "b" },
        { command: "insert", path, insert_line: 0, insert_text: "x" },
        { command: "delete", path },
        { command: "rename", old_path: path, new_path: "/memories/new" },
        { command: "rename", old_path: "/memories/there", new_path: path },
      ] as MemoryCommand[])
        await expect(tool.run(one), JSON.stringify(one)).rejects.toThrow(/^Path .*(must|would)/);
    }
    expect(await titlesIn(memory)).toEqual([]);
    // Within it, dots lead where they say, and what looks encoded is a name.
    const create = (path: string) => tool.create({ path, file_text: path });
    await create("/memories/a/./b/../c");
    await create("/memories/%2e%2e/d");
    expect(await titlesIn(memory)).toEqual(["%2e%2e/d", "a/c"]);
  });

  test("keeps texts exactly, and other doors find them", async () => {
    const memory = client();
    const tool = new NousMemoryTool(memory);
    const path = "/memories/mira/diet.md";
    const file_text = "# Diet\n\nMira eats no dairy\nsince March.\n  \n";
    expect(await tool.create({ path, file_text })).toBe(`File created successfully at: ${path}`);
    const [hit] = (await memory.search({ query: "what does Mira not eat?" })).data;
    expect(hit).toMatchObject({ content_title: "mira/diet.md", content_body: file_text });
    const edit = { path, old_str: "dairy\nsince March", new_str: "fish" };
    expect(await tool.str_replace(edit)).toBe(
      "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" +
        "     1\t# Diet\n     2\t\n     3\tMira eats no fish.\n     4\t  \n     5\t",
    );
    const twice = { path: "/memories/twice", file_text: "so so\nso" };
    await tool.create(twice);
    await expect(tool.str_replace({ ...twice, old_str: "so", new_str: "x" })).rejects.toThrow(
      "Multiple occurrences of old_str `so` in lines: 1, 1, 2. Please ensure it is unique",
    );
    const often = { path: "/memories/often", file_text: "some\n".repeat(40_000) };
    await tool.create(often);
    const first = Array.from({ length: 20 }, (_, at) => at + 1).join(", ");
    const before = performance.now();
    await expect(tool.str_replace({ ...often, old_str: "some", new_str: "x" })).rejects.toThrow(
      `in lines: ${first} and 39980 more. Please ensure it is unique`,
    );
    // Counted line by line for each occurrence, it took 20 s.
    expect(performance.now() - before).toBeLessThan(5_000);
    await tool.delete({ path: often.path });
    await tool.rename({ old_path: "/memories/mira", new_path: "/memories/people/mira" });
    expect(await tool.view({ path: "/memories" })).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
        "38B\t/memories\n30B\t/memories/people/\n30B\t/memories/people/mira/\n8B\t/memories/twice",
    );
    await tool.delete({ path: "/memories/people" });
    expect(await titlesIn(memory)).toEqual(["twice"]);
    await expect(tool.run({ command: "format" } as never)).rejects.toThrow("no command");
  });
});
