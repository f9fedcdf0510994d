// Requests that the server refuses: 400 with the path of the wrong value, or 413, and no partial
// effect. Answers contain neither stacks nor SQL.

import { request } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { runs } from "../support/amount.ts";
import { LESSON, sharedServer } from "./support/shared-server.ts";

const MAX_BODY = 4_000_000;
const { server, client } = sharedServer(["--max-body-bytes", String(MAX_BODY)]);

const NAMES: unknown[] = ["", 7, null, {}, [], true, "x".repeat(201), "a\0b"];
const TEXTS: unknown[] = [7, {}, [], true, "a\0b", "x".repeat(1_000_001)];
const SHARES: unknown[] = [-0.1, 1.1, "0.5", {}, true];
const INSTANTS: unknown[] = [
  ...["", "yesterday", "2026-13-01", "2026-02-01T25:00:00Z", 1_700_000_000, {}, "x".repeat(100)],
  // In UTC these lie in years without four digits.
  ...["0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"],
];
/** Deeper than the limit of nested data. */
const DEEP = JSON.parse(`${'{"a":'.repeat(101)}{}${"}".repeat(101)}`);
const VECTORS: unknown[] = [[], [0, 0], [1e-50], [1, "2"], [1, null], [1e39], "1,2", {}, 7];
const STATES: unknown[] = ["active", "", "constructor", 1, {}];
const LIMITS: unknown[] = [-1, 1.5, "10", {}, true];

