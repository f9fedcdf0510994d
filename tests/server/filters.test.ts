// Fields by which memories are filtered: the filter of requests against one in plain TypeScript, lists
// and deletions by a filter, replacement by id, expiry, and fields that no request has.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filter as filterSchema } from "../../js/server/src/api/filter.ts";
import type { OperationShape } from "../../js/server/src/api/operation.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import {
  FIELDS,
  TAG_OPERATORS,
  TIME_OPERATORS,
  VALUE_OPERATORS,
} from "../../js/server/src/storage/filters/operators.ts";
import { amount, runs } from "../support/amount.ts";
import { expire, LESSON, sharedServer } from "./support/shared-server.ts";

const { server, client } = sharedServer();

interface Stored {
  id: string;
  type: string;
  subtype: string | null;
  user: string | null;
  session: string | null;
  source: string | null;
  tags: string[];
  metadata: Record<string, unknown> | null;
  created_at: string;
  event_time: string | null;
  memory_section: string;
  state_lifecycle: string;
}

/** The routes that take a filter in their query. */
const ROUTES_WITH_FILTERS: readonly string[] = Object.values<OperationShape>(AGENT_OPERATIONS)
  .filter(({ method, query }) => method === "get" && query?.shape.filter !== undefined)
  .map(({ path }) => path);

const USERS = ["mira", "omar", null];
/** Tags in the spellings of models and clients: of each row, all are one tag. */
const SPELLINGS = [
  ["home", "Home", "HOME"],
  ["größe", "Größe", "gr\u006f\u0308ße", "GR\u00d6ßE"],
  ["draft", "Draft"],
];
const TAGS = SPELLINGS.flat();
const foldedTag = (tag: string): string => SPELLINGS.find((row) => row.includes(tag))![0]!;
const DAYS = ["2026-01-05T00:00:00.000Z", "2026-03-05T00:00:00.000Z", "2026-05-05T00:00:00.000Z"];
/** Times of creation. Memories of last month would leave their states during the test. */
const HOURS = [1, 2, 3].map((ago) => new Date(Date.now() - ago * 3_600_000).toISOString());

const memory = fc.record({
  type: fc.constantFrom("note", "episode"),
  subtype: fc.constantFrom("custom:lesson", "custom:trade_entry", null),
  user: fc.constantFrom(...USERS),
  session: fc.constantFrom("s1", "s2", null),
  source: fc.constantFrom("chat", "import"),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  metadata: fc.option(
    fc.record(
      {
        pages: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom("3", true, null)),
        project: fc.record({ name: fc.constantFrom("a", "b") }),
        marks: fc.array(fc.constantFrom<unknown>(1, 2, "x", "y", true, null, ["x"], { x: 1 }), {
          maxLength: 3,
        }),
      },
      { requiredKeys: [] },
    ),
  ),
  created_at: fc.constantFrom(...HOURS),
  event_time: fc.option(fc.constantFrom(...DAYS)),
});

const PAGES = [1, 2, 3, "3", "x", true, null] as const;
/** An example and its rule in plain TypeScript for each row of a table of conditions. */
type Examples<Table> = Record<
  keyof Table,
  { given: fc.Arbitrary<unknown>; holds(value: never, given: never): boolean }
>;
/** The entries of a list, or the value alone. */
const entriesOf = (value: unknown): unknown[] => (value === undefined ? [] : listOf(value));
/** The rule that some entry fulfils a bound of its type. */
const some =
  (isSo: (entry: number, bound: number) => boolean) => (value: unknown, bound: unknown) =>
    entriesOf(value).some(
      (entry) => typeof entry === typeof bound && isSo(entry as number, bound as number),
    );
