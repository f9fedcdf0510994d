// `npm run fixture`: leaves a data folder of this version, with all that a server can store, and what
// the server answers about it. `released.test.ts` opens every folder that a release has left.
//
//     npm run fixture               of the built server of this checkout
//     npm run fixture -- PROGRAM    of another server's program

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { agentFile } from "../../../js/server/src/settings/paths.ts";
import { raw } from "../support/existing-database.ts";
import { makeHynous } from "../support/hynous-database.ts";
import { startPostgres } from "../support/postgres.ts";
import type { Fixture, Told } from "./fixture.ts";
import { databaseAt } from "./postgres-rows.ts";

const PROGRAM = process.argv[2] ?? join("js", "server", "dist", "cli.mjs");
const DAY = 86_400_000;
const NOW = Date.now();
const iso = (days: number) => new Date(NOW + days * DAY).toISOString();

const PRESET = `extends: general
description: For a support bot.
types:
  ticket:
    section: EPISODIC
    stability_days: 45
    heading: episodes
    description: What a customer reported.
    guess: ['\\bticket #?\\d+', '\\brefund']
engine:
  known_symbols: [billing, search]
`;

const folder = mkdtempSync(join(tmpdir(), "nous-fixture-"));
const data = join(folder, "data");
const presets = join(folder, "presets");
mkdirSync(data);
mkdirSync(presets);
writeFileSync(join(presets, "support.yaml"), PRESET);

const run = (...args: string[]): string =>
  execFileSync(process.execPath, [PROGRAM, ...args, "--data-dir", data], { encoding: "utf8" });

interface Server {
  ask(agent: string, call: string, body?: object, headers?: object): Promise<Told>;
  end(signal?: NodeJS.Signals): Promise<void>;
}

let key = "";