/** A call, a valid body, and wrong values of its fields. */
const BODIES: [string, object, Record<string, unknown[]>][] = [
  [
    "POST /nodes/check-similar",
    { content: "Extremes revert" },
    {
      content: ["", 7, null, undefined, {}, "a\0b"],
      title: ["", 7, {}],
      subtype: [7, {}, "x".repeat(201)],
      limit: [-1, 1.5, "5"],
      embedding: [[], [0, 0], "x", [1e39]],
    },
  ],
  [
    "POST /nodes",
    LESSON,
    {
      type: [...NAMES, undefined],
      content_title: ["", 7, null, {}, "x".repeat(10_001), "a\0b", undefined],
      subtype: [7, {}, "x".repeat(201)],
      content_summary: TEXTS,
      content_body: TEXTS,
      neural_stability: [0, -1, "7", {}, true],
      temporal_event_time: INSTANTS,
      temporal_event_confidence: SHARES,
      temporal_event_source: [7, {}],
      embedding: VECTORS,
      embedding_model: [7, {}],
      tags: [
        7,
        "x",
        [7],
        [""],
        ["x".repeat(201)],
        Array.from({ length: 101 }, () => "x"),
        ["a\0b"],
      ],
      id: ["", 7, {}, "a/b", "a b", "é", ".", "x".repeat(201), "a\0b"],
      signals: [7, "x", [], DEEP, [{ pnl_pct: 1 }], { "": 1 }, { note: "x".repeat(1_000_001) }],
    },
  ],
  [
    "PATCH /nodes/n_none",
    { content_title: "x" },
    {
      type: NAMES,
      content_title: ["", 7, null],
      content_body: TEXTS,
      neural_stability: [0, -1],
      neural_retrievability: [...SHARES, null],
      neural_difficulty: [...SHARES, null],
      state_lifecycle: [...STATES, null],
      embedding: VECTORS,
    },
  ],
  [
    "POST /edges",
    { source_id: "n_1", target_id: "n_2", type: "causes" },
    {
      source_id: [...NAMES, undefined],
      target_id: [...NAMES, undefined],
      type: [...NAMES, undefined],
      strength: SHARES,
      confidence: SHARES,
      neural_weight: SHARES,
      subtype: [7, {}],
    },
  ],
  ["POST /edges/e_none/strengthen", {}, { amount: [-0.1, "0.5", {}, true, null] }],
  [
    "POST /search",
    { query: "funding" },
    {
      query: ["", 7, null, {}, "x".repeat(10_001), undefined],
      type: [7, {}],
      subtype: [7, {}],
      lifecycle: STATES,
      limit: LIMITS,
      time_range: [7, "today", { type: "never" }, { start: "soon" }, { end: 5 }],
      cluster_ids: [7, "c", [1], [""], Array.from({ length: 1_001 }, () => "c")],
      embedding: VECTORS,
    },
  ],
  [
    "POST /clusters",
    { name: "Majors" },
    {
      name: [...NAMES, undefined],
      description: TEXTS,
      icon: [7, {}],
      pinned: ["yes", 1, null],
      auto_subtypes: ["custom:trade", [7], [""], Array.from({ length: 101 }, () => "x")],
    },
  ],
  [
    "PATCH /clusters/c_none",
    { name: "x" },
    { name: NAMES, pinned: [null, 1], auto_subtypes: [{}, [null]] },
  ],
  [
    "POST /clusters/c_none/members",
    { node_id: "n_1" },
    { node_id: [...NAMES, undefined], weight: SHARES, pinned: ["no", 0] },
  ],
  [
    "POST /contradiction/detect",
    { content: "x" },
    { content: ["", 7, null, undefined, "a\0b"], title: ["", 7, {}] },
  ],
  [
    "POST /contradiction/queue",
    { old_node_id: "n_1", new_node_id: "n_2" },
    {
      old_node_id: [...NAMES, undefined],
      new_node_id: ["", 7, {}, "n_1", null, undefined],
      new_content: TEXTS,
      detection_confidence: SHARES,
      expires_at: INSTANTS,
    },
  ],
  [
    "POST /contradiction/resolve",
    { conflict_id: "q_1", resolution: "merge" },
    {
      conflict_id: [...NAMES, undefined],
      resolution: ["", "both", 7, null, undefined],
      merged_content: TEXTS,
    },
  ],
  [
    "POST /contradiction/batch-resolve",
    {},
    {
      items: [
        [],
        {},
        undefined,
        [{ conflict_id: "q_1" }],
        Array.from({ length: 51 }, () => ({ conflict_id: "q_1", resolution: "merge" })),
      ],
    },
  ],
  [
    "POST /nodes/batch",
    {},
    {
      items: [
        [],
        {},
        undefined,
        [{ type: "note" }],
        [{ ...LESSON, id: "a b" }],
        Array.from({ length: 101 }, () => LESSON),
      ],
    },
  ],
  [
    "POST /nodes/batch-get",
    { ids: ["n_1"] },
    {
      ids: [[], "n_1", undefined, [7], Array.from({ length: 201 }, () => "n_1")],
      recall: ["no", null, 0],
    },
  ],
  [
    "POST /edges/batch",
    {},
    {
      items: [
        [],
        undefined,
        [{ source_id: "n_1", target_id: "n_2" }],
        Array.from({ length: 501 }, () => ({ source_id: "n_1", target_id: "n_2", type: "causes" })),
      ],
    },
  ],
  [
    "POST /playbooks/match",
    { events: [{ type: "funding_extreme", severity: 1 }] },
    {
      events: [
        ...[
          undefined,
          null,
          {},
          "x",
          [7],
          [{ type: "x" }],
          [{ type: "", severity: 1 }],
          [{ type: "x", severity: 2 }],
        ],
        ...[
          [{ type: "x", severity: 1, symbol: 7 }],
          Array.from({ length: 1_001 }, () => ({ type: "x", severity: 1 })),
        ],
      ],
      snapshot: [
        null,
        7,
        [],
        { x: "1" },
        { x: [null] },
        { x: {} },
        { "": 1 },
        { x: new Array(10_001).fill(1) },
      ],
    },
  ],
  ...["POST /retrieve", "POST /context/lines"].map(
    (call): [string, object, Record<string, unknown[]>] => [
      call,
      { query: "funding" },
      {
        query: ["", 7, null, "x".repeat(10_001), undefined],
        subtype: [7, {}],
        lifecycle: STATES,
        time_range: [7, { type: "never" }],
        embedding: VECTORS,
        recall: [7, "often", null],
      },
    ],
  ),
  ["POST /context/lines", { query: "funding" }, { max_tokens: [-1, "10", null, 1e7] }],
  [
    "POST /context",
    { input: "What did we decide about BTC?" },
    {
      input: [undefined, null, 7, {}, "x".repeat(100_001), "a\0b"],
      identity: [null, 7, "x".repeat(100_001)],
      frame: [7, "", [], { frame_name: "x" }, { frame_id: "x", questions_to_ask: "why" }],
      messages: ["x", [7], [{ role: "user" }], [{ content: "x" }]],
      censors: [
        [{ id: "c", text: "x", action: "maybe" }],
        [{ id: "", text: "x", action: "warn" }],
        {},
      ],
      working_memory: ["x", { open_threads: "x" }, { items: [{ text: "x" }] }],
      budgets: [7, { total: -1 }, { total: 1.5 }, { everything: 1 }],
      recall: [7, "often", null],
    },
  ],
  [
    "POST /context/feedback",
    { context_id: "c", recalled_content: {}, response: "" },
    {
      context_id: [...NAMES, undefined],
      recalled_content: [undefined, null, 7, [], { n_1: 7 }, { "": "x" }],
      response: [undefined, null, 7, "x".repeat(1_000_001)],
      input: [7, {}, "x".repeat(100_001)],
    },
  ],
  [
    "POST /search/feedback",
    { question: "x", shown: ["n_1"], used: [] },
    {
      question: ["", 7, null, undefined],
      shown: [undefined, null, "n_1", [7], [""], Array(101).fill("n_1")],
      used: [undefined, null, "n_1", [7], ["n_2"]],
    },
  ],
  [
    "POST /playbooks/outcome",
    { entry_id: "n_none", profitable: true },
    { entry_id: [...NAMES, undefined], profitable: [undefined, null, 1, "true"] },
  ],
  ["POST /classify-query", { query: "x" }, { query: ["", 7, null, undefined] }],
  ["POST /decay", {}, { force: ["yes", 1, null, {}] }],
];