const bound = fc.constantFrom(1, 3, "3", "x");
const VALUES: Examples<typeof VALUE_OPERATORS> = {
  eq: {
    given: fc.constantFrom(...PAGES),
    holds: (value, one) => entriesOf(value).includes(one),
  },
  ne: {
    given: fc.constantFrom(...PAGES),
    holds: (value, one) => value !== undefined && !entriesOf(value).includes(one),
  },
  gt: { given: bound, holds: some((entry, limit) => entry > limit) },
  gte: { given: bound, holds: some((entry, limit) => entry >= limit) },
  lt: { given: bound, holds: some((entry, limit) => entry < limit) },
  lte: { given: bound, holds: some((entry, limit) => entry <= limit) },
  in: {
    given: fc.uniqueArray(fc.constantFrom(...PAGES), { minLength: 1 }),
    holds: (value, listed: unknown[]) => entriesOf(value).some((entry) => listed.includes(entry)),
  },
  exists: { given: fc.boolean(), holds: (value, wanted) => (value !== undefined) === wanted },
};
const day = fc.constantFrom(...DAYS, ...HOURS);
const TIMES: Examples<typeof TIME_OPERATORS> = {
  gte: { given: day, holds: VALUES.gte.holds },
  gt: { given: day, holds: VALUES.gt.holds },
  lte: { given: day, holds: VALUES.lte.holds },
  lt: { given: day, holds: VALUES.lt.holds },
};
const tags = fc.uniqueArray(fc.constantFrom(...TAGS), { minLength: 1 });
const isAmong = (tags: readonly string[]) => (tag: string) =>
  tags.some((one) => foldedTag(one) === foldedTag(tag));
const LABELS: Examples<typeof TAG_OPERATORS> = {
  any: { given: tags, holds: (own: string[], any: string[]) => any.some(isAmong(own)) },
  all: { given: tags, holds: (own: string[], all: string[]) => all.every(isAmong(own)) },
  none: { given: tags, holds: (own: string[], none: string[]) => !none.some(isAmong(own)) },
};

/** One or two conditions of a table. */
const someOf = (table: Examples<Record<string, unknown>>): fc.Arbitrary<object> =>
  fc
    .shuffledSubarray(Object.keys(table), { minLength: 1, maxLength: 2 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, table[name]!.given]))),
    );
const holdAll = (table: Examples<Record<string, unknown>>, value: unknown, given: object) =>
  Object.entries(given).every(([name, one]) => table[name]!.holds(value as never, one as never));
const oneOrMore = (...values: readonly (string | null)[]) =>
  fc.oneof(
    fc.constantFrom(...values),
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }),
  );
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const has = (field: keyof Stored) => (memory: Stored, wanted: unknown) =>
  listOf(wanted).includes(memory[field]);
const at = (data: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], data);

const CONDITIONS: Examples<typeof FIELDS> = {
  ids: { given: fc.uniqueArray(fc.nat(60), { minLength: 1 }), holds: has("id") },
  user: { given: oneOrMore(...USERS), holds: has("user") },
  session: { given: oneOrMore("s1", "s2"), holds: has("session") },
  source: { given: oneOrMore("chat", "import", null), holds: has("source") },
  type: { given: oneOrMore("note", "episode"), holds: has("type") },
  subtype: { given: oneOrMore("custom:lesson", null), holds: has("subtype") },
  section: { given: oneOrMore("KNOWLEDGE", "EPISODIC"), holds: has("memory_section") },
  lifecycle: { given: oneOrMore("ACTIVE", "WEAK"), holds: has("state_lifecycle") },
  tags: {
    given: someOf(LABELS),
    holds: (memory: Stored, given) => holdAll(LABELS, memory.tags, given),
  },
  metadata: {
    given: fc.oneof(
      fc.dictionary(
        fc.constantFrom("pages", "marks", "project"),
        fc.oneof(fc.constantFrom(...PAGES), someOf(VALUES)),
        { minKeys: 1, maxKeys: 2 },
      ),
      fc.constantFrom<object>(
        ...[{ "project.name": "a" }, { "project.name": { ne: "a" } }],
        ...[{ project: { exists: false } }, { "project.name": { in: ["b", 3] } }],
      ),
    ),
    holds: ({ metadata }: Stored, paths: object) =>
      Object.entries(paths).every(([path, condition]) => {
        const given = typeof condition === "object" && condition !== null;
        return holdAll(VALUES, at(metadata ?? {}, path), given ? condition : { eq: condition });
      }),
  },
  created: {
    given: someOf(TIMES),
    holds: (memory: Stored, given) => holdAll(TIMES, memory.created_at, given),
  },
  event_time: {
    given: someOf(TIMES),
    holds: (memory: Stored, given) => holdAll(TIMES, memory.event_time, given),
  },
};
type Wanted = Record<string, unknown>;

