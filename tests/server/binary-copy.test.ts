// Bytes that are read by binary COPY: of every length, after a refused statement, and from a
// connection that breaks off.

import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyBytes } from "../../js/server/src/storage/postgres/binary-copy.ts";
import { poolOf } from "../../js/server/src/storage/postgres/connections.ts";
import { type Postgres, query, startPostgres } from "./support/postgres.ts";

const TIMEOUT = 1_000;
let postgres: Postgres;
let pool: pg.Pool;
beforeAll(async () => {
  postgres = await startPostgres();
  pool = poolOf({ url: await postgres.create(), password: "", connections: 1, timeout: TIMEOUT });
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

/** Runs `work` on the one connection of the pool. */
async function connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

test("every value comes back whole, in order", async () => {
  const lengths = [0, 1, 32_767, 32_768, 2_500_000, 3];
  const select = lengths
    .map(
      (length, place) => `SELECT ${place} AS place, decode(repeat('01fe', ${length}), 'hex') AS b`,
    )
    .join(" UNION ALL ");
  const values = await connected((client) =>
    copyBytes(client, `SELECT b FROM (${select}) AS them ORDER BY place`),
  );
  expect(values.map(({ byteLength }) => byteLength)).toEqual(lengths.map((length) => 2 * length));
  const repeated = Buffer.from("01fe", "hex");
  for (const value of values)
    expect(Buffer.from(value).equals(Buffer.alloc(value.byteLength, repeated))).toBe(true);
});

test("no row is no value", async () => {
  expect(await connected((client) => copyBytes(client, "SELECT ''::bytea WHERE false"))).toEqual(
    [],
  );
});

test("a refused statement is told by its SQLSTATE, and the connection goes on", async () => {
  await connected(async (client) => {
    await expect(copyBytes(client, "SELECT bytes FROM nowhere")).rejects.toMatchObject({
      code: "42P01",
    });
    await expect(copyBytes(client, "SELECT (1 / 0)::text::bytea")).rejects.toMatchObject({
      code: "22012",
    });
    expect(await copyBytes(client, "SELECT '\\x07'::bytea")).toEqual([new Uint8Array([7]).buffer]);
    expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });
});

test("the timer of the timeout ends with the bytes", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  await connected(async (client) => {
    const before = timers();
    for (let turn = 0; turn < 30; turn++) await copyBytes(client, "SELECT '\\x07'::bytea");
    // Timers of the runner come and go meanwhile. Those of the copies would be thirty.
    expect(timers()).toBeLessThan(before + 15);
  });
});

test("a connection that breaks off, or a statement that takes too long, rejects", async () => {
  const slow = "SELECT '\\x07'::bytea FROM pg_sleep(30)";
  const client = await pool.connect();
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  const broken = expect(copyBytes(client, slow)).rejects.toThrow();
  await query(postgres.superuserOf(postgres.url), "SELECT pg_terminate_backend($1)", [rows[0].pid]);
  await broken;
  client.release(true);
  await expect(connected((another) => copyBytes(another, slow))).rejects.toThrow(/timeout/);
});
