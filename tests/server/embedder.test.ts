// The embedding client, with a provider that fails in every way.

import type { ServerResponse } from "node:http";
import { embeddingText } from "nous-memory";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { Embedder } from "../../js/server/src/embeddings/embedder.ts";
import { OpenAiCompatible } from "../../js/server/src/embeddings/openai-compatible.ts";
import { ProviderError } from "../../js/server/src/providers/error.ts";
import { isBreakerOpen, type RetryPolicy } from "../../js/server/src/providers/retry-policy.ts";
import {
  type Asked,
  answerTo,
  type Behaviour,
  json,
  startProvider,
  vectorOf,
} from "./support/embedding-provider.ts";

const KEY = "sk-very-secret";
const D = 8;
const MODEL = { name: "model", dimensions: undefined };
const PACE: RetryPolicy = {
  retries: 3,
  firstDelay: 5,
  longestDelay: 2_000,
  failures: 5,
  rest: 150,
};
const never = new AbortController().signal;

async function set(
  behaviour?: Behaviour,
  { pace = {}, timeout = 1_000 }: { pace?: Partial<RetryPolicy>; timeout?: number } = {},
) {
  const provider = await startProvider(D);
  provider.behave(behaviour);
  const logged: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
  const inner = new OpenAiCompatible({ baseUrl: provider.url, key: KEY });
  const embedder = new Embedder(inner, {
    model: MODEL,
    timeout,
    batch: 4,
    log,
    pace: { ...PACE, ...pace },
  });
  return { provider, embedder, logged };
}

/** Returns the error of a call without retries. */
async function failureOf(behaviour: Behaviour, texts = ["a", "b"], dimensions?: number) {
  const { embedder, provider, logged } = await set(behaviour, {
    pace: { retries: 0 },
    timeout: 300,
  });
  const error = await embedder
    .texts(texts, { name: "model", dimensions }, never)
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ProviderError);
  const { failure, message } = error as ProviderError;
  expect(message + logged.join()).not.toContain(KEY);
  return { failure, message, calls: provider.asked.length };
}

/** The usual answer, modified. */
const changed =
  (change: (data: { index: unknown; embedding: unknown }[]) => unknown): Behaviour =>
  (asked, response) =>
    json(response, { data: change(answerTo(asked, D).data) });

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    json(response, { error: "no" }, code, headers);

const INFINITE = '{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}';