/** At most three conditions: more of them match nothing. Ids are places among the memories. */
const few: fc.Arbitrary<Wanted> = fc
  .shuffledSubarray(Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[], {
    minLength: 1,
    maxLength: 3,
  })
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, CONDITIONS[name].given]))),
  );

/** Returns a filter with the ids of memories in place of their places. */
function named(wanted: Wanted, stored: readonly Stored[]): Wanted {
  const { ids: places, ...others } = wanted as { ids?: number[] };
  if (places === undefined) return others;
  return { ...others, ids: places.map((place) => stored[place]?.id ?? "missing") };
}

/** The filter in plain TypeScript. */
const passes = (memory: Stored, wanted: Wanted): boolean => holdAll(CONDITIONS, memory, wanted);

describe("a filter", () => {
  test("has an example here of each condition, and each field of requests is a condition", () => {
    const tables = [
      [FIELDS, CONDITIONS],
      [TAG_OPERATORS, LABELS],
      [TIME_OPERATORS, TIMES],
      [VALUE_OPERATORS, VALUES],
    ];
    for (const [table, examples] of tables)
      expect(Object.keys(examples!)).toEqual(Object.keys(table!));
    expect(Object.keys(filterSchema.shape)).toEqual(Object.keys(FIELDS));
  });

  test("keeps the same memories as one in plain TypeScript, in searches, lists and deletions", async () => {
    const own = client();
    const given = fc.sample(memory, runs(60));
    const stored: Stored[] = [];
    for (const [place, fields] of given.entries())
      stored.push(await own.create({ content_title: `Harbour note ${place}`, ...fields }));
    const sorted = (ids: string[]) => [...ids].sort();
    let matched = 0;
    const property = fc.asyncProperty(few, async (wanted) => {
      const filter = named(wanted, stored);
      const expected = sorted(stored.filter((one) => passes(one, filter)).map(({ id }) => id));
      matched += expected.length;
      const found = await own.search("harbour note", { filter, limit: 100 });
      expect(sorted(found)).toEqual(expected);
      const bySignals = await own.search("harbour note", {
        filter,
        limit: 100,
        ranking: "signals",
      });
      expect(sorted(bySignals)).toEqual(expected);
      const listed = await own.ask(
        `GET /nodes?limit=100&filter=${encodeURIComponent(JSON.stringify(filter))}`,
      );
      expect(sorted(listed.body.data.map(({ id }: Stored) => id))).toEqual(expected);
      if (Object.keys(filter).length === 0) return;
      const trial = await own.ask("POST /nodes/delete", { filter, dry_run: true });
      expect(trial.body).toMatchObject({ matched: expected.length, deleted: 0, dry_run: true });
      expect(sorted(trial.body.ids)).toEqual(expected);
    });
    await fc.assert(property, runs(amount(80, 20)));
    expect(matched).toBeGreaterThan(amount(300, 0));
  });

  test("lets no other memory into /retrieve, prompts, lines and the timeline", async () => {
    const own = client();
    const given = fc.sample(memory, runs(60));
    const stored: Stored[] = [];
    for (const [place, fields] of given.entries())
      stored.push(await own.create({ content_title: `Harbour note ${place}`, ...fields }));
    const query = "harbour note";
    const shown = { retrieved: 0, prompted: 0, lines: 0, listed: 0 };
    const property = fc.asyncProperty(few, async (wanted) => {
      const filter = named(wanted, stored);
      const passing = stored.filter((one) => passes(one, filter)).map(({ id }) => id);
      const others = (ids: readonly string[]) => ids.filter((id) => !passing.includes(id));
      const retrieved = await own.ask("POST /retrieve", { query, filter });
      const ids: string[] = retrieved.body.data.map(({ id }: Stored) => id);
      expect(others(ids)).toEqual([]);
      expect(ids.length > 0).toBe(passing.length > 0);
      const { body: built } = await own.ask("POST /context", { input: query, filter });
      const prompted = Object.values(built.recalled_ids as Record<string, string[]>).flat();
      expect(others(prompted)).toEqual([]);
      expect(others(built.left_out.map(({ id }: Stored) => id))).toEqual([]);
      const inPrompt = [...built.prompt.matchAll(/Harbour note (\d+)/g)].map(
        ([, place]) => stored[Number(place)]!.id,
      );
      expect(others(inPrompt)).toEqual([]);
      const { body: lines } = await own.ask("POST /context/lines", { query, filter });
      expect(others(lines.ids)).toEqual([]);
      const asText = encodeURIComponent(JSON.stringify(filter));
      const { body: timeline } = await own.ask(`GET /timeline?limit=200&filter=${asText}`);
      const entries: (Stored & { at: string })[] = timeline.data;
      expect(entries.map(({ id }) => id).sort()).toEqual([...passing].sort());
      const times = entries.map(({ at }) => at);
      expect(times).toEqual([...times].sort());
      shown.retrieved += ids.length;
      shown.prompted += inPrompt.length;
      shown.lines += lines.ids.length;
      shown.listed += times.length;
    });
    await fc.assert(property, runs(amount(60, 15)));
    for (const count of Object.values(shown)) expect(count).toBeGreaterThan(amount(100, 0));
  });

  test("finds few memories among many, whatever stands before them", async () => {
    const own = client();
    const items = Array.from({ length: 100 }, (_, place) => ({
      ...LESSON,
      user: place === 70 ? "mira" : "omar",
    }));
    await own.ask("POST /nodes/batch", { items });
    const { body } = await own.ask("POST /search", {
      query: "funding squeeze",
      limit: 1,
      filter: { user: "mira" },
    });
    expect(body.data).toMatchObject([{ user: "mira" }]);
  });

  test("holds in /retrieve, /context/lines and lists by query fields", async () => {
    const own = client();
    const mine = await own.create({ user: "mira", tags: ["home"], session: "s1", source: "chat" });
    await own.create({ user: "omar", tags: ["work"], session: "s2" });
    const filter = { user: "mira" };
    const { body } = await own.ask("POST /retrieve", { query: "funding squeeze", filter });
    expect(body.data.map(({ id }: Stored) => id)).toEqual([mine.id]);
    const lines = await own.ask("POST /context/lines", { query: "funding squeeze", filter });
    expect(lines.body.ids).toEqual([mine.id]);
    for (const query of ["user=mira", "tag=home", "session=s1", "source=chat"]) {
      const { body } = await own.ask(`GET /nodes?${query}`);
      expect(body.data.map(({ id }: Stored) => id)).toEqual([mine.id]);
    }
  });

  test("is refused if a condition is wrong, by its field, and if it holds for every memory", async () => {
    const { ask, create } = client();
    for (const [filter, path] of [
      [{ usr: "mira" }, "filter.usr"],
      [{ tags: { some: ["a"] } }, "filter.tags.some"],
      [{ metadata: { 'a"b': 1 } }, 'filter.metadata.a"b'],
      [{ created: { gte: "yesterday" } }, "filter.created.gte"],
      [{ section: "TRADES" }, "filter.section"],
    ] as const) {
      const { status, body } = await ask("POST /search", { query: "x", filter });
      expect(status).toBe(400);
      expect(body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    }
    await create();
    for (const filter of [
      { tags: { none: [] } },
      { tags: { all: [] } },
      { tags: {} },
      { metadata: {} },
      { metadata: { a: {} } },
      { created: {} },
      { event_time: {} },
      { user: [] },
      { ids: [] },
    ]) {
      const { status, body } = await ask("POST /nodes/delete", { filter });
      expect([status, body.issues?.length], JSON.stringify(filter)).toEqual([400, 1]);
    }
    expect((await ask("GET /nodes")).body.count).toBe(1);
    const all = await ask("POST /nodes/delete", { filter: {} });
    expect(all).toMatchObject({ status: 400, body: { issues: [{ path: "filter" }] } });
    expect((await ask("GET /nodes?filter=%7B")).status).toBe(400);
  });
});

describe("a filter in a query", () => {
  test("is refused like one in a body, by the field that no filter has", async () => {
    const { ask, create } = client();
    await create({ user: "mira" });
    for (const [filter, path] of [
      [{ user_id: "mira" }, "filter.user_id"],
      [{ user: "mira", nothing: null }, "filter.nothing"],
      [{ tags: { any: ["a"], some: ["b"] } }, "filter.tags.some"],
      [{ metadata: { pages: { gte: 1, above: 2 } } }, "filter.metadata.pages.above"],
      [{ created: { after: "2026-01-01" } }, "filter.created.after"],
    ] as const) {
      const text = encodeURIComponent(JSON.stringify(filter));
      const inBody = await ask("POST /search", { query: "x", filter });
      expect(inBody.status).toBe(400);
      for (const route of ROUTES_WITH_FILTERS) {
        const { status, body } = await ask(`GET ${route}?filter=${text}`);
        const paths = (body.issues ?? []).map((issue: { path: string }) => issue.path);
        expect({ status, paths }, route).toEqual({
          status: 400,
          paths: expect.arrayContaining([path]),
        });
        expect(body.issues).toEqual(inBody.body.issues);
      }
    }
    for (const route of ROUTES_WITH_FILTERS) {
      const text = encodeURIComponent(JSON.stringify({ user: "mira" }));
      expect((await ask(`GET ${route}?filter=${text}`)).body.data, route).toHaveLength(1);
    }
  });
});

describe("a filter of many values", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => at);
  const FILTERS: [string, object][] = [
    ["numbers", { metadata: { pages: { in: many } } }],
    ["texts", { metadata: { name: { in: many.map(String) } } }],
    ["several kinds", { metadata: { pages: { in: [...many.slice(3), "a", true] } } }],
    [
      "20 paths",
      {
        metadata: Object.fromEntries(
          many.slice(0, 20).map((at) => [`p${at}`, { in: many.map(String), gte: "0" }]),
        ),
      },
    ],
    ["states", { lifecycle: many.map((at) => (at % 2 === 0 ? "ACTIVE" : "WEAK")) }],
    ["tags", { tags: { any: many.map((at) => `tag ${at}`), all: ["tag 7"] } }],
  ];

  test.each(FILTERS)("is answered by every route that takes it: %s", async (_, filter) => {
    const own = client();
    const paths = Object.fromEntries(many.slice(0, 20).map((at) => [`p${at}`, String(at)]));
    const { id } = await own.create({
      tags: ["tag 7"],
      metadata: { pages: 977, name: "977", ...paths },
    });
    await own.create({ tags: ["other"], metadata: { pages: -1 } });
    const idsOf = async (call: string, fields: object) => {
      const { status, body } = await own.ask(call, { query: "funding squeeze", ...fields });
      expect(status, call).toBe(200);
      return (body.data ?? []).map((one: Stored) => one.id);
    };
    expect(await idsOf("POST /search", { filter })).toContain(id);
    expect(await idsOf("POST /search", { filter, ranking: "signals" })).toContain(id);
    expect(await idsOf("POST /retrieve", { filter })).toContain(id);
    expect(await idsOf("POST /explain", { filter, id })).toEqual([id]);
    const context = await own.ask("POST /context", { input: "funding squeeze", filter });
    expect(context.status).toBe(200);
    expect(await own.ask("POST /nodes/delete", { filter, dry_run: true })).toMatchObject({
      status: 200,
      body: { ids: expect.arrayContaining([id]) },
    });
  });
});

