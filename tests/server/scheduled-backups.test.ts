// Backups at intervals: sets of checked copies, their retention, failures, and restoring them.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { copyNamesOf } from "../../js/server/src/backup.ts";
import { BackupSchedule } from "../../js/server/src/backups/schedule.ts";
import { type BackedUp, backUpInto, lastBackup } from "../../js/server/src/backups/set.ts";
import type { Logger } from "../../js/server/src/log.ts";
import { agentFile, agentsDir } from "../../js/server/src/settings/paths.ts";
import { describe, test } from "../support/in-turn.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};
const placeOf = (dataDir: string) =>
  ({ dataDir, durability: "full", postgres: undefined }) as const;
const at = (hour: number) => new Date(Date.UTC(2020, 10, 29, hour));
const metricsOf = async ({ url }: Running) => (await fetch(`${url}/metrics`)).text();
/** The files of a set of these agents. */
const COPIES = ["a%2Fb.db", "default.db", "mira.db", "set.json"];
const soon = { timeout: 60_000, interval: 100 };

/** A data folder with the memories of two agents, whose server has ended. */
async function filled(): Promise<string> {
  const folder = temporaryFolder();
  const server = await start(folder);
  for (const agent of ["mira", "a/b"]) await clientOf(server, agent).create();
  await server.end();
  return folder;
}

/** Makes a database unreadable. */
const damage = (dataDir: string, agent: string) => {
  const file = agentFile(dataDir, agent);
  writeFileSync(file, Buffer.alloc(statSync(file).size, 7));
};