const QUERIES = [
  ...[
    "limit=-1",
    "limit=1.5",
    "limit=ten",
    "limit=",
    "lifecycle=active",
    "created_after=soon",
    "type=",
  ].map((query) => `GET /nodes?${query}`),
  ...["", "?node_id=", "?node_id=n_1&direction=up"].map((query) => `GET /edges${query}`),
  "GET /nodes/n_1?recall=maybe",
  ...["status=done", "limit=x", "cursor=abc"].map((query) => `GET /contradiction/queue?${query}`),
  ...["/nodes?", "/graph?", "/edges?node_id=n_1&"].map((list) => `GET ${list}cursor=WzEsMl0`),
  ...["limit=0", "limit=x", "cursor=", "cursor=abc", `cursor=${"x".repeat(1_001)}`].map(
    (query) => `GET /clusters?${query}`,
  ),
];

describe("wrong input", () => {
  test.each(BODIES)("%s", async (call, good, fields) => {
    const { ask } = client();
    for (const [field, values] of Object.entries(fields)) {
      for (const value of values) {
        const { status, body } = await ask(call, { ...good, [field]: value });
        const shown = `${field} = ${JSON.stringify(value)?.slice(0, 40)}`;
        expect({ shown, status, error: body.error }).toEqual({
          shown,
          status: 400,
          error: "the request is not valid",
        });
        expect(body.issues[0].path.split(".")[0], shown).toBe(field);
        expect(Object.keys(body).sort()).toEqual(["error", "issues"]);
      }
    }
  });

  test.each(QUERIES)("%s", async (call) => {
    const { status, body } = await client().ask(call);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { issues: [{ path: expect.any(String) }] },
    });
  });

  test("bodies that are not objects, or not JSON", async () => {
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      "7",
      '"x"',
      "[".repeat(100_000),
      '{"query": 1',
      "\u0000",
    ]) {
      const { status, body } = await client().ask("POST /search", text);
      expect({ text: text.slice(0, 20), status, path: body.issues[0].path }).toMatchObject({
        status: 400,
        path: "",
      });
    }
  });

  test("a body without a JSON content type", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "",
      "application/jsonp",
    ]) {
      const { status, body } = await client().ask("POST /search", '{"query": "x"}', {
        "content-type": type,
      });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { error: "the body is not JSON" },
      });
    }
    const charset = { "content-type": "application/json; charset=utf-8" };
    expect((await client().ask("POST /search", '{"query": "x"}', charset)).status).toBe(200);
  });

  test("a body in another encoding", async () => {
    const body = Buffer.from(JSON.stringify({ ...LESSON, content_title: "Überschuss" }), "latin1");
    const headers = { "content-type": "application/json", "x-nous-agent": client().agent };
    const response = await fetch(`${server().url}/v1/nodes`, { method: "POST", headers, body });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: { error: "the body is not JSON", issues: [{ path: "", message: "must be in UTF-8" }] },
    });
  });

  test("invalid names of agents", async () => {
    for (const name of ["", "x".repeat(201), "\xff\xfe", "a\xc2\x85b", "a\tb"]) {
      const { status, body } = await server().ask("GET /health", undefined, {
        "x-nous-agent": name,
      });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { issues: [{ path: "X-Nous-Agent" }] },
      });
    }
  });

  test("invalid ids are not found, whatever their form", async () => {
    for (const id of [
      "n_none",
      "%00",
      "..%2f..%2fetc",
      "' OR 1=1 --",
      "x".repeat(5_000),
      "%F0%9F%99%82",
    ]) {
      for (const call of [`GET /nodes/${id}`, `DELETE /nodes/${id}`, `DELETE /edges/${id}`]) {
        expect((await client().ask(call)).status, call).toBe(404);
      }
    }
  });

  test("changes nothing", async () => {
    const { ask, create } = client();
    const { id } = await create();
    await ask(`PATCH /nodes/${id}`, { content_title: "new", neural_difficulty: 2 });
    expect((await ask(`GET /nodes/${id}?recall=false`)).body).toMatchObject({
      version: 1,
      content_title: LESSON.content_title,
    });
  });
});

