// PostgreSQL databases that released versions have left: this version brings each to its schema, answers
// about it as the version did that wrote it, and writes to it. `npm run fixture` leaves one.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../js/server/src/storage/postgres/migrations.ts";
import { expectAsThen, type Opened, serve, unpacked, VERSIONS } from "./released/opened.ts";
import { fillDatabase, type LeftDatabase } from "./released/postgres-rows.ts";
import { type Postgres, query, startPostgres } from "./support/postgres.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Version 0.1.0 knew no PostgreSQL. */
const LEFT = VERSIONS.filter((version) => version !== "0.1.0");

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const leftIn = ({ folder }: Opened): LeftDatabase =>
  JSON.parse(readFileSync(join(folder, "postgres.json"), "utf8"));

describe.each(LEFT)("the PostgreSQL database of version %s", (version) => {
  test("is answered about as then, and takes writes", { timeout: 120_000 }, async () => {
    const opened = unpacked(version);
    const url = await postgres.create();
    const superuser = postgres.superuserOf(url);
    await fillDatabase(leftIn(opened), url, superuser);
    const server = await serve(opened, temporaryFolder(), "--database-url", url);
    await expectAsThen(server, opened.fixture);
    expect(await server.end()).toBe(0);
    for (const [agent, tables] of Object.entries(opened.fixture.rows))
      for (const [table, count] of Object.entries(tables)) {
        const statement = `SELECT count(*)::int FROM nous.${table.replace(/^nous_/, "")} WHERE agent = $1`;
        const [found] = await query(superuser, statement, [agent]);
        expect({ agent, table, rows: found!.count }).toEqual({ agent, table, rows: count });
      }
  });

  test("was made by statements that nobody has edited since", () => {
    const { migrations } = leftIn(unpacked(version));
    expect(MIGRATIONS.slice(0, migrations.length)).toEqual(migrations);
  });
});
