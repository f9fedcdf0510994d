// The preset of an agent: by the settings, by its database, and as the API shows and sets it; the files
// of an operator, and the commands on them.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { valueFor } from "../../js/server/src/settings/per-agent.ts";
import { makeExisting } from "./support/existing-database.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

function run(...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

/** Returns the preset of an agent, without its types. */
const profile = async (server: Running, agent = "default") => {
  const { body } = await clientOf(server, agent).ask("GET /agent");
  const { types: _, ...rest } = body;
  return rest;
};

const GENERAL = {
  ...{ preset: "general", preset_from: "default", weights: "general", ranking: "evidence" },
};
const TRADING = {
  ...{ preset: "trading", preset_from: "agent", weights: "trading", ranking: "evidence" },
};

const RECENT = { id: "recent", subtype: "custom:signal", content_title: "Funding of BTC" };
const OLD = { ...RECENT, id: "old", created_at: "2025-01-05T09:00:00Z" };

describe("the preset of an agent", () => {
  test("is general for a new agent, and that of the API after a change, across restarts", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const own = clientOf(first, "default");
    expect(await profile(first, "nobody")).toEqual(GENERAL);
    for (const memory of [OLD, RECENT]) await own.create(memory);
    expect(await profile(first)).toEqual(GENERAL);
    const found = async (by = own) => {
      const { body } = await by.ask("POST /search", { query: "funding of BTC" });
      return body.data[0];
    };
    const before = await found();
    const { status, body } = await own.ask("PATCH /agent", { preset: "trading" });
    expect({ status, body }).toMatchObject({ status: 200, body: TRADING });
    // By these weights recent signals rank first.
    const after = await found();
    expect(after.id).toBe("recent");
    expect(after.score).not.toBe(before.score);
    expect(await profile(first, "other")).toEqual(GENERAL);
    await first.end();
    const second = await start(folder);
    expect(await profile(second)).toEqual(TRADING);
    expect((await found(clientOf(second, "default"))).score).toBeCloseTo(after.score, 1);
    await clientOf(second, "default").ask("PATCH /agent", { preset: "general" });
    expect(await profile(second)).toEqual({ ...TRADING, preset: "general", weights: "general" });
    await second.end();
    expect(await profile(await start(folder))).toEqual({
      ...TRADING,
      preset: "general",
      weights: "general",
    });
  });

  test("is trading for the sample, also after export and import", async () => {
    const folder = temporaryFolder();
    const first = await start(folder, ["--sample"]);
    expect(await profile(first)).toEqual(TRADING);
    const [node] = (await clientOf(first, "default").ask("GET /nodes?limit=1")).body.data;
    expect(node.tags.length).toBeGreaterThan(0);
    await first.end();
    const file = join(folder, "lines.jsonl");
    run("export", file, "--data-dir", folder);
    for (const agent of ["copy", "copy"])
      run("import", file, "--agent", agent, "--data-dir", folder);
    const second = await start(folder);
    expect(await profile(second)).toEqual(TRADING);
    expect(await profile(second, "copy")).toEqual(TRADING);
  });

  test("is trading for an adopted database", async () => {
    const folder = temporaryFolder();
    const theirs = join(folder, "theirs.db");
    makeExisting(theirs);
    run("adopt", theirs, "--agent", "trader", "--data-dir", folder);
    const server = await start(folder);
    expect(await profile(server, "trader")).toEqual(TRADING);
    expect(await profile(server)).toEqual(GENERAL);
  });

  test("is the one that the settings name, by option or file, and then the API refuses a change", async () => {
    const folder = temporaryFolder();
    const config = join(folder, "nous.yaml");
    writeFileSync(config, "evidence: { preset: trading }");
    const named = { ...TRADING, preset_from: "settings" };
    for (const [options, expected] of [
      [["--config", config], named],
      [["--preset", "trading"], named],
      [["--preset", "general,default=trading"], named],
      [
        ["--config", config, "--preset", "general"],
        { ...named, preset: "general", weights: "general" },
      ],
    ] as const) {
      const server = await start(folder, options);
      expect(await profile(server), options.join(" ")).toEqual(expected);
      const { status, body } = await clientOf(server, "default").ask("PATCH /agent", {
        preset: "general",
      });
      expect({ status, body }).toMatchObject({ status: 409, body: { error: /settings say/ } });
      expect(await server.end()).toBe(0);
    }
  });

  test("of one agent wins over that of all, and the last entry over the ones before", () => {
    const of = (agent: string, ...entries: string[]) => valueFor(entries, agent);
    expect(of("a", "general", "a=trading")).toBe("trading");
    expect(of("b", "general", "a=trading")).toBe("general");
    expect(of("b", "a=trading")).toBeUndefined();
    expect(of("a=b", "a=b=trading", "general")).toBe("trading");
    expect(of("a", "trading", "general")).toBe("general");
  });

  test("is refused if it has another name", async () => {
    const server = await start(temporaryFolder());
    for (const body of [{}, { preset: null }, { preset: "tea" }, { preset: 7 }, []]) {
      const answer = await clientOf(server, "default").ask("PATCH /agent", body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
    }
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "config", "--preset", "tea"], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toMatchObject({ status: 1 });
    expect(stderr).toMatch(/--preset names the preset tea, .*There are general, trading/);
  });
});
