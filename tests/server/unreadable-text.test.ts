// Invalid UTF-8 that another program writes, while a server has the database open or before: the
// server continues, reads replacement characters, and changes no byte; a check names the places.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { some } from "../support/amount.ts";
import { execute, rowsIn } from "./support/existing-database.ts";
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
    READ,
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

test.each(some(WRITES, 3))(
  "invalid UTF-8 in %s affects no other request, and is read with replacement characters",
  {
    timeout: 60_000,
  },
  async (_, sql, place, read) => {
    const { folder, server, own, edge, cluster } = await setUp();
    await answers(own, cluster);
    execute(own.file(), sql({ edge }));
    expect(await answers(own, cluster)).toContain(read);
    expect((await own.create({ id: "n_after" })).id).toBe("n_after");
    expect(await own.search("squeeze", { limit: 10 })).toContain("n_after");
    expect(await server.end()).toBe(0);
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [PROGRAM, ...args, "--data-dir", folder], { encoding: "utf8" });
    for (const _ of [1, 2])
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
    [`UPDATE nous_meta SET value = ${BAD} WHERE key = 'embedding_model'`, 422],
  ];
  for (const [sql, status] of writes) {
    execute(own.file(), sql);
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
  expect(await server.end()).toBe(0);
});

test("invalid UTF-8 in the record of an idempotency key is reported to the sender", async () => {
  const { own } = await setUp();
  const create = () =>
    own.ask("POST /nodes", { type: "note", content_title: "Once" }, { "idempotency-key": "k" });
  expect((await create()).status).toBe(201);
  execute(own.file(), `UPDATE nous_retries SET made = ${BAD}`);
  expect(await create()).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("cannot be read") },
  });
});

test("invalid UTF-8 in an edge to a missing memory is read, too", async () => {
  const { own, cluster } = await setUp();
  execute(own.file(), `PRAGMA foreign_keys = OFF; UPDATE edges SET target_id = ${BAD}`);
  await answers(own, cluster);
  expect((await own.create({ id: "n_after" })).id).toBe("n_after");
});

test("ids that are read as one hide no other memory, and a check tells of them", {
  timeout: 60_000,
}, async () => {
  const { folder, server, own, cluster } = await setUp();
  for (const id of ["x'636166e9'", "x'636166ea'"])
    execute(
      own.file(),
      `INSERT INTO nodes (id, type, content_title) VALUES (CAST(${id} AS TEXT), 'note', 'x')`,
    );
  await answers(own, cluster);
  const { body } = await own.ask("GET /nodes");
  const ids = body.data.map(({ id }: { id: string }) => id);
  expect(ids.sort()).toEqual([READ, READ, "n_a", "n_b", "n_c"]);
  expect(await server.end()).toBe(0);
  const check = spawnSync(process.execPath, [PROGRAM, "check", "--data-dir", folder], {
    encoding: "utf8",
  });
  expect(check).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/nodes, row 4, column id; nodes, row 5, column id/),
  });
});

test("invalid UTF-8 that was written while the database was closed is named by a check, and read", {
  timeout: 60_000,
}, async () => {
  const { folder, server, own, cluster } = await setUp();
  expect(await server.end()).toBe(0);
  execute(own.file(), `UPDATE nodes SET content_title = ${BAD} WHERE id = 'n_b'`);
  const run = (command: string) =>
    spawnSync(process.execPath, [PROGRAM, command, "--data-dir", folder], { encoding: "utf8" });
  for (const _ of [1, 2]) {
    const report = expect.stringMatching(
      /: texts are not UTF-8, and are read with replacement characters: nodes, row 2, column content_title\n$/,
    );
    expect(run("check")).toMatchObject({ status: 1, stdout: report });
  }
  expect(run("export")).toMatchObject({ status: 0, stdout: expect.stringContaining(READ) });
  const again = await start(folder, ["--log-level", "info"]);
  expect(await answers(clientOf(again, "default"), cluster)).toContain(READ);
});

test("the bytes of a text stay as they are until the memory gets another one", async () => {
  const { own, cluster } = await setUp();
  execute(
    own.file(),
    `UPDATE nodes SET content_title = ${BAD}, content_body = ${BAD} WHERE id IN ('n_a', 'n_b')`,
  );
  await answers(own, cluster);
  const stored = () =>
    rowsIn(
      own.file(),
      "SELECT hex(content_title) AS title, hex(content_body) AS body FROM nodes ORDER BY rowid LIMIT 2",
    );
  const bytes = "636166E9";
  expect(stored()).toEqual([
    { title: bytes, body: bytes },
    { title: bytes, body: bytes },
  ]);
  await own.ask("PATCH /nodes/n_a", { content_title: "Again" });
  expect(stored()).toEqual([
    { title: Buffer.from("Again").toString("hex").toUpperCase(), body: bytes },
    { title: bytes, body: bytes },
  ]);
  // Written by this server, its other text is covered by a checksum, as it is read.
  const checksums = "SELECT count(*) AS count FROM row_checksums WHERE id IN ('n_a', 'n_b')";
  expect(rowsIn(own.file(), checksums)).toEqual([{ count: 1 }]);
});

test("a text that holds U+0000 is read whole, and is exported, imported and moved", {
  timeout: 60_000,
}, async () => {
  const { folder, server, own, cluster } = await setUp();
  execute(
    own.file(),
    "UPDATE nodes SET content_title = 'before' || char(0) || 'after' WHERE id = 'n_b'",
  );
  await answers(own, cluster);
  expect((await own.ask("GET /nodes/n_b")).body.content_title).toBe("before\0after");
  expect(await server.end()).toBe(0);
  const lines = `${folder}/lines.jsonl`;
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args, "--data-dir", folder], { encoding: "utf8" });
  expect(run("export", lines).status).toBe(0);
  expect(run("import", lines, "--agent", "other")).toMatchObject({ status: 0, stderr: "" });
  const again = clientOf(await start(folder), "other");
  expect((await again.ask("GET /nodes/n_b")).body.content_title).toBe("before\ufffdafter");
});
