// The preset of an agent: by the settings, by its database, and as the API shows and sets it; the files
// of an operator, and the commands on them.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { GENERAL as GENERAL_PRESET, TRADING as TRADING_PRESET } from "nous-memory";
import { expect } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { valueFor } from "../../js/server/src/settings/per-agent.ts";
import { readPresets } from "../../js/server/src/settings/preset-files.ts";
import { nameTradingPresets } from "../../js/server/src/storage/migrations/presets.ts";
import { MIGRATIONS } from "../../js/server/src/storage/schema.ts";
import { describe, test } from "../support/in-turn.ts";
import { makeExisting } from "./support/existing-database.ts";
import { testOnFiles, testOnFilesInFull } from "./support/on-postgres.ts";
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

const DEFAULT = { stemming: "english", ranking: "evidence", time_zone: "UTC", sections: {} };
const GENERAL = {
  ...{ preset: "general", preset_from: "default", weights: "general", ...DEFAULT },
};
const TRADING = {
  ...{ preset: "trading", preset_from: "agent", weights: "trading", ...DEFAULT },
};

const RECENT = { id: "recent", subtype: "custom:signal", content_title: "Funding of BTC" };
const OLD = { ...RECENT, id: "old", created_at: "2025-01-05T09:00:00Z" };

