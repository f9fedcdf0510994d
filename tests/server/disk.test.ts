// A full disk: writes are refused with 507 and lose nothing, reads continue, and writing works
// again once there is room. A limit on the size of files stands for the disk: on the log, the
// database and the index's file in turn.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { agentFile, snapshotsOf } from "../../js/server/src/settings/paths.ts";
import { logOf } from "../../js/server/src/storage/files.ts";
import { heldBy, Ledger, nodeKey } from "./support/acknowledged-writes.ts";
import { type Running, type Surroundings, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const FULL = {
  status: 507,
  body: { error: "there is no room on the disk: try again when there is" },
};
/** Bytes of a memory that is written until there is no room. */
const LARGE = 20_000;
/** More than a limit leaves room for. */
const MAX_WRITES = 200;

/** Limits every file of a server to this many bytes from now on. */
function limit({ process: { pid } }: Running, bytes: number | "unlimited"): void {
  const { status, stderr, error } = spawnSync(
    "prlimit",
    ["--pid", String(pid), `--fsize=${bytes}:`],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0)
    throw new Error(
      `prlimit (of util-linux) is needed to limit a server's files: ${error ?? stderr}`,
    );
}

/** A server whose log is captured. */
class Written {
  readonly server: Running;
  readonly #ledger: Ledger;

  constructor(server: Running, ledger: Ledger) {
    this.server = server;
    this.#ledger = ledger;
  }

  /** Writes memories until one is refused; returns that refusal. */
  async untilRefused(name: string) {
    for (let turn = 0; turn < MAX_WRITES; turn++) {
      const answer = await this.create(`${name}${turn}`);
      if (answer.status !== 201) return { status: answer.status, body: answer.body };
    }
    throw new Error("there was room for everything");
  }

  async create(id: string) {
    const body = { ...LESSON, id, content_title: id, content_body: "x ".repeat(LARGE / 2) };
    const answer = await this.server.ask("POST /nodes", body);
    if (answer.status === 201)
      await this.#ledger.write(new Map([[nodeKey(id), id]]), async () => {});
    return answer;
  }

  /**
   * Checks that it has every acknowledged write and no refused one, and that reads of all kinds are
   * answered.
   */
  async isWhole(): Promise<void> {
    const { found, problems } = await heldBy(this.server);
    expect([...problems, ...this.#ledger.compare(found)]).toEqual([]);
    const [id] = found.values();
    expect(await clientOf(this.server, "default").search(id!)).toContain(id);
    expect((await this.server.ask(`GET /nodes/${id}`)).status).toBe(200);
  }
}

async function opened(folder: string, around?: Surroundings): Promise<Running> {
  return start(folder, ["--log-level", "warn"], "test", around);
}

describe("a full disk", () => {
  test("stops writes to the log of a database", async () => {
    const [folder, ledger] = [temporaryFolder({ onDisk: true }), new Ledger()];
    const server = await opened(folder);
    const written = new Written(server, ledger);
    await written.create("first");
    limit(server, statSync(logOf(agentFile(folder, "default"))).size + 5 * LARGE);
    expect(await written.untilRefused("a")).toEqual(FULL);
    await written.isWhole();
    for (const [call, body] of [
      ["PATCH /nodes/first", { content_body: "y".repeat(6 * LARGE) }],
      [
        "POST /nodes/batch",
        {
          items: Array.from({ length: 10 }, () => ({ ...LESSON, content_body: "z".repeat(LARGE) })),
        },
      ],
    ] as const) {
      const { status, body: refusal } = await server.ask(call, body);
      expect({ status, body: refusal }, call).toEqual(FULL);
    }
    const other = clientOf(server, "another");
    limit(server, 1_000);
    expect(await other.ask("POST /nodes", LESSON)).toMatchObject(FULL);
    await written.isWhole();
    limit(server, "unlimited");
    expect((await other.create()).id).toMatch(/^n_/);
    expect((await written.create("after")).status).toBe(201);
    await written.isWhole();
    await server.end("SIGKILL");
    await new Written(await opened(folder), ledger).isWhole();
  });

  test("stops a checkpoint into the database", async () => {
    const [folder, ledger] = [temporaryFolder({ onDisk: true }), new Ledger()];
    const file = agentFile(folder, "default");
    const first = await opened(folder);
    const filling = new Written(first, ledger);
    for (let turn = 0; turn < 20; turn++) await filling.create(`first${turn}`);
    expect(await first.end()).toBe(0);
    const server = await opened(folder);
    const written = new Written(server, ledger);
    limit(server, statSync(file).size);
    expect(await written.untilRefused("b")).toEqual(FULL);
    // The log cannot be moved into the database at its end, and stays.
    expect(await server.end()).toBe(0);
    expect(server.log()).toContain("could not be closed properly");
    expect(statSync(logOf(file)).size).toBeGreaterThan(0);
    const again = await opened(folder);
    await new Written(again, ledger).isWhole();
    expect((await new Written(again, ledger).create("after")).status).toBe(201);
    expect(await again.end()).toBe(0);
    expect(existsSync(logOf(file))).toBe(false);
  });

  test("stops another page of the database", async () => {
    const [folder, ledger] = [temporaryFolder({ onDisk: true }), new Ledger()];
    const full = join(folder, "full");
    const node = ["--import", fileURLToPath(new URL("support/full-disk.mjs", import.meta.url))];
    const server = await opened(folder, { node, env: { NO_PAGES: full } });
    const written = new Written(server, ledger);
    await written.create("first");
    writeFileSync(full, "");
    expect(await written.untilRefused("c")).toEqual(FULL);
    await written.isWhole();
    rmSync(full);
    expect((await written.create("after")).status).toBe(201);
    await written.isWhole();
  });

  test("leaves the file of the index unchanged", { timeout: 120_000 }, async () => {
    const folder = temporaryFolder({ onDisk: true });
    const kept = snapshotsOf(agentFile(folder, "default")).index;
    const added = async (server: Running, batches: number) => {
      const items = Array.from({ length: 100 }, () => ({
        ...LESSON,
        embedding: Array(64).fill(0.5),
      }));
      for (let batch = 0; batch < batches; batch++) {
        expect((await server.ask("POST /nodes/batch", { items })).body.created).toBe(items.length);
      }
    };
    const first = await opened(folder);
    await added(first, 11);
    expect(await first.end()).toBe(0);
    const before = readFileSync(kept);
    const second = await opened(folder);
    await added(second, 1);
    limit(second, before.length / 2);
    expect(await second.end()).toBe(0);
    expect(second.log()).toContain("could not be closed properly");
    expect(readFileSync(kept).equals(before)).toBe(true);
    expect(existsSync(`${kept}.tmp`)).toBe(false);
    const third = await start(folder);
    expect(third.log()).toContain("Loaded from its snapshot");
    expect((await third.ask("GET /health")).body.node_count).toBe(1_200);
  });
});

test("the OpenAPI description of every write documents 507", async () => {
  const { paths } = (
    await (await start(temporaryFolder({ onDisk: true }))).ask("GET /openapi.json")
  ).body;
  expect(paths["/v1/nodes"].post.responses["507"].description).toContain("no room");
  expect(paths["/v1/nodes"].get.responses["507"]).toBeUndefined();
});

test("a log file that cannot be written does not end the server, and continues later", async () => {
  const folder = temporaryFolder({ onDisk: true });
  const log = join(folder, "server.log");
  const room = 4 * 2 ** 20;
  writeFileSync(log, "x".repeat(room));
  const under = ["sh", "-c", 'exec "$@" 2>>"$0"', log];
  const server = await start(join(folder, "data"), ["--log-level", "debug"], "test", { under });
  const lines = () => readFileSync(log, "utf8").slice(room).split("\n");
  limit(server, statSync(log).size);
  const before = lines().length;
  const created = await server.ask("POST /nodes", LESSON);
  expect(created.status).toBe(201);
  expect((await server.ask(`GET /nodes/${created.body.id}`)).status).toBe(200);
  expect(lines()).toHaveLength(before);
  limit(server, "unlimited");
  expect((await server.ask("GET /health")).status).toBe(200);
  const logged = lines().slice(before - 1, -1);
  expect(logged.map((line) => JSON.parse(line).route)).toEqual([
    "/v1/nodes",
    "/v1/nodes/{id}",
    "/v1/health",
  ]);
  expect(await server.end()).toBe(0);
});
