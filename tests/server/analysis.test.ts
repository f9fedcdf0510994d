// A language model analyses episodes: the requests to the model, and the handling of its answers,
// useful or not.

import { expect, vi } from "vitest";
import { Analyst } from "../../js/server/src/analysis/analyst.ts";
import { Chat } from "../../js/server/src/analysis/chat.ts";
import { createLog } from "../../js/server/src/log.ts";
import { describe, test } from "../support/in-turn.ts";
import {
  type Asked,
  answerTo,
  type Behaviour,
  json,
  type Provider,
  startProvider,
} from "./support/embedding-provider.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** For a test that starts several programs. */
const BUSY = { timeout: 180_000 };

const KEY = "sk-very-secret";
const log = createLog({ log_level: "silent", log_format: "json" });
const PROMPT = { system: "Say what they teach.", user: "Group BTC" };

/** A request to the model. */
type Question = Asked & { messages: { role: string; content: string }[] };

const completion = (content: unknown, finish_reason = "stop") => ({
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason }],
});

/** Answers every request with this text; embeddings work as usual. */
const says =
  (text: (question: Question) => string): Behaviour =>
  (asked, response) => {
    if (asked.url.endsWith("/embeddings")) json(response, answerTo(asked, 64));
    else json(response, completion(text(asked as Question)));
  };

const lesson = (symbol: string) =>
  `TITLE: Patience with ${symbol}\nEntries after the squeeze were won, and before it lost.`;
const symbolOf = ({ messages }: Question) => /^Group (\w+)/.exec(messages[1]!.content)![1]!;

/** A server with a model, as one agent sees it. */
async function set(behaviour: Behaviour, options: readonly string[] = []) {
  const provider = await startProvider();
  provider.behave(behaviour);
  const model = [
    "--analysis-provider",
    "openai-compatible",
    "--analysis-base-url",
    provider.url,
    "--analysis-key",
    KEY,
  ];
  const server = await start(temporaryFolder(), [
    ...["--preset", "trading"],
    ...model,
    "--analysis-model",
    "words",
    ...options,
  ]);
  const client = clientOf(server, "trader");
  await client.create({ type: "episode", subtype: "custom:note", content_title: "Something else" });
  return { provider, server, client };
}

/** Closed trades of a symbol: those after a signal were won, the others lost. */
async function trade(client: Client, symbol: string, count = 12): Promise<void> {
  const items = Array.from({ length: count }, (_, place) => {
    const isCalled = place % 2 === 0;
    const signals = {
      symbol,
      side: "long",
      trade_type: isCalled ? "macro" : "scalp",
      pnl_pct: isCalled ? 3 : -2,
    };
    const content_body = JSON.stringify({ text: `Trade ${place}`, signals });
    return {
      type: "episode",
      subtype: "custom:trade_close",
      content_title: `Closed ${symbol}`,
      content_body,
    };
  });
  const { status } = await client.ask("POST /nodes/batch", { items });
  expect(status).toBe(200);
}

const consolidate = async (client: Client) => {
  const { status, body } = await client.ask("POST /consolidate");
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};

/** The lessons about each symbol, and their authors. */
async function learned(client: Client) {
  const rows = await client.stored(
    "SELECT id, subtype, content_title AS title, content_body AS body FROM nodes WHERE content_body LIKE '%consolidation%'",
  );
  const all = rows as { id: string; subtype: string; title: string; body: string }[];
  return all.map(({ body, ...row }) => ({ ...row, content: JSON.parse(body) }));
}
const analyses = async (client: Client) =>
  new Set(
    (await learned(client)).map(
      ({ content }) => `${content.consolidation.symbol} ${content.consolidation.analysis}`,
    ),
  );