describe("a set", () => {
  test("has a checked copy of every agent, and the newest sets are kept", async () => {
    const folder = await filled();
    const dir = join(temporaryFolder(), "new", "backups");
    const made: BackedUp[] = [];
    for (const hour of [1, 2, 10, 23]) made.push(backUpInto(placeOf(folder), dir, 2, at(hour)));
    expect(readdirSync(dir)).toEqual(["2020-11-29T10-00-00Z", "2020-11-29T23-00-00Z"]);
    expect(made.at(-1)).toMatchObject({ agents: 3, failures: [] });
    expect(readdirSync(made.at(-1)!.folder).sort()).toEqual(COPIES);
    expect(statSync(made.at(-1)!.folder).mode & 0o077).toBe(0);
    expect(lastBackup(folder, dir)).toBe(at(23).getTime());
  });

  test("stays whole if another process makes one in the same second", async () => {
    const folder = await filled();
    const dir = temporaryFolder();
    /** A place whose agents are asked for when the new set is begun. */
    const during = (what: () => void) => {
      let isBegun = false;
      return {
        ...placeOf(folder),
        get postgres() {
          if (!isBegun) {
            isBegun = true;
            what();
          }
          return undefined;
        },
      };
    };
    const other = () => backUpInto(placeOf(folder), dir, 2, at(1));
    const { agents, failures } = backUpInto(during(other), dir, 2, at(1));
    expect({ agents, failures }).toEqual({ agents: 3, failures: [] });
    const both = ["2020-11-29T01-00-00Z", "2020-11-29T01-00-01Z"];
    expect(readdirSync(dir)).toEqual(both);
    for (const name of both) expect(readdirSync(join(dir, name)).sort()).toEqual(COPIES);
    const odd = () =>
      writeFileSync(
        join(dir, readdirSync(dir).find((name) => name.includes("unfinished"))!, "odd.db"),
        "",
      );
    expect(() => backUpInto(during(odd), dir, 2, at(2))).toThrow("odd.db");
    expect(readdirSync(dir)).toEqual(both);
  });

  test("of far fewer agents than before is a failure, and no good one is removed for it", async () => {
    const folder = await filled();
    const dir = temporaryFolder();
    backUpInto(placeOf(folder), dir, 1, at(1));
    const good = "2020-11-29T01-00-00Z";
    // The disk is not mounted: its folder is empty.
    renameSync(folder, `${folder}-disk`);
    mkdirSync(folder);
    for (const hour of [2, 3]) {
      const { agents, failures } = backUpInto(placeOf(folder), dir, 1, at(hour));
      expect(agents).toBe(0);
      expect(failures).toEqual([expect.stringContaining(`${good} has 3: is its disk mounted?`)]);
    }
    expect(readdirSync(dir)).toEqual([good, "2020-11-29T03-00-00Z-incomplete"]);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-disk`, folder);
    for (const agent of ["mira", "a/b"]) rmSync(agentFile(folder, agent));
    expect(backUpInto(placeOf(folder), dir, 1, at(4)).failures).toHaveLength(1);
    // As the failure says, the new one is declared to be right.
    const few = join(dir, "2020-11-29T04-00-00Z");
    renameSync(`${few}-incomplete`, few);
    expect(backUpInto(placeOf(folder), dir, 1, at(5)).failures).toEqual([]);
    expect(readdirSync(dir)).toEqual(["2020-11-29T03-00-00Z-incomplete", "2020-11-29T05-00-00Z"]);
  });

  test("of another data folder is neither counted nor removed", async () => {
    const [one, two] = [await filled(), await filled()];
    const dir = temporaryFolder();
    backUpInto(placeOf(one), dir, 1, at(1));
    expect(lastBackup(two, dir)).toBeUndefined();
    for (const hour of [2, 3]) backUpInto(placeOf(two), dir, 1, at(hour));
    expect(readdirSync(dir)).toEqual(["2020-11-29T01-00-00Z", "2020-11-29T03-00-00Z"]);
    expect(lastBackup(one, dir)).toBe(at(1).getTime());
    expect(lastBackup(two, dir)).toBe(at(3).getTime());
  });

  test("has a time of the past: other names are ignored, and stay", async () => {
    const folder = await filled();
    const dir = temporaryFolder();
    const { folder: made } = backUpInto(placeOf(folder), dir, 1, at(1));
    const odd = ["2020-02-31T00-00-00Z", "2020-99-99T99-99-99Z", "2999-01-01T00-00-00Z"];
    for (const name of odd) cpSync(made, join(dir, name), { recursive: true });
    expect(lastBackup(folder, dir)).toBe(at(1).getTime());
    backUpInto(placeOf(folder), dir, 1, at(2));
    expect(lastBackup(folder, dir)).toBe(at(2).getTime());
    expect(readdirSync(dir)).toEqual([odd[0], "2020-11-29T02-00-00Z", odd[1], odd[2]]);
  });

  test("has copies of agents whose names differ only in case under names that do not", () => {
    const folder = temporaryFolder();
    const names = [...copyNamesOf(folder, ["A", "a", "b"])].map(({ name }) => name);
    expect(names).toEqual(["A.db", basename(agentFile(folder, "a")), "b.db"]);
  });

  test("with an agent that cannot be copied is incomplete, and no good one is removed for it", async () => {
    const folder = await filled();
    const dir = temporaryFolder();
    mkdirSync(join(dir, "other"));
    for (const hour of [1, 2]) backUpInto(placeOf(folder), dir, 2, at(hour));
    damage(folder, "mira");
    for (const hour of [3, 4]) {
      const { failures, agents } = backUpInto(placeOf(folder), dir, 2, at(hour));
      expect(agents).toBe(2);
      expect(failures).toEqual([expect.stringContaining(agentFile(folder, "mira"))]);
    }
    const good = ["2020-11-29T01-00-00Z", "2020-11-29T02-00-00Z"];
    expect(readdirSync(dir)).toEqual([...good, "2020-11-29T04-00-00Z-incomplete", "other"]);
    expect(lastBackup(folder, dir)).toBe(at(2).getTime());
    rmSync(agentFile(folder, "mira"));
    backUpInto(placeOf(folder), dir, 2, at(5));
    expect(readdirSync(dir)).toEqual([good[1], "2020-11-29T05-00-00Z", "other"]);
  });

  test("that was not finished is no set, and is removed after a day", async () => {
    const folder = await filled();
    const dir = temporaryFolder();
    const { folder: made } = backUpInto(placeOf(folder), dir, 2, at(0));
    const [old, recent] = [
      "2020-11-28T20-00-00Z-unfinished-0123abcd",
      "2020-11-29T01-00-00Z-unfinished-0123abcd",
    ];
    cpSync(made, join(dir, old), { recursive: true });
    renameSync(made, join(dir, recent));
    expect(lastBackup(folder, dir)).toBeUndefined();
    backUpInto(placeOf(folder), dir, 2, at(21));
    expect(readdirSync(dir)).toEqual([recent, "2020-11-29T21-00-00Z"]);
  });
});

describe("a server with a folder of backups", () => {
  test("makes one while it serves, tells of it, and makes no other before the next is due", async () => {
    const [folder, dir] = [temporaryFolder(), join(temporaryFolder(), "copies")];
    const options = ["--backup-dir", dir, "--backup-every", "6h", "--backup-keep", "3"];
    const server = await start(folder, options);
    const mira = clientOf(server, "mira");
    await mira.create({ id: "n_1" });
    await vi.waitFor(() => expect(lastBackup(folder, dir)).toBeDefined(), soon);
    await vi.waitFor(async () => expect(server.log()).toContain("A backup is done"), soon);
    const metrics = await metricsOf(server);
    expect(metrics).toContain('nous_backups_total{result="ok"} 1');
    expect(metrics).toContain('nous_backups_total{result="failed"} 0');
    expect(metrics).toContain(
      `nous_backup_last_success_seconds ${lastBackup(folder, dir)! / 1000}\n`,
    );
    expect((await server.ask("GET //readyz")).body.problems).toBeUndefined();
    await mira.create({ id: "n_2" });
    await server.end();
    const [name] = readdirSync(dir);
    // Restored into an empty folder, and over what has changed since.
    const set = join(dir, name!);
    for (const dataDir of [temporaryFolder(), folder]) {
      const { status, stdout } = run("restore", "--all", set, "--data-dir", dataDir);
      expect({ status, stdout }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("mira"),
      });
      // Another folder would make a set of its own.
      const restored = await start(dataDir, dataDir === folder ? options : []);
      const { body } = await clientOf(restored, "mira").ask("GET /nodes");
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual(["n_1"]);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await restored.end();
    }
    expect(readdirSync(dir)).toEqual([name]);
  });

  test("says in /readyz, /metrics and the log that one failed", async () => {
    const folder = await filled();
    const dir = temporaryFolder();
    backUpInto(placeOf(folder), dir, 9, at(1));
    damage(folder, "mira");
    const server = await start(folder, ["--backup-dir", dir, "--backup-every", "60"]);
    const problems = await vi.waitFor(async () => {
      const { status, body } = await server.ask("GET //readyz");
      expect(status).toBe(200);
      expect(body.problems).toHaveLength(1);
      return body.problems[0] as string;
    }, soon);
    expect(problems).toMatch(/^The backup of 20\S+ failed, .*the last is of 2020-11-29T01:00:00/);
    expect(problems).not.toContain(folder);
    expect(server.log()).toMatch(/"msg":"A backup failed"|A backup failed/);
    expect(server.log()).toContain("cannot be read as an agent's");
    expect(await metricsOf(server)).toContain('nous_backups_total{result="failed"} 1');
    expect(existsSync(join(dir, "2020-11-29T01-00-00Z", "mira.db"))).toBe(true);
  });

  test("tells of a folder that cannot be read, and tries again", async () => {
    const dir = join(temporaryFolder(), "backups");
    const dataDir = await filled();
    const { folder } = backUpInto(placeOf(dataDir), dir, 1, at(1));
    renameSync(dir, `${dir}-moved`);
    writeFileSync(dir, "a file");
    const log = { error: vi.fn(), info: vi.fn() };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const schedule = new BackupSchedule(
      { place: placeOf(dataDir), dir, keep: 1 },
      86_400_000,
      log as unknown as Logger,
    );
    for (const failed of [1, 2]) {
      await vi.advanceTimersByTimeAsync(failed === 1 ? 2_000 : 900_000);
      expect(schedule.figures).toEqual({ ok: 0, failed, last: undefined });
      expect(schedule.problem).toBe("The folder of the backups cannot be read (ENOTDIR).");
      expect(log.error).toHaveBeenCalledTimes(failed);
    }
    rmSync(dir);
    renameSync(`${dir}-moved`, dir);
    expect(existsSync(folder)).toBe(true);
    expect(schedule.figures.last).toBe(at(1).getTime());
    await schedule.stop();
  });

  test("is not started with a folder or a time that cannot be", () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    writeFileSync(file, "");
    const refused = (...args: string[]) => {
      const { status, stderr } = run("serve", "--port", "0", "--data-dir", folder, ...args);
      expect(status).toBe(1);
      return stderr;
    };
    expect(refused("--backup-dir", join(file, "x"))).toMatch(/^backup_dir is .*cannot be written/);
    expect(refused("--backup-dir", join(agentsDir(folder), "x"))).toContain("among the databases");
    expect(
      refused("--backup-dir", folder, "--database-url", "postgres://nous@127.0.0.1:9/nous"),
    ).toContain("pg_dump");
    for (const time of ["6 hours", "-1", "59", "21d", "1.5h"])
      expect(refused("--backup-dir", folder, "--backup-every", time)).toContain(
        "--backup-every is",
      );
    const times = { "90m": 5_400, "6h": 21_600, "1d": 86_400, "120s": 120, "3600": 3_600 };
    for (const [time, seconds] of Object.entries(times))
      expect(run("config", "--backup-every", time).stdout).toContain(`backup_every: ${seconds}\n`);
  });

  test("restores nothing from a folder without copies, or with a file that is none", async () => {
    const [folder, copies] = [temporaryFolder(), temporaryFolder()];
    const restore = () => run("restore", "--all", copies, "--data-dir", folder);
    expect(restore()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("no copies of databases"),
    });
    const from = await filled();
    const { folder: set } = backUpInto(placeOf(from), copies, 1, at(1));
    writeFileSync(join(set, "odd.db"), "no database");
    const { status, stderr } = run("restore", "--all", set, "--data-dir", folder);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("nothing is restored"),
    });
    expect(existsSync(agentsDir(folder))).toBe(false);
    expect(readFileSync(join(set, "odd.db"), "utf8")).toBe("no database");
  });
});