test("tags are stored as they are given", async () => {
  const own = client();
  const tags = ["Größe", "GRÖSSE", "größe"];
  const { id } = await own.create({ tags });
  expect((await own.ask(`GET /nodes/${id}?recall=false`)).body.tags).toEqual(tags);
});

describe("POST /nodes/delete", () => {
  test("deletes what the filter matches, and nothing else", async () => {
    const own = client();
    await own.create({ user: "mira" });
    const other = await own.create({ user: "omar" });
    const { body } = await own.ask("POST /nodes/delete", { filter: { user: "mira" } });
    expect(body).toMatchObject({ ok: true, matched: 1, deleted: 1 });
    const { data } = (await own.ask("GET /nodes")).body;
    expect(data.map(({ id }: Stored) => id)).toEqual([other.id]);
  });
});

describe("PUT /nodes/{id}", () => {
  test("creates a memory, then replaces it and keeps its edges", async () => {
    const own = client();
    const other = await own.create();
    const made = await own.ask("PUT /nodes/diet", { ...LESSON, tags: ["food"], user: "mira" });
    expect(made).toMatchObject({ status: 200, body: { id: "diet", version: 1, user: "mira" } });
    await own.link("diet", other.id);
    const replaced = await own.ask("PUT /nodes/diet", { type: "note", content_title: "No dairy" });
    expect(replaced.body).toMatchObject({
      ...{ id: "diet", type: "note", content_title: "No dairy", content_body: null },
      ...{ tags: [], user: null, subtype: null, created_at: made.body.created_at },
    });
    expect((await own.ask("GET /edges?node_id=diet&direction=both")).body.count).toBe(1);
    expect(await own.search("dairy", { limit: 1 })).toEqual(["diet"]);
  });

  test("heeds If-Match, and refuses an id in the body", async () => {
    const { ask } = client();
    const at = (version: string) => ({ "if-match": version });
    expect((await ask("PUT /nodes/diet", LESSON, at('"1"'))).status).toBe(412);
    await ask("PUT /nodes/diet", LESSON);
    expect((await ask("PUT /nodes/diet", LESSON, at('"7"'))).status).toBe(412);
    expect((await ask("PUT /nodes/diet", LESSON, at('"1"'))).status).toBe(200);
    expect(await ask("PUT /nodes/diet", { ...LESSON, id: "x" })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "id" }] },
    });
  });
});

