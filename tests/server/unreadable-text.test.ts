// Invalid UTF-8 that another program writes while a server has the database open: the server
// continues, reads replacement characters, and names the places.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { LibsqlStorage } from "../../js/server/src/storage/libsql.ts";
import { releaseHandles } from "../../js/server/src/storage/release-handles.ts";
import { raw } from "./support/existing-database.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const BAD = "CAST(x'636166e9' AS TEXT)";
const READ = "caf\ufffd";

async function setUp() {
  const folder = temporaryFolder();
  const server = await start(folder, ["--log-level", "info"]);
  const own = clientOf(server, "default");
  for (const id of ["n_a", "n_b", "n_c"]) await own.create({ id, signals: { pnl_pct: 1 } });
  const edge = await own.link("n_a", "n_b");
  const cluster = (await own.ask("POST /clusters", { name: "Majors" })).body.id;
  await own.ask(`POST /clusters/${cluster}/members`, { node_id: "n_a" });
  await own.ask("POST /contradiction/queue", { old_node_id: "n_a", new_content: "Other" });
  return { folder, server, own, edge: edge.id, cluster };
}

/** Sends every kind of request, which must succeed; returns the answers as text. */
async function answers({ ask }: Client, cluster: string): Promise<string> {
  const calls: [string, object?][] = [
    ["GET /nodes"],
    ["GET /nodes/n_b?recall=false"],
    ["GET /graph"],
    ["GET /health"],
    ["GET /clusters"],
    [`GET /clusters/${cluster}/members`],
    ["GET /edges?node_id=n_a"],
    ["GET /contradiction/queue"],
    ["POST /search", { query: "squeeze", limit: 10 }],
    ["POST /search", { query: READ, limit: 10 }],
  ];
  const all = [];
  for (const [call, body] of calls) {
    const answer = await ask(call, body);
    expect({ call, status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
    all.push(JSON.stringify(answer.body));
  }
  expect((await ask("GET /health")).status).toBe(200);
  return all.join("\n");
}

/** Tables and columns that another program may write to, and the names of these places. */
const WRITES: [
  what: string,
  sql: (ids: { edge: string }) => string,
  place: RegExp,
  read: string,
][] = [
  [
    "a title",
    () => `UPDATE nodes SET content_title = ${BAD} WHERE id = 'n_b'`,
    /nodes, row 2, column content_title/,
    READ,
  ],
  [
    "a body",
    () => `UPDATE nodes SET content_body = ${BAD} WHERE id = 'n_b'`,
    /nodes, row 2, column content_body/,
    READ,
  ],
  [
    "a number",
    () => `UPDATE nodes SET neural_stability = ${BAD} WHERE id = 'n_b'`,
    /nodes, row 2, column neural_stab/,
    "",
  ],
  [
    "a new memory",
    () => `INSERT INTO nodes (id, type, content_title) VALUES ('n_d', 'note', ${BAD})`,
    /nodes, row 4, /,
    READ,
  ],
  [
    "an id",
    () => `INSERT INTO nodes (id, type, content_title) VALUES (${BAD}, 'note', 'x')`,
    /nodes, row 4, column id/,
    "caf%E9",
  ],
  ["an edge", () => `UPDATE edges SET subtype = ${BAD}`, /edges, row 1, column subtype/, READ],
  ["a cluster", () => `UPDATE clusters SET name = ${BAD}`, /clusters, row 1, column name/, READ],
  [
    "a conflict",
    () => `UPDATE conflict_queue SET new_content = ${BAD}`,
    /conflict_queue, row 1, column new_content/,
    READ,
  ],
  [
    "figures",
    () => `UPDATE node_signals SET signals = ${BAD}; UPDATE nodes SET layer = 'x'`,
    /node_signals, row 1, /,
    "",
  ],
];

test.each(WRITES)(
  "invalid UTF-8 in %s affects no other request, and is read with replacement characters",
  {
    timeout: 60_000,
  },
  async (_, sql, place, read) => {
    const { folder, server, own, edge, cluster } = await setUp();
    await answers(own, cluster);
    raw(own.file()).exec(sql({ edge }));
    expect(await answers(own, cluster)).toContain(read);
    expect(server.log()).toMatch(place);
    expect((await own.create({ id: "n_after" })).id).toBe("n_after");
    expect(await server.end()).toBe(0);
    await releaseHandles();
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [PROGRAM, ...args, "--data-dir", folder], { encoding: "utf8" });
    expect(run("check")).toMatchObject({ status: 1, stdout: expect.stringMatching(place) });
    const { status, stdout } = run("export");
    expect({ status, lines: stdout.trimEnd().split("\n").length > 5 }).toEqual({
      status: 0,
      lines: true,
    });
    const again = clientOf(await start(folder), "default");
    expect(await answers(again, cluster)).toContain(read);
  },
);

test("invalid UTF-8 in tables without a change log fails at most the request that reads it", {
  timeout: 60_000,
}, async () => {
  const { server, own, cluster } = await setUp();
  const key = { "idempotency-key": "k" };
  const body = { type: "note", content_title: "Once" };
  const feedback = () =>
    own.ask("POST /context/feedback", {
      context_id: "c",
      recalled_content: { n_a: "squeeze" },
      response: "squeeze",
    });
  const create = () => own.ask("POST /nodes", body, key);
  expect((await create()).status).toBe(201);
  expect((await feedback()).status).toBe(200);
  const writes: [sql: string, status: number][] = [
    [`UPDATE nous_retries SET created_at = ${BAD}`, 201],
    [`UPDATE nous_retries SET request = ${BAD}`, 422],
    [`UPDATE nous_retries SET made = ${BAD}, request = 'x'`, 422],
    [`INSERT INTO nous_tasks VALUES (${BAD}, ${BAD}, 0, 0)`, 422],
    [`UPDATE memory_usage SET memory_type = ${BAD}`, 422],
    [`INSERT INTO playbook_outcomes VALUES ('n_a', ${BAD}, 1, ${BAD}, 0)`, 422],
    [`INSERT INTO deleted_versions (id, version) VALUES (${BAD}, ${BAD})`, 422],
    [`INSERT INTO nous_purges VALUES (${BAD})`, 422],
    [`UPDATE nous_openings SET opening = ${BAD}`, 422],
    [`UPDATE node_signals SET signals = ${BAD}`, 422],
    [`INSERT INTO nous_meta VALUES ('embedding_model', ${BAD})`, 422],
  ];
  for (const [sql, status] of writes) {
    raw(own.file()).exec(sql);
    expect({ sql, status: (await create()).status }).toEqual({ sql, status });
    expect({ sql, status: (await feedback()).status }).toEqual({ sql, status: 200 });
    expect({ sql, status: (await own.ask("POST /retrieve", { query: "squeeze" })).status }).toEqual(
      {
        sql,
        status: 200,
      },
    );
    await answers(own, cluster);
  }
  expect(server.log()).toMatch(
    /not UTF-8, and were replaced in nous_retries, row 1, column created_at/,
  );
  expect(await server.end()).toBe(0);
});

test("invalid UTF-8 in the record of an idempotency key is reported to the sender", async () => {
  const { own } = await setUp();
  const create = () =>
    own.ask("POST /nodes", { type: "note", content_title: "Once" }, { "idempotency-key": "k" });
  expect((await create()).status).toBe(201);
  raw(own.file()).exec(`UPDATE nous_retries SET made = ${BAD}`);
  expect(await create()).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("cannot be read") },
  });
});

