// Data folders that released versions have left: this version opens each, answers about it as the
// version did that wrote it, finds it sound, and writes to it. `npm run fixture` leaves one.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { as, expectAsThen, serve, unpacked, VERSIONS } from "./released/opened.ts";
import { raw } from "./support/existing-database.ts";
import { PROGRAM } from "./support/server-process.ts";

describe.each(VERSIONS)("the data of version %s", (version) => {
  test("is answered about as then, and takes writes", { timeout: 120_000 }, async () => {
    const opened = unpacked(version);
    const server = await serve(opened, opened.data);
    await expectAsThen(server, opened.fixture);
    expect(await server.end()).toBe(0);
    for (const [agent, tables] of Object.entries(opened.fixture.rows)) {
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
    const server = await serve(opened, opened.data);
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
      const server = await serve(opened, opened.data);
      for (const agent of Object.keys(opened.fixture.rows))
        await server.ask("GET /graph", undefined, as(agent, opened.fixture.keys.all));
      expect(await server.end()).toBe(0);
    }
  });
});