test("days that do not exist are not accepted as times", async () => {
  const { ask, create } = client();
  for (const day of ["2026-02-29", "2026-02-31", "2026-04-31", "2026-13-01", "2026-01-00"]) {
    for (const time of [day, `${day}T00:00:00Z`, `${day} 10:00:00`]) {
      const node = { type: "note", content_title: "x", temporal_event_time: time };
      expect(await ask("POST /nodes", node)).toMatchObject({
        status: 400,
        body: { issues: [{ path: "temporal_event_time" }] },
      });
    }
  }
  const { temporal_event_time } = await create({
    temporal_event_time: "2028-02-29T23:30:00-01:00",
  });
  expect(temporal_event_time).toBe("2028-02-29T23:30:00.000-01:00");
});

test("half a surrogate pair becomes the same text everywhere, so that a request may be sent again", async () => {
  const { ask } = client();
  const node = { type: "note", content_title: "a\ud800b", id: "own" };
  const first = await ask("POST /nodes", node);
  expect(first).toMatchObject({ status: 201, body: { content_title: "a\ufffdb" } });
  expect((await ask("POST /nodes", node)).status).toBe(first.status);
});

describe("oversized input", () => {
  test("a body over the limit is 413, with or without a content length", async () => {
    const text = JSON.stringify({ ...LESSON, content_body: "x".repeat(MAX_BODY) });
    expect(await client().ask("POST /nodes", text)).toMatchObject({
      status: 413,
      body: { error: expect.any(String) },
    });
    const { port, hostname } = new URL(server().url);
    const status = await new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
      const sending = request(
        { hostname, port, path: "/v1/nodes", method: "POST", headers },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sending.on("error", reject);
      for (let at = 0; at < text.length; at += 500_000) sending.write(text.slice(at, at + 500_000));
      sending.end();
    });
    expect(status).toBe(413);
  });

  test("a question of ten thousand different words is answered", async () => {
    const { create, search } = client();
    const { id } = await create();
    const query = `squeeze ${Array.from({ length: 1_200 }, (_, place) => `word${place}`).join(" ")}`;
    expect(await search(query)).toEqual([id]);
  });
});

test("no search text causes a failure or a false match", {
  timeout: 120_000,
}, async () => {
  const { create, search } = client();
  const { id } = await create();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), async (query) => {
      if (query.includes("\0")) return;
      expect([[], [id]]).toContainEqual(await search(query));
    }),
    runs(200),
  );
});

test("the log contains no text, and answers name no internals", async () => {
  const { ask, create, search } = client();
  await create({ content_title: "xylophone secret", content_body: "xylophone body" });
  await search("xylophone question");
  await ask("POST /nodes", { ...LESSON, type: 7, content_title: "xylophone wrong" });
  await ask("GET /nodes?type=xylophone");
  await expect.poll(() => server().log()).toContain('"route":"/v1/search"');
  expect(server().log()).not.toContain("xylophone");
  for (const line of server().log().trim().split("\n"))
    expect(JSON.parse(line)).toHaveProperty("level");
  expect(agentFile("", "a")).not.toBe(agentFile("", "A"));
});

describe("a key __proto__", () => {
  // A literal would set the prototype.
  const ODD = JSON.parse('{"__proto__": "text", "constructor": {"__proto__": [1]}}');

  test("of metadata is kept, on every route that takes them", async () => {
    const own = client();
    const read = async (id: string) =>
      JSON.stringify((await own.ask(`GET /nodes/${id}`)).body.metadata);
    const { id } = await own.create({ metadata: ODD });
    expect(await read(id)).toBe(JSON.stringify(ODD));
    await own.ask(`PATCH /nodes/${id}`, { metadata: JSON.parse('{"__proto__": 2}') });
    expect(await read(id)).toBe('{"__proto__":2}');
    const fields = { text: "The lamp is lit at dusk.", metadata: ODD };
    const remembered = (await own.ask("POST /remember", fields)).body.stored[0];
    expect(await read(remembered.id)).toBe(JSON.stringify(ODD));
    const more = { ...fields, metadata: JSON.parse('{"at": 1}') };
    expect((await own.ask("POST /remember", more)).body.duplicates).toBe(1);
    expect(JSON.parse(await read(remembered.id))).toEqual({ ...ODD, at: 1 });
  });

  test("whose value would be dropped is refused", async () => {
    const own = client();
    await own.create({ metadata: { a: 1 } });
    const filter = { metadata: JSON.parse('{"__proto__": 1}') };
    for (const call of ["POST /search", "POST /nodes/delete"]) {
      const { status, body } = await own.ask(call, {
        query: call.includes("search") ? "x" : undefined,
        filter,
      });
      expect(status).toBe(400);
      expect(body.issues).toContainEqual({
        ...{ path: "filter.metadata.__proto__", message: "cannot be a key: give it another name" },
      });
    }
  });
});
