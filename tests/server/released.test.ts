// Data folders that released versions have left: this version opens each, answers about it as the
// version did that wrote it, finds it sound, and writes to it. `npm run fixture` leaves one.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import type { Fixture, Told } from "./released/fixture.ts";
import { raw } from "./support/existing-database.ts";
import { type Answer, PROGRAM, type Running, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const RELEASED = fileURLToPath(new URL("released", import.meta.url));
const CLOCK = pathToFileURL(join(RELEASED, "clock.mjs")).href;
const VERSIONS = readdirSync(RELEASED).filter((name) => /^\d/.test(name));

/** Fields that pass with time, or that tell of one request. */
const PASSING = new Set(["neural_retrievability", "retrievability"]);

interface Opened {
  folder: string;
  data: string;
  fixture: Fixture;
  /** How a program is run at the time when the folder was left. */
  then: { node: readonly string[]; env: NodeJS.ProcessEnv };
}

/** Unpacks the folder of a version. */
function unpacked(version: string): Opened {
  const folder = temporaryFolder();
  const from = join(RELEASED, version);
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const to = join(folder, path.slice(from.length).replace(/\.gz$/, ""));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, gunzipSync(readFileSync(path)), { mode: 0o600 });
  }
  const fixture = JSON.parse(readFileSync(join(folder, "answers.json"), "utf8")) as Fixture;
  const ahead = String(fixture.at - Date.now());
  const then = { node: ["--import", CLOCK], env: { CLOCK_AHEAD: ahead } };
  return { folder, data: join(folder, "data"), fixture, then };
}

const serve = ({ folder, data, then }: Opened): Promise<Running> =>
  start(data, ["--presets-dir", join(folder, "presets"), "--learning", "on"], "test", then);

/** A header holds bytes, here those of UTF-8. */
const as = (agent: string, key: string) => ({
  "x-nous-agent": Buffer.from(agent).toString("latin1"),
  authorization: `Bearer ${key}`,
});

const lasting = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value) => (PASSING.has(name) ? undefined : value)));

function expectSame({ call, body, answer: old }: Told, { status, body: now }: Answer): void {
  const asked = `${call} ${JSON.stringify(body)}`;
  expect(status, asked).toBeLessThan(300);
  if (!call.startsWith("POST /search"))
    expect(lasting(now), asked).toMatchObject(lasting(old) as object);
  else {
    // Later versions may weigh evidence in another way.
    const ids = now.data.map(({ id }: { id: string }) => id);
    expect(ids, asked).toContain(old.data[0].id);
  }
}

describe.each(VERSIONS)("the data of version %s", (version) => {
  test("is answered about as then, and takes writes", { timeout: 120_000 }, async () => {
    const opened = unpacked(version);
    const { told, keys, rows } = opened.fixture;
    expect(told.length).toBeGreaterThan(300);
    const server = await serve(opened);
    for (const one of told)
      expectSame(
        one,
        await server.ask(one.call, one.body, { ...as(one.agent, keys.all), ...one.headers }),
      );
    expect((await server.ask("GET /graph")).status).toBe(401);
    expect((await server.ask("GET /graph", undefined, as("trader", keys.trader))).status).toBe(200);
    expect((await server.ask("GET /graph", undefined, as("default", keys.trader))).status).toBe(
      403,
    );
    const listed = await server.ask("GET /agents", undefined, as("default", keys.all));
    expect(listed.body.data.map(({ agent }: { agent: string }) => agent).sort()).toEqual(
      Object.keys(rows).sort(),
    );
    for (const agent of Object.keys(rows)) {
      const headers = as(agent, keys.all);
      const body = { type: "note", content_title: "Written by a later version" };
      const made = await server.ask("POST /nodes", body, headers);
      expect(made.status, agent).toBe(201);
      const { id } = made.body;
      const found = await server.ask("POST /search", { query: body.content_title }, headers);
      expect(found.body.data[0].id, agent).toBe(id);
      expect((await server.ask(`DELETE /nodes/${id}`, undefined, headers)).status).toBe(200);
    }
    const { call, headers } = told.find(({ headers }) => headers !== undefined)!;
    const other = { type: "note", content_title: "Another memory with the same key" };
    const refused = await server.ask(call, other, { ...as("default", keys.all), ...headers });
    expect(refused.status).toBe(422);
    expect(await server.end()).toBe(0);
    for (const [agent, tables] of Object.entries(rows)) {
      const db = raw(agentFile(opened.data, agent));
      for (const [table, count] of Object.entries(tables))
        expect({ agent, table, rows: db.prepare(`SELECT 1 FROM ${table}`).all().length }).toEqual({
          agent,
          table,
          rows: count,
        });
      db.close();
    }
  });

  test("is copied before its schema is changed, so that the version can be had back", {
    timeout: 60_000,
  }, async () => {
    const opened = unpacked(version);
    const { keys, rows } = opened.fixture;
    const schemaIn = (file: string) => {
      const db = raw(file);
      const { value } = db.prepare("SELECT value FROM nous_meta WHERE key = 'schema'").get() as {
        value: string;
      };
      const counts = Object.keys(rows.default!).map(
        (table) => [table, db.prepare(`SELECT 1 FROM ${table}`).all().length] as const,
      );
      db.close();
      return { schema: Number(value), counts: Object.fromEntries(counts) };
    };
    const file = agentFile(opened.data, "default");
    const before = schemaIn(file);
    const server = await serve(opened);
    await server.ask("GET /graph", undefined, as("default", keys.all));
    expect(await server.end()).toBe(0);
    const copies = readdirSync(dirname(file)).filter((name) =>
      name.startsWith(`${basename(file)}.schema-${before.schema}.`),
    );
    expect(copies).toHaveLength(schemaIn(file).schema > before.schema ? 1 : 0);
    for (const copy of copies) expect(schemaIn(join(dirname(file), copy))).toEqual(before);
  });

  test("is sound, before this version has opened it and afterwards", {
    timeout: 60_000,
  }, async () => {
    const opened = unpacked(version);
    const check = () => {
      const args = [...opened.then.node, PROGRAM, "check", "--data-dir", opened.data];
      const env = { ...process.env, ...opened.then.env };
      return spawnSync(process.execPath, args, { encoding: "utf8", env });
    };
    for (const _ of [1, 2]) {
      const { status, stdout } = check();
      const odd = stdout.split("\n").filter((line) => line !== "" && !line.endsWith(": sound"));
      // The text that another program wrote.
      expect({ status, odd }).toEqual({ status: 1, odd: [expect.stringMatching(/not UTF-8/)] });
      const server = await serve(opened);
      for (const agent of Object.keys(opened.fixture.rows))
        await server.ask("GET /graph", undefined, as(agent, opened.fixture.keys.all));
      expect(await server.end()).toBe(0);
    }
  });
});