test("invalid UTF-8 in an edge to a missing memory is replaced, too", async () => {
  const { own, cluster } = await setUp();
  raw(own.file()).exec(`PRAGMA foreign_keys = OFF; UPDATE edges SET target_id = ${BAD}`);
  await answers(own, cluster);
  expect((await own.create({ id: "n_after" })).id).toBe("n_after");
});

test("an invalid id gets another replacement if a memory has the usual one, each time", async () => {
  const { own, cluster } = await setUp();
  const insert = (id: string) =>
    `INSERT INTO nodes (id, type, content_title) VALUES (${id}, 'note', 'x')`;
  raw(own.file()).exec(insert("'caf%E9'"));
  for (const id of ["caf%E9%", "caf%E9%%"]) {
    raw(own.file()).exec(`${insert(BAD)}; INSERT INTO edges (id, type, source_id, target_id)
      VALUES ('e_${id.length}', 'relates_to', 'n_a', ${BAD})`);
    expect(await answers(own, cluster)).toContain(`"${id}"`);
    const [edge] = raw(own.file())
      .prepare(`SELECT target_id FROM edges WHERE id = 'e_${id.length}'`)
      .all();
    expect(edge).toEqual({ target_id: id });
  }
});

test("invalid UTF-8 that another program wrote while the database was closed is named by a check, which changes nothing", {
  timeout: 60_000,
}, async () => {
  const { folder, server, own, cluster } = await setUp();
  expect(await server.end()).toBe(0);
  await releaseHandles();
  raw(own.file()).exec(`UPDATE nodes SET content_title = ${BAD} WHERE id = 'n_b'`);
  const run = (command: string) =>
    spawnSync(process.execPath, [PROGRAM, command, "--data-dir", folder], { encoding: "utf8" });
  for (const _ of [1, 2]) {
    const report = expect.stringMatching(/not UTF-8 in nodes, row 2, column content_title/);
    expect(run("check")).toMatchObject({ status: 1, stdout: report });
  }
  expect(run("export")).toMatchObject({ status: 0, stdout: expect.stringContaining(READ) });
  const again = await start(folder, ["--log-level", "info"]);
  expect(await answers(clientOf(again, "default"), cluster)).toContain(READ);
});

