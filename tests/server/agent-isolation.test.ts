// Agents are isolated: for any request on any route, even with another agent's ids, answers, log
// and metrics contain nothing of other agents, and the other agents' memories stay unchanged. The
// test fails if a route of the table is missing here.

import { existsSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationShape } from "../../js/server/src/api/operation.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { amount, runs } from "../support/amount.ts";
import { startProvider, vectorOf } from "./support/embedding-provider.ts";
import { keyIn } from "./support/keys.ts";
import { copyData, stored, tablesOf } from "./support/on-postgres.ts";
import { type Answer, type Running, start } from "./support/server-process.ts";
import { makeFolder, removeFolder, temporaryFolder } from "./support/temporary-folder.ts";

const OPERATIONS = { ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS };
type Name = keyof typeof OPERATIONS;
const NAMES = Object.keys(OPERATIONS) as Name[];

/**
 * An agent, with one word that all of its texts contain and one that all ids of its own choice
 * contain.
 */
interface Actor {
  agent: string;
  text: string;
  id: string;
}
const AGENTS: readonly Actor[] = [
  { agent: "orpheus", text: "zanzibar", id: "vermilion" },
  { agent: "sisyphus", text: "quagmire", id: "kohlrabi" },
  { agent: "tantalus", text: "xylophone", id: "marzipan" },
];
/** Names of agents that do not exist and are never created. */
const GHOSTS: readonly Actor[] = [
  { agent: "medusa", text: "bandicoot", id: "thimblerig" },
  { agent: "ikaros", text: "flibbertigibbet", id: "ocelot" },
];
const ALL = [...AGENTS, ...GHOSTS];

/** Rounds of all routes, in random order. */
const ROUNDS = amount(6, 3);
/**
 * An agent's rounds may give some route no success; this many failures in a row are practically
 * impossible.
 */
const MAX_TURNS = 24;
const DIMENSIONS = 24;
const MODEL = "words";
/** Words that all agents use, so that a search that crosses agents finds something. */
const WORDS = [
  "funding",
  "squeeze",
  "BTC",
  "reverts",
  "actually",
  "what",
  "did",
  "we",
  "decide",
  "about",
  "wrong",
];

// ---- requests -----------------------------------------------------------------------------------

/**
 * Ids of an agent, by kind; the two ids of a membership are joined by a blank. Other agents ask for
 * them, too.
 */
type Kind = "node" | "edge" | "cluster" | "membership" | "conflict" | "context";
type Ids = Record<Kind, string[]>;
const noIds = (): Ids => ({
  node: [],
  edge: [],
  cluster: [],
  membership: [],
  conflict: [],
  context: [],
});
/** By the names of agents. */
let ids: Map<string, Ids>;
/** Page cursors of any agent, by the operation that returned them. */
const cursors = new Map<Name, string[]>(NAMES.map((name) => [name, []]));

interface Given {
  /** Values for the variable parts of a path. */
  path?: readonly string[];
  query?: Record<string, string | undefined>;
  body?: object;
  headers?: Record<string, string>;
}