describe("a useful answer of the model", () => {
  test("becomes a lesson over the episodes of its request, once", async () => {
    const { provider, server, client } = await set(says((question) => lesson(symbolOf(question))));
    await trade(client, "BTC");
    const report = await consolidate(client);
    expect(report).toMatchObject({
      groups_analyzed: 1,
      patterns_created: 1,
      patterns_strengthened: 0,
      errors: [],
    });
    const [made, ...others] = await learned(client);
    expect(others).toEqual([]);
    expect(made).toMatchObject({
      ...{ subtype: "custom:lesson", title: "Patience with BTC" },
      content: {
        text: "Entries after the squeeze were won, and before it lost.",
        consolidation: { analysis: "model" },
      },
    });
    const { body } = await client.ask(`GET /edges?node_id=${made!.id}`);
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual(
      Array(12).fill("generalizes"),
    );
    const [asked] = provider.asked as Question[];
    expect(asked).toMatchObject({
      url: "/v1/chat/completions",
      model: "words",
      authorization: `Bearer ${KEY}`,
    });
    expect(asked!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(asked!.messages[1]!.content).toContain("Trade 11");
    expect(await consolidate(client)).toMatchObject({
      patterns_created: 0,
      patterns_strengthened: 0,
    });
    expect(provider.asked).toHaveLength(1);
    expect(server.log()).not.toMatch(/very-secret|Trade 11|Patience/);
  });

  test("with a trigger becomes a playbook; and an answer of no pattern is accepted", async () => {
    const trigger =
      'PLAYBOOK_TRIGGER: {"anomaly_types": ["funding_extreme"], "direction": "long", "action": "Buy."}';
    const answers: Record<string, string> = {
      BTC: `${lesson("BTC")}\n${trigger}`,
      ETH: "NO_PATTERN",
    };
    const { client } = await set(says((question) => answers[symbolOf(question)]!));
    await trade(client, "BTC");
    await trade(client, "ETH");
    expect(await consolidate(client)).toMatchObject({
      groups_analyzed: 2,
      patterns_created: 1,
      errors: [],
    });
    const { body } = await client.ask("POST /playbooks/match", {
      events: [{ type: "funding_extreme", symbol: "BTC", severity: 1 }],
    });
    expect(body.matches).toMatchObject([{ id: (await learned(client))[0]!.id, direction: "long" }]);
  });

  test(
    "that repeats a lesson strengthens it, compared by words, or by vectors if they exist",
    BUSY,
    async () => {
      const { client } = await set(says(() => lesson("BTC")));
      const { id } = await client.create({
        content_title: "Patience with BTC",
        content_body: lesson("BTC").split("\n")[1],
      });
      await trade(client, "BTC");
      expect(await consolidate(client)).toMatchObject({
        patterns_created: 0,
        patterns_strengthened: 1,
      });
      expect((await client.ask(`GET /edges?node_id=${id}`)).body.data).toHaveLength(12);

      // This provider gives all texts the same vector.
      const alike: Behaviour = (asked, response) =>
        asked.url.endsWith("/embeddings")
          ? json(response, answerTo({ ...asked, input: asked.input.map(() => "the same") }, 64))
          : json(response, completion(lesson("ETH")));
      const provider = await startProvider();
      provider.behave(alike);
      const embeddings = [
        "--embeddings-provider",
        "openai-compatible",
        "--embeddings-base-url",
        provider.url,
      ];
      const other = await set(alike, embeddings);
      const existing = await other.client.create({
        content_title: "Elsewhere",
        content_body: "Nobody says it like that",
      });
      await trade(other.client, "ETH");
      const waiting = () => other.client.stored("SELECT 1 FROM embedding_queue");
      await vi.waitFor(async () => expect(await waiting()).toEqual([]), {
        timeout: 30_000,
        interval: 100,
      });
      expect(await consolidate(other.client)).toMatchObject({
        patterns_created: 0,
        patterns_strengthened: 1,
      });
      const sources = await other.client.stored("SELECT DISTINCT source_id AS id FROM edges");
      expect(sources).toEqual([{ id: existing.id }]);
    },
  );

  test("is also requested by periodic consolidation, which then releases its lease", async () => {
    const { server, client, provider } = await set(
      says((question) => lesson(symbolOf(question))),
      ["--consolidate-interval", "1"],
    );
    await trade(client, "SOL");
    const created = /"task":"consolidate","agent":"trader".*"patterns_created":1/;
    await vi.waitFor(() => expect(server.log()).toMatch(created), {
      timeout: 30_000,
      interval: 100,
    });
    expect([...(await analyses(client))]).toEqual(["SOL model"]);
    expect(provider.asked).toHaveLength(1);
    const holders = () => client.stored("SELECT holder FROM nous_tasks WHERE name = 'consolidate'");
    await vi.waitFor(async () => expect(await holders()).toEqual([{ holder: null }]), {
      timeout: 30_000,
      interval: 50,
    });
  });
});

describe("a useless answer of the model", () => {
  test("costs no group its lessons: statistics replace it, and the report names it", async () => {
    const { client, server } = await set((asked, response) => {
      if (symbolOf(asked as Question) === "ETH") json(response, completion(lesson("ETH")));
      else json(response, { choices: [] });
    });
    await trade(client, "BTC");
    await trade(client, "ETH");
    const report = await consolidate(client);
    expect(report).toMatchObject({ groups_found: 2, groups_analyzed: 2 });
    const message = "the answer of the provider has no text; statistics took its place";
    expect(report.errors).toEqual([{ symbol: "BTC", stage: "analyze", message }]);
    expect([...(await analyses(client))].sort()).toEqual(["BTC statistics", "ETH model"]);
    expect(report.patterns_created).toBe((await learned(client)).length);
    expect(server.log()).toContain("The language model gave no usable answer");
  });

  test("delays only its own request, and holds no transaction open", async () => {
    let answer = () => {};
    const { client, provider } = await set((asked, response) => {
      answer = () => json(response, completion(lesson(symbolOf(asked as Question))));
    });
    await trade(client, "BTC");
    const report = consolidate(client);
    await vi.waitFor(() => expect(provider.asked).toHaveLength(1), {
      timeout: 20_000,
      interval: 20,
    });
    expect(await client.search("something else", { limit: 1 })).toHaveLength(1);
    // Neither another program nor the server waits for a transaction.
    await client.stored("DELETE FROM nodes WHERE id = 'none'");
    expect(await client.create({ type: "note", subtype: undefined })).toMatchObject({ version: 1 });
    // The episodes of the request have changed meanwhile.
    await trade(client, "BTC", 2);
    answer();
    const { errors } = await report;
    expect(errors).toMatchObject([
      {
        symbol: "BTC",
        stage: "analyze",
        message: expect.stringMatching(/^the episodes changed/),
      },
    ]);
    expect([...(await analyses(client))]).toEqual(["BTC statistics"]);
  });

  test("is not awaited longer than the configured time", async () => {
    const { client } = await set(() => {}, ["--analysis-timeout", "200"]);
    await trade(client, "BTC");
    const { errors } = await consolidate(client);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/did not answer within 200 ms; statistics/) },
    ]);
    expect([...(await analyses(client))]).toEqual(["BTC statistics"]);
  });

  test("does not keep the server from stopping, even with pending requests", async () => {
    const { client, provider, server } = await set(() => {}, ["--consolidate-interval", "1"]);
    await trade(client, "BTC");
    await vi.waitFor(() => expect(provider.asked.length).toBeGreaterThan(0), {
      timeout: 30_000,
      interval: 50,
    });
    expect(await server.end()).toBe(0);
  });
});

