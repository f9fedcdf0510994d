// Truncated and damaged files: a server refuses them with an explanation or restores all of their
// data; it never presents an empty or partial memory without notice.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { backUp, restore } from "../../js/server/src/backup.ts";
import { checkAll } from "../../js/server/src/check.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { logIndexOf, logOf } from "../../js/server/src/storage/files.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { checkLog } from "../../js/server/src/storage/wal.ts";
import { amount, runs, some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { execute } from "./support/existing-database.ts";
import { start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { makeFolder, temporaryFolder } from "./support/temporary-folder.ts";

const NODES = 60;
const PAGE = 4_096;
const AGENT = "damaged";
/** A refusal with an explanation of the fault, and without internals of the program. */
const IN_WORDS = /damaged|malformed|cut off|is empty|is gone|not a database|cannot be opened/;

/**
 * Data of a stopped server, and of a killed one whose writes since the start are all in the log.
 */
const sources = { stopped: makeFolder(), killed: makeFolder() };

beforeAll(async () => {
  for (const [how, folder] of Object.entries(sources)) {
    const server = await start(folder, ["--log-level", "error"], "file");
    const { create, link } = clientOf(server, AGENT);
    let last = (await create({ id: "n_0", content_body: "x".repeat(2 * PAGE) })).id;
    for (let place = 1; place < NODES; place++) {
      const { id } = await create({
        id: `n_${place}`,
        content_title: `Memory ${place}`,
        embedding: [place, 1],
      });
      if (place % 5 === 0) await link(id, last);
      last = id;
    }
    await server.end(how === "stopped" ? "SIGTERM" : "SIGKILL");
  }
}, 60_000);

/** A copy of that data, to be damaged. */
function copyOf(how: keyof typeof sources): { folder: string; file: string } {
  const folder = temporaryFolder();
  const [from, file] = [agentFile(sources[how], AGENT), agentFile(folder, AGENT)];
  new SqliteStorage(agentFile(folder, "default"), { durability: "full" }).close();
  const names = readdirSync(dirname(from)).filter((name) => name.startsWith(basename(from)));
  for (const name of names) copyFileSync(join(dirname(from), name), join(dirname(file), name));
  return { folder, file };
}

/** The server's result: a refusal's text, or the number of memories. */
async function served(folder: string): Promise<string | number> {
  const server = await start(folder, ["--log-level", "warn"]);
  const { ask } = clientOf(server, AGENT);
  const { status, body } = await ask("GET /health");
  const write = await ask("POST /nodes", LESSON);
  const listed = (await server.ask("GET /agents")).status;
  const log = server.log();
  expect(await server.end()).toBe(0);
  expect(listed).toBe(200);
  if (status === 200) return body.node_count;
  expect({ status, write: write.status }).toEqual({ status: 503, write: 503 });
  expect(log).toMatch(IN_WORDS);
  return body.error;
}

/** The same without a process, at the first request. */
function opened(file: string): string | number {
  try {
    checkLog(file);
    const agent = new Agent(new SqliteStorage(file, { durability: "full" }));
    try {
      return agent.read(() => agent.index.size);
    } finally {
      agent.discard();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

const problemsOf = (folder: string) =>
  [...checkAll({ dataDir: folder, durability: "full", postgres: undefined }, {})].flatMap(
    ({ problems }) => problems,
  );

describe("a database", () => {
  test.each(
    some(
      [
        ["to nothing", () => 0],
        ["within its header", () => 60],
        ["after its first page", () => PAGE],
        ["in the middle", (bytes: number) => bytes >> 1],
        ["by a page", (bytes: number) => bytes - PAGE],
      ],
      2,
    ),
  )("truncated %s is refused with an explanation", { timeout: 60_000 }, async (_, lengthOf) => {
    const { folder, file } = copyOf("stopped");
    truncateSync(file, lengthOf(readFileSync(file).length));
    expect(await served(folder)).toMatch(IN_WORDS);
    expect(problemsOf(folder)).not.toEqual([]);
  });

  test("that is missing, beside its log, is refused with an explanation, and can be deleted", {
    timeout: 60_000,
  }, async () => {
    const { folder, file } = copyOf("killed");
    rmSync(file);
    expect(await served(folder)).toMatch(/is gone/);
    const server = await start(folder, ["--log-level", "error"]);
    expect((await server.ask(`DELETE /agents/${AGENT}`)).status).toBe(200);
    expect(existsSync(logOf(file))).toBe(false);
  });

  test("with any overwritten page is refused, or complete; and a check finds the damage", {
    timeout: 120_000,
  }, async () => {
    const { folder, file } = copyOf("stopped");
    const whole = readFileSync(file);
    const silent: string[] = [];
    let refusals = 0;
    const pages = Array.from({ length: whole.length / PAGE }, (_, page) => page);
    for (const page of some(pages, pages.length / 4)) {
      const at = page * PAGE;
      for (const byte of [0, 0xa5]) {
        writeFileSync(file, Buffer.from(whole).fill(byte, at, at + PAGE));
        const found = opened(file);
        if (typeof found === "string") expect(found).toMatch(IN_WORDS);
        refusals += Number(typeof found === "string");
        if (typeof found === "number" && found !== NODES)
          silent.push(`page ${page} of ${byte}: ${found} memories`);
        if (problemsOf(folder).length === 0) silent.push(`page ${page} of ${byte}: sound`);
      }
    }
    expect(silent).toEqual([]);
    expect(refusals).toBeGreaterThanOrEqual(amount(1, 0));
  });

  test("with invalid UTF-8 is served with replacement characters, which a check names", {
    timeout: 60_000,
  }, async () => {
    const { folder, file } = copyOf("stopped");
    const bytes = readFileSync(file);
    // 0xFF never occurs in UTF-8.
    bytes[bytes.lastIndexOf("Memory 7")] = 0xff;
    writeFileSync(file, bytes);
    const problems = [
      "1 memories are not as they were written",
      expect.stringMatching(/^the full-text index is not that of the rows/),
      expect.stringMatching(/^texts are not UTF-8.*: nodes, row 8, column content_title$/),
    ];
    expect(problemsOf(folder)).toEqual(problems);
    expect(await served(folder)).toBe(NODES);
    expect(problemsOf(folder)).toEqual(problems);
  });

  test.each([
    [
      "a column of numbers",
      "UPDATE nodes SET neural_stability = CAST(x'61ff' AS TEXT) WHERE id = 'n_3'",
      "nodes, row 4, column neural_stability",
    ],
    [
      "a row far from the others",
      "UPDATE nodes SET rowid = 1 << 40, layer = CAST(x'c3' AS TEXT) WHERE id = 'n_3'",
      `nodes, row ${2 ** 40}, column layer`,
    ],
    [
      "a row before the first",
      "UPDATE nodes SET rowid = -5000, layer = CAST(x'c3' AS TEXT) WHERE id = 'n_3'",
      "nodes, row -5000, column layer",
    ],
    [
      "the last row there can be",
      "UPDATE nodes SET rowid = ~(1 << 63), layer = CAST(x'c3' AS TEXT) WHERE id = 'n_3'",
      "nodes, row 9223372036854775807, column layer",
    ],
    [
      "an edge",
      "UPDATE edges SET type = CAST(x'e282' AS TEXT) WHERE rowid = 2",
      "edges, row 2, column type",
    ],
    [
      "a table without row numbers",
      "INSERT INTO playbook_outcomes (playbook_id, entry_id, profitable, applied_at) VALUES ('p', CAST(x'80' AS TEXT), 1, '2026-01-01')",
      "playbook_outcomes, row 70.80, column entry_id",
    ],
  ])("with invalid UTF-8 in %s is opened, with the place named", async (_, sql, place) => {
    const { folder, file } = copyOf("stopped");
    execute(file, sql);
    expect(problemsOf(folder).join()).toContain(place);
    expect(opened(file)).toBe(NODES);
    expect(problemsOf(folder).join()).toContain(place);
  });

  test("whose rows have any numbers is served whole, and a check names numbers that are rounded", () => {
    const extremes = [
      -(2n ** 63n),
      -(2n ** 62n) + 1n,
      -(2n ** 53n) - 1n,
      -(2n ** 53n),
      1n - 2n ** 53n,
    ];
    const number = fc.oneof(
      fc.constantFrom(...extremes, -1n, 0n, 2n ** 53n - 1n, 2n ** 53n + 2n, 2n ** 63n - 1n),
      fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
      fc.bigInt({ min: -(2n ** 53n), max: 0n }),
      fc.bigInt({ min: 1_000n, max: 2n ** 63n - 1n }),
    );
    fc.assert(
      fc.property(number, fc.constantFrom("nodes", "edges"), (numbered, table) => {
        const { folder, file } = copyOf("stopped");
        execute(file, `UPDATE ${table} SET rowid = ${numbered} WHERE rowid = 4`);
        expect(opened(file)).toBe(NODES);
        const [checked] = [
          ...checkAll({ dataDir: folder, durability: "full", postgres: undefined }, {}),
        ].filter(({ agent }) => agent === AGENT);
        expect(checked).toMatchObject({ nodes: NODES, edges: (NODES - 1 - 4) / 5 });
        const isBeyond = numbered > 2n ** 53n - 1n || numbered < 1n - 2n ** 53n;
        expect(checked!.problems.join().includes("beyond 2^53")).toBe(isBeyond);
      }),
      runs(amount(20, 5)),
    );
  });

  test("with many rows whose numbers are rounded to one is refused", { timeout: 60_000 }, () => {
    const { folder, file } = copyOf("stopped");
    execute(
      file,
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
       INSERT INTO nodes (rowid, id) SELECT 9223372036854770000 + i, 'odd_' || i FROM n`,
    );
    expect(problemsOf(folder).join()).toMatch(/numbers near .* cannot be told apart/);
    expect(opened(file)).toMatch(/numbers near .* cannot be told apart/);
  });

  test("with invalid UTF-8 in another program's table is not reported", () => {
    const { folder, file } = copyOf("stopped");
    execute(file, 'CREATE TABLE "o\'""x" (a); INSERT INTO "o\'""x" VALUES (CAST(x\'ff\' AS TEXT))');
    expect(opened(file)).toBe(NODES);
    expect(problemsOf(folder)).toEqual([]);
  });

  test("with blobs in text columns, and text of every script, is not reported", () => {
    const { file } = copyOf("stopped");
    execute(
      file,
      "UPDATE nodes SET layer = x'ff', content_body = 'ﬀ 漢 🜚 ' || char(0) || 'ß' WHERE rowid % 2 = 0",
    );
    expect(opened(file)).toBe(NODES);
  });

  test("that is damaged gets an explanation, and can be replaced by a backup", {
    timeout: 60_000,
  }, async () => {
    const { folder, file } = copyOf("stopped");
    const backup = join(temporaryFolder(), "backup.db");
    backUp(folder, AGENT, backup);
    const bytes = readFileSync(file);
    for (let at = 2 * PAGE; at < bytes.length; at += PAGE) bytes.fill(0, at, at + PAGE);
    writeFileSync(file, bytes);
    expect(await served(folder)).toMatch(/malformed.*`nous-server check` tells more/);
    await restore(folder, AGENT, backup);
    expect(await served(folder)).toBe(NODES);
  });

  test("whose damage shows later gets an explanation then, and remains readable", {
    timeout: 60_000,
  }, async () => {
    const { folder, file } = copyOf("stopped");
    execute(file, "UPDATE nodes_fts_data SET block = zeroblob(length(block))");
    const server = await start(folder, ["--log-level", "error"]);
    const { ask } = clientOf(server, AGENT);
    const error = expect.stringMatching(/damaged: `nous-server check` tells more/);
    const answer = await ask("PATCH /nodes/n_7", { content_title: "Changed" });
    expect(answer).toMatchObject({ status: 503, body: { error } });
    expect(server.log()).toContain("The database is damaged");
    expect((await ask("GET /nodes/n_7")).status).toBe(200);
  });
});

describe("a folder in the place of", () => {
  test.each(some(["", "-wal", "-shm", "-journal"], 2))(
    "database%s is reported, and affects no other agent",
    {
      timeout: 60_000,
    },
    async (ending) => {
      const { folder, file } = copyOf("stopped");
      const place = `${file}${ending}`;
      rmSync(place, { force: true });
      mkdirSync(place);
      const server = await start(folder, ["--log-level", "silent"]);
      const words = `There is a folder in the place of the file ${basename(place)}`;
      const refusal = { status: 503, body: { error: expect.stringContaining(words) } };
      expect(await clientOf(server, AGENT).ask("POST /nodes", LESSON)).toMatchObject(refusal);
      expect(await server.ask(`DELETE /agents/${AGENT}`)).toMatchObject(refusal);
      expect((await clientOf(server, "other").ask("POST /nodes", LESSON)).status).toBe(201);
      expect((await server.ask("GET /agents")).status).toBe(200);
      expect(existsSync(file)).toBe(true);
      rmSync(place, { recursive: true });
      if (ending === "") return;
      const status = async () => (await clientOf(server, AGENT).ask("GET /nodes")).status;
      await expect.poll(status, { timeout: 20_000 }).toBe(200);
    },
  );
});

describe("the log of a killed database", () => {
  test("is read even if it exceeds the largest buffer", () => {
    const { file } = copyOf("killed");
    truncateSync(logOf(file), 2 ** 31 + PAGE);
    expect(() => checkLog(file)).not.toThrow();
  });

  test("is applied if it is complete, or ends within an unacknowledged write", async () => {
    const { file } = copyOf("killed");
    writeFileSync(
      logOf(file),
      Buffer.concat([readFileSync(logOf(file)), Buffer.alloc(2 * PAGE, 7)]),
    );
    expect(opened(file)).toBe(NODES);
  });

  const remains: [string, (bytes: number) => number][] = [
    ["nothing", () => 0],
    ["less than a header", () => 20],
    ["its half", (bytes) => bytes >> 1],
    ["all but a byte", (bytes) => bytes - 1],
    ["all but its last page", (bytes) => bytes - PAGE - 24],
  ];
  test.each(some(remains, 2))(
    "of which %s is left is refused with an explanation, until the operator accepts the loss",
    { timeout: 60_000 },
    async (_, lengthOf) => {
      const { folder, file } = copyOf("killed");
      truncateSync(logOf(file), lengthOf(readFileSync(logOf(file)).length));
      expect(problemsOf(folder)).toEqual([
        expect.stringMatching(/cut off or damaged: of the \d+ pages/),
      ]);
      expect(await served(folder)).toMatch(/was cut off/);
      // It is unchanged after a list of agents, and after another start.
      expect(opened(file)).toMatch(/was cut off/);
      rmSync(logIndexOf(file));
      expect(opened(file)).toBeTypeOf("number");
    },
  );

  test("with any changed byte is refused with an explanation", async () => {
    const { file } = copyOf("killed");
    const whole = readFileSync(logOf(file));
    for (let place = 0; place < 12; place++) {
      const bytes = Buffer.from(whole);
      bytes[Math.floor((whole.length * place) / 12) + 8]! ^= 1;
      writeFileSync(logOf(file), bytes);
      expect(opened(file), String(place)).toMatch(/cut off or damaged/);
    }
    writeFileSync(logOf(file), whole);
    expect(opened(file)).toBe(NODES);
  });

  test("is not applied to a backup that replaces its database", {
    timeout: 60_000,
  }, async () => {
    const { folder, file } = copyOf("killed");
    const backup = join(temporaryFolder(), "backup.db");
    backUp(folder, AGENT, backup);
    const { folder: other, file: damaged } = copyOf("killed");
    writeFileSync(damaged, Buffer.from("no database any more ".repeat(500)));
    await restore(other, AGENT, backup);
    expect(opened(damaged)).toBe(NODES);
    rmSync(file);
    await restore(folder, AGENT, backup);
    expect(opened(file)).toBe(NODES);
    expect(problemsOf(folder)).toEqual([]);
  });
});