/** The values that an agent's requests are made of. */
function partsFor(actor: Actor) {
  const others = ALL.filter((it) => it !== actor);
  const oneOf = (texts: readonly string[]) =>
    texts.length === 0 ? fc.constant("x_none") : fc.constantFrom(...texts);
  const id = (kind: Kind) =>
    fc.oneof(
      { weight: 12, arbitrary: oneOf(ids.get(actor.agent)![kind]) },
      { weight: 3, arbitrary: oneOf(others.flatMap((other) => ids.get(other.agent)![kind])) },
      { weight: 1, arbitrary: fc.constant("x_none") },
    );
  const words = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
    .map((those) => those.join(" "));
  const own = words.map((text) => `${text} ${actor.text}`);
  const query = fc.oneof(
    { weight: 5, arbitrary: words },
    { weight: 1, arbitrary: fc.tuple(words, id("node")).map((both) => both.join(" ")) },
  );
  return {
    ...{ id, own, query, words },
    name: fc.constantFrom("custom:lesson", "custom:trade_close", `custom:${actor.text}`),
    newId: fc.integer({ min: 0, max: 1e9 }).map((number) => `n_${actor.id}_${number}`),
    vector: words.map((text) => vectorOf(text, DIMENSIONS)),
    /** No cursor, one of the operation's own list, or one of another list. */
    cursor: (name: Name) =>
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 4, arbitrary: fc.constantFrom(undefined, ...cursors.get(name)!) },
        { weight: 1, arbitrary: fc.constantFrom(undefined, ...[...cursors.values()].flat()) },
      ),
    agent: fc.constantFrom(...others.map(({ agent }) => agent), "nobody"),
    retry: fc
      .option(fc.constantFrom("1", "2", "3"), { freq: 1 })
      .map((key): Record<string, string> => (key === null ? {} : { "idempotency-key": key })),
  };
}
type Parts = ReturnType<typeof partsFor>;

/** With some of the optional fields, and with all required ones. */
const fields = (required: object, optional: object = {}) =>
  fc.record({ ...required, ...optional } as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: Object.keys(required),
  });
const asked = (given: { [Part in keyof Given]: fc.Arbitrary<Given[Part]> }): fc.Arbitrary<Given> =>
  fc.record(given);
const ofId = (id: fc.Arbitrary<string>, more: Parameters<typeof asked>[0] = {}) =>
  asked({ path: fc.tuple(id), ...more });
const nothing = fc.constant<Given>({});

const PLAYBOOK = {
  trigger: { anomaly_types: ["funding_extreme"], symbols: ["BTC"], min_severity: 0 },
};
const EVENTS = [{ type: "funding_extreme", symbol: "BTC", severity: 0.9 }];

const newNode = ({ own, name, newId, vector }: Parts) =>
  fields(
    { type: fc.constantFrom("concept", "episode"), content_title: own },
    {
      ...{ id: newId, subtype: name, content_summary: own, content_body: own, embedding: vector },
      signals: own.map((note) => ({ note, pnl_pct: 3 })),
    },
  );
const newEdge = ({ id, own }: Parts) =>
  fields(
    { source_id: id("node"), target_id: id("node"), type: fc.constantFrom("causes", "part_of") },
    { subtype: own },
  );
const sought = ({ query, name, id, vector }: Parts) => ({
  required: { query },
  optional: {
    subtype: name,
    cluster_ids: fc.array(id("cluster"), { maxLength: 2 }),
    embedding: vector,
  },
});
const recall = fc.constantFrom("automatic", "explicit", "none");
const resolving = ({ id, own }: Parts) =>
  fields(
    {
      conflict_id: id("conflict"),
      resolution: fc.constantFrom("old_is_current", "new_is_current", "keep_both", "merge"),
    },
    { merged_content: own },
  );
const page = ({ cursor }: Parts, name: Name, more: Record<string, fc.Arbitrary<string>> = {}) =>
  fields({ ...more, limit: fc.constantFrom("1", "3", "100"), cursor: cursor(name) }) as PageQuery;
type PageQuery = fc.Arbitrary<Record<string, string | undefined>>;