describe("a memory with expires_at", () => {
  test("is not found, listed or read any more once its time has come", async () => {
    const own = client();
    const { id } = await own.create({ expires_at: "2999-01-01T00:00:00Z" });
    const kept = await own.create({ expires_at: "2999-01-01T00:00:00Z" });
    await own.link(id, kept.id);
    expect((await own.search("funding squeeze")).sort()).toEqual([id, kept.id].sort());
    await expire(own, id);
    expect(await own.search("funding squeeze")).toEqual([kept.id]);
    expect((await own.ask("GET /nodes")).body.count).toBe(1);
    expect((await own.ask(`GET /nodes/${id}`)).status).toBe(404);
    expect((await own.ask(`GET /edges?node_id=${kept.id}`)).body.count).toBe(0);
    expect((await own.ask("GET /health")).body.node_count).toBe(1);
  });

  test("lives on if its time is changed", async () => {
    const own = client();
    const soon = Date.now() + 4_000;
    const { id } = await own.create({ expires_at: new Date(soon).toISOString() });
    await own.ask(`PATCH /nodes/${id}`, { expires_at: null });
    await new Promise((resolve) => setTimeout(resolve, soon + 100 - Date.now()));
    expect((await own.ask(`GET /nodes/${id}`)).body).toMatchObject({ id, expires_at: null });
  });
});