describe("the preset of an agent", () => {
  test("tells the sections that the settings give subtypes in use", async () => {
    const folder = temporaryFolder();
    const config = join(folder, "nous.yaml");
    const sections = ["recipe", "unused"].map((it) => `custom:${it}: { section: PROCEDURAL }`);
    writeFileSync(config, `sections: { subtypes: { ${sections.join(", ")} } }`);
    const server = await start(folder, ["--config", config]);
    for (const subtype of ["custom:recipe", "custom:fact"])
      await clientOf(server, "default").create({ subtype, content_title: subtype });
    expect((await profile(server)).sections).toEqual({ "custom:recipe": "PROCEDURAL" });
  });

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

  // With PostgreSQL an import of the sample takes longer than the rest of this file.
  testOnFiles("is trading for the sample, also after export and import", async () => {
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

  testOnFiles("is trading for an adopted database", async () => {
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

/** Runs the program, and returns what it says. */
function told(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const SUPPORT = `
extends: general
description: For a support bot.
usual_type: ticket
types:
  ticket:
    section: EPISODIC
    stability_days: 45
    heading: episodes
    description: What a customer reported.
    guess: ['\\bticket #?\\d+']
    line: 'Ticket: {text} [{day}]'
  project: null
guidance: Read the tickets.
engine: { known_symbols: [billing] }
`;

/** Makes a folder of presets, and returns its path. */
function presetsOf(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe("a preset of one's own", () => {
  test("guesses types, ranks, fades and writes lines by its file", async () => {
    const server = await start(temporaryFolder(), [
      ...["--presets-dir", presetsOf({ "support.yaml": SUPPORT, "README.md": "no preset" })],
      ...["--preset", "support"],
    ]);
    const own = clientOf(server, "default");
    const { body } = await own.ask("GET /agent");
    expect(body).toMatchObject({ preset: "support", weights: "general", preset_from: "settings" });
    expect(body.types.ticket).toMatchObject({ section: "EPISODIC", stability_days: 45 });
    expect(body.types.project).toBeUndefined();
    const texts = ["Ticket 481 asks for a refund", "I prefer tea", "The lamp is green"];
    const stored = (await own.ask("POST /remember", { memories: texts })).body.stored;
    expect(
      stored.map(({ type, section }: { type: string; section: string }) => [type, section]),
    ).toEqual([
      ["ticket", "EPISODIC"],
      ["preference", "KNOWLEDGE"],
      ["ticket", "EPISODIC"],
    ]);
    const { neural_stability } = (await own.ask(`GET /nodes/${stored[0].id}`)).body;
    expect(neural_stability).toBeGreaterThanOrEqual(45);
    const { prompt } = (await own.ask("POST /context", { input: "Which refund?" })).body;
    expect(prompt).toMatch(/^- Ticket: Ticket 481 asks for a refund \[noted on .* today\]$/m);
    expect((await own.ask("GET /context/guidance")).body.text).toBe("Read the tickets.");
    const other = await own.ask("GET /context/guidance?preset=general");
    expect(other.body.text).toContain("Your memory");
    const wrong = await own.ask("GET /context/guidance?preset=suport");
    expect(wrong).toMatchObject({ status: 400, body: { error: /general, trading, support/ } });
    const kept = await clientOf(server, "other").ask("PATCH /agent", { preset: "support" });
    expect(kept.status).toBe(409);
  });

  test("of an agent's database that the server does not have gives way to general, with a line", async () => {
    const folder = temporaryFolder();
    const presets = presetsOf({ "support.yml": SUPPORT });
    const first = await start(folder, ["--presets-dir", presets]);
    const patched = await clientOf(first, "default").ask("PATCH /agent", { preset: "support" });
    expect(patched).toMatchObject({ status: 200, body: { preset: "support" } });
    await first.end();
    const second = await start(folder);
    expect(await profile(second)).toMatchObject({ preset: "general" });
    expect(second.log()).toMatch(/preset support of the agent does not exist here/);
  });

  test("decides whether the forms of an English word count as one word", async () => {
    const presets = presetsOf({ "plain.yaml": "extends: general\nstemming: none" });
    const folder = temporaryFolder();
    const options = ["--presets-dir", presets, "--embeddings-provider", "none"];
    const matched = async (server: Running) => {
      const body = { query: "Which lamps?", ids: ["lamp"] };
      const answer = await clientOf(server, "default").ask("POST /explain", body);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body.data[0].words.map(({ nearness }: { nearness: number }) => nearness);
    };
    const first = await start(folder, options);
    const own = clientOf(first, "default");
    const lamp = await own.ask("POST /nodes", {
      id: "lamp",
      type: "fact",
      content_title: "The lamp is green",
    });
    expect(lamp.status).toBe(201);
    expect(await matched(first)).toEqual([1]);
    const { body } = await own.ask("PATCH /agent", { preset: "plain" });
    expect(body).toMatchObject({ preset: "plain", stemming: "none" });
    expect(await matched(first)).not.toEqual([1]);
    await first.end();
    // The index comes from a snapshot now, and the texts from the database.
    const second = await start(folder, options);
    expect(await matched(second)).not.toEqual([1]);
  });

  test("is what `presets show` prints, and behaves like the one that ships", async () => {
    const { stdout, status } = told("presets", "show", "general");
    expect(status).toBe(0);
    const folder = presetsOf({ "copy.yaml": stdout });
    const copy = (await readPresets(folder)).get("copy")!;
    expect({ ...copy, name: "general" }).toEqual(GENERAL_PRESET);
    const trading = told("presets", "show", "trading").stdout;
    const again = await readPresets(presetsOf({ "copy.yaml": trading }));
    expect(again.get("copy")).toMatchObject({ types: TRADING_PRESET.types, weights: "trading" });
  });

  test("is listed and checked by commands", () => {
    const presets = presetsOf({ "support.yaml": SUPPORT, "vip.yaml": "extends: support" });
    const { stdout } = told("presets", "list", "--presets-dir", presets, "--preset", "vip");
    expect(stdout.match(/^[ *] \w+/gm)).toEqual(["  general", "  trading", "  support", "* vip"]);
    const checked = told("presets", "check", join(presets, "support.yaml"), "--text", "ticket 7");
    expect(checked.stdout).toMatch(/is sound.*\n.*of the type ticket/);
    expect(told("presets", "show", "vpi", "--presets-dir", presets)).toMatchObject({ status: 1 });
  });

  test.each([
    ["types: { ticket: { section: EPISODIC } }", /types\.ticket\.stability_days/],
    ["extends: general\ntypes: { t: { sektion: X } }", /types\.t/],
    ["extends: general\ndescribtion: x", /describtion is no key \(did you mean description\?\)/],
    ["extends: generel", /extends generel, which is no preset before it: there are general/],
    ["extends: general\nusual_type: fakt", /usual_type is fakt.*did you mean fact\?/],
    ["description: x", /weights is missing.*extends: general/],
    ["extends: general\nengine: { querry: {} }", /engine: querry/],
    ["extends: general\nengine: { query: { attribute_words: [7] } }", /query\.attribute_words/],
    ["- a list", /wrong/],
    ["a: [", /cannot be read/],
    [
      "extends: general\ntypes: { t: { section: EPISODIC, stability_days: 1, heading: facts, description: x, guess: ['('] } }",
      /types\.t\.guess\.0: must be a regular expression/,
    ],
    [
      "extends: general\ntypes: { t: { section: EPISODIC, stability_days: 1, heading: facts, description: x, line: day } }",
      /types\.t\.line: must be one line, with \{text\}/,
    ],
  ])("is refused with its place: %s", async (text, message) => {
    const folder = presetsOf({ "mine.yaml": text });
    await expect(readPresets(folder)).rejects.toThrow(message);
    await expect(readPresets(folder)).rejects.toThrow("mine.yaml");
  });

  test("is refused if its name is taken or its folder cannot be read, before the server starts", () => {
    const taken = presetsOf({ "general.yaml": "extends: trading" });
    expect(told("config", "--presets-dir", taken).stderr).toMatch(/is a preset general already/);
    expect(told("config", "--presets-dir", "/nowhere").stderr).toMatch(/presets_dir is \/nowhere/);
    const circle = presetsOf({ "a.yaml": "extends: b", "b.yaml": "extends: a" });
    expect(told("config", "--presets-dir", circle)).toMatchObject({ status: 1 });
  });
});

testOnFilesInFull("an older database with trades keeps the preset of a trader", async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  await clientOf(first, "default").create({ ...RECENT, subtype: "custom:trade_entry" });
  await clientOf(first, "plain").create({ ...RECENT, subtype: "custom:signal" });
  expect(await profile(first)).toEqual(GENERAL);
  await first.end();
  for (const agent of ["default", "plain"]) {
    const db = new DatabaseSync(agentFile(folder, agent));
    // The schema before presets had no index of the timeline either.
    const before = MIGRATIONS.indexOf(nameTradingPresets);
    db.exec(
      `DROP INDEX nous_timeline; UPDATE nous_meta SET value = ${before} WHERE key = 'schema'`,
    );
    db.close();
  }
  const second = await start(folder);
  expect(await profile(second)).toEqual(TRADING);
  expect(await profile(second, "plain")).toEqual(GENERAL);
});

test.each(["general", "trading"])(
  "by signals, preset %s boosts SIGNALS as asked",
  async (preset) => {
    const options = ["--ranking", "signals", "--preset", preset];
    const own = clientOf(await start(temporaryFolder(), options), "alice");
    for (const subtype of ["custom:signal", "signal", "custom:lesson"])
      await own.create({ subtype, content_title: `BTC funding ${subtype}` });
    const boosted = async (query: string) =>
      (await own.ask("POST /retrieve", { query })).body.trace.merge.boosted;
    expect(await boosted("what signals are firing for BTC funding?")).not.toEqual([]);
    expect(await boosted("BTC funding")).toEqual([]);
  },
);
