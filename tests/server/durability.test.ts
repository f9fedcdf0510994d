// Durability: a power cut, unlike a kill, keeps only data that was synced before it was
// acknowledged. The settings of every connection are read back, and the syncs of the system are
// counted.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const TOLD = fileURLToPath(new URL("support/report-pragmas.mjs", import.meta.url));
/** Syncs of the log per acknowledged write. */
const SYNCS = { full: 1, normal: 0 } as const;
const WRITES = 10;

const settingsIn = (text: string): object[] =>
  [...text.matchAll(/^\{"settings":(.*)\}$/gm)].map(([, settings]) => JSON.parse(settings!));

/** The number of open agents, by the server's metrics. */
async function openAgents(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nous_agents_open (\d+)$/m.exec(text)?.[1]);
}

describe("the settings of a writing connection", () => {
  test.each([
    ["full", { synchronous: 2, fullfsync: 1 }],
    ["normal", { synchronous: 1, fullfsync: 0 }],
  ])(
    "are those of durability %s, in every thread, agent and command",
    { timeout: 60_000 },
    async (durability, synced) => {
      const folder = temporaryFolder({ onDisk: true });
      const node = ["--import", TOLD];
      const options = ["--durability", durability, "--workers", "2", "--agent-idle", "1"];
      const server = await start(folder, options, "test", { node });
      const agents = ["default", "one", "two", "three"].map((name) => clientOf(server, name));
      for (const agent of agents) await agent.create({ id: "n_1" });
      // Closed when idle, and opened again.
      await expect.poll(() => openAgents(server.url), { timeout: 20_000 }).toBe(0);
      for (const agent of agents) await agent.ask("PATCH /nodes/n_1", { content_title: "Changed" });
      expect(await server.end()).toBe(0);
      const command = [
        "agents",
        "purge",
        "one",
        "n_1",
        "--data-dir",
        folder,
        "--durability",
        durability,
      ];
      const purged = spawnSync(process.execPath, [...node, PROGRAM, ...command], {
        encoding: "utf8",
      });
      expect(purged.status).toBe(0);
      const reported = [...settingsIn(server.log()), ...settingsIn(purged.stderr)];
      const expected = {
        journal_mode: "wal",
        foreign_keys: 1,
        recursive_triggers: 1,
        busy_timeout: 5000,
        ...synced,
      };
      expect(reported.length).toBeGreaterThan(2 * agents.length);
      expect(new Set(reported.map((settings) => JSON.stringify(settings))).size).toBe(1);
      expect(reported[0]).toEqual(expected);
    },
  );
});

describe("the log", () => {
  test.each(["full", "normal"] as const)(
    "is synced before a write is acknowledged, with durability %s",
    {
      timeout: 120_000,
    },
    async (durability) => {
      const traced = join(temporaryFolder({ onDisk: true }), "syncs");
      // The tracer detaches itself, so that the server is the test's own child.
      const under = ["strace", "-D", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", traced];
      const problem =
        "strace is needed to count what is synced, and may trace here: apt-get install strace";
      expect(spawnSync("strace", ["-o", "/dev/null", "true"]).status, problem).toBe(0);
      const server = await start(
        temporaryFolder({ onDisk: true }),
        ["--durability", durability],
        "test",
        {
          under,
        },
      );
      const { ask, create } = clientOf(server, "default");
      const syncs = () =>
        (readFileSync(traced, "utf8").match(/^\d+ +f(data)?sync\(\d+<[^>]*-wal>\) += 0$/gm) ?? [])
          .length;
      const { id } = await create();
      const writes: (() => Promise<{ status: number }>)[] = [
        () => ask("POST /nodes", LESSON),
        () => ask(`PATCH /nodes/${id}`, { content_title: "Changed" }),
        () => ask("POST /nodes/batch", { items: [LESSON, LESSON] }),
      ];
      for (let turn = 0; turn < WRITES; turn++) {
        const before = syncs();
        expect((await writes[turn % writes.length]!()).status).toBeLessThan(300);
        expect(syncs() - before, `write ${turn}`).toBe(SYNCS[durability]);
      }
    },
  );
});