describe("a field that no request has", () => {
  const OPERATIONS: [string, OperationShape][] = Object.entries({
    ...AGENT_OPERATIONS,
    ...AGENTLESS_OPERATIONS,
  });

  test.each(OPERATIONS)("is refused by %s, by its name", async (_, operation) => {
    const { method, path, body, example = {} } = operation;
    const filled = path.replace(/\{(\w+)\}/g, "none");
    const query = new URLSearchParams({ no_such_field: "1" });
    const inQuery = await server().ask(
      `${method.toUpperCase()} ${filled}?${query}`,
      body === undefined ? undefined : (example.body as object),
    );
    const issue = { path: "no_such_field", message: expect.stringContaining("is not a field") };
    const refused = {
      status: 400,
      body: { issues: expect.arrayContaining([expect.objectContaining(issue)]) },
    };
    expect(inQuery).toMatchObject(refused);
    if (body === undefined) return;
    const inBody = await server().ask(`${method.toUpperCase()} ${filled}`, {
      ...(example.body as object),
      no_such_field: 1,
    });
    expect(inBody).toMatchObject(refused);
  });

  test("is answered with the field that may be meant", async () => {
    const { ask } = client();
    const said = async (call: string, fields: object) =>
      (await ask(call, fields)).body.issues.map(({ message }: { message: string }) => message);
    const mean = (name: string) => [`is not a field of this request: did you mean ${name}?`];
    expect(await said("POST /nodes", { ...LESSON, tagz: ["a"] })).toEqual(mean("tags"));
    expect(await said("POST /nodes", { ...LESSON, user_id: "mira" })).toEqual(mean("user"));
    expect(await said("POST /search", { query: "x", top_k: 3 })).toEqual(mean("limit"));
    expect(await said("POST /nodes/batch", { items: [{ ...LESSON, content: "x" }] })).toEqual(
      mean("content_body"),
    );
  });
});