async function serve(...options: string[]): Promise<Server> {
  const args = ["serve", "--port", "0", "--data-dir", data, "--presets-dir", presets];
  const server: ChildProcess = spawn(process.execPath, [PROGRAM, ...args, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)));
    server.stdout!.on("data", (text) => {
      const found = /listens on (\S+)\n/.exec(String(text));
      if (found) resolve(found[1]!);
    });
  });
  return {
    async ask(agent, call, body, headers = {}) {
      const [method, path] = call.split(" ") as [string, string];
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: {
          // A header holds bytes, here those of UTF-8.
          "x-nous-agent": Buffer.from(agent).toString("latin1"),
          ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${agent}: ${call}: ${response.status} ${answer}`);
      return { agent, call, body, answer: answer === "" ? null : JSON.parse(answer) };
    },
    end: (signal = "SIGTERM") =>
      new Promise((resolve) => {
        server.once("exit", () => resolve());
        server.kill(signal);
      }),
  };
}

const ODD = {
  plain: "plain words",
  umlauts: "Grüße aus Köln, naïve café",
  pictures: "🙂👩‍👩‍👧 𝒳 🇨🇭",
  scripts: "日本語 עברית العربية ไทย",
  quotes: `"double" 'single' \\back\\ %like_ ; DROP TABLE nodes; --`,
  lines: "one\ntwo\r\nthree\tfour\u2028five",
  combining: "e\u0301 \ufeff\u200d\u00ad",
  edges: "\u{10ffff}\ufffd\uffff",
  long: "word ".repeat(2_000),
};

/** An assistant's memory: every field of a memory, edges, clusters, conflicts, usage, learning. */
async function fillDefault({ ask }: Server): Promise<void> {
  const own = (call: string, body?: object, headers?: object) =>
    ask("default", call, body, headers);
  const base = { type: "note", content_title: "Staging runs on heron" };
  await own("POST /nodes", { ...base, id: "plain" });
  await own("POST /nodes", {
    id: "whole",
    type: "fact",
    subtype: "fact",
    content_title: "Mira eats no dairy",
    content_summary: "No dairy for Mira",
    content_body: "Since March Mira has eaten neither cheese nor butter.",
    event_time: "2026-03-01T10:00:00Z",
    temporal_event_confidence: 0.8,
    temporal_event_source: "chat",
    neural_stability: 33.5,
    frame: "kitchen",
    censors: ["c_1", "c_2"],
    tags: ["food", "Diät"],
    metadata: { depth: { list: [1, "two", null, true], number: 1e-7 }, big: 9_007_199_254_740_991 },
    user: "mira",
    session: "s-1",
    expires_at: "2099-01-01T00:00:00Z",
    source: "import",
    created_at: iso(-60),
    signals: { pnl_pct: 4.5 },
  });
  for (const [id, text] of Object.entries(ODD))
    await own("POST /nodes", {
      id: `odd:${id}`,
      type: "note",
      content_title: text.slice(0, 200),
      content_body: text,
    });
  const sections = [
    "custom:lesson",
    "custom:signal",
    "custom:playbook",
    "custom:turn_summary",
    null,
  ];
  for (const [place, subtype] of sections.entries())
    await own("POST /nodes", {
      id: `section:${place}`,
      type: "concept",
      subtype,
      content_title: `Redis cache ${place}`,
      created_at: iso(-place * 20),
    });
  await own("PATCH /nodes/section:1", { state_lifecycle: "DORMANT" });
  await own("PATCH /nodes/section:2", { content_body: "Changed once", neural_difficulty: 0.5 });
  await own("PUT /nodes/put", {
    type: "preference",
    content_title: "Mira prefers tea",
    user: "mira",
  });
  await own("PUT /nodes/put", {
    type: "preference",
    content_title: "Mira prefers green tea",
    user: "mira",
  });
  for (const text of [
    "Deploys on Friday fail more often than on Monday.",
    "Ben moved to Lyon in May 2026.",
    "We decided to use Redis for sessions.",
  ])
    await own("POST /remember", { text, user: "ben", session: "s-2", tags: ["told"] });
  await own("POST /remember", { text: "Actually, Ben moved to Paris, not to Lyon.", user: "ben" });
  await own("POST /remember", {
    messages: [
      { role: "user", content: "My sister Ana is a nurse in Porto." },
      { role: "assistant", content: "Noted: Ana is a nurse in Porto." },
    ],
    session: "s-3",
  });
  for (const [place, type] of ["supersedes", "causes", "relates_to", "part_of"].entries())
    await own("POST /edges", {
      source_id: "whole",
      target_id: `section:${place}`,
      type,
      strength: 0.25 + place / 8,
      confidence: 0.5,
      neural_weight: 0.75,
      subtype: "by hand",
    });
  const edge = await own("POST /edges", {
    source_id: "plain",
    target_id: "whole",
    type: "relates_to",
  });
  await own(`POST /edges/${edge.answer.id}/strengthen`, { amount: 0.1 });
  const cluster = await own("POST /clusters", {
    name: "Kitchen",
    description: "Food",
    icon: "🍎",
    pinned: true,
    auto_subtypes: ["custom:lesson"],
  });
  await own(`POST /clusters/${cluster.answer.id}/members`, {
    node_ids: ["whole", "put"],
    weight: 0.5,
    pinned: true,
  });
  await own("POST /clusters", { name: "Empty" });
  const conflicts = [];
  for (const [place, resolution] of [
    "",
    "old_is_current",
    "new_is_current",
    "keep_both",
    "merge",
  ].entries()) {
    const old = await own("POST /nodes", {
      id: `old:${place}`,
      ...base,
      content_title: `Server ${place} is called heron`,
    });
    const fresh = await own("POST /nodes", {
      id: `new:${place}`,
      ...base,
      content_title: `Server ${place} is called egret`,
    });
    conflicts.push({
      resolution,
      ids: { old_node_id: old.answer.id, new_node_id: fresh.answer.id },
    });
  }
  for (const { resolution, ids } of conflicts) {
    const queued = await own("POST /contradiction/queue", {
      ...ids,
      new_content: "Another name",
      conflict_type: "correction",
      detection_confidence: 0.75,
      context: "names",
      entity_name: "server",
      topic: "hosts",
    });
    if (resolution === "") continue;
    const merged = resolution === "merge" ? { merged_content: "Called heron, later egret" } : {};
    await own("POST /contradiction/resolve", {
      conflict_id: queued.answer.id,
      resolution,
      ...merged,
    });
  }
  await own(
    "POST /nodes",
    { ...base, content_title: "Made once by its key" },
    { "idempotency-key": "fixture-key" },
  );
  const prompt = await own("POST /context", {
    input: "what does Mira eat?",
    identity: "A bot",
    frame: "kitchen",
  });
  await own("POST /context/feedback", {
    context_id: prompt.answer.context_id,
    recalled_content: { whole: "Mira eats no dairy" },
    response: "Mira eats no dairy.",
  });
  await own("POST /search/feedback", {
    question: "green tea of Mira",
    shown: ["put", "whole"],
    used: ["put"],
  });
  for (const day of [1, 2, 3, 4, 5, 6])
    await own("POST /nodes", {
      type: "episode",
      subtype: "episode",
      content_title: "Build failed on main",
      content_body: `The build failed on main again, day ${day}.`,
      event_time: iso(-day),
    });
  await own("POST /consolidate", {});
  await own("POST /nodes", { id: "gone", ...base, content_title: "Deleted" });
  await own("DELETE /nodes/gone");
  await own("POST /nodes", { id: "purged", ...base, content_title: "Purged secret" });
  await own("POST /nodes/purged/purge");
  await own("GET /nodes/whole");
  await own("POST /decay", { force: true });
}

/** A trader's memory: trades, from which consolidation makes lessons and playbooks, and outcomes. */
async function fillTrader({ ask }: Server): Promise<void> {
  const own = (call: string, body?: object) => ask("trader", call, body);
  await own("POST /nodes", {
    id: "n_first",
    type: "concept",
    subtype: "custom:thesis",
    content_title: "BTC breaks out",
  });
  await own("PATCH /agent", { preset: "trading" });
  const trades = Array.from({ length: 24 }, (_, place) => {
    const isCalled = place % 2 === 0;
    const anomaly_type = isCalled ? "funding_extreme" : "volume_spike";
    const memory = (kind: string, title: string, signals: object) => ({
      id: `n_${kind}_${place}`,
      type: "episode",
      subtype: `custom:trade_${kind}`,
      content_title: `${title} BTC`,
      content_body: JSON.stringify({ text: title, signals }),
    });
    return [
      memory("entry", "Long", { symbol: "BTC", side: "long", anomaly_type }),
      memory("close", "Closed", { symbol: "BTC", side: "long", pnl_pct: isCalled ? 3 : -2 }),
    ];
  });
  await own("POST /nodes/batch", { items: trades.flat() });
  const items = trades.map(([entry, close]) => ({
    source_id: close!.id,
    target_id: entry!.id,
    type: "part_of",
    strength: 0.85,
  }));
  await own("POST /edges/batch", { items });
  await own("POST /consolidate", {});
  const playbook = {
    text: "Fade extreme funding",
    trigger: { anomaly_type: "funding_extreme" },
    action: "fade",
    direction: "short",
    sample_size: 4,
    success_count: 3,
  };
  await own("POST /nodes", {
    id: "n_playbook",
    type: "concept",
    subtype: "custom:playbook",
    content_title: "Fade extreme funding",
    content_body: JSON.stringify(playbook),
  });
  await own("POST /edges", { source_id: "n_playbook", target_id: "n_entry_0", type: "applied_to" });
  await own("POST /playbooks/outcome", { entry_id: "n_entry_0", profitable: true });
  await own("POST /playbooks/match", {
    events: [{ type: "funding_extreme", symbol: "BTC", severity: 0.8 }],
  });
}

async function fillSupport({ ask }: Server): Promise<void> {
  const own = (call: string, body?: object) => ask("Zoë's desk", call, body);
  await own("POST /remember", { text: "Ticket #481: a refund for billing was asked." });
  await own("PATCH /agent", { preset: "support" });
  await own("POST /remember", { text: "Ticket #482: the search of invoices is slow." });
}

async function fillGiven({ ask }: Server): Promise<void> {
  for (const [place, embedding] of [
    [1, 0, 0],
    [0, 1, 0],
    [0.5, 0.5, 0.75],
  ].entries())
    await ask("given", "POST /nodes", {
      id: `v_${place}`,
      type: "note",
      content_title: `Vector ${place}`,
      embedding,
      embedding_model: "mine",
    });
}

const AGENTS = ["default", "trader", "Zoë's desk", "given", "adopted"];

/** Asks for everything that another version has to answer in the same way. */
async function toldBy({ ask }: Server): Promise<Told[]> {
  const told: Told[] = [];
  const note = async (agent: string, call: string, body?: object, headers?: object) =>
    void told.push({ ...(await ask(agent, call, body, headers)), ...(headers && { headers }) });
  for (const agent of AGENTS) {
    for (const path of READ) await note(agent, `GET ${path}`);
    const { answer: graph } = await ask(agent, "GET /graph");
    for (const { id } of graph.nodes) {
      await note(agent, `GET /nodes/${encodeURIComponent(id)}?recall=false`);
      await note(agent, `GET /edges?node_id=${encodeURIComponent(id)}&limit=100`);
    }
    const { answer: clusters } = await ask(agent, "GET /clusters");
    for (const { id } of clusters.data) await note(agent, `GET /clusters/${id}/members`);
  }
  const again = { type: "note", content_title: "Made once by its key" };
  await note("default", "POST /nodes", again, { "idempotency-key": "fixture-key" });
  for (const [agent, query] of QUESTIONS)
    await note(agent, "POST /search", { query, limit: 3, recall: false });
  await note("given", "POST /search", {
    query: "vector",
    embedding: [0, 1, 0],
    limit: 1,
    recall: false,
  });
  return told;
}

/** What is read of each agent as a whole. */
const READ = [
  "/agent",
  "/graph",
  "/learned",
  "/clusters",
  "/contradiction/queue",
  "/contradiction/queue?status=resolved",
];

/** Tables whose rows are counted. */
const TABLES = [
  "nodes",
  "edges",
  "clusters",
  "cluster_memberships",
  "conflict_queue",
  "memory_usage",
  "playbook_outcomes",
  "nous_retries",
  "node_signals",
];

function rowsOf(agent: string): Record<string, number> {
  const db = raw(agentFile(data, agent));
  const counts = TABLES.map((table) => {
    const [row] = db.prepare(`SELECT count(*) AS count FROM ${table}`).all();
    return [table, (row as { count: number }).count] as const;
  });
  db.close();
  return Object.fromEntries(counts);
}

const QUESTIONS = [
  ["default", "what does Mira eat?"],
  ["default", "Diät"],
  ["default", "where does Ben live?"],
  ["default", "日本語"],
  ["default", "Grüße Köln"],
  ["trader", "extreme funding playbook"],
  ["Zoë's desk", "slow search of invoices"],
] as const;

async function main(): Promise<void> {
  const version = execFileSync(process.execPath, [PROGRAM, "--version"], {
    encoding: "utf8",
  }).trim();
  const theirs = join(folder, "hynous.db");
  makeHynous(theirs, { now: NOW, memories: 40, trades: 8, dimensions: 8 });
  run("adopt", theirs, "--agent", "adopted");
  let server = await serve("--learning", "on");
  await fillDefault(server);
  await fillTrader(server);
  await fillSupport(server);
  await server.ask("deleted", "POST /nodes", {
    type: "note",
    content_title: "Deleted with its agent",
  });
  await server.ask("deleted", "DELETE /agents/deleted");
  await server.end();
  server = await serve("--embeddings-provider", "none");
  await fillGiven(server);
  await server.end();
  // Another program writes a text that is not UTF-8.
  const db = raw(agentFile(data, "default"));
  db.exec("UPDATE nodes SET content_body = CAST(x'636166e92021' AS TEXT) WHERE id = 'odd:plain'");
  db.close();
  key = run(
    "keys",
    "create",
    "--all-agents",
    "--scopes",
    "memory",
    "admin",
    "--creates-agents",
  ).trim();
  const narrow = run("keys", "create", "--agents", "trader", "--scopes", "memory").trim();
  server = await serve("--learning", "on");
  await server.ask("default", "POST /nodes", {
    id: "last",
    type: "note",
    content_title: "Written before the end",
  });
  await server.ask("given", "POST /nodes", {
    id: "v_last",
    type: "note",
    content_title: "Vector last",
    embedding: [0, 0, 1],
  });
  // A vector that is made later changes answers. Vectors of another model stay as they are.
  for (const agent of AGENTS) await server.ask(agent, "POST /nodes/backfill-embeddings");
  const told = await toldBy(server);
  const at = Date.now();
  const rows = Object.fromEntries(AGENTS.map((agent) => [agent, rowsOf(agent)]));
  // Its last writes stay in the logs of the databases.
  await server.end("SIGKILL");
  const dir = join("tests", "server", "released", version);
  leave(dir, { at, keys: { all: key, trader: narrow }, rows, told });
  await leavePostgres(dir);
  rmSync(folder, { recursive: true });
  console.log(`${dir}: ${told.length} answers, ${bytesIn(dir)} bytes`);
}

/** Writes the data folder, the preset and the answers, each file compressed. */
function leave(dir: string, fixture: Fixture): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const files = [data, presets]
    .flatMap((below) => readdirSync(below, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile() && file.name !== "server.json");
  for (const { parentPath, name } of files) {
    const path = join(dir, parentPath.slice(folder.length), `${name}.gz`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gzipSync(readFileSync(join(parentPath, name)), { level: 9 }));
  }
  writeFileSync(join(dir, "answers.json.gz"), gzipSync(JSON.stringify(fixture), { level: 9 }));
}

/** Moves the data into PostgreSQL, and writes what is there then. */
async function leavePostgres(dir: string): Promise<void> {
  const postgres = await startPostgres();
  try {
    execFileSync(process.execPath, [PROGRAM, "move", "--from", data, "--to", postgres.url]);
    const left = JSON.stringify(await databaseAt(postgres.superuserOf(postgres.url)));
    writeFileSync(join(dir, "postgres.json.gz"), gzipSync(left, { level: 9 }));
  } finally {
    await postgres.stop();
  }
}

function bytesIn(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return files.reduce(
    (sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length,
    0,
  );
}

await main();