/** A request of each operation, as an agent may send it. */
const REQUESTS: { readonly [Operation in Name]: (parts: Parts) => fc.Arbitrary<Given> } = {
  createNode: (parts) => asked({ body: newNode(parts), headers: parts.retry }),
  listNodes: (parts) => asked({ query: page(parts, "listNodes") }),
  readNode: ({ id }) =>
    ofId(id("node"), { query: fc.constantFrom({ recall: "true" }, { recall: "false" }) }),
  updateNode: ({ id, own, name, vector }) =>
    ofId(id("node"), {
      body: fields({ content_body: own }, { content_title: own, subtype: name, embedding: vector }),
    }),
  deleteNode: ({ id }) => ofId(id("node")),
  putNode: (parts) => ofId(parts.newId, { body: newNode(parts).map(({ id: _, ...node }) => node) }),
  remember: ({ own, retry }) => asked({ body: fields({ text: own }), headers: retry }),
  factHistory: ({ id, query }) =>
    asked({ body: fc.oneof(fields({ id: id("node") }), fields({ query })) }),
  isAnswerable: ({ query }) => asked({ body: fields({ question: query }) }),
  timeline: (parts) =>
    asked({
      query: page(parts, "timeline", {
        from: fc.constant("2020-01-01"),
        order: fc.constantFrom("asc", "desc"),
      }),
    }),
  importRows: ({ own, newId, name }) =>
    asked({
      body: fields({
        rows: fc.array(
          fields(
            { kind: fc.constant("node"), id: newId, type: fc.constant("note"), content_title: own },
            { subtype: name },
          ),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    }),
  listEvents: () =>
    asked({
      query: fields(
        { after: fc.constant("0") },
        { limit: fc.constantFrom("1", "100") },
      ) as PageQuery,
    }),
  deleteNodes: ({ id, name }) =>
    asked({
      body: fields(
        {
          filter: fields(
            {},
            { ids: fc.array(id("node"), { maxLength: 2 }), subtype: name, type: fc.constant("x") },
          ).map((filter) => ({ session: "none", ...filter })),
        },
        { dry_run: fc.boolean() },
      ),
    }),
  purgeNode: ({ id }) => ofId(id("node")),
  createNodes: (parts) =>
    asked({
      body: fields({ items: fc.array(newNode(parts), { minLength: 1, maxLength: 3 }) }),
      headers: parts.retry,
    }),
  readNodes: ({ id }) =>
    asked({
      body: fields(
        { ids: fc.array(id("node"), { minLength: 1, maxLength: 5 }) },
        { recall: fc.boolean() },
      ),
    }),
  checkSimilar: ({ own, words, name, vector }) =>
    asked({ body: fields({ content: words }, { title: own, subtype: name, embedding: vector }) }),
  backfillEmbeddings: () => nothing,

  createEdge: (parts) => asked({ body: newEdge(parts), headers: parts.retry }),
  createEdges: (parts) =>
    asked({
      body: fields({ items: fc.array(newEdge(parts), { minLength: 1, maxLength: 3 }) }),
      headers: parts.retry,
    }),
  listEdges: (parts) => asked({ query: page(parts, "listEdges", { node_id: parts.id("node") }) }),
  strengthenEdge: ({ id }) => ofId(id("edge"), { body: fields({}, { amount: fc.constant(0.1) }) }),
  deleteEdge: ({ id }) => ofId(id("edge")),

  search: (parts) => {
    const { required, optional } = sought(parts);
    return asked({ body: fields(required, { ...optional, limit: fc.constantFrom(1, 100) }) });
  },
  retrieve: (parts) => {
    const { required, optional } = sought(parts);
    return asked({ body: fields(required, { ...optional, recall }) });
  },
  contextLines: (parts) => {
    const { required, optional } = sought(parts);
    return asked({ body: fields(required, { ...optional, recall }) });
  },
  explain: ({ query, id }) =>
    asked({
      body: fc.oneof(
        fields({ query, id: id("node") }),
        fields({ query, ids: fc.array(id("node"), { minLength: 1, maxLength: 3 }) }),
      ),
    }),
  classifyQuery: ({ query }) => asked({ body: fields({ query }) }),
  buildContext: ({ query, own }) =>
    asked({
      body: fields(
        { input: query },
        { identity: own, recall, messages: own.map((content) => [{ role: "user", content }]) },
      ),
    }),
  expandMemory: ({ id }) => {
    const type = fc.constantFrom("decision", "fact", "procedure", "episode", "signal", "rumour");
    return asked({ query: fc.record({ type, id: id("node") }) });
  },
  giveFeedback: ({ id, own }) =>
    asked({
      body: fields({
        context_id: id("context"),
        recalled_content: fc.dictionary(id("node"), own, { maxKeys: 3 }),
        response: own,
      }),
    }),
  giveSearchFeedback: ({ id, query, retry }) =>
    asked({
      body: fc
        .tuple(query, fc.array(id("node"), { maxLength: 4 }), fc.nat({ max: 2 }))
        .map(([question, shown, used]) => ({ question, shown, used: shown.slice(0, used) })),
      headers: retry,
    }),
  readLearned: () => nothing,
  forgetLearned: () => nothing,
  memoryGuidance: () => nothing,
  matchPlaybooks: () => asked({ body: fc.constant({ events: EVENTS, snapshot: { funding: 1 } }) }),
  countOutcome: ({ id }) =>
    asked({ body: fields({ entry_id: id("node"), profitable: fc.boolean() }) }),

  readAgent: () => nothing,
  updateAgent: () => asked({ body: fields({ preset: fc.constantFrom("general", "trading") }) }),
  health: () => nothing,
  sweep: () => asked({ body: fields({ force: fc.boolean() }) }),
  graph: (parts) => asked({ query: page(parts, "graph") }),
  consolidate: () => nothing,

  createCluster: ({ own, name, retry }) =>
    asked({
      body: fields({ name: own }, { description: own, icon: own, auto_subtypes: fc.tuple(name) }),
      headers: retry,
    }),
  listClusters: (parts) => asked({ query: page(parts, "listClusters") }),
  readCluster: ({ id }) => ofId(id("cluster")),
  updateCluster: ({ id, own }) =>
    ofId(id("cluster"), { body: fields({ description: own }, { name: own }) }),
  deleteCluster: ({ id }) => ofId(id("cluster")),
  addMember: ({ id }) => ofId(id("cluster"), { body: fields({ node_id: id("node") }) }),
  listMembers: (parts) => ofId(parts.id("cluster"), { query: page(parts, "listMembers") }),
  removeMember: ({ id }) =>
    asked({ path: id("membership").map((both) => [...both.split(" "), "x_none"].slice(0, 2)) }),
  clusterHealth: ({ id }) => ofId(id("cluster")),

  detectContradiction: ({ words, own }) =>
    asked({
      body: fields(
        { content: words.map((text) => `Actually, that was wrong: ${text}`) },
        { title: own },
      ),
    }),
  listConflicts: (parts) =>
    asked({
      query: page(parts, "listConflicts", { status: fc.constantFrom("pending", "resolved") }),
    }),
  queueConflict: ({ id, own }) =>
    asked({
      body: fields(
        { old_node_id: id("node"), new_content: own },
        { context: own, new_node_id: id("node") },
      ),
    }),
  resolveConflict: (parts) => asked({ body: resolving(parts) }),
  resolveConflicts: (parts) =>
    asked({ body: fields({ items: fc.array(resolving(parts), { minLength: 1, maxLength: 3 }) }) }),

  listAgents: () => nothing,
  deleteAgent: ({ agent }) => ofId(agent),
};

// ---- sending ------------------------------------------------------------------------------------

const keys = new Map<Actor, string>();
/** A client that sees all agents. */
let operator: string;

function send(server: Running, actor: Actor, name: Name, given: Given): Promise<Answer> {
  const { method, path }: OperationShape = OPERATIONS[name];
  const rest = [...(given.path ?? [])];
  const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(rest.shift()!));
  const entries = Object.entries(given.query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  const query = entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
  const headers = {
    authorization: `Bearer ${keys.get(actor)}`,
    "x-nous-agent": actor.agent,
    ...given.headers,
  };
  return server.ask(`${method.toUpperCase()} ${filled}${query}`, given.body, headers);
}

/**
 * Sends a request, keeps the ids and cursors of the answer, and searches it for other agents'
 * words.
 */
async function askAs(server: Running, actor: Actor, name: Name, given: Given): Promise<Answer> {
  const answer = await send(server, actor, name, given);
  const { status, body, headers } = answer;
  expect(status, `${name} ${JSON.stringify(given)}: ${JSON.stringify(body)}`).toBeLessThan(500);
  const lines: string[] = [];
  headers.forEach((value, header) => void lines.push(`${header}: ${value}`));
  const received = JSON.stringify([body, lines]).toLowerCase();
  const sent = JSON.stringify(given).toLowerCase();
  for (const other of ALL) {
    if (other === actor) continue;
    for (const secret of Object.values(other)) {
      if (sent.includes(secret)) continue;
      expect(
        received.includes(secret),
        `${name} tells ${actor.agent} of ${secret}: ${sent} ${received}`,
      ).toBe(false);
    }
  }
  remember(actor, name, given, answer);
  return answer;
}

const MAKES: { readonly [Operation in Name]?: Kind } = {
  createNode: "node",
  putNode: "node",
  createEdge: "edge",
  createCluster: "cluster",
  addMember: "membership",
  queueConflict: "conflict",
};

const UNMAKES: { readonly [Operation in Name]?: Kind } = {
  deleteNode: "node",
  purgeNode: "node",
  deleteEdge: "edge",
  deleteCluster: "cluster",
  removeMember: "membership",
};

function remember(
  { agent }: Actor,
  name: Name,
  { path = [] }: Given,
  { status, body }: Answer,
): void {
  const own = ids.get(agent)!;
  if (body?.next_cursor != null) cursors.get(name)!.push(body.next_cursor);
  if (body?.context_id !== undefined) own.context.push(body.context_id);
  const [made, unmade] = [MAKES[name], UNMAKES[name]];
  if (made !== undefined && status === 201)
    own[made].push(body.id ?? `${body.cluster_id} ${body.node_id}`);
  if (unmade !== undefined && status === 200)
    own[unmade] = own[unmade].filter((id) => id !== path.join(" "));
}

/** All rows of an agent, in order. */
async function rowsOf(folder: string, { agent }: Actor): Promise<unknown> {
  const own = { dataDir: folder, agent };
  const rows = [];
  for (const table of await tablesOf(own)) {
    const texts = (await stored(own, `SELECT * FROM ${table}`)).map((row) =>
      JSON.stringify(row, (_, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
      ),
    );
    rows.push([table, texts.sort()]);
  }
  return rows;
}

/** All of an agent's data, read through routes that change nothing. */
async function viewOf(server: Running, actor: Actor): Promise<unknown> {
  const lists: [Name, Given][] = [
    ["readAgent", {}],
    ["health", {}],
    ["graph", {}],
    ["listNodes", { query: { limit: "200" } }],
    ["listConflicts", {}],
    ["matchPlaybooks", { body: { events: EVENTS } }],
  ];
  const views = [];
  for (const [name, given] of lists) views.push((await send(server, actor, name, given)).body);
  // Fields that fade with time.
  const fades = (key: string, value: unknown) =>
    key.endsWith("retrievability") ? undefined : value;
  return JSON.parse(JSON.stringify(views, fades));
}

// ---- data ---------------------------------------------------------------------------------------

const filled = makeFolder();
/** A copy of all data. */
let filledIds: Map<string, Ids>;

/**
 * Memories, edges, a cluster, a playbook that was triggered, a trade that follows it, a conflict, a
 * prompt with its feedback.
 */
async function fill(server: Running, actor: Actor): Promise<void> {
  const ask = async (name: Name, given: Given) => {
    const answer = await askAs(server, actor, name, given);
    expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  const text = (place: number) => `${WORDS[place % WORDS.length]} funding squeeze ${actor.text}`;
  const node = (place: number, more: object = {}) => ({
    ...{ id: `n_${actor.id}_${place}`, type: "concept", subtype: "custom:lesson" },
    ...{
      content_title: text(place),
      content_body: text(place + 1),
      content_summary: text(place + 2),
      ...more,
    },
    ...{ embedding: vectorOf(text(place), DIMENSIONS), embedding_model: MODEL },
  });
  const make = async (place: number, more?: object) =>
    (await ask("createNode", { body: node(place, more) })).id;
  for (let place = 0; place < 12; place++) await make(place);
  const playbook = await make(12, {
    subtype: "custom:playbook",
    content_body: JSON.stringify({ ...PLAYBOOK, text: actor.text, action: actor.text }),
  });
  const entry = await make(13, { type: "episode", subtype: "custom:trade_entry" });
  const rare = await make(14, { subtype: `custom:${actor.text}` });
  for (const [source_id, target_id, type] of [
    [playbook, entry, "applied_to"],
    [rare, playbook, actor.text],
    ...Array.from({ length: 8 }, (_, place) => [
      `n_${actor.id}_${place}`,
      `n_${actor.id}_${place + 1}`,
      "causes",
    ]),
  ]) {
    await ask("createEdge", { body: { source_id, target_id, type, subtype: actor.text } });
  }
  for (let place = 0; place < 3; place++) {
    const cluster = await ask("createCluster", {
      body: { name: text(place), description: actor.text, icon: actor.text },
    });
    await ask("addMember", { path: [cluster.id], body: { node_id: `n_${actor.id}_${place}` } });
    const [old_node_id, new_node_id] = [`n_${actor.id}_${place}`, `n_${actor.id}_${place + 3}`];
    await ask("queueConflict", { body: { old_node_id, new_node_id, context: actor.text } });
  }
  const { context_id, recalled_content } = await ask("buildContext", {
    body: { input: "What did we decide about funding?" },
  });
  await ask("giveFeedback", { body: { context_id, recalled_content, response: text(0) } });
  await ask("consolidate", {});
}

beforeAll(async () => {
  ids = new Map(ALL.map(({ agent }) => [agent, noIds()]));
  for (const actor of ALL) {
    const creates_agents = !GHOSTS.includes(actor);
    const rights = { agents: [actor.agent], scopes: ["memory", "admin"], creates_agents } as const;
    keys.set(actor, (await keyIn(filled, rights)).key);
  }
  operator = (await keyIn(filled, { agents: "all", scopes: ["admin"], creates_agents: false })).key;
  const server = await start(filled, [], "file");
  for (const actor of AGENTS) await fill(server, actor);
  await server.end();
  filledIds = ids;
}, 120_000);
afterAll(() => removeFolder(filled));

/** A server on a copy of the data, with an embedding provider. One thread holds all agents. */
async function serve(): Promise<{ server: Running; folder: string }> {
  const folder = temporaryFolder();
  await copyData(filled, folder);
  ids = structuredClone(filledIds);
  const { url } = await startProvider(DIMENSIONS);
  const server = await start(folder, [
    ...["--workers", "1", "--log-level", "trace"],
    ...[
      "--embeddings-provider",
      "openai-compatible",
      "--embeddings-base-url",
      url,
      "--embeddings-model",
      MODEL,
    ],
  ]);
  return { server, folder };
}

/** One request of each operation for each of these agents, in random order. */
const roundOf = (actors: readonly Actor[]) =>
  fc.constant(undefined).chain(() => {
    const requests = actors.flatMap((actor) => {
      const parts = partsFor(actor);
      return NAMES.map((name) => REQUESTS[name](parts).map((given) => ({ actor, name, given })));
    });
    return fc
      .shuffledSubarray(requests, { minLength: requests.length })
      .chain((shuffled) => fc.tuple(...shuffled));
  });

/**
 * Rounds of requests as these agents, in the orders of this turn; checks that the other agents are
 * unchanged, and returns the statuses of each operation.
 */
async function ask(
  server: Running,
  folder: string,
  actors: readonly Actor[],
  turn = 0,
): Promise<Map<Name, number[]>> {
  const others = AGENTS.filter((it) => !actors.includes(it));
  const stateOf = async () => {
    const views = [];
    for (const other of others) views.push(await viewOf(server, other));
    const rows = [];
    for (const other of others) rows.push(await rowsOf(folder, other));
    return { views, rows };
  };
  const before = await stateOf();
  const statuses = new Map<Name, number[]>(NAMES.map((name) => [name, []]));
  const rounds = fc.asyncProperty(roundOf(actors), async (requests) => {
    for (const { actor, name, given } of requests) {
      statuses.get(name)!.push((await askAs(server, actor, name, given)).status);
    }
  });
  // The requests changed the data, so a failing run cannot be reduced.
  const { numRuns, seed } = runs(ROUNDS);
  await fc.assert(rounds, { numRuns, seed: seed + turn, endOnFailure: true });
  expect(await stateOf()).toEqual(before);
  return statuses;
}

/** The log contains agents' names, but neither memories nor their ids; metrics contain no agent. */
async function expectSilence(server: Running): Promise<void> {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${operator}` },
  });
  const metrics = (await response.text()).toLowerCase();
  expect(metrics).toContain("nous_requests_total");
  await expect.poll(() => server.log()).toContain('"route":"/metrics"');
  const log = server.log().toLowerCase();
  for (const { agent, text, id } of ALL) {
    for (const secret of [agent, text, id])
      expect(metrics.includes(secret), `metrics tell of ${secret}`).toBe(false);
    for (const secret of [text, id])
      expect(log.includes(secret), `the log tells of ${secret}`).toBe(false);
  }
}

// ---- the promises -------------------------------------------------------------------------------

test("every route of the table is requested", () => {
  expect(Object.keys(REQUESTS).sort()).toEqual([...NAMES].sort());
});

describe("requests on any route neither reveal nor change other agents", () => {
  test("as each of the agents", { timeout: 360_000 }, async () => {
    // A route that always fails would prove nothing. By chance a route may have failed each time:
    // then the agents ask again, in other orders, each on a new copy.
    const refusing = new Set(NAMES);
    for (let turn = 0; turn < AGENTS.length || (refusing.size > 1 && turn < MAX_TURNS); turn++) {
      const { server, folder } = await serve();
      const statuses = await ask(server, folder, [AGENTS[turn % AGENTS.length]!], turn);
      for (const [name, those] of statuses)
        if (those.some((status) => status < 300)) refusing.delete(name);
      await expectSilence(server);
      await server.end("SIGKILL");
    }
    expect([...refusing]).toEqual(["deleteAgent"]);
  });

  test("as agents that do not exist", { timeout: 240_000 }, async () => {
    const { server, folder } = await serve();
    const statuses = await ask(server, folder, GHOSTS);
    for (const name of ["createNode", "createNodes", "createCluster"] as const) {
      expect(new Set(statuses.get(name))).toEqual(new Set([403]));
    }
    for (const { agent } of GHOSTS) expect(existsSync(agentFile(folder, agent))).toBe(false);
    await expectSilence(server);
  });
});

test("agents that do not exist share no state, not even requests with idempotency keys", async () => {
  const { server } = await serve();
  const [one, other] = GHOSTS as [Actor, Actor];
  const edges = (type: string): Given => ({
    body: { items: [{ source_id: "n_1", target_id: "n_2", type }] },
    headers: { "idempotency-key": "same" },
  });
  expect((await send(server, one, "createEdges", edges("causes"))).status).toBe(200);
  expect((await send(server, other, "createEdges", edges("part_of"))).status).toBe(200);
});