describe("a call", () => {
  test("follows OpenAI's API, and returns vectors in the order of the texts", async () => {
    const { provider, embedder } = await set(changed((data) => data.reverse()));
    const texts = ["red", "green", "half \ud83d"];
    const vectors = await embedder.texts(texts, { name: "m", dimensions: D }, never);
    expect(vectors).toEqual(texts.map((text) => Float32Array.from(vectorOf(text, D))));
    const [{ authorization, url, ...body }] = provider.asked as [Asked];
    expect({ authorization, url }).toEqual({
      authorization: `Bearer ${KEY}`,
      url: "/v1/embeddings",
    });
    expect(body).toEqual({
      model: "m",
      input: ["red", "green", "half \ufffd"],
      encoding_format: "float",
      dimensions: D,
    });
  });

  test("asks for so many numbers at most that other requests need not wait for the answer", async () => {
    const wide = 20_000;
    const { provider, embedder } = await set((asked, response) =>
      json(response, answerTo(asked, asked.dimensions ?? D)),
    );
    const texts = Array.from({ length: 40 }, (_, place) => `text ${place}`);
    const sizes = () => provider.asked.splice(0).map(({ input }) => input.length);
    const few = await embedder.texts(texts.slice(0, 7), { name: "w", dimensions: wide }, never);
    expect(few).toEqual(texts.slice(0, 7).map((text) => Float32Array.from(vectorOf(text, wide))));
    expect(sizes()).toEqual([3, 3, 1]);
    // A model that has not answered yet may have many components.
    for (const calls of [[32, 8], [40]]) {
      const vectors = await embedder.texts(texts, MODEL, never);
      expect(vectors).toEqual(texts.map((text) => Float32Array.from(vectorOf(text, D))));
      expect(sizes()).toEqual(calls);
    }
  });

  test.each<[string, Behaviour, RegExp]>([
    ["too few vectors", changed((data) => data.slice(1)), /has 1 vectors for 2 texts/],
    ["too many vectors", changed((data) => [...data, data[0]]), /has 3 vectors/],
    [
      "an index twice",
      changed((data) => data.map((one) => ({ ...one, index: 0 }))),
      /which vector is whose/,
    ],
    [
      "an index beyond",
      changed((data) => data.map((one) => ({ ...one, index: 2 }))),
      /which vector is whose/,
    ],
    [
      "no index",
      changed((data) => data.map(({ embedding }) => ({ embedding }))),
      /which vector is whose/,
    ],
    [
      "vectors of two lengths",
      changed(([a]) => [a, { index: 1, embedding: [1] }]),
      /1 components instead of 8/,
    ],
    [
      "a text in a vector",
      changed((data) => data.map((one) => ({ ...one, embedding: ["1"] }))),
      /than numbers/,
    ],
    [
      "null in a vector",
      changed((data) => data.map((one) => ({ ...one, embedding: [null] }))),
      /than numbers/,
    ],
    ["no vector", changed((data) => data.map(({ index }) => ({ index }))), /than numbers/],
    [
      "an empty vector",
      changed((data) => data.map((one) => ({ ...one, embedding: [] }))),
      /without a direction/,
    ],
    [
      "zeros",
      changed((data) => data.map((one) => ({ ...one, embedding: [0, 0] }))),
      /without a direction/,
    ],
    [
      "beyond f32",
      changed((data) => data.map((one) => ({ ...one, embedding: [1e300] }))),
      /range of f32/,
    ],
    ["entries that are none", changed(() => [1, null]), /no list of vectors/],
    [
      "NaN",
      (_, response) => json(response, '{"data":[{"index":0,"embedding":[NaN]}]}'),
      /is not JSON/,
    ],
    ["infinity", (_, response) => json(response, INFINITE), /range of f32/],
    ["a page", (_, response) => json(response, "<html>Welcome to the hotel</html>"), /is not JSON/],
    ["null", (_, response) => json(response, "null"), /no list of vectors/],
    ["nothing", (_, response) => json(response, ""), /is not JSON/],
  ])("refuses an answer with %s", async (_, behaviour, sentence) => {
    const { failure, message, calls } = await failureOf(behaviour);
    expect({ failure, calls }).toEqual({ failure: "unusable", calls: 1 });
    expect(message).toMatch(sentence);
  });

  test("refuses vectors of another length than requested", async () => {
    const { failure, message } = await failureOf(
      changed((data) => data),
      ["a"],
      5,
    );
    expect(failure).toBe("unusable");
    expect(message).toMatch(/8 components instead of 5/);
  });

  test("reads no more than its limit", async () => {
    let written = 0;
    const endless: Behaviour = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("1,".repeat(500_000))) written += 1_000_000;
      };
      response.on("drain", more);
      response.on("error", () => {});
      response.write('{"data":[');
      more();
    };
    const { embedder } = await set(endless, { pace: { retries: 0 }, timeout: 30_000 });
    await expect(embedder.texts(["a"], MODEL, never)).rejects.toThrow(/is larger than \d+ bytes/);
    expect(written).toBeLessThan(2 ** 28);
  });

  test("reads no more than vectors of the asked or known length can take", async () => {
    const filled = (bytes: number) => (asked: Asked, response: ServerResponse) =>
      json(response, `${" ".repeat(bytes)}${JSON.stringify(answerTo(asked, D))}`);
    const { embedder, provider } = await set(filled(2 ** 20), {
      pace: { retries: 0 },
      timeout: 30_000,
    });
    const asked = { ...MODEL, dimensions: D };
    const refused = /is larger than \d+ bytes/;
    await expect(embedder.texts(["a"], asked, never)).rejects.toThrow(refused);
    // The first answer tells the length of vectors that nobody asked for.
    expect(await embedder.texts(["a"], MODEL, never)).toHaveLength(1);
    await expect(embedder.texts(["a"], MODEL, never)).rejects.toThrow(refused);
    provider.behave(filled(17 * 2 ** 20));
    const other = { ...MODEL, name: "other" };
    await expect(embedder.texts(["a"], other, never)).rejects.toThrow(refused);
    // Numbers as long as they can be, each on a line of its own.
    const longest = (count: number) => ({
      data: Array.from({ length: count }, (_, index) => ({
        ...{ object: "embedding", index },
        embedding: Array(D).fill(-1.2345678901234567e-30),
      })),
    });
    provider.behave(({ input }, response) =>
      json(response, JSON.stringify(longest(input.length), null, 10)),
    );
    const many = Array.from({ length: 500 }, (_, at) => `text ${at}`);
    expect(await embedder.texts(many, asked, never)).toHaveLength(500);
  });

  test.each<[number, string]>([
    [400, "rejected"],
    [413, "rejected"],
    [422, "rejected"],
    [401, "misconfigured"],
    [403, "misconfigured"],
    [404, "misconfigured"],
    [429, "unreachable"],
    [500, "unreachable"],
    [503, "unreachable"],
  ])("takes status %i for %s", async (code, failure) => {
    expect(await failureOf(status(code))).toMatchObject({ failure, calls: 1 });
  });

  test.each([301, 302, 303, 307, 308])(
    "does not follow a redirect with status %i",
    async (code) => {
      const other = await startProvider(D);
      const { failure, message } = await failureOf(
        status(code, { location: `${other.url}/embeddings` }),
      );
      expect(failure).toBe("misconfigured");
      expect(message).toMatch(/redirects are not followed/);
      expect(other.asked).toEqual([]);
    },
  );

  test.each<[string, Behaviour]>([
    ["hangs", () => {}],
    ["hangs midway", (_, response) => void response.write('{"data":[')],
  ])("gives up a provider that %s", async (_, behaviour) => {
    const start = performance.now();
    expect(await failureOf(behaviour)).toMatchObject({
      failure: "unreachable",
      message: /within 300 ms/,
    });
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  test.each<[string, Behaviour]>([
    ["hangs up", (_, response) => void response.destroy()],
    [
      "hangs up midway",
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"data":[');
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])("gives up a provider that %s", async (_, behaviour) => {
    expect(await failureOf(behaviour)).toMatchObject({
      failure: "unreachable",
      message: /broke off/,
    });
  });

  test("fails if no server listens", async () => {
    const { provider, embedder } = await set(undefined, { pace: { retries: 1 } });
    await provider.close();
    await expect(embedder.texts(["a"], MODEL, never)).rejects.toMatchObject({
      failure: "unreachable",
    });
  });
});

describe("retries", () => {
  const failing =
    (times: number, how: Behaviour): Behaviour =>
    (asked, response) =>
      times-- > 0 ? how(asked, response) : json(response, answerTo(asked, D));

  test("repeat temporary failures after growing delays", async () => {
    const { provider, embedder } = await set(failing(3, status(500)), { pace: { firstDelay: 40 } });
    const start = performance.now();
    expect(await embedder.texts(["a"], MODEL, never)).toHaveLength(1);
    expect(provider.asked).toHaveLength(4);
    expect(performance.now() - start).toBeGreaterThan(40 + 80 + 160);
  });

  test("end after the configured number", async () => {
    const { provider, embedder } = await set(status(503));
    await expect(embedder.texts(["a"], MODEL, never)).rejects.toMatchObject({
      failure: "unreachable",
    });
    expect(provider.asked).toHaveLength(1 + PACE.retries);
  });

  test.each<[string, () => string]>([
    ["seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
  ])("wait as long as the provider says, in %s", async (_, retryAfter) => {
    const busy = (asked: Asked, response: ServerResponse) =>
      status(429, { "retry-after": retryAfter() })(asked, response);
    const { provider, embedder } = await set(failing(1, busy));
    const start = performance.now();
    await embedder.texts(["a"], MODEL, never);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(provider.asked).toHaveLength(2);
  });

  test("do not happen if the provider asks for a long wait", async () => {
    const { provider, embedder } = await set(status(429, { "retry-after": "3600" }));
    await expect(embedder.texts(["a"], MODEL, never)).rejects.toMatchObject({
      retryAfter: 3_600_000,
    });
    expect(provider.asked).toHaveLength(1);
  });

  test("end on an abort, as does a call", async () => {
    for (const behaviour of [() => {}, status(429, { "retry-after": "2" })]) {
      const { embedder } = await set(behaviour, { timeout: 10_000 });
      const end = new AbortController();
      const start = performance.now();
      setTimeout(() => end.abort(new Error("enough")), 100);
      await expect(embedder.texts(["a"], MODEL, end.signal)).rejects.toThrow("enough");
      expect(performance.now() - start).toBeLessThan(1_500);
    }
  });
});

describe("the circuit breaker", () => {
  test("stops calls to a failing provider, and resumes them later", async () => {
    // So long that a busy machine calls again within it.
    const rest = 3_000;
    const pace = { retries: 0, rest };
    const { provider, embedder, logged } = await set(status(500), { pace });
    for (let call = 0; call < PACE.failures; call++)
      await embedder.texts(["a"], MODEL, never).catch(() => {});
    const resting = await embedder.texts(["a"], MODEL, never).catch((error: unknown) => error);
    expect(isBreakerOpen(resting)).toBe(true);
    expect(await embedder.atOnce("agent", "a", MODEL, "question")).toBeUndefined();
    expect(provider.asked).toHaveLength(PACE.failures);
    expect(logged.join()).toContain("it is not called for a while");

    provider.behave();
    await new Promise((resolve) => setTimeout(resolve, rest + 20));
    expect(await embedder.atOnce("agent", "a", MODEL, "question")).toEqual(
      Float32Array.from(vectorOf("a", D)),
    );
    expect(await embedder.texts(["a"], MODEL, never)).toHaveLength(1);
    expect(logged.join()).toContain("is back");
    expect(logged.join()).not.toContain(KEY);
  });

  test("does not count refused texts as failures", async () => {
    const { provider, embedder } = await set(status(400));
    for (let call = 0; call < 2 * PACE.failures; call++)
      await embedder.texts(["a"], MODEL, never).catch(() => {});
    provider.behave();
    expect(await embedder.texts(["a"], MODEL, never)).toHaveLength(1);
  });

  test("does not delay questions while one call tests the provider", async () => {
    const { provider, embedder } = await set(status(500), { pace: { retries: 0 }, timeout: 1_500 });
    for (let call = 0; call < PACE.failures; call++)
      await embedder.texts(["a"], MODEL, never).catch(() => {});
    provider.behave(() => {});
    await new Promise((resolve) => setTimeout(resolve, PACE.rest + 20));
    let isOver = false;
    const trying = embedder.texts(["a"], MODEL, never).catch(() => {
      isOver = true;
    });
    expect(await embedder.atOnce("agent", "b", MODEL, "question")).toBeUndefined();
    expect(isOver).toBe(false);
    await trying;
  });
});

describe("questions", () => {
  test("are cached for each model, agent and purpose, and sent once for concurrent requests", async () => {
    const { provider, embedder } = await set();
    const ask = (text: string, name = "model", agent = "agent") =>
      embedder.atOnce(agent, text, { name, dimensions: undefined }, "question");
    const [a, again] = await Promise.all([ask("a"), ask("a")]);
    expect(a).toEqual(Float32Array.from(vectorOf("a", D)));
    expect(again).toBe(a);
    expect(await ask("a")).toBe(a);
    await ask("b");
    await ask("a", "other");
    await ask("a", "model", "another agent");
    // A new memory with the words of a question may have another embedding.
    await embedder.atOnce("agent", "a", { name: "model", dimensions: undefined }, "passage");
    expect(provider.asked.map(({ model, input }) => [model, input])).toEqual([
      ["model", ["a"]],
      ["model", ["b"]],
      ["other", ["a"]],
      ["model", ["a"]],
      ["model", ["a"]],
    ]);
  });

  test("have a short timeout and no retries; a failure is not cached", async () => {
    const { provider, embedder, logged } = await set(() => {}, { timeout: 60_000 });
    const start = performance.now();
    expect(await embedder.atOnce("agent", "secret plan", MODEL, "question")).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(provider.asked).toHaveLength(1);
    expect(logged.join()).toContain("by its words alone");
    expect(logged.join()).not.toContain("secret plan");
    provider.behave();
    expect(await embedder.atOnce("agent", "secret plan", MODEL, "question")).toHaveLength(D);
  });
});

describe("the text of a memory", () => {
  const memory = {
    type: "concept",
    subtype: "custom:trade_entry",
    content_title: "Title",
    content_summary: "Summary.",
    content_body: "Body.",
  };

  test("is its label, title, summary and body", () => {
    expect(embeddingText(memory)).toBe("[trade entry] Title Summary. Body.");
    expect(embeddingText({ ...memory, subtype: "custom:turn_summary" })).toMatch(
      /^\[conversation summary\] Title/,
    );
    expect(embeddingText({ ...memory, subtype: null, content_summary: null })).toBe(
      "[concept] Title Body.",
    );
    expect(embeddingText({ ...memory, subtype: "constructor", content_body: "" })).toBe(
      "[constructor] Title Summary.",
    );
  });

  test("is truncated if it is long", () => {
    const text = embeddingText({ ...memory, content_body: "x".repeat(40_000) });
    expect(text).toHaveLength(30_000);
    expect(text.startsWith("[trade entry] Title Summary. xxx")).toBe(true);
  });
});