describe("answers", () => {
  const pace = { retries: 1, firstDelay: 1, longestDelay: 20, failures: 4, rest: 60_000 };
  const analystOf = ({ url }: Provider, more = {}) =>
    new Analyst(new Chat({ baseUrl: url, key: KEY, model: "words" }), {
      timeout: 2_000,
      log,
      pace,
      ...more,
    });

  const sends =
    (body: unknown, status = 200, headers = {}): Behaviour =>
    (_, response) =>
      json(response, body, status, headers);

  test.each<[string, Behaviour, RegExp, number]>([
    ["a failure of its own", sends({}, 500), /status 500/, 2],
    ["too many requests", sends({}, 429), /status 429/, 2],
    ["another key", sends({}, 401), /status 401/, 1],
    [
      "a redirect",
      sends({}, 307, { location: "http://127.0.0.1:1/v1" }),
      /redirects are not followed/,
      1,
    ],
    ["a connection that breaks off", (_, response) => response.destroy(), /broke off/, 2],
    ["no JSON", sends("I would rather not"), /is not JSON/, 1],
    ["null", sends("null"), /has no text/, 1],
    ["no choice", sends({ choices: [] }), /has no text/, 1],
    ["a choice without a message", sends({ choices: [{ message: null }] }), /has no text/, 1],
    ["a text that is none", sends(completion({ text: "TITLE: x" })), /has no text/, 1],
    ["blanks", sends(completion(" \n ")), /is empty/, 1],
    ["thoughts alone", sends(completion("<think>Hm.</think>\n")), /is empty/, 1],
    [
      "a part of a text",
      sends(completion("TITLE: x\nAlways buy", "length")),
      /did not come to its end/,
      1,
    ],
    [
      "a text without end",
      sends(completion("buy ".repeat(10_000))),
      /longer than 20000 characters/,
      1,
    ],
    [
      "more than is read",
      sends(completion("buy ".repeat(300_000))),
      /larger than 1048576 bytes/,
      1,
    ],
  ])("are refused: %s", async (_, behaviour, why, calls) => {
    const provider = await startProvider();
    provider.behave(behaviour);
    expect(await analystOf(provider).answers([PROMPT])).toEqual([
      { failure: expect.stringMatching(why) },
    ]);
    expect(provider.asked).toHaveLength(calls);
  });

  test("begin after the model's thoughts", async () => {
    const provider = await startProvider();
    provider.behave(sends(completion(`<think>\nPerhaps?\n</think>\n\n${lesson("BTC")}`)));
    expect(await analystOf(provider).answers([PROMPT])).toEqual([{ text: lesson("BTC") }]);
  });

  test("are requested one by one; a model that fails repeatedly is skipped", async () => {
    const provider = await startProvider();
    provider.behave(sends({}, 500));
    const outcomes = await analystOf(provider).answers(Array(5).fill(PROMPT));
    expect(outcomes).toHaveLength(5);
    expect(outcomes.at(-1)).toEqual({ failure: expect.stringContaining("left alone") });
    expect(provider.asked).toHaveLength(pace.failures);
  });

  test("of a cycle share one time limit", async () => {
    const provider = await startProvider();
    provider.behave(() => {});
    const outcomes = await analystOf(provider, { cycleTime: 100 }).answers([PROMPT, PROMPT]);
    expect(outcomes).toEqual(Array(2).fill({ failure: "the answers took more than 100 ms" }));
    expect(provider.asked).toHaveLength(1);
  });
});
