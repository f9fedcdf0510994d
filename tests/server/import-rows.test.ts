// POST /import: rows of an export, as the page sends those of files. They are stored as `nous-server import`
// stores them, and twice is once.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN_PRESETS } from "nous-memory";
import { readWhole, rowsOf } from "nous-memory/moving";
import { expect, test } from "vitest";
import { keyIn } from "./support/keys.ts";
import { databaseOptions } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { server, client } = sharedServer();

const NOTES = `# Ferry

The ferry leaves at nine from pier four.

# Bakery

The bakery closes on Mondays.
`;

/** The rows of a file, as the page makes them. */
const rowsOfNotes = () => {
  const modified = Date.parse("2026-03-01T08:00:00Z");
  const moved = readWhole("document", { name: "notes.md", text: NOTES, modified });
  const preset = BUILT_IN_PRESETS.get("general")!;
  return [...rowsOf(moved, { preset, now: Date.now(), modified })].flatMap((part) =>
    part.kind === "row" ? [part.row] : [],
  );
};

test("stores rows with their ids, times and runs, and twice is once", async () => {
  const own = client();
  const rows = rowsOfNotes();
  const nodes = rows.filter(({ kind }) => kind === "node");
  expect(nodes.length).toBeGreaterThan(1);
  const first = await own.ask("POST /import", { rows });
  expect([first.status, first.body]).toEqual([
    200,
    { ok: true, added: rows.length, there: 0, wrong: [] },
  ]);
  const again = await own.ask("POST /import", { rows });
  expect(again.body).toEqual({ ok: true, added: 0, there: rows.length, wrong: [] });
  for (const { id, created_at, content_title } of nodes)
    expect((await own.ask(`GET /nodes/${encodeURIComponent(String(id))}`)).body).toMatchObject({
      ...{ id, created_at, content_title, memory_section: "KNOWLEDGE" },
    });
  expect(await own.search("When does the ferry leave?")).toContain(nodes[0]!.id);
  const { body } = await own.ask("GET /graph");
  expect(body.memberships).toHaveLength(rows.filter(({ kind }) => kind === "membership").length);
});

test("stores the rows of an export as the command stores the file", async () => {
  const folder = temporaryFolder();
  const lines = rowsOfNotes().map((row) => JSON.stringify(row));
  const file = join(folder, "rows.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
  execFileSync(process.execPath, [PROGRAM, "import", "--agent", "command", ...place, file]);
  const own = await start(folder);
  const [sent, imported] = [clientOf(own, "sent"), clientOf(own, "command")];
  await sent.ask("POST /import", { rows: rowsOfNotes() });
  const listed = async (from: typeof sent) =>
    (await from.ask("GET /nodes")).body.data.map(
      // It fades from one request to the next.
      ({ neural_retrievability: _, ...node }: { neural_retrievability: number }) => node,
    );
  const found = await listed(sent);
  expect(found.length).toBeGreaterThan(1);
  expect(found).toEqual(await listed(imported));
});

test("leaves a memory with a known id as it is", async () => {
  const own = client();
  await own.create({ id: "a", content_title: "As it was" });
  const row = { kind: "node", id: "a", type: "note", content_title: "Another one" };
  expect((await own.ask("POST /import", { rows: [row] })).body).toMatchObject({ there: 1 });
  expect((await own.ask("GET /nodes/a")).body.content_title).toBe("As it was");
});

test("names wrong rows, and stores the others", async () => {
  const own = client();
  const node = { kind: "node", type: "note", content_title: "Pier four" };
  const edge = { kind: "edge", id: "e", type: "causes", source_id: "a" };
  const rows = [
    { ...node, id: "a" },
    { ...node, id: "" },
    { ...node, id: "b", created_at: 7 },
    { ...edge, target_id: "nowhere" },
    { kind: "membership", cluster_id: "none", node_id: "a" },
    { kind: "learned", steps: 1 },
    { kind: "agent", preset: "general" },
    { ...edge, target_id: "a" },
  ];
  const { status, body } = await own.ask("POST /import", { rows });
  expect([status, body.added, body.there]).toEqual([200, 2, 0]);
  expect(body.wrong.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3, 4, 5, 6]);
  const messages = body.wrong.map(({ message }: { message: string }) => message);
  for (const [place, field] of ["id", "created_at", "target_id", "cluster_id"].entries())
    expect(messages[place]).toMatch(new RegExp(`^${field}: `));
  expect(messages[2]).toContain('"nowhere", which is not there');
  const wrongs = [{}, { rows: [] }, { rows: ["a"] }, { rows: [{ ...node, id: "c" }], more: 1 }];
  for (const wrong of wrongs) {
    const refused = await own.ask("POST /import", wrong);
    expect([refused.status, refused.body.issues[0].path]).toEqual([
      400,
      expect.stringMatching(/^(?:rows|more)/),
    ]);
  }
});

test.each(["metadata", "signals", "neither", "__proto__"])(
  "refuses a row with a field %s that is nested too deep, and names the row",
  async (field) => {
    const own = client();
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const deep = `${open.repeat(20_000)}0${close.repeat(20_000)}`;
      const row = `{"kind":"node","id":"a","type":"note","content_title":"a","${field}":${deep}}`;
      const rows = `{"rows":[{"kind":"node","id":"b","type":"note","content_title":"b"},${row}]}`;
      expect(await own.ask("POST /import", rows)).toMatchObject({
        status: 400,
        body: { issues: [{ path: "rows.1", message: expect.stringContaining("nested deeper") }] },
      });
    }
    expect((await own.ask("GET /nodes")).body.count).toBe(0);
  },
);

test("refuses metadata as a JSON text that is nested too deep, which no answer could hold", async () => {
  const own = client();
  const metadata = `${'{"a":'.repeat(50_000)}0${"}".repeat(50_000)}`;
  const row = { kind: "node", id: "a", type: "note", content_title: "a" };
  const { body } = await own.ask("POST /import", { rows: [{ ...row, metadata }] });
  expect(body.wrong).toEqual([
    { index: 0, message: "metadata: must not be nested deeper than 100 levels" },
  ]);
  expect(await own.ask("GET /nodes")).toMatchObject({ status: 200, body: { count: 0 } });
  const { body: taken } = await own.ask("POST /import", {
    rows: [{ ...row, metadata: '{"a":{"b":1}}' }],
  });
  expect(taken.added).toBe(1);
});

test("stores nothing of a request that exceeds the quota of its key", async () => {
  const folder = temporaryFolder();
  const { key, id } = await keyIn(folder, {
    ...{ agents: "all", scopes: ["memory"], creates_agents: true },
  });
  const own = await start(folder, ["--max-memories", `${id}=2`]);
  const authorization = `Bearer ${key}`;
  const rows = ["a", "b", "c"].map((name) => ({
    ...{ kind: "node", id: name, type: "note", content_title: name },
  }));
  const ask = (given: object[]) => own.ask("POST /import", { rows: given }, { authorization });
  expect((await ask(rows)).status).toBe(429);
  expect((await ask(rows.slice(0, 2))).body).toMatchObject({ added: 2 });
  expect(server().url).not.toBe(own.url);
});