test("invalid UTF-8 is replaced, whatever happens to the first request", async () => {
  const { own, cluster } = await setUp();
  raw(own.file()).exec(
    `INSERT INTO nodes (id, type, content_title) VALUES (${BAD}, 'note', ${BAD})`,
  );
  expect((await own.ask("PATCH /nodes/nobody", { content_title: "Other" })).status).toBe(404);
  expect(await answers(own, cluster)).toContain("caf%E9");
  await own.create({ id: "n_after", content_title: "afterwards" });
  expect(await own.search("afterwards", { limit: 1 })).toEqual(["n_after"]);
});

test("invalid UTF-8 is kept in its old form until its memory has another text, or is deleted", async () => {
  const { own, cluster } = await setUp();
  raw(own.file()).exec(
    `UPDATE nodes SET content_title = ${BAD}, content_body = ${BAD} WHERE id IN ('n_a', 'n_b')`,
  );
  await answers(own, cluster);
  const kept = () =>
    raw(own.file())
      .prepare(
        "SELECT place, column_name, hex(bytes) AS bytes FROM nous_replaced_texts ORDER BY 1, 2",
      )
      .all();
  const bytes = "636166E9";
  const of = (place: string, ...columns: string[]) =>
    columns.map((column_name) => ({ place, column_name, bytes }));
  expect(kept()).toEqual([
    ...of("1", "content_body", "content_title"),
    ...of("2", "content_body", "content_title"),
  ]);
  await own.ask("PATCH /nodes/n_a", { content_title: "Written again" });
  expect(kept()).toEqual([...of("1", "content_body"), ...of("2", "content_body", "content_title")]);
  await own.ask("DELETE /nodes/n_a");
  expect(kept()).toEqual(of("2", "content_body", "content_title"));
  await own.ask("POST /nodes/n_b/purge");
  expect(kept()).toEqual([]);
});

test("the check of a read for other programs' writes takes less than 200 µs", () => {
  const storage = new LibsqlStorage(`${temporaryFolder()}/a.db`, { durability: "normal" });
  const measure = (work: () => void) => {
    const times = 5_000;
    const begin = performance.now();
    for (let time = 0; time < times; time++) work();
    return ((performance.now() - begin) * 1_000) / times;
  };
  const read = () => storage.nodes.find("n");
  measure(read);
  const looked = measure(read);
  const bare = storage.snapshot(() => measure(read));
  console.log(
    `a read: ${looked.toFixed(1)} µs, of which ${(looked - bare).toFixed(1)} µs look whether others wrote`,
  );
  expect(looked - bare).toBeLessThan(200);
  storage.close();
});
